"""Predictions and judges in a browser: readable on any screen, open to everybody."""

import os

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Metric, Prediction
from annotation.services.claiming import claim_seat
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS
from tests.cast import Cast, make_cast
from tests.factories import JudgeCallFactory, JudgeRunFactory
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
    page.get_by_text("Show", exact=True).click()
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
