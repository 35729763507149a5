"""Twenty annotators claim the last three seats at once, through several web processes; and saving meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from django.db import connection

from annotation.models import Assignment, Batch, Participant, Study
from bench.load import Client, Request, run_load
from bench.rows import NEVER, Row, percentile
from bench.servers import serving
from bench.studies import Annotator, Shape, headers_of, make_people, make_study, seat_annotators

N_CLAIMING = 20
SHAPE = Shape(n_dialogues=60, per_batch=10, n_responses=1, seats=3)
OVER = """
    SELECT count(*), count(*) FILTER (WHERE votes > %s) FROM (
        SELECT count(*) AS votes FROM annotation_rating rating
        JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
        JOIN annotation_batch batch ON batch.id = rating.batch_id
        WHERE batch.study_id = %s GROUP BY rating.item_id, rating.criterion_id
    ) items
"""


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    study = make_study("claims", SHAPE)
    rounds = list(study.batches.all())[: 3 if is_quick else 6]
    with serving(place) as port:
        times = [time for batch in rounds for time in _rush(port, study, batch)]
        n_items, n_over = _count(study)
        note = f"{n_items} questions, wanted votes {study.seats}; seats are rows, claimed in 2 processes"
        yield Row("20 claim at once: items over", n_over, "", goal=NEVER, note=note)
        yield Row("20 claim at once: p95 of a claim", percentile(times, 0.95), "ms")
        yield from _while_claimed(port, 50 if is_quick else 100)


def _rush(port: int, study: Study, batch: Batch) -> list[float]:
    """Everybody asks for a seat; whoever has an assignment then answers every question."""
    people = make_people(study, N_CLAIMING)
    headers = {who.pk: headers_of(who.user) for who in people}
    times = run_load(port, [Client(headers[who.pk], [_claim(batch)]) for who in people]).only(302).times
    winners = [Annotator(each.participant, batch) for each in _holding(batch, people)]
    n_answers = SHAPE.per_batch * 4
    run_load(port, [winner.client(n_answers, with_pages=False) for winner in winners]).only(200)
    return times


def _claim(batch: Batch, *, is_timed: bool = True) -> Request:
    return Request(f"/work/claim/{batch.token}/", "POST", is_timed=is_timed)


def _holding(batch: Batch, people: Sequence[Participant]) -> list[Assignment]:
    return list(Assignment.objects.filter(batch=batch, participant__in=people).select_related("participant__user"))


def _count(study: Study) -> tuple[int, int]:
    with connection.cursor() as cursor:
        cursor.execute(OVER, [study.seats, study.pk])
        return cursor.fetchone()


def _while_claimed(port: int, n_answers: int) -> Iterator[Row]:
    """Ten save without a pause, alone and beside twenty who keep asking for seats."""
    study = make_study("claims-and-saves", Shape(n_dialogues=100, per_batch=50, n_responses=1, seats=10))
    savers = seat_annotators(study, 10)
    claim = _claim(study.batches.last(), is_timed=False)
    crowd = [Client(headers_of(who.user), [claim] * (n_answers // 4)) for who in make_people(study, N_CLAIMING)]
    alone = run_load(port, [each.client(n_answers) for each in savers]).only(200)
    beside = run_load(port, [*(each.client(n_answers) for each in savers), *crowd]).only(200, 302)
    for share in (50, 99):
        figures = percentile(beside.times, share / 100), percentile(alone.times, share / 100)
        yield Row(f"save p{share}, 10 annotators, while 20 claim", figures[0], "ms", "without claims", figures[1])
