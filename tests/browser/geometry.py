"""What the eye sees of the rating screen: boxes and the topmost element at points, never the state behind them."""

from playwright.sync_api import Page, expect

# The visible rectangle of an element: within the window and within every pane around it that scrolls.
SEEN = """
(() => {
  const clip = (element) => {
    let { top, bottom, left, right } = element.getBoundingClientRect();
    for (let pane = element.parentElement; pane; pane = pane.parentElement) {
      if (getComputedStyle(pane).overflowY === "visible") continue;
      const box = pane.getBoundingClientRect();
      top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom);
      left = Math.max(left, box.left); right = Math.min(right, box.right);
    }
    [top, left] = [Math.max(top, 0), Math.max(left, 0)];
    return { top, left, bottom: Math.min(bottom, innerHeight), right: Math.min(right, innerWidth) };
  };
  const isOnTop = (element, x, y) => {
    const found = document.elementFromPoint(x, y);
    return Boolean(found) && (element.contains(found) || found.contains(element));
  };
  const name = (element) => element.className || element.tagName;
  // Whole: not a pixel of it outside (two are forgiven), and its corners and its middle covered by nothing.
  window.isWhole = (element) => {
    const box = element.getBoundingClientRect();
    const seen = clip(element);
    const cut = Math.max(seen.top - box.top, box.bottom - seen.bottom, seen.left - box.left, box.right - seen.right);
    if (!box.height || cut > 2) return `${name(element)} is cut by ${Math.round(cut)} px`;
    const isSeenAt = ([x, y]) => isOnTop(element, box.left + box.width * x, box.top + box.height * y);
    return [[0.5, 0.5], [0.04, 0.1], [0.96, 0.9]].every(isSeenAt) ? "" : `${name(element)} is covered`;
  };
  // Its beginning: the first line of it.
  window.beginsInView = (element) => {
    const box = element.getBoundingClientRect();
    const seen = clip(element);
    const height = Math.min(box.height, 18);
    if (seen.top - box.top > 2 || box.top + height > seen.bottom) return `${name(element)} does not begin in view`;
    const isSeen = isOnTop(element, box.left + Math.min(box.width / 2, 40), box.top + height / 2);
    return isSeen ? "" : `${name(element)} begins under something`;
  };
})()
"""
LOOK = """
() => {
  const problems = [];
  const active = [...document.querySelectorAll("fieldset[data-active]")].filter((each) => each.offsetHeight);
  if (active.length !== 1) return [`${active.length} active questions`];
  const [question] = active;
  const focused = document.activeElement;
  const isAtSave = focused.matches("[data-save]");
  if (!isAtSave && !question.contains(focused)) problems.push(`the focus is on ${focused.outerHTML.slice(0, 80)}`);
  if (getComputedStyle(question).boxShadow === "none") problems.push("the active question has no frame");
  const legend = question.querySelector("legend");
  if (!legend.textContent.trim()) problems.push("the active question has no name");
  problems.push(isWhole(legend));
  question.querySelectorAll(".options .choice, .mark-turns .choice").forEach((each) => problems.push(isWhole(each)));
  problems.push(isWhole(document.querySelector("[data-save]")));
  const judged = document.querySelector("[data-judged]:not([hidden])");
  const read = judged ?? document.querySelector("[data-context] .turn");
  if (read && !window.hasScrolled) problems.push(beginsInView(read));
  if (document.documentElement.scrollWidth > innerWidth) problems.push("the page is wider than the window");
  if (scrollY || document.documentElement.scrollTop) problems.push("the page has scrolled");
  return problems.filter(Boolean);
}
"""


def watch(page: Page) -> None:
    page.add_init_script(SEEN)


def expect_seen(page: Page, what: str) -> None:
    """One active question with frame, focus and name, whole; the beginning of what is to be read in view."""
    expect(page.locator("[data-stage]:not([aria-busy])")).to_have_count(1)
    expect(page.locator("#rate[data-ready]")).to_have_count(1)
    problems = page.evaluate(LOOK)
    assert problems == [], f"{what}: {problems}"
