// Exactly one question is active: it has the frame and the focus, digits and letters act on it alone.
//
// An answer that needs nothing more leads to the next question, the last one to the button that saves. The rating
// screen and training use this file; what saving means is theirs.
(() => {
  "use strict";
  const { Question, showEnds } = window.Parley;
  const TAP = 1000; // an answer this soon after a touch or a press of the mouse was given by it
  const OFF = "parley-keys-off";
  const TYPING = 800; // within this time, 1 and 0 are a ten
  const NEXT = 22; // pixels of the number beside the active one that show that there are more
  const never = () => false;

  // The character on the key, also where the keyboard writes Cyrillic or an input method holds the letters back.
  const charOf = (event) => {
    if (/^[!-~]$/.test(event.key)) return event.key;
    const [, char] = /^(?:Key|Digit|Numpad)(\w)$/.exec(event.code) ?? [];
    return char ? (event.shiftKey ? char : char.toLowerCase()) : "";
  };

  const isOff = () => {
    try {
      return localStorage.getItem(OFF) === "1";
    } catch {
      return false;
    }
  };

  class Active {
    // `is...` are asked, `on...` are told; `takeKey` says whether a key that is no answer meant something.
    constructor({ root, view, takeKey = never, isLeft = never, isHasty = never, isBusy = never, ...hooks }) {
      Object.assign(this, { root, view, takeKey, isLeft, isHasty, isBusy, ...hooks });
      this.step = null;
      this.question = null;
      this.typed = ""; // the beginning of a number: a minus, or digits that others may follow
      document.addEventListener("keydown", (event) => this.onKey(event));
      root.addEventListener("pointerdown", () => Object.assign(this, { tappedAt: performance.now(), typed: "" }), true);
      root.addEventListener("focusin", (event) => this.onFocus(event.target));
      root.addEventListener("input", (event) => this.onInput(event));
      root.addEventListener("click", (event) => this.onClick(event));
      root.addEventListener("scroll", (event) => event.target.matches?.("[data-question-strip]") && showEnds(event.target), true);
      root.addEventListener("pointerover", (event) => this.onPoint(event.target.closest(".choice")));
      root.addEventListener("pointerout", (event) => this.onPoint(event.target.closest(".choice"), true));
    }

    get save() {
      return this.root.querySelector("[data-save]");
    }

    get questions() {
      return Question.askedIn(this.step);
    }

    // A step comes on screen: the question that the address names is active, the first open one, or the first of all.
    show(step) {
      this.step = step;
      const { questions } = this;
      const named = questions.find((each) => `#${each.key}` === location.hash);
      this.activate(named ?? questions.find((each) => !each.isGiven) ?? questions[0]);
    }

    activate(question, { hasFocus = true } = {}) {
      this.question = question;
      this.root.querySelectorAll("fieldset[data-active]").forEach((each) => each.removeAttribute("data-active"));
      question.element.setAttribute("data-active", "");
      if (hasFocus) this.focus(question);
      this.showMarking();
      this.showStrip();
      this.describe(question.element);
      this.view.reveal(question);
      this.view.showJudged(question.item);
      this.onActive(question);
    }

    // While the dialogue has to be read first, its questions cannot have the focus: their heading has it. Beside the
    // editor the screen takes none from the field in which somebody types.
    focus({ element }) {
      if (window.parent !== window && !document.hasFocus()) return;
      const target = element.disabled ? this.step.querySelector("h2") : element;
      if (!target.contains(document.activeElement)) target.focus({ preventScroll: true });
    }

    // --- answers -------------------------------------------------------------------------------------
    press(key, goesOn = true) {
      const input = this.question.inputFor(key) ?? this.question.inputFor(key.toLowerCase());
      if (!input) return false;
      if (input.type === "radio") input.checked = true;
      else input.checked = !input.checked;
      const held = document.activeElement; // another answer of this question: the next space bar would change that one
      if (held.matches("input") && this.question.element.contains(held)) input.focus({ preventScroll: true });
      this.goesOn = goesOn;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      this.goesOn = false;
      return true;
    }

    onInput(event) {
      const fieldset = event.target.closest("fieldset.asked");
      if (!fieldset) return;
      const question = Question.of(fieldset);
      this.latest = event.target;
      question.forgetMistakes();
      if (event.target.matches("textarea")) Question.showCount(event.target);
      if (event.target.matches("[data-other]:checked")) event.target.closest(".why").querySelector("textarea").focus();
      this.onAnswer(question);
      this.showMarking();
      this.showStrip();
      this.describe(fieldset);
      if (!event.target.matches("[type=radio], [data-alone]:checked")) return; // nothing more can be chosen with it
      const isTapped = performance.now() - (this.tappedAt ?? -TAP) < TAP;
      if (this.goesOn || isTapped) this.follow(question);
      else this.view.reveal(question);
    }

    // After an answer that stands alone: the text it needs, the reasons it asks for, the next open question, or saving.
    follow(question) {
      const why = question.openWhy;
      if (why) {
        this.activate(question);
        if (why.dataset.asks === "free_text") why.querySelector("textarea").focus();
        return;
      }
      const next = this.openAfter(question);
      if (next) this.activate(next);
      else this.arriveAtSave(question);
    }

    // The last question keeps its frame: a digit still changes it.
    arriveAtSave(question) {
      this.activate(question, { hasFocus: false });
      this.save.focus({ preventScroll: true });
    }

    openAfter(question) {
      const { questions } = this;
      const at = questions.indexOf(question);
      const isOpen = (each) => !each.isGiven;
      return questions.slice(at + 1).find(isOpen) ?? questions.slice(0, at).find(isOpen);
    }

    // The question that Enter leads to once this one is answered; null where it saves.
    get following() {
      const { question } = this;
      return this.isLeft(question) ? null : (this.openAfter(question) ?? null);
    }

    // Enter: on to what is open, or save. A second press of the button may be meant for the step before, and no second press
    // scolds; a key pressed anew means none to the question in view, or the next digit would answer it.
    enter({ isKey = false } = {}) {
      const { question } = this;
      if (question.element.disabled) return;
      const isOpen = !this.isLeft(question) && (!question.isGiven || question.mistake);
      if (isOpen && (question.mistake || !isKey) && this.isHasty()) return;
      if (isOpen && question.mistake) {
        this.fail(question);
        return;
      }
      if (isOpen) this.sayNone(question);
      const next = this.following;
      if (next) this.activate(next);
      else this.onSave();
    }

    // Enter on an optional question that nothing is chosen for.
    sayNone(question) {
      this.tappedAt = undefined; // a press of the button is no tap on an answer, which would lead on by itself
      question.none.checked = true;
      question.none.dispatchEvent(new Event("input", { bubbles: true }));
    }

    fail(question) {
      this.activate(question, { hasFocus: false });
      question.showMistake(question.mistake);
      this.view.reveal(question);
    }

    move(direction) {
      const { questions } = this;
      if (document.activeElement === this.save) {
        if (direction < 0) this.activate(this.question);
        return;
      }
      const next = questions.indexOf(this.question) + direction;
      if (next >= questions.length) this.save.focus({ preventScroll: true });
      else this.activate(questions[Math.max(next, 0)]);
    }

    // --- what is shown of it -------------------------------------------------------------------------
    // The one place for descriptions shows the option that is pointed at, else the focused, else the one chosen last.
    describe(fieldset, pointed = null) {
      const focused = fieldset.querySelector(".choice input:focus-visible");
      const all = [...fieldset.querySelectorAll(".choice input:checked")];
      const chosen = all.find((each) => each === this.latest) ?? all.at(-1);
      const shown = (pointed ?? focused ?? chosen)?.value;
      fieldset.querySelectorAll(".means").forEach((each) => each.toggleAttribute("data-shown", each.dataset.means === shown));
    }

    // Turns that support the answer are chosen in the dialogue itself, while that is what is asked.
    showMarking() {
      const pane = this.root.querySelector("[data-context]");
      if (!pane) return;
      const isMarking = this.question?.kind === "turns";
      pane.toggleAttribute("data-marking", isMarking);
      const marked = isMarking ? this.question.ticked("turns") : [];
      pane.querySelectorAll("[data-turn]").forEach((turn) => turn.toggleAttribute("data-marked", marked.includes(turn.dataset.turn)));
    }

    // On a narrow screen one question is in view at a time; the others are a number each.
    showStrip() {
      const strip = this.root.querySelector("[data-question-strip]");
      if (!strip || !this.step) return;
      const { questions } = this;
      const entries = questions.length > 1 ? questions : [];
      while (strip.children.length > entries.length) strip.lastChild.remove();
      while (strip.children.length < entries.length) strip.append(Object.assign(document.createElement("button"), { type: "button" }));
      entries.forEach((each, at) => {
        const button = strip.children[at];
        button.question = each;
        button.textContent = String(at + 1);
        button.setAttribute("aria-label", each.element.dataset.name);
        button.setAttribute("aria-describedby", each.element.getAttribute("aria-describedby"));
        button.setAttribute("aria-current", String(each === this.question));
        button.toggleAttribute("data-done", each.isGiven);
      });
      this.bringIn(strip);
      showEnds(strip);
    }

    // Its own number is in view, whole.
    bringIn(strip) {
      const current = strip.querySelector("[aria-current=true]")?.getBoundingClientRect();
      if (!current) return;
      const { left, right } = strip.getBoundingClientRect();
      const [before, after] = [current.left - NEXT - left, current.right + NEXT - right];
      if (before < 0) strip.scrollLeft += before;
      else if (after > 0) strip.scrollLeft += after;
    }

    onClick(event) {
      const chip = event.target.closest("[data-question-strip] button");
      if (chip) this.activate(chip.question);
      const turn = event.target.closest("[data-marking] [data-turn]");
      if (turn && getSelection().isCollapsed) this.markTurn(turn.dataset.turn);
    }

    markTurn(number) {
      const box = this.question.element.querySelector(`input[name$="-turns"][value="${number}"]`);
      if (!box || box.matches(":disabled")) return;
      box.checked = !box.checked;
      box.dispatchEvent(new Event("input", { bubbles: true }));
    }

    onFocus(element) {
      const fieldset = element.closest?.("fieldset.asked");
      if (!fieldset || !this.step?.contains(fieldset)) return;
      const question = Question.of(fieldset);
      if (question !== this.question) this.activate(question, { hasFocus: false });
      else this.describe(fieldset);
    }

    onPoint(choice, hasLeft = false) {
      const fieldset = choice?.closest("fieldset.asked.compact");
      if (fieldset) this.describe(fieldset, hasLeft ? null : choice.querySelector("input"));
    }

    // --- keys ----------------------------------------------------------------------------------------
    get usesKeys() {
      return !isOff();
    }

    set usesKeys(isOn) {
      try {
        if (isOn) localStorage.removeItem(OFF);
        else localStorage.setItem(OFF, "1");
      } catch {
        // it lasts as long as the page
      }
      this.root.toggleAttribute("data-keys-off", !isOn);
    }

    onKey(event) {
      // The step still on screen is answered: a key now would change it unseen.
      if (!this.step || this.isBusy() || document.querySelector("dialog[open]")) return;
      const isText = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
      const isEnter = event.key === "Enter";
      if (/^(Enter|Escape|Backspace|Arrow)/.test(event.key)) this.typed = "";
      if (isText) {
        if (isEnter && (event.ctrlKey || event.metaKey)) this.enter({ isKey: true });
        else if (event.key === "Escape") this.question.element.focus({ preventScroll: true });
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (isEnter && event.target.closest("a, button, summary")) return;
      if (isEnter) this.enter({ isKey: true });
      else if (event.key === "PageUp" || event.key === "PageDown") this.view.scrollPage(event.key === "PageUp" ? -1 : 1);
      else if (!this.usesKeys || !this.onSingleKey(event)) return;
      event.preventDefault();
    }

    onSingleKey(event) {
      if (event.key === "Backspace") return this.onBack() !== false;
      const isScrolling = event.key === "ArrowDown" && event.target.closest("[data-context]");
      const compared = event.key.startsWith("Arrow") && !isScrolling && this.question.keyOfArrow(event.key);
      if (compared) return this.press(compared);
      if (event.key === "ArrowUp" || event.key === "ArrowDown") {
        if (event.target.closest("[data-context]")) return false; // there they scroll
        this.move(event.key === "ArrowUp" ? -1 : 1);
        return true;
      }
      if (event.key === "?" || event.key === "Escape") return this.onGuide(event.key);
      return this.onChar(charOf(event));
    }

    // A number is typed as it is written. A minus belongs to the digit after it: "-2" is never a 2, also where no answer
    // is negative. Where answers are 1 and 10, a 1 stays at its question for a moment.
    onChar(char) {
      const number = this.typed + char;
      const isBegun = Boolean(this.typed) && /\d/.test(char) && (this.typed === "-" || this.question.hasKeyFrom(number));
      if (!isBegun) this.endNumber();
      if (char === "-") this.typed = char;
      else if (/\d/.test(char)) return this.typeDigit(isBegun ? number : char) || isBegun || this.takeKey(char);
      else return Boolean(char) && (this.press(char) || this.takeKey(char));
      return true;
    }

    // Whether the number is an answer, or the beginning of one.
    typeDigit(number) {
      this.typed = "";
      if (!this.question.hasKeyFrom(number, 1)) return this.press(number);
      const { question, step } = this;
      this.press(number, false);
      this.typed = number;
      setTimeout(() => this.typed === number && this.question === question && this.step === step && this.endNumber(), TYPING);
      return true;
    }

    // What was typed is the whole number: on to the next question, as after any other answer.
    endNumber() {
      const isNumber = /\d/.test(this.typed);
      this.typed = "";
      if (isNumber && this.question.isGiven) this.follow(this.question);
    }
  }

  window.Parley = { ...window.Parley, Active };
})();
