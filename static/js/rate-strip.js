// The strip of all items of a batch: where one is, what is done, and a way to each.
//
// What one sees as one piece has one number: a dialogue, a pair, or a conversation with all of its turns. A batch may have
// thousands: only those near what is in view are in the page. Beside a wide screen they stand in one row, on a phone in a
// list that a button opens. `go(position, number)` shows a step.
(() => {
  "use strict";
  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"; // as the server writes a number below 32
  const STATES = ["open", "partly", "done"];
  const UNSURE = 4;
  const FLAGGED = 8;
  const CHANGED = 16;
  const ITEM = 32; // px: as rate-strip.css has them
  const HEAD = 40;
  const GAP = 12;
  const ROW = 48;
  const IN_ROW = 5; // items beside each other in the list of a phone
  const FADE = 20; // an end that has more beyond it
  const MARGIN = 600; // px drawn beyond what is in view
  const narrow = matchMedia("(max-width: 900px)");

  const decode = (letter) => {
    const code = ALPHABET.indexOf(letter);
    return { state: STATES[code % 4], unsure: Boolean(code & UNSURE), flagged: Boolean(code & FLAGGED), changed: Boolean(code & CHANGED) };
  };

  const SAID = { open: gettext("not answered"), partly: gettext("partly answered"), done: gettext("answered") };
  const { showEnds } = window.Parley;
  const { nameOf, whyNot } = window.Parley.StripWords;

  class Strip {
    constructor({ go, questionsOf, marks, drafts }) {
      this.root = document.querySelector("[data-strip]");
      this.go = go;
      this.questionsOf = questionsOf;
      this.marks = marks;
      this.drafts = drafts;
      this.word = ""; // what most pieces are: a dialogue, a conversation or a pair
      this.pieces = []; // {isConversation, items: [{position, unit, number, isOnly, turn, steps, state, unsure, ...}]}
      this.screens = new Map(); // position -> {place: that of its piece, start: that of its first item there}
      this.offsets = [0];
      this.drawn = [0, 0];
      this.current = { position: null, item: 0, step: 1 };
      this.scroll = this.part("scroll");
      this.form = this.part("form");
      this.field = this.form.querySelector("input");
      this.listen();
    }

    part(name) {
      return this.root.querySelector(`[data-strip-${name}]`);
    }

    listen() {
      this.scroll.addEventListener("scroll", () => this.draw(), { passive: true });
      this.scroll.addEventListener("click", (event) => this.onClick(event));
      this.scroll.addEventListener("keydown", (event) => this.onKey(event));
      this.part("open").addEventListener("click", () => this.toggle());
      this.part("goto").addEventListener("click", () => this.openField());
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.jumpTo(this.field.value);
      });
      this.form.addEventListener("keydown", (event) => {
        event.stopPropagation(); // digits are a number here, not an answer
        if (event.key === "Escape") this.closeField();
      });
      this.root.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && this.isOpen) this.toggle(false);
      });
      narrow.addEventListener("change", () => this.measure());
      addEventListener("resize", () => this.draw());
    }

    load() {
      this.loaded = this.fetchAll();
      return this.loaded;
    }

    // Offline or signed out there is no strip, and the work goes on without it. Returns how many steps are done.
    async fetchAll() {
      try {
        const response = await fetch(this.root.dataset.url, { credentials: "same-origin" });
        if (!response.ok || response.redirected) return null;
        const found = await response.json();
        this.take(found);
        return found.done;
      } catch {
        return null; // the next page asks again
      }
    }

    take({ word, units, shapes, screens }) {
      this.word = word;
      this.pieces = [];
      this.screens = new Map();
      screens.forEach(([position, shape, letters, number, turn]) => {
        const place = number ? number - 1 : this.pieces.length;
        this.pieces[place] ??= { isConversation: Boolean(number), items: [] };
        const { items } = this.pieces[place];
        this.screens.set(String(position), { place, start: items.length });
        const numbers = {};
        [...letters].forEach((letter, at) => {
          const [unit, steps] = shapes[shape][at];
          numbers[unit] = (numbers[unit] ?? 0) + 1;
          const isOnly = shapes[shape].filter(([each]) => each === unit).length === 1;
          items.push({ position, unit: units[unit], number: numbers[unit], isOnly, turn, steps, ...decode(letter) });
        });
      });
      this.drafts.places.forEach((each) => {
        const item = this.itemAt(each.position, each.at);
        if (item) item.unsaved = true;
      });
      this.root.hidden = this.pieces.length === 0;
      this.measure();
      this.pending?.forEach((dialogue) => this.refresh(dialogue));
      this.pending = null;
      this.reveal();
    }

    // The item on a screen, by its place there.
    itemAt(position, at) {
      const screen = this.screens.get(String(position));
      return screen && this.pieces[screen.place].items[screen.start + at];
    }

    // --- what is in view ---------------------------------------------------------------------------
    extent({ items }) {
      return narrow.matches ? GAP + ROW * Math.ceil(items.length / IN_ROW) : HEAD + ITEM * items.length + GAP;
    }

    // Where one item begins and ends. With the first one comes the number of its piece.
    extentOf(place, at) {
      const start = this.offsets[place];
      if (narrow.matches) return [start + ROW * Math.floor(at / IN_ROW), start + ROW * (Math.floor(at / IN_ROW) + 1)];
      return [at ? start + HEAD + ITEM * at : start, start + HEAD + ITEM * (at + 1)];
    }

    measure() {
      this.offsets = [0];
      this.pieces.forEach((piece, at) => this.offsets.push(this.offsets[at] + this.extent(piece)));
      this.drawn = [0, 0];
      this.draw();
    }

    // From right to left, what is scrolled away counts below nought.
    get scrolled() {
      return narrow.matches ? this.scroll.scrollTop : Math.abs(this.scroll.scrollLeft);
    }

    placeAt(offset) {
      const found = this.offsets.findIndex((each) => each > offset);
      return Math.max(0, (found < 0 ? this.pieces.length : found) - 1);
    }

    draw() {
      if (!this.pieces.length) return;
      showEnds(this.scroll);
      const size = narrow.matches ? this.scroll.clientHeight : this.scroll.clientWidth;
      const from = this.placeAt(this.scrolled - MARGIN);
      const to = Math.min(this.pieces.length, this.placeAt(this.scrolled + size + MARGIN) + 1);
      if (from === this.drawn[0] && to === this.drawn[1]) return;
      this.drawn = [from, to];
      const focused = this.scroll.contains(document.activeElement) ? document.activeElement.dataset.at : null;
      const groups = this.pieces.slice(from, to).map((piece, at) => this.group(piece, from + at));
      const whole = this.offsets.at(-1);
      this.scroll.replaceChildren(this.space(this.offsets[from]), ...groups, this.space(whole - this.offsets[to]));
      if (focused) this.scroll.querySelector(`[data-at="${focused}"]`)?.focus({ preventScroll: true });
    }

    space(size) {
      const element = document.createElement("div");
      element.style[narrow.matches ? "blockSize" : "inlineSize"] = `${size}px`;
      element.className = "strip-space";
      return element;
    }

    group(piece, place) {
      const group = document.createElement("div");
      group.className = "strip-piece";
      const number = Object.assign(document.createElement("span"), { className: "strip-number", textContent: place + 1 });
      number.setAttribute("aria-hidden", "true");
      group.append(number, ...piece.items.map((item, at) => this.button(item, place, at)));
      return group;
    }

    button(item, place, at) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "strip-item";
      button.dataset.at = `${place}.${at}`;
      this.dress(button, item, place, at);
      return button;
    }

    // Never by colour alone: a sign stands for what is most worth knowing.
    dress(button, item, place, at) {
      const isCurrent = this.isCurrent(place, at);
      const marks = [
        [item.unsure, gettext("unsure")],
        [item.flagged, gettext("flagged")],
        [item.changed, gettext("changed")],
        [item.unsaved, gettext("not saved yet")],
      ];
      const said = [SAID[item.state], ...marks.filter(([has]) => has).map(([, word]) => word)].join(", ");
      button.dataset.state = item.state;
      button.toggleAttribute("data-unsure", item.unsure);
      button.toggleAttribute("data-flagged", item.flagged);
      button.toggleAttribute("data-unsaved", Boolean(item.unsaved));
      button.textContent = `${item.flagged ? "⚑" : ""}${item.unsure ? "?" : ""}` || (item.state === "done" ? "✓" : at + 1);
      button.ariaLabel = `${nameOf(this.pieces[place], item, place + 1)}: ${said}`;
      button.title = button.ariaLabel;
      button.tabIndex = isCurrent ? 0 : -1;
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }

    redress(place) {
      this.pieces[place].items.forEach((item, at) => {
        const button = this.scroll.querySelector(`[data-at="${place}.${at}"]`);
        if (button) this.dress(button, item, place, at);
      });
    }

    // --- where one is ------------------------------------------------------------------------------
    isCurrent(place, at) {
      const here = this.screens.get(String(this.current.position));
      return here?.place === place && here.start + this.current.item === at;
    }

    itemsOf(dialogue) {
      return [...new Set([...dialogue.querySelectorAll("[data-item].part")].map((each) => each.dataset.item))];
    }

    show(dialogue, item, step) {
      const before = this.screens.get(String(this.current.position));
      this.current = { position: dialogue.dataset.position, item: this.itemsOf(dialogue).indexOf(item), step: Number(step) };
      if (!this.pieces.length) return;
      if (before) this.redress(before.place);
      this.reveal();
    }

    reveal() {
      const here = this.screens.get(String(this.current.position));
      if (!here) return;
      const { place } = here;
      const size = narrow.matches ? this.scroll.clientHeight : this.scroll.clientWidth;
      const [start, end] = this.extentOf(place, here.start + this.current.item);
      if (start - FADE < this.scrolled || end + FADE > this.scrolled + size) {
        const to = Math.max(0, start - size / 3);
        if (narrow.matches) this.scroll.scrollTop = to;
        else this.scroll.scrollLeft = document.documentElement.dir === "rtl" ? -to : to;
      }
      this.draw();
      this.redress(place);
      const isOnly = this.pieces[place].items.length === 1;
      this.part("place").textContent = isOnly ? place + 1 : `${place + 1}.${here.start + this.current.item + 1}`; // as one types it
    }

    // --- what was just said on this device ---------------------------------------------------------
    refresh(dialogue) {
      const { position } = dialogue.dataset;
      if (!this.screens.has(position)) {
        this.pending = new Set([...(this.pending ?? []), dialogue]);
        return;
      }
      const questions = this.questionsOf(dialogue);
      this.itemsOf(dialogue).forEach((token, at) => {
        const item = this.itemAt(position, at);
        const asked = questions.filter((each) => each.item === token && each.isAsked);
        const isDone = asked.every((each) => each.known);
        item.state = isDone ? "done" : asked.some((each) => each.known) ? "partly" : "open";
        item.unsaved = asked.some((each) => each.isUnsaved);
        item.unsure = this.marks.of(token).unsure;
        item.flagged = this.marks.isFlagged(token);
      });
      this.redress(this.screens.get(position).place);
    }

    // An answer of before was changed.
    noteChange(dialogue, token) {
      const item = this.itemAt(dialogue.dataset.position, this.itemsOf(dialogue).indexOf(token));
      if (item) item.changed = true;
    }

    // --- the ways ----------------------------------------------------------------------------------
    // To the question that is on screen now, of the other item, where each question is a step of its own.
    jump(place, at) {
      const item = this.pieces[place].items[at];
      const here = this.itemAt(this.current.position, this.current.item);
      const nth = Math.max(0, here && here.unit === item.unit ? here.steps.indexOf(this.current.step) : 0);
      this.toggle(false);
      this.go(String(item.position), item.steps[nth] ?? item.steps[0]);
    }

    onClick(event) {
      const button = event.target.closest(".strip-item");
      if (button) this.jump(...button.dataset.at.split(".").map(Number));
    }

    onKey(event) {
      const button = event.target.closest(".strip-item");
      if (!button || event.ctrlKey || event.metaKey || event.altKey) return;
      const isRtl = document.documentElement.dir === "rtl";
      const steps = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1, ArrowDown: 1, ArrowUp: -1 };
      if (event.key === "Enter" || event.key === " ") event.stopPropagation(); // the button's own
      const by = steps[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const buttons = [...this.scroll.querySelectorAll(".strip-item")];
      const next = buttons[buttons.indexOf(button) + by];
      next?.focus();
    }

    get isOpen() {
      return this.root.hasAttribute("data-open");
    }

    toggle(isOpen = !this.isOpen) {
      if (isOpen === this.isOpen) return;
      this.root.toggleAttribute("data-open", isOpen);
      this.part("open").setAttribute("aria-expanded", String(isOpen));
      this.drawn = [0, 0];
      this.reveal();
      if (isOpen) (this.scroll.querySelector("[aria-current]") ?? this.scroll.querySelector("button"))?.focus();
      else if (this.scroll.contains(document.activeElement)) this.part("open").focus();
    }

    openField() {
      this.root.hidden = false; // what is typed next is a number, also before the items are here
      this.before = document.activeElement;
      this.form.hidden = false;
      this.part("goto").setAttribute("aria-expanded", "true");
      this.part("error").hidden = true;
      this.field.value = "";
      this.field.focus();
    }

    closeField() {
      this.form.hidden = true;
      this.part("goto").setAttribute("aria-expanded", "false");
      this.field.blur(); // a hidden field still hears keys until the next frame
      this.before?.focus({ preventScroll: true });
    }

    // "12" is a piece, and leads to its first item that is not answered; "12.3" is its third item.
    async jumpTo(text) {
      await this.loaded;
      const [, first, second] = text.trim().match(/^(\d{1,6})(?:[.,/ ](\d{1,4}))?$/) ?? [];
      const items = this.pieces[Number(first) - 1]?.items;
      const open = items?.findIndex((item) => item.state !== "done");
      const at = second ? Number(second) - 1 : Math.max(0, open ?? 0);
      if (!items?.[at]) {
        this.part("error").textContent = whyNot(this.word, this.pieces.length, [first, second], items);
        this.part("error").hidden = false;
        this.field.setAttribute("aria-invalid", "true");
        this.field.focus();
        return;
      }
      this.field.removeAttribute("aria-invalid");
      this.closeField();
      this.jump(Number(first) - 1, at);
    }

    // True when the key was ours.
    takeKey(key) {
      if (key.toLowerCase() !== "g") return false;
      this.openField();
      return true;
    }
  }

  window.Parley = { ...window.Parley, Strip };
})();
