"""Who says the next turn: by the rule, in what was stored before it was kept, and on the page."""

from importlib import import_module

import pytest
from django.db import connection

from annotation.models import Candidate
from annotation.speakers import next_speaker
from tests.annotation.work_pages import rate_url, sign_in, text_of
from tests.cast import Cast
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory, take_seat

MIGRATION = import_module("annotation.migrations.0014_speaker")


def turns(speakers: str) -> list[dict[str, str]]:
    return [{"speaker": speaker, "text": "Well."} for speaker in speakers]


@pytest.mark.parametrize(
    ("speakers", "following"), [("AB", "A"), ("ABA", "B"), ("ABB", "A"), ("A", ""), ("AA", ""), ("ABC", ""), ("", "")]
)
def test_of_two_speakers_the_one_who_did_not_speak_last_is_next(speakers: str, following: str):
    assert next_speaker(turns(speakers)) == following


@pytest.mark.parametrize(
    ("speakers", "following"),
    [
        ("system user assistant user", "assistant"),
        ("developer Anna bot Anna", "bot"),
        ("user assistant tool", "assistant"),
        ("user tool assistant", "user"),
        ("user system user", "system"),
        ("system user", ""),
        ("system A B C", ""),
        ("system system", ""),
    ],
)
def test_instructions_and_tools_are_no_speakers_unless_nobody_else_answers(speakers: str, following: str):
    assert next_speaker([{"speaker": name, "text": "Well."} for name in speakers.split()]) == following


@pytest.mark.django_db
@pytest.mark.parametrize("speakers", ["AB", "ABA", "ABB", "A", "ABC", ""])
def test_what_was_stored_before_gets_its_speaker_by_the_same_rule(speakers: str):
    candidate = CandidateFactory(dialogue=DialogueFactory(turns=turns(speakers)))
    fill_as_the_migration_does()
    candidate.refresh_from_db()
    assert candidate.speaker == next_speaker(turns(speakers))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("named", "speaker", "kept"),
    [("Carla ", "Carla", {"nll": 1}), ("BOT", "A", {"nll": 1, "speaker": "BOT"}), (3, "A", {"nll": 1, "speaker": 3})],
)
def test_a_speaker_that_an_import_had_kept_becomes_the_speaker_unless_it_names_the_source(
    named: object, speaker: str, kept: dict[str, object]
):
    study = StudyFactory()
    candidate = CandidateFactory(
        dialogue=DialogueFactory(study=study, turns=turns("AB")),
        source=SourceFactory(study=study, key="bot"),
        metadata={"nll": 1, "speaker": named},
    )
    fill_as_the_migration_does()
    candidate.refresh_from_db()
    assert (candidate.speaker, candidate.metadata) == (speaker, kept)


def fill_as_the_migration_does() -> None:
    with connection.cursor() as cursor:
        cursor.execute(MIGRATION.NAMED)
        cursor.execute(MIGRATION.FOLLOWING)


@pytest.mark.django_db
def test_the_response_stands_under_the_name_of_its_speaker(cast: Cast):
    assignment = take_seat(cast.annotator, cast.batch)
    client = sign_in(cast.annotator.user)
    assert '<span class="speaker">Response <span' in text_of(client.get(rate_url(assignment)))
    Candidate.objects.update(speaker="Carla")
    page = text_of(client.get(rate_url(assignment)))
    assert '<span class="speaker">Response' not in page
    assert '<span dir="auto" lang="en">Carla</span> <span class="badge">to be rated</span>' in page
