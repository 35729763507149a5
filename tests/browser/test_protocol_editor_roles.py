"""The editor of protocols says the role of each answer, makes comparisons whole, and shows the question one writes."""

import pytest
from playwright.sync_api import Page, expect

from protocols.services import FIRST_CRITERION
from tests.browser.editor import TINY, Open, begin, draft_of, field, node, preview, state, stored

pytestmark = pytest.mark.django_db(transaction=True)
BLANK = TINY | {"criteria": [FIRST_CRITERION]}


def said_of(page: Page) -> list[str]:
    return page.eval_on_selector_all("[data-role-said]", "all => all.map(each => each.hidden ? '' : each.textContent)")


def save(page: Page) -> None:
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")


def test_a_ready_made_answer_that_is_typed_over_gives_up_its_role_and_key(open_screen: Open):
    version = draft_of(BLANK)
    page = begin(open_screen, version).page
    assert said_of(page) == ["Role: Good", "Role: Bad", "Role: Unsure: the annotator cannot tell"]
    field(node(page, "criterion"), "kind").select_option(label="Any number of answers")
    for at, label in enumerate(("Asks back", "Consoles", "Jokes")):
        field(node(page, "option", at), "label").fill(label)
    save(page)
    assert said_of(page) == ["", "", ""]
    options = stored(version)["criteria"][0]["options"]
    assert [(each["key"], each["role"]) for each in options] == [
        ("asks_back", "neutral"),
        ("consoles", "neutral"),
        ("jokes", "neutral"),
    ]


def test_an_answer_under_another_name_for_not_knowing_stays_unsure(open_screen: Open):
    version = draft_of(BLANK)
    page = begin(open_screen, version).page
    field(node(page, "option", 0), "label").fill("Warm")
    field(node(page, "option", 2), "label").fill("Jokes")
    field(node(page, "option", 2), "label").fill("I cannot tell")
    save(page)
    options = stored(version)["criteria"][0]["options"]
    assert [(each["key"], each["role"]) for each in options] == [
        ("warm", "positive"),
        ("bad", "negative"),
        ("unsure", "unsure"),
    ]
    assert said_of(page)[0] == "Role: Good"


def test_a_role_that_was_chosen_stays(open_screen: Open):
    version = draft_of(BLANK)
    page = begin(open_screen, version).page
    last = node(page, "option", 2)
    last.get_by_text("When it fits, and more").click()
    field(last, "role").select_option(label="Bad")
    field(last, "label").fill("Jokes")
    save(page)
    assert stored(version)["criteria"][0]["options"][2]["role"] == "negative"
    expect(last.locator("[data-role-said]")).to_have_text("Role: Bad")


def test_two_sides_make_the_question_a_comparison(open_screen: Open):
    version = draft_of(TINY)
    page = begin(open_screen, version).page
    page.get_by_role("button", name="Add a criterion").click()
    second = node(page, "criterion", 1)
    field(second, "name").fill("Preference")
    field(second, "question").fill("Which response would you rather get?")
    second.get_by_role("button", name="Two sides to compare").click()
    save(page)
    doc = stored(version)
    assert (doc["criteria"][1]["unit"], doc["unit"], doc["mode"]) == ("comparison", "response", "comparative")


def test_the_sides_are_called_what_is_judged_until_somebody_names_them(open_screen: Open):
    page = begin(open_screen, draft_of(TINY)).page
    first = node(page, "criterion")
    page.evaluate("() => document.querySelectorAll('details').forEach((each) => (each.open = true))")
    labels = first.locator('[data-list] [data-field="label"]')
    field(page, "granularity").select_option(label="Dialogue")
    first.get_by_role("button", name="Two sides to compare").click()
    expect(labels.nth(0)).to_have_value("Dialogue 1")
    expect(labels.nth(2)).to_have_value("Dialogue 2")
    labels.nth(2).fill("The second one")
    field(page, "granularity").select_option(label="Turn")
    expect(labels.nth(0)).to_have_value("Response 1")
    expect(labels.nth(2)).to_have_value("The second one")


def test_an_error_of_a_comparison_names_the_fields_of_the_page_and_leads_there(open_screen: Open):
    page = begin(open_screen, draft_of(TINY)).page
    first = node(page, "criterion")
    first.get_by_role("button", name="Two sides to compare").click()
    first.get_by_text("When to ask, and more").click()
    field(first, "unit").select_option(label="Same as the protocol")
    first.get_by_text("When to ask, and more").click()
    page.get_by_role("button", name="Check", exact=True).click()
    summary = page.locator("[data-summary]")
    expect(summary).to_contain_text("Correct 2 errors before saving")
    expect(summary).to_contain_text(
        "Asked about is “Each response”, but its answers are the sides of a comparison. Expected: “Two responses to a "
        "dialogue, or two whole dialogues, compared”."
    )
    summary.get_by_role("button", name="Asked about is").click()
    expect(field(first, "unit")).to_be_focused()
    field(first, "unit").select_option(label="Two responses to a dialogue, or two whole dialogues, compared")
    field(page, "mode").evaluate("each => { each.value = 'absolute'; }")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(summary).to_contain_text(
        "Kind of judgement is “One at a time”, but candidates are compared. Expected: “By comparison”."
    )
    summary.get_by_role("button", name="Kind of judgement").click()
    expect(field(page, "mode")).to_be_focused()


def test_the_question_one_writes_is_in_view_in_the_preview(open_screen: Open):
    page = begin(open_screen, draft_of(TINY)).page
    field(node(page, "criterion"), "question").fill("How warm is it?")
    asked = preview(page).locator("fieldset[data-active]")
    expect(asked).to_contain_text("How warm is it?")
    expect(asked).to_be_in_viewport(ratio=0.95)
    assert page.evaluate("scrollY") == 0
