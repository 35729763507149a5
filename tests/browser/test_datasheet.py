"""The datasheet and the texts of negative answers in a browser: readable on any screen, and filled in by hand."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import DatasheetAnswer, Rating
from annotation.services.claiming import claim_seat
from tests.browser.helpers import LOOKS
from tests.cast import Cast, make_cast
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()
HOSTILE = "<img src=x onerror=alert(1)> " + "unbreakable" * 30


@pytest.fixture
def cast() -> Cast:
    cast = make_cast()
    for number, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=number % 2)
    Rating.objects.filter(option__role="negative", criterion__key="correctness").update(free_text=HOSTILE)
    return cast


@LOOKS
def test_the_datasheet_has_no_barriers_and_fits_the_screen(cast: Cast, open_screen, width: int, scheme: str):
    screen = open_screen(cast.researcher, width=width, color_scheme=scheme)
    page = screen.go("/studies/wellbeing/datasheet/")
    page.get_by_text("Answer question 3.2.1 in your own words").click()
    expect(page.locator("#q-3-2-1").get_by_label("Answer")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""


@pytest.mark.journey
def test_an_answer_is_written_read_by_others_and_taken_back(cast: Cast, open_screen):
    page = open_screen(cast.researcher).go("/studies/wellbeing/datasheet/")
    question = page.locator("#q-3-2-1")
    question.locator("summary").click()
    question.get_by_label("Answer").fill(HOSTILE)
    question.get_by_role("button", name="Save").click()
    expect(question.get_by_text("written by researcher")).to_be_visible()
    assert page.url.endswith("#q-3-2-1")
    narrow = open_screen(cast.observer, width=375).go("/studies/wellbeing/datasheet/")
    expect(narrow.locator("#q-3-2-1 .preserve")).to_have_text(HOSTILE)
    assert narrow.evaluate("document.documentElement.scrollWidth <= innerWidth")
    question.locator("summary").click()
    question.get_by_label("Answer").fill("")
    question.get_by_role("button", name="Save").click()
    expect(question.locator(".preserve").first).to_have_text("3")
    assert not DatasheetAnswer.objects.exists()


@pytest.mark.journey
@pytest.mark.parametrize("width", [1280, 375])
def test_an_answer_by_options_is_read_in_both_versions_of_heds(cast: Cast, open_screen, width: int):
    screen = open_screen(cast.researcher, width=width)
    page = screen.go("/studies/wellbeing/datasheet/")
    expect(page.get_by_role("link", name="HEDS 3.0", exact=True)).to_have_attribute("aria-current", "page")
    question = page.locator("#q-3-2-2-1")
    expect(question.get_by_text("missing", exact=True)).to_be_visible()
    question.locator("summary").click()
    question.get_by_label("no", exact=True).check()
    question.get_by_label("In words").fill("They are students.")
    question.get_by_role("button", name="Save").click()
    expect(question.locator(".preserve")).to_have_text("no\nThey are students.")
    assert screen.barriers() == ""
    page.get_by_role("link", name="HEDS 2.0", exact=True).click()
    older = page.locator("#q-3-2-2")
    said = "Are the evaluators experts in the domain? no\nThey are students."
    expect(older.locator(".preserve").first).to_have_text(said)
    expect(older.get_by_text("Written for question 3.2.2.1: see whether it fits.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [1280, 375])
def test_the_overview_of_a_draft_says_what_a_paper_will_need_until_it_is_filled_in(
    transactional_db: None, open_screen, width: int
):
    cast = make_cast(status="draft")
    screen = open_screen(cast.researcher, width=width)
    page = screen.go("/studies/wellbeing/")
    paper = page.locator("details.paper")
    expect(paper.get_by_text("11 of 20 known")).to_be_visible()
    expect(paper.get_by_role("listitem")).to_have_count(9)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""
    paper.get_by_role("link", name="Enter where annotators are recruited.").click()
    expect(page.get_by_label("Recruited from")).to_be_in_viewport()
    page.get_by_label("Recruited from").fill("Prolific")
    page.get_by_role("button", name="Save the settings").click()
    expect(page.get_by_text("Settings saved.")).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    expect(paper.get_by_text("12 of 20 known")).to_be_visible()
    paper.get_by_role("link", name="Name the committee and the approval number").click()
    question = page.locator("#q-5-1")
    expect(question).to_be_in_viewport()
    question.locator("summary").click()
    question.get_by_label("Answer").fill("Approved by the board.")
    question.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Overview").click()
    expect(paper.get_by_text("13 of 20 known")).to_be_visible()


@pytest.mark.parametrize("width", [1280, 375])
def test_texts_of_negative_answers_unfold_without_barriers(cast: Cast, open_screen, width: int):
    screen = open_screen(cast.observer, width=width)
    page = screen.go("/studies/wellbeing/report/")
    page.get_by_text("Correctness, texts of negative answers (6)").click()
    expect(page.get_by_text(HOSTILE).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""
