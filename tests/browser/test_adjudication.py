"""Two annotators disagree, both re-rate, a trainer settles it, and the case becomes an example in a draft."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Batch, Rating
from protocols.models import Example, Explanation
from qualification.adjudication.services.disagreements import sweep_disagreements
from qualification.models import Disagreement
from tests.browser.helpers import LOOKS, Screen, answer
from tests.qualification.acceptance.factories import make_dialogue_batch
from tests.qualification.adjudication.conftest import AdjudicatedStudy, make_adjudicated
from tests.qualification.adjudication.factories import CaseFactory

pytestmark = pytest.mark.django_db(transaction=True)
SCREENSHOTS = Path(__file__).parents[2] / "var" / "screenshots" / "adjudication"


@pytest.fixture
def adjudicated(transactional_db: None) -> AdjudicatedStudy:
    return make_adjudicated()


def path(name: str, *args: object) -> str:
    return reverse(name, args=["wellbeing", *args])


def rate(screen: Screen, keys: list[str]) -> None:
    """The next batch of the list, one dialogue after the other."""
    page = screen.go("/work/")
    page.get_by_role("button", name="Start").click()
    for number, key in enumerate(keys):
        steps = "1 step" if len(keys) == 1 else f"{len(keys)} steps"
        expect(page.locator("[data-progress-text]")).to_have_text(f"{number} of {steps}")
        answer(page, key)
    page.wait_for_url("**/submit/")
    page.get_by_role("button", name="Submit the batch").click()
    page.wait_for_url("**/thanks/")


@pytest.mark.journey
def test_two_disagree_re_rate_and_a_trainer_settles_it(
    open_screen: Callable[..., Screen], adjudicated: AdjudicatedStudy
):
    Batch.objects.all().update(status="closed")
    make_dialogue_batch(adjudicated.cast.study, "a", 2)
    one, other = (open_screen(person.user) for person in adjudicated.pair)
    rate(one, ["2", "1"])
    rate(other, ["3", "1"])
    assert sweep_disagreements(now=timezone.now()) == (1, 0)
    rate(one, ["2"])
    rate(other, ["3"])
    assert sweep_disagreements(now=timezone.now()) == (0, 1)

    screen = open_screen(adjudicated.trainer)
    page = screen.go(path("adjudication"))
    assert screen.barriers() == ""
    expect(page.get_by_role("link", name="To settle (1)")).to_have_attribute("aria-current", "page")
    page.get_by_label("Score 1", exact=True).check()
    page.get_by_label("Note").fill("It takes up what was said last.")
    page.get_by_role("button", name="Settle it").click()
    expect(page.get_by_text("Settled: Score 1.")).to_be_visible()
    page.get_by_role("link", name="Settled (1)").click()
    assert screen.barriers() == ""
    page.get_by_role("button", name="Add to the case library").click()
    page.get_by_role("button", name="Use as example").click()
    expect(page.get_by_text("It is now an example in the draft")).to_be_visible()
    assert screen.barriers() == ""
    found = Disagreement.objects.get()
    example = Example.objects.get(criterion__version__status="draft")
    assert (example.history, example.option) == (found.item.dialogue.turns, "1")
    assert example.why == "It takes up what was said last."


@LOOKS
def test_no_page_of_the_adjudication_has_barriers_and_each_fits(
    open_screen: Callable[..., Screen], adjudicated: AdjudicatedStudy, width: int, scheme: str
):
    found = fill(adjudicated)
    screen = open_screen(adjudicated.cast.owner, width=width, color_scheme=scheme)
    pages = {
        "to-settle": path("adjudication"),
        "re-rating": path("adjudication") + "?state=re_rating",
        "one": path("disagreement", found.pk),
        "plan": path("adjudication_plan"),
        "cases": path("cases"),
        "edit": path("case_edit", adjudicated.cast.study.cases.first().pk),
        "new": path("case_new") + f"?dialogue={adjudicated.cast.batch.items.first().dialogue.key}",
    }
    for name, address in pages.items():
        screen.go(address)
        assert screen.barriers() == "", name
        assert screen.page.evaluate("document.documentElement.scrollWidth") <= width, name
        screen.keep_picture(SCREENSHOTS / f"{name}-{width}-{scheme}.png")


def fill(adjudicated: AdjudicatedStudy) -> Disagreement:
    """One with a trainer, with reasons; one that is re-rated; two cases."""
    found = adjudicated.disagreed()
    reason = Explanation.objects.get(text="It repeats itself.", option__criterion__version=adjudicated.cast.version)
    text = "The second half says the same as the first, in other words."
    Rating.objects.filter(option__key="2").update(explanations=[reason.pk], free_text=text)
    adjudicated.finish(["1", "0"], ["2", "0"], key="b")
    sweep_disagreements(now=timezone.now())
    CaseFactory(item=found.item, criterion=found.criterion, author=adjudicated.trainer, is_training=True)
    item = adjudicated.cast.batch.items.last()
    CaseFactory(item=item, criterion=found.criterion, option=None, note="", author=adjudicated.trainer)
    return found
