"""How often the intervals that Parley shows hold the true value: nominally 95 of 100 times."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import stats

from bench import coverage_sources, judge_coverage
from bench.coverage_counts import NOMINAL, Coverage, Numbers, holds, monte_carlo_error
from bench.coverage_model import Dialogues, OneClicker, Predictions, Votes
from bench.rows import Goal, Row
from measures.agreement import fleiss_kappa, fleiss_kernel, gwet_ac, percent_agreement
from measures.alpha import krippendorff_alpha_with_interval
from measures.clusters import Clusters, cluster_bootstrap_intervals
from measures.contributors import MajorityTables, kappa_with_majority
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.intervals import (
    FEWEST_ITEMS_WHEN_RARE,
    FEWEST_RELIABLE_ITEMS,
    Interval,
    bootstrap_interval,
    clopper_pearson,
    guarded,
    wilson,
)
from measures.leave_one_out import leave_one_out
from measures.prediction_intervals import label_estimates, score_estimates

N_STUDIES, N_STUDIES_QUICK = 2000, 300
# Bootstraps of ranks, and of every annotator left out, cost some 30 ms a study.
DEARER = 4
SIZES, RATERS, KAPPAS = (10, 20, 42, 100, 400), (2, 3, 7), (0.3, 0.6)
PREVALENCES = {"balanced": 0.5, "90/10": 0.9}
SHARES = tuple(number / 20 for number in range(1, 20))
# From here on balanced studies have no mark on their intervals.
RELIABLE_SIZE = 42
SEED = 20


# --- one figure of many studies
def live_kappa(histogram: Histogram, seed: int) -> Estimate:
    return fleiss_kappa(histogram)


def reported_kappa(histogram: Histogram, seed: int) -> Estimate:
    """Only the limits and their note are looked at."""
    found = bootstrap_interval(histogram, fleiss_kernel, seed=seed)
    return Estimate(0.0, low=found.low, high=found.high, interval_note=found.note)


def live_ac1(histogram: Histogram, seed: int) -> Estimate:
    return gwet_ac(histogram)


def live_agreement(histogram: Histogram, seed: int) -> Estimate:
    return percent_agreement(histogram)


def reported_alpha(histogram: Histogram, seed: int) -> Estimate:
    return krippendorff_alpha_with_interval(histogram, seed=seed)


IntervalOf = Callable[[Histogram, int], Estimate]


def covered(votes: Votes, truth: float, interval_of: IntervalOf, n: int, seed: int = SEED) -> Coverage:
    """Studies with the same histogram have the same interval: it is computed once."""
    rng = np.random.default_rng([seed, votes.n_items, votes.n_raters])
    found = Coverage()
    for number, (histogram, times) in enumerate(votes.histograms(n, rng)):
        estimate = interval_of(histogram, number)
        shown = guarded(estimate, histogram)
        is_held = times * holds(estimate, truth)
        is_plain = shown.low is not None and shown.interval_note is None
        found += Coverage(times, is_held, times * is_plain, is_held * is_plain)
    return found


def covered_each(draw: Callable[[np.random.Generator, int], tuple[Numbers, float]], n: int) -> Coverage:
    """`draw`: an interval of a new study, and what it should hold."""
    rng = np.random.default_rng(SEED)
    found = Coverage()
    for number in range(n):
        found += Coverage(1, holds(*draw(rng, number)))
    return found


# --- the designs
def designs(n_items: int, prevalence: float) -> list[Votes]:
    return [Votes(n_items, r, prevalence, kappa) for r, kappa in itertools.product(RATERS, KAPPAS)]


def of_dialogues(design: Dialogues, n: int, *, is_clustered: bool) -> Coverage:
    """All sources together: dialogues are drawn, or (wrongly) items."""

    def draw(rng: np.random.Generator, seed: int) -> tuple[Numbers, float]:
        dialogue, tallies = design.tallies(rng)
        if not is_clustered:
            return fleiss_kappa(Histogram.from_tallies(tallies)), design.kappa
        clusters = Clusters.from_tallies(dialogue, tallies)
        return cluster_bootstrap_intervals(clusters, [fleiss_kernel], seed=seed)[0], design.kappa

    return covered_each(draw, n)


def of_majority(votes: Votes, n: int) -> Coverage:
    """The first rater beside the majority of the others, as the board shows it."""
    truth = votes.majority_kappa

    def draw(rng: np.random.Generator, seed: int) -> tuple[Numbers, float]:
        tables = MajorityTables.from_matrix(votes.codes(1, rng)[0], 2)
        first = MajorityTables(*(part[:1] for part in (tables.raters, tables.tables, tables.tied, tables.alone)))
        return kappa_with_majority(first, seed=seed, n_resamples=1000)[0].kappa, truth

    return covered_each(draw, n)


def of_leaving_out(design: OneClicker, n: int) -> Coverage:
    truth = design.delta
    raters = np.tile(np.arange(design.votes.n_raters), design.votes.n_items)
    items = np.repeat(np.arange(design.votes.n_items), design.votes.n_raters)

    def draw(rng: np.random.Generator, seed: int) -> tuple[Numbers, float]:
        return leave_one_out(items, raters, design.codes(rng).ravel(), 2, seed=seed)[0].delta, truth

    return covered_each(draw, n)


def of_predictions(design: Predictions, n: int) -> dict[str, Coverage]:
    """All measures from the same studies."""
    rng, truth = np.random.default_rng(SEED), design.truth
    found = dict.fromkeys(truth, Coverage())
    for seed in range(n):
        estimates = label_estimates(*design.labels(rng), design.groups, len(design.shares), seed=seed)
        estimates |= score_estimates(*design.scores(rng), design.groups, seed=seed)
        for name, value in truth.items():
            found[name] += Coverage(1, holds(estimates[name], value))
    return found


def of_shares(interval: Callable[[int, int], Interval], n: int, shares: Iterable[float]) -> list[float]:
    """The coverage at each true share, exactly: the chance of all counts whose interval holds it."""
    limits = [interval(successes, n) for successes in range(n + 1)]
    return [
        float(sum(stats.binom.pmf(k, n, share) for k, found in enumerate(limits) if holds(found, share)))
        for share in shares
    ]


# --- rows
def run(place: Path, is_quick: bool) -> Iterator[Row]:
    n = N_STUDIES_QUICK if is_quick else N_STUDIES
    for name, interval_of in (("live", live_kappa), ("report", reported_kappa)):
        for prevalence, size in itertools.product(PREVALENCES, SIZES):
            yield from _kappas(f"kappa, {name}", interval_of, prevalence, size, n)
    yield from _other_coefficients(n)
    yield from _proportions()
    yield from _pooled(n)
    yield from _of_annotators(n)
    yield from _of_predictions(n)
    yield from judge_coverage.run(place, is_quick)
    yield from coverage_sources.run(place, is_quick)


def _kappas(name: str, interval_of: IntervalOf, prevalence: str, size: int, n: int) -> Iterator[Row]:
    cells = [covered(votes, votes.kappa, interval_of, n) for votes in designs(size, PREVALENCES[prevalence])]
    is_reliable = prevalence == "balanced" and size >= RELIABLE_SIZE
    work = f"{name}, {size} items, {prevalence}"
    yield _furthest(work, cells, is_judged=is_reliable)
    if prevalence != "balanced" and size < FEWEST_ITEMS_WHEN_RARE and interval_of is live_kappa:
        yield from _plain(work, sum(cells, Coverage()), Goal(0) if size < FEWEST_RELIABLE_ITEMS else None)


def _plain(work: str, found: Coverage, goal: Goal | None) -> Iterator[Row]:
    """What the guards leave to a reader where rare answers make intervals too narrow."""
    yield Row(f"coverage, {work}: shown without a mark", 100 * found.plain / found.n, "%", goal=goal)
    if found.of_plain is not None:
        yield _row(f"{work}: of those shown so", found.of_plain, found.plain, is_judged=False)


def _other_coefficients(n: int) -> Iterator[Row]:
    balanced = [votes for size in SIZES if size >= RELIABLE_SIZE for votes in designs(size, 0.5)]
    cells = [covered(votes, votes.ac1, live_ac1, n) for votes in balanced]
    yield _furthest("AC1, live, 42 items or more, balanced", cells)
    cells = [covered(votes, votes.agreement, live_agreement, n) for votes in balanced]
    yield _furthest("per cent agreement, live, 42 items or more, balanced", cells)
    cells = [covered(votes, votes.kappa, reported_alpha, n) for votes in designs(RELIABLE_SIZE, 0.5)]
    yield _furthest("alpha, report, 42 items, balanced", cells)


def _proportions() -> Iterator[Row]:
    """Computed, not simulated."""
    by_size = [of_shares(wilson, size, SHARES) for size in SIZES]
    means = [sum(found) / len(found) for found in by_size]
    furthest = max(means, key=lambda share: abs(share - NOMINAL))
    yield _exact("Wilson, mean over shares of 5 to 95 % (furthest of 5 sizes)", furthest, Goal(92, most=98))
    yield _exact("Wilson, lowest", min(map(min, by_size)))
    lowest = min(min(of_shares(clopper_pearson, size, SHARES)) for size in SIZES)
    yield _exact("Clopper-Pearson, lowest", lowest, Goal(100 * NOMINAL, is_least=True))


def _pooled(n: int) -> Iterator[Row]:
    """Five sources answer each of 42 dialogues."""
    design = Dialogues(RELIABLE_SIZE, 5, 3, easy=0.8, hard=0.1)
    found = of_dialogues(design, n, is_clustered=True)
    yield _row("kappa, report, 42 dialogues x 5 sources", found.share, found.n)
    found = of_dialogues(design, n, is_clustered=False)
    yield _row("the same, items taken for independent", found.share, found.n, is_judged=False)


def _of_annotators(n: int) -> Iterator[Row]:
    for size in (RELIABLE_SIZE, 100):
        cells = [of_majority(Votes(size, 7, 0.5, kappa), n) for kappa in KAPPAS]
        yield _furthest(f"kappa with the majority of 6 others, {size} items", cells)
    found = of_leaving_out(OneClicker(Votes(RELIABLE_SIZE, 7, 0.5, 0.3)), n // DEARER)
    yield _row("kappa without one of 7, 42 items", found.share, found.n)


def _of_predictions(n: int) -> Iterator[Row]:
    for name, found in of_predictions(Predictions(60), n // DEARER).items():
        yield _row(f"{name} of predictions, 60 dialogues x 2 items", found.share, found.n)


def _furthest(work: str, cells: list[Coverage], *, is_judged: bool = True) -> Row:
    """The one that is furthest from what it claims."""
    worst = max(cells, key=lambda cell: abs(cell.share - NOMINAL))
    return _row(f"{work} (furthest of {len(cells)})", worst.share, worst.n, is_judged=is_judged)


def _row(work: str, share: float, n: int, *, is_judged: bool = True) -> Row:
    """Fewer studies have a larger Monte-Carlo error, and a goal that is wider by it."""
    error = 100 * monte_carlo_error(share, n)
    slack = 0.0 if n >= N_STUDIES else error
    goal = Goal(92 - slack, most=min(98 + slack, 100)) if is_judged else None
    return replace(_exact(work, share, goal), error=error)


def _exact(work: str, share: float, goal: Goal | None = None) -> Row:
    return Row(f"coverage, {work}", 100 * share, "%", "nominal", 100 * NOMINAL, goal)
