// The form of a protocol and its document: built from the page's templates, read back, every part with its path.
//
// One renderer for what is stored, added, duplicated and restored: build(kind, data) copies a <template> and fills it.
// Answers are referred to by their parts, not by their keys: a key may change while the reference stays.
(() => {
  "use strict";
  const parts = new Map(); // uid -> node, of removed ones too: what is removed can come back
  let lastUid = 0;

  const own = (node, selector) => [...node.querySelectorAll(selector)].filter((each) => each.parentElement.closest("[data-node]") === node);
  const fieldOf = (node, name) => own(node, `[data-field="${name}"]`)[0];
  const listOf = (node, name) => own(node, `[data-list="${name}"]`)[0];
  const itemsOf = (list) => [...list.querySelector("[data-items]").children].filter((each) => each.matches("[data-node]"));
  const partsOf = (node, name) => (listOf(node, name) ? itemsOf(listOf(node, name)) : []);
  const outer = (node) => node.parentElement?.closest("[data-node]");
  const valueOf = (node, name) => fieldOf(node, name)?.value ?? "";
  const keyOf = (node) => valueOf(node, "key");
  const criterionOf = (node) => node.closest('[data-node="criterion"]');

  // (`depends` holds what a criterion depends on: `when` is a method of every element in newer browsers.)

  // --- from a document to the form -------------------------------------------------------------------
  const SHOW = {
    box: (control, value) => (control.checked = Boolean(value)),
    json: (control, value) => Object.assign(control, { value: JSON.stringify(value ?? null, null, 2), shown: null }),
    keys: (control, value) => (control.value = (value ?? []).join(", ")),
    option: (control, value) => (control.wanted = value ?? ""),
  };

  const put = (control, value) => {
    if (value === undefined) return;
    const show = SHOW[control.dataset.type];
    if (show) show(control, value);
    else control.value = value ?? "";
  };

  const name = (node) => {
    lastUid += 1;
    node.uid = String(lastUid);
    parts.set(node.uid, node);
    own(node, ".edit-field").forEach((box, at) => {
      const control = box.querySelector("input, select, textarea");
      const told = [...box.querySelectorAll("small, [data-error]")];
      control.id = `part-${node.uid}-${at}`;
      told.forEach((each, place) => (each.id = `${control.id}-${place}`));
      control.setAttribute("aria-describedby", told.map((each) => each.id).join(" "));
      if (!control.closest("label")) box.querySelector("label").htmlFor = control.id;
    });
  };

  const fill = (node, data) => {
    if (!node.uid) name(node);
    if ("scalar" in node.dataset) {
      fieldOf(node, "").value = data;
      return node;
    }
    node.rest = { ...data };
    own(node, "[data-field]").forEach((control) => {
      put(control, data[control.dataset.field]);
      delete node.rest[control.dataset.field];
    });
    own(node, "[data-list]").forEach((list) => {
      const items = (data[list.dataset.list] ?? []).map((each) => build(list.dataset.kind, each));
      list.querySelector("[data-items]").replaceChildren(...items);
      delete node.rest[list.dataset.list];
    });
    if (node.dataset.node === "criterion") {
      [node.depends] = (data.when ?? []).map((wanted) => ({ wanted }));
      delete node.rest.when;
    }
    return node;
  };

  const build = (kind, data) => {
    const { content } = document.querySelector(`template[data-template="${kind}"]`);
    return fill(document.importNode(content.firstElementChild, true), data);
  };

  // --- from the form to a document -------------------------------------------------------------------
  const asJson = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text; // the server says what it should be
    }
  };

  const GET = {
    box: (control) => control.checked,
    json: (control) => asJson(control.value),
    keys: (control) => control.value.split(",").map((each) => each.trim()).filter(Boolean),
    number: (control) => (control.value === "" ? null : Number(control.value)),
    option: (control) => (control.ref ? keyOf(parts.get(control.ref)) : (control.wanted ?? "")),
  };

  const get = (control) => (GET[control.dataset.type] ?? ((each) => each.value))(control);

  // What the format refuses where it does not apply is left out, and stays in the form in case it applies again.
  // Everything else is sent as it is: a number of a nominal answer says nothing, and may have been stored all the same.
  const REFUSED = new Set(["scale", "rules", "asks", "alone", "options", "explanations"]);

  const applies = (node, element) => {
    const hidden = REFUSED.has(element.dataset.field ?? element.dataset.list) && element.closest("[data-needs][hidden]");
    return !hidden || !node.contains(hidden);
  };

  const read = (node) => {
    if ("scalar" in node.dataset) return fieldOf(node, "").value;
    const found = { ...node.rest };
    own(node, "[data-field]").filter((each) => applies(node, each)).forEach((each) => (found[each.dataset.field] = get(each)));
    own(node, "[data-list]").filter((each) => applies(node, each)).forEach((each) => (found[each.dataset.list] = itemsOf(each).map(read)));
    if (node.depends) found.when = [readWhen(node.depends)];
    return found;
  };

  const readWhen = ({ wanted, criterion, options }) => {
    if (wanted) return wanted;
    return { criterion: keyOf(parts.get(criterion)), options: [...options].map((uid) => keyOf(parts.get(uid))) };
  };

  // --- keys and names that follow what is typed --------------------------------------------------------
  const slug = (text) =>
    text
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[\u0300-\u036f'’]/g, "")
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 40);

  const SOURCES = { criterion: "name", option: "label", explanation: "text" };
  const isLike = (key, text) => key === "" || key === text || (key.startsWith(`${text}_`) && /^_\d+$/.test(key.slice(text.length)));

  const siblings = (node) => [...node.parentElement.children].filter((each) => each !== node && each.matches("[data-node]"));

  const freeKey = (node, text) => {
    const taken = new Set(siblings(node).map(keyOf));
    const base = slug(text) || `${node.dataset.node}_${siblings(node).length + 1}`;
    for (let n = 1; ; n += 1) {
      const key = n === 1 ? base : `${base}_${n}`;
      if (!taken.has(key)) return key;
    }
  };

  // A stored key that rules or translations speak of stays as it is.
  const isSpokenOf = (root, key) => [...root.querySelectorAll('[data-type="json"]')].some((each) => each.value.includes(JSON.stringify(key)));

  const follow = (root) => {
    root.querySelectorAll("[data-node]").forEach((node) => {
      const from = SOURCES[node.dataset.node];
      if (!from) return;
      const text = valueOf(node, from);
      if (node.source === undefined) {
        node.isNamed = !isLike(keyOf(node), slug(text)) || (keyOf(node) !== "" && isSpokenOf(root, keyOf(node)));
        node.isCalled = valueOf(node, "sub_dimension") !== text.slice(0, 80).trim();
        if (keyOf(node)) node.source = text;
      }
      if (node.source === text) return;
      node.source = text;
      if (!node.isNamed) fieldOf(node, "key").value = freeKey(node, text);
      if (!node.isCalled && from === "text") fieldOf(node, "sub_dimension").value = text.slice(0, 80).trim();
    });
  };

  // --- what depends on other parts ---------------------------------------------------------------------
  const holds = (node, needs) => {
    const at = needs.startsWith("^") ? outer(node) : node;
    const [field, wanted] = needs.replace("^", "").split("=");
    const value = listOf(at, field) ? String(partsOf(at, field).length) : valueOf(at, field);
    return wanted.split(",").includes(value);
  };

  const entry = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
  const unnamed = gettext("unnamed");
  const labelled = (text, at) => text || `${at + 1}. ${unnamed}`;

  const refer = (control) => {
    const options = partsOf(criterionOf(control), "options");
    if (control.wanted) {
      const found = options.find((each) => keyOf(each) === control.wanted);
      if (found) [control.ref, control.wanted] = [found.uid, ""];
    }
    const entries = options.map((each, at) => entry(each.uid, labelled(valueOf(each, "label"), at)));
    const isLost = control.wanted || (control.ref && !options.some((each) => each.uid === control.ref));
    if (isLost) {
      const lost = control.wanted || valueOf(parts.get(control.ref), "label");
      entries.push(entry(control.ref ?? "", interpolate(gettext("%(name)s (removed)"), { name: lost }, true)));
    } else entries.unshift(entry("", gettext("Choose …")));
    control.replaceChildren(...entries);
    control.value = control.ref ?? "";
  };

  // A later question is found too: it is said to be none that can be depended on, and its key may change all the same.
  const resolveWhen = (node, all) => {
    const found = node.depends?.wanted && all.find((each) => keyOf(each.node) === node.depends.wanted.criterion);
    if (!found) return;
    const wanted = node.depends.wanted.options;
    const options = partsOf(found.node, "options").filter((each) => wanted.includes(keyOf(each)));
    if (options.length === wanted.length) node.depends = { criterion: found.node.uid, options: new Set(options.map((each) => each.uid)) };
  };

  const box = (node, option) => {
    const label = document.createElement("label");
    const input = Object.assign(document.createElement("input"), { type: "checkbox", value: option.uid });
    input.checked = node.depends.options.has(option.uid);
    label.append(input, ` ${valueOf(option, "label") || unnamed}`);
    return label;
  };

  // Each criterion is looked at once: with fifty of them, looking again for every pair would be felt at every key.
  const facts = (root) => {
    const unit = valueOf(root, "unit");
    return partsOf(root, "criteria").map((node) => ({
      node,
      unit: valueOf(node, "unit") || unit,
      name: valueOf(node, "name"),
      isChoice: ["single", "computed"].includes(valueOf(node, "kind")),
    }));
  };

  const showWhen = ({ node, unit }, all, earlier) => {
    resolveWhen(node, all);
    const fitting = earlier.filter((each) => each.isChoice && each.unit === unit);
    const [select] = own(node, "[data-when-criterion]");
    const entries = fitting.map((each) => entry(each.node.uid, interpolate(gettext("Depending on “%(name)s”"), each, true)));
    const chosen = node.depends?.criterion ?? "";
    if (node.depends && !fitting.some((each) => each.node.uid === chosen)) {
      const name = node.depends.wanted?.criterion ?? valueOf(parts.get(chosen), "name");
      const lost = gettext("Depending on “%(name)s”, which is not an earlier question");
      entries.push(entry(chosen || "lost", interpolate(lost, { name }, true)));
    }
    select.replaceChildren(entry("", gettext("Always")), ...entries);
    select.value = node.depends ? chosen || "lost" : "";
    const options = chosen ? partsOf(parts.get(chosen), "options") : [];
    own(node, "[data-when-options]")[0].replaceChildren(...options.map((each) => box(node, each)));
  };

  // --- paths and titles ----------------------------------------------------------------------------------
  const route = (node, path) => {
    node.dataset.path = path;
    own(node, "[data-field-of]").forEach((each) => (each.dataset.path = [path, each.dataset.fieldOf].filter(Boolean).join(".")));
    own(node, "[data-when]").forEach((each) => (each.dataset.path = `${path}.when`));
    own(node, "[data-list]").forEach((list) => {
      list.dataset.path = [path, list.dataset.list].filter(Boolean).join(".");
      itemsOf(list).forEach((each, at, all) => {
        route(each, `${list.dataset.path}[${at}]`);
        entitle(each, at, all.length);
      });
    });
  };

  const NAMED_BY = { criterion: "name", option: "label", explanation: "text", example: "title", turn: "speaker", candidate: "text" };
  // Without a text of its own, and with it. They stand inside sentences: "Removed answer 2 “Yes”."
  const TITLES = {
    criterion: [gettext("criterion %(n)s"), gettext("criterion %(n)s “%(text)s”")],
    option: [gettext("answer %(n)s"), gettext("answer %(n)s “%(text)s”")],
    explanation: [gettext("reason %(n)s"), gettext("reason %(n)s “%(text)s”")],
    example: [gettext("example %(n)s"), gettext("example %(n)s “%(text)s”")],
    turn: [gettext("turn %(n)s"), gettext("turn %(n)s “%(text)s”")],
    candidate: [gettext("response %(n)s"), gettext("response %(n)s “%(text)s”")],
    condition: [gettext("sentence %(n)s"), gettext("sentence %(n)s “%(text)s”")],
    notice: [gettext("notice %(n)s"), gettext("notice %(n)s “%(text)s”")],
    fact: [gettext("fact %(n)s"), gettext("fact %(n)s “%(text)s”")],
  };

  const titleOf = (node) => {
    const text = valueOf(node, NAMED_BY[node.dataset.node] ?? "").trim().slice(0, 40);
    const [bare, quoting] = TITLES[node.dataset.node];
    return interpolate(text ? quoting : bare, { n: siblingsBefore(node) + 1, text }, true);
  };

  const siblingsBefore = (node) => [...node.parentElement.children].filter((each) => each.matches("[data-node]")).indexOf(node);

  const entitle = (node, at, n) => {
    const title = titleOf(node);
    const name = valueOf(node, "name") || gettext("New criterion");
    own(node, "[data-title]").forEach((each) => (each.textContent = `${at + 1}. ${name}`));
    own(node, "[data-says]").forEach((button) => {
      const { says } = button.dataset;
      // Translators: the name of a button: "Move up answer 2".
      button.setAttribute("aria-label", interpolate(gettext("%(says)s %(title)s"), { says, title }, true));
      button.title = says;
      button.disabled = (button.dataset.do === "up" && at === 0) || (button.dataset.do === "down" && at === n - 1);
    });
  };

  // After every change: keys that follow names, what speaks of them, what applies, what can be referred to, and where everything is.
  const refresh = (root) => {
    window.Parley.followRoles(root);
    follow(root);
    window.Parley.carryKeys(root);
    root.querySelectorAll("[data-needs]").forEach((each) => (each.hidden = !holds(each.parentElement.closest("[data-node]"), each.dataset.needs)));
    root.querySelectorAll('[data-type="option"]').forEach(refer);
    facts(root).forEach((each, at, all) => showWhen(each, all, all.slice(0, at)));
    route(root, "");
  };

  window.Parley = { ...window.Parley, Form: { build, fieldOf, fill, itemsOf, listOf, outer, own, parts, partsOf, read, refresh, titleOf, valueOf } };
})();
