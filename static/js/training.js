// Training: each answer is posted at once, since the explanation after it comes from the server. No outbox, nothing ahead.
(() => {
  "use strict";
  const root = document.getElementById("rate");
  const { Active, Bar, Help, Onward, View, settle } = window.Parley;
  const dialogue = root.querySelector(".rate-dialogue");
  const step = dialogue.querySelector(".step:not([hidden])");
  const form = step.querySelector("form");
  const view = new View(root);
  const bar = new Bar(root);
  const isUnread = () => Boolean(dialogue.dataset.unread);
  const save = () => isUnread() || onward.holds() || form.requestSubmit();
  const active = new Active({
    root,
    view,
    onSave: save,
    onBack: () => root.querySelector("[data-back][href]")?.click(),
    onGuide: (key) => help.onKey(key),
    onAnswer: () => {
      settle(dialogue);
      onward.show();
    },
    onActive: (question) => {
      help.follow(question);
      onward.follow(question);
    },
  });
  const help = new Help({ root, active });
  const onward = new Onward({ root, active });

  root.querySelector("[data-save]").addEventListener("click", (event) => {
    event.preventDefault();
    onward.press(save);
  });
  form.addEventListener("submit", (event) => isUnread() && event.preventDefault());
  settle(dialogue);
  root.setAttribute("data-ready", "");
  view.open(dialogue, step, true);
  const reading = bar.showReading(dialogue, Number(root.dataset.readingLeft));
  active.show(step);
  onward.seen.follow(step);
  reading.then(() => active.activate(active.question));
})();
