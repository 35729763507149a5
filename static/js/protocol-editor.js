// The editor's page: saving, what is wrong beside its field, the live preview, and a copy on this device of what is not
// saved yet.
(() => {
  "use strict";
  const { fill, outer, own, parts, read, refresh, titleOf, valueOf } = window.Parley.Form;
  const WAIT = 500; // after the last key: the preview and the checks follow the typing without a request per key
  const PAUSE = 120;

  const root = document.getElementById("editor");
  const part = (name, within = document) => within.querySelector(`[data-${name}]`);
  const place = `parley-editor:${root.dataset.draft}`;
  let revision = root.dataset.revision;
  let saved = ""; // the document as the server has it, as read from the form
  let isChecked = false; // mistakes are shown while one types only after they were asked for
  let timer = 0;
  let typing = 0;
  let isSaving = false;

  const say = (text) => (part("announce").textContent = text);
  const text = () => JSON.stringify(read(root));
  const isDirty = () => text() !== saved;
  const button = (label, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", className: "inline outline", textContent: label });
    made.addEventListener("click", act);
    return made;
  };

  const note = (sentence, ...more) => {
    part("note").hidden = !sentence;
    part("note").replaceChildren(sentence, ...more.flatMap((each) => [" ", each]));
  };

  const showState = () => {
    const line = part("state");
    const isUnsaved = isDirty();
    line.dataset.state = isUnsaved ? "unsaved" : "saved";
    line.textContent = isSaving ? gettext("Saving …") : isUnsaved ? gettext("Not saved yet") : gettext("Saved");
  };

  // --- a copy on this device -----------------------------------------------------------------------------
  const keep = () => {
    try {
      if (isDirty()) localStorage.setItem(place, JSON.stringify({ revision, document: read(root), at: Date.now() }));
      else localStorage.removeItem(place);
    } catch {
      // blocked or full: the warning before leaving is what is left
    }
  };

  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem(place));
    } catch {
      return null;
    }
  };

  const load = (doc) => {
    fill(root, doc);
    refresh(root);
  };

  const discard = (stored) => {
    load(stored);
    note("");
    changed();
  };

  const restore = (stored) => {
    const mine = kept();
    if (!mine || JSON.stringify(mine.document) === saved) return;
    const date = new Date(mine.at).toLocaleString(document.documentElement.lang);
    if (mine.revision === revision) {
      load(mine.document);
      const said = interpolate(gettext("Your unsaved changes from %(date)s have been restored."), { date }, true);
      note(said, button(gettext("Discard"), () => discard(stored)));
      return;
    }
    const open = () => {
      load(mine.document);
      const said = gettext("This is your text. Saving it replaces what was saved in the meantime.");
      note(said, button(gettext("Discard"), () => discard(stored)));
      changed();
    };
    const forget = () => {
      localStorage.removeItem(place);
      note("");
    };
    const said = gettext("You have unsaved text from %(date)s, but the draft has been saved since then.");
    const ways = [button(gettext("Show my text"), open), button(gettext("Discard"), forget)];
    note(interpolate(said, { date }, true), ...ways);
  };

  // --- what is wrong, beside its field ------------------------------------------------------------------
  // A part has a line of its own, outside of its fields' lines.
  const lineOf = (element) => {
    const isPart = element.matches("[data-node]:not([data-scalar])");
    return isPart ? own(element, "[data-error]").find((line) => line.parentElement === element) : part("error", element);
  };

  // The nearest place around what a path names: some of what can be wrong has no field.
  const slotAt = (path) => {
    for (let rest = path; rest; rest = rest.replace(/(\.[^.[\]]*|\[\d+\]|^[^.[]+)$/, "")) {
      const found = [...root.querySelectorAll(`[data-path="${CSS.escape(rest)}"]`)].map((each) => [each, lineOf(each)]);
      const [element, line] = found.find(([, each]) => each) ?? [];
      if (line) return { element, line };
    }
    return {};
  };

  const controlOf = (element) => element.querySelector("input:not([type=hidden]), select, textarea, button");

  const clear = () => {
    root.querySelectorAll("[data-error]").forEach((line) => {
      line.hidden = true;
      line.classList.remove("advice");
      line.replaceChildren();
    });
    root.querySelectorAll("[aria-invalid]").forEach((each) => each.removeAttribute("aria-invalid"));
  };

  const capital = (words) => words.charAt(0).toLocaleUpperCase(document.documentElement.lang) + words.slice(1);

  const sentence = ({ message, expected }, label, isAdvice) => {
    if (isAdvice) return `${message} ${expected}`;
    const said = label ? gettext("%(label)s %(message)s.") : gettext("%(message)s.");
    const wanted = expected ? ` ${interpolate(gettext("Expected: %(expected)s."), { expected }, true)}` : "";
    return interpolate(said, { label, message }, true) + wanted;
  };

  const placed = (element, said) => {
    const titles = [];
    for (let node = element?.closest("[data-node]"); node && node !== root; node = outer(node)) titles.unshift(titleOf(node));
    const place = titles.join(pgettext("between two of a list", ", "));
    return place ? interpolate(gettext("%(place)s: %(said)s"), { place, said }, true) : said;
  };

  const reveal = (element) => {
    for (let each = element; each && each !== root; each = each.parentElement) {
      if (each.matches("details")) each.open = true;
      if (each.matches("[data-body][hidden]")) each.closest("[data-node]").querySelector('[data-do="toggle"]').click();
    }
  };

  const goTo = (element) => {
    reveal(element);
    controlOf(element).focus();
    element.scrollIntoView({ block: "center" });
  };

  const point = (finding, isAdvice) => {
    const { element, line } = slotAt(finding.path);
    const label = element?.dataset.label ?? "";
    const said = sentence(finding, label || finding.path, isAdvice);
    if (line && (!isAdvice || line.hidden)) {
      line.append(line.hidden ? said : ` ${said}`);
      line.hidden = false;
      line.classList.toggle("advice", isAdvice);
      if (!isAdvice && element.matches("[data-field-of]")) controlOf(element).setAttribute("aria-invalid", "true");
    }
    const entry = document.createElement("li");
    const way = element ? Object.assign(button(capital(placed(element, said)), () => goTo(element)), { className: "plain small" }) : said;
    entry.append(way);
    return { entry, element };
  };

  const summarise = (findings, isAdvice) => {
    const summary = part("summary");
    const found = findings.map((each) => point(each, isAdvice));
    summary.hidden = !found.length;
    summary.className = `note ${isAdvice ? "warn" : "bad"}`;
    const n = found.length;
    const advice = ngettext(
      "No errors. %(n)s possible mistake:",
      "No errors. %(n)s possible mistakes:",
      n,
    );
    const wrong = ngettext(
      "Correct %(n)s error before saving:",
      "Correct %(n)s errors before saving:",
      n,
    );
    const title = interpolate(isAdvice ? advice : wrong, { n }, true);
    const list = document.createElement("ul");
    list.append(...found.map(({ entry }) => entry));
    // Advice is folded: whoever has read it is not shown it again at every save.
    const head = Object.assign(document.createElement(isAdvice ? "summary" : "strong"), { textContent: title });
    const holder = document.createElement(isAdvice ? "details" : "div");
    holder.append(head, list);
    holder.toggleAttribute("open", summary.querySelector("details")?.open ?? false);
    summary.replaceChildren(holder);
    return found.find(({ element }) => element)?.element;
  };

  const show = ({ errors, warnings }) => {
    clear();
    return summarise(errors.length ? errors : warnings, !errors.length);
  };

  // Until the next change, and where what is wrong would stand.
  const praise = () => Object.assign(part("summary"), { hidden: false, className: "note good", textContent: gettext("No errors found.") });

  // --- between the page and the server ---------------------------------------------------------------------
  const ask = async (sent) => {
    const headers = { "Content-Type": "application/json", "X-CSRFToken": root.querySelector("[name=csrfmiddlewaretoken]").value };
    const response = await fetch(location.pathname, { method: "POST", credentials: "same-origin", headers, body: JSON.stringify(sent) });
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    if (!isJson || response.redirected) throw new Error("signed out");
    return { status: response.status, answer: await response.json() };
  };
  const post = (action) => ask({ action, revision, document: read(root) });

  const trouble = () =>
    note(
      gettext("Could not send: you are offline or signed out."),
      gettext("Your text is kept on this device. Try again, or use another tab to sign in."),
    );

  // Somebody else's save: both texts stay within reach, and which of them is saved next is said with open eyes.
  const conflict = ({ message, theirs, revision: newer }) => {
    if (!theirs) return note(message);
    const mine = read(root);
    const look = (doc) => {
      load(doc);
      changed();
    };
    const over = () => {
      revision = newer;
      note("");
      save();
    };
    const looks = [button(gettext("Show the saved text"), () => look(theirs)), button(gettext("Show my text"), () => look(mine))];
    return note(message, ...looks, button(gettext("Save what is shown"), over));
  };

  const save = async () => {
    if (isSaving) return;
    settleTyping();
    isSaving = true;
    showState();
    const sent = text();
    try {
      const { status, answer } = await post("save");
      if (answer.saved) settle(sent, answer);
      else if (status === 422) goTo(show(answer) ?? root);
      else conflict(answer);
      isChecked = status !== 409;
    } catch {
      trouble();
    } finally {
      isSaving = false;
      showState();
    }
  };

  const settle = (sent, answer) => {
    ({ revision } = answer);
    saved = sent;
    note("");
    show(answer);
    root.querySelectorAll(".edit-undo").forEach((each) => each.remove());
    keep();
    say(gettext("Saved."));
  };

  const check = async (isAsked) => {
    isChecked = true;
    settleTyping();
    try {
      const { answer } = await post("check");
      show(answer);
      if (!isAsked) return;
      if (part("summary").hidden) praise();
      part("summary").focus();
    } catch {
      if (isAsked) trouble();
    }
  };

  // --- the live preview ------------------------------------------------------------------------------------
  // A frame of its own for each state: it leaves no step in the browser's history, and the old one stays until it is there.
  const form = part("preview-form");
  const frames = part("frame");
  let criterion = "";
  let shown = "";

  const fillForm = () => {
    form.elements.document.value = text();
    form.elements.criterion.value = criterion && parts.get(criterion)?.isConnected ? valueOf(parts.get(criterion), "key") : "";
  };

  const arrived = (frame) => {
    const { body } = frame.contentDocument;
    const problems = [...body.querySelectorAll("[data-problem-at]")];
    const isShown = !problems.length || !frames.querySelector("iframe.shown");
    part("preview-note").hidden = !problems.length;
    const said = ngettext(
      "Incomplete: %(n)s error to correct. The preview shows the last complete state.",
      "Incomplete: %(n)s errors to correct. The preview shows the last complete state.",
      problems.length,
    );
    part("preview-note").textContent = problems.length ? interpolate(said, { n: problems.length }, true) : "";
    if (problems.length) return frame.remove();
    frames.querySelectorAll("iframe").forEach((each) => each !== frame && each.remove());
    frame.classList.toggle("shown", isShown);
    return null;
  };

  const preview = () => {
    if (!frames.offsetParent) return;
    fillForm();
    const now = form.elements.document.value + form.elements.criterion.value;
    if (now === shown) return;
    shown = now;
    const frame = Object.assign(document.createElement("iframe"), { name: `preview-${Date.now()}`, title: gettext("Live preview") });
    frames.append(frame);
    frame.addEventListener("load", () => frame.contentWindow.location.href !== "about:blank" && arrived(frame));
    form.target = frame.name;
    form.submit();
  };

  // --- begin -------------------------------------------------------------------------------------------------
  const later = () => {
    preview();
    if (isChecked) check(false);
  };

  const changed = () => {
    clearTimeout(typing);
    typing = 0;
    refresh(root);
    showState();
    keep();
    clearTimeout(timer);
    timer = setTimeout(later, WAIT);
  };

  // Between two keys nothing is looked through: a long protocol would make the typing slow.
  const typed = () => {
    clearTimeout(typing);
    typing = setTimeout(changed, PAUSE);
  };
  const settleTyping = () => typing && changed();

  const depend = (node, uid) => {
    node.depends = uid && uid !== "lost" ? { criterion: uid, options: new Set() } : undefined;
  };

  const onInput = ({ target }) => {
    const node = target.closest("[data-node]");
    if (target.dataset.field === "key") node.isNamed = target.value !== "";
    if (target.dataset.field === "sub_dimension") node.isCalled = target.value !== "";
    if (target.dataset.type === "option") Object.assign(target, { ref: target.value, wanted: "" });
    if (target.matches("[data-when-criterion]")) depend(node, target.value);
    if (target.closest("[data-when-options]")) node.depends.options[target.checked ? "add" : "delete"](target.value);
    const isTicked = target.closest("[data-when-options]") && target.value;
    if (target.matches("input:not([type=checkbox]), textarea")) return typed();
    changed();
    if (isTicked) node.querySelector(`[data-when-options] input[value="${isTicked}"]`).focus(); // the boxes were made anew
    return null;
  };

  const stored = JSON.parse(document.getElementById("document").textContent);
  const moves = new window.Parley.Moves(root, changed, say);
  new window.Parley.Tables(root, moves, { ask, say, trouble });
  new window.Parley.Borrowing(root, { ask, changed, trouble });
  load(stored);
  saved = text();
  restore(stored);
  changed();
  preview();

  root.addEventListener("input", onInput);
  root.addEventListener("change", () => settleTyping()); // before the next field: what was typed there may name its key
  root.addEventListener("submit", (event) => event.preventDefault());
  root.addEventListener("focusin", ({ target }) => {
    const node = target.closest('[data-node="criterion"]');
    if (!node || node.uid === criterion) return;
    criterion = node.uid;
    clearTimeout(timer);
    timer = setTimeout(later, WAIT);
  });
  part("save").addEventListener("click", save);
  part("check").addEventListener("click", () => check(true));
  part("preview-page").addEventListener("click", () => {
    settleTyping();
    fillForm();
  });
  addEventListener("pagehide", settleTyping);
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    save();
  });
  addEventListener("beforeunload", (event) => {
    settleTyping();
    if (isDirty()) event.preventDefault();
  });
})();
