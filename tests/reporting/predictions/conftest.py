"""A study of the he-protocol with ratings, and metrics about its candidates."""

from collections.abc import Callable

import numpy as np
import pytest
from django.utils import timezone

from annotation.models import Batch, Candidate, Dialogue, Item, Metric, Prediction, Rating, Seat, Study
from protocols.specs import spec_of
from tests.factories import (
    AssignmentFactory,
    CandidateFactory,
    DialogueFactory,
    ParticipantFactory,
    StudyFactory,
    make_batch,
)
from tests.factories_protocols import make_he_version

Votes = Callable[..., Study]


@pytest.fixture(scope="module")
def make_rated(shared: Callable[[Callable[[], Study]], Votes]) -> Votes:
    return shared(_make_rated)


@pytest.fixture
def rated(make_rated: Votes, db: None) -> Study:
    return make_rated()


def _make_rated() -> Study:
    """12 dialogues x 3 sources, 3 annotators, the criteria answered at random with the study's own seed."""
    study = StudyFactory(slug="rated", protocol_version=make_he_version(2))
    batch = make_batch(study, 12, 3)
    for dialogue in study.dialogues.all():
        dialogue.metadata = {"domain": ("law", "car")[dialogue.position % 2]}
        dialogue.save()
    rng = np.random.default_rng(4)
    for seat in batch.seats.order_by("number"):
        _rate(batch, seat, rng)
    Batch.objects.filter(pk=batch.pk).update(ratings_version=1)
    return study


def _rate(batch: Batch, seat: Seat, rng: np.random.Generator) -> None:
    rate(batch, seat, lambda item: int(rng.choice(3, p=(0.7, 0.2, 0.1) if item.pk % 2 else (0.2, 0.7, 0.1))))


def rate(batch: Batch, seat: Seat, says: Callable[[Item], int | None]) -> None:
    """`says` gives the place of an option, or None for no answer."""
    now = timezone.now()
    person = ParticipantFactory(study=batch.study)
    seat.assignment = AssignmentFactory(batch=batch, participant=person, status="submitted", submitted_at=now)
    seat.save()
    Rating.objects.bulk_create(
        Rating(
            assignment=seat.assignment, batch=batch, item=item, criterion_id=criterion.id,
            option_id=criterion.options[at].id, answered_at=now, created_at=now, updated_at=now,
        )
        for criterion in spec_of(batch.study.protocol_version).criteria
        for item in batch.items.order_by("pk")
        if (at := says(item)) is not None
    )  # fmt: skip


def people_and_judge(
    *,
    n_annotators: int = 4,
    n_dialogues: int = 20,
    n_unrated: int = 20,
    errs: float = 0.05,
    negative: float = 0.4,
    judge: Callable[[int], int] | None = None,
) -> Study:
    """Responses of two sources to dialogues, of which people rated some, and a judge that answers all.

    One of two answers is true of each response: the second of a share `negative`. Everybody errs independently at the
    rate `errs`; the judge may say something else of a truth.
    """
    study = StudyFactory(slug="beside", protocol_version=make_he_version(1), seats=n_annotators)
    batch = make_batch(study, n_dialogues, 2)
    unrated = Dialogue.objects.bulk_create(DialogueFactory.build(study=study) for _ in range(n_unrated))
    sources = list(study.sources.all())
    Candidate.objects.bulk_create(
        CandidateFactory.build(dialogue=each, source=of) for each in unrated for of in sources
    )
    # Apart, so that what is said of the rated responses does not depend on how many others there are.
    truths, people, machine = np.random.default_rng(11).spawn(3)
    candidates = Candidate.objects.filter(dialogue__study=study).order_by("pk")
    truth = {each.pk: int(truths.random() < negative) for each in candidates}

    def answer(candidate: int, rng: np.random.Generator) -> int:
        return truth[candidate] ^ int(rng.random() < errs)

    for seat in batch.seats.order_by("number"):
        rate(batch, seat, lambda item: answer(item.candidate_id, people))
    Batch.objects.filter(pk=batch.pk).update(ratings_version=1)
    criterion = study.protocol_version.criteria.get()
    options = list(criterion.options.all())
    said = {pk: judge(truth[pk]) if judge else answer(pk, machine) for pk in truth}
    make_metric(study, "judge", lambda c: options[said[c.pk]], kind="label", criterion=criterion)
    return study


def make_metric(study: Study, key: str, says: Callable[[Candidate], object], **fields: object) -> Metric:
    """`says` gives a number, an option, or None for no prediction."""
    metric = Metric.objects.create(
        **{"study": study, "key": key, "name": key, "kind": "score", "created_at": timezone.now(), **fields}
    )
    candidates = Candidate.objects.filter(dialogue__study=study).select_related("source").order_by("pk")
    Prediction.objects.bulk_create(
        Prediction(metric=metric, candidate=each, **{"value" if isinstance(said, (int, float)) else "option": said})
        for each in candidates
        if (said := says(each)) is not None
    )
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
