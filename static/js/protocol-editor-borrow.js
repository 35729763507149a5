// Questions of another protocol, copied into this one. The server reads them; here they become parts like any other.
(() => {
  "use strict";
  const { build, listOf, partsOf, valueOf } = window.Parley.Form;
  const COMMA = pgettext("between two of a list", ", ");
  const quoted = (names) => names.map((name) => `“${name}”`).join(COMMA);
  const parentOf = ({ when }) => when?.[0]?.criterion;

  class Borrowing {
    // `ask` sends something to the server: ask({...}) -> {status, answer}; `trouble` says that it did not get there.
    constructor(root, { ask, changed, trouble }) {
      Object.assign(this, { root, ask, changed, trouble, criteria: [] });
      this.panel = root.querySelector("[data-borrow]");
      this.part("from").addEventListener("change", () => this.show());
      this.part("copy").addEventListener("click", () => this.copy());
    }

    part(name) {
      return this.panel.querySelector(`[data-borrow-${name}]`);
    }

    async show() {
      const from = this.part("from").value;
      this.offer([]);
      this.refuse("");
      this.part("said").textContent = "";
      if (!from) return;
      try {
        const { status, answer } = await this.ask({ action: "questions", from });
        if (from !== this.part("from").value) return;
        if (status === 200) this.offer(answer.criteria);
        else this.refuse(answer.message);
      } catch {
        this.trouble();
      }
    }

    refuse(message) {
      this.part("error").textContent = message;
      this.part("error").hidden = !message;
    }

    offer(criteria) {
      this.criteria = criteria;
      ["questions", "copy"].forEach((name) => (this.part(name).hidden = !criteria.length));
      this.part("boxes").replaceChildren(...criteria.map((each, at) => this.box(each, at)));
    }

    box({ name, question }, at) {
      const label = document.createElement("label");
      const strong = Object.assign(document.createElement("strong"), { textContent: name, dir: "auto" });
      label.append(Object.assign(document.createElement("input"), { type: "checkbox", value: at }), strong, ` ${question}`);
      return label;
    }

    // What a ticked question depends on comes with it.
    chosen() {
      const ticked = [...this.part("questions").querySelectorAll("input:checked")].map((each) => this.criteria[each.value]);
      const found = new Set(ticked);
      found.forEach((each) => this.criteria.filter((other) => other.key === parentOf(each)).forEach((other) => found.add(other)));
      return { ticked, all: this.criteria.filter((each) => found.has(each)) };
    }

    copy() {
      const { ticked, all } = this.chosen();
      this.refuse(all.length ? "" : gettext("Tick at least one question."));
      if (!all.length) return;
      const here = partsOf(this.root, "criteria");
      const clashing = all.filter((each) => here.some((node) => valueOf(node, "key") === each.key || valueOf(node, "name") === each.name));
      const made = new Map(all.map((each) => [each.key, this.put(each, here)]));
      all.filter(parentOf).forEach((each) => this.depend(made.get(each.key), each.when[0], made.get(parentOf(each))));
      this.changed();
      this.part("said").textContent = this.sentences(all, ticked, clashing).join(" ");
      this.part("questions").querySelectorAll("input").forEach((each) => (each.checked = false));
    }

    // A key that is taken here is made anew from the name.
    put(criterion, here) {
      const isTaken = here.some((node) => valueOf(node, "key") === criterion.key);
      const unit = criterion.unit === valueOf(this.root, "unit") ? "" : criterion.unit;
      const node = build("criterion", { ...criterion, unit, key: isTaken ? "" : criterion.key });
      listOf(this.root, "criteria").querySelector("[data-items]").append(node);
      return node;
    }

    depend(node, { options }, parent) {
      const meant = partsOf(parent, "options").filter((each) => options.includes(valueOf(each, "key")));
      node.depends = { criterion: parent.uid, options: new Set(meant.map((each) => each.uid)) };
    }

    sentences(all, ticked, clashing) {
      const n = all.length;
      const said = [interpolate(ngettext("Copied %(n)s question.", "Copied %(n)s questions.", n), { n }, true)];
      const along = all.filter((each) => !ticked.includes(each)).map((each) => each.name);
      const names = (text, these) => interpolate(text, { names: quoted(these) }, true);
      if (along.length) said.push(names(gettext("Copied too, because others depend on it: %(names)s."), along));
      if (clashing.length) said.push(names(gettext("The protocol already has a question of this name: %(names)s. Rename one of them."), clashing.map((each) => each.name)));
      return said;
    }
  }

  window.Parley = { ...window.Parley, Borrowing };
})();
