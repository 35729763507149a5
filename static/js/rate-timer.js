// Two clocks of the rating page: how long the annotator really looked, and how long the seat is still theirs.
(() => {
  "use strict";
  const IDLE = 30000; // a longer pause is not reading
  const WARN_AT = 10 * 60;
  const ACTIVITY = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart", "scroll"];

  // Adds up the time between signs of life, each gap at most IDLE, and nothing while the tab is hidden.
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

  // Counts from the seconds the server said were left: the clocks of the two may differ.
  class LeaseClock {
    constructor(seconds, { onTick, onWarn, onEnd }) {
      this.endsAt = performance.now() + seconds * 1000;
      Object.assign(this, { onTick, onWarn, onEnd });
      this.tick();
    }

    get left() {
      return Math.max(0, Math.ceil((this.endsAt - performance.now()) / 1000));
    }

    tick() {
      const left = this.left;
      this.onTick(left);
      if (left === 0) {
        this.onEnd();
        return;
      }
      if (left <= WARN_AT && !this.hasWarned) {
        this.hasWarned = true;
        this.onWarn(left);
      }
      // At the next change of what is shown: each minute, and each second of the last one.
      setTimeout(() => this.tick(), left <= 60 ? 1000 : ((left - 1) % 60) * 1000 + 1000);
    }
  }

  window.Parley = { ...window.Parley, ActiveTimer, LeaseClock };
})();
