"""Which work an ending rests on: main batches that were handed in, whatever became of them, and not the way there."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Batch, Participant, Study
from annotation.services.claiming import claim_seat
from annotation.services.moving import move_study
from annotation.services.refusals import Refused
from annotation.services.rounds import open_next_round
from annotation.services.status import set_status
from qualification.models import Entry, Recruitment
from qualification.qualifying.services.results import sweep_attempts
from qualification.recruitment.selectors.exit_rules import way_of
from qualification.recruitment.services.completion import end_entry
from tests.clock import NOW
from tests.factories import make_annotator, make_batch
from tests.factories_protocols import make_he_version
from tests.qualification.qualifying.factories import finish, like, make_qualifying_study
from tests.qualification.recruitment.factories import EntryFactory, finish_batch, let_time_run_out, open_for

pytestmark = pytest.mark.django_db


def qualify(participant: Participant, kind: str = "qualification") -> None:
    """A batch of the way to the main work, handed in. A result cleared them, as it were."""
    way_in = make_batch(participant.study, 1, 1, position=9, kind=kind, key=f"{kind}-1")
    set_status(participant, status="qualifying", now=NOW)
    finish_batch(participant, way_in)
    set_status(participant, status="cleared", now=NOW)
    participant.refresh_from_db()


@pytest.fixture(params=["", "qualification", "training"], ids=["no gate", "qualified", "trained"])
def worker(entry: Entry, request: pytest.FixtureRequest) -> Entry:
    """Cleared, in a study without a qualification or after a batch of it."""
    if request.param:
        qualify(entry.participant, request.param)
    return entry


def main_batch(entry: Entry) -> Batch:
    return entry.study.batches.filter(kind="main").order_by("position")[0]


def only_one_main_batch(entry: Entry) -> Batch:
    left = main_batch(entry)
    entry.study.batches.filter(kind="main").exclude(pk=left.pk).update(status="closed")
    return left


def take_their_seat(entry: Entry, batch: Batch) -> None:
    finish_batch(make_annotator(entry.study, "quicker"), batch)


def newer_version(study: Study):
    return make_he_version(protocol=study.protocol_version.protocol, n_criteria=3)


# --- begun and not handed in ------------------------------------------------------------------------------
@pytest.mark.parametrize("is_seat_taken", [False, True])
def test_whose_main_batch_lapses_is_timed_out(worker, is_seat_taken):
    batch = only_one_main_batch(worker)
    let_time_run_out(worker.participant, batch)
    if is_seat_taken:
        take_their_seat(worker, batch)

    assert end_entry(worker, now=timezone.now()).state == "timed_out"


def test_without_a_code_for_it_they_are_screened_out_when_the_seat_is_taken_and_never_done(worker):
    Recruitment.objects.update(code_timed_out="")
    batch = only_one_main_batch(worker)
    let_time_run_out(worker.participant, batch)
    take_their_seat(worker, batch)

    assert end_entry(worker, now=timezone.now()).state == "screened_out"


def test_whose_qualification_lapses_is_timed_out(entry):
    batch = make_batch(entry.study, 1, 1, position=9, kind="qualification")
    set_status(entry.participant, status="qualifying", now=NOW)
    let_time_run_out(entry.participant, batch)

    assert end_entry(entry, now=timezone.now()).state == "timed_out"


def test_a_training_that_lapsed_times_nobody_out_who_is_cleared_since(entry):
    batch = make_batch(entry.study, 1, 1, position=9, kind="training")
    set_status(entry.participant, status="qualifying", now=NOW)
    let_time_run_out(entry.participant, batch)
    set_status(entry.participant, status="cleared", now=NOW)

    assert way_of(entry, timezone.now()).due == ""


def test_through_the_qualification_to_a_main_batch_that_lapses():
    study, qualification = make_qualifying_study(n_sources=1, n_dialogues=12)
    main = make_batch(study, 1, 1, position=5, key="main-1")
    open_for(study)
    person = make_annotator(study, "candidate", status="qualifying", consent_version="1", consented_at=NOW)
    entry = EntryFactory(study=study, participant=person)
    finish(person, qualification, like(0))
    with pytest.raises(Refused, match="Finish a batch first"):
        end_entry(entry, now=timezone.now())

    assert sweep_attempts(now=timezone.now()) == 1
    person.refresh_from_db()
    assert person.status == "cleared"
    begun = claim_seat(person, main, now=timezone.now())
    in_time = begun.claimed_at + timedelta(minutes=study.minutes_at_most) - timedelta(seconds=1)
    assert way_of(entry, in_time).due == ""
    assert end_entry(entry, now=in_time + timedelta(seconds=2)).state == "timed_out"


# --- handed in, and lost its seat ---------------------------------------------------------------------------
def lose_by_return(entry: Entry) -> None:
    open_next_round(main_batch(entry), now=timezone.now())


def lose_by_move(entry: Entry) -> None:
    move_study(entry.study, newer_version(entry.study), now=timezone.now())


@pytest.mark.parametrize("lose", [lose_by_return, lose_by_move])
def test_who_handed_in_a_batch_may_finish_though_it_is_to_be_rated_again(worker, lose):
    finish_batch(worker.participant, main_batch(worker))
    lose(worker)
    way = way_of(worker, timezone.now() + timedelta(days=1))

    assert (way.due, way.may_finish) == ("", True)
    assert end_entry(worker, now=timezone.now()).state == "done"


@pytest.mark.parametrize("lose", [lose_by_return, lose_by_move])
def test_who_handed_in_a_batch_is_done_when_somebody_else_rates_it_again(worker, lose):
    batch = only_one_main_batch(worker)
    finish_batch(worker.participant, batch)
    lose(worker)
    batch.refresh_from_db()
    take_their_seat(worker, batch)

    assert way_of(worker, timezone.now()).due == "done"


@pytest.mark.parametrize("lose", [lose_by_return, lose_by_move])
def test_who_takes_it_again_and_lets_it_lapse_is_not_timed_out(worker, lose):
    batch = only_one_main_batch(worker)
    finish_batch(worker.participant, batch)
    lose(worker)
    batch.refresh_from_db()
    let_time_run_out(worker.participant, batch)

    assert end_entry(worker, now=timezone.now()).state == "done"


def test_whom_a_move_of_the_study_interrupts_keeps_the_time_of_their_batch(worker):
    begun = claim_seat(worker.participant, main_batch(worker), now=timezone.now())
    lose_by_move(worker)

    assert way_of(worker, timezone.now()).due == ""
    assert way_of(worker, begun.claimed_at + timedelta(minutes=worker.study.minutes_at_most)).due == "timed_out"


# --- the way there ------------------------------------------------------------------------------------------
def test_who_qualified_and_finds_no_main_batch_is_screened_out(entry):
    qualify(entry.participant)
    entry.study.batches.filter(kind="main").update(status="closed")

    assert end_entry(entry, now=timezone.now()).state == "screened_out"


def test_a_qualification_that_a_move_made_void_is_waited_for_again(entry):
    batch = make_batch(entry.study, 1, 1, position=9, kind="qualification")
    set_status(entry.participant, status="qualifying", now=NOW)
    finish_batch(entry.participant, batch)
    lose_by_move(entry)

    assert way_of(entry, timezone.now() + timedelta(days=1)).due == ""


def test_a_member_of_the_panel_has_finished_with_the_pilot(entry):
    Participant.objects.filter(pk=entry.participant_id).update(panel="non_expert", status="pending")
    entry.participant.refresh_from_db()
    finish_batch(entry.participant, make_batch(entry.study, 1, 1, position=9, kind="pilot"))
    set_status(entry.participant, status="cleared", now=NOW)
    entry.study.batches.filter(kind="main").update(status="closed")

    assert end_entry(entry, now=timezone.now()).state == "done"
