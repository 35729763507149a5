// Rules and translations speak of criteria, answers and reasons by their keys. A key that is changed by hand is changed
// there too.
//
// What a text speaks of is looked up once, when it is loaded or typed, and is a part from then on. So two parts may have
// the same key for a moment, while one is being typed, and are told apart all the same.
(() => {
  "use strict";
  const { own, parts, partsOf, valueOf } = window.Parley.Form;
  const LISTS = ["criteria", "options", "explanations"];
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const keyOf = (uid) => valueOf(parts.get(uid), "key");

  const parsed = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return null; // half typed: looked at again when it is whole
    }
  };

  // Which part a text means by a key, within the part around it.
  class Meant {
    constructor(root) {
      this.root = root;
      this.uids = new Map(); // "criterion’s uid / key" -> uid
    }

    uid(around, key) {
      const place = `${around?.uid ?? ""}/${key}`;
      const known = this.uids.get(place);
      if (known && parts.get(known).isConnected) return known;
      const list = LISTS[["document", "criterion", "option"].indexOf((around ?? this.root).dataset.node)];
      const found = partsOf(around ?? this.root, list).find((each) => valueOf(each, "key") === key);
      // One that has another name in this text was given this key since.
      if (found && ![...this.uids.values()].includes(found.uid)) this.uids.set(place, found.uid);
      return this.uids.get(place);
    }

    // [the part, its key now]
    now(around, key) {
      const uid = typeof key === "string" && around !== null ? this.uid(around, key) : undefined;
      return uid ? [parts.get(uid), keyOf(uid) || key] : [null, key];
    }
  }

  // --- the two kinds of text ---------------------------------------------------------------------------
  const conditionNow = (meant, condition) => {
    if (!isObject(condition)) return condition;
    const [criterion, key] = meant.now(undefined, condition.criterion);
    const options = Array.isArray(condition.options) ? condition.options.map((each) => meant.now(criterion, each)[1]) : condition.options;
    return { ...condition, ...("criterion" in condition && { criterion: key }), ...("options" in condition && { options }) };
  };

  const rulesNow = (meant, rules, own_) => {
    if (!Array.isArray(rules)) return rules;
    return rules.map((rule) => {
      if (!isObject(rule)) return rule;
      const when = Array.isArray(rule.when) ? rule.when.map((each) => conditionNow(meant, each)) : rule.when;
      const [, option] = meant.now(own_, rule.option);
      return { ...rule, ...("when" in rule && { when }), ...("option" in rule && { option }) };
    });
  };

  // {key: texts}, and below it those of the next list.
  const textsNow = (meant, texts, around, [list, ...below]) => {
    if (!list || !isObject(texts) || !isObject(texts[list])) return texts;
    const entries = Object.entries(texts[list]).map(([key, each]) => {
      const [part, now] = meant.now(around, key);
      return [now, textsNow(meant, each, part, below)];
    });
    return { ...texts, [list]: Object.fromEntries(entries) };
  };

  const translationsNow = (meant, translations) => {
    if (!isObject(translations)) return translations;
    return Object.fromEntries(Object.entries(translations).map(([language, texts]) => [language, textsNow(meant, texts, undefined, LISTS)]));
  };

  // --- after every change -------------------------------------------------------------------------------
  const carry = (root, control, node) => {
    const isTyped = control.shown !== control.value;
    if (isTyped) Object.assign(control, { shown: control.value, told: parsed(control.value), meant: new Meant(root) });
    const { told, meant } = control;
    if (told === null) return;
    const now = node === root ? translationsNow(meant, told) : rulesNow(meant, told, node);
    const text = JSON.stringify(now, null, 2);
    if (isTyped) control.was = text; // as it is written, until a key changes
    if (text === control.was) return;
    control.was = text;
    control.value = text;
    control.shown = text;
  };

  const carryKeys = (root) => {
    [root, ...partsOf(root, "criteria")].forEach((node) => {
      own(node, '[data-type="json"]').forEach((control) => carry(root, control, node));
    });
  };

  window.Parley = { ...window.Parley, carryKeys };
})();
