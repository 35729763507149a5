"""Predictions and judges in a browser: readable on any screen, open to everybody."""

import os
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Metric, Prediction, Study
from annotation.services.claiming import claim_seat
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS
from tests.cast import Cast, make_cast
from tests.factories import JudgeCallFactory, JudgeRunFactory, MembershipFactory
from tests.reporting.predictions.conftest import people_and_judge
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()


@pytest.fixture
def cast() -> Cast:
    cast = make_cast()
    for number, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=number % 2)
    criterion = cast.version.criteria.get(key="appropriateness")
    options = list(criterion.options.all())
    for key, kind in (("bleu", "score"), ("classifier", "label")):
        about = {"criterion": criterion} if kind == "label" else {}
        metric = Metric.objects.create(study=cast.study, key=key, name=key, kind=kind, created_at=NOW, **about)
        for at, item in enumerate(cast.batch.items.order_by("pk")):
            said = {"option": options[at % 2]} if kind == "label" else {"value": at / 7}
            Prediction.objects.create(metric=metric, candidate=item.candidate, **said)
    return cast


def _look(screen, name: str, width: int, scheme: str) -> None:
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""
    if os.environ.get("LOOK"):
        screen.keep_picture(SCREENSHOTS / f"{name}-{width}-{scheme}.png")


@LOOKS
def test_the_tables_have_no_barriers_and_fit_the_screen(cast: Cast, open_screen, width: int, scheme: str):
    screen = open_screen(cast.researcher, width=width, color_scheme=scheme)
    page = screen.go("/studies/wellbeing/predictions/")
    expect(page.get_by_role("columnheader", name="Human ceiling").first).to_be_visible()
    _look(screen, "predictions", width, scheme)
    page.get_by_role("link", name="classifier").click()
    expect(page.get_by_role("heading", name="Confusion matrix")).to_be_visible()
    _look(screen, "predictions-metric", width, scheme)


def _metric_page(study: Study) -> str:
    return f"/studies/{study.slug}/predictions/{study.metrics.get().token}/appropriateness/"


def _researcher(study: Study) -> User:
    return MembershipFactory(study=study, role="researcher").user


def test_all_columns_of_the_overview_fit_a_laptop(open_screen):
    study = people_and_judge(n_dialogues=40)
    page = open_screen(_researcher(study), width=1280).go(f"/studies/{study.slug}/predictions/")
    expect(page.get_by_role("columnheader", name="Pearson")).to_be_visible()
    table = page.get_by_role("region", name="Appropriateness")
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_the_overview_says_how_many_items_had_labels(open_screen):
    """Tied items have no label, but a mean."""
    study = people_and_judge(errs=0.3)
    page = open_screen(_researcher(study)).go(f"/studies/{study.slug}/predictions/")
    expect(page.get_by_role("cell", name=re.compile(r"^40 \d\d for labels$"))).to_be_visible()


@LOOKS
def test_the_page_of_a_judge_answers_three_questions_in_words(open_screen, width: int, scheme: str):
    study = people_and_judge(n_unrated=600)
    screen = open_screen(_researcher(study), width=width, color_scheme=scheme)
    page = screen.go(_metric_page(study))
    replacing, corrected, further = (
        page.get_by_role("region", name=name)
        for name in ("May it replace people?", "What are the corrected scores?", "How many human items next?")
    )
    expect(replacing).to_contain_text("Yes. judge wins against")
    expect(replacing).to_contain_text("or more passes), epsilon 0.15.")
    expect(corrected).to_contain_text("All items: 0.")
    expect(corrected.get_by_role("columnheader", name="Corrected rate")).to_be_visible()
    expect(corrected.get_by_role("rowheader")).to_have_text(
        ["All items", *study.sources.values_list("name", flat=True)]
    )
    expect(further).to_contain_text("more items. If people rate so many more")
    expect(page.get_by_role("heading", name="Where it differs most from people")).to_be_visible()
    _look(screen, "predictions-beside", width, scheme)
    page.get_by_label("Epsilon").fill("0")
    page.get_by_role("button", name="Test again").click()
    expect(replacing).to_contain_text("No. judge wins against 0 of the 4 annotators tested")
    page.get_by_text("The test, annotator by annotator").click()
    expect(replacing.get_by_role("row")).to_have_count(5)
    _look(screen, "predictions-beside-no", width, scheme)


def test_an_epsilon_that_is_no_share_is_refused_and_the_usual_one_is_used(open_screen):
    study = people_and_judge()
    page = open_screen(_researcher(study)).go(f"{_metric_page(study)}?epsilon=7")
    expect(page.get_by_role("alert")).to_contain_text("Something is missing or wrong.")
    expect(page.get_by_role("region", name="May it replace people?")).to_contain_text("epsilon 0.15")


def _no_once() -> Callable[[int], int]:
    """Return a judge that says no to the first item that deserves it, and yes to all others."""
    left = [1]
    return lambda truth: left.pop() if truth and left else 0


