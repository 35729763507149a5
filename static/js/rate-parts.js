// The parts of the rating screen: a question, the clock of active time, and the bar around the steps: progress, time,
// whether answers are saved, and what went wrong.
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

  // As the server counts (protocols/words.py): a character of Chinese or Japanese is a word.
  const ALONE = "\\u3005\\u3007\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const MARKS = "\\u3000-\\u3004\\u3006\\u3008-\\u303f\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65";
  const WORD = new RegExp(`[${ALONE}]|[^\\s${ALONE}${MARKS}]+`, "gu");
  const countWords = (text) => text.match(WORD)?.length ?? 0;

  // One question of one item, as its fieldset.
  class Question {
    static of(fieldset) {
      fieldset.question ??= new Question(fieldset);
      return fieldset.question;
    }

    constructor(fieldset) {
      this.element = fieldset;
      this.criterion = fieldset.dataset.criterion;
      this.kind = fieldset.dataset.kind;
      this.isOptional = fieldset.hasAttribute("data-optional");
      this.item = fieldset.closest(".part").dataset.item;
      this.key = `${this.item}:${this.criterion}`;
      this.known = ""; // the answer as it was saved
    }

    get isAsked() {
      return !this.element.hidden;
    }

    get chosen() {
      return this.element.querySelector("input[type=radio]:checked");
    }

    get isGiven() {
      const { option, options, turns } = this.read();
      return Boolean(option || options.length || turns.length);
    }

    get isChanged() {
      return JSON.stringify(this.read()) !== this.known && (this.isGiven || this.known !== "" || !this.isOptional);
    }

    why(option) {
      return this.element.querySelector(`[data-why="${option}"]`);
    }

    otherIn(why) {
      return why.querySelector("[data-other]");
    }

    // Own words beside reasons count while "Other" is ticked: a text of before is not sent.
    isClosed(why) {
      return this.otherIn(why)?.checked === false;
    }

    ticked(name) {
      return [...this.element.querySelectorAll(`input[name$="-${name}"]:checked`)].map((box) => box.value);
    }

    read() {
      const option = this.chosen?.value ?? "";
      const why = option && this.why(option);
      return {
        option,
        explanations: why ? [...why.querySelectorAll("input:checked:not([data-other])")].map((box) => box.value) : [],
        free_text: why && !this.isClosed(why) ? why.querySelector("textarea").value.trim() : "",
        other: Boolean(why && this.otherIn(why)?.checked),
        options: this.ticked("options"),
        turns: this.ticked("turns").map(Number),
      };
    }

    write(answer) {
      const radio = this.element.querySelector(`input[type=radio][value="${answer.option}"]`);
      if (radio) radio.checked = true;
      this.tick("options", answer.options ?? []);
      this.tick("turns", (answer.turns ?? []).map(String));
      const why = this.why(answer.option);
      if (!why) return;
      why.querySelectorAll("input:not([data-other])").forEach((box) => (box.checked = answer.explanations.includes(box.value)));
      const other = this.otherIn(why);
      if (other) other.checked = Boolean(answer.other || answer.free_text);
      why.querySelector("textarea").value = answer.free_text;
      Question.showCount(why.querySelector("textarea"));
    }

    tick(name, values) {
      this.element.querySelectorAll(`input[name$="-${name}"]`).forEach((box) => (box.checked = values.includes(box.value)));
    }

    static showCount(text) {
      const { wordsMin: least, wordsMax: most } = text.closest(".why").dataset;
      const n = countWords(text.value);
      const line = text.closest(".why").querySelector(".word-count");
      line.dataset.wanted ??= line.textContent; // what the page says before anything is written
      const counted = ngettext("%(n)s of %(least)s to %(most)s words", "%(n)s of %(least)s to %(most)s words", most);
      line.textContent = n ? interpolate(counted, { n, least, most }, true) : line.dataset.wanted;
      line.toggleAttribute("data-over", n > Number(most));
      line.toggleAttribute("data-under", n > 0 && n < Number(least));
    }

    // The server's own rules, said before a request is made; the server checks again. [field, sentence], or null.
    get mistake() {
      if (!this.isAsked || (this.isOptional && !this.isGiven)) return null;
      const { name } = this.element.dataset;
      const missing = (field, sentence) => (this.isGiven ? null : [field, interpolate(sentence, { name }, true)]);
      if (this.kind === "turns") return missing("turns", gettext("Mark at least one turn for “%(name)s”."));
      if (this.kind === "multiple") return missing("options", gettext("Choose at least one answer to “%(name)s”."));
      const { option } = this.read();
      return option ? this.mistakeIn(this.why(option)) : missing("option", gettext("Choose one of the answers to “%(name)s”."));
    }

    mistakeIn(why) {
      if (!why) return null;
      const { asks, wordsMin: least, wordsMax: most } = why.dataset;
      const { free_text: text, other: isOther } = this.read();
      const n = countWords(text);
      const missing = ngettext("Say why, in %(least)s words or more.", "Say why, in %(least)s words or more.", least);
      if (asks === "free_text" && !n) return ["free_text", interpolate(missing, { least }, true)];
      const own = ngettext(
        "Write your own reason in %(least)s to %(most)s words, or untick “Other”.",
        "Write your own reason in %(least)s to %(most)s words, or untick “Other”.",
        most,
      );
      if (isOther && !n) return ["free_text", interpolate(own, { least, most }, true)];
      if (asks === "explanation_required" && !n && !why.querySelector("input:checked"))
        return ["explanations", gettext("Choose at least one reason, or say why in your own words.")];
      const isWrong = n && (n < Number(least) || n > Number(most));
      const wrong = ngettext(
        "Write %(least)s to %(most)s words: this has %(n)s.",
        "Write %(least)s to %(most)s words: this has %(n)s.",
        most,
      );
      return isWrong ? ["free_text", interpolate(wrong, { least, most, n }, true)] : null;
    }

    showMistake([field, sentence]) {
      const isInside = field === "free_text" || field === "explanations";
      const within = isInside ? this.why(this.read().option) : this.element;
      const line = within.querySelector(`[data-error="${field}"]`);
      line.textContent = sentence;
      line.hidden = false;
      const control = within.querySelector(field === "free_text" ? "textarea" : "input");
      control.setAttribute("aria-invalid", "true");
      this.element.scrollIntoView({ block: "nearest" });
      control.focus({ preventScroll: !isInside });
    }

    forgetMistakes() {
      this.element.querySelectorAll("[data-error]").forEach((line) => (line.hidden = true));
      this.element.querySelectorAll("[aria-invalid]").forEach((control) => control.removeAttribute("aria-invalid"));
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
      const { done, wanted } = this;
      const answers = ngettext("%(done)s of %(wanted)s answers", "%(done)s of %(wanted)s answers", wanted);
      this.part("progress-text").textContent = put(answers, { done, wanted });
      this.part("minutes").textContent = put(gettext("about %(time)s left"), { time: span(minutes) });
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
      if (state === "signed_out") return this.signIn(gettext("Sign in again"));
      if (state === "foreign") return this.signIn(gettext("Sign in with it"));
      return state === "consent" ? link(this.root.dataset.consent, gettext("Read it and agree")) : null;
    }

    showState(outbox) {
      const line = this.part("save-state");
      line.hidden = false;
      line.dataset.saveState = outbox.state;
      line.textContent = outbox.short;
      const wayOn = this.wayOn(outbox.state);
      if (wayOn) this.showProblem(`${gettext("Nothing is lost.")} ${outbox.sentence} `, wayOn);
      else if (outbox.state === "saved" && !outbox.refused.size) this.showProblem("");
      if (outbox.state === "offline") this.announce(outbox.short);
    }

    showLease() {
      const left = Math.max(0, Math.ceil((this.leaseEndsAt - performance.now()) / 1000));
      const time = left > 60 ? span(Math.ceil(left / 60)) : put(gettext("%(n)s s"), { n: left });
      this.part("lease-text").textContent = put(gettext("seat for %(time)s"), { time });
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
      const fieldsets = dialogue.querySelectorAll("fieldset.asked");
      const [bar, text] = this.part("reading").children;
      const end = performance.now() + seconds * 1000;
      dialogue.dataset.unread = "yes";
      fieldsets.forEach((fieldset) => (fieldset.disabled = true));
      this.part("reading").hidden = !dialogue.isConnected;
      const announced = ngettext(
        "Read the whole dialogue first: %(n)s seconds.",
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
      fieldsets.forEach((fieldset) => (fieldset.disabled = false));
      delete dialogue.dataset.unread;
      if (!dialogue.isConnected) return;
      this.part("reading").hidden = true;
      this.announce(gettext("The questions are open now."));
    }

    endLease() {
      const note = this.part("lease-note");
      const form = this.part("claim");
      if (note.contains(form)) return;
      form.hidden = false;
      note.hidden = false;
      note.className = "note bad";
      const sentence = gettext("Your time for this batch has ended. Your answers are kept: take a seat again and they count.");
      note.replaceChildren(`${sentence} `, form);
    }
  }

  window.Parley = { ...window.Parley, ActiveTimer, Bar, Question };
})();
