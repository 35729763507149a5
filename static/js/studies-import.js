// Shows the first rows of a file as soon as it is chosen. Only its beginning is sent: a file may have gigabytes.
(() => {
  "use strict";
  const form = document.querySelector("form[data-preview]");
  if (!form) return;
  const place = form.querySelector("[data-preview-here]");
  const typed = form.querySelector("[data-columns-typed]");
  const sheet = form.querySelector("[data-sheet-typed]");
  const FIRST = 256 * 1024;
  const MOST = 5 * 1024 * 1024;
  // Beginnings of files that can be read only as a whole: .gz, .xlsx, Parquet.
  const WHOLE = ["1f8b", "504b", "5041"];
  const ASKED_BY = [
    "file", "kind", "format", "sheet", "reference", "source", "asker", "unescape_newlines", "replace_unused",
    "transcript", "roles", "rate", "with_dialogue", "show_system", "create_missing", "criterion", "metrics", "metric",
    "lower_is_better",
  ];
  let asked = 0;
  // What was chosen beside the preview of an earlier file. It stays for the next one if that has the same columns.
  let kept = [];

  const chosen = () =>
    [...place.querySelectorAll("select")]
      .flatMap((list) => [...list.selectedOptions].map((option) => [list.name, option.value]))
      .filter(([, value]) => value);

  // What is kept of it: the choices that the lists of this preview offer.
  const offered = (html) => {
    const { content } = Object.assign(document.createElement("template"), { innerHTML: html });
    const has = ([name, value]) => [...content.querySelectorAll("option")].some(
      (option) => option.closest("select").name === name && option.value === value,
    );
    return kept.filter((each) => has(each) || (each[1] === "-" && content.querySelector("[data-columns-chosen]")));
  };

  const warn = (textContent) =>
    place.replaceChildren(Object.assign(document.createElement("p"), { className: "note warn", textContent }));
  const showNone = () => warn(gettext("No preview is available for this file, but you can still import it."));

  const hex = (bytes) => [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");

  // What is sent of the file: its beginning, cut at the end of a line, or nothing if that cannot be read alone.
  const beginning = async (file) => {
    // A chat log may be one document, which can only be read as a whole.
    const isLog = Boolean(form.elements.transcript?.checked);
    if (file.size <= FIRST || (isLog && file.size <= MOST)) return file;
    const magic = hex(new Uint8Array(await file.slice(0, 2).arrayBuffer()));
    if (WHOLE.includes(magic)) return file.size <= MOST ? file : null;
    if (isLog && !(await isLines(file))) return null;
    const bytes = new Uint8Array(await file.slice(0, FIRST).arrayBuffer());
    const end = bytes.lastIndexOf(10);
    return end < 0 ? file.slice(0, MOST) : file.slice(0, end + 1);
  };

  const isLines = async (file) => {
    const [line] = (await file.slice(0, MOST).text()).split("\n", 1);
    try {
      return typeof JSON.parse(line) === "object";
    } catch {
      return false;
    }
  };

  // The lists of columns beside the preview replace the fields to type them in.
  const offer = (html) => {
    const focused = document.activeElement?.id;
    place.innerHTML = html;
    const hasLists = Boolean(place.querySelector("[data-columns-chosen]"));
    typed.disabled = typed.hidden = hasLists;
    // What an error says to tick or to fill in must not be folded away.
    if (place.querySelector("[data-opens-options]")) form.querySelector("[data-options]").open = true;
    sheet.hidden = sheet.querySelector("input").disabled = Boolean(place.querySelector("[data-sheets]"));
    if (focused && place.querySelector(`#${CSS.escape(focused)}`)) document.getElementById(focused).focus();
  };

  const show = async () => {
    const file = form.elements.file.files[0];
    const number = ++asked;
    if (!file) return offer("");
    const part = await beginning(file);
    if (!part) return showNone();
    const send = (choices) => {
      const data = new FormData(form);
      data.set("file", part, file.name);
      if (part.size < file.size) data.set("is_part", "on");
      choices.forEach(([name, value]) => data.append(name, value));
      return fetch(form.dataset.preview, { method: "POST", body: data });
    };
    place.setAttribute("aria-busy", "true");
    try {
      let answer = await send(kept);
      let text = await answer.text();
      const known = answer.ok ? offered(text) : [];
      if (known.length < kept.length) {
        answer = await send(known);
        text = await answer.text();
      }
      if (number !== asked) return;
      if (answer.ok) offer(text);
      else showNone();
      if (place.querySelector("[data-columns-chosen]")) kept = []; // the lists have them now
    } catch {
      warn(gettext("The server cannot be reached."));
    } finally {
      if (number === asked) place.removeAttribute("aria-busy");
    }
  };

  // Previous and next among the conversations of a chat log. The one that is turned to takes the focus.
  place.addEventListener("click", (event) => {
    const button = event.target.closest("[data-turn]");
    if (!button) return;
    const all = [...place.querySelectorAll("[data-turned]")];
    const at = all.indexOf(button.closest("[data-turned]")) + Number(button.dataset.turn);
    all.forEach((each, index) => (each.hidden = index !== at));
    document.getElementById(all[at].getAttribute("aria-labelledby")).focus();
  });

  form.addEventListener("change", (event) => {
    const name = event.target.name || "";
    // Columns of another kind of file mean nothing here, and those of another file only if it has them.
    if (name === "file" && place.querySelector("[data-columns-chosen]")) kept = chosen();
    if (name === "kind") kept = [];
    if (["file", "kind"].includes(name)) offer("");
    if (ASKED_BY.includes(name) || name.startsWith("map_")) show();
  });
})();
