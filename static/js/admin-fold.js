// The page of a protocol's version: a part folds to its title, so that it can be dragged past its neighbours.
(() => {
  "use strict";
  const FIRST = ":scope > fieldset :is(input[type=text], textarea)";

  document.addEventListener("click", ({ target }) => {
    const button = target.closest(".fold");
    if (!button) return;
    const part = button.closest(".djn-inline-form");
    const isFolded = part.classList.toggle("folded");
    const typed = part.querySelector(FIRST)?.value.trim();
    button.setAttribute("aria-expanded", String(!isFolded));
    if (typed) part.querySelector(":scope > h3 .inline_label").textContent = typed;
  });
})();
