// An answer that stands alone: ticking it unticks the others, and ticking another unticks it. The server checks again.
(() => {
  "use strict";
  const others = (box) => [...box.closest("fieldset.asked").querySelectorAll("input[type=checkbox]:checked")].filter((each) => each !== box);
  const isAlone = (box) => box.hasAttribute("data-alone");

  // While the event is on its way down: whoever listens on the page reads the answer as it is in the end.
  document.addEventListener(
    "input",
    (event) => {
      const box = event.target;
      if (!box.matches("fieldset.asked input[type=checkbox]") || !box.checked) return;
      others(box).filter((each) => isAlone(box) || isAlone(each)).forEach((each) => (each.checked = false));
    },
    true,
  );
})();
