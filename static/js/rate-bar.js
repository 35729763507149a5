// What the rating page says around the steps: progress, time, whether answers are saved, and what went wrong.
(() => {
  "use strict";
  const IDLE = 30000; // a longer pause is not reading
  const WARN_AT = 10 * 60;
  const ACTIVITY = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart", "scroll"];

  // How long the annotator really looked: adds up the time between signs of life, each gap at most IDLE, and nothing while the tab is hidden.
  class ActiveTimer {
    constructor() {
      this.total = 0;
      this.last = document.hidden ? null : performance.now();
      ACTIVITY.forEach((name) => addEventListener(name, () => this.beat(), { passive: true, capture: true }));
      document.addEventListener("visibilitychange", () => (document.hidden ? this.pause() : this.beat()));
    }

    beat() {
      const now = performance.now();
      if (this.last !== null) this.total += Math.min(now - this.last, IDLE);
      this.last = now;
    }

    pause() {
      this.beat();
      this.last = null;
    }

    // The milliseconds since the last call.
    take() {
      if (!document.hidden) this.beat();
      const taken = Math.round(this.total);
      this.total = 0;
      return taken;
    }
  }

  const link = (href, text) => Object.assign(document.createElement("a"), { href, textContent: text });

  class Bar {
    constructor(root) {
      this.root = root;
      this.done = Number(root.dataset.done);
      this.wanted = Number(root.dataset.wanted);
      this.pace = Number(root.dataset.pace);
      // From the seconds the server said were left: the clocks of the two may differ.
      this.leaseEndsAt = performance.now() + Number(root.dataset.lease) * 1000;
      this.showLease();
    }

    part(name) {
      return this.root.querySelector(`[data-${name}]`);
    }

    announce(text) {
      this.part("announce").textContent = text;
    }

    showProgress(activeMs) {
      if (activeMs) this.pace = 0.9 * this.pace + 0.1 * activeMs;
      const minutes = Math.ceil((Math.max(0, this.wanted - this.done) * this.pace) / 60000);
      this.part("progress").value = this.done;
      this.part("progress-text").textContent = `${this.done} of ${this.wanted} answers`;
      this.part("minutes").textContent = `about ${minutes} min left`;
    }

    showProblem(text, ...more) {
      this.part("problem").hidden = !text;
      this.part("problem").replaceChildren(text, ...more);
    }

    signIn(text) {
      return link(`${this.root.dataset.login}?next=${encodeURIComponent(location.pathname)}`, text);
    }

    // Where a state of the outbox leads to that only the annotator can end.
    wayOn(state) {
      if (state === "signed_out") return this.signIn("Sign in again");
      if (state === "foreign") return this.signIn("Sign in with it");
      return state === "consent" ? link(this.root.dataset.consent, "Read it and agree") : null;
    }

    showState(outbox) {
      const line = this.part("save-state");
      line.hidden = false;
      line.dataset.saveState = outbox.state;
      line.textContent = outbox.short;
      const wayOn = this.wayOn(outbox.state);
      if (wayOn) this.showProblem(`Nothing is lost. ${outbox.sentence} `, wayOn);
      else if (outbox.state === "saved" && !outbox.refused.size) this.showProblem("");
      if (outbox.state === "offline") this.announce(outbox.short);
    }

    showLease() {
      const left = Math.max(0, Math.ceil((this.leaseEndsAt - performance.now()) / 1000));
      const text = left > 60 ? `${Math.ceil(left / 60)} min` : `${left} s`;
      this.part("lease-text").textContent = `seat for ${text}`;
      if (left === 0) {
        this.endLease();
        return;
      }
      if (left <= WARN_AT && !this.hasWarned) {
        this.hasWarned = true;
        this.part("lease-note").hidden = false;
        this.part("lease-note").textContent = `${text} left for this batch. Your answers are kept in any case.`;
      }
      // At the next change of what is shown: each minute, and each second of the last one.
      setTimeout(() => this.showLease(), left <= 60 ? 1000 : ((left - 1) % 60) * 1000 + 1000);
    }

    endLease() {
      const note = this.part("lease-note");
      const form = this.part("claim");
      if (note.contains(form)) return;
      form.hidden = false;
      note.hidden = false;
      note.className = "note bad";
      note.replaceChildren("Your time for this batch has ended. Your answers are kept: take a seat again and they count. ", form);
    }
  }

  window.Parley = { ...window.Parley, ActiveTimer, Bar };
})();
