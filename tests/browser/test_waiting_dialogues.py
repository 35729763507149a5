"""What the pages say of turns that the protocol has no question for."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Study
from tests.annotation.importing.conftest import load
from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS, Screen
from tests.factories import MembershipFactory, StudyFactory
from tests.factories_protocols import make_scale_version

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(transactional_db: None, tmp_path: Path) -> Study:
    path = tmp_path / "log.jsonl"
    said = [{"role": role, "content": f"{role} {at}"} for at in range(3) for role in ("user", "assistant")]
    path.write_text("\n".join(json.dumps({"id": f"c{at}", "model": "m", "messages": said}) for at in range(4)))
    study = StudyFactory(protocol_version=make_scale_version(1, unit="dialogue"))
    load(study, path, transcript=True, with_dialogue=True)
    return study


@LOOKS
def test_batches_and_the_list_of_dialogues_tell_what_cannot_be_used(
    open_screen: Callable[..., Screen], study: Study, width: int, scheme: str
):
    researcher = MembershipFactory(study=study, role="researcher").user
    screen = open_screen(researcher, width=width, color_scheme=scheme)
    page = screen.go(reverse("study_batches", args=[study.slug]))
    expect(page.get_by_text("This protocol has no question for 12 dialogues")).to_be_visible()
    expect(page.locator("summary .badge")).to_have_text("4 dialogues are not in a batch")
    assert screen.barriers() == ""
    screen.keep_picture(SCREENSHOTS / f"waiting-batches-{width}.png")
    page.get_by_role("link", name="Dialogues and their use").first.click()
    page.get_by_label("Used for").select_option(label="Cannot be used")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("h2 .badge")).to_have_text("12")
    expect(page.locator("tbody th").first).to_contain_text("c0:1user 0")
    assert screen.barriers() == ""
    screen.keep_picture(SCREENSHOTS / f"waiting-dialogues-{width}.png")
