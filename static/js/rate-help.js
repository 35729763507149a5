// Guidelines for the active question beside it, and the list of keys: both come when asked, and Escape closes them.
(() => {
  "use strict";
  class Help {
    constructor({ root, active }) {
      this.root = root;
      this.active = active;
      this.dialog = root.querySelector("[data-keys]");
      const box = this.dialog.querySelector("[data-keys-on]");
      box.checked = active.usesKeys;
      active.usesKeys = box.checked;
      box.addEventListener("change", () => (active.usesKeys = box.checked));
      this.dialog.addEventListener("close", () => active.focus(active.question));
      root.addEventListener("click", (event) => this.onClick(event));
    }

    get toggle() {
      return this.root.querySelector("[data-guide-toggle]");
    }

    get isOpen() {
      return this.root.hasAttribute("data-guide-open");
    }

    onClick(event) {
      if (event.target.closest("[data-keys-open]")) this.dialog.showModal();
      if (event.target.closest("[data-guide-close]")) this.close();
      if (event.target.closest("[data-tools-toggle]")) this.toggleTools();
      else if (event.target.closest(".rate-bar :is(a, button)")) this.toggleTools(false);
      if (!event.target.closest("[data-guide-toggle]") || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (this.isOpen) this.close();
      else this.open();
    }

    // In a low window the line on top comes when asked.
    toggleTools(force) {
      const isOpen = this.root.toggleAttribute("data-tools-open", force);
      this.root.querySelector("[data-tools-toggle]").setAttribute("aria-expanded", String(isOpen));
    }

    // True when the key meant something here.
    onKey(key) {
      if (key === "Escape") return this.isOpen && (this.close(), true);
      if (!this.isOpen) this.open();
      else this.dialog.showModal();
      return true;
    }

    open() {
      this.root.setAttribute("data-guide-open", "");
      this.toggle.setAttribute("aria-expanded", "true");
      this.follow(this.active.question);
      this.active.view.again();
    }

    close() {
      this.root.removeAttribute("data-guide-open");
      this.toggle.setAttribute("aria-expanded", "false");
      this.shown = null;
      const section = this.root.querySelector("[data-guide-criterion]");
      section.hidden = true;
      this.root.querySelector("[data-guide-short]").hidden = false;
      this.active.focus(this.active.question);
      this.active.view.again();
    }

    // What is open speaks of the question that is active.
    async follow(question) {
      const pane = this.root.querySelector("[data-guide-pane]");
      if (!this.isOpen || (this.shown === question.criterion && pane === this.pane)) return;
      this.shown = question.criterion;
      this.pane = pane;
      const section = await this.sectionOf(question.criterion);
      if (this.shown !== question.criterion || !section) return;
      const place = pane.querySelector("[data-guide-criterion]");
      place.replaceChildren(section);
      place.hidden = false;
      pane.querySelector("[data-guide-short]").hidden = true;
      pane.scrollTop = 0;
    }

    // Fetched once, with the whole document. Offline before that, what the page has itself stays in view.
    async sectionOf(criterion) {
      try {
        this.document ??= await this.load();
      } catch {
        return null;
      }
      const section = this.document.getElementById(`criterion-${criterion}`)?.closest("section");
      const copy = section && document.importNode(section, true);
      copy?.querySelectorAll("[id]").forEach((each) => each.removeAttribute("id"));
      return copy;
    }

    async load() {
      const stored = document.querySelector("template[data-guidelines]");
      if (stored) return stored.content;
      const response = await fetch(this.root.dataset.guidelines, { credentials: "same-origin" });
      if (!response.ok || response.redirected) throw new Error(String(response.status));
      return new DOMParser().parseFromString(await response.text(), "text/html");
    }
  }

  window.Parley = { ...window.Parley, Help };
})();
