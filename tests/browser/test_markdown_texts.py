"""Texts as they were meant, in a real browser: formatted, folded, as typed at a key, and harmless whatever they say."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Candidate, Dialogue, Study
from tests.browser.helpers import Screen
from tests.browser.rating import begin
from tests.cast import Cast

pytestmark = pytest.mark.django_db(transaction=True)

TALE = "\n\n".join(f"Part **{n}** of a long tale that is told slowly and has a moral at its end." for n in range(200))
CODE = "    for item in items:\n        print(item, '" + "wide " * 60 + "')"
ANSWER = f"""# Sorting

Sure! Here are **two** ways:
1. `sorted(x)`
   - stable
2. [the docs](https://example.org/docs)

```python
{CODE}
```

| Name | Cost |{" Note |" * 20}
|---|--:|{"---|" * 20}
| Merge | 1 |{" something long |" * 20}
"""
HOSTILE = """<script>window.hit=1</script> **x** <img src=x onerror='window.hit=1'>
[a](javascript:window.hit=1) ![b](https://example.org/track.png) <style>body{display:none}</style>

- <iframe src="https://example.org"></iframe>
- [c](data:text/html,<script>window.hit=1</script>) `<svg onload=window.hit=1>`

```"><script>window.hit=1</script>
</code></pre><script>window.hit=1</script>
```

| <a href="https://example.org" onclick="window.hit=1">d</a> |
|---|
| ![](x" onerror="window.hit=1) |
"""
ARABIC = "**أفهم** ذلك\n\n- وماذا تفعل\n\n- حين يعود؟\n\n> قال"


def set_texts(cast: Cast, text: str, text_format: str = "markdown") -> None:
    """The last turn and every response say this."""
    for dialogue in Dialogue.objects.filter(study=cast.study):
        dialogue.turns[-1]["text"] = text
        dialogue.save()
    Candidate.objects.filter(dialogue__study=cast.study).update(text=text)
    Study.objects.filter(pk=cast.study.pk).update(text_format=text_format)


def opened(open_screen, cast: Cast, assignment: Assignment, text: str, **options: object) -> Screen:
    set_texts(cast, text, str(options.pop("text_format", "markdown")))
    screen = open_screen(cast.annotator.user, **options)
    begin(screen, assignment)
    return screen


def last_turn(page: Page):
    return page.locator(".turn:not(.next)").last


# --- formatted -----------------------------------------------------------------------------------------
def test_lists_tables_and_code_look_like_what_they_are(open_screen, cast: Cast, assignment: Assignment):
    page = opened(open_screen, cast, assignment, ANSWER).page
    turn = last_turn(page)
    expect(turn.locator("ol > li")).to_have_count(2)
    expect(turn.locator("td").first).to_have_text("Merge")
    code = turn.locator("pre code")
    assert code.inner_text().rstrip("\n") == CODE
    assert "mono" in code.evaluate("element => getComputedStyle(element).fontFamily").lower()
    assert page.locator(".rate-dialogue a[href*='example.org'], .turn h1, .candidate h1").count() == 0
    expect(turn).to_contain_text("the docs (https://example.org/docs)")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_wide_code_and_tables_scroll_by_themselves_and_are_no_barrier(
    open_screen, cast: Cast, assignment: Assignment, width: int, scheme: str
):
    screen = opened(open_screen, cast, assignment, ANSWER, width=width, color_scheme=scheme)
    for region in (".text-code", ".text-table"):
        assert last_turn(screen.page).locator(region).evaluate("each => each.scrollWidth > each.clientWidth")
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""


def test_right_to_left_blocks_run_from_the_right_and_code_from_the_left(open_screen, cast: Cast, assignment):
    page = opened(open_screen, cast, assignment, f"{ARABIC}\n\n```\nx = 1\n```").page
    direction = "element => getComputedStyle(element).direction"
    turn = last_turn(page)
    assert [turn.locator(each).first.evaluate(direction) for each in ("p", "ul", "blockquote", "pre")] == [
        *["rtl"] * 3,
        "ltr",
    ]


def test_hostile_markdown_stays_text_and_asks_nobody_for_anything(open_screen, cast: Cast, assignment: Assignment):
    set_texts(cast, HOSTILE)
    screen = open_screen(cast.annotator.user)
    asked: list[str] = []
    screen.listen("request", lambda request: asked.append(request.url))
    page = begin(screen, assignment)
    page.wait_for_load_state("networkidle")
    expect(last_turn(page)).to_contain_text("<script>window.hit=1</script> x <img src=x onerror='window.hit=1'>")
    expect(last_turn(page).locator("strong")).to_have_text("x")
    found = page.locator(".turns :is(script, style, img, iframe, svg, a, [onerror], [onclick], [style])")
    assert found.count() == 0
    assert page.evaluate("window.hit") is None
    assert [url for url in asked if not url.startswith(screen.url)] == []


def test_without_javascript_texts_are_formatted_and_their_folds_open(open_screen, cast: Cast, assignment: Assignment):
    page = opened(open_screen, cast, assignment, TALE, java_script_enabled=False).page
    turn = last_turn(page)
    expect(turn.locator("strong").first).to_have_text("0")
    expect(turn.get_by_text("Part 100 of")).to_be_hidden()
    turn.locator("summary:visible").click()
    expect(turn.get_by_text("Part 100 of")).to_be_visible()
    expect(page.locator("[data-text-tools]").first).to_be_hidden()


# --- as typed ------------------------------------------------------------------------------------------
def test_a_key_shows_texts_as_typed_and_the_next_step_too(open_screen, cast: Cast, assignment: Assignment):
    screen = opened(open_screen, cast, assignment, "**bold** words")
    page = screen.page
    button = page.get_by_role("button", name="Show texts as typed")
    expect(button).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("m")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(last_turn(page).get_by_text("**bold** words")).to_be_visible()
    expect(last_turn(page).locator("strong")).to_be_hidden()
    page.reload()
    expect(last_turn(page).get_by_text("**bold** words")).to_be_visible()
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(last_turn(page).locator("strong")).to_be_visible()


def test_the_letter_can_be_written_in_a_text(open_screen, cast: Cast, assignment: Assignment):
    page = opened(open_screen, cast, assignment, "**bold** words").page
    page.evaluate("document.querySelector('.step:not([hidden])').append(document.createElement('textarea'))")
    page.locator(".step:visible > textarea").press("m")
    expect(page.locator(".step:visible > textarea")).to_have_value("m")
    expect(last_turn(page).locator("strong")).to_be_visible()


def test_in_a_plain_study_marks_are_text_and_the_key_does_nothing(open_screen, cast: Cast, assignment: Assignment):
    page = opened(open_screen, cast, assignment, "**bold** words", text_format="plain").page
    page.keyboard.press("m")
    expect(last_turn(page).locator("p")).to_have_text("**bold** words")
    expect(page.get_by_role("button", name="Show texts as typed")).to_be_hidden()


# --- long texts ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("text_format", ["plain", "markdown"])
def test_a_long_text_folds_in_the_middle_and_opens(open_screen, cast: Cast, assignment: Assignment, text_format: str):
    screen = opened(open_screen, cast, assignment, TALE, text_format=text_format)
    page, turn = screen.page, last_turn(screen.page)
    for n, is_shown in ((0, True), (100, False), (199, True)):
        expect(turn.locator(":visible", has_text=f"{n}").first).to_be_visible()
        assert (f"{n} of a long" in turn.inner_text().replace("*", "")) is is_shown
    turn.locator("summary:visible").click()
    assert "100 of a long" in turn.inner_text().replace("*", "")
    expect(turn.locator("summary:visible")).to_contain_text("Hide")
    page.keyboard.press("M")
    assert page.locator(".text-more:not([open])").count() == 0
    page.get_by_role("button", name="Shorten long texts").click()
    assert page.locator(".text-more[open]").count() == 0
    expect(page.get_by_role("button", name="Show long texts in full")).to_be_visible()
    assert screen.barriers() == ""


def test_what_was_opened_formatted_is_open_as_typed(open_screen, cast: Cast, assignment: Assignment):
    page = opened(open_screen, cast, assignment, TALE).page
    turn = last_turn(page)
    turn.locator("summary:visible").click()
    page.keyboard.press("m")
    expect(turn.locator(".text-raw details")).to_have_attribute("open", "")
    assert "Part **100** of a long" in turn.inner_text()


# --- elsewhere -----------------------------------------------------------------------------------------
def test_the_settings_show_the_first_dialogue_in_both_formats(open_screen, cast: Cast):
    set_texts(cast, ANSWER, "plain")
    screen = open_screen(cast.owner)
    page = screen.go(reverse("study_settings", args=[cast.study.slug]))
    section = page.locator("section", has=page.get_by_role("heading", name="Your first dialogue in both formats")).last
    expect(section).to_contain_text("look like Markdown")
    expect(section.locator("ol > li").first).to_contain_text("sorted(x)")
    expect(section).to_contain_text("1. `sorted(x)`")
    assert screen.barriers() == ""
    page.get_by_label("Dialogues and responses are shown").select_option("markdown")
    page.get_by_role("button", name="Save the settings").click()
    expect(page.get_by_role("status")).to_contain_text("saved")
    assert Study.objects.get(pk=cast.study.pk).text_format == "markdown"


def test_the_switch_begins_where_the_other_words_do(open_screen, cast: Cast, assignment: Assignment):
    page = opened(open_screen, cast, assignment, TALE, text_format="plain").page
    switch = page.locator("[data-when-folded]").bounding_box()
    heading = page.locator(".context-head h2").bounding_box()
    assert abs(switch["x"] - heading["x"]) <= 1
