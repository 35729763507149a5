"""The study record in a browser: its part of the report, and batch acceptance on the live board."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.browser.helpers import LOOKS
from tests.reporting.record.conducted import make_conducted

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lead() -> User:
    return make_conducted().memberships.filter(role="lead").order_by("pk").first().user


@LOOKS
def test_report_and_board_have_no_barriers_and_fit_the_screen(lead: User, open_screen, width: int, scheme: str):
    screen = open_screen(lead, width=width, color_scheme=scheme)
    page = screen.go("/studies/wellbeing/report/")
    expect(page.get_by_role("heading", name="Batch acceptance")).to_be_visible()
    expect(page.get_by_text("People who tried: 4; passed: 3")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""

    page = screen.go("/studies/wellbeing/board/")
    expect(page.get_by_role("heading", name="Batch acceptance")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""


def test_a_number_of_acceptance_explains_itself_to_who_points_at_it(lead: User, open_screen):
    page = open_screen(lead).go("/studies/wellbeing/board/")
    page.locator("#facceptance-rounds").hover()
    expect(page.get_by_text("Accepted batches by number of rounds: 1 in 1, 1 in 2.")).to_be_visible()
