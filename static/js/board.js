// Keeps the live board new: asks every second while somebody looks, every five when nobody does or nothing happens.
(() => {
  "use strict";
  const LIVE = 1000;
  const CALM = 5000;
  const IDLE_AFTER = 15 * 60 * 1000;
  const board = document.getElementById("board");
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
  const isTable = (place) => place.matches(".board-table");
  const figuresOf = (table) => [...table.querySelectorAll(".figure")];
  document.body.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    if (target.id === "board-version") return;
    event.detail.shouldSwap = fragment.innerHTML.trim() !== target.innerHTML.trim();
    if (event.detail.shouldSwap) noteNews();
    if (isTable(target)) {
      for (const figure of figuresOf(target)) texts.set(figure.id, figure.textContent);
    }
  });
  document.body.addEventListener("htmx:oobAfterSwap", (event) => {
    const { target } = event.detail;
    if (!isTable(target)) return;
    for (const figure of figuresOf(target)) {
      figure.classList.toggle("changed", texts.has(figure.id) && texts.get(figure.id) !== figure.textContent);
    }
    rove(target);
  });

  // --- one tab stop for a whole table; arrow keys move inside it
  const current = new Map(); // by the table's id
  const rove = (table) => {
    const all = figuresOf(table);
    const stop = all.find((figure) => figure.id === current.get(table.id)) || all[0];
    for (const figure of all) figure.tabIndex = figure === stop ? 0 : -1;
  };
  // The key that points to where the line goes on: the left one where it runs from right to left.
  const onwards = () => (getComputedStyle(board).direction === "rtl" ? "ArrowLeft" : "ArrowRight");
  const neighbour = (figure, key) => {
    const cell = figure.closest("td");
    const rows = [...cell.closest("table").querySelectorAll("tbody tr")].filter((row) => row.querySelector(".figure"));
    const row = rows.indexOf(cell.parentElement);
    if (key === "ArrowUp" || key === "ArrowDown") {
      const next = rows[row + (key === "ArrowDown" ? 1 : -1)];
      return next && (next.cells[cell.cellIndex].querySelector(".figure") || next.querySelector(".figure"));
    }
    const inRow = [...rows[row].querySelectorAll(".figure")];
    return inRow[inRow.indexOf(figure) + (key === onwards() ? 1 : -1)];
  };

  board.addEventListener("focusin", (event) => {
    delete board.dataset.hush;
    if (!event.target.matches(".board-table .figure")) return;
    const table = event.target.closest(".board-table");
    current.set(table.id, event.target.id);
    rove(table);
  });
  board.addEventListener("pointerover", () => delete board.dataset.hush);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") board.dataset.hush = "";
    if (!event.key.startsWith("Arrow") || !event.target.matches(".board-table .figure")) return;
    event.preventDefault();
    neighbour(event.target, event.key)?.focus();
  });

  for (const table of document.querySelectorAll(".board-table")) rove(table);
  plan();
})();
