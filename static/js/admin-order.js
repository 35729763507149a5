// The page of a protocol's version: a number typed as a position puts the part in that place, and places count from 1.
// The script of nested_admin, which drags parts, numbers them from 0 as they stand.
(() => {
  "use strict";
  const NUMBER = ":scope > fieldset .field-position input";
  const PARTS = ":scope > .djn-item:not(.djn-no-drag, .djn-empty-form)";
  const partsOf = (list) => [...list.querySelectorAll(PARTS)];

  const count = (list) => {
    partsOf(list).forEach((part, n) => {
      const number = part.querySelector(NUMBER);
      if (number) number.value = n + 1;
    });
  };

  // The part itself stays, so that it keeps the focus: the others go before and behind it.
  const put = (part, place) => {
    const others = partsOf(part.parentElement).filter((other) => other !== part);
    part.before(...others.slice(0, place));
    part.after(...others.slice(place));
    count(part.parentElement);
  };

  document.addEventListener("change", ({ target }) => {
    const part = target.closest(".field-position") && target.closest(".djn-item");
    if (part && target.value !== "") put(part, Math.max(0, target.valueAsNumber - 1));
  });
  django.jQuery(document).on("djnesting:mutate", (_event, group) => {
    group.find("> fieldset > .djn-items").each((_n, list) => count(list));
  });
})();
