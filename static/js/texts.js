// Texts of dialogues: all as typed or all formatted, all long ones whole. Remembered for the tab, since the next dialogue
// comes at once. Nothing of it is reported: how somebody reads is no answer.
(() => {
  "use strict";
  const KEY = "parley-texts";
  const root = document.documentElement;
  const texts = () => [...document.querySelectorAll(".text-more")];
  const read = () => {
    try {
      return sessionStorage.getItem(KEY);
    } catch {
      return null; // storage is blocked: the choice lasts as long as the page
    }
  };
  const write = (value) => {
    try {
      sessionStorage.setItem(KEY, value);
    } catch {
      // as above
    }
  };

  const isRaw = () => root.dataset.texts === "raw";
  const isWhole = () => texts().every((each) => each.open);

  // Only where it is not so already: this runs after every change of the page, its own among them.
  const set = (element, name, value) => element[name] !== value && (element[name] = value);
  const tell = () => {
    const found = { raw: Boolean(document.querySelector(".text-raw")), all: Boolean(texts().length) };
    const areWhole = found.all && isWhole();
    document.querySelectorAll("[data-text-tools]").forEach((tools) => {
      set(tools, "hidden", !found.raw && !found.all);
      for (const name of ["raw", "all"]) {
        const button = tools.querySelector(`[data-text-${name}]`);
        set(button, "hidden", !found[name]);
      }
      set(tools.querySelector("[data-text-raw]"), "ariaPressed", String(isRaw()));
      set(tools.querySelector("[data-when-folded]"), "hidden", areWhole);
      set(tools.querySelector("[data-when-whole]"), "hidden", !areWhole);
    });
  };

  // What was read stays where it was: a formatted text has another height than the typed one.
  const keepPlace = (change) => {
    const middle = innerHeight / 3;
    const anchor = [...document.querySelectorAll(".text")].find((each) => each.getBoundingClientRect().bottom > middle);
    const before = anchor?.getBoundingClientRect().top;
    change();
    if (anchor && before < 0) anchor.scrollIntoView({ block: "start" });
  };

  const toggleRaw = () => {
    if (!document.querySelector(".text-raw")) return false;
    keepPlace(() => (root.dataset.texts = isRaw() ? "formatted" : "raw"));
    write(root.dataset.texts);
    tell();
    return true;
  };

  const toggleWhole = () => {
    if (!texts().length) return false;
    const isOpen = !isWhole();
    texts().forEach((each) => (each.open = isOpen));
    tell();
    return true;
  };

  const isTyping = (target) =>
    target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox])");

  // On the window, after what the page itself does with keys: a reason may have this letter.
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (!event.target.matches || isTyping(event.target)) return;
    if (document.querySelector("[data-keys-off], dialog[open]")) return;
    const isDone = (event.key === "m" && toggleRaw()) || (event.key === "M" && toggleWhole());
    if (isDone) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-text-raw]")) toggleRaw();
    else if (event.target.closest("[data-text-all]")) toggleWhole();
  });
  // The typed and the formatted text are one: what was opened in either is open in both.
  document.addEventListener(
    "toggle",
    (event) => {
      if (!event.target.matches(".text-more")) return;
      const { open } = event.target;
      event.target.closest(".text")?.querySelectorAll(".text-more").forEach((each) => (each.open = open));
      tell();
    },
    true,
  );

  root.dataset.texts = read() ?? "formatted";
  tell();
  new MutationObserver(tell).observe(document.body, { childList: true, subtree: true });
  window.Parley = { ...window.Parley, toggleRaw, toggleWhole };
})();
