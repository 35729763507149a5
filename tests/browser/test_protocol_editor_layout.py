"""What the editor shows where a researcher looks for it: none as an answer, and the whole preview."""

import pytest
from playwright.sync_api import expect

from tests.browser.editor import TINY, Open, begin, draft_of, field, node, preview

pytestmark = pytest.mark.django_db(transaction=True)


def test_where_several_answers_are_chosen_none_of_these_is_explained(open_screen: Open):
    page = begin(open_screen, draft_of(TINY), width=1280).page
    criterion = node(page, "criterion")
    field(criterion, "kind").select_option("multiple")
    box = criterion.get_by_label("An answer is required")
    said = criterion.get_by_text("annotators can also choose “None of these”")
    for part in (box, said):
        part.scroll_into_view_if_needed()
        expect(part).to_be_in_viewport(ratio=1)
    kind, answers = field(criterion, "kind").bounding_box(), node(criterion, "option").bounding_box()
    assert kind["y"] < box.bounding_box()["y"] < said.bounding_box()["y"] < answers["y"]


def test_the_live_preview_is_whole_before_the_page_is_scrolled(open_screen: Open):
    page = begin(open_screen, draft_of(TINY), width=1280, height=800).page
    expect(preview(page).locator("[data-save]")).to_be_visible()
    box = page.locator(".edit-frame").bounding_box()
    assert box["y"] + box["height"] <= 800
    assert box["height"] > 400
