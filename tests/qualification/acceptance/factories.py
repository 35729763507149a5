"""Batch acceptance: a version with a score, whole batches rated in bulk, and controllers who have checked."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import factory
from django.contrib.auth.models import User
from django.utils import timezone
from factory.django import DjangoModelFactory

from annotation.models import Assignment, Batch, Item, Participant, Rating, Seat, Study
from annotation.services.claiming import claim_seat, submit_assignment
from protocols.models import Option, ProtocolVersion
from qualification.acceptance.services.reviewing import take_sample
from qualification.models import AcceptancePlan, Review, Sample, SampledItem
from tests.clock import NOW
from tests.factories import BatchFactory, DialogueFactory, make_batch
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, publish

SCORES = {"0": "neutral", "1": "neutral", "2": "neutral", "unsure": "unsure", "private": "excluding"}


class PlanFactory(DjangoModelFactory):
    """On, with the numbers of the model: DiQAD's."""

    class Meta:
        model = AcceptancePlan

    is_on = True
    criterion = factory.LazyAttribute(lambda plan: plan.study.protocol_version.criteria.first())


class SampleFactory(DjangoModelFactory):
    """Drawn, and waiting for a controller; without draws."""

    class Meta:
        model = Sample

    round = factory.SelfAttribute("batch.round")
    protocol_version = factory.SelfAttribute("batch.study.protocol_version")
    seed = 7
    plan = factory.LazyAttribute(
        lambda it: {"kind": "shares", "is_blind": True, "n_sample": 100, "least_overall": 0.92, "least_of_class": 0.9,
                    "fewest_of_class": 10, "top_up_to": 30,
                    "criterion": it.batch.study.protocol_version.criteria.first().key}
    )  # fmt: skip
    n_items = 0
    drawn_at = NOW


def make_score_version() -> ProtocolVersion:
    """Whole dialogues get a score of 0, 1 or 2, "I don't know", or are left out for private data. Published."""
    version = VersionFactory(order="item_first", unit="dialogue")
    criterion = CriterionFactory(version=version, key="score", name="Score", position=0)
    for at, (key, role) in enumerate(SCORES.items()):
        value = float(key) if key.isdigit() else None
        OptionFactory(criterion=criterion, key=key, label=f"Score {key}", role=role, value=value, position=at)
    return publish(version)


def make_dialogue_batch(study: Study, key: str, n: int, *, n_seats: int = 2) -> Batch:
    batch = BatchFactory(study=study, key=key, n_items=n)
    first = study.dialogues.count()
    made = [DialogueFactory.build(study=study, key=f"{key}-{at}", position=first + at) for at in range(n)]
    dialogues = study.dialogues.model.objects.bulk_create(made)
    Item.objects.bulk_create(
        Item(batch=batch, unit="dialogue", dialogue=dialogue, position=at) for at, dialogue in enumerate(dialogues)
    )
    Seat.objects.bulk_create(Seat(batch=batch, number=number + 1) for number in range(n_seats))
    return batch


def options_of(study: Study) -> dict[str, Option]:
    return {option.key: option for option in Option.objects.filter(criterion__version=study.protocol_version)}


def rate_batch(
    batch: Batch, people: Sequence[Participant], keys: Sequence[str], *, now: datetime = NOW, active_ms: int = 0
) -> None:
    """Everybody gives the n-th item the n-th key, and submits: what a finished round leaves behind."""
    fresh = Batch.objects.get(pk=batch.pk)
    for person, seat in zip(people, fresh.seats.order_by("number"), strict=True):
        assignment = Assignment.objects.create(
            batch=fresh, participant=person, round=fresh.round, claimed_at=now, status="submitted", submitted_at=now
        )
        Seat.objects.filter(pk=seat.pk).update(assignment=assignment)
        answer_items(assignment, dict(zip(items_of(fresh), keys, strict=True)), now=now, active_ms=active_ms)


def items_of(batch: Batch) -> list[int]:
    return list(batch.items.order_by("pk").values_list("pk", flat=True))


def answer_items(assignment: Assignment, keys: Mapping[int, str], *, now: datetime = NOW, active_ms: int = 0) -> None:
    options = options_of(assignment.batch.study)
    Rating.objects.bulk_create(
        Rating(
            assignment=assignment, item_id=item, batch=assignment.batch, option=options[key],
            criterion_id=options[key].criterion_id, answered_at=now, created_at=now, updated_at=now,
            active_ms=active_ms,
        )
        for item, key in keys.items()
    )  # fmt: skip


def review_items(review: Review, truth: Mapping[int, str], *, now: datetime = NOW) -> None:
    """The controller gives every copy what `truth` says of the dialogue, by its id, and submits."""
    batch = Batch.objects.get(pk=review.batch_id)
    assignment = claim_seat(review.participant, batch, now=now)
    answer_items(assignment, {item.pk: truth[item.dialogue_id] for item in batch.items.all()}, now=now)
    submit_assignment(assignment, feedback="", now=now)


def make_labelled_review(study: Study, controller: User) -> Review:
    """A sample of one item, with its label shown, that the controller has begun to check."""
    batch = make_batch(study, 1, 1, key="drawn", position=9)
    criterion = study.protocol_version.criteria.first()
    plan = {"kind": "fixed", "is_blind": False, "criterion": criterion.key, "n_sample": 1, "most_errors": 0}
    label = criterion.options.first()
    sample = SampleFactory(batch=batch, plan=plan, n_items=1, class_sizes={str(label.pk): 1})
    SampledItem.objects.create(sample=sample, item=batch.items.get(), label=label, position=0)
    review = take_sample(sample, user=controller, now=timezone.now())
    claim_seat(review.participant, review.batch, now=timezone.now())
    return review
