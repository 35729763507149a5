"""A study in which something is wrong: a clicker, one who gives up at the end, a hard batch, a hasty annotator."""

from datetime import datetime, timedelta

import numpy as np

from annotation.models import Assignment, Batch, Participant, Rating, Seat, Study
from protocols.specs import spec_of
from tests.cast import Cast
from tests.factories import make_batch

NAMES = ("amber", "birch", "cedar", "clicker", "drifter", "hasty", "maple")
N_BATCHES, HARD = 4, 2


def make_drifting_study(cast: Cast, *, now: datetime, n_dialogues: int = 12, seed: int = 3) -> Study:
    """Four more batches of the cast's study, rated by seven people; nothing is measured yet."""
    rng = np.random.default_rng(seed)
    people = [
        Participant.objects.create(study=cast.study, pseudonym=name, is_imported=True, status="cleared")
        for name in NAMES
    ]
    for place in range(N_BATCHES):
        batch = make_batch(cast.study, n_dialogues, key=f"week-{place + 1}", position=place + 1)
        _rate(cast.study, batch, place, people, now - timedelta(hours=N_BATCHES - place), rng)
    return cast.study


def _rate(study: Study, batch: Batch, place: int, people: list[Participant], began: datetime, rng) -> None:
    criteria = spec_of(study.protocol_version).criteria
    items = list(batch.items.order_by("position", "pk"))
    truth = rng.choice(3, (len(criteria), len(items)), p=(0.6, 0.3, 0.1))
    sureness = 0.45 if place == HARD else 0.85
    ratings = []
    for number, person in enumerate(people, start=1):
        work = Assignment.objects.create(
            batch=batch, participant=person, status="submitted", claimed_at=began, submitted_at=began
        )
        Seat.objects.update_or_create(batch=batch, number=number, defaults={"assignment": work})
        for at, item in enumerate(items):
            for which, criterion in enumerate(criteria):
                moment = began + timedelta(seconds=20 * (at * len(criteria) + which))
                ratings.append(
                    Rating(
                        assignment=work, item=item, criterion_id=criterion.id, batch=batch,
                        option_id=criterion.options[_answer(person, place, truth[which, at], sureness, rng)].id,
                        active_ms=_time(person, rng), answered_at=moment, created_at=moment, updated_at=moment,
                    )
                )  # fmt: skip
    Rating.objects.bulk_create(ratings)
    Batch.objects.filter(pk=batch.pk).update(ratings_version=1, status="open")


def _answer(person: Participant, place: int, truth: int, sureness: float, rng) -> int:
    if person.pseudonym == "clicker":
        return int(rng.integers(3))
    if person.pseudonym == "drifter" and place == N_BATCHES - 1:
        return int(rng.integers(3))
    return int(truth) if rng.random() < sureness else int(rng.choice(3, p=(0.6, 0.3, 0.1)))


def _time(person: Participant, rng) -> int:
    usual = 1500 if person.pseudonym == "hasty" else 6000
    return int(usual * np.exp(rng.normal(0, 0.4)))
