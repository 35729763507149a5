"""The page of exports in a browser: readable on any screen, open to everybody, and a click gives a file."""

from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.services import activity
from annotation.services.claiming import claim_seat
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS
from tests.cast import Cast, make_cast
from tests.factories import ExportJobFactory
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()
PAGE = "/studies/wellbeing/exports/"


@pytest.fixture
def cast() -> Cast:
    cast = make_cast()
    for number, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=number % 2)
    ExportJobFactory(study=cast.study, user=cast.lead, status="running", n_done=420_000, n_total=1_000_000)
    ExportJobFactory(study=cast.study, user=cast.owner, has_names=True, n_bytes=48_000_000)
    ExportJobFactory(study=cast.study, user=cast.lead, status="expired", n_bytes=48_000_000)
    activity.log(cast.study, cast.owner, "export", about="wellbeing-ratings.csv", details={"names": True}, now=NOW)
    return cast


@LOOKS
def test_the_page_has_no_barriers_and_fits_the_screen(cast: Cast, open_screen, width: int, scheme: str):
    screen = open_screen(cast.owner, width=width, color_scheme=scheme)
    page = screen.go(PAGE)
    expect(page.get_by_role("heading", name="Export history")).to_be_visible()
    page.get_by_role("radio", name="one JSON Lines file").check()
    expect(page.get_by_label("Seed")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""
    screen.keep_picture(SCREENSHOTS / f"exports-{width}-{scheme}.png")


@pytest.mark.journey
def test_a_click_gives_the_file(cast: Cast, open_screen):
    page = open_screen(cast.lead).go(PAGE)
    expect(page.get_by_label("Seed")).to_be_hidden()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert download.value.suggested_filename == "wellbeing-ratings.csv"
    assert Path(download.value.path()).read_bytes().count(b"\r\n") == 73


def test_an_empty_page_has_no_barriers(open_screen):
    cast = make_cast()
    screen = open_screen(cast.observer)
    expect(screen.go(PAGE).get_by_text("There are no ratings yet")).to_be_visible()
    assert screen.barriers() == ""
