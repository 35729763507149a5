"""A protocol made in the browser by somebody who has never seen one: entered, mended, previewed, published."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from protocols.bundles import load_bundle
from protocols.selectors import builtin_bundles
from protocols.services import publish_version
from tests.browser.conftest import SCREENSHOTS
from tests.browser.editor import (
    TINY,
    Hand,
    Open,
    begin,
    draft_of,
    field,
    fill_first_criterion,
    go_on,
    names,
    node,
    note,
    preview,
    rubric,
    state,
    stored,
)
from tests.browser.helpers import LOOKS
from tests.protocols.conftest import SMALL

UNSURE = {"key": "unsure", "label": "I don’t know", "role": "unsure"}

GOOD = SMALL | {
    "guidelines": "Read all.",
    "guidelines_short": "Read.",
    "criteria": [SMALL["criteria"][0] | {"options": [*SMALL["criteria"][0]["options"], UNSURE]}],
}

pytestmark = pytest.mark.django_db(transaction=True)


# --- the journey ---------------------------------------------------------------------------------------
@pytest.mark.journey
def test_a_rubric_with_two_criteria_reasons_and_an_example_is_made_in_the_form(open_screen: Open):
    version = draft_of(TINY)
    screen = begin(open_screen, version)
    page, hand = screen.page, Hand(screen.page)
    expect(state(page)).to_have_text("Saved")

    fluency = fill_first_criterion(page, hand)
    example = node(fluency, "example")
    hand.enter(field(node(example, "candidate"), "why"), "The words are in no order.")

    hand.click(fluency.get_by_role("button", name=re.compile("^Duplicate criterion 1")))
    hand.write("Warmth")
    warmth = node(page, "criterion", 1)
    hand.enter(field(warmth, "question"), "How friendly is it?")
    hand.click(node(warmth, "example").get_by_role("button", name=re.compile("^Remove example")))
    for at, reason in ((0, "It is rude."), (1, "It is cold.")):
        hand.enter(field(node(node(warmth, "option", at), "explanation"), "text"), reason)
    hand.press("Control+s")
    expect(state(page)).to_have_text("Saved")

    expect(preview(page).locator("[data-active] legend strong")).to_have_text("Warmth")
    screen.keep_picture(SCREENSHOTS / "editor" / "journey.png")
    doc = stored(version)
    first, second = doc["criteria"]
    assert [(each["key"], each["name"], each["question"]) for each in doc["criteria"]] == [
        ("fluency", "Fluency", "How well does it read?"),
        ("warmth", "Warmth", "How friendly is it?"),
    ]
    for criterion, reasons in (
        (first, ["It has mistakes.", "It sounds strange."]),
        (second, ["It is rude.", "It is cold."]),
    ):
        assert criterion["scale"] == "ordinal"
        assert [option["value"] for option in criterion["options"]] == [1, 2, 3, 4, 5]
        assert [option["label"] for option in criterion["options"]][::4] == ["Very poor", "Very good"]
        assert [[each["text"] for each in option["explanations"]] for option in criterion["options"]] == [
            [reasons[0]], [reasons[1]], [], [], []
        ]  # fmt: skip
        assert [option["asks"] for option in criterion["options"]] == ["explanation"] * 2 + ["nothing"] * 3
        named = [each for option in criterion["options"] for each in option["explanations"]]
        assert [each["sub_dimension"] for each in named] == reasons
        assert len({each["key"] for each in named}) == 2
    assert second["examples"] == []
    [example] = first["examples"]
    [candidate] = example["candidates"]
    assert example["title"] == "A greeting"
    assert example["history"] == [{"speaker": "A", "text": "Good morning!"}]
    answer = first["options"][0]["key"]
    said = {"text": "Morning to good you.", "why": "The words are in no order.", "speaker": ""}
    assert candidate == said | {"option": answer, "explanations": []}
    note("journey", f"{hand.n_steps} steps, {hand.n_keys} keystrokes")
    assert hand.n_steps <= 25
    assert hand.n_keys <= 250

    page.goto(reverse("protocol_preview", args=["manners", "0.1"]))
    for _ in range(4):
        page.keyboard.press("1")
        page.keyboard.press("a")
        expect(page.locator("[data-step]:visible .reason input:checked:visible")).to_have_count(1)
        screen.keep_picture(SCREENSHOTS / "editor" / "preview.png")
        go_on(page)
    expect(page.get_by_text("That was the last question")).to_be_visible()
    assert stored(version) == doc
    publish_version(version, now=timezone.now())
    page.goto(reverse("protocol_edit", args=["manners", "0.1"]))
    expect(page.get_by_role("status").filter(has_text="published")).to_be_visible()


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_a_shipped_protocol_goes_through_the_form_unchanged(open_screen: Open, path):
    """Rules, translations and conditions too."""
    version = draft_of(load_bundle(path))
    before = stored(version)
    page = begin(open_screen, version).page
    expect(state(page)).to_have_text("Saved")
    field(page, "summary").fill(before["summary"] + " And more.")
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    assert stored(version) == before | {"summary": before["summary"] + " And more."}


# --- order -----------------------------------------------------------------------------------------------
def test_criteria_change_places_by_dragging(open_screen: Open):
    page = begin(open_screen, draft_of(rubric(3))).page
    handles = page.locator('#editor [data-node="criterion"] > header [data-handle]')
    for at in range(3):
        node(page, "criterion", at).locator('[data-do="toggle"]').click()
    handles.nth(0).drag_to(node(page, "criterion", 2), target_position={"x": 200, "y": 35})
    assert names(page) == ["Criterion 2", "Criterion 3", "Criterion 1"]
    expect(state(page)).to_have_text("Not saved yet")
    handles.nth(2).drag_to(page.locator(".edit-bar h1"))
    assert names(page) == ["Criterion 2", "Criterion 3", "Criterion 1"]
    assert node(page, "criterion", 2).get_attribute("data-path") == "criteria[2]"


def test_parts_move_by_keyboard_and_by_buttons_and_keep_the_focus(open_screen: Open):
    version = draft_of(rubric(3))
    page = begin(open_screen, version).page
    last = node(page, "criterion", 2)
    field(last, "name").focus()
    page.keyboard.press("Alt+ArrowUp")
    assert names(page) == ["Criterion 1", "Criterion 3", "Criterion 2"]
    assert page.evaluate("document.activeElement.value") == "Criterion 3"
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+ArrowUp")
    assert names(page) == ["Criterion 3", "Criterion 1", "Criterion 2"]
    expect(page.locator("[data-announce]")).to_contain_text("criterion 1")
    node(page, "criterion").get_by_role("button", name="Move down answer 1").click()
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    moved = stored(version)["criteria"][0]
    assert (moved["name"], [option["key"] for option in moved["options"]]) == ("Criterion 3", ["no", "yes"])


def test_what_is_removed_comes_back_where_it_was(open_screen: Open):
    page = begin(open_screen, draft_of(rubric(3))).page
    page.get_by_role("button", name="Remove criterion 2").click()
    assert names(page) == ["Criterion 1", "Criterion 3"]
    page.get_by_role("button", name="Undo").click()
    assert names(page) == ["Criterion 1", "Criterion 2", "Criterion 3"]
    expect(state(page)).to_have_text("Saved")


def test_a_question_depends_on_an_earlier_answer_and_follows_its_key(open_screen: Open):
    version = draft_of(rubric(2))
    page = begin(open_screen, version).page
    second = node(page, "criterion", 1)
    second.get_by_text("When to ask, and more").click()
    second.locator("[data-when-criterion]").select_option(label="Depending on “Criterion 1”")
    second.get_by_label("No", exact=True).check()
    first = node(page, "criterion")
    first.get_by_text("When to ask, and more").click()
    first.get_by_label("Key").last.fill("begin")
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    assert stored(version)["criteria"][1]["when"] == [{"criterion": "begin", "options": ["no"]}]
    page.reload()
    expect(second.get_by_label("No", exact=True)).to_be_checked()


# --- mistakes, and what is not saved ---------------------------------------------------------------------------
def test_a_mistake_stands_beside_its_field_and_goes_when_it_is_mended(open_screen: Open):
    version = draft_of(rubric(2))
    before = stored(version)
    screen = begin(open_screen, version)
    page = screen.page
    second = node(page, "criterion", 1)
    field(node(second, "option", 1), "label").fill("")
    field(second, "question").fill("")
    second.locator('[data-do="toggle"]').click()
    page.keyboard.press("Control+s")
    expect(field(second, "question")).to_be_focused()
    expect(second.locator(".field-error:visible")).to_have_text(
        [re.compile("Question is empty"), re.compile("Answer is empty")]
    )
    screen.keep_picture(SCREENSHOTS / "editor" / "errors.png")
    page.locator("[data-summary]").get_by_role("button", name=re.compile("Answer is empty")).click()
    expect(field(node(second, "option", 1), "label")).to_be_focused()
    assert stored(version) == before
    page.keyboard.insert_text("Never")
    expect(second.locator(".field-error:visible")).to_have_count(1)
    field(second, "question").fill("Why?")
    expect(second.locator(".field-error:visible:not(.advice)")).to_have_count(0)


def test_leaving_warns_and_what_was_typed_is_there_on_return(open_screen: Open):
    version = draft_of(TINY)
    screen = begin(open_screen, version)
    page = screen.page
    field(node(page, "criterion"), "question").fill("Half a")
    asked = []
    screen.listen("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    assert asked == ["beforeunload"]
    expect(field(node(page, "criterion"), "question")).to_have_value("Half a")
    expect(page.locator("[data-note]")).to_contain_text("Your unsaved changes")
    expect(state(page)).to_have_text("Not saved yet")
    page.get_by_role("button", name="Discard").click()
    expect(field(node(page, "criterion"), "question")).to_have_value("Is it good?")
    page.reload()
    assert asked == ["beforeunload"]
    assert stored(version)["criteria"][0]["question"] == "Is it good?"


def test_two_people_save_and_neither_text_is_lost(open_screen: Open):
    version = draft_of(TINY)
    one, other = begin(open_screen, version), begin(open_screen, version)
    for screen, text in ((one, "First?"), (other, "Second?")):
        field(node(screen.page, "criterion"), "question").fill(text)
        screen.page.keyboard.press("Control+s")
        expect(state(screen.page)).to_have_text("Saved" if screen is one else "Not saved yet")
    page, question = other.page, field(node(other.page, "criterion"), "question")
    expect(page.locator("[data-note]")).to_contain_text("Somebody else has saved")
    assert stored(version)["criteria"][0]["question"] == "First?"
    page.get_by_role("button", name="Show the saved text").click()
    expect(question).to_have_value("First?")
    page.get_by_role("button", name="Show my text").click()
    expect(question).to_have_value("Second?")
    page.get_by_role("button", name="Save what is shown").click()
    expect(state(page)).to_have_text("Saved")
    assert stored(version)["criteria"][0]["question"] == "Second?"


def test_the_preview_follows_the_typing_and_stays_while_something_is_missing(open_screen: Open):
    page = begin(open_screen, draft_of(TINY)).page
    question = field(node(page, "criterion"), "question")
    question.fill("Does it sing?")
    expect(preview(page).locator(".question:visible")).to_have_text("Does it sing?")
    question.fill("")
    expect(page.locator("[data-preview-note]")).to_contain_text("Incomplete: 1 error to correct.")
    expect(preview(page).locator(".question:visible")).to_have_text("Does it sing?")
    before = page.evaluate("history.length")
    question.fill("Does it dance?")
    expect(preview(page).locator(".question:visible")).to_have_text("Does it dance?")
    assert page.evaluate("history.length") == before


def test_the_preview_in_a_tab_of_its_own_shows_what_is_not_saved(open_screen: Open):
    version = draft_of(TINY)
    page = begin(open_screen, version).page
    field(node(page, "criterion"), "question").fill("Does it sing?")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Preview").click()
    tab = opened.value
    expect(tab.locator(".question:visible")).to_have_text("Does it sing?")
    expect(tab.locator(".preview-banner")).to_contain_text("nothing is saved")
    expect(tab.locator(".site-header")).to_be_visible()
    assert stored(version)["criteria"][0]["question"] == "Is it good?"


def test_what_follows_a_pause_in_typing_grows_no_faster_than_the_protocol(open_screen: Open):
    visited = {n: nodes_visited(begin(open_screen, draft_of(rubric(n))).page) for n in (10, 50)}
    assert visited[50] < 7 * visited[10]  # in proportion it is 5, were everything compared with everything 25


def nodes_visited(page: Page) -> int:
    """The elements that the page's own look-ups return and test between a keystroke and the text that is sent."""
    return page.evaluate(
        """() => {
            let visited = 0;
            const proto = Element.prototype;
            const own = {};
            for (const name of ["querySelectorAll", "querySelector", "closest", "matches"]) {
                own[name] = proto[name];
                proto[name] = function (selector) {
                    const found = own[name].call(this, selector);
                    visited += found instanceof NodeList ? found.length + 1 : 1;
                    return found;
                };
            }
            const field = document.querySelector('#editor [data-node="criterion"] [data-field="name"]');
            field.value += "x";
            field.dispatchEvent(new Event("input", { bubbles: true }));
            window.Parley.Form.refresh(document.getElementById("editor"));
            JSON.stringify(window.Parley.Form.read(document.getElementById("editor")));
            Object.assign(proto, own);
            return visited;
        }"""
    )


