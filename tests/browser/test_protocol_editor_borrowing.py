"""What is taken over in the protocol editor: the ends of a scale, and questions of other protocols."""

import copy

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from protocols.services import store_bundle
from tests.browser.editor import TINY, Open, begin, draft_of, field, node, state, stored
from tests.browser.helpers import LOOKS
from tests.shipped import bundle_of

pytestmark = pytest.mark.django_db(transaction=True)
LIKED = {
    "key": "liked",
    "name": "Liked",
    "question": "How much do you like it?",
    "scale": "ordinal",
    "options": [
        {"key": "p1", "label": "1 (not at all)", "value": 1, "definition": "You would never use it."},
        *({"key": f"p{n}", "label": str(n), "value": n} for n in (2, 3, 4)),
        {"key": "p5", "label": "5 (very much)", "value": 5, "definition": "You would use it daily."},
    ],
    "examples": [
        {
            "title": title,
            "history": [{"speaker": "A", "text": "Hello!"}],
            "candidates": [{"text": title, "option": option, "why": "So it is."}],
        }
        for title, option in (("A fine one", "p5"), ("A middling one", "p3"))
    ],
}


def save(page: Page) -> None:
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")


def labels(page: Page) -> list[str]:
    return [each.input_value() for each in page.locator('#editor [data-node="option"] [data-field="label"]').all()]


def test_a_longer_scale_keeps_the_words_of_its_ends_and_says_which_examples_no_longer_fit(open_screen: Open):
    page = begin(open_screen, draft_of(TINY | {"criteria": [LIKED]})).page
    page.get_by_role("button", name="Make a 7-point scale").click()
    assert labels(page) == ["1 (not at all)", "2", "3", "4", "5", "6", "7 (very much)"]
    definitions = page.locator('#editor [data-node="option"] [data-field="definition"]')
    expect(definitions.first).to_have_value("You would never use it.")
    expect(definitions.last).to_have_value("You would use it daily.")
    strip = page.locator(".edit-undo")
    expect(strip).to_contain_text("Choose the evaluations again in: example 2 “A middling one”.")
    expect(strip).not_to_contain_text("A fine one")
    evaluations = page.locator('#editor [data-node="candidate"] [data-field="option"]')
    expect(evaluations.first.locator("option:checked")).to_have_text("7 (very much)")
    expect(evaluations.last.locator("option:checked")).to_have_text("3 (removed)")

    strip.get_by_role("button", name="Undo").click()
    assert labels(page) == ["1 (not at all)", "2", "3", "4", "5 (very much)"]
    expect(evaluations.first.locator("option:checked")).to_have_text("5 (very much)")


def test_answers_that_are_no_scale_lend_it_no_words(open_screen: Open):
    page = begin(open_screen, draft_of(TINY)).page
    page.get_by_role("button", name="Yes / No / I don’t know").click()
    page.get_by_role("button", name="Make a 7-point scale").click()
    assert labels(page) == [str(point) for point in range(1, 8)]


def open_borrowing(page: Page, protocol: str) -> None:
    page.get_by_text("Take questions from another protocol").click()
    page.get_by_label("Protocol", exact=True).select_option(label=protocol)


@LOOKS
def test_questions_of_another_protocol_are_copied_with_their_scale(open_screen: Open, width: int, scheme: str):
    doc = bundle_of("dialogue-questionnaire-1.0")
    other, _ = store_bundle(doc, publish=True, now=timezone.now())
    version = draft_of(TINY)
    before = [each["key"] for each in stored(version)["criteria"]]
    screen = begin(open_screen, version, width=width, color_scheme=scheme)
    page = screen.page
    open_borrowing(page, f"{other.protocol.name} {other.version}")
    first, second = doc["criteria"][:2]
    page.get_by_role("checkbox", name=second["name"]).check()
    page.get_by_role("button", name="Copy the ticked questions").click()
    expect(page.locator("[data-borrow-said]")).to_have_text("Copied 1 question.")
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    save(page)
    *kept, copied = stored(version)["criteria"]
    assert [each["key"] for each in kept] == before
    assert copied["key"] == second["key"]
    assert copied["scale"] == second.get("scale", "nominal")
    assert len(copied["options"]) in (7, len(second["options"]))
    assert first["key"] not in [each["key"] for each in stored(version)["criteria"]]


def depending() -> dict:
    doc = copy.deepcopy(TINY) | {"protocol": "other", "name": "Other"}
    own = copy.deepcopy(LIKED) | {"key": "why", "name": "Why not", "question": "Why not?", "examples": []}
    own["when"] = [{"criterion": "liked", "options": ["p1", "p2"]}]
    doc["criteria"] = [LIKED, own]
    return doc


def test_a_question_brings_what_it_depends_on_and_a_name_that_is_taken_is_told(open_screen: Open):
    other, _ = store_bundle(depending(), publish=True, now=timezone.now())
    version = draft_of(TINY | {"criteria": [LIKED]})
    page = begin(open_screen, version).page
    open_borrowing(page, f"Other {other.version}")
    page.get_by_role("checkbox", name="Why not").check()
    page.get_by_role("button", name="Copy the ticked questions").click()
    said = page.locator("[data-borrow-said]")
    expect(said).to_contain_text("Copied 2 questions. Copied too, because others depend on it: “Liked”.")
    expect(said).to_contain_text("The protocol already has a question of this name: “Liked”. Rename one of them.")
    field(node(page, "criterion", 1), "name").fill("Liked it")
    save(page)
    own, parent, child = stored(version)["criteria"]
    assert own["key"] == "liked"
    assert parent["key"] != "liked"
    assert child["when"] == [{"criterion": parent["key"], "options": ["p1", "p2"]}]


def test_nothing_ticked_is_told(open_screen: Open):
    other, _ = store_bundle(depending(), publish=True, now=timezone.now())
    page = begin(open_screen, draft_of(TINY)).page
    open_borrowing(page, f"Other {other.version}")
    page.get_by_role("button", name="Copy the ticked questions").click()
    expect(page.locator("[data-borrow-error]")).to_have_text("Tick at least one question.")
