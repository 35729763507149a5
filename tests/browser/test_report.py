"""The report in a browser: readable on any screen, open to everybody, and downloadable."""

import json
import re
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from tests.browser.helpers import LOOKS
from tests.cast import Cast, make_cast
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()


@pytest.fixture
def cast() -> Cast:
    cast = make_cast()
    for number, annotator in enumerate(cast.annotators):
        assignment = claim_seat(annotator, cast.batch, now=NOW)
        rate_everything(assignment, now=NOW, option=number % 2)
    rate_everything(assignment, now=NOW, option=1, n=4)  # the last one changes some answers to the first question
    sweep(now=NOW)
    return cast


@LOOKS
def test_the_report_has_no_barriers_and_fits_the_screen(cast: Cast, open_screen, width: int, scheme: str):
    screen = open_screen(cast.lead, width=width, color_scheme=scheme)
    page = screen.go("/studies/wellbeing/report/")
    expect(page.get_by_role("heading", name="Positive by majority")).to_be_visible()
    assert page.locator(".figure svg:visible").count() == 5
    table = page.get_by_role("region", name="Table of means")
    mean = table.get_by_role("cell").first
    box = mean.bounding_box()
    assert box["y"] + box["height"] <= 800, "a mean with its interval is on the first screen"
    assert box["x"] + box["width"] <= width
    assert re.fullmatch(r"\d\.\d\d \w+\s+\d\.\d\d to \d\.\d\d; rare answer\s+n 6", mean.inner_text())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""


BEYOND = """() => [...document.querySelectorAll('.for-phones svg')].flatMap(picture => {
    const box = picture.getBoundingClientRect();
    return [...picture.querySelectorAll('text')].map(text => text.getBoundingClientRect())
        .filter(text => text.right > box.right + 1 || text.left < box.left - 1 || box.right > innerWidth);
}).length"""


def test_on_a_phone_charts_are_drawn_so_that_every_number_is_in_sight(cast: Cast, open_screen):
    page = open_screen(cast.lead, width=375).go("/studies/wellbeing/report/")
    for number in range(5):
        expect(page.locator(".for-phones svg").nth(number)).to_be_visible()
    expect(page.locator(".for-desks svg").first).to_be_hidden()
    assert page.evaluate(BEYOND) == 0
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".for-desks svg").first).to_be_visible()
    expect(page.locator(".for-phones svg").first).to_be_hidden()


def test_an_empty_report_has_no_barriers(open_screen):
    cast = make_cast()
    screen = open_screen(cast.lead)
    expect(screen.go("/studies/wellbeing/report/").get_by_text("There are no ratings yet")).to_be_visible()
    assert screen.barriers() == ""


@pytest.mark.journey
@pytest.mark.parametrize("name", ["JSON, everything", "PDF", "majority"])
def test_each_download_is_a_file(cast: Cast, open_screen, name: str):
    page = open_screen(cast.lead).go("/studies/wellbeing/report/")
    with page.expect_download() as download:
        files = page.get_by_role("navigation", name="Downloads")
        if name == "majority":
            files.get_by_text("Table by table").click()
        files.get_by_role("link", name="CSV: positive by majority" if name == "majority" else name, exact=True).click()
    body = Path(download.value.path()).read_bytes()
    if name == "PDF":
        assert body.startswith(b"%PDF-")
    elif name == "majority":
        assert body.decode("utf-8-sig").startswith(
            "source,criterion,positive_items,items,percent,ties,excluding_votes,items_left_out\r\n"
        )
    else:
        assert json.loads(body)["n_ratings"] == 72


def test_a_figure_opens_alone_as_it_is_on_the_page(cast: Cast, open_screen, browser, tmp_path: Path):
    page = open_screen(cast.lead, color_scheme="dark").go("/studies/wellbeing/report/")
    files = page.locator(".figure-files").nth(3)
    for kind, begins in (("SVG", b"<?xml"), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            files.get_by_role("link", name=kind).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert path.read_bytes().startswith(begins)

    alone = browser.new_context(color_scheme="dark").new_page()
    alone.goto((tmp_path / "wellbeing-votes.svg").as_uri())
    size = alone.evaluate("[innerWidth, document.documentElement.getBoundingClientRect().width]")
    paper, bar = (
        alone.locator(name).first.evaluate("node => getComputedStyle(node).fill") for name in ("rect", "g rect")
    )
    assert size[1] == 704
    assert (paper, bar) == ("rgb(255, 255, 255)", "rgb(0, 114, 178)")
    alone.context.close()


def fades(page, name: str) -> str:
    return page.get_by_role("region", name=name).evaluate("each => getComputedStyle(each).maskImage")


def test_a_table_that_goes_on_beyond_the_screen_fades_there_until_its_end_is_reached(cast: Cast, open_screen):
    page = open_screen(cast.lead, width=375).go("/studies/wellbeing/report/")
    region = page.get_by_role("region", name="Table of agreement")
    expect(region).to_have_class("scroll more-after")
    assert "gradient" in fades(page, "Table of agreement")
    region.evaluate("each => each.scrollTo({left: each.scrollWidth, behavior: 'instant'})")
    expect(region).to_have_class("scroll more-before")
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(region).to_have_class("scroll")
    assert fades(page, "Table of agreement") == "none"
