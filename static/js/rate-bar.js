// Around the questions: the clock of active time, progress, whether answers are saved, the seat, and what went wrong.
(() => {
  "use strict";
  const IDLE = 30000; // a longer pause is not reading
  const WARN_AT = 10 * 60;
  const OVER = ["submitted", "excluded", "closed"]; // refusals after which nothing of this batch is taken
  const OLD = ["protocol_changed", "unknown_item", "unknown_criterion"]; // refusals that a newer page does not meet
  const LEAST_TIMED = 10; // answers after which one's own pace says how long the rest takes
  const ACTIVITY = ["keydown", "pointerdown", "pointermove", "wheel", "touchstart", "scroll"];

  // How long the annotator really looked: adds up the time between signs of life, each gap at most IDLE, and nothing while the
  // tab is hidden. Each step has its own sum: who goes back to change an answer does not bring the time of the step one came from.
  class ActiveTimer {
    constructor() {
      this.totals = new Map(); // step -> milliseconds
      this.step = "";
      this.last = document.hidden ? null : performance.now();
      ACTIVITY.forEach((name) => addEventListener(name, () => this.beat(), { passive: true, capture: true }));
      document.addEventListener("visibilitychange", () => (document.hidden ? this.pause() : this.beat()));
    }

    get total() {
      return this.totals.get(this.step) ?? 0;
    }

    beat() {
      const now = performance.now();
      if (this.last !== null) this.totals.set(this.step, this.total + Math.min(now - this.last, IDLE));
      this.last = now;
    }

    pause() {
      this.beat();
      this.last = null;
    }

    // Another step is on screen.
    follow(step) {
      if (!document.hidden) this.beat();
      this.step = step;
    }

    // The milliseconds on this step since the last call for it.
    take() {
      if (!document.hidden) this.beat();
      const taken = Math.round(this.total);
      this.totals.delete(this.step);
      return taken;
    }
  }

  const put = (text, values) => interpolate(text, values, true);
  const inDays = (n) => put(ngettext("%(n)s day", "%(n)s days", n), { n });

  // A length of time, as sentences name it: rounded to what is worth saying.
  const span = (minutes) => {
    const hours = minutes / 60;
    if (hours > 2 * 24) return inDays(Math.round(hours / 24));
    return hours > 2 ? put(gettext("%(n)s h"), { n: Math.round(hours) }) : put(gettext("%(n)s min"), { n: minutes });
  };

  const link = (href, text) => Object.assign(document.createElement("a"), { href, textContent: text });

  // What nobody can take is shown, to be copied.
  const wrote = (words) => (words ? put(gettext("You wrote: %(words)s"), { words }) : "");

  class Bar {
    constructor(root) {
      this.root = root;
      this.done = Number(root.dataset.done);
      this.steps = Number(root.dataset.steps);
      this.pace = Number(root.dataset.pace ?? 0); // of a step; 0: not known yet
      this.timed = [];
      this.timedAnswers = 0;
      this.saved = ""; // how the answers are that were saved; nothing is said before the first
      this.isUnsaved = false;
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

    // Steps, whose number stays the same while questions open and close.
    showProgress() {
      const { done, steps } = this;
      const left = Math.max(0, steps - done);
      this.part("progress").value = done;
      const text = ngettext("%(done)s of %(steps)s step", "%(done)s of %(steps)s steps", steps);
      ["progress-text", "progress-line"].forEach((name) => (this.part(name).textContent = put(text, { done, steps })));
      const minutes = Math.ceil((left * this.pace) / 60000);
      this.part("minutes").textContent = this.pace && left ? put(gettext("about %(time)s of work left"), { time: span(minutes) }) : "";
    }

    // The annotator's own pace, of ten answers or more; nothing is said before.
    keepPace(stepMs, answers) {
      if (!answers) return;
      if (this.pace) this.pace = 0.9 * this.pace + 0.1 * stepMs;
      else {
        this.timed.push(stepMs);
        this.timedAnswers += answers;
        if (this.timedAnswers >= LEAST_TIMED) this.pace = this.timed.reduce((sum, each) => sum + each, 0) / this.timed.length;
      }
    }

    showProblem(text, ...more) {
      this.isOfOutbox = false;
      this.part("problem").hidden = !text;
      this.part("problem").replaceChildren(text, ...more);
    }

    // The work is over, or the page is: what is typed now would go nowhere, so nothing can be typed, and a link leads on.
    refuse(code, message, words) {
      const isOld = OLD.includes(code);
      if (!isOld && !OVER.includes(code)) {
        this.showProblem(message);
        return;
      }
      this.isOver = true;
      this.close(this.root, true);
      const home = this.root.querySelector(".rate-home").href;
      const wayOn = isOld ? link(this.root.dataset.base, gettext("Reload the page")) : link(home, gettext("Back to my work"));
      const kept = wrote(words) || gettext("The last thing you typed is kept on this device.");
      this.showProblem(`${message} ${kept} `, wayOn);
    }

    showNotLoaded(error, again) {
      if (error.isSignedOut) {
        this.showProblem(`${gettext("You are signed out. Your answers are kept.")} `, this.signIn(gettext("Sign in again")));
        return;
      }
      const button = Object.assign(document.createElement("button"), { type: "button", className: "inline", textContent: gettext("Try again") });
      const retry = () => {
        this.showProblem("");
        again();
      };
      button.addEventListener("click", retry, { once: true });
      addEventListener("online", retry, { once: true });
      const sentence = error.status
        ? gettext("The next dialogue cannot be loaded: the server is not ready. Your answers are kept.")
        : gettext("The next dialogue cannot be loaded: there is no connection. Your answers are kept.");
      this.showProblem(`${sentence} `, button);
    }

    signIn(text) {
      return link(`${this.root.dataset.login}?next=${encodeURIComponent(location.pathname)}`, text);
    }

    // Where a state of the outbox leads to that only the annotator can end.
    wayOn({ state, signIn }) {
      if (signIn) return this.signIn(signIn);
      return state === "consent" ? link(this.root.dataset.consent, gettext("Read and agree")) : null;
    }

    showState(outbox) {
      const line = this.part("save-state");
      line.dataset.saveState = outbox.state;
      this.saved = outbox.short;
      this.showUnsaved();
      const wayOn = this.wayOn(outbox);
      if (wayOn) {
        this.showProblem(`${gettext("Nothing is lost.")} ${outbox.sentence} `, wayOn);
        this.isOfOutbox = true; // another problem stays when everything is saved
      } else if (outbox.state === "saved" && this.isOfOutbox) this.showProblem("");
      if (outbox.state === "offline" || (outbox.state === "saved" && this.wasOffline)) this.announce(outbox.short);
      if (outbox.state !== "sending") this.wasOffline = outbox.state === "offline";
    }

    // The step on screen has something that is not stored: that comes before how the stored answers are.
    showUnsaved(isUnsaved = this.isUnsaved) {
      const line = this.part("save-state");
      this.isUnsaved = isUnsaved && !this.root.hasAttribute("data-preview"); // there nothing is saved at all
      line.toggleAttribute("data-unsaved", this.isUnsaved);
      line.textContent = this.isUnsaved ? gettext("Not saved yet") : this.saved;
    }

    showLease() {
      const left = Math.max(0, Math.ceil((this.leaseEndsAt - performance.now()) / 1000));
      const time = left > 60 ? span(Math.ceil(left / 60)) : put(gettext("%(n)s s"), { n: left });
      this.part("lease-text").textContent = put(gettext("seat kept for %(time)s"), { time });
      if (left === 0) {
        this.endLease();
        return;
      }
      if (left <= WARN_AT && !this.hasWarned) {
        this.hasWarned = true;
        this.part("lease-note").hidden = false;
        const warning = gettext("%(time)s left for this batch. Your answers are kept in any case.");
        this.part("lease-note").textContent = put(warning, { time });
      }
      // At the next change of what is shown: each minute, and each second of the last one.
      setTimeout(() => this.showLease(), left <= 60 ? 1000 : ((left - 1) % 60) * 1000 + 1000);
    }

    // Until the dialogue has been read its questions are closed; a bar fills while it is on screen.
    async showReading(dialogue, seconds) {
      if (seconds <= 0) return;
      const [bar, text] = this.part("reading").children;
      const end = performance.now() + seconds * 1000;
      dialogue.dataset.unread = "yes";
      this.close(dialogue, true);
      this.part("reading").hidden = !dialogue.isConnected;
      const announced = ngettext(
        "Read the whole dialogue first: %(n)s second.",
        "Read the whole dialogue first: %(n)s seconds.",
        Math.ceil(seconds),
      );
      this.announce(put(announced, { n: Math.ceil(seconds) }));
      for (let left = seconds; left > 0; left = (end - performance.now()) / 1000) {
        if (dialogue.isConnected) {
          bar.value = 1 - left / seconds;
          text.textContent = put(gettext("Read the whole dialogue first: %(n)s s"), { n: Math.ceil(left) });
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      this.close(dialogue, this.isOver);
      delete dialogue.dataset.unread;
      if (!dialogue.isConnected) return;
      this.part("reading").hidden = true;
      this.announce(gettext("You can answer the questions now."));
    }

    close(dialogue, isClosed) {
      dialogue.querySelectorAll("fieldset.asked").forEach((fieldset) => (fieldset.disabled = isClosed));
    }

    // Without a seat nothing can be chosen or typed: it would go nowhere.
    endLease() {
      const note = this.part("lease-note");
      const form = this.part("claim");
      if (note.contains(form)) return;
      this.isOver = true;
      this.close(this.root, true);
      form.hidden = false;
      note.hidden = false;
      note.className = "note bad";
      const sentence = gettext("Your time for this batch has ended. Your answers are kept and count if you take a seat again.");
      note.replaceChildren(`${sentence} `, form);
    }
  }

  window.Parley = { ...window.Parley, ActiveTimer, Bar, wrote };
})();
