// Numbers that explain themselves: one tab stop for all of a place, arrow keys among them, Escape puts one away.
(() => {
  "use strict";
  const PLACE = ".board-table, [data-figures]";
  const board = document.querySelector(".board");
  const figuresOf = (place) => [...place.querySelectorAll(".figure")];

  const current = new Map(); // by the place's id
  const rove = (place) => {
    const all = figuresOf(place);
    const stop = all.find((figure) => figure.id === current.get(place.id)) || all[0];
    for (const figure of all) figure.tabIndex = figure === stop ? 0 : -1;
  };
  // The key that points to where the line goes on: the left one where it runs from right to left.
  const onwards = () => (getComputedStyle(board).direction === "rtl" ? "ArrowLeft" : "ArrowRight");
  const beside = (all, one, isOnwards) => all[all.indexOf(one) + (isOnwards ? 1 : -1)];
  const neighbour = (figure, key) => {
    const cell = figure.closest("td");
    const isOnwards = key === "ArrowDown" || key === onwards();
    if (!cell) return beside(figuresOf(figure.closest(PLACE)), figure, isOnwards);
    if (key !== "ArrowUp" && key !== "ArrowDown") return beside(figuresOf(cell.parentElement), figure, isOnwards);
    const rows = [...cell.closest("table").querySelectorAll("tbody tr")].filter((row) => row.querySelector(".figure"));
    const next = beside(rows, cell.parentElement, isOnwards);
    return next && (next.cells[cell.cellIndex].querySelector(".figure") || next.querySelector(".figure"));
  };

  board.addEventListener("focusin", (event) => {
    delete board.dataset.hush;
    const place = event.target.matches(".figure") && event.target.closest(PLACE);
    if (!place) return;
    current.set(place.id, event.target.id);
    rove(place);
  });
  board.addEventListener("pointerover", () => delete board.dataset.hush);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") board.dataset.hush = "";
    if (!event.key.startsWith("Arrow") || !event.target.matches(".figure") || !event.target.closest(PLACE)) return;
    event.preventDefault();
    neighbour(event.target, event.key)?.focus();
  });

  // A place that a board has brought anew.
  document.body.addEventListener("htmx:oobAfterSwap", (event) => {
    if (event.detail.target.matches(PLACE)) rove(event.detail.target);
  });
  for (const place of document.querySelectorAll(PLACE)) rove(place);
})();
