"""A column of a table becomes a context panel: chosen beside the preview, and seen there as annotators will see it."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Study
from tests.annotation.importing.conftest import builtin
from tests.browser.helpers import Screen
from tests.factories import HeartbeatFactory, MembershipFactory, StudyFactory

pytestmark = pytest.mark.django_db(transaction=True)
TABLE = (
    b"case,dialog_so_far,GPT,Llama,fact GPT,fact Llama,first note,second note,topic\n"
    b"x1,A: Do you like trains?,They are calming.,They have rules.,Trains were studied in 1902.,There are 12 rules.,n1,"
    b"n2,trains\n"
)


@pytest.fixture
def study(transactional_db: None) -> Study:
    HeartbeatFactory()
    return StudyFactory(protocol_version=builtin("usr-1.1"))


def open_table(open_screen: Callable[..., Screen], study: Study) -> Page:
    screen = open_screen(MembershipFactory(study=study, role="researcher").user)
    page = screen.go(reverse("study_import", args=[study.slug]))
    page.set_input_files("[name=file]", {"name": "usr.csv", "mimeType": "text/csv", "buffer": TABLE})
    choose(page, "Dialogue", "case")
    choose(page, "Dialogue so far", "dialog_so_far")
    choose(page, "Response", "GPT", "Llama")
    return page


def choose(page: Page, field: str, *columns: str) -> None:
    chosen = page.locator(".columns .field", has=page.locator(f'label:text-matches("^{field}( \\\\(|$)")')).locator(
        "select"
    )
    with page.expect_response("**/preview/"):
        chosen.first.select_option(list(columns))


def test_a_column_is_the_panel_of_the_response_that_its_name_tells(open_screen: Callable[..., Screen], study: Study):
    page = open_table(open_screen, study)
    shown = page.locator(".preview")
    expect(shown).to_contain_text(
        "This protocol asks about “Uses Knowledge”, but no dialogue or response has a context"
    )
    expect(shown).to_contain_text(
        "Kept with the dialogue, for breakdowns: fact GPT, fact Llama, first note, second note"
    )

    choose(page, "Context panel of the response", "fact GPT", "fact Llama")

    expect(shown).not_to_contain_text("This protocol asks about")
    expect(shown).to_contain_text("Kept with the dialogue, for breakdowns: first note, second note, topic")
    dialogue = shown.locator(".preview-dialogue")
    expect(dialogue.get_by_text("Fact", exact=True)).to_have_count(2)
    expect(dialogue).to_contain_text("Trains were studied in 1902.")


def test_a_column_whose_name_does_not_tell_the_response_is_asked_for_it(
    open_screen: Callable[..., Screen], study: Study
):
    page = open_table(open_screen, study)
    shown = page.locator(".preview")
    choose(page, "Context panel of the response", "first note", "second note")
    expect(shown).to_contain_text("it is not known whose response this is about: first note, second note")
    for column, source in (("first note", "Llama"), ("second note", "GPT")):
        with page.expect_response("**/preview/"):
            page.get_by_label(f"Whose response is “{column}” about?").select_option(source)
    expect(shown).not_to_contain_text("it is not known")
    panels = shown.locator(".preview-dialogue")
    expect(panels).to_contain_text("n2")
    assert panels.inner_text().index("n2") < panels.inner_text().index("They are calming.")
