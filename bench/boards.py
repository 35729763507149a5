"""From the keypress to the changed board, in a small study and in a large one."""

from __future__ import annotations

import http.client
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.db import connection

from annotation.models import AgreementSnapshot, Membership, Study
from bench.load import Request
from bench.rows import Goal, Row, percentile
from bench.servers import serving, working
from bench.studies import Annotator, Shape, headers_of, make_people, make_study, seat_annotators
from reporting.board import annotators as board_annotators
from reporting.board import batch_drift as board_batch_drift
from reporting.board.page import board_page
from reporting.board.quality_page import quality_page

SMALL, LARGE = 1_000, 100_000
POLL = 1.0  # what static/js/board.js does while somebody looks
PATIENCE = 20.0
SUMS = """
    SELECT cell.criterion_id, cell.source_id, pattern.key, sum(pattern.value::int)
    FROM annotation_agreementsnapshot snapshot JOIN annotation_agreementcell cell ON cell.snapshot_id = snapshot.id
    CROSS JOIN jsonb_each_text(cell.histogram) pattern
    WHERE snapshot.study_id = %s AND snapshot.batch_id IS NOT NULL GROUP BY 1, 2, 3
"""


@dataclass(frozen=True, slots=True)
class Delays:
    """Seconds from the keypress until the figures were stored, and until a board showed them."""

    stored: list[float]
    at_once: list[float]
    polled: list[float]


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    large = LARGE // 10 if is_quick else LARGE
    studies = [_study(SMALL), _study(large)]
    with serving(place) as port, working(place):
        watches = [Watch(port, study) for study in studies]
        delays = _delays(watches, 6 if is_quick else 20)
    yield from _rows(SMALL, delays[0])
    yield from _rows(large, delays[1], delays[0])
    yield from _figures(studies[1], large * 12)


def _study(n_dialogues: int) -> Study:
    """Batches of 100 in both: a vote's cost is its batch's. Three have rated everything, one more rates now."""
    return make_study(f"board-{n_dialogues}", Shape(n_dialogues, per_batch=100, n_votes=3, seats=4))


def _rows(n: int, delays: Delays, small: Delays | None = None) -> Iterator[Row]:
    of = f"{n:,} dialogues"
    yield Row(f"vote to figures stored p50, {of}", statistics.median(delays.stored), "s")
    floor = statistics.median(small.at_once) if small else None
    goal = Goal(1.2, of="ratio") if small else None
    work = f"vote to board, asked at once p50, {of}"
    yield Row(work, statistics.median(delays.at_once), "s", f"at {SMALL:,}" if small else "", floor, goal)
    work = f"vote to board, asked each second, {of}"
    yield Row(work.replace(",", " p50,", 1), statistics.median(delays.polled), "s")
    yield Row(work.replace(",", " p95,", 1), percentile(delays.polled, 0.95), "s", goal=Goal(2))


def _figures(study: Study, n_ratings: int) -> Iterator[Row]:
    """Everything the board shows, read and made, beside one statement that adds up the figures of all batches."""
    ours = statistics.median(_timed(lambda: board_page(study, {})) for _ in range(15))
    floor = statistics.median(_timed(lambda: _sum(study)) for _ in range(5))
    yield Row(f"study figures at {n_ratings:,} ratings", ours, "ms", "SQL sum over batches", floor, Goal(50))
    for name, page in (("agreement", board_page), ("annotators and drift", quality_page)):
        spent = statistics.median(database_ms(partial(page, study, {})) for _ in range(15))
        yield Row(f"{name} at {n_ratings:,} ratings, in the database", spent, "ms", goal=Goal(50))
    yield Row(f"annotators and drift at {n_ratings:,} ratings", statistics.median(_cold(study)), "ms")


