// Training: each answer is posted at once, since the explanation after it comes from the server. No outbox, nothing ahead.
(() => {
  "use strict";
  const root = document.getElementById("rate");
  const { Active, Bar, Help, View, settle } = window.Parley;
  const dialogue = root.querySelector(".rate-dialogue");
  const step = dialogue.querySelector(".step:not([hidden])");
  const form = step.querySelector("form");
  const view = new View(root);
  const bar = new Bar(root);
  const isUnread = () => Boolean(dialogue.dataset.unread);
  const active = new Active({
    root,
    view,
    onSave: () => isUnread() || form.requestSubmit(),
    onBack: () => root.querySelector("[data-back][href]")?.click(),
    onGuide: (key) => help.onKey(key),
    onAnswer: () => settle(dialogue),
    onActive: (question) => help.follow(question),
  });
  const help = new Help({ root, active });

  form.addEventListener("submit", (event) => isUnread() && event.preventDefault());
  settle(dialogue);
  root.setAttribute("data-ready", "");
  view.open(dialogue, step, true);
  const reading = bar.showReading(dialogue, Number(root.dataset.readingLeft));
  active.show(step);
  reading.then(() => active.activate(active.question));
})();