# --- for everybody -----------------------------------------------------------------------------------------------
@LOOKS
def test_the_editor_and_the_preview_are_usable_by_everybody(open_screen: Open, width: int, scheme: str):
    version = draft_of(load_bundle(next(path for path in builtin_bundles() if path.stem == "he-protocol-1.0")))
    screen = begin(open_screen, version, width=width, color_scheme=scheme)
    page = screen.page
    expect(state(page)).to_have_text("Saved")
    field(node(page, "criterion"), "name").fill("")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("[data-summary]")).to_be_focused()
    node(page, "option", 1).evaluate("each => each.scrollIntoView({ block: 'center' })")
    screen.keep_picture(SCREENSHOTS / "editor" / f"criterion-{width}-{scheme}.png")
    page.eval_on_selector_all("#editor details", "all => all.forEach(each => (each.open = true))")
    screen.keep_picture(SCREENSHOTS / "editor" / f"editor-{width}-{scheme}.png")
    screen.keep_picture(SCREENSHOTS / "editor" / f"editor-{width}-{scheme}-whole.png")
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    screen.listen("dialog", lambda dialog: dialog.accept())
    page.goto(reverse("protocol_preview", args=[version.protocol.slug, version.version]))
    screen.keep_picture(SCREENSHOTS / "editor" / f"preview-{width}-{scheme}.png")
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_check_that_finds_nothing_says_so_where_it_is_seen(open_screen: Open):
    page = begin(open_screen, draft_of(GOOD)).page
    page.get_by_role("button", name="Check").click()

    expect(page.get_by_text("No errors found.")).to_be_in_viewport()
    field(node(page, "criterion"), "question").fill("Does it fit?")
    expect(page.get_by_text("No errors found.")).to_be_hidden()


def test_a_check_that_finds_something_does_not_say_that_there_are_no_errors(open_screen: Open):
    page = begin(open_screen, draft_of(TINY)).page
    page.get_by_role("button", name="Check").click()

    expect(page.get_by_text("possible mistake")).to_be_in_viewport()
    expect(page.get_by_text("No errors found.")).to_have_count(0)


def test_an_example_response_is_evaluated_in_the_words_of_the_answers(open_screen: Open):
    version = draft_of(GOOD)
    page = begin(open_screen, version).page
    candidate = node(page, "candidate")
    reasons = candidate.get_by_label("Reasons to tick")
    expect(reasons).to_have_value("")
    expect(candidate.get_by_text("lowercase letters")).to_have_count(0)

    candidate.get_by_label("Evaluation").select_option(label="No")
    reasons.fill("dull")
    page.keyboard.press("Control+s")

    expect(state(page)).to_have_text("Saved")
    (shown,) = stored(version)["criteria"][0]["examples"][0]["candidates"]
    assert (shown["option"], shown["explanations"]) == ("no", ["dull"])
