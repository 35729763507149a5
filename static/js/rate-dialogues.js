// The dialogues of the batch that are on this page: fetched ahead, and given up again when one is far from them.
(() => {
  "use strict";
  const AHEAD = 2; // fetched before they are needed: the next step waits for no request
  const KEPT = 3; // on either side, as they are; older ones are fetched again with their answers

  class Dialogues {
    constructor({ base, onFetched }) {
      this.base = base;
      this.onFetched = onFetched;
      this.known = new Map(); // position -> article
      this.loading = new Map(); // position -> its promise
      this.age = 0; // raised when what was fetched, or is on its way, may be old
    }

    get all() {
      return [...this.known.values()];
    }

    // Asked for twice, it is fetched once: a second copy would not know the answers given in the first.
    load(position) {
      if (!this.loading.has(position)) {
        this.loading.set(position, this.fetch(position).finally(() => this.loading.delete(position)));
      }
      return this.loading.get(position);
    }

    // All but the one on screen: another tab has saved something.
    forget(onScreen) {
      this.age += 1;
      this.known.forEach((each, position) => each === onScreen || this.known.delete(position));
    }

    async fetch(position) {
      const { age } = this;
      const response = await fetch(`${this.base}${position}/`, { credentials: "same-origin" });
      if (response.redirected) throw Object.assign(new Error("signed out"), { isSignedOut: true });
      if (!response.ok) throw Object.assign(new Error(String(response.status)), { status: response.status });
      const holder = document.createElement("template");
      holder.innerHTML = await response.text();
      if (age !== this.age) return this.fetch(position);
      const dialogue = document.adoptNode(holder.content.querySelector(".rate-dialogue"));
      this.onFetched(dialogue);
      this.known.set(position, dialogue);
      return dialogue;
    }

    async keepNear(dialogue) {
      this.known.forEach((each, position) => {
        if (Math.abs(each.dataset.place - dialogue.dataset.place) > KEPT) this.known.delete(position);
      });
      let position = dialogue.dataset.next;
      try {
        for (let ahead = 0; ahead < AHEAD && position; ahead += 1) {
          position = (this.known.get(position) ?? (await this.load(position))).dataset.next;
        }
      } catch {
        // offline or signed out: it is fetched again when it is needed
      }
    }
  }

  window.Parley = { ...window.Parley, Dialogues };
})();
