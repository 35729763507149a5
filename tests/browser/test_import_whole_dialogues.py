"""What the import page says of whole dialogues, panels and lists on one line, as a person meets it."""

import json
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser.helpers import LOOKS, Screen
from tests.comparing import make_study
from tests.factories import HeartbeatFactory, MembershipFactory

pytestmark = pytest.mark.django_db(transaction=True)
TABLE = "id,prompt,model,scenario,persona\nx0,Hi.,m0,s,I keep bees.\nx1,Ho.,m1,s,I keep bees.\n"
RECORD = {"dialogue_id": "d", "history": [{"speaker": "A", "text": "Hi."}], "candidates": []}


def choose_file(page: Page, name: str, text: str) -> None:
    page.set_input_files("[name=file]", {"name": name, "mimeType": "text/plain", "buffer": text.encode()})


@LOOKS
def test_the_page_tells_how_to_read_whole_dialogues_and_which_record_is_wrong(
    open_screen: Callable[..., Screen], transactional_db: None, width: int, scheme: str
):
    HeartbeatFactory()
    study = make_study(0, 0, slug="wholes")
    researcher = MembershipFactory(study=study, role="researcher").user
    screen = open_screen(researcher, width=width, color_scheme=scheme)
    page = screen.go(reverse("study_import", args=["wholes"]))
    choose_file(page, "wholes.csv", TABLE)
    expect(page.locator(".field-error").first).to_contain_text(
        "if each row is a whole dialogue, choose “none: each row is a whole dialogue” there"
    )
    chosen = page.locator("[data-columns-chosen]")
    chosen.get_by_label("Response (needed)").select_option("none: each row is a whole dialogue")
    expect(page.locator(".field-error")).to_have_count(0)
    expect(page.locator(".preview")).to_contain_text("I keep bees.")
    expect(chosen.get_by_label("Context panel of the dialogue")).to_have_values(["persona"])
    assert screen.barriers() == ""
    choose_file(page, "list.json", json.dumps([RECORD | {"dialogue_id": f"d{at}"} for at in range(2)]))
    expect(page.locator(".field-error").first).to_contain_text("Records 1, 2, source and scenario: is missing")