def database_ms(call) -> float:  # type: ignore[no-untyped-def]
    spent = [0.0]

    def measure(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        began = time.perf_counter()
        found = execute(sql, params, many, context)
        spent[0] += time.perf_counter() - began
        return found

    with connection.execute_wrapper(measure):
        call()
    return spent[0] * 1000


def _cold(study: Study) -> Iterator[float]:
    """With no interval and no permutation known from before."""
    for _ in range(5):
        board_annotators.interval_of.cache_clear()
        board_batch_drift.tested.cache_clear()
        yield _timed(lambda: quality_page(study, {}))


def _sum(study: Study) -> None:
    with connection.cursor() as cursor:
        cursor.execute(SUMS, [study.pk])
        cursor.fetchall()


def _timed(call) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


# --- votes and looks -------------------------------------------------------------------------------
def _delays(watches: list[Watch], n: int) -> list[Delays]:
    """In turns, so that a machine that slows down slows both studies."""
    found = [Delays([], [], []) for _ in watches]
    for watch in watches * 3:
        watch.vote_and_look()  # connections, caches, the worker's first tasks
    for watch, delays in list(zip(watches, found, strict=True)) * n:
        stored, seen = watch.vote_and_look()
        delays.stored.append(stored)
        delays.at_once.append(seen)
    for at in range(n):
        for watch, delays in zip(watches, found, strict=True):
            # The moment of the vote between two polls is drawn evenly, not left to chance.
            delays.polled.append(watch.vote_and_poll((at + random.random()) / n * POLL))
    return found


class Watch:
    """One annotator who votes, and one owner who has the board open."""

    def __init__(self, port: int, study: Study) -> None:
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.study = study
        self.annotator: Annotator = seat_annotators(study, 1)[0]
        owner = make_people(study, 1, Membership.Role.OWNER)[0]
        self.headers = headers_of(owner.user)
        self.board = f"/studies/{study.slug}/board/fragment/"
        self.stamp = ""
        self.look()

    def vote_and_look(self) -> tuple[float, float]:
        began, before = self.vote()
        while self.version() == before:
            self.still_waits(began)
            time.sleep(0.001)
        stored = time.perf_counter() - began
        while not self.look():
            self.still_waits(began)
        return stored, time.perf_counter() - began

    def vote_and_poll(self, first: float) -> float:
        began, _ = self.vote()
        at = began + first
        time.sleep(max(at - time.perf_counter(), 0))
        while not self.look():
            self.still_waits(began)
            at += POLL
            time.sleep(max(at - time.perf_counter(), 0))
        return time.perf_counter() - began

    def vote(self) -> tuple[float, int]:
        time.sleep(0.1)  # whatever the last vote set going is over
        self.link.close()  # by now the server may have closed it too
        self.look()
        request = self.annotator.client(1, with_pages=False).requests[0]
        before, began = self.version(), time.perf_counter()
        if self.ask(request, self.annotator.headers) != 200:
            raise RuntimeError("the vote was not taken")
        return began, before

    def look(self) -> bool:
        """Whether the board has changed since the last look."""
        before = self.stamp
        status = self.ask(Request(f"{self.board}?v={self.stamp}"), self.headers | {"HX-Request": "true"})
        if status not in {200, 304}:
            raise RuntimeError(f"the board answered {status}")
        return self.stamp != before

    def ask(self, request: Request, headers: dict[str, str]) -> int:
        try:
            answer = self._answer(request, headers)
        except http.client.RemoteDisconnected:  # idle for too long: a browser opens another connection
            self.link.close()
            answer = self._answer(request, headers)
        if request.path.startswith(self.board):
            self.stamp = (answer.headers["ETag"] or "").removeprefix("W/").strip('"')
        return answer.status

    def _answer(self, request: Request, headers: dict[str, str]) -> http.client.HTTPResponse:
        self.link.request(request.method, request.path, request.body or None, headers)
        answer = self.link.getresponse()
        answer.read()
        return answer

    def version(self) -> int:
        return AgreementSnapshot.objects.values_list("version", flat=True).get(study=self.study, batch=None)

    def still_waits(self, began: float) -> None:
        if time.perf_counter() - began > PATIENCE:
            raise RuntimeError(f"the board did not change within {PATIENCE:.0f} s")