@LOOKS
@pytest.mark.parametrize(
    ("kind", "replacing", "corrected"),
    [
        (
            "constant",
            "No. It gives the same answer to every item that people rated",
            "add up to 1 or less, as by chance",
        ),
        (
            "nearly constant",
            "Not known. It passes the test, but it may agree with people by chance only: Cohen's kappa with one other "
            "answer is",
            "All items: 0.",
        ),
        ("weak", "No. judge wins against 0 of the 4 annotators tested", "add up to 1 or less, as by chance"),
        ("two people", "Not known. No item has both its answer and the answers of three annotators.", "All items: 0."),
    ],
)
def test_a_judge_that_cannot_be_trusted_is_said_to_be_so(
    open_screen, kind: str, replacing: str, corrected: str, width: int, scheme: str
):
    settings = {
        "constant": {"judge": lambda _truth: 0, "negative": 0.05, "errs": 0.02},
        "nearly constant": {"judge": _no_once(), "negative": 0.05, "errs": 0.02},
        "weak": {"judge": lambda truth: 1 - truth},
        "two people": {"n_annotators": 2},
    }
    study = people_and_judge(**settings[kind])
    screen = open_screen(_researcher(study), width=width, color_scheme=scheme)
    page = screen.go(_metric_page(study))
    expect(page.get_by_role("region", name="May it replace people?")).to_contain_text(replacing)
    expect(page.get_by_role("region", name="What are the corrected scores?")).to_contain_text(corrected)
    _look(screen, f"predictions-{kind.replace(' ', '-')}", width, scheme)


@pytest.mark.parametrize(("width", "column"), [(1280, "Items next"), (375, "Judge alone")])
def test_numbers_of_the_corrected_scores_are_in_sight_despite_long_notes(open_screen, width: int, column: str):
    study = people_and_judge(judge=lambda truth: 1 - truth)
    page = open_screen(_researcher(study), width=width).go(_metric_page(study))
    table = page.get_by_role("region", name="Table of corrected scores")
    head = table.get_by_role("columnheader", name=column).bounding_box()
    around = table.bounding_box()
    assert head
    assert around
    assert head["x"] + head["width"] <= around["x"] + around["width"] + 1


def test_a_judge_that_finds_some_of_the_rare_answers_keeps_its_yes_with_a_caution(open_screen):
    study = people_and_judge(n_dialogues=60, n_unrated=0, negative=0.05, errs=0.0)
    page = open_screen(_researcher(study)).go(_metric_page(study))
    replacing = page.get_by_role("region", name="May it replace people?")
    expect(replacing).to_contain_text("Yes. judge wins against")
    expect(replacing).to_contain_text("answers are the same, so the test says little about the other")
    page.get_by_role("link", name="Predictions").last.click()
    expect(page.get_by_role("cell", name="Yes. but people nearly always give one answer")).to_be_visible()


def test_the_interval_of_a_share_stops_where_the_scale_does(open_screen):
    study = people_and_judge(negative=0.03, errs=0.01)
    corrected = (
        open_screen(_researcher(study)).go(_metric_page(study)).get_by_role("region", name="Table of corrected scores")
    )
    expect(corrected.get_by_text("– 1.00").first).to_be_visible()
    expect(corrected.get_by_text("– 1.0")).to_have_count(corrected.get_by_text("– 1.00").count())


@LOOKS
def test_the_pages_of_judges_have_no_barriers_and_fit_the_screen(
    cast: Cast, open_screen, settings, width: int, scheme: str
):
    settings.JUDGE_ENDPOINTS = ["https://api.example.org/v1"]
    run = JudgeRunFactory(study=cast.study, status="failed", error="The endpoint has stopped responding.", n_total=10)
    item = cast.batch.items.first()
    prompt = {"messages": [{"role": "user", "content": "How is it?\n" * 40}]}
    JudgeCallFactory(run=run, candidate=item.candidate, prompt=prompt, answer="503", note="HTTP 503")
    screen = open_screen(cast.researcher, width=width, color_scheme=scheme)
    page = screen.go("/studies/wellbeing/judges/")
    page.get_by_label("Name", exact=True).fill("small model")
    page.get_by_label("Model", exact=True).fill("model-1")
    page.get_by_role("button", name="Estimate").click()
    expect(page.get_by_role("heading", name="Estimate")).to_be_visible()
    _look(screen, "judges", width, scheme)
    page.get_by_role("link", name=run.name).click()
    page.locator("summary").filter(has_text="Prompt and reply").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    _look(screen, "judge", width, scheme)


@pytest.mark.journey
def test_the_import_page_asks_what_predictions_need(cast: Cast, open_screen):
    screen = open_screen(cast.researcher)
    page = screen.go("/studies/wellbeing/predictions/")
    page.get_by_role("button", name="Import predictions").click()
    expect(page.get_by_label("Columns that hold metrics")).to_be_visible()
    expect(page.get_by_label("Convert a written")).to_be_hidden()
    assert screen.barriers() == ""
