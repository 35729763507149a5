"""The report and the board of several designs fit a phone and a desk: only tables scroll, beside the names of rows."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Study
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from reporting.report.build import build_report
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS, Screen
from tests.comparing import deal, make_compared, make_study, press
from tests.factories import MembershipFactory, make_annotator
from tests.he_study import load_he_study
from tests.reporting.report.test_behaviours import rated_study
from tests.reporting.report.test_rankings import make_answered

NOW = timezone.now()
pytestmark = pytest.mark.django_db(transaction=True)
OPEN_ALL = "document.querySelectorAll('main details').forEach(each => each.open = true)"
# Scroll every table to its end; return the rows whose name has left the box, and names that are broken into many lines.
NAMES_LOST = """() => [...document.querySelectorAll('.scroll > table.striped')].flatMap(table => {
    const box = table.parentElement;
    box.scrollLeft = box.scrollWidth;
    const start = box.getBoundingClientRect().left;
    return [...table.querySelectorAll('tbody th[scope=row]')]
        .filter(name => name.getBoundingClientRect().left < start - 1 || name.clientWidth < 100 && innerWidth < 640)
        .map(name => `${box.getAttribute('aria-label')}: ${name.innerText}`);
})"""


def compared(_folder: Path) -> Study:
    return make_compared()


def ticked(folder: Path) -> Study:
    study = rated_study(folder)
    sweep(now=NOW)
    return study


def sample(_folder: Path) -> Study:
    study = load_he_study(now=NOW, equivalence_margin=10)
    sweep(now=NOW)
    build_report(study, now=NOW)  # its models take seconds, which a worker spends before anybody looks
    return study


@pytest.mark.parametrize("make", [compared, ticked, sample])
def test_only_tables_scroll_sideways_and_their_names_stay(
    make: Callable[[Path], Study], open_screen: Callable[..., Screen], tmp_path: Path
):
    study = make(tmp_path)
    owner = MembershipFactory(study=study, role="owner").user
    for width, height in ((375, 740), (1280, 800)):
        screen = open_screen(owner, width=width, height=height)
        for name in ("report", "board", "board/quality", "settings"):
            page = screen.go(f"/studies/{study.slug}/{name}/")
            page.evaluate(OPEN_ALL)
            assert fits(page), (name, width)
            assert page.evaluate(NAMES_LOST) == [], (name, width)


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


BOTH_BAD = """() => [...document.querySelectorAll('table')]
    .filter(table => table.tHead?.innerText.includes('Both bad'))
    .map(table => table.tBodies[0].rows[0].cells[4].innerText)"""


def both_bad_study() -> Study:
    """Two people over six pairs: of twelve answers, five call both bad."""
    study = make_study(6, 2)
    (batch,) = deal(study)
    for name, codes in (("anna", "666236"), ("ben", "246312")):
        work = claim_seat(make_annotator(study, name), batch, now=NOW)
        for item, code in zip(batch.items.order_by("pk"), codes, strict=True):
            press(work, item, code)
    sweep(now=NOW)
    return study


def test_the_number_of_both_bad_stands_apart_from_its_share(open_screen: Callable[..., Screen]):
    study = both_bad_study()
    owner = MembershipFactory(study=study, role="owner").user
    for width, height in ((375, 740), (1280, 800)):
        screen = open_screen(owner, width=width, height=height)
        for name in ("report", "board"):
            page = screen.go(f"/studies/{study.slug}/{name}/")
            page.evaluate(OPEN_ALL)
            assert page.evaluate(BOTH_BAD) == ["5\N{NO-BREAK SPACE}(42 %)"], (name, width)


@LOOKS
def test_the_chart_of_ranks_fits_the_window_and_has_its_meaning_in_words(
    open_screen: Callable[..., Screen], width: int, scheme: str
):
    study = make_answered()
    owner = MembershipFactory(study=study, role="owner").user
    screen = open_screen(owner, width=width, color_scheme=scheme)
    page = screen.go(f"/studies/{study.slug}/report/")
    chart = page.get_by_role("img", name="Ranks by criterion and source").locator("visible=true")
    expect(chart).to_have_count(1)
    expect(chart).to_contain_text("for all sources at once with 95 per cent confidence")
    expect(chart).to_contain_text("Model A")
    box = chart.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert screen.barriers() == ""
    screen.keep_picture(SCREENSHOTS / f"ranks-{width}-{scheme}.png", chart)
