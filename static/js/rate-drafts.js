// What is chosen or typed and not saved yet: kept on this device until it is, with where it stands, so that every page
// can name it.
(() => {
  "use strict";
  const { Store } = window.Parley;

  // Where a question stands: the end of its address, its item in the strip, and a name to read.
  const placeOf = ({ element, item }) => {
    const dialogue = element.closest(".rate-dialogue");
    const step = element.closest(".step");
    const heading = element.closest(".part").querySelector("h3") ?? step.querySelector(".step-place");
    const values = {
      place: dialogue.dataset.name,
      item: heading.firstChild.textContent.trim(),
      question: element.dataset.name,
    };
    const { position } = dialogue.dataset;
    const items = [...dialogue.querySelectorAll(".part")].map((each) => each.dataset.item);
    return {
      position,
      at: [...new Set(items)].indexOf(item),
      path: `${position}/${step.dataset.step}/`,
      name: interpolate("isPiece" in dialogue.dataset ? "%(place)s: %(question)s" : gettext("%(place)s, %(item)s: %(question)s"), values, true),
    };
  };

  class Drafts {
    constructor({ assignment, protocol }) {
      this.store = new Store(`parley-draft:${assignment}:`);
      this.protocol = protocol;
    }

    keep(question) {
      if (question.isUnsaved) this.store.put(question.key, { ...question.read(), protocol: this.protocol, place: placeOf(question) });
      else this.store.remove(question.key);
    }

    // Of other questions with the same codes it would be another answer.
    restore(question) {
      const draft = this.store.get(question.key);
      if (draft && (draft.protocol ?? this.protocol) === this.protocol) question.write(draft);
    }

    get places() {
      return this.store.all().flatMap(([, draft]) => draft.place ?? []);
    }
  }

  window.Parley = { ...window.Parley, Drafts, placeOf };
})();
