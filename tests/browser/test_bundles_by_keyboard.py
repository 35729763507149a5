"""Bundles of published designs, each rated by keyboard alone: what is asked, in which order, and what is stored."""

import re

import pytest
from playwright.sync_api import expect

from annotation.models import Dialogue, Rating
from tests.browser import test_protocols as protocols
from tests.browser.helpers import wait_for_step
from tests.browser.rating import begin, press, step
from tests.browser.test_protocols import Open, look, rate
from tests.shipped import Work, bundle_of
from tests.sittings import TURNS, begin_conversation

pytestmark = pytest.mark.django_db(transaction=True)
NOTHING_OF_IT = "0" * 8


def stored(criterion: str) -> list[str | None]:
    """The answers in the order of the items."""
    rows = Rating.objects.filter(criterion__key=criterion).order_by("item__position", "item__pk")
    return list(rows.values_list("option__key", flat=True))


def test_abc_eval_ticks_behaviours_turn_by_turn_and_rates_the_dialogue_at_its_end(open_screen: Open):
    bundle = bundle_of("abc-eval-1.1")
    assignment = begin_conversation(bundle.pop("criteria"), whole=TURNS[:4], n_turns=2, **bundle)
    screen = open_screen(assignment.participant.user)
    page = begin(screen, assignment)
    wait_for_step(page)
    expect(step(page).locator("fieldset")).to_have_count(8)
    look(screen, "abc-eval-response")
    press(page, *NOTHING_OF_IT, "Enter")
    wait_for_step(page)
    expect(page.locator("body")).to_contain_text("turn 2 of 2")
    press(page, *"1012", "ArrowDown", "2", *"003", "ArrowDown", *"23", "ArrowDown", "Enter")
    wait_for_step(page)
    expect(step(page).locator("h2")).to_contain_text("The whole dialogue")
    expect(page.locator(".turns .turn")).to_have_count(4)
    look(screen, "abc-eval-dialogue")
    press(page, *"54321345", "Enter")
    expect(page).to_have_url(re.compile("/submit/$"))
    look(screen, "abc-eval-review")
    spec = {
        each["key"]: [option["key"] for option in each["options"]] for each in bundle_of("abc-eval-1.1")["criteria"]
    }
    ticked = Rating.objects.filter(item__position=2, criterion__kind="multiple").select_related("criterion")
    by_id = {option.pk: option.key for each in ticked for option in each.criterion.options.all()}
    assert {each.criterion.key: [by_id[pk] for pk in each.choices] for each in ticked} == {
        "interpretability": spec["interpretability"],
        "sociality": [],
        "personal_information": spec["personal_information"],
        "empathy": ["lack_of_empathy"],
        "common_sense": [],
        "knowledge": [],
        "consistency": ["redundant"],
        "turn_taking": ["irrelevant", "follow_up"],
    }
    assert not Rating.objects.filter(item__position=1).exclude(choices=[]).exists()
    whole = Rating.objects.filter(item__unit="dialogue").order_by("criterion__position")
    assert list(whole.values_list("option__value", flat=True)) == [5, 4, 3, 2, 1, 3, 4, 5]


def test_usr_shows_the_fact_and_asks_six_criteria(open_screen: Open):
    work = Work("usr-1.1", n_dialogues=1, n_sources=2)
    Dialogue.objects.update(metadata={}, context=[{"title": "Fact", "text": "An octopus has three hearts."}])
    screen = protocols.begin(open_screen, work)
    expect(screen.page.locator(".context-panels")).to_contain_text("An octopus has three hearts.")
    expect(step(screen.page).locator("fieldset")).to_have_count(6)
    look(screen, "usr")
    assert rate(screen.page, lambda page: "032105") == 4
    values = Rating.objects.values_list("criterion__key", "option__value").distinct()
    keys = [each.key for each in work.spec.criteria]
    assert dict(values) == dict(zip(keys, (0, 3, 2, 1, 0, 5), strict=True))


def test_ssa_asks_for_specificity_only_of_what_is_sensible(open_screen: Open):
    work = Work("ssa-1.0", n_dialogues=2, n_sources=1)
    screen = protocols.begin(open_screen, work)
    answers = iter(["0", "10", "11", "11"])
    expect(step(screen.page).locator("fieldset:visible")).to_have_count(1)
    look(screen, "ssa")
    assert rate(screen.page, lambda page: next(answers)) == 4
    assert sorted(stored("specific_if_sensible")) == ["no", "yes", "yes"]
    assert sorted(stored("specific")) == ["no", "no", "yes", "yes"]
    averages = Rating.objects.filter(criterion__key="ssa").values_list("option__value", flat=True)
    assert sorted(averages) == [0, 0.5, 1, 1]


def test_the_questionnaire_has_eight_statements_on_seven_points(open_screen: Open):
    work = Work("dialogue-questionnaire-1.0", n_dialogues=2)
    screen = protocols.begin(open_screen, work)
    expect(step(screen.page).locator("fieldset")).to_have_count(8)
    look(screen, "questionnaire")
    assert rate(screen.page, lambda page: "76543217") == 2
    assert [stored(each.key) for each in work.spec.criteria] == [[key] * 2 for key in "76543217"]
