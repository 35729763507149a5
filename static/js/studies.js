// Small comforts of the study pages. Without this file every one of them works as a plain form.
(() => {
  "use strict";

  // A button that copies the text of a field and says so.
  for (const button of document.querySelectorAll("[data-copies]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const field = document.getElementById(button.dataset.copies);
      const said = button.parentElement.querySelector("[data-copied]");
      try {
        await navigator.clipboard.writeText(field.value);
        said.textContent = gettext("Copied.");
      } catch {
        field.select(); // the browser forbids it: Ctrl-C does the rest
        said.textContent = gettext("Press Ctrl+C to copy.");
      }
    });
  }

  // Parts of a form that matter for some answers only: hidden for the others. "size" is a value of the form's own
  // field, "kind:pilot" one of another field, and "takes_others:" that this box is not ticked.
  for (const form of document.querySelectorAll("[data-shows-by]")) {
    const name = form.dataset.showsBy;
    const show = () => {
      const data = new FormData(form);
      const holds = (word) => {
        const [field, value] = word.includes(":") ? word.split(":") : [name, word];
        return (data.get(field) ?? "") === value;
      };
      for (const part of form.querySelectorAll("[data-when]")) part.hidden = !part.dataset.when.split(" ").some(holds);
    };
    form.addEventListener("change", show);
    show();
  }

  // One box that ticks all.
  for (const box of document.querySelectorAll("[data-ticks]")) {
    const all = () => box.form.querySelectorAll(`input[name="${box.dataset.ticks}"]`);
    box.addEventListener("change", () => all().forEach((each) => (each.checked = box.checked)));
  }
})();
