// One question of one item, as its fieldset: what is answered, what is missing, which key means what.
(() => {
  "use strict";
  // As the server counts (protocols/word_count.py): a character of Chinese or Japanese is a word.
  const ALONE = "\\u3005\\u3007\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const MARKS = "\\u3000-\\u3004\\u3006\\u3008-\\u303f\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65";
  const WORD = new RegExp(`[${ALONE}]|[^\\s${ALONE}${MARKS}]+`, "gu");
  const countWords = (text) => text.match(WORD)?.length ?? 0;

  class Question {
    static of(fieldset) {
      fieldset.question ??= new Question(fieldset);
      return fieldset.question;
    }

    static allIn(within) {
      return [...within.querySelectorAll("fieldset.asked")].map(Question.of);
    }

    static askedIn(within) {
      return Question.allIn(within).filter((question) => question.isAsked);
    }

    constructor(fieldset) {
      this.element = fieldset;
      this.criterion = fieldset.dataset.criterion;
      this.kind = fieldset.dataset.kind;
      this.isOptional = fieldset.hasAttribute("data-optional");
      this.item = fieldset.closest(".part").dataset.item;
      this.parent = fieldset.dataset.when?.split(":")[0] ?? ""; // the question whose answer opens this one
      this.key = `${this.item}:${this.criterion}`;
      this.known = ""; // the answer as it was saved
    }

    get isAsked() {
      return !this.element.hidden;
    }

    get chosen() {
      return this.element.querySelector("input[type=radio]:checked");
    }

    // The box of an optional question that says: none of its answers. It is sent as an empty answer.
    get none() {
      return this.element.querySelector("[data-none]");
    }

    get isGiven() {
      return this.isSaid || Boolean(this.none?.checked);
    }

    // Whether an answer says anything: not that there is none.
    get isSaid() {
      const { option, options, turns } = this.read();
      return Boolean(option || options.length || turns.length);
    }

    get isChanged() {
      return JSON.stringify(this.read()) !== this.known;
    }

    // On screen there is something else than what is stored.
    get isUnsaved() {
      return this.isAsked && this.isChanged && (this.isGiven || this.known !== "");
    }

    // What the chosen option asks for, if it asks for anything.
    get openWhy() {
      return this.chosen && this.why(this.chosen.value);
    }

    why(option) {
      return this.element.querySelector(`[data-why="${option}"]`);
    }

    // The box of an option, or of a reason of the option that is chosen.
    inputFor(key) {
      const wanted = `input[data-key="${CSS.escape(key)}"]:not(:disabled)`;
      const option = this.element.querySelector(`:is(.options, .mark-turns) .choice ${wanted}`);
      return option ?? this.openWhy?.querySelector(wanted) ?? null;
    }

    // Whether an answer has a key that begins with this and is longer by `more` characters or more.
    hasKeyFrom(beginning, more = 0) {
      const inputs = [...this.element.querySelectorAll(".options .choice input:not(:disabled)")];
      const keys = inputs.map((input) => input.dataset.key ?? "");
      return keys.some((key) => key.startsWith(beginning) && key.length >= beginning.length + more);
    }

    // Of a comparison.
    keyOfArrow(name) {
      return this.element.querySelector(`.choice input[data-arrow="${name}"]:not(:disabled)`)?.dataset.key ?? "";
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
      if (this.none) this.none.checked = !this.isSaid;
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
      const counted = ngettext("%(n)s word (%(least)s to %(most)s needed)", "%(n)s words (%(least)s to %(most)s needed)", n);
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
      const missing = ngettext("Say why in %(least)s word or more.", "Say why in %(least)s words or more.", least);
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
      control.focus({ preventScroll: !isInside });
    }

    forgetMistakes() {
      this.element.querySelectorAll("[data-error]").forEach((line) => (line.hidden = true));
      this.element.querySelectorAll("[aria-invalid]").forEach((control) => control.removeAttribute("aria-invalid"));
    }
  }

  // Shows and hides what depends on other answers to the same item, and says what has changed.
  const settle = (within) => {
    const questions = Question.allIn(within);
    questions.filter((question) => question.element.dataset.when).forEach((question) => {
      const [criterion, codes] = question.element.dataset.when.split(":");
      const parent = questions.find((each) => each.item === question.item && each.criterion === criterion);
      if (!parent) return;
      const isAsked = parent.isAsked && codes.split(",").includes(parent.chosen?.value);
      question.element.hidden = !isAsked;
    });
  };

  window.Parley = { ...window.Parley, Question, settle };
})();
