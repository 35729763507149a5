// How many steps of the batch are done. The server counted them when the page was made; here it is known of the dialogues
// that have been on this page since.
(() => {
  "use strict";
  const { Question } = window.Parley;

  class Steps {
    // `unsent`: the answers that had not reached the server when it counted, as "item:criterion".
    constructor({ done, marks, unsent }) {
      this.base = done;
      this.marks = marks;
      this.unsent = new Set(unsent);
      this.places = new Map(); // position -> [steps done when the server counted, steps done now]
    }

    get done() {
      return [...this.places.values()].reduce((sum, [before, now]) => sum + now - before, this.base);
    }

    // The server has counted anew, with all that this device has sent.
    restart(done) {
      this.base = done;
      this.unsent.clear();
      this.places.forEach((place) => (place[0] = place[1]));
    }

    // A dialogue as the server has it: before anything of this device is written over it.
    begin(dialogue) {
      if (this.places.has(dialogue.dataset.position)) return;
      const isAnswered = (question) => question.known && !this.unsent.has(question.key);
      const flagged = JSON.parse(dialogue.dataset.marks || "{}");
      const isSkipped = (item) => this.marks.skipsFlagged && Boolean(flagged[item]?.reason);
      const n = this.countIn(dialogue, isAnswered, isSkipped);
      this.places.set(dialogue.dataset.position, [n, n]);
    }

    count(dialogue) {
      const place = this.places.get(dialogue.dataset.position);
      if (place) place[1] = this.countIn(dialogue, (question) => question.known, (item) => this.marks.isSkipped(item));
    }

    // Open is a question that is not answered, unless an answer that is saved rules it out.
    countIn(dialogue, isAnswered, isSkipped) {
      const all = new Map(Question.allIn(dialogue).map((question) => [question.key, question]));
      const isOpen = (question) => {
        if (isAnswered(question) || isSkipped(question.item)) return false;
        const parent = all.get(`${question.item}:${question.parent}`);
        return question.isAsked || Boolean(parent && isOpen(parent));
      };
      const steps = [...dialogue.querySelectorAll(".step")].map(Question.allIn);
      return steps.filter((questions) => !questions.some(isOpen)).length;
    }
  }

  window.Parley = { ...window.Parley, Steps };
})();
