// Answers of a pasted table, in Markdown or from a spreadsheet. The server reads it, with the words of the page for what is no table.
(() => {
  "use strict";
  const { itemsOf, outer, valueOf } = window.Parley.Form;
  const ANSWER_TEXTS = ["label", "definition"];
  let lastPanel = 0;

  const replaced = (n) => interpolate(ngettext("Replaced %(n)s answer with those from the table.", "Replaced %(n)s answers with those from the table.", n), { n }, true);
  const made = (n) => interpolate(ngettext("Created %(n)s answer from the table.", "Created %(n)s answers from the table.", n), { n }, true);

  // Two lines with cells, one of them within bars, or two lines with tabs: prose with a single | in it is none.
  const isLikeTable = (text) => {
    const lines = text.split("\n");
    const rows = lines.filter((line) => line.includes("|"));
    const isOfSpreadsheet = lines.filter((line) => line.trim().includes("\t")).length > 1;
    return isOfSpreadsheet || (rows.length > 1 && rows.some((line) => /^\s*\|.*\|\s*$/.test(line)));
  };

  class Tables {
    // `ask` sends something to the server: ask({...}) -> {status, answer}; `trouble` says that it did not get there.
    constructor(root, moves, { ask, say, trouble }) {
      Object.assign(this, { moves, ask, say, trouble });
      root.addEventListener("click", (event) => this.onClick(event));
      root.addEventListener("keydown", (event) => this.onKey(event));
      root.addEventListener("paste", (event) => this.onPaste(event));
    }

    onClick({ target }) {
      const button = target.closest("button");
      const panel = button?.closest("[data-table]");
      if (panel && "tableMake" in button.dataset) this.make(panel);
      else if (panel && "tableClose" in button.dataset) this.close(panel);
      else if (button && "pasteTable" in button.dataset) this.toggle(button.closest("[data-list]"));
    }

    onKey(event) {
      const panel = event.key === "Escape" && event.target.closest("[data-table]");
      if (!panel) return;
      event.preventDefault();
      this.close(panel);
    }

    // --- the panel ------------------------------------------------------------------------------------
    toggle(list) {
      const panel = list.querySelector("[data-table]");
      if (panel) this.close(panel);
      else this.open(list).querySelector("textarea").focus();
    }

    open(list) {
      const { content } = document.querySelector('template[data-template="table"]');
      const panel = document.importNode(content.firstElementChild, true);
      lastPanel += 1;
      const [area, label, help, line] = ["textarea", "label", "small", ".field-error"].map((each) => panel.querySelector(each));
      Object.assign(area, { id: `table-${lastPanel}` });
      label.htmlFor = area.id;
      help.id = `${area.id}-help`;
      line.id = `${area.id}-error`;
      area.setAttribute("aria-describedby", `${help.id} ${line.id}`);
      list.append(panel);
      this.toolOf(panel).setAttribute("aria-expanded", "true");
      return panel;
    }

    close(panel) {
      const tool = this.toolOf(panel);
      panel.remove();
      tool.setAttribute("aria-expanded", "false");
      tool.focus();
    }

    toolOf(panel) {
      return panel.closest("[data-list]").querySelector("[data-paste-table]");
    }

    async make(panel) {
      if (panel.isAsking) return;
      panel.isAsking = true;
      const area = panel.querySelector("textarea");
      const between = panel.querySelector("[data-table-between]").checked;
      try {
        const { status, answer } = await this.ask({ action: "table", text: area.value, between });
        if (!panel.isConnected) return;
        if (status === 200) this.put(panel, answer);
        else this.refuse(panel, answer.message);
      } catch {
        this.trouble();
      } finally {
        panel.isAsking = false;
      }
    }

    put(panel, { options, scale, notes }) {
      const list = panel.closest("[data-list]");
      const before = itemsOf(list).filter((each) => valueOf(each, "label"));
      const done = before.length ? `${replaced(before.length)} ${made(options.length)}` : made(options.length);
      this.close(panel);
      this.moves.replaceAnswers(list, scale, options, [done, ...notes].join(" "));
    }

    refuse(panel, message) {
      const area = panel.querySelector("textarea");
      const line = panel.querySelector(".field-error");
      line.textContent = message;
      line.hidden = false;
      area.setAttribute("aria-invalid", "true");
      area.focus();
    }

    // --- a table pasted where one sentence belongs --------------------------------------------------------
    onPaste({ target, clipboardData }) {
      const node = target.closest("[data-node]");
      const isCondition = node?.matches('[data-node="condition"]');
      const isText = node?.matches('[data-node="option"]') && ANSWER_TEXTS.includes(target.dataset.field);
      const text = clipboardData?.getData("text/plain").replace(/\r\n?/g, "\n") ?? "";
      if ((isCondition || isText) && isLikeTable(text)) this.offer(isCondition ? outer(node) : node, target, text);
    }

    // The text is pasted as anywhere else; who takes the offer has it in the answers, and no longer in the field.
    offer(option, field, text) {
      const before = field.value;
      const sentence = gettext("This looks like a table. Create answers from it?");
      const strip = Object.assign(document.createElement("p"), { className: "edit-undo small", textContent: `${sentence} ` });
      const button = (label, className, act) => {
        const one = Object.assign(document.createElement("button"), { type: "button", className, textContent: label });
        one.addEventListener("click", () => {
          strip.remove();
          act();
        });
        strip.append(one, " ");
      };
      const list = option.closest("[data-list]");
      button(gettext("Create the answers"), "inline", () => {
        field.value = before;
        field.dispatchEvent(new Event("input", { bubbles: true }));
        const panel = list.querySelector("[data-table]") ?? this.open(list);
        panel.querySelector("textarea").value = text;
        this.make(panel);
      });
      button(gettext("Leave it as it is"), "inline outline", () => field.focus());
      list.querySelectorAll("[data-table-offer]").forEach((each) => each.remove());
      strip.dataset.tableOffer = "";
      option.after(strip);
      this.say(sentence);
    }
  }

  window.Parley = { ...window.Parley, Tables };
})();
