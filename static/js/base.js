// What every page has before anything is painted: the chosen theme, and the texts of scripts in the person's language.
(() => {
  "use strict";
  const KEY = "parley-theme";
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is blocked: the system's theme it is
    }
  };
  const current = () =>
    root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  if (["light", "dark"].includes(stored())) root.dataset.theme = stored();

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // the choice lasts as long as the page
    }
  });
})();

// A table or picture that goes on beyond its edge says so: touch screens hide their scroll bars until they are moved.
(() => {
  "use strict";
  const NEAR = 2; // rounding of a zoomed page
  const mark = (box) => {
    const place = Math.abs(box.scrollLeft); // from right to left it is negative
    box.classList.toggle("more-before", place > NEAR);
    box.classList.toggle("more-after", place < box.scrollWidth - box.clientWidth - NEAR);
  };
  const sizes = new ResizeObserver((seen) => {
    for (const { target } of seen) {
      const box = target.closest(".scroll");
      if (box) mark(box);
      else sizes.unobserve(target); // taken out of the page by one brought anew
    }
  });
  // The box, and what is in it: a fold that opens and a piece that is brought anew change either.
  const watch = (part) => {
    for (const box of [part.closest?.(".scroll"), ...part.querySelectorAll(".scroll")]) {
      if (!box) continue;
      sizes.observe(box);
      for (const inner of box.children) sizes.observe(inner);
    }
  };

  document.addEventListener("DOMContentLoaded", () => watch(document));
  document.addEventListener("htmx:load", (event) => watch(event.target.parentElement ?? event.target));
  const onScroll = (event) => {
    if (event.target.classList?.contains("scroll")) mark(event.target);
  };
  document.addEventListener("scroll", onScroll, { capture: true, passive: true });
})();

// The functions of Django's JavaScriptCatalog over a block of data in the page: no request more, and nothing inline that
// is run. Without the block every text is English.
(() => {
  "use strict";
  const OF = "\u0004"; // between a context and its message, as in the files of gettext
  let block = null;
  let catalog = {};

  // Looked for at each call: this file runs before the body is there.
  const found = (key) => {
    const now = document.getElementById("texts");
    if (now !== block) {
      block = now;
      catalog = now ? JSON.parse(now.textContent).catalog : {};
    }
    return Object.hasOwn(catalog, key) ? catalog[key] : undefined;
  };

  const isOne = (n) => new Intl.PluralRules(document.documentElement.lang || "en").select(n) === "one";
  const formFor = (forms, n) => (isOne(n) ? forms[0] : forms.at(-1));

  window.gettext = (msgid) => [found(msgid) ?? msgid].flat()[0];

  window.ngettext = (one, many, n) => {
    const text = found(one);
    if (text === undefined) return Number(n) === 1 ? one : many;
    return Array.isArray(text) ? formFor(text, Number(n)) : text;
  };

  window.pgettext = (context, msgid) => [found(context + OF + msgid) ?? msgid].flat()[0];

  window.interpolate = (text, values, isNamed = false) => {
    if (isNamed) return text.replace(/%\(\w+\)s/g, (match) => String(values[match.slice(2, -2)]));
    let at = 0;
    return text.replace(/%s/g, () => String(values[at++]));
  };
})();
