// Without a connection a link or a form would lead to the browser's error page: the page stays instead, and says so.
(() => {
  "use strict";
  // The browser knows of its own network only; that answers do not get through says more.
  const isOffline = () => !navigator.onLine || Boolean(document.querySelector('[data-save-state="offline"]'));

  const sayOffline = () => {
    document.querySelector("[data-offline]")?.remove(); // said anew, it is heard anew
    const note = Object.assign(document.createElement("p"), { className: "note warn", role: "alert" });
    note.dataset.offline = "";
    note.textContent = gettext("You are offline, so you stay on this page. Your answers are kept. Try again when you are back online.");
    (document.querySelector(".rate-notes") ?? document.querySelector("main")).prepend(note);
    note.scrollIntoView({ block: "nearest" });
  };

  const stay = (event) => {
    if (event.defaultPrevented || !isOffline()) return;
    event.preventDefault();
    sayOffline();
  };

  // After what the page itself does with a click.
  addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (link && !link.getAttribute("href").startsWith("#")) stay(event);
  });
  addEventListener("submit", (event) => event.target.method !== "dialog" && stay(event));
  addEventListener("online", () => document.querySelector("[data-offline]")?.remove());

  window.Parley = { ...window.Parley, isOffline, sayOffline };
})();
