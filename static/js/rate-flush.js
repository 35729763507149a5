// On pages around the rating: answers that still wait on this device are sent, and nothing is submitted before they are.
(() => {
  "use strict";
  document.querySelectorAll("[data-outbox]").forEach((note) => {
    const buttons = document.querySelectorAll("[data-submit-form] button");
    const drafts = new window.Parley.Store(`parley-draft:${note.dataset.outbox}:`);
    let had = false;
    let refusal = "";

    const show = (outbox) => {
      const waiting = outbox.waiting().length;
      const kept = outbox.entries().length;
      note.hidden = !kept;
      note.textContent = waiting ? outbox.sentence : refusal;
      buttons.forEach((button) => (button.disabled = waiting > 0));
      // The page was made before these answers had arrived. One refused for good would be asked about for ever.
      if (had && !kept) location.reload();
      had = kept > 0;
    };

    const onRefused = (entry, error) => {
      if (error.code === "invalid" && !entry.kind) drafts.put(`${entry.item}:${entry.criterion}`, entry); // the form shows it again
      refusal = `${gettext("The server did not take an answer, which is kept on this device.")} ${error.message ?? ""}`;
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
  });
})();
