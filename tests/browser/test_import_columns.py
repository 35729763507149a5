"""Columns that were chosen for a file are still chosen for its corrected version."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Study
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS, Screen
from tests.factories import HeartbeatFactory, MembershipFactory, StudyFactory
from tests.factories_protocols import make_scale_version

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(transactional_db: None) -> Study:
    HeartbeatFactory()
    return StudyFactory(protocol_version=make_scale_version(2, unit="dialogue"))


def choose_file(page: Page, text: str) -> None:
    page.set_input_files("[name=file]", {"name": "ratings.csv", "mimeType": "text/csv", "buffer": text.encode()})


def column(page: Page, label: str):
    return page.locator("[data-columns-chosen]").get_by_label(label)


@LOOKS
def test_a_corrected_file_keeps_the_columns_that_were_chosen(
    open_screen: Callable[..., Screen], study: Study, width: int, scheme: str
):
    researcher = MembershipFactory(study=study, role="researcher").user
    screen = open_screen(researcher, width=width, color_scheme=scheme)
    page = screen.go(reverse("study_import", args=[study.slug]))
    page.get_by_label("Existing ratings").check()
    choose_file(page, "WorkerId,HITId,Fluency,coherence\nw1,d1,5,5\n")
    error = page.locator(".field-error").first
    expect(error).to_contain_text("choose the column of “Dialogue”; for ratings of responses, also “Source”")
    expect(column(page, "Annotator")).to_have_value("WorkerId")
    expect(column(page, "Fluency")).to_have_value("Fluency")
    expect(column(page, "Coherence")).to_have_value("coherence")
    screen.keep_picture(SCREENSHOTS / f"import-columns-{width}.png")
    column(page, "Dialogue").select_option("HITId")
    expect(page.locator(".preview")).not_to_contain_text("no column has a recognised name")

    choose_file(page, "WorkerId,HITId,Fluency,coherence\nw1,d1,5,4\n")
    expect(page.locator(".preview table")).to_contain_text("4")
    expect(column(page, "Dialogue")).to_have_value("HITId")
    expect(page.locator(".preview")).not_to_contain_text("no column has a recognised name")

    choose_file(page, "WorkerId,item,Fluency,coherence\nw1,d1,5,3\n")
    expect(page.locator(".preview table")).to_contain_text("3")
    expect(column(page, "Candidate")).to_have_value("item")
    expect(column(page, "Dialogue")).to_have_value("")
    assert screen.barriers() == ""
