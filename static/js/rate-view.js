// What is on screen: the dialogue in its pane, the active question in the other, and marks that there is more.
//
// After every change the active question is whole inside its pane, and so is the beginning of what has to be read.
(() => {
  "use strict";
  const AIR = 8; // pixels around a question
  const LEAD = 0.35; // of the pane's height: as much of the turn before a long response stays above it
  const NEARLY = 24; // pixels from an end of the dialogue that are as good as the end
  const BEGINNING = 60; // pixels of a response that count as its beginning

  const narrow = matchMedia("(max-width: 56.25rem)");

  // Where an element is within what its pane scrolls.
  const placeIn = (pane, element) => {
    const top = element.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientTop + pane.scrollTop;
    return { top, bottom: top + element.offsetHeight };
  };

  // The height of what stays at the top of a pane, over what it scrolls.
  const stuckIn = (pane) => {
    const head = pane.querySelector(".sheet-head");
    return getComputedStyle(head).position === "sticky" ? head.offsetHeight : 0;
  };

  // Which ends of a strip have more beyond them: style sheets fade those.
  const showEnds = (strip) => {
    const before = Math.abs(strip.scrollLeft); // from right to left it counts below nought
    strip.toggleAttribute("data-before", before > 1);
    strip.toggleAttribute("data-after", before + strip.clientWidth < strip.scrollWidth - 1);
  };

  // Folded or open, as the annotator left it: a new dialogue does not open it again.
  class Folds {
    constructor() {
      this.open = new Map();
      document.addEventListener("toggle", (event) => this.note(event.target), true);
    }

    note(details) {
      if (details.dataset.fold && !this.isSetting) this.open.set(details.dataset.fold, details.open);
    }

    apply(within) {
      within.querySelectorAll("details[data-fold]").forEach((details) => {
        const isOpen = this.open.get(details.dataset.fold) ?? !narrow.matches;
        if (details.open === isOpen) return;
        details.open = isOpen;
      });
    }
  }

  class View {
    constructor(root) {
      this.root = root;
      this.folds = new Folds();
      // The window is one reason why a pane changes its size; a note that comes, the strip and a longer question are others.
      this.sizes = new ResizeObserver(() => this.again());
      root.addEventListener("scroll", (event) => event.target.matches?.("[data-context], [data-whole]") && this.onScroll(), true);
      root.addEventListener("click", (event) => this.onClick(event));
    }

    get pane() {
      return this.root.querySelector("[data-context]");
    }

    // What scrolls: the pane, or two dialogues that stand side by side in it and are too long.
    get scrolled() {
      const sides = [...(this.judged?.querySelectorAll("[data-whole]") ?? [])];
      const long = sides.filter((each) => each.scrollHeight > each.clientHeight);
      return long.length ? long : [this.pane];
    }

    onClick(event) {
      const more = event.target.closest("[data-more]");
      if (more) this.scrollPage(more.dataset.more === "above" ? -1 : 1);
      const draw = event.target.closest("[data-draw]");
      if (!draw) return;
      const isDrawn = this.root.toggleAttribute("data-drawn");
      draw.setAttribute("aria-expanded", String(isDrawn));
      this.again();
      this.question.element.focus({ preventScroll: true }); // keys are its own, whatever was pressed
    }

    lower() {
      this.root.removeAttribute("data-drawn");
      this.root.querySelectorAll("[data-draw]").forEach((each) => each.setAttribute("aria-expanded", "false"));
    }

    scrollPage(direction) {
      if (!this.pane) return;
      this.scrolled.forEach((each) => each.scrollBy({ top: direction * each.clientHeight * 0.85 }));
    }

    // Who scrolls is away or back. A pane that has just become smaller hides the text without anybody having scrolled.
    onScroll() {
      const { pane, judged } = this;
      if (judged && pane.clientHeight === this.height) this.isAway = !this.isInView(pane, judged);
      this.showMore();
    }

    // After the panes have changed: what has to be seen is seen again, and who reads further above stays there.
    again() {
      if (!this.question) return;
      this.reveal(this.question);
      if (!this.isAway) this.showJudged(this.question.item);
      else this.showMore();
    }

    // As much of the response as there is room for, from its beginning.
    showWhole(pane, judged) {
      const { top, bottom } = placeIn(pane, judged);
      pane.scrollTop = Math.max(pane.scrollTop, Math.min(bottom + AIR - pane.clientHeight, top));
    }

    // The active question, whole. One that is taller than the pane begins at its top, unless one writes further below.
    reveal(question) {
      this.question = question;
      const pane = question.element.closest("[data-questions]");
      if (!pane) return;
      const { top, bottom } = placeIn(pane, question.element);
      const height = pane.clientHeight;
      const above = AIR + stuckIn(pane);
      if (bottom + AIR <= height) pane.scrollTop = 0;
      else if (bottom - top + above + AIR > height) pane.scrollTop = top - above;
      else pane.scrollTop = Math.min(Math.max(pane.scrollTop, bottom + AIR - height), top - above);
      const text = document.activeElement;
      if (text.matches("textarea") && question.element.contains(text)) text.scrollIntoView({ block: "nearest" });
    }

    // The dialogue of a step. Opened anew it begins where reading begins: at the first turn, or, for a response, at it.
    open(dialogue, step, isNew) {
      if (isNew) this.folds.apply(dialogue);
      dialogue.querySelectorAll("[data-of-step]").forEach((each) => (each.hidden = each.dataset.ofStep !== step.dataset.step));
      if (isNew && this.pane) {
        this.pane.scrollTop = 0;
        this.ends = new WeakSet(); // of what scrolls, what has been on screen to its end
        this.sizes.disconnect();
        [this.pane, dialogue.querySelector("[data-questions]")].forEach((each) => this.sizes.observe(each));
      }
      this.isNew = isNew;
      this.showJudged(step.querySelector("[data-item]").dataset.item);
      this.isNew = false;
    }

    // The item in question stands in place, from its beginning. The place is kept while one reads in it.
    showJudged(item) {
      const { pane } = this;
      if (!pane) return;
      const before = this.judged;
      this.judged = null;
      pane.querySelectorAll("[data-judged]").forEach((each) => {
        each.hidden = each.dataset.judged !== item;
        if (!each.hidden) this.judged = each;
      });
      this.isBegun = this.judged === before; // one may read on further below its beginning
      if (this.judged) this.bringIn(pane, this.judged);
      if (this.judged && pane.clientHeight < this.height) this.showWhole(pane, this.judged);
      this.height = pane.clientHeight;
      this.isAway = false;
      this.showMore();
    }

    isInView(pane, judged) {
      const { top, bottom } = placeIn(pane, judged);
      const wanted = Math.min(bottom - top, BEGINNING, pane.clientHeight);
      const seen = Math.min(bottom, pane.scrollTop + pane.clientHeight) - Math.max(top, pane.scrollTop);
      return (this.isBegun || top >= pane.scrollTop) && seen >= wanted;
    }

    bringIn(pane, judged) {
      if (!this.isNew && this.isInView(pane, judged)) return;
      const { top, bottom } = placeIn(pane, judged);
      const height = pane.clientHeight;
      const above = judged.previousElementSibling?.lastElementChild?.offsetHeight ?? 0;
      const lead = Math.max(0, Math.min(above + AIR, height * LEAD, height - BEGINNING));
      pane.scrollTop = Math.max(0, Math.min(bottom + AIR - height, top - lead));
    }

    showMore() {
      const { pane } = this;
      if (!pane) return;
      const below = (each) => each.scrollHeight - each.clientHeight - each.scrollTop;
      const { scrolled } = this;
      scrolled.filter((each) => below(each) <= NEARLY).forEach((each) => this.ends.add(each));
      const context = pane.closest(".rate-context");
      this.hide(context.querySelector("[data-more=above]"), scrolled.every((each) => each.scrollTop <= NEARLY));
      const more = context.querySelector("[data-more=below]");
      this.hide(more, scrolled.every((each) => below(each) <= NEARLY));
      more.toggleAttribute("data-unseen", !scrolled.every((each) => this.ends.has(each)));
    }

    // A button that has led to an end of the dialogue goes: its focus would be nowhere.
    hide(button, isHidden) {
      if (isHidden && button === document.activeElement) this.pane.focus({ preventScroll: true });
      button.hidden = isHidden;
    }
  }

  window.Parley = { ...window.Parley, View, showEnds };
})();
