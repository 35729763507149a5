"""Arithmetic alone: coefficients of 100,000 items from scratch, and the bootstrap over their patterns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import krippendorff
import numpy as np

from bench.rows import Goal, Row
from measures import planning
from measures.agreement import fleiss_kernel
from measures.histograms import Histogram
from measures.intervals import bootstrap_interval
from measures.summary import agreement_summary
from reporting.planner.plans import Load, PlannedTest, make_plan
from reporting.planner.variances import default_variances

N_ITEMS, N_RATERS, N_CRITERIA, N_OPTIONS = 100_000, 7, 4, 3
N_RESAMPLES = 1000


def agreement(place: Path, is_quick: bool) -> Iterator[Row]:
    """Ours gives five coefficients with their errors, the peer one: the ratio flatters it."""
    votes = [_votes(seed) for seed in range(N_CRITERIA)]
    peers = [matrix.T.astype(float) for matrix in votes]
    ours, theirs = _in_turns(lambda: _summaries(votes), lambda: _alphas(peers), 3 if is_quick else 5)
    _check_equal(votes[0], peers[0])
    work = "agreement of 100k x 7 x 4"
    yield Row(work, ours, "ms", goal=Goal(12))
    gain = Goal(20, of="ratio", is_least=True)
    yield Row(f"{work}: times as fast", ours, "ms", "krippendorff", theirs, gain, is_gain=True)


def _votes(seed: int) -> np.ndarray:
    """(items, raters) codes: items differ, raters follow their item three times in four."""
    rng = np.random.default_rng(seed)
    true = rng.choice(N_OPTIONS, size=(N_ITEMS, 1), p=[0.6, 0.3, 0.1])
    other = rng.choice(N_OPTIONS, size=(N_ITEMS, N_RATERS), p=[0.6, 0.3, 0.1])
    return np.where(rng.random((N_ITEMS, N_RATERS)) < 0.75, true, other).astype(np.int8)


def _summaries(votes: list[np.ndarray]) -> None:
    for matrix in votes:
        agreement_summary(Histogram.from_matrix(matrix, N_OPTIONS), n_resamples=0)


def _alphas(peers: list[np.ndarray]) -> None:
    for matrix in peers:
        krippendorff.alpha(reliability_data=matrix, level_of_measurement="nominal")


def _check_equal(matrix: np.ndarray, peer: np.ndarray) -> None:
    """A faster wrong answer is no answer."""
    ours = agreement_summary(Histogram.from_matrix(matrix, N_OPTIONS), n_resamples=0)["krippendorff_alpha"].value
    theirs = krippendorff.alpha(reliability_data=peer, level_of_measurement="nominal")
    if ours is None or abs(ours - theirs) > 1e-9:
        raise RuntimeError(f"alpha differs: ours {ours}, krippendorff {theirs}")


def bootstrap(place: Path, is_quick: bool) -> Iterator[Row]:
    histogram = Histogram.from_matrix(_votes(0), N_OPTIONS)
    shares = histogram.counts / histogram.n_items
    rng = np.random.default_rng(7)
    ours, floor = _in_turns(
        lambda: bootstrap_interval(histogram, fleiss_kernel, seed=7, n_resamples=N_RESAMPLES),
        lambda: rng.multinomial(N_ITEMS, shares, size=N_RESAMPLES),
        10 if is_quick else 30,
    )
    yield Row("bootstrap 100k x 1,000 (BCa)", ours, "ms", "the draws alone", floor, Goal(10))


def plan(place: Path, is_quick: bool) -> Iterator[Row]:
    """The planner's page with its usual values, and nothing known from before."""
    question = PlannedTest("share", 1.0, 0.1, 0.8, 0.05, 1, 3, None, None, default_variances(1.0))
    load = Load(5, 4, 0, 0, 20, 30, None, "")
    rounds = [_planned(question, load) for _ in range(4 if is_quick else 10)][1:]
    yield Row("a plan with all its tables", statistics.median(rounds), "ms", goal=Goal(200))


def _planned(question: PlannedTest, load: Load) -> float:
    planning._mean_chi_square.cache_clear()
    return _timed(lambda: make_plan(question, load))


def _in_turns(ours: Callable[[], object], theirs: Callable[[], object], times: int) -> tuple[float, float]:
    """Medians in milliseconds, after one round that warms both."""
    rounds = [(_timed(ours), _timed(theirs)) for _ in range(times + 1)][1:]
    mine, their = zip(*rounds, strict=True)
    return statistics.median(mine), statistics.median(their)


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000
