"""An annotator rates a conversation turn by turn: each page says which part it is, and where reading goes on."""

import pytest

from annotation.models import Assignment, Batch, Study
from annotation.services.batching import make_batches
from tests.annotation.work_pages import rate_url, sign_in, text_of
from tests.clock import NOW
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory, make_annotator, take_seat

TURNS = [{"speaker": "AB"[at % 2], "text": f"turn {at}."} for at in range(5)]
NEW = "New since the last page"


@pytest.fixture
def assignment(db: None) -> Assignment:
    study: Study = StudyFactory()
    source = SourceFactory(study=study)
    for at, key in enumerate(("c-1", "c-2", "c-3")):
        dialogue = DialogueFactory(study=study, key=key, conversation="c", turns=TURNS[: 2 * at + 1], position=at)
        CandidateFactory(dialogue=dialogue, source=source)
    (batch,) = make_batches(study, by="size", size=3, now=NOW)
    Batch.objects.filter(pk=batch.pk).update(status="open")
    batch.refresh_from_db()
    return take_seat(make_annotator(study, "ann"), batch)


def page(assignment: Assignment, position: int) -> str:
    return text_of(sign_in(assignment.participant.user).get(rate_url(assignment, position)))


def test_each_page_says_which_part_it_is(assignment: Assignment):
    for position in (1, 2, 3):
        assert f"part {position} of 3 of a conversation" in page(assignment, position)


def test_what_is_new_begins_after_the_turns_of_the_page_before(assignment: Assignment):
    assert NEW not in page(assignment, 1)
    before, _, after = page(assignment, 3).partition(NEW)
    assert "turn 2." in before
    assert "turn 3." not in before
    assert "turn 3." in after
    assert "turn 4." in after


def test_a_dialogue_of_its_own_says_nothing_of_turns(cast):
    assignment = take_seat(cast.annotator, cast.batch)
    first = page(assignment, assignment.batch.items.first().position)
    assert "of a conversation" not in first
    assert NEW not in first


def test_a_conversation_of_which_the_batch_has_one_dialogue_does_neither(assignment: Assignment):
    assignment.batch.items.exclude(position=2).delete()
    assert "of a conversation" not in page(assignment, 2)
