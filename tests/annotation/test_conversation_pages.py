"""An annotator rates conversations turn by turn: each is one piece, and each page says where reading goes on."""

import re

import pytest
from django.urls import reverse

from annotation.models import Assignment, Batch, Study
from annotation.services.batching import make_batches
from tests.annotation.work_pages import heading_of, rate_url, sign_in, text_of
from tests.clock import NOW
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory, make_annotator, take_seat

NEW = "New since the last page"
FOUND = [("c", 1), ("c", 2), ("c", 3), ("d", 1), ("d", 2), ("d", 3)]


def said(name: str, n: int) -> list[dict[str, str]]:
    """The conversation up to the n-th response, without that."""
    turns = [{"speaker": "AB"[at % 2], "text": f"{name}, turn {at}."} for at in range(2 * n - 1)]
    return [turn | {"text": f"{name}, response {at // 2 + 1}."} if at % 2 else turn for at, turn in enumerate(turns)]


def make_study(*, n_sources: int = 1) -> Study:
    """Two conversations of three turns, each with the response that it goes on with, and perhaps others."""
    study: Study = StudyFactory()
    sources = [SourceFactory(study=study) for _ in range(n_sources)]
    for at, (name, turn) in enumerate(FOUND):
        dialogue = DialogueFactory(
            study=study, key=f"{name}-{turn}", conversation=name, turns=said(name, turn), position=at
        )
        for source in sources:
            text = f"{name}, response {turn}." if source == sources[0] else f"{name}, another response to turn {turn}."
            CandidateFactory(dialogue=dialogue, source=source, text=text)
    return study


def begin(study: Study) -> Assignment:
    (batch,) = make_batches(study, by="size", size=9, now=NOW)
    Batch.objects.filter(pk=batch.pk).update(status="open")
    batch.refresh_from_db()
    return take_seat(make_annotator(study, "ann"), batch)


@pytest.fixture
def assignment(db: None) -> Assignment:
    return begin(make_study())


def page(assignment: Assignment, position: int) -> str:
    return text_of(sign_in(assignment.participant.user).get(rate_url(assignment, position)))


def headings(assignment: Assignment, name: str) -> list[str]:
    """The headings of a page around the batch, and what stands below each."""
    found = text_of(sign_in(assignment.participant.user).get(reverse(name, args=[assignment.token])))
    lines = re.findall(
        r"<h3>(.*?)</h3>|<h2 class=\"item-dialogue\">(.*?)</h2>|<a href=\"[^\"]*/\d+/\d+/[^\"]*\">(.*?)[<]", found
    )
    return ["".join(line).strip() for line in lines]


def test_a_conversation_is_counted_once_and_its_turns_are_counted_in_it(assignment: Assignment):
    assert [heading_of(page(assignment, position)) for position in range(1, 7)] == [
        f"Conversation {piece} of 2 · turn {turn} of 3" for piece in (1, 2) for turn in (1, 2, 3)
    ]


def test_a_dialogue_among_conversations_is_a_piece_too(db: None):
    study = make_study()
    alone = DialogueFactory(study=study, key="alone", position=9)
    CandidateFactory(dialogue=alone, source=study.sources.get())
    assignment = begin(study)
    position = assignment.batch.items.get(dialogue=alone).position
    assert re.fullmatch(r"Dialogue [123] of 3", heading_of(page(assignment, position)))


@pytest.mark.parametrize("name", ["submit", "item_list"])
def test_the_review_and_the_list_of_items_are_grouped_by_conversation(assignment: Assignment, name: str):
    shown = [line for line in headings(assignment, name) if "Conversation" in line or "Turn" in line]
    assert shown == ["Conversation 1", "Turn 1", "Turn 2", "Turn 3", "Conversation 2", "Turn 1", "Turn 2", "Turn 3"]


def test_several_responses_to_a_turn_are_named_by_both(db: None):
    shown = headings(begin(make_study(n_sources=2)), "item_list")
    assert shown[:4] == ["Conversation 1", "Turn 1 · Response 1", "Turn 1 · Response 2", "Turn 2 · Response 1"]


def test_what_is_missing_is_named_by_its_turn(assignment: Assignment):
    client = sign_in(assignment.participant.user)
    assert "missing answer: Conversation 1, turn 1, " in text_of(client.get(reverse("submit", args=[assignment.token])))


def test_a_number_leads_to_an_item_of_a_conversation(assignment: Assignment):
    client, url = sign_in(assignment.participant.user), reverse("item_list", args=[assignment.token])
    assert client.get(url, {"number": "2.3"}).url == rate_url(assignment, 6)
    assert "There is no conversation 3: this batch has conversations 1 to 2." in text_of(
        client.get(url, {"number": "3"})
    )


def test_what_is_new_begins_below_the_response_that_was_rated_before(assignment: Assignment):
    name = assignment.batch.items.get(position=3).dialogue.conversation
    assert NEW not in page(assignment, 1)
    before, _, after = page(assignment, 3).partition(NEW)
    assert f"{name}, response 2." in before
    assert f"{name}, turn 4." not in before
    assert f"{name}, turn 4." in after


def test_what_is_new_begins_with_a_response_that_nobody_was_shown(assignment: Assignment):
    item = assignment.batch.items.get(position=2)
    item.candidate.text = "a response of another system."
    item.candidate.save()
    before, _, after = page(assignment, 3).partition(NEW)
    assert f"{item.dialogue.conversation}, response 2." not in before
    assert f"{item.dialogue.conversation}, response 2." in after


def test_dialogues_of_their_own_are_counted_as_dialogues(cast):
    assignment = take_seat(cast.annotator, cast.batch)
    first = page(assignment, assignment.batch.items.first().position)
    assert re.fullmatch(r"Dialogue 1 of \d+", heading_of(first))
    assert NEW not in first


def test_a_conversation_of_which_the_batch_has_one_dialogue_is_a_dialogue(assignment: Assignment):
    assignment.batch.items.filter(position__in=(1, 3)).delete()
    assert heading_of(page(assignment, 2)) == "Dialogue 1 of 2"
