"""The report and the board of several designs fit a phone and a desk: only tables scroll, beside the names of rows."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from annotation.models import Study
from annotation.services.agreement import sweep
from tests.browser.helpers import Screen
from tests.comparing import make_compared
from tests.factories import MembershipFactory
from tests.he_study import load_he_study
from tests.reporting.report.test_behaviours import rated_study

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
