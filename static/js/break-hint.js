// After 50 minutes without a break, a quiet hint. A break is five minutes in which nothing is pressed, on any page with
// this script. The page brings the hint, hidden: see templates/annotation/_break_hint.html.
(() => {
  "use strict";
  const KEY = "parley-stretch";
  const BREAK = 5 * 60 * 1000;
  const LONG = 50 * 60 * 1000;
  const hint = document.querySelector("[data-break-hint]");
  if (!hint) return;

  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY)) ?? {};
    } catch {
      return {}; // storage is blocked, or holds something else
    }
  };

  const write = (stretch) => {
    try {
      localStorage.setItem(KEY, JSON.stringify(stretch));
    } catch {
      // without storage the hint knows of no page but this one
    }
    held = stretch;
  };

  let held = { since: Date.now(), last: Date.now() };

  const show = (now) => {
    const isLong = now - held.since >= LONG;
    if (hint.hidden === isLong) hint.hidden = !isLong;
  };

  const note = () => {
    const now = Date.now();
    const { since, last } = { ...held, ...read() };
    const goesOn = since <= last && last <= now && now - last < BREAK;
    write({ since: goesOn ? since : now, last: now });
    show(now);
  };

  hint.querySelector("button").addEventListener("click", () => {
    write({ since: Date.now(), last: Date.now() }); // heard: after 50 more minutes it may say so again
    show(Date.now());
  });
  for (const kind of ["keydown", "pointerdown", "scroll"]) addEventListener(kind, note, { capture: true, passive: true });
  note();
})();
