"""Annotators of known quality at work, as rows: who clicks at random, always the same, too fast, or worse and worse."""

from datetime import datetime, timedelta

import numpy as np

from annotation.models import Assignment, Batch, Participant, Rating, Seat, Study
from protocols.specs import spec_of
from qualification.models import KnownAnswer
from tests.factories import make_batch

GOOD = ("good-1", "good-2", "good-3", "good-4", "good-5", "good-6")
BAD = ("uniform", "modal", "fast", "drifting")
N_BATCHES = 5
SHARES = (0.6, 0.32, 0.08)


def make_people(study: Study, names: tuple[str, ...] = (*GOOD, *BAD)) -> list[Participant]:
    return [
        Participant.objects.create(study=study, pseudonym=name, is_imported=True, status="cleared") for name in names
    ]


def make_batches(study: Study, n: int = N_BATCHES, n_dialogues: int = 10) -> list[Batch]:
    return [make_batch(study, n_dialogues, key=f"week-{at + 1}", position=at + 1) for at in range(n)]


def rate_all(study: Study, people: list[Participant], now: datetime, seed: int = 5) -> None:
    """Everybody rates every batch of this week's kind, checks among them; figures are not computed yet."""
    rng = np.random.default_rng(seed)
    batches = list(study.batches.filter(key__startswith="week-").order_by("position"))
    for place, batch in enumerate(batches):
        _rate(study, batch, place / max(len(batches) - 1, 1), people, now - timedelta(days=len(batches) - place), rng)


def _rate(study, batch: Batch, progress: float, people: list[Participant], began: datetime, rng) -> None:
    criteria = spec_of(study.protocol_version).criteria
    items = list(batch.items.order_by("position", "pk"))
    truth = rng.choice(3, (len(criteria), len(items)), p=SHARES)
    known = {(row.candidate_id, row.criterion_id): row.options for row in KnownAnswer.objects.filter(study=study)}
    for which, criterion in enumerate(criteria):
        for at, item in enumerate(items):
            right = known.get((item.candidate_id, criterion.id)) if item.is_check else None
            if right:
                truth[which, at] = [option.id for option in criterion.options].index(right[0])
    ratings = []
    for number, person in enumerate(people, start=1):
        work = Assignment.objects.create(
            batch=batch, participant=person, status="submitted", claimed_at=began, submitted_at=began
        )
        Seat.objects.update_or_create(batch=batch, number=number, defaults={"assignment": work})
        moment = began
        for item_at, which in _steps(items, len(criteria)):
            criterion, item = criteria[which], items[item_at]
            moment += timedelta(seconds=_seconds(person, rng))
            option = criterion.options[_answer(person, progress, truth[which, item_at], rng)]
            ratings.append(
                Rating(
                    assignment=work, item=item, criterion_id=criterion.id, batch=batch, option_id=option.id,
                    active_ms=5000, answered_at=moment, created_at=moment, updated_at=moment,
                )
            )  # fmt: skip
    Rating.objects.bulk_create(ratings)
    Batch.objects.filter(pk=batch.pk).update(ratings_version=2, status="open")


def _steps(items: list, n_criteria: int) -> list[tuple[int, int]]:
    """As the rating screen goes, criterion first: the responses of a dialogue for each question in turn."""
    positions = [item.position for item in items]
    order = []
    for position in dict.fromkeys(positions):
        own = [at for at, each in enumerate(positions) if each == position]
        order += [(at, which) for which in range(n_criteria) for at in own]
    return order


def _answer(person: Participant, progress: float, truth: int, rng) -> int:
    name = person.pseudonym
    if name == "modal":
        return 0
    if name == "uniform" or (name == "drifting" and progress > 0.5):
        return int(rng.integers(3))
    return int(truth) if rng.random() < 0.85 else int(rng.choice(3, p=SHARES))


def _seconds(person: Participant, rng) -> float:
    usual = 1.5 if person.pseudonym == "fast" else 7.0
    own = 1 + 0.05 * (person.pk % 5)  # nobody is as fast as somebody else
    return float(usual * own * np.exp(rng.normal(0, 0.5)))
