"""From a first pilot to the qualification: the same dialogues twice, and figures that stay apart."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Batch, Study
from qualification.qualifying.selectors.votes import panel_state
from tests.browser.helpers import Screen
from tests.factories import MembershipFactory, StudyFactory, make_batch
from tests.qualification.qualifying.factories import QualificationFactory, finish, like, make_panel, mostly

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]


@pytest.fixture
def study() -> Study:
    """A first pilot of 5 dialogues, which three of the panel have rated, and dialogues for the main work."""
    study = StudyFactory(slug="plans", name="Plans", has_qualification=True)
    QualificationFactory(study=study)
    make_batch(study, 6, 3, key="main-1", position=1).delete()
    pilot = make_batch(study, 5, 3, key="pilot-1", position=2, kind="pilot")
    make_panel(study, pilot, [like(0), mostly(like(0), 3), mostly(like(0), 4)])
    return study


def shown(batch: Batch) -> list[tuple[int, int]]:
    return list(batch.items.order_by("pk").values_list("dialogue", "candidate"))


@pytest.mark.journey
@pytest.mark.parametrize("width", [1280, 375])
def test_a_second_pilot_and_the_qualification_show_the_dialogues_of_the_first(
    study: Study, open_screen: Open, width: int
):
    screen = open_screen(MembershipFactory(study=study, role="owner").user, width=width)
    page = screen.go("/studies/plans/pilot/")
    page.get_by_role("link", name="Create another pilot").click()
    expect(page.get_by_label("Same dialogues as")).to_have_value("pilot-1")
    expect(page.get_by_label("Dialogues per batch")).to_be_hidden()
    assert screen.barriers() == ""
    page.get_by_label("Use other dialogues").check()
    expect(page.get_by_label("Same dialogues as")).to_be_hidden()
    expect(page.get_by_label("Dialogues per batch")).to_be_visible()
    page.get_by_label("Use other dialogues").uncheck()
    page.get_by_role("button", name="Make batches").click()
    expect(page.get_by_text("pilot-2 has been made. It shows the same as pilot-1.")).to_be_visible()
    page.get_by_role("button", name="Open the draft").click()

    first, second = (study.batches.get(key=key) for key in ("pilot-1", "pilot-2"))
    assert shown(first) == shown(second)
    for member, answer in zip(study.participants.order_by("pk"), (like(0), like(0), mostly(like(0), 5)), strict=True):
        finish(member, second, answer)
    screen.go("/studies/plans/pilot/")
    expect(page.get_by_role("heading", name="Pilots side by side")).to_be_visible()
    expect(page.get_by_role("cell", name="same as pilot-1")).to_be_visible()
    expect(page.get_by_role("heading", name="What pilot-2 suggests")).to_be_visible()
    assert screen.barriers() == ""

    page.get_by_role("link", name="Create a qualification from these dialogues").click()
    expect(page.get_by_label("Same dialogues as")).to_have_value("pilot-2")
    page.get_by_role("button", name="Make batches").click()
    expect(page.get_by_text("qualification-1 has been made. It shows the same as pilot-2.")).to_be_visible()
    page.get_by_role("button", name="Open the draft").click()
    batch = study.batches.get(key="qualification-1")
    assert shown(batch) == shown(first)
    assert panel_state(study.qualification, [batch.pk]).reason == ""
    screen.go("/studies/plans/qualification/")
    expect(page.get_by_text("same items as pilot-2: the panel's answers there count")).to_be_visible()

    page = screen.go("/studies/plans/dialogues/")
    row = page.get_by_role("row", name=study.dialogues.get(pk=first.items.first().dialogue_id).key)
    for key in ("pilot-1", "pilot-2", "qualification-1"):
        expect(row.get_by_role("link", name=key)).to_be_visible()
    assert screen.barriers() == ""
    assert batch.created_at < timezone.now()
