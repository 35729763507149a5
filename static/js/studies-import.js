// Shows the first rows of a file as soon as it is chosen. Only its beginning is sent: a file may have gigabytes.
(() => {
  "use strict";
  const form = document.querySelector("form[data-preview]");
  if (!form) return;
  const place = form.querySelector("[data-preview-here]");
  const columns = document.getElementById("file-columns");
  const FIRST = 256 * 1024;
  const MOST = 5 * 1024 * 1024;
  let asked = 0;

  for (const field of form.querySelectorAll('[name^="map_"]')) field.setAttribute("list", "file-columns");

  const warn = (textContent) =>
    place.replaceChildren(Object.assign(document.createElement("p"), { className: "note warn", textContent }));
  const showNone = () => warn(gettext("No preview is available for this file, but you can still import it."));

  // The cut must not go through a line: half a line would be shown as an error.
  const beginning = async (file) => {
    if (file.size <= FIRST || file.name.endsWith(".gz")) return file;
    const part = file.slice(0, FIRST);
    const bytes = new Uint8Array(await part.arrayBuffer());
    const end = bytes.lastIndexOf(10);
    return end < 0 ? file.slice(0, MOST) : file.slice(0, end + 1);
  };

  const offer = (names) => {
    columns.replaceChildren(...names.map((name) => Object.assign(document.createElement("option"), { value: name })));
  };

  const show = async () => {
    const file = form.elements.file.files[0];
    const number = ++asked;
    if (!file) return place.replaceChildren();
    // Half of a packed file cannot be unpacked: it would be called damaged.
    if (file.name.endsWith(".gz") && file.size > MOST) return showNone();
    const data = new FormData(form);
    data.set("file", await beginning(file), file.name);
    place.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.dataset.preview, { method: "POST", body: data });
      const text = await answer.text();
      if (number !== asked) return;
      if (answer.ok) place.innerHTML = text;
      else showNone();
      const found = place.querySelector("[data-columns]");
      offer(found ? found.dataset.columns.split("\t") : []);
    } catch {
      warn(gettext("The server cannot be reached."));
    } finally {
      if (number === asked) place.removeAttribute("aria-busy");
    }
  };

  form.addEventListener("change", (event) => {
    const name = event.target.name || "";
    if (["file", "kind", "format", "reference", "source"].includes(name) || name.startsWith("map_")) show();
  });
})();
