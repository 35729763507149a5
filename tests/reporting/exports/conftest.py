"""Studies that were rated in every way a protocol allows."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Study
from annotation.services.batching import make_batches
from annotation.services.claiming import claim_seat
from reporting.exports.formats import write_export
from tests.annotation.importing.conftest import (
    HE_DIALOGUES,
    HE_RATINGS,
    builtin,
    load,
    load_ratings,
    write,  # noqa: F401 - a fixture
)
from tests.cast import Cast
from tests.factories import StudyFactory
from tests.shipped import Work
from tests.working import rate_everything

NOW = timezone.now()


@pytest.fixture
def rated(cast: Cast) -> Cast:
    """Three annotators, all questions: option 0, 1, 0."""
    for number, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=number % 2)
    return cast


@pytest.fixture
def written() -> Callable[..., bytes]:
    def written(study: Study, format: str, **options: Any) -> bytes:
        file = io.BytesIO()
        write_export(study, format, options, file)
        return file.getvalue()

    return written


def make_he_study() -> Study:
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"), seats=7, description="As it was, =1+1")
    load(study, HE_DIALOGUES)
    load_ratings(study, HE_RATINGS)
    make_batches(study, by="size", size=5, kind="pilot", n_dialogues=5, seats=2, now=NOW)
    return study


@pytest.fixture(scope="module")
def make_shared_he_study(shared) -> Callable[[], Study]:
    return shared(make_he_study)


@pytest.fixture
def he_study(make_shared_he_study: Callable[[], Study], db: None) -> Study:
    return make_shared_he_study()


def score_dialogue(work: Work, place: int, score: str, *reasons: str, turns: tuple[int, ...] = ()) -> None:
    item = work.items("dialogue")[place]
    work.answer(item, "knowledge", "no")
    work.answer(item, "score", score)
    if reasons:
        work.answer(item, f"reasons_{score}", *reasons)
    if score == "2":
        work.answer(item, "support", turns=turns)


def make_diqad() -> Work:
    """Four dialogues, three annotators: 1 with reasons, 2 with a marked turn, excluded, and tied."""
    first = Work("diqad-1.0", n_dialogues=4, annotator="ada").has_read_all()
    second = first.another("bea").has_read_all()
    third = first.another("cas").has_read_all()
    for work, scores in ((first, "1200"), (second, "1210"), (third, "0210")):
        for place, score in enumerate(scores):
            if place == 2 and work is not first:
                score_dialogue(work, place, "abandon")
            elif place == 3:
                score_dialogue(work, place, {first: "1", second: "0", third: "2"}[work])
            elif score == "1":
                score_dialogue(work, place, "1", "incomplete", *(["less_proactive"] if work is first else []))
            elif score == "2":
                score_dialogue(work, place, "2", turns=(2,))
            else:
                score_dialogue(work, place, "0", "not_relevant")
    return first


@pytest.fixture(scope="module")
def make_shared_diqad(shared) -> Callable[[], Work]:
    return shared(make_diqad)


@pytest.fixture
def diqad(make_shared_diqad: Callable[[], Work], db: None) -> Work:
    return make_shared_diqad()
