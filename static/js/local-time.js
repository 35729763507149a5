// Times of the server in this browser's zone and the language of the page, by 24 hours as on all pages. Today's go without
// their date.
(() => {
  "use strict";
  const language = document.documentElement.lang || undefined;
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "short", hourCycle: "h23" });
  const calendar = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });

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
