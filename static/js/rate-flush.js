// On pages around the rating: answers that still wait on this device are sent, and nothing is submitted before they are.
(() => {
  "use strict";
  document.querySelectorAll("[data-outbox]").forEach((note) => {
    const unsaved = document.querySelector("[data-unsaved]");
    const buttons = document.querySelectorAll("[data-submit-form] button");
    const drafts = new window.Parley.Store(`parley-draft:${note.dataset.outbox}:`);
    // Each with the way to it; from there one comes back here.
    const showUnsaved = () => {
      const links = drafts.all().flatMap(([, { place }]) => place ?? []).map(({ path, name }) => {
        const line = document.createElement("li");
        line.append(Object.assign(document.createElement("a"), { href: `${unsaved.dataset.unsaved}${path}?review=1`, textContent: name }));
        return line;
      });
      unsaved.hidden = !links.length;
      unsaved.querySelector("[data-unsaved-list]").replaceChildren(...links);
    };
    let had = false;
    let refusal = "";

    const wayOn = ({ signIn }) => {
      const href = `${note.dataset.login}?next=${encodeURIComponent(location.pathname)}`;
      return signIn && Object.assign(document.createElement("a"), { href, textContent: signIn });
    };

    const show = (outbox) => {
      const waiting = outbox.waiting().length;
      const kept = outbox.entries().length;
      note.hidden = !kept;
      note.replaceChildren(waiting ? `${outbox.sentence} ` : refusal, waiting ? wayOn(outbox) : "");
      buttons.forEach((button) => (button.disabled = waiting > 0));
      // The page was made before these answers had arrived. One refused for good would be asked about for ever.
      if (had && !kept) location.reload();
      had = kept > 0;
    };

    const onRefused = (entry, error) => {
      if (error.code === "invalid" && !entry.kind) drafts.put(`${entry.item}:${entry.criterion}`, entry); // the form shows it again
      refusal = `${gettext("The server refused an answer. It is kept on this device.")} ${error.message ?? ""}`;
    };

    const outbox = new window.Parley.Outbox({
      assignment: note.dataset.outbox,
      url: note.dataset.answers,
      urls: { mark: note.dataset.marks },
      onChange: show,
      onRefused,
    });
    show(outbox);
    outbox.send();
    if (!unsaved) return;
    showUnsaved();
    addEventListener("pageshow", showUnsaved);
    addEventListener("storage", showUnsaved);
  });
})();
