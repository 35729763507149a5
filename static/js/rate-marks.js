// What an annotator says of an item beside the answers: that they are unsure about it, or that something is wrong with it.
//
// Marks go through the outbox of the answers, so that one given offline is not lost. The page that has them says which item
// is in question (`show`) and is told of every change (`onChange`).
(() => {
  "use strict";
  const NONE = { unsure: false, reason: "", words: "" };
  const part = (name, within = document) => within.querySelector(`[data-${name}]`);

  class Marks {
    constructor({ outbox, onChange = () => {}, announce = () => {} }) {
      this.outbox = outbox;
      this.onChange = onChange;
      this.announce = announce;
      this.known = new Map(); // item -> how its marks stand
      this.item = "";
      this.name = "";
      this.tools = part("mark-tools");
      this.dialog = part("flag-dialog");
      this.form = this.dialog.querySelector("form");
      this.listen();
    }

    listen() {
      part("mark-unsure").addEventListener("click", () => this.toggleUnsure());
      part("mark-flag").addEventListener("click", () => this.openFlag());
      part("flag-cancel").addEventListener("click", () => this.dialog.close());
      part("flag-back").addEventListener("click", () => this.takeFlagBack());
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.flag();
      });
      this.form.addEventListener("change", () => this.forgetMistakes());
      this.dialog.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.flag();
        else if (!event.ctrlKey && !event.metaKey && !event.altKey && !event.target.matches("textarea")) this.choose(event);
      });
      // A press beside the dialog closes it, as Escape does: once it has ended, or its end would reach what lies beneath.
      this.dialog.addEventListener("pointerdown", (event) => (this.isBeside = event.target === this.dialog));
      this.dialog.addEventListener("click", (event) => this.isBeside && event.target === this.dialog && this.dialog.close());
    }

    // --- how they stand ---------------------------------------------------------------------------
    of(item) {
      return this.known.get(item) ?? NONE;
    }

    isFlagged(item) {
      return this.of(item).reason !== "";
    }

    // A flagged item needs no answer, where the protocol says so.
    isSkipped(item) {
      return this.skipsFlagged && this.isFlagged(item);
    }

    get skipsFlagged() {
      return this.dialog.hasAttribute("data-skips");
    }

    get isOpen() {
      return this.dialog.open;
    }

    // The server's marks are in the page of a dialogue; over them come those it has not acknowledged.
    restore(dialogue) {
      const own = JSON.parse(dialogue.dataset.marks || "{}");
      Object.entries(own).forEach(([item, mark]) => this.known.set(item, { ...NONE, ...mark }));
      this.outbox
        .entries()
        .filter((entry) => entry.kind === "mark")
        .forEach((entry) => this.known.set(entry.item, this.after(entry)));
    }

    after(entry) {
      const before = this.of(entry.item);
      if (entry.mark === "unsure") return { ...before, unsure: entry.is_set };
      return { ...before, reason: entry.is_set ? entry.reason : "", words: entry.is_set ? entry.words : "" };
    }

    save(entry) {
      const sent = { kind: "mark", item: this.item, reason: "", words: "", ...entry };
      this.known.set(this.item, this.after(sent));
      this.outbox.add(sent);
      this.showState();
      this.onChange(this.item);
    }

    // Refused as it is: the server's word stands.
    refused(entry) {
      const before = this.of(entry.item);
      this.known.set(entry.item, entry.mark === "unsure" ? { ...before, unsure: !entry.is_set } : { ...before, reason: "", words: "" });
      this.showState();
      this.onChange(entry.item);
    }

    // --- the item in question ------------------------------------------------------------------------
    show(item, name = "") {
      this.item = item;
      this.name = name;
      this.tools.hidden = false;
      this.showState();
    }

    showState() {
      part("mark-unsure").setAttribute("aria-pressed", String(this.of(this.item).unsure));
      part("mark-flag").setAttribute("aria-pressed", String(this.isFlagged(this.item)));
    }

    toggleUnsure() {
      const isSet = !this.of(this.item).unsure;
      this.save({ mark: "unsure", is_set: isSet });
      this.announce(isSet ? gettext("Marked as unsure.") : gettext("No longer marked as unsure."));
    }

    openFlag() {
      const { reason, words } = this.of(this.item);
      this.form.reset();
      this.form.querySelectorAll("[type=radio]").forEach((radio) => (radio.checked = radio.value === reason));
      this.form.elements["flag-words"].value = words;
      part("flag-name").textContent = this.name;
      part("flag-back").hidden = !reason;
      this.dialog.querySelectorAll("[data-if-flagged]").forEach((each) => (each.hidden = (each.dataset.ifFlagged === "yes") !== Boolean(reason)));
      this.forgetMistakes();
      this.dialog.showModal();
      (this.form.querySelector("[type=radio]:checked") ?? this.form.querySelector("[type=radio]")).focus();
    }

    // The number on a reason.
    choose(event) {
      const radio = this.dialog.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
      if (!radio || document.querySelector("[data-keys-off]")) return;
      event.preventDefault();
      radio.checked = true;
      this.forgetMistakes();
      (radio.value === "other" ? this.form.elements["flag-words"] : radio).focus();
    }

    flag() {
      const reason = this.form.querySelector("[type=radio]:checked")?.value ?? "";
      const words = this.form.elements["flag-words"].value.trim();
      this.forgetMistakes();
      if (!reason) {
        this.showMistake("reason", gettext("Choose what is wrong with it."), this.form.querySelector("[type=radio]"));
      } else if (reason === "other" && !words) {
        this.showMistake("words", gettext("Say in your own words what is wrong."), this.form.elements["flag-words"]);
      } else {
        this.dialog.close();
        this.save({ mark: "flag", is_set: true, reason, words });
        const skips = this.isSkipped(this.item);
        this.announce(skips ? gettext("Flagged. You can continue without an answer.") : gettext("Flagged."));
      }
    }

    takeFlagBack() {
      this.dialog.close();
      this.save({ mark: "flag", is_set: false });
      this.announce(gettext("Flag removed."));
    }

    showMistake(field, sentence, control) {
      const line = this.dialog.querySelector(`[data-flag-error="${field}"]`);
      line.textContent = sentence;
      line.hidden = false;
      control.setAttribute("aria-invalid", "true");
      control.focus();
    }

    forgetMistakes() {
      const isOther = this.form.querySelector("[type=radio]:checked")?.value === "other";
      part("flag-required").hidden = !isOther;
      part("flag-optional").hidden = isOther;
      this.dialog.querySelectorAll("[data-flag-error]").forEach((line) => (line.hidden = true));
      this.dialog.querySelectorAll("[aria-invalid]").forEach((control) => control.removeAttribute("aria-invalid"));
    }

    // True when the key was one of ours. A small letter may be a reason's: then the page asks this after that.
    takeKey(key) {
      if (!this.item || !["f", "u"].includes(key.toLowerCase())) return false;
      if (key.toLowerCase() === "f") this.openFlag();
      else this.toggleUnsure();
      return true;
    }
  }

  window.Parley = { ...window.Parley, Marks };
})();
