// The role of an answer is said where it can be seen. A ready-made answer whose label is typed over gives its role up.
(() => {
  "use strict";
  const { fieldOf, outer, own, valueOf } = window.Parley.Form;
  const STOCK = { good: "positive", bad: "negative", yes: "positive", no: "negative", unsure: "unsure" };
  const LABELS = { yes: pgettext("answer", "Yes"), no: pgettext("answer", "No") };

  const isUnsure = (root, label) => new RegExp(root.dataset.unsure, "i").test(label.replace(/’/g, "'"));
  const isReadyMade = (root, key, label) => (key === "unsure" ? isUnsure(root, label) : label === LABELS[key] || label.toLowerCase() === key);

  const stockOf = (root, node) => {
    const key = valueOf(node, "key");
    const role = valueOf(node, "role");
    return STOCK[key] === role && isReadyMade(root, key, valueOf(node, "label").trim()) ? { key, role, isOver: false } : null;
  };

  // An answer of a single choice may well stay the good or the bad one under another name.
  const isTypedOver = (root, node, key) => {
    const label = valueOf(node, "label").trim();
    if (!label || isReadyMade(root, key, label)) return false;
    return key === "unsure" || valueOf(outer(node), "kind") === "multiple";
  };

  const adapt = (root, node, control) => {
    const { key, role, isOver } = node.stock;
    if (control.value !== (isOver ? "neutral" : role)) {
      node.stock = null; // chosen by hand
      return;
    }
    node.stock.isOver = isTypedOver(root, node, key);
    if (node.stock.isOver === isOver) return;
    control.value = isOver ? role : "neutral";
    if (key !== "unsure") return; // other keys follow their labels already
    node.isNamed = isOver;
    if (isOver) fieldOf(node, "key").value = key;
  };

  const show = (node, control) => {
    const [badge] = own(node, "[data-role-said]");
    badge.hidden = control.value === "neutral";
    const role = control.selectedOptions[0]?.textContent ?? "";
    badge.textContent = interpolate(gettext("Role: %(role)s"), { role }, true);
  };

  const followRoles = (root) => {
    root.querySelectorAll('[data-node="option"]').forEach((node) => {
      const control = fieldOf(node, "role");
      if (node.stock === undefined) node.stock = stockOf(root, node);
      if (node.stock) adapt(root, node, control);
      show(node, control);
    });
  };

  window.Parley = { ...window.Parley, followRoles };
})();
