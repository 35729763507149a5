"""A study of a thousand annotators: what the boards ask of the database, and what one sweep of signals costs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from django.utils import timezone

from annotation.models import Batch, Study
from annotation.services.agreement import rebuild_study
from bench.boards import database_ms
from bench.rows import Goal, Row
from bench.studies import VOTES, Shape, fill, make_people, make_study
from qualification.checks.services.signals import PEOPLE_AT_ONCE, sweep_signals
from qualification.models import CheckPlan, SignalMark, SignalState
from reporting.board.page import board_page
from reporting.board.quality_page import quality_page

PEOPLE, QUICK = 1_000, 200
PER_BATCH, RESPONSES, SEATS = 10, 5, 3
# Three annotators to a batch and three batches to an annotator, each batch of fifty responses.
WORK = """INSERT INTO annotation_assignment
        (batch_id, participant_id, token, status, seed, claimed_at, submitted_at, feedback, is_imported)
    SELECT b.id, p.id, gen_random_uuid(), 'submitted', 1, now(), now(), '', false
    FROM annotation_batch b CROSS JOIN generate_series(0, %(seats)s - 1) seat
    JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS n
        FROM annotation_participant WHERE study_id = %(study)s) p
        ON p.place = (b.position + seat * 37) %% p.n
    WHERE b.study_id = %(study)s"""
TIMES = """UPDATE annotation_rating r SET answered_at = now() - interval '1 day' + t.at * interval '7 seconds'
    FROM (SELECT rating.id, row_number() OVER (PARTITION BY rating.assignment_id ORDER BY rating.id)
            * (0.8 + (rating.assignment_id %% 9) * 0.05) AS at
        FROM annotation_rating rating JOIN annotation_batch b ON b.id = rating.batch_id
        WHERE b.study_id = %(study)s) t
    WHERE t.id = r.id"""


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    del place
    n = QUICK if is_quick else PEOPLE
    study = _study(n)
    of = f"{n:,} annotators"
    for name, page in (("agreement", board_page), ("annotators and drift", quality_page)):
        spent = statistics.median(database_ms(partial(page, study, {})) for _ in range(11))
        yield Row(f"{name} with {of}, in the database", spent, "ms", goal=Goal(50))
        yield Row(f"{name} with {of}, in all", statistics.median(_timed(page, study) for _ in range(5)), "ms")
    CheckPlan.objects.create(study=study)
    yield Row(f"sweep of signals, {PEOPLE_AT_ONCE} of {of} looked at", _swept(), "ms", goal=Goal(15_000))
    _catch_up()
    Batch.objects.filter(study=study, position=0).update(ratings_version=2)
    rebuild_study(study, now=timezone.now())
    SignalMark.objects.filter(batch__position=0).delete()
    SignalState.objects.filter(participant__assignments__batch__position=0).delete()
    yield Row(f"sweep of signals, one batch changed, {of}", _swept(), "ms", goal=Goal(1_000))
    yield Row(f"sweep of signals, nothing changed, {of}", _swept(), "ms", goal=Goal(50))


def _study(n: int) -> Study:
    shape = Shape(n * PER_BATCH, per_batch=PER_BATCH, n_responses=RESPONSES, seats=SEATS)
    study = make_study(f"annotators-{n}", shape)
    make_people(study, n)
    fill(study, shape, (WORK, *VOTES[1:], TIMES))
    rebuild_study(study, now=timezone.now())
    return study


def _timed(page, study: Study) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    page(study, {})
    return (time.perf_counter() - began) * 1000


def _swept() -> float:
    began = time.perf_counter()
    sweep_signals(now=timezone.now())
    return (time.perf_counter() - began) * 1000


def _catch_up() -> None:
    while sweep_signals(now=timezone.now())[0]:
        pass
