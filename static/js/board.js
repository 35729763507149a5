// Keeps the live board new: asks every second while somebody looks, every five when nobody does or nothing happens.
(() => {
  "use strict";
  const LIVE = 1000;
  const CALM = 5000;
  const IDLE_AFTER = 15 * 60 * 1000;
  const poller = document.getElementById("board-poller");
  const stale = document.getElementById("board-stale");
  let timer = 0;
  let lastNews = Date.now();

  const isLive = () => document.visibilityState === "visible" && Date.now() - lastNews < IDLE_AFTER;
  const poll = () => {
    htmx.trigger(poller, "board:poll");
    plan();
  };
  const plan = () => {
    clearTimeout(timer);
    timer = setTimeout(poll, isLive() ? LIVE : CALM);
  };
  const noteNews = () => {
    lastNews = Date.now();
  };

  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") poll();
    else plan();
  });
  for (const sign of ["pointermove", "keydown"]) document.addEventListener(sign, noteNews, { passive: true });

  for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.body.addEventListener(failure, () => {
      stale.hidden = false;
    });
  }
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) stale.hidden = true;
  });

  // --- a piece that is as it was stays: no flicker, no lost place, nothing to announce
  const texts = new Map();
  const hasFigures = (place) => place.matches("[data-figures]");
  const figuresOf = (place) => [...place.querySelectorAll(".figure")];
  document.body.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    if (target.id === "board-version") return;
    window.Parley.showLocalTimes(fragment); // otherwise every held seat would look new
    event.detail.shouldSwap = fragment.innerHTML.trim() !== target.innerHTML.trim();
    if (event.detail.shouldSwap) noteNews();
    if (hasFigures(target)) {
      for (const figure of figuresOf(target)) texts.set(figure.id, figure.textContent);
    }
  });
  document.body.addEventListener("htmx:oobAfterSwap", (event) => {
    const { target } = event.detail;
    if (!hasFigures(target)) return;
    for (const figure of figuresOf(target)) {
      figure.classList.toggle("changed", texts.has(figure.id) && texts.get(figure.id) !== figure.textContent);
    }
  });

  plan();
})();
