"""Training by the worked examples of shipped protocols: one walk for each kind of example, on the rating screen."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Assignment
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from qualification.qualifying.services.training import make_training
from tests.browser.helpers import Screen, wait_for_step
from tests.browser.rating import begin
from tests.factories import StudyFactory, UserFactory, take_seat
from tests.qualification.qualifying.factories import make_candidate

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]


def trained(protocol: str, criterion: str, reading_seconds: int = 0) -> Assignment:
    """Somebody with a training batch of the first example about one criterion of a shipped protocol."""
    changes = {"reading_seconds": reading_seconds, "translations": {}}
    bundle = load_bundle(BUILTIN / f"{protocol}.yaml") | changes
    for each in bundle["criteria"]:
        each["examples"] = each.get("examples", [])[:1] if each["key"] == criterion else []
    version, _ = store_bundle(bundle, publish=True, now=timezone.now())
    study = StudyFactory(slug="trained", name="Trained", protocol_version=version, has_qualification=True)
    (batch,) = make_training(study, by=UserFactory(), now=timezone.now())
    return take_seat(make_candidate(study), batch)


def walk(open_screen: Open, protocol: str, criterion: str, width: int = 1280) -> tuple[Page, Assignment]:
    work = trained(protocol, criterion)
    page = begin(open_screen(work.participant.user, width=width), work)
    expect(page.get_by_text("This is training")).to_be_visible()
    return page, work


def options_of(work: Assignment, criterion: str) -> list[Any]:
    return list(work.batch.study.protocol_version.criteria.get(key=criterion).options.all())


def choose(page: Page, criterion: str, label: str) -> None:
    wait_for_step(page)
    question = page.locator(f"section.step:visible fieldset[data-criterion={criterion}]")
    question.locator("label.choice", has=page.locator("strong", has_text=label)).first.click()


def go_on(page: Page) -> None:
    page.get_by_role("button", name="Save and continue").click()


def explained(page: Page, name: str, result: str) -> None:
    card = page.locator("section.answer", has=page.get_by_role("heading", name=name, exact=True))
    expect(card.locator(".badge")).to_have_text(result)


@pytest.mark.journey
def test_every_response_of_an_example_is_explained_after_its_answer(open_screen: Open):
    page, work = walk(open_screen, "he-protocol-1.0", "appropriateness")
    for _response in range(work.batch.n_items):
        choose(page, "appropriateness", "Appropriate")
        go_on(page)
        expect(page.get_by_text("Why:")).to_be_visible()
        expect(page.get_by_role("button", name="Continue")).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Submit")).to_be_visible()


def test_the_rated_turn_of_an_example_is_rated_as_a_response(open_screen: Open):
    page, work = walk(open_screen, "persona-quality-1.0", "quality", width=375)
    choose(page, "quality", options_of(work, "quality")[0].label)
    expect(page.locator("section.step:visible fieldset.asked")).to_have_count(1)
    go_on(page)
    expect(page.get_by_role("heading", name="Quality")).to_be_visible()
    expect(page.locator("section.answer blockquote")).to_be_visible()


def test_digits_answer_one_question_after_another(open_screen: Open):
    page, _work = walk(open_screen, "diqad-1.0", "reasons_1")
    wait_for_step(page)
    for criterion in ("score", "reasons_1"):
        page.keyboard.press("1")
        chosen = page.locator(f"fieldset[data-criterion={criterion}] label.choice:has(input:checked)")
        expect(chosen).to_contain_text("1")
    page.keyboard.press("Enter")
    explained(page, "Score", "correct")


@pytest.mark.parametrize(("criterion", "name"), [("set_diverse", "Diversity of the set"),
                                                 ("corpus_diverse", "Diversity of the corpus")])  # fmt: skip
def test_responses_that_are_rated_together_are_explained_together(open_screen: Open, criterion: str, name: str):
    page, work = walk(open_screen, "persona-quality-1.0", criterion)
    choose(page, criterion, "Yes")
    go_on(page)
    explained(page, name, "correct")
    expect(page.locator("section.answer ol li")).to_have_count(len(work.batch.items.get().shown))


def test_the_training_leads_to_a_question_that_depends_on_another_answer(open_screen: Open):
    page, _work = walk(open_screen, "diqad-1.0", "reasons_1")
    reasons = page.locator("fieldset[data-criterion=reasons_1]")
    choose(page, "score", "2")
    expect(reasons).to_be_hidden()
    go_on(page)
    explained(page, "Score", "not correct")
    expect(page.get_by_text("leads to another question: “Reasons for 1”")).to_be_visible()
    page.get_by_role("button", name="Change the answer").click()
    wait_for_step(page)
    page.keyboard.press("Tab")
    choose(page, "score", "1")
    expect(reasons).to_be_visible()
    choose(page, "reasons_1", "incomplete")
    go_on(page)
    explained(page, "Score", "correct")
    expect(page.get_by_role("heading", name="Reasons for 1")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("button", name="Submit")).to_be_visible()


def test_the_reading_time_of_a_training_dialogue_is_counted_down_and_then_its_questions_open(open_screen: Open):
    work = trained("diqad-1.0", "score", reading_seconds=3)
    page = begin(open_screen(work.participant.user), work)
    question = page.locator("section.step:visible fieldset[data-criterion=score] input").first
    expect(question).to_be_disabled()
    expect(page.locator("[data-reading]")).to_contain_text("Read the whole dialogue first")
    page.keyboard.press("Enter")
    expect(question).to_be_enabled()
    expect(page.locator("[data-reading]")).to_be_hidden()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Score")).to_be_visible()
