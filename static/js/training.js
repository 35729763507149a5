// Keys of the rating screen where each answer is posted at once: digits choose, letters tick reasons, Enter saves.
//
// Training has no outbox and fetches nothing ahead: the explanation after an answer comes from the server.
(() => {
  "use strict";
  const step = document.querySelector(".step:not([hidden])");
  if (!step) return;
  const form = step.querySelector("form");
  const questions = [...step.querySelectorAll("fieldset.asked")];
  const root = document.getElementById("rate");
  const isGiven = (question) => Boolean(question.querySelector("input[name$=-option]:checked, input[name$=-options]:checked"));
  const active = () => {
    const asked = questions.filter((each) => !each.hidden);
    return document.activeElement.closest("fieldset.asked") ?? asked.find((each) => !isGiven(each)) ?? asked[0];
  };

  // A question that depends on another answer to the same item is shown as soon as it is asked.
  const partOf = (question) => question.closest("[data-item]");
  const settle = () => {
    questions.filter((each) => each.dataset.when).forEach((each) => {
      const [criterion, codes] = each.dataset.when.split(":");
      const parent = questions.find((other) => partOf(other) === partOf(each) && other.dataset.criterion === criterion);
      if (!parent) return;
      const chosen = parent.querySelector("input[name$=-option]:checked");
      each.hidden = parent.hidden || !codes.split(",").includes(chosen?.value);
    });
  };
  form.addEventListener("change", settle);
  settle();

  // Until the dialogue has been read its questions are closed: the server would refuse their answers.
  const readFirst = async () => {
    const end = performance.now() + Number(root.dataset.readingLeft) * 1000;
    const note = root.querySelector("[data-reading]");
    const [bar, text] = note.children;
    const left = () => (end - performance.now()) / 1000;
    for (bar.max = left(); left() > 0; await new Promise((resolve) => setTimeout(resolve, 200))) {
      note.hidden = false;
      questions.forEach((each) => (each.disabled = true));
      bar.value = bar.max - left();
      text.textContent = interpolate(gettext("Read the whole dialogue first: %(n)s s"), { n: Math.ceil(left()) }, true);
    }
    note.hidden = true;
    questions.forEach((each) => (each.disabled = false));
  };
  form.addEventListener("submit", (event) => questions.some((each) => each.disabled) && event.preventDefault());
  if (Number(root.dataset.readingLeft)) readFirst();

  const choose = (key) => {
    const question = active();
    const input = question?.querySelector(`input[data-key="${key}"]`);
    input?.click();
    input?.focus();
    if (input?.type === "radio" && !question.querySelector(`[data-why="${input.value}"]`)) goToNext();
    return Boolean(input);
  };

  // The next digit answers the next question, as it does where answers count.
  const goToNext = () => {
    const next = questions.find((each) => !each.hidden && !isGiven(each));
    next?.querySelector("input:not([type=hidden])")?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };

  const giveReason = (code) => {
    const chosen = active()?.querySelector("input[type=radio]:checked")?.value;
    const box = chosen && active().querySelector(`[data-why="${chosen}"] input[value="${code}"]`);
    box?.click();
    return Boolean(box);
  };

  form.addEventListener("input", (event) => {
    if (event.target.matches("[data-other]:checked")) event.target.closest(".why").querySelector("textarea").focus();
  });

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
