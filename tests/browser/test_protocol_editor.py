"""A protocol made in the browser by somebody who has never seen one: entered, mended, previewed, published."""

import copy
import json
import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from protocols.bundles import load_bundle
from protocols.editing import editable
from protocols.models import ProtocolVersion
from protocols.selectors import builtin_bundles
from protocols.services import publish_version, store_bundle
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import Screen
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
TINY = {
    "bundle": 1,
    "protocol": "manners",
    "name": "Manners",
    "version": "0.1",
    "criteria": [
        {
            "key": "first",
            "name": "First",
            "question": "Is it good?",
            "options": [{"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}],
        }
    ],
}
UNPROCESSABLE, CONFLICT = "status of 422", "status of 409"


class Hand:
    """Does what a person does, and counts it: each click, choice and entry is a step, each key a keystroke."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.n_steps = self.n_keys = 0

    def click(self, target: Locator) -> None:
        self.n_steps += 1
        target.click()

    def enter(self, target: Locator, text: str) -> None:
        self.n_steps += 1
        self.n_keys += len(text)
        target.fill(text)

    def write(self, text: str) -> None:
        """Where the focus is already."""
        self.n_keys += len(text)
        self.page.keyboard.insert_text(text)

    def press(self, key: str) -> None:
        self.n_keys += 1
        self.page.keyboard.press(key)

    def choose(self, target: Locator, label: str) -> None:
        self.n_steps += 1
        target.select_option(label=label)


def draft_of(doc: dict) -> ProtocolVersion:
    return store_bundle(doc, publish=False, now=timezone.now())[0]


def begin(open_screen: Open, version: ProtocolVersion, **options: object) -> Screen:
    screen = open_screen(UserFactory(is_staff=True), **options)
    screen.allowed += [UNPROCESSABLE, CONFLICT]
    screen.go(reverse("protocol_edit", args=[version.protocol.slug, version.version]))
    return screen


def node(within: Page | Locator, kind: str, at: int = 0) -> Locator:
    return within.locator(f'[data-node="{kind}"]').nth(at)


def field(within: Page | Locator, name: str) -> Locator:
    return within.locator(f'[data-field="{name}"]').first


def state(page: Page) -> Locator:
    return page.locator(".save-state")


def preview(page: Page):
    return page.frame_locator(".edit-frame iframe.shown")


def stored(version: ProtocolVersion) -> dict:
    return editable(ProtocolVersion.objects.get(pk=version.pk))


def names(page: Page) -> list[str]:
    return page.eval_on_selector_all(
        '#editor [data-node="criterion"] [data-field="name"]', "all => all.map(each => each.value)"
    )


def note(name: str, text: str) -> None:
    """For people: what was measured in the last run."""
    (SCREENSHOTS / "editor").mkdir(parents=True, exist_ok=True)
    (SCREENSHOTS / "editor" / f"{name}.txt").write_text(text + "\n")


def rubric(n: int) -> dict:
    criteria = [TINY["criteria"][0] | {"key": f"c{at}", "name": f"Criterion {at}"} for at in range(1, n + 1)]
    return TINY | {"name": f"Rubric of {n}", "protocol": f"rubric-{n}", "criteria": criteria}


def fill_first_criterion(page: Page, hand: Hand) -> Locator:
    """Fluency on five points, a reason on each of the two lowest, and an example."""
    fluency = node(page, "criterion")
    hand.enter(field(fluency, "name"), "Fluency")
    hand.enter(field(fluency, "question"), "How well does it read?")
    hand.click(fluency.get_by_role("button", name="Make a 5-point scale"))
    for at, reason in ((0, "It has mistakes."), (1, "It sounds strange.")):
        low = node(fluency, "option", at)
        hand.choose(field(low, "asks"), "Reasons, optional")
        hand.click(low.get_by_role("button", name="Add a reason"))
        hand.write(reason)
    hand.click(fluency.get_by_role("button", name="Add an example"))
    hand.write("A greeting")
    example = node(fluency, "example")
    hand.enter(field(node(example, "turn"), "text"), "Good morning!")
    hand.enter(field(node(example, "candidate"), "text"), "Morning to good you.")
    hand.choose(field(node(example, "candidate"), "option"), "1. Very poor")
    return fluency


def go_on(page: Page) -> None:
    step = page.locator("[data-step]:visible").get_attribute("id")
    page.keyboard.press("Enter")
    page.wait_for_function("step => document.getElementById(step).hidden || location.hash", arg=step)


# --- the journey ---------------------------------------------------------------------------------------
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

    expect(preview(page).locator("[data-step]:visible h2")).to_have_text("Warmth")
    screen.screenshot(SCREENSHOTS / "editor" / "journey.png")
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
    assert candidate == {"text": "Morning to good you.", "option": answer, "why": "The words are in no order."}
    note("journey", f"{hand.n_steps} steps, {hand.n_keys} keystrokes")
    assert hand.n_steps <= 25
    assert hand.n_keys <= 250

    page.goto(reverse("protocol_preview", args=["manners", "0.1"]))
    for _ in range(4):
        page.keyboard.press("1")
        page.keyboard.press("a")
        expect(page.locator("[data-step]:visible .reason input:checked:visible")).to_have_count(1)
        screen.screenshot(SCREENSHOTS / "editor" / "preview.png")
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
    second.get_by_text("When it is asked, and more").click()
    second.locator("[data-when-criterion]").select_option(label="Depending on “Criterion 1”")
    second.get_by_label("No", exact=True).check()
    first = node(page, "criterion")
    first.get_by_text("When it is asked, and more").click()
    first.get_by_label("Key").last.fill("begin")
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    assert stored(version)["criteria"][1]["when"] == [{"criterion": "begin", "options": ["no"]}]
    page.reload()
    expect(second.get_by_label("No", exact=True)).to_be_checked()


# --- keys that others speak of --------------------------------------------------------------------------------
def spoken_of() -> dict:
    """Rules, translations and a condition that speak of the keys of others."""
    first, second = copy.deepcopy(rubric(2))["criteria"]
    for criterion in (first, second):
        criterion["options"][1] |= {
            "asks": "explanation",
            "explanations": [{"key": "why", "text": "Why", "sub_dimension": "Why"}],
        }
    second["when"] = [{"criterion": "c1", "options": ["no"]}]
    options = [{"key": "fine", "label": "Fine"}, {"key": "bad", "label": "Bad"}]
    rules = [{"when": [{"criterion": "c1", "options": ["yes"]}, {"criterion": "c2", "options": ["yes"]}],
              "option": "fine"}, {"option": "bad"}]  # fmt: skip
    total = {"key": "total", "name": "Total", "question": "?", "kind": "computed", "options": options, "rules": rules}
    texts = {"question": "Va bene?", "options": {"yes": {"label": "Sì"}, "no": {"explanations": {"why": "Perché"}}}}
    translations = {"it": {"criteria": {"c1": texts, "c2": texts, "total": {"options": {"bad": {"label": "Male"}}}}}}
    return rubric(2) | {"criteria": [first, second, total], "translations": translations}


def rename(part: Locator, key: str) -> None:
    part.locator('[data-field="key"]').last.evaluate("each => each.closest('details').open = true")
    own = part.locator(':scope > details [data-field="key"], :scope > [data-body] > details [data-field="key"]')
    own.first.fill("")
    own.first.press_sequentially(key, delay=40)


def test_a_key_changed_by_hand_is_carried_to_all_that_speaks_of_it(open_screen: Open):
    version = draft_of(spoken_of())
    page = begin(open_screen, version).page
    before = stored(version)
    first, total = node(page, "criterion"), node(page, "criterion", 2)
    rename(first, "c22")  # c2 for a while, as another one is called
    rename(node(first, "option"), "good")
    rename(node(first, "option", 1), "yes")  # what the first one was called
    rename(node(node(first, "option", 1), "explanation"), "reason")
    rename(node(total, "option", 1), "poor")
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    text = json.dumps(before)
    after = stored(version)
    assert after["criteria"][1]["when"] == [{"criterion": "c22", "options": ["yes"]}]
    rules = [{"when": [{"criterion": "c22", "options": ["good"]}, {"criterion": "c2", "options": ["yes"]}],
              "option": "fine"}, {"when": [], "option": "poor"}]  # fmt: skip
    assert after["criteria"][2]["rules"] == rules
    was = before["translations"]["it"]["criteria"]
    texts = {
        "question": "Va bene?",
        "options": {"good": {"label": "Sì"}, "yes": {"explanations": {"reason": "Perché"}}},
    }
    now = {"c22": texts, "c2": was["c2"], "total": {"options": {"poor": {"label": "Male"}}}}
    assert after["translations"]["it"]["criteria"] == now
    expect(field(page, "translations")).to_have_value(re.compile('"c22"'))

    for part, key in ((first, "c1"), (node(first, "option", 1), "no"), (node(first, "option"), "yes"),
                      (node(node(first, "option", 1), "explanation"), "why"),
                      (node(total, "option", 1), "bad")):  # fmt: skip
        rename(part, key)
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    assert json.dumps(stored(version)) == text


def test_half_typed_rules_are_left_alone_and_carried_once_they_are_whole(open_screen: Open):
    version = draft_of(spoken_of())
    page = begin(open_screen, version).page
    first, rules = node(page, "criterion"), field(node(page, "criterion", 2), "rules")
    rules.fill('[{"option": "fi')
    rename(first, "begin")
    expect(rules).to_have_value('[{"option": "fi')
    rules.fill('[{"when": [{"criterion": "begin", "options": ["no"]}], "option": "fine"}, {"option": "bad"}]')
    rename(first, "start")
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    assert stored(version)["criteria"][2]["rules"][0]["when"] == [{"criterion": "start", "options": ["no"]}]


# --- a table of anchors ---------------------------------------------------------------------------------------
RUBRIC = """| Score | Condition | Example |
|---|---|---|
| **1 (poor)** | It is rude. <br /> It is off the topic. | Go away! |
| 3 (fair) | It answers in part. | |
| 5 (perfect) | Nothing is left to ask. | Down this road. |"""
PASTE = """(field, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    field.focus();
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    field.value += text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def labels(page: Page) -> list[str]:
    return page.eval_on_selector_all(
        '#editor [data-node="option"] [data-field="label"]', "all => all.map(each => each.value)"
    )


def test_a_pasted_table_becomes_the_answers_by_keyboard_alone(open_screen: Open):
    version = draft_of(TINY)
    screen = begin(open_screen, version)
    page = screen.page
    tool = page.get_by_role("button", name="Paste a table")
    tool.focus()
    page.keyboard.press("Enter")
    area = page.get_by_label("A Markdown table")
    expect(area).to_be_focused()
    expect(tool).to_have_attribute("aria-expanded", "true")
    page.keyboard.insert_text(RUBRIC)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Add the points between")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(area).to_have_count(0)
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    said = page.locator(".edit-undo")
    for sentence in (
        "Replaced 2 answers",
        "Made 5 answers of the table.",
        "Without a text: 2, 4.",
        "2 cells of “Example”",
    ):
        expect(said).to_contain_text(sentence)
    assert labels(page) == ["1 (poor)", "2", "3 (fair)", "4", "5 (perfect)"]
    page.keyboard.press("Enter")
    assert labels(page) == ["Yes", "No"]
    expect(state(page)).to_have_text("Saved")
    page.evaluate("document.activeElement.blur()")
    tool.click()
    area.fill(RUBRIC)
    page.get_by_role("button", name="Make the answers").click()
    expect(said).to_be_visible()
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    criterion = stored(version)["criteria"][0]
    assert criterion["scale"] == "ordinal"
    assert [option["value"] for option in criterion["options"]] == [1, 2, 3, 4, 5]
    assert [option["conditions"] for option in criterion["options"]] == [
        ["It is rude.", "It is off the topic."], [], [], [], []
    ]  # fmt: skip
    assert [option["definition"] for option in criterion["options"]] == [
        "Example: Go away!", "", "It answers in part.", "", "Nothing is left to ask.\n\nExample: Down this road."
    ]  # fmt: skip


def test_what_is_no_table_is_said_beside_the_field_and_changes_nothing(open_screen: Open):
    version = draft_of(TINY)
    page = begin(open_screen, version).page
    tool = page.get_by_role("button", name="Paste a table")
    tool.click()
    area = page.get_by_label("A Markdown table")
    area.fill("It is rude, and off the topic.")
    page.get_by_role("button", name="Make the answers").click()
    expect(page.get_by_role("alert").filter(has_text="This is no table")).to_contain_text("Expected: one row for each")
    expect(area).to_be_focused()
    expect(area).to_have_attribute("aria-invalid", "true")
    expect(area).to_have_accessible_description(re.compile("This is no table"))
    assert labels(page) == ["Yes", "No"]
    page.keyboard.press("Escape")
    expect(area).to_have_count(0)
    expect(tool).to_be_focused()
    expect(state(page)).to_have_text("Saved")


@pytest.mark.parametrize("name", ["label", "definition", "condition"])
def test_a_table_pasted_into_an_answer_is_offered_as_answers(open_screen: Open, name: str):
    doc = copy.deepcopy(TINY)
    doc["criteria"][0]["options"][0] |= {"definition": "Before", "conditions": ["Sure"]}
    page = begin(open_screen, draft_of(doc)).page
    option = node(page, "option")
    option.get_by_text("When it fits, and more").click()
    target = field(option, name) if name != "condition" else field(node(option, "condition"), "")
    before = target.input_value()
    offer = page.locator("#editor").get_by_text("This looks like a table: make answers of it?")
    target.evaluate(PASTE, "either | or")
    expect(offer).to_have_count(0)
    target.fill(before)
    target.evaluate(PASTE, RUBRIC)
    expect(offer).to_be_visible()
    expect(page.locator("[data-announce]")).to_have_text("This looks like a table: make answers of it?")
    page.get_by_role("button", name="Leave it as it is").click()
    expect(offer).to_have_count(0)
    assert "5 (perfect)" in target.input_value()
    target.fill(before)
    target.evaluate(PASTE, RUBRIC)
    page.get_by_role("button", name="Make the answers").click()
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    assert labels(page) == ["1 (poor)", "2", "3 (fair)", "4", "5 (perfect)"]
    page.get_by_role("button", name="Undo").click()
    assert labels(page) == ["Yes", "No"]
    assert target.input_value() == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_the_panel_for_a_table_is_usable_by_everybody(open_screen: Open, width: int, scheme: str):
    screen = begin(open_screen, draft_of(TINY), width=width, color_scheme=scheme)
    page = screen.page
    page.get_by_role("button", name="Paste a table").click()
    page.get_by_label("A Markdown table").fill(RUBRIC.splitlines()[0])
    page.get_by_role("button", name="Make the answers").click()
    expect(page.get_by_role("alert").filter(has_text="row of answers")).to_be_visible()
    screen.screenshot(SCREENSHOTS / "editor" / f"table-refused-{width}-{scheme}.png", full_page=True)
    assert screen.barriers() == ""
    page.get_by_label("A Markdown table").fill(RUBRIC)
    page.get_by_role("button", name="Make the answers").click()
    expect(page.locator("#editor").get_by_text("Made 5 answers of the table.")).to_be_visible()
    field(node(page, "option"), "label").evaluate(PASTE, RUBRIC)
    screen.screenshot(SCREENSHOTS / "editor" / f"table-made-{width}-{scheme}.png", full_page=True)
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width


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
    screen.screenshot(SCREENSHOTS / "editor" / "errors.png")
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
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.reload()
    assert asked == ["beforeunload"]
    expect(field(node(page, "criterion"), "question")).to_have_value("Half a")
    expect(page.locator("[data-note]")).to_contain_text("not saved")
    expect(state(page)).to_have_text("Not saved yet")
    page.get_by_role("button", name="Discard it").click()
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
    expect(page.locator("[data-preview-note]")).to_contain_text("1 to be put right")
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
    spent = {n: typing_cost(begin(open_screen, draft_of(rubric(n))).page) for n in (10, 50)}
    note("typing", f"{spent[50]:.0f} ms for all that follows a pause in typing, with 50 criteria")
    assert spent[50] < 12 * spent[10]  # in proportion it is 5, were everything compared with everything 25


def typing_cost(page: Page) -> float:
    """Milliseconds, the least of seven: what else the machine does only ever adds."""
    return page.evaluate(
        """() => {
            const once = () => {
                const begin = performance.now();
                const field = document.querySelector('#editor [data-node="criterion"] [data-field="name"]');
                field.value += "x";
                field.dispatchEvent(new Event("input", { bubbles: true }));
                window.Parley.Form.refresh(document.getElementById("editor"));
                JSON.stringify(window.Parley.Form.read(document.getElementById("editor")));
                return performance.now() - begin;
            };
            return Math.min(...Array.from({ length: 7 }, once));
        }"""
    )


# --- for everybody -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_the_editor_and_the_preview_are_usable_by_everybody(open_screen: Open, width: int, scheme: str):
    version = draft_of(load_bundle(next(path for path in builtin_bundles() if path.stem == "he-protocol-1.0")))
    screen = begin(open_screen, version, width=width, color_scheme=scheme)
    page = screen.page
    expect(state(page)).to_have_text("Saved")
    field(node(page, "criterion"), "name").fill("")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("[data-summary]")).to_be_focused()
    node(page, "option", 1).evaluate("each => each.scrollIntoView({ block: 'center' })")
    screen.screenshot(SCREENSHOTS / "editor" / f"criterion-{width}-{scheme}.png")
    page.eval_on_selector_all("#editor details", "all => all.forEach(each => (each.open = true))")
    screen.screenshot(SCREENSHOTS / "editor" / f"editor-{width}-{scheme}.png")
    screen.screenshot(SCREENSHOTS / "editor" / f"editor-{width}-{scheme}-whole.png", full_page=True)
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(reverse("protocol_preview", args=[version.protocol.slug, version.version]))
    screen.screenshot(SCREENSHOTS / "editor" / f"preview-{width}-{scheme}.png")
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
