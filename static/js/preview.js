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

  // Inside the editor the steps are no pages of their own: going back in the browser must leave the editor, not a step.
  if (window.parent !== window) history.pushState = history.replaceState.bind(history);

  window.Parley = { ...window.Parley, Marks, Outbox, Store, Strip, followTabs: () => {} };
})();
