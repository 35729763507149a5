"""A table of anchors pasted into the protocol editor becomes answers."""

import copy
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SCREENSHOTS
from tests.browser.editor import (
    TINY,
    Open,
    begin,
    draft_of,
    field,
    node,
    state,
    stored,
)
from tests.browser.helpers import LOOKS

pytestmark = pytest.mark.django_db(transaction=True)


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
    area = page.get_by_label("A table, from a spreadsheet or in Markdown")
    expect(area).to_be_focused()
    expect(tool).to_have_attribute("aria-expanded", "true")
    page.keyboard.insert_text(RUBRIC)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Add points in between")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(area).to_have_count(0)
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    said = page.locator(".edit-undo")
    for sentence in (
        "Replaced 2 answers",
        "Created 5 answers from the table.",
        "Points without text: 2, 4.",
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
    page.get_by_role("button", name="Create the answers").click()
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
    area = page.get_by_label("A table, from a spreadsheet or in Markdown")
    area.fill("It is rude, and off the topic.")
    page.get_by_role("button", name="Create the answers").click()
    expect(page.get_by_role("alert").filter(has_text="This is not a table")).to_contain_text(
        "Expected: one row for each"
    )
    expect(area).to_be_focused()
    expect(area).to_have_attribute("aria-invalid", "true")
    expect(area).to_have_accessible_description(re.compile("This is not a table"))
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
    offer = page.locator("#editor").get_by_text("This looks like a table. Create answers from it?")
    target.evaluate(PASTE, "either | or")
    expect(offer).to_have_count(0)
    target.fill(before)
    target.evaluate(PASTE, RUBRIC)
    expect(offer).to_be_visible()
    expect(page.locator("[data-announce]")).to_have_text("This looks like a table. Create answers from it?")
    page.get_by_role("button", name="Leave it as it is").click()
    expect(offer).to_have_count(0)
    assert "5 (perfect)" in target.input_value()
    target.fill(before)
    target.evaluate(PASTE, RUBRIC)
    page.get_by_role("button", name="Create the answers").click()
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    assert labels(page) == ["1 (poor)", "2", "3 (fair)", "4", "5 (perfect)"]
    page.get_by_role("button", name="Undo").click()
    assert labels(page) == ["Yes", "No"]
    assert target.input_value() == before


@LOOKS
def test_the_panel_for_a_table_is_usable_by_everybody(open_screen: Open, width: int, scheme: str):
    screen = begin(open_screen, draft_of(TINY), width=width, color_scheme=scheme)
    page = screen.page
    page.get_by_role("button", name="Paste a table").click()
    page.get_by_label("A table, from a spreadsheet or in Markdown").fill(RUBRIC.splitlines()[0])
    page.get_by_role("button", name="Create the answers").click()
    expect(page.get_by_role("alert").filter(has_text="row of answers")).to_be_visible()
    screen.keep_picture(SCREENSHOTS / "editor" / f"table-refused-{width}-{scheme}.png")
    assert screen.barriers() == ""
    page.get_by_label("A table, from a spreadsheet or in Markdown").fill(RUBRIC)
    page.get_by_role("button", name="Create the answers").click()
    expect(page.locator("#editor").get_by_text("Created 5 answers from the table.")).to_be_visible()
    field(node(page, "option"), "label").evaluate(PASTE, RUBRIC)
    screen.keep_picture(SCREENSHOTS / "editor" / f"table-made-{width}-{scheme}.png")
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width


CELLS = 'Score\tCondition\n1 (poor)\t"It is rude.\nIt is off the topic."\n5 (perfect)\tNothing is left to ask.\n'


def test_scales_are_one_click_and_cells_are_pasted_from_a_spreadsheet(open_screen: Open):
    version = draft_of(TINY)
    screen = begin(open_screen, version)
    page = screen.page
    for n in (7, 10):
        page.get_by_role("button", name=f"Make a {n}-point scale").click()
        expect(page.get_by_role("button", name="Undo").last).to_be_focused()
        assert labels(page) == [str(point) for point in range(1, n + 1)]
        page.keyboard.press("Control+s")
        expect(state(page)).to_have_text("Saved")
        criterion = stored(version)["criteria"][0]
        assert criterion["scale"] == "ordinal"
        assert [option["value"] for option in criterion["options"]] == list(range(1, n + 1))
        roles = [option["role"] for option in criterion["options"]]
        assert roles == ["negative"] * (n // 2) + ["neutral"] * (n % 2) + ["positive"] * (n // 2)
    screen.keep_picture(SCREENSHOTS / "editor" / "scale-ten-1280.png")

    target = field(node(page, "option"), "label")
    target.evaluate(PASTE, CELLS)
    page.get_by_role("button", name="Create the answers").click()
    expect(page.locator(".edit-undo").last).to_contain_text("Created 5 answers from the table.")
    assert labels(page) == ["1 (poor)", "2", "3", "4", "5 (perfect)"]
    page.set_viewport_size({"width": 375, "height": 800})
    page.get_by_role("button", name="Paste a table").click()
    page.get_by_label("A table, from a spreadsheet or in Markdown").fill(CELLS)
    screen.keep_picture(SCREENSHOTS / "editor" / "cells-375.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.get_by_role("button", name="Create the answers").click()
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    first = stored(version)["criteria"][0]["options"][0]
    assert (first["label"], first["conditions"]) == ("1 (poor)", ["It is rude.", "It is off the topic."])
