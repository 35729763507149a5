// Keys of the rating screen where each answer is posted at once: digits choose, letters tick reasons, Enter saves.
//
// Training has no outbox and fetches nothing ahead: the explanation after an answer comes from the server.
(() => {
  "use strict";
  const step = document.querySelector(".step:not([hidden])");
  if (!step) return;
  const form = step.querySelector("form");
  const asked = [...step.querySelectorAll("fieldset.asked:not([hidden])")];
  const isGiven = (question) => Boolean(question.querySelector("input[name$=-option]:checked, input[name$=-options]:checked"));
  const active = () => document.activeElement.closest("fieldset.asked") ?? asked.find((each) => !isGiven(each)) ?? asked[0];

  const choose = (key) => {
    const input = active()?.querySelector(`input[data-key="${key}"]`);
    input?.click();
    input?.focus();
    return Boolean(input);
  };

  const giveReason = (code) => {
    const chosen = active()?.querySelector("input[type=radio]:checked")?.value;
    const box = chosen && active().querySelector(`[data-why="${chosen}"] input[value="${code}"]`);
    box?.click();
    return Boolean(box);
  };

  document.addEventListener("keydown", (event) => {
    const isEnter = event.key === "Enter";
    if (event.target.matches("textarea, select")) {
      if (isEnter && (event.ctrlKey || event.metaKey)) form.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (isEnter && event.target.closest("a, button, summary")) return;
    if (isEnter) form.requestSubmit();
    else if (event.key === "Backspace") step.querySelector("a[data-back]")?.click();
    else if (!(/^\d$/.test(event.key) && choose(event.key)) && !(/^[a-z]$/.test(event.key) && giveReason(event.key))) return;
    event.preventDefault();
  });
})();
