// Applies the chosen theme before the page is painted and lets the header's button change it.
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
