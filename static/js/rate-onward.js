// The button of the dock: where it leads, which it says before. It never answers a question that nobody has seen.
//
// Where one question is in view at a time it does what Enter does, so that a finger has a way to the next one. Elsewhere it
// saves, and says to how many questions it answers none.
(() => {
  "use strict";
  const { Question } = window.Parley;
  const WHOLE = 0.9; // of a heading or an answer: a pixel at the edge of the pane hides no word
  const narrow = matchMedia("(max-width: 56.25rem)");
  const never = () => false;
  const isOne = (question) => question.element.dataset.kind === "single"; // its answer of none is called “No answer”

  // A question is seen once its heading and its last answer have been on screen, or once it was the active one.
  class Seen {
    constructor(onSeen) {
      this.onSeen = onSeen;
      this.marks = new WeakSet(); // headings and last answers that have been on screen
      this.active = new WeakSet();
      this.observer = new IntersectionObserver((entries) => this.take(entries), { threshold: WHOLE });
    }

    static marksOf(question) {
      return [question.element.querySelector("legend"), [...question.element.querySelectorAll(".choice")].at(-1)];
    }

    follow(step) {
      this.observer.disconnect();
      Question.allIn(step).flatMap(Seen.marksOf).forEach((each) => this.observer.observe(each));
    }

    take(entries) {
      const seen = entries.filter((entry) => entry.intersectionRatio >= WHOLE);
      seen.forEach(({ target }) => this.marks.add(target));
      if (seen.length) this.onSeen();
    }

    has(question) {
      return this.active.has(question.element) || Seen.marksOf(question).every((each) => this.marks.has(each));
    }
  }

  class Onward {
    // `isLeft` as in Active; `isLast` says whether saving leads to the review.
    constructor({ root, active, isLeft = never, isLast = never }) {
      Object.assign(this, { root, active, isLeft, isLast });
      this.seen = new Seen(() => this.show());
      narrow.addEventListener("change", () => this.show());
    }

    get asked() {
      return this.active.questions;
    }

    // What saving would answer with none.
    get open() {
      return this.asked.filter((question) => !question.isGiven && !this.isLeft(question));
    }

    // Null where a press saves, or is refused because an answer is missing.
    get next() {
      if (narrow.matches) return this.active.following;
      return this.open.every((question) => question.none) ? this.unseen : null;
    }

    get unseen() {
      return this.open.find((question) => !this.seen.has(question)) ?? null;
    }

    follow(question) {
      this.seen.active.add(question.element);
      this.show();
    }

    show() {
      if (!this.active.step) return;
      this.active.save.querySelector("[data-save-label]").textContent = this.label;
      this.active.save.toggleAttribute("data-keyless", !this.isEnter);
    }

    // Whether Enter does what the button says. Where every open question may be answered with none, Enter answers the
    // active one only.
    get isEnter() {
      return !this.next && !(this.active.following && this.open.every((question) => question.none));
    }

    get label() {
      const { open } = this;
      if (this.next && !narrow.matches) return gettext("Show more questions");
      if (this.next && !this.saysNone) return gettext("Next question");
      if (this.next) return isOne(this.active.question) ? gettext("No answer, next question") : gettext("None, next question");
      if (open.length && open.every((question) => question.none)) {
        const areOne = open.every(isOne);
        if (open.length === this.asked.length) return areOne ? gettext("Save with no answer") : gettext("Save with none");
        const one = ngettext("Save, no answer to %(n)s question", "Save, no answer to %(n)s questions", open.length);
        const said = areOne ? one : ngettext("Save, none for %(n)s question", "Save, none for %(n)s questions", open.length);
        return interpolate(said, { n: open.length }, true);
      }
      return this.isLast() ? gettext("Review and submit") : gettext("Save and continue");
    }

    // Whether a press answers the question in view with none.
    get saysNone() {
      const { question } = this.active;
      return narrow.matches && Boolean(question.none) && this.open.includes(question);
    }

    press(save) {
      if (this.active.isBusy()) return;
      if (narrow.matches) this.active.enter();
      else save();
    }

    // True when saving has to wait: a question that it would answer has not been seen, and is shown now.
    holds() {
      const { unseen } = this;
      if (unseen) this.active.activate(unseen);
      return Boolean(unseen);
    }
  }

  window.Parley = { ...window.Parley, Onward };
})();
