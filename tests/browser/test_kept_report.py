"""The report of a large study in a browser: progress first, the report by itself, and a word when there is a newer."""

import pytest
from playwright.sync_api import expect

from annotation.services.claiming import claim_seat
from reporting.report import kept
from tests.browser.helpers import LOOKS
from tests.cast import Cast
from tests.clock import NOW
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sent(settings, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    settings.REPORT_AT_ONCE = 2
    sent: list[int] = []
    monkeypatch.setattr(kept, "_send", sent.append)
    return sent


@pytest.mark.journey
@LOOKS
def test_a_reader_sees_progress_then_the_report_and_is_told_of_a_newer_one(
    cast: Cast, sent: list[int], open_screen, width: int, scheme: str
):
    seat = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(seat, now=NOW, n=20)
    screen = open_screen(cast.lead, width=width, color_scheme=scheme)
    page = screen.go("/studies/wellbeing/report/")
    expect(page.get_by_text("The report of 20 answers is being made.")).to_be_in_viewport()
    expect(page.get_by_role("progressbar", name="Report")).to_be_in_viewport()
    assert screen.barriers() == ""
    kept.make_report(sent.pop(), now=NOW)
    table = page.get_by_role("region", name="Table of means")
    expect(table).to_be_visible()  # without a touch
    expect(page.get_by_text("Nothing has changed since.")).to_be_in_viewport()
    rate_everything(seat, now=NOW, n=21)
    page.reload()
    expect(page.get_by_text("1 answer has come since. A newer report is being made.")).to_be_in_viewport()
    expect(table).to_be_visible()
    kept.make_report(sent.pop(), now=NOW)
    page.get_by_role("link", name="Show it").click()
    expect(page.get_by_text("Nothing has changed since.")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""
