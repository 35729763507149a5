// Times of the server as this browser's clock shows them, in the language of the page. Today's go without their date.
(() => {
  "use strict";
  const language = document.documentElement.lang || undefined;
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });
  const calendar = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

  const show = (root) => {
    for (const each of root.querySelectorAll("time[data-local-time]")) {
      const at = new Date(each.dateTime);
      const isToday = at.toDateString() === new Date().toDateString();
      each.textContent = (isToday ? clock : calendar).format(at);
      each.title = calendar.format(at);
    }
  };

  window.Parley = { ...window.Parley, showLocalTimes: show };
  show(document);
  document.addEventListener("htmx:afterSwap", (event) => show(event.target));
})();
