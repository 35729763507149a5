"""A study of the he-protocol with ratings, and metrics about its candidates."""

from collections.abc import Callable

import numpy as np
import pytest
from django.utils import timezone

from annotation.models import Batch, Candidate, Metric, Prediction, Rating, Seat, Study
from protocols.specs import spec_of
from tests.factories import AssignmentFactory, ParticipantFactory, RatingFactory, StudyFactory, make_batch
from tests.factories_protocols import make_he_version

Votes = Callable[..., Study]


@pytest.fixture
def rated(db: None) -> Study:
    """12 dialogues x 3 sources, 3 annotators, the criteria answered at random with the study's own seed."""
    study = StudyFactory(slug="rated", protocol_version=make_he_version(2))
    batch = make_batch(study, 12, 3)
    for dialogue in study.dialogues.all():
        dialogue.metadata = {"domain": ("law", "car")[dialogue.position % 2]}
        dialogue.save()
    rng = np.random.default_rng(4)
    for seat in batch.seats.order_by("number"):
        _rate(batch, seat, rng)
    return study


def _rate(batch: Batch, seat: Seat, rng: np.random.Generator) -> None:
    assignment = AssignmentFactory(
        batch=batch,
        participant=ParticipantFactory(study=batch.study),
        status="submitted",
        submitted_at=timezone.now(),
    )
    seat.assignment = assignment
    seat.save()
    for criterion in spec_of(batch.study.protocol_version).criteria:
        for item in batch.items.order_by("pk"):
            lean = item.pk % 2
            at = rng.choice(3, p=(0.7, 0.2, 0.1) if lean else (0.2, 0.7, 0.1))
            RatingFactory(
                assignment=assignment, item=item, criterion_id=criterion.id, option_id=criterion.options[at].id
            )
    Batch.objects.filter(pk=batch.pk).update(ratings_version=1)


def make_metric(study: Study, key: str, says: Callable[[Candidate], object], **fields: object) -> Metric:
    """`says` gives a number, an option, or None for no prediction."""
    metric = Metric.objects.create(
        **{"study": study, "key": key, "name": key, "kind": "score", "created_at": timezone.now(), **fields}
    )
    for candidate in Candidate.objects.filter(dialogue__study=study).order_by("pk"):
        said = says(candidate)
        if said is not None:
            what = {"value": said} if isinstance(said, (int, float)) else {"option": said}
            Prediction.objects.create(metric=metric, candidate=candidate, **what)
    return metric


def votes_on(study: Study, criterion: str) -> dict[int, list[str]]:
    """{candidate: the keys of the options that were voted for}: the slow way."""
    found: dict[int, list[str]] = {}
    for rating in Rating.objects.filter(batch__study=study, criterion__key=criterion).select_related("item", "option"):
        found.setdefault(rating.item.candidate_id, []).append(rating.option.key)
    return found


@pytest.fixture
def judged(rated):
    """A label that is right for two thirds, a score, and a score about one source only."""
    criterion = rated.protocol_version.criteria.get(key="appropriateness")
    options = {option.key: option for option in criterion.options.all()}
    right, wrong = options["appropriate"], options["not-appropriate"]
    make_metric(rated, "judge", lambda c: right if c.pk % 3 else wrong, kind="label", criterion=criterion)
    make_metric(rated, "bleu", lambda c: (c.pk * 7 % 11) / 10)
    make_metric(rated, "nll", lambda c: float(c.pk % 5) if c.source.key == "model_a" else None, higher_is_better=False)
    return rated
