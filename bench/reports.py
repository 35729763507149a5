"""The report of a large study and its ratings as a file: seconds, and memory that does not grow with the study."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Membership, Study
from bench.rows import Goal, Row
from bench.servers import peak_megabytes
from bench.studies import Shape, make_people, make_study
from reporting.exports.cursors import ORDERS, RATINGS
from reporting.exports.formats import write_export
from reporting.report.build import build_report, open_report
from reporting.report.downloads import as_csv, as_json
from reporting.report.kept import make_report
from reporting.study import comparing

READ, SMALL, LARGE = 35_000, 100_000, 1_000_000
LARGE_QUICK = 120_000
N_RESPONSES, N_VOTES, N_CRITERIA = 5, 5, 4


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    large = LARGE_QUICK if is_quick else LARGE
    studies = {n: _study(n) for n in (SMALL // 10 if is_quick else SMALL, large)}
    yield from _report(studies[large], large)
    yield _analysis(studies[large], large, Goal(20 * large / LARGE))
    read = _study(READ)
    yield _analysis(read, READ, Goal(1))
    yield from _views(read, READ)
    for n, study in studies.items():
        yield _export(study, n, place, 5 if n <= LARGE_QUICK else 2)
    yield _memory(studies, place)


def _study(n_ratings: int) -> Study:
    """Batches of 20 dialogues, each answered by all sources and rated by five annotators."""
    n_dialogues = n_ratings // (N_RESPONSES * N_VOTES * N_CRITERIA)
    shape = Shape(n_dialogues, per_batch=20, n_responses=N_RESPONSES, n_votes=N_VOTES, seats=N_VOTES)
    return make_study(f"report-{n_ratings}", shape)


def _report(study: Study, n: int) -> Iterator[Row]:
    """Every number of it from the ratings, with all its intervals, as the command prints it."""
    work = f"JSON report of {n:,} ratings"
    ours = statistics.median(_timed(lambda: as_json(build_report(study, now=timezone.now()))) for _ in range(3))
    floor = statistics.median(_timed(lambda: _copied(study)) for _ in range(3))
    yield Row(work, ours, "s", "COPY of the ratings", floor, Goal(10))
    table = statistics.median(
        _timed(lambda: as_csv(open_report(study, now=timezone.now()), "majority")) for _ in range(3)
    )
    yield Row(f"one table of {n:,} ratings as CSV", table, "s", goal=Goal(1))
    yield Row(f"{work}: peak memory", peak_megabytes("study_report", study.slug), "MiB", note="the whole process")


def _analysis(study: Study, n: int, goal: Goal) -> Row:
    """The comparison of sources on all criteria, as part of a report that has read its answers for other parts."""

    def compared() -> float:
        report = open_report(study, now=timezone.now())
        assert report.agreement_overall
        comparing._kept.clear()
        return _timed(lambda: report.comparisons)

    return Row(f"sources compared in the report of {n:,} ratings", statistics.median(compared() for _ in range(3)), "s",
               goal=goal)  # fmt: skip


def _views(study: Study, n: int) -> Iterator[Row]:
    """The page of the report, which a worker has made, and how long the worker took."""
    reader = Client(SERVER_NAME="localhost")
    reader.force_login(make_people(study, 1, Membership.Role.OWNER)[0].user)
    page = reverse("report", args=[study.slug])
    reader.get(page)
    making = _timed(lambda: make_report(study.kept_reports.get().pk, now=timezone.now()))
    views = statistics.median(_timed(lambda: reader.get(page)) for _ in range(9))
    assert "Nothing has changed since." in reader.get(page).content.decode()
    yield Row(f"page of the report of {n:,} ratings: made by a worker", making, "s")
    yield Row(f"page of the report of {n:,} ratings: looked at", 1000 * views, "ms", goal=Goal(150))


def _export(study: Study, n: int, place: Path, times: int) -> Row:
    """In turns with the floor, so that a machine that slows down slows both."""
    turns = [(_timed(lambda: _written(study, place)), _timed(lambda: _copied(study))) for _ in range(times)]
    ours, floor = (statistics.median(seconds) for seconds in zip(*turns, strict=True))
    goal = Goal(3 * n / SMALL) if SMALL <= n <= LARGE_QUICK else None
    return Row(f"export of {n:,} judgements, CSV", ours, "s", "COPY of the same rows", floor, goal)


def _memory(studies: dict[int, Study], place: Path) -> Row:
    small, large = (
        peak_megabytes("export_study", study.slug, "--format", "long-csv", "--output", str(place / "ratings.csv"))
        for study in studies.values()
    )
    first, last = studies
    work = f"export of {last:,} judgements, CSV: peak memory"
    return Row(work, large, "MiB", f"at {first:,}", small, Goal(1.3, of="ratio"), note="the whole process")


def _written(study: Study, place: Path) -> None:
    with (place / "ratings.csv").open("wb") as file:
        write_export(study, "long-csv", {}, file)


def _copied(study: Study) -> None:
    """COPY of the query that exports read, in its order."""
    with closing(connection.cursor()) as cursor, tempfile.TemporaryFile() as file:
        query = cursor.mogrify(RATINGS + ORDERS["work"], [study.pk, "", ""]).decode()
        cursor.copy_expert(f"COPY ({query}) TO STDOUT CSV HEADER", file)


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
