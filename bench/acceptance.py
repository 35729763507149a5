"""Batch acceptance at the size of DiQAD: 20,000 dialogues in ten batches of 2,000, returned until they pass."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from uuid import uuid4

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.models import Assignment, Batch, Item, Membership, Participant, Rating, Study
from annotation.selectors.cells import measure_batch
from annotation.selectors.work import spec_of_assignment
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.rating import Submission, record_rating
from bench.rows import NEVER, Goal, Row
from bench.studies import Shape, make_people, make_study
from measures.acceptance import SharesRule, decide_by_shares, draw_sample
from measures.acceptance_curves import joint_curve
from measures.arrays import IntArray
from protocols.answers import Given
from protocols.models import ProtocolVersion
from qualification.acceptance.services.deciding import count_review
from qualification.acceptance.services.drawing import make_sample
from qualification.acceptance.services.reviewing import take_sample
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import AcceptancePlan, Review, Sample

N_SEATS, MOST_ROUNDS = 2, 8
MIX, SIZES = (0.196, 0.363, 0.441), (392, 726, 882)
RULE = SharesRule()


@dataclass
class Scene:
    """A study, what its items truly are by batch, and what was answered last."""

    study: Study
    n_options: int
    people: list[Participant]
    controllers: list[User]
    items: dict[int, IntArray] = field(default_factory=dict)
    truth: dict[int, IntArray] = field(default_factory=dict)
    labels: dict[int, IntArray] = field(default_factory=dict)
    n_rounds: dict[int, int] = field(default_factory=dict)
    draw_ms: list[float] = field(default_factory=list)
    decide_ms: list[float] = field(default_factory=list)


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    scene = _scene(200 if is_quick else 2000)
    began = time.perf_counter()
    n_wrong = sum(_round(scene, number) for number in range(1, MOST_ROUNDS + 1))
    seconds = time.perf_counter() - began
    size = len(next(iter(scene.items.values())))
    yield Row(f"sample of a batch of {size:,}", statistics.median(scene.draw_ms), "ms")
    note = f"{len(scene.decide_ms)} decisions, {sum(scene.n_rounds.values())} rounds in {seconds:.0f} s"
    yield Row(f"decision on a batch of {size:,}", statistics.median(scene.decide_ms), "ms", note=note)
    yield Row("decisions other than an independent count", n_wrong, "", goal=NEVER)
    yield Row("batches not accepted in the end", _n_open(scene), "", goal=NEVER)
    yield Row("superseded ratings that are counted", _n_overcounted(scene), "", goal=NEVER)
    yield Row("ratings lost", _n_lost(scene), "", goal=NEVER)
    yield from _on_the_curve(400 if is_quick else 4000)


def _scene(per_batch: int) -> Scene:
    study = make_study("acceptance", Shape(n_dialogues=per_batch * 10, per_batch=per_batch, seats=N_SEATS))
    # Three classes, all of them labels: the answers of a version that is frozen cannot be made so.
    study.protocol_version = ProtocolVersion.objects.filter(protocol__slug="three-point-coherence").latest("pk")
    study.save(update_fields=["protocol_version"])
    criterion = study.protocol_version.criteria.get()
    n_options = criterion.options.count()
    controller = make_people(study, 1, Membership.Role.CONTROLLER)[0]
    AcceptancePlan.objects.create(study=study, is_on=True, criterion=criterion)
    scene = Scene(study, n_options, make_people(study, N_SEATS), [controller.user])
    rng = np.random.default_rng(3)
    for batch in study.batches.order_by("position"):
        scene.items[batch.pk] = np.array(batch.items.order_by("pk").values_list("pk", flat=True))
        scene.truth[batch.pk] = rng.choice(n_options, per_batch, p=MIX)
        scene.n_rounds[batch.pk] = 0
    return scene


def _round(scene: Scene, number: int) -> int:
    """Everything that is open is rated, drawn, checked and decided. Returns how many decisions are wrong."""
    rng = np.random.default_rng(100 + number)
    open_ = list(scene.study.batches.filter(pk__in=scene.items, status=Batch.Status.OPEN))
    for batch in open_:
        truth = scene.truth[batch.pk]
        is_wrong = rng.random(len(truth)) >= 0.91 + 0.02 * min(number, 3)
        scene.labels[batch.pk] = np.where(is_wrong, (truth + 1) % scene.n_options, truth)
        scene.n_rounds[batch.pk] += 1
        _rate(scene, batch)
        began = time.perf_counter()
        make_sample(batch.pk, now=timezone.now())
        scene.draw_ms.append((time.perf_counter() - began) * 1000)
    wrong = [_check(scene, each) for each in Sample.objects.filter(batch__study=scene.study, state="waiting")]
    sweep_acceptance(now=timezone.now())
    return sum(wrong)


def _rate(scene: Scene, batch: Batch) -> None:
    items = dict(zip(scene.items[batch.pk].tolist(), scene.labels[batch.pk].tolist(), strict=True))
    for person in scene.people:
        _work(claim_seat(person, batch, now=timezone.now()), items)


@transaction.atomic
def _work(assignment: Assignment, classes: dict[int, int]) -> None:
    """Every answer through the service that takes them; they wait for the disk once, or this would take an hour."""
    spec = spec_of_assignment(assignment)
    (criterion,) = spec.criteria
    tokens = assignment.batch.items.order_by("pk").values_list("pk", "token")
    for item, token in tokens:
        given = Given(criterion.options[classes[item]].code, (), "")
        record_rating(assignment.pk, spec, Submission(token, criterion.key, given, uuid4()), now=timezone.now())
    submit_assignment(assignment, feedback="", now=timezone.now())


def _check(scene: Scene, sample: Sample) -> bool:
    """The controller knows the truth. Returns whether the decision is another than counting gives."""
    review = take_sample(sample, user=scene.controllers[0], now=timezone.now())
    assignment = claim_seat(review.participant, review.batch, now=timezone.now())
    place = {dialogue: at for at, dialogue in enumerate(_dialogues(sample.batch_id))}
    copies = list(review.batch.items.order_by("pk").values_list("pk", "dialogue"))
    truth = scene.truth[sample.batch_id][[place[dialogue] for _, dialogue in copies]]
    _work(assignment, dict(zip([pk for pk, _ in copies], truth.tolist(), strict=True)))
    began = time.perf_counter()
    count_review(review.pk, now=timezone.now())
    scene.decide_ms.append((time.perf_counter() - began) * 1000)
    return _by_hand(scene, review) != Sample.objects.get(pk=sample.pk).decision


def _dialogues(batch: int) -> list[int]:
    return list(Item.objects.filter(batch=batch).order_by("pk").values_list("dialogue", flat=True))


def _by_hand(scene: Scene, review: Review) -> str:
    """The decision in whole numbers, from what was put in: not from what is stored of it."""
    batch = review.sample.batch_id
    at = np.searchsorted(scene.items[batch], list(review.sample.sampled_items.values_list("item", flat=True)))
    labels, truth = scene.labels[batch][at], scene.truth[batch][at]
    n, right = np.bincount(labels, minlength=3), np.bincount(labels[labels == truth], minlength=3)
    sizes = np.bincount(scene.labels[batch], minlength=3)
    is_topped_up = review.sample.sampled_items.filter(is_top_up=True).exists()
    share = float((sizes * right / np.maximum(n, 1)).sum() / sizes.sum())
    is_reached = share >= 0.92 - 1e-12 if is_topped_up else 100 * right.sum() >= 92 * n.sum()
    passes = [10 * r >= 9 * m for r, m in zip(right, n, strict=True) if m >= 10]
    return "not_assessable" if not passes else "accept" if is_reached and all(passes) else "return"


def _n_open(scene: Scene) -> int:
    return Batch.objects.filter(pk__in=scene.items).exclude(status=Batch.Status.CLOSED).count()


def _n_overcounted(scene: Scene) -> int:
    """Counted ratings that are not those of the round that was accepted."""
    wanted = N_SEATS * len(next(iter(scene.items.values())))
    batches = Batch.objects.filter(pk__in=scene.items).select_related("study__protocol_version")
    return sum(abs(measure_batch(batch).n_ratings - wanted) for batch in batches)


def _n_lost(scene: Scene) -> int:
    given = sum(scene.n_rounds.values()) * N_SEATS * len(next(iter(scene.items.values())))
    return given - Rating.objects.filter(batch__in=scene.items).count()


def _on_the_curve(n: int) -> Iterator[Row]:
    """Samples drawn and decided by the functions that draw and decide, beside the exact probability."""
    for accuracy in (0.97, 0.95, 0.92, 0.90):
        exact = float(joint_curve(RULE, SIZES, [accuracy])[0])
        share = sum(_is_accepted(accuracy, seed) for seed in range(n)) / n
        errors = abs(share - exact) / sqrt(exact * (1 - exact) / n)
        note = f"{share:.4f} of {n:,} seeds, {exact:.4f} by the curve"
        yield Row(f"accepted at {accuracy:.2f}: standard errors off the curve", errors, "", goal=Goal(3.5), note=note)


def _is_accepted(accuracy: float, seed: int) -> bool:
    labels = np.repeat(np.arange(3), SIZES)
    within = np.concatenate([np.arange(size) for size in SIZES])
    is_wrong = within < np.rint(np.array(SIZES) * (1 - accuracy))[labels]
    sample = draw_sample(labels, RULE.n_sample, seed, RULE)
    table = np.zeros((3, 4), int)
    drawn = labels[sample.places]
    np.add.at(table, (drawn, np.where(is_wrong[sample.places], 3, drawn)), 1)
    return decide_by_shares(table, SIZES, RULE, is_weighted=bool(sample.is_top_up.any())).outcome == "accept"
