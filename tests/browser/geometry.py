"""What the eye sees of the rating screen: boxes and the topmost element at points, never the state behind them."""

from playwright.sync_api import Error, Page

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
  const HERE = "#rate[data-ready] [data-stage]:not([aria-busy]), body:not(.rating) main";
  const isHere = () => document.querySelector(HERE);
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const FRAMES = 10; // a sixth of a second: nobody sees what is put right within it
  // What `look` says of the screen once it hears keys; what displeases is looked at again in the next frames.
  // Undefined on the page that follows the screen.
  window.lookAtScreen = async (look, isGood) => {
    const deadline = performance.now() + 10000;
    while (!isHere() && performance.now() < deadline) await painted();
    if (!isHere()) throw new Error("no screen that hears keys, and no other page");
    if (!document.querySelector("#rate")) return undefined;
    let seen = look();
    for (let frame = 0; frame < FRAMES && !isGood(seen); frame += 1) {
      await painted();
      seen = look();
    }
    return seen;
  };
})()
"""
LOOK = """
() => {
  const seenOf = (fieldset) => {
    const choices = [...fieldset.querySelectorAll(".choice input")].map((input) => ({
      key: input.dataset.key, value: input.value, isPlain: !input.closest(".option")?.querySelector(".why") }));
    return { name: fieldset.dataset.name, criterion: fieldset.dataset.criterion, kind: fieldset.dataset.kind, choices };
  };
  const problemsOf = (question) => {
    const problems = [];
    const focused = document.activeElement;
    const isAtSave = focused.matches("[data-save]");
    if (!isAtSave && !question.contains(focused)) problems.push(`the focus is on ${focused.outerHTML.slice(0, 80)}`);
    if (getComputedStyle(question).boxShadow === "none") problems.push("the active question has no frame");
    const legend = question.querySelector("legend");
    if (!legend.textContent.trim()) problems.push("the active question has no name");
    const isTooTall = question.offsetHeight > question.closest("[data-questions]").clientHeight;
    if (focused.matches("textarea") && isTooTall) return [...problems, isWhole(focused)];
    if (document.querySelector("#rate[data-drawn]") && isTooTall) return [...problems, isWhole(legend)];
    const choices = [...question.querySelectorAll(".options .choice, .mark-turns .choice")];
    // At 400 % ten long answers do not fit: they scroll below their question, from the first one on.
    if (innerHeight < 300 && isTooTall) return [...problems, isWhole(legend), isWhole(choices[0])];
    return [...problems, ...[legend, ...choices, document.querySelector("[data-save]")].map(isWhole)];
  };
  const problemsAround = () => {
    const problems = [];
    const isJudging = document.querySelector("[data-judged]");
    const read = document.querySelector(isJudging ? "[data-judged]:not([hidden])" : "[data-context] .turn");
    const isDrawn = document.querySelector("#rate[data-drawn]");
    if (!read) problems.push("nothing is there to be read");
    else if (!isDrawn) problems.push(beginsInView(read));
    if (document.documentElement.scrollWidth > innerWidth) problems.push("the page is wider than the window");
    if (scrollY || document.documentElement.scrollTop) problems.push("the page has scrolled");
    return problems;
  };
  const look = () => {
    const active = [...document.querySelectorAll("fieldset[data-active]")].filter((each) => each.offsetHeight);
    if (active.length !== 1) return { problems: [`${active.length} active questions`] };
    const [question] = active;
    const asked = [...document.querySelectorAll(".step:not([hidden]) fieldset.asked")];
    return {
      ...seenOf(question),
      problems: [...problemsOf(question), ...problemsAround()].filter(Boolean),
      path: location.pathname,
      n: asked.filter((each) => !each.hidden).length,
      depending: asked.filter((each) => each.hidden && each.dataset.when).map((each) => each.dataset.when),
      isAtSave: document.activeElement.matches("[data-save]"),
      isText: document.activeElement.matches("textarea"),
      isRefused: asked.some((each) => each.querySelector("[data-error]:not([hidden])")),
      isNarrow: Boolean(document.querySelector(".sheet-head").offsetHeight),
    };
  };
  return lookAtScreen(look, (seen) => !seen.problems.length);
}
"""


def ask(page: Page, script: str, arg: object = None) -> object:
    """What a script says of the page; if that leaves meanwhile, of the one that follows."""
    try:
        return page.evaluate(script, arg)
    except Error as error:
        if "context was destroyed" not in error.message:
            raise
        page.wait_for_load_state()
        return ask(page, script, arg)


def expect_seen(page: Page, what: str) -> dict | None:
    """One active question with frame, focus and name, whole; the beginning of what is to be read in view.

    Returns what there is to press, or None on the page that follows the screen.
    """
    seen = ask(page, LOOK)
    assert not seen or seen["problems"] == [], f"{what}: {seen['problems']}"
    return seen
