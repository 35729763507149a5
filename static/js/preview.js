// Loaded in place of the outbox: the rating screen runs as it is, and its answers go nowhere.
(() => {
  "use strict";
  class Store {
    put() {}
    remove() {}
    get() {}

    all() {
      return [];
    }
  }

  class Outbox {
    constructor({ onChange }) {
      this.onChange = onChange;
      this.refused = new Set();
      this.state = "sending";
      this.short = gettext("Not saved");
      this.sentence = "";
    }

    entries() {
      return [];
    }

    waiting() {
      return [];
    }

    add() {
      this.onChange(this);
    }

    async send() {}
  }

  // Items of a made-up dialogue have no marks, and lead nowhere.
  class Marks {
    isSkipped() {
      return false;
    }

    takeKey() {
      return false;
    }

    restore() {}
    show() {}
  }

  class Strip {
    takeKey() {
      return false;
    }

    load() {}
    noteChange() {}
    refresh() {}
    show() {}
  }

  // The editor's panel is low: the question one writes would be below the dialogue, out of sight. (scrollIntoView would
  // also scroll the form, under the hands of whoever types in it.)
  const showQuestion = () => {
    const { top, bottom } = document.querySelector("fieldset[data-active]")?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
    if (bottom > innerHeight) scrollBy({ top: Math.min(top, (top + bottom - innerHeight) / 2) });
  };

  if (window.parent !== window) {
    // Inside the editor the steps are no pages of their own: going back in the browser must leave the editor, not a step.
    history.pushState = history.replaceState.bind(history);
    addEventListener("load", showQuestion);
  }

  window.Parley = { ...window.Parley, Marks, Outbox, Store, Strip, followTabs: () => {} };
})();
