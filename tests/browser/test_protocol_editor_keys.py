"""Keys in the protocol editor: what speaks of a key follows when it is changed."""

import copy
import json
import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.editor import (
    Open,
    begin,
    draft_of,
    field,
    node,
    rubric,
    state,
    stored,
)

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_copied_question_gets_the_key_of_its_name_even_after_a_reload(open_screen: Open):
    version = draft_of(spoken_of())
    page = begin(open_screen, version).page
    node(page, "criterion").get_by_role("button", name="Duplicate").first.click()
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    page.reload()
    before = [each["key"] for each in stored(version)["criteria"]]
    field(node(page, "criterion", 1), "name").fill("How polite is it?")
    field(node(page, "criterion"), "name").fill("Another name")  # rules and translations speak of its key
    page.keyboard.press("Control+s")
    expect(state(page)).to_have_text("Saved")
    assert before[1] == "criterion_1_copy"
    assert [each["key"] for each in stored(version)["criteria"]] == ["c1", "how_polite_is_it", "c2", "total"]
