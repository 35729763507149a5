// The comment on the page that submits a batch is kept on this device until the batch is submitted; then it is forgotten,
// with what was never saved.
(() => {
  "use strict";
  const { Store } = window.Parley;
  const comments = new Store("parley-comment:");
  const field = document.querySelector("[data-comment]");
  const submitted = document.querySelector("[data-submitted]")?.dataset.submitted;

  if (field) {
    field.value ||= comments.get(field.dataset.comment) ?? "";
    field.addEventListener("input", () => comments.put(field.dataset.comment, field.value));
  }
  if (submitted) {
    comments.remove(submitted);
    const drafts = new Store(`parley-draft:${submitted}:`);
    drafts.all().forEach(([key]) => drafts.remove(key));
  }
})();
