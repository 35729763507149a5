"""From the submission of a qualification to its stored result, with the real worker and its clock."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from django.db import connection
from django.utils import timezone

from annotation.models import Assignment, Batch, Item, Membership, Participant, Rating, Study
from annotation.services.claiming import claim_seat, submit_assignment
from bench.rows import NEVER, Goal, Row, percentile
from bench.servers import working
from bench.studies import Shape, make_people, make_study
from measures.qualification_curve import Panel, operating_curve
from measures.qualification_rule import GOLD, INTERVAL, MAJORITY_KAPPA, Rule
from protocols.specs import spec_of
from qualification.models import Attempt, Qualification

# 5 dialogues, 5 responses each, a panel of three.
SHAPE = Shape(n_dialogues=5, per_batch=5, n_responses=5, seats=3)
N_PANEL = 3
PATIENCE = 20.0
RULES = (Rule(), Rule(decision=INTERVAL), Rule(MAJORITY_KAPPA), Rule(GOLD, 0.7))


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    study, batch = _study()
    people = _candidates(study, 12 if is_quick else 40)
    with working(place):
        _delay(people[0], batch)  # connections, the worker's first task
        delays = [_delay(candidate, batch) for candidate in people[1:]]
    n_items = Attempt.objects.filter(participant__study=study).latest("pk").n_items
    note = f"{n_items} judged answers beside a panel of {N_PANEL}; the sweep comes each second"
    yield Row("qualification submitted to result stored p50", statistics.median(delays), "s", note=note)
    yield Row("qualification submitted to result stored p95", percentile(delays, 0.95), "s", goal=Goal(2))
    n_twice = len(delays) + 1 - Attempt.objects.filter(participant__study=study).count()
    yield Row("qualifications not decided exactly once", abs(n_twice), "", goal=NEVER)
    yield Row("curve of a rule, redrawn while somebody types", max(map(_curve, RULES)), "s", goal=Goal(1))


def _curve(rule: Rule) -> float:
    began = time.process_time()
    operating_curve.__wrapped__(rule, Panel(0.3, (0.4, 0.3, 0.1, 0.1, 0.1), 6))
    return time.process_time() - began


def _study() -> tuple[Study, Batch]:
    study = make_study("results", SHAPE)
    batch = study.batches.get()
    Batch.objects.filter(pk=batch.pk).update(kind=Batch.Kind.QUALIFICATION)
    Study.objects.filter(pk=study.pk).update(has_qualification=True)
    Qualification.objects.create(study=study, threshold_from=Qualification.ThresholdFrom.FIXED, threshold=0.21)
    study.refresh_from_db()
    batch.refresh_from_db()
    for at, member in enumerate(make_people(study, N_PANEL)):
        Participant.objects.filter(pk=member.pk).update(panel=Participant.Panel.NON_EXPERT)
        member.refresh_from_db()
        _finish(member, batch, at)
    return study, batch


def _candidates(study: Study, n: int) -> list[Participant]:
    people = make_people(study, n, Membership.Role.ANNOTATOR)
    Participant.objects.filter(pk__in=[each.pk for each in people]).update(status="qualifying")
    return list(Participant.objects.filter(pk__in=[each.pk for each in people]).order_by("pk"))


def _finish(participant: Participant, batch: Batch, shift: int) -> Assignment:
    """Rated in bulk: what is timed begins with the submission."""
    now = timezone.now()
    assignment = claim_seat(participant, batch, now=now)
    items = Item.objects.filter(batch=batch).order_by("pk")
    times = {"answered_at": now, "created_at": now, "updated_at": now}
    Rating.objects.bulk_create(
        Rating(
            assignment=assignment, item=item, criterion_id=criterion.id, batch=batch,
            option_id=criterion.options[int((at * 7 + shift) % 5 == 0)].id, **times,
        )
        for criterion, (at, item) in product(spec_of(batch.study.protocol_version).criteria, enumerate(items))
    )  # fmt: skip
    return submit_assignment(assignment, feedback="", now=timezone.now())


def _delay(candidate: Participant, batch: Batch) -> float:
    """Candidates come at moments drawn evenly between two sweeps, as the time of rating differs."""
    time.sleep((candidate.pk * 0.37) % 1)
    _finish(candidate, batch, candidate.pk)
    began = time.perf_counter()
    while not Attempt.objects.filter(participant=candidate).exclude(state=Attempt.State.PENDING).exists():
        if time.perf_counter() - began > PATIENCE:
            raise RuntimeError("no result came")
        time.sleep(0.005)
        connection.close_if_unusable_or_obsolete()
    return time.perf_counter() - began
