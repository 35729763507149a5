// On pages around the rating: answers that still wait on this device are sent, and nothing is submitted before they are.
(() => {
  "use strict";
  document.querySelectorAll("[data-outbox]").forEach((note) => {
    const buttons = document.querySelectorAll("[data-submit-form] button");
    let had = false;

    const show = (outbox) => {
      const waiting = outbox.waiting().length;
      note.hidden = !waiting;
      note.textContent = outbox.sentence;
      buttons.forEach((button) => (button.disabled = waiting > 0));
      if (had && !waiting) location.reload(); // the page was made before these answers had arrived
      had = waiting > 0;
    };

    const outbox = new window.Parley.Outbox({
      assignment: note.dataset.outbox,
      url: note.dataset.answers,
      onChange: show,
    });
    show(outbox);
    outbox.send();
  });
})();
