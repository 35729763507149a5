// Adding, removing, duplicating and moving the parts of a protocol: by buttons, by keyboard and by dragging.
(() => {
  "use strict";
  const { build, fieldOf, itemsOf, outer, read, titleOf, valueOf } = window.Parley.Form;

  // What a new part begins with; the server's defaults for what is left out.
  const BLANK = {
    criterion: { kind: "single", scale: "nominal", required: true, unit: "" },
    option: { role: "neutral", asks: "nothing" },
    explanation: {},
    example: { option: "", history: [{ speaker: "A", text: "" }], candidates: [{ text: "", option: "", explanations: [], why: "" }] },
    turn: {},
    candidate: { option: "", explanations: [], why: "" },
    condition: "",
    notice: "",
    fact: "",
  };
  // Translators: "answer" are answers to a question like "How well is it written?".
  const POINTS = [
    pgettext("answer", "Very poor"),
    pgettext("answer", "Poor"),
    pgettext("answer", "Fair"),
    pgettext("answer", "Good"),
    pgettext("answer", "Very good"),
  ];
  const UNSURE = { label: pgettext("answer", "I don’t know"), key: "unsure", role: "unsure", asks: "nothing" };
  const YES = { label: pgettext("answer", "Yes"), key: "yes", role: "positive", asks: "nothing" };
  const NO = { label: pgettext("answer", "No"), key: "no", role: "negative", asks: "nothing" };
  // Points from 1 up: those below the middle are bad, those above it good.
  const points = (labels) => {
    const middle = (labels.length + 1) / 2;
    const role = (value) => (value < middle ? "negative" : value > middle ? "positive" : "neutral");
    return labels.map((label, at) => ({ label, key: String(at + 1), value: at + 1, role: role(at + 1), asks: "nothing" }));
  };
  const numbers = (n) => Array.from({ length: n }, (_, at) => String(at + 1));
  const RESPONSE_SIDES = [pgettext("answer", "Response 1"), pgettext("answer", "Response 2")];
  const DIALOGUE_SIDES = [pgettext("answer", "Dialogue 1"), pgettext("answer", "Dialogue 2")];
  const SCALES = {
    five: ["ordinal", points(POINTS)],
    seven: ["ordinal", points(numbers(7))],
    ten: ["ordinal", points(numbers(10))],
    yes_no: ["nominal", [YES, NO, UNSURE]],
    sides: [
      "nominal",
      [
        { label: RESPONSE_SIDES[0], key: "first", role: "left", asks: "nothing" },
        { label: pgettext("answer", "Both are equally good"), key: "equal", role: "equal", asks: "nothing" },
        { label: RESPONSE_SIDES[1], key: "second", role: "right", asks: "nothing" },
        { label: pgettext("answer", "Both are bad"), key: "both_bad", role: "both_bad", asks: "nothing" },
      ],
    ],
  };

  const WITH_ENDS = new Set(["five", "seven", "ten"]);
  const OFF_SCALE = ["unsure", "excluding"];

  // A point with the words of another. A number at their beginning is that of the point.
  const worded = (point, node) => {
    const { label, definition, conditions } = read(node);
    const [, rest] = label.trim().match(/^-?\d+(?!\d)(.*)$/s) ?? [undefined, null];
    const said = rest === null ? label : `${point.value}${rest}`;
    return { ...point, label: rest?.trim() === "" ? point.label : said, definition, conditions };
  };

  // Translators: %(title)s is a part of a protocol, as "answer 2" or "criterion 1 “Fluency”".
  const added = (title) => interpolate(gettext("Added %(title)s."), { title }, true);
  const removed = (title) => interpolate(gettext("Removed %(title)s."), { title }, true);
  const duplicated = (title) => interpolate(gettext("Duplicated %(title)s."), { title }, true);
  const moved = (title) => interpolate(gettext("Moved: now %(title)s."), { title }, true);
  const replaced = (n) => interpolate(ngettext("Replaced %(n)s answer.", "Replaced %(n)s answers.", n), { n }, true);

  class Moves {
    // `changed` is called after every change, `say` with what a screen reader should hear.
    constructor(root, changed, say) {
      Object.assign(this, { root, changed, say });
      root.addEventListener("click", (event) => this.onClick(event));
      root.addEventListener("change", (event) => this.onChange(event));
      root.addEventListener("keydown", (event) => this.onKey(event));
      root.addEventListener("dragstart", (event) => this.onDragStart(event));
      root.addEventListener("dragover", (event) => this.onDragOver(event));
      root.addEventListener("drop", (event) => this.onDrop(event));
      root.addEventListener("dragend", () => this.onDragEnd());
    }

    onClick(event) {
      const button = event.target.closest("button");
      if (!button) return;
      const { add, scale } = button.dataset;
      if (add) this.add(button.closest("[data-list]"));
      else if (scale) this.scale(button.closest("[data-list]"), scale);
      else if (button.dataset.do) this[button.dataset.do](button.closest("[data-node]"), button);
    }

    // Ready-made answers are called as the sides are, unless somebody has named them.
    onChange(event) {
      if (event.target !== fieldOf(this.root, "granularity")) return;
      const [others, names] = this.isOfDialogues ? [RESPONSE_SIDES, DIALOGUE_SIDES] : [DIALOGUE_SIDES, RESPONSE_SIDES];
      for (const field of this.root.querySelectorAll('[data-field="label"]')) {
        const side = others.indexOf(field.value);
        if (side >= 0) field.value = names[side];
      }
      this.changed();
    }

    get isOfDialogues() {
      return valueOf(this.root, "granularity") === "dialogue";
    }

    // The answers of a ready-made scale, called as the sides of this protocol are.
    answersOf(name) {
      const [scale, options] = SCALES[name];
      if (!this.isOfDialogues) return [scale, options];
      const named = (label) => DIALOGUE_SIDES[RESPONSE_SIDES.indexOf(label)] ?? label;
      return [scale, options.map((each) => ({ ...each, label: named(each.label) }))];
    }

    onKey(event) {
      const isMove = event.altKey && ["ArrowUp", "ArrowDown"].includes(event.key);
      const node = isMove && event.target.closest("[data-node]");
      if (!node || node === this.root || event.target.matches("select")) return;
      event.preventDefault();
      this[event.key === "ArrowUp" ? "up" : "down"](node, event.target);
    }

    // --- one part -----------------------------------------------------------------------------------
    add(list) {
      const { kind } = list.dataset;
      const data = kind === "turn" ? this.nextTurn(list) : BLANK[kind];
      const node = build(kind, data);
      list.querySelector("[data-items]").append(node);
      this.changed();
      this.enter(node);
      this.say(added(titleOf(node)));
    }

    // Two people take turns: the one after the last is whoever spoke before it.
    nextTurn(list) {
      const turns = itemsOf(list);
      const speaker = valueOf(turns.at(-2) ?? list.closest("[data-node]"), "speaker");
      return { speaker: speaker || (turns.length ? "B" : "A"), text: "" };
    }

    // The first field that is still to be filled in.
    enter(node) {
      const fields = [...node.querySelectorAll("input:not([type=number]), textarea")].filter((each) => each.offsetParent);
      (fields.find((each) => !each.value) ?? fields[0]).focus();
      node.scrollIntoView({ block: "nearest" });
    }

    remove(node) {
      this.putBack(node, removed(titleOf(node)), () => node.remove(), (strip) => strip.replaceWith(node));
    }

    // A line in the place of what went, with a button that brings it back.
    putBack(place, sentence, remove, restored) {
      const strip = Object.assign(document.createElement("p"), { className: "edit-undo small" });
      const button = Object.assign(document.createElement("button"), { type: "button", className: "inline outline", textContent: gettext("Undo") });
      strip.append(`${sentence} `, button);
      place.before(strip);
      remove();
      button.addEventListener("click", () => {
        restored(strip);
        strip.remove();
        this.changed();
        this.say(gettext("Restored."));
        if (place.isConnected) this.enter(place);
      });
      this.changed();
      button.focus();
      this.say(sentence);
    }

    duplicate(node) {
      const data = { ...read(node), key: "" };
      const named = { criterion: "name", option: "label", example: "title" }[node.dataset.node];
      data[named] = interpolate(gettext("%(name)s (copy)"), { name: data[named] ?? "" }, true).trim();
      const copy = build(node.dataset.node, data);
      node.after(copy);
      this.changed();
      fieldOf(copy, named).focus();
      fieldOf(copy, named).select();
      this.say(duplicated(titleOf(node)));
    }

    toggle(node, button) {
      const body = node.querySelector("[data-body]");
      body.hidden = !body.hidden;
      button.setAttribute("aria-expanded", String(!body.hidden));
    }

    up(node, control) {
      const other = this.beside(node, -1);
      if (other) this.move(node, () => other.before(node), control);
    }

    down(node, control) {
      const other = this.beside(node, 1);
      if (other) this.move(node, () => other.after(node), control);
    }

    beside(node, step) {
      const all = [...node.parentElement.children].filter((each) => each.matches("[data-node]"));
      return all[all.indexOf(node) + step];
    }

    move(node, act, control) {
      act();
      this.changed();
      // A button at the end of its way is disabled now: its neighbour takes the focus.
      const focused = control.disabled ? node.querySelector(`[data-do="${control.dataset.do === "up" ? "down" : "up"}"]`) : control;
      focused.focus();
      node.scrollIntoView({ block: "nearest" });
      this.say(moved(titleOf(node)));
    }

    // --- answers ready made ---------------------------------------------------------------------------
    scale(list, name) {
      const before = itemsOf(list);
      if (name === "unsure") {
        const isTaken = before.some((each) => valueOf(each, "key") === UNSURE.key);
        list.querySelector("[data-items]").append(build("option", { ...UNSURE, key: isTaken ? "" : UNSURE.key }));
        this.changed();
        return;
      }
      const [scale, options] = this.answersOf(name);
      const isBlank = before.every((each) => !valueOf(each, "label"));
      if (isBlank) {
        this.enter(this.putAnswers(list, scale, options)[0]);
        return;
      }
      const ends = WITH_ENDS.has(name) ? this.endsOf(list) : [];
      const kept = options.map((each, at) => (ends.length && at === 0 ? worded(each, ends[0]) : ends.length && at === options.length - 1 ? worded(each, ends[1]) : each));
      this.replaceAnswers(list, scale, kept, replaced(before.length), ends);
    }

    // The fields that ready-made answers set with them. Those of two sides make sense in a comparison only.
    fieldsWith(list, scale, options) {
      const node = outer(list);
      const wanted = [[fieldOf(node, "scale"), scale]];
      if (!options.some((each) => each.role === "left")) return wanted;
      const isOwn = valueOf(this.root, "unit") !== "comparison";
      return [...wanted, [fieldOf(node, "kind"), "single"], [fieldOf(node, "unit"), isOwn ? "comparison" : ""], [fieldOf(this.root, "mode"), "comparative"]];
    }

    // The lowest and the highest answer of a scale.
    endsOf(list) {
      if (valueOf(outer(list), "scale") === "nominal") return [];
      const points = itemsOf(list).filter((each) => valueOf(each, "label") && !OFF_SCALE.includes(valueOf(each, "role")));
      if (points.length < 2) return [];
      const ends = [points[0], points.at(-1)];
      const [first, last] = ends.map((each) => Number(valueOf(each, "value")));
      return first > last ? ends.reverse() : ends;
    }

    putAnswers(list, scale, options) {
      const made = options.map((each) => build("option", each));
      list.querySelector("[data-items]").replaceChildren(...made);
      this.fieldsWith(list, scale, options).forEach(([control, value]) => (control.value = value));
      this.changed();
      return made;
    }

    // Those that were there come back with the scale they had. Examples of its ends are examples of the new ones.
    replaceAnswers(list, scale, options, sentence, ends = []) {
      const items = list.querySelector("[data-items]");
      const before = [...items.children];
      const kept = this.fieldsWith(list, scale, options).map(([control]) => [control, control.value]);
      let pairs = [];
      const go = () => {
        const made = this.putAnswers(list, scale, options);
        pairs = ends.map((each, at) => [each.uid, (at ? made.at(-1) : made[0]).uid]);
        this.relink(list, pairs);
      };
      const back = () => {
        items.replaceChildren(...before);
        kept.forEach(([control, value]) => (control.value = value));
        this.relink(list, pairs.map(([from, to]) => [to, from]));
      };
      this.putBack(items, [sentence, this.unfit(list, ends)].filter(Boolean).join(" "), go, back);
    }

    evaluations(list) {
      return [...outer(list).querySelectorAll('[data-node="example"] [data-type="option"]')].filter((each) => each.ref);
    }

    relink(list, pairs) {
      const to = new Map(pairs);
      this.evaluations(list).forEach((each) => (each.ref = to.get(each.ref) ?? each.ref));
    }

    // What examples say of the answers that go.
    unfit(list, ends) {
      const kept = ends.map((each) => each.uid);
      const lost = this.evaluations(list).filter((each) => !kept.includes(each.ref));
      const examples = [...new Set(lost.map((each) => titleOf(each.closest('[data-node="example"]'))))];
      if (!examples.length) return "";
      const said = gettext("Choose the evaluations again in: %(examples)s.");
      return interpolate(said, { examples: examples.join(pgettext("between two of a list", ", ")) }, true);
    }

    // --- dragging -----------------------------------------------------------------------------------------
    onDragStart(event) {
      const node = event.target.closest?.("[data-handle]")?.closest("[data-node]");
      if (!node) return;
      this.dragged = { node, after: node.nextSibling, list: node.parentElement, isDropped: false };
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", titleOf(node));
      event.dataTransfer.setDragImage(node, 20, 20);
      node.classList.add("dragged");
    }

    onDragOver(event) {
      if (!this.dragged) return;
      const { node, list } = this.dragged;
      if (!list.contains(event.target)) return;
      event.preventDefault();
      const over = [...list.children].find((each) => each.contains(event.target) && each !== node && each.matches("[data-node]"));
      if (!over) return;
      const { top, height } = over.getBoundingClientRect();
      const isLower = over.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
      // Past its middle only: two parts of different heights would change places for ever.
      if (isLower && event.clientY > top + height / 2) over.after(node);
      else if (!isLower && event.clientY < top + height / 2) over.before(node);
    }

    onDrop(event) {
      if (!this.dragged) return;
      event.preventDefault();
      this.dragged.isDropped = true;
    }

    // Let go elsewhere, or Escape: back to where it was.
    onDragEnd() {
      if (!this.dragged) return;
      const { node, after, list, isDropped } = this.dragged;
      this.dragged = null;
      node.classList.remove("dragged");
      if (!isDropped) list.insertBefore(node, after);
      this.changed();
      if (isDropped) this.say(moved(titleOf(node)));
    }
  }

  window.Parley = { ...window.Parley, Moves };
})();
