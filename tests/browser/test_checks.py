"""The pages of checks in a browser: decided by hand, with nothing in the way of anybody, on a phone and in the dark."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.services.claiming import claim_seat, submit_assignment
from qualification.checks.services.flags import decide_flag
from qualification.checks.services.plans import save_check_plan
from qualification.models import Flag, KnownAnswer
from tests.browser.helpers import LOOKS, Screen
from tests.cast import Cast, make_cast
from tests.factories import HeartbeatFactory, make_batch
from tests.qualification.checks.factories import CheckPlanFactory, FlagFactory, make_checks
from tests.qualification.checks.test_pages import EVIDENCE
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    HeartbeatFactory()
    cast = make_cast(pay_amount="4.67", pay_currency="GBP")
    CheckPlanFactory(study=cast.study, gold_percent=50)
    for kind, evidence in EVIDENCE.items():
        person = cast.annotators[1 if kind in ("gold", "drift") else 2]
        FlagFactory(participant=person, kind=kind, evidence=evidence)
    for decision, kind in (("dismissed", "speed"), ("excluded", "attention")):
        flag = Flag.objects.get(kind=kind)
        decide_flag(flag, decision=decision, reason="Read thirty answers.", by=cast.lead, now=timezone.now())
    return cast


@pytest.mark.journey
def test_a_lead_dismisses_a_flag_and_finds_it_in_the_history(open_screen: Callable[..., Screen], cast: Cast):
    screen = open_screen(cast.lead)
    page = screen.go(reverse("checks", args=[cast.study.slug]))
    flag = page.locator(".flag").filter(has_text="known answers missed")
    expect(flag).to_contain_text("20 of 48 answers to items with a known answer are correct")

    flag.get_by_label("Reason for your decision").fill("The gold was wrong.")
    flag.get_by_role("button", name="Dismiss").click()

    expect(page.locator(".flag").filter(has_text="known answers missed")).to_have_count(0)
    expect(page.locator(".flag-history")).to_contain_text("The gold was wrong.")


def test_known_answers_are_imported_and_inserted(open_screen: Callable[..., Screen], cast: Cast, tmp_path: Path):
    dialogue = make_checks(cast.study, 1)[0]
    KnownAnswer.objects.all().delete()
    file = tmp_path / "known.csv"
    rows = "".join(f"{dialogue.key},{each.key},listening,listening\n" for each in dialogue.candidates.all())
    file.write_text("dialogue,candidate,criterion,options\n" + rows)
    page = open_screen(cast.researcher).go(reverse("checks_settings", args=[cast.study.slug]))

    page.get_by_label("File").set_input_files(file)
    page.get_by_role("button", name="Import the answers").click()
    expect(page.get_by_text("New: 3, changed: 0, unchanged: 0.")).to_be_visible()
    page.get_by_role("button", name="Insert the checks").click()

    expect(page.get_by_text("Dialogues inserted: 1. Batches: 1.")).to_be_visible()
    assert cast.batch.items.filter(is_check=True).count() == 3


@LOOKS
def test_the_pages_have_no_barriers_and_do_not_scroll_sideways(
    open_screen: Callable[..., Screen], cast: Cast, width: int, scheme: str
):
    screen = open_screen(cast.owner, width=width, color_scheme=scheme)
    for name, query in (
        ("checks", ""),
        ("checks", f"?annotator={cast.annotators[1].pseudonym}"),
        ("checks_settings", ""),
    ):
        page = screen.go(reverse(name, args=[cast.study.slug]) + query)
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert screen.barriers() == ""
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [1280, 375])
def test_an_annotator_reads_how_they_agree(open_screen: Callable[..., Screen], width: int):
    cast = make_cast()
    save_check_plan(cast.study, by=None, now=timezone.now(), gives_feedback=True)
    batch = make_batch(cast.study, 4, position=3, key="four")
    for person in cast.annotators:
        assignment = claim_seat(person, batch, now=timezone.now())
        rate_everything(assignment, now=timezone.now())
        submit_assignment(assignment, feedback="", now=timezone.now())
    screen = open_screen(cast.annotator.user, width=width)

    page = screen.go(reverse("work"))

    expect(page.get_by_text("you agree with the majority of the others on 40 of 40 answers")).to_be_visible()
    assert screen.barriers() == ""
