"""Missed checks hold an ending until a team lead decides: without a sweep before it, and whether they paused or not."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Study
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from qualification.checks.services.flags import decide_flag
from qualification.checks.services.inserting import insert_checks
from qualification.models import Entry, Flag
from qualification.recruitment.selectors.exit_rules import way_of
from qualification.recruitment.services.completion import end_entry
from tests.clock import NOW
from tests.factories import UserFactory
from tests.qualification.checks.factories import CheckPlanFactory, FlagFactory, make_checks
from tests.qualification.recruitment.factories import finish_batch

pytestmark = pytest.mark.django_db
CODES = ("CDONE1", "CSCREEN2", "CATTENTION3", "CTIME4")


@pytest.fixture
def client(entry: Entry) -> Client:
    client = Client()
    client.force_login(entry.participant.user)
    return client


def end(client: Client, entry: Entry) -> str:
    return client.post(reverse("entry_end", args=[entry.study.slug]), follow=True).content.decode()


def first_batch(entry: Entry) -> Batch:
    return entry.study.batches.order_by("position")[0]


def pause_for(entry: Entry, kind: str = "attention") -> Flag:
    set_status(entry.participant, status="paused", now=NOW)
    return FlagFactory(participant=entry.participant, kind=kind, has_paused=True)


def decide(flag: Flag, decision: str) -> None:
    decide_flag(flag, decision=decision, reason="Looked at it.", by=UserFactory(), now=NOW)


# --- flags that are there -----------------------------------------------------------------------------------
@pytest.mark.parametrize("is_closed", [False, True])
@pytest.mark.parametrize("is_paused", [False, True])
@pytest.mark.parametrize("kind", ["attention", "gold"])
def test_whose_missed_checks_wait_for_a_lead_gets_no_code_and_a_kind_word(client, entry, kind, is_paused, is_closed):
    finish_batch(entry.participant, first_batch(entry))
    if is_paused:
        pause_for(entry, kind)
    else:
        FlagFactory(participant=entry.participant, kind=kind)
    if is_closed:
        Study.objects.update(status="closed")
    shown = end(client, entry)

    assert "Your work is being looked at" in shown
    assert "come back to this page" in shown
    assert f'<a href="{reverse("entry_end", args=[entry.study.slug])}">Refresh</a>' in shown
    assert not [code for code in CODES if code in shown]
    assert "Finish here" not in client.get(reverse("work")).content.decode()
    entry.refresh_from_db()
    assert entry.state == "entered"


@pytest.mark.parametrize(
    ("decision", "code"), [("dismissed", "CDONE1"), ("paused", "CDONE1"), ("excluded", "CATTENTION3")]
)
@pytest.mark.parametrize("is_paused", [False, True])
def test_the_code_follows_the_leads_decision(client, entry, is_paused, decision, code):
    finish_batch(entry.participant, first_batch(entry))
    decide(pause_for(entry) if is_paused else FlagFactory(participant=entry.participant), decision)

    assert f"cc={code}" in end(client, entry)


def test_a_second_flag_holds_on_when_the_first_is_dismissed(entry):
    finish_batch(entry.participant, first_batch(entry))
    flags = [FlagFactory(participant=entry.participant, kind=kind) for kind in ("attention", "gold")]
    decide(flags[0], "dismissed")

    assert way_of(entry, timezone.now()).is_looked_at


def test_flags_of_another_kind_hold_nobody(entry):
    finish_batch(entry.participant, first_batch(entry))
    pause_for(entry, "speed")

    assert way_of(entry, timezone.now()).may_finish


def test_who_has_handed_in_nothing_works_on_and_is_told_nothing_of_their_checks(client, entry):
    FlagFactory(participant=entry.participant)
    page = client.get(reverse("work")).content.decode()

    assert "The team is looking" not in page
    assert "Start batch" in page
    assert "Finish a batch first" in end(client, entry)


# --- flags that no sweep has raised yet -----------------------------------------------------------------------
@pytest.fixture
def checked(entry: Entry) -> Entry:
    """Their first batch has an attention check, whose text asks for the second option, and may not be missed."""
    CheckPlanFactory(study=entry.study, attention_percent=50, most_attention_missed=0)
    make_checks(entry.study, 1, kind="attention", option=1)
    assert insert_checks(entry.study, by=None, now=timezone.now()).n_checks == 2
    return entry


def test_who_misses_a_check_and_finishes_at_once_is_looked_at_all_the_same(client, checked):
    finish_batch(checked.participant, first_batch(checked))
    assert "Finish here" in client.get(reverse("work")).content.decode()
    shown = end(client, checked)

    assert "Your work is being looked at" in shown
    assert not [code for code in CODES if code in shown]
    flag = Flag.objects.get()
    assert (flag.kind, flag.state, flag.evidence["value"], flag.has_paused) == ("attention", "open", 1, False)
    assert checked.study.activities.filter(verb="flag_raised").count() == 1
    assert not checked.study.activities.filter(verb="left").exists()


def test_the_studys_rule_pauses_them_there_as_a_sweep_would(checked):
    type(checked.study.check_plan).objects.update(pauses_automatically=True)
    finish_batch(checked.participant, first_batch(checked))
    with pytest.raises(Refused, match="being looked at"):
        end_entry(checked, now=timezone.now())

    checked.participant.refresh_from_db()
    assert (checked.participant.status, Flag.objects.get().has_paused) == ("paused", True)


@pytest.mark.parametrize(("decision", "code"), [("dismissed", "CDONE1"), ("excluded", "CATTENTION3")])
def test_what_the_lead_decides_is_not_asked_again(client, checked, decision, code):
    finish_batch(checked.participant, first_batch(checked))
    end(client, checked)
    decide(Flag.objects.get(), decision)

    assert f"cc={code}" in end(client, checked)
    assert Flag.objects.count() == 1


def test_asking_again_and_again_raises_one_flag(client, checked):
    finish_batch(checked.participant, first_batch(checked))
    for _ in range(3):
        end(client, checked)

    assert Flag.objects.count() == 1


def test_who_misses_no_more_than_the_study_allows_has_finished(client, checked):
    type(checked.study.check_plan).objects.update(most_attention_missed=1)
    finish_batch(checked.participant, first_batch(checked))

    assert "cc=CDONE1" in end(client, checked)
    assert not Flag.objects.exists()
