"""Count how often intervals for new annotators hold the agreement among all annotators there could be.

Beside them stand the intervals for the annotators who rated, which do not claim it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.coverage_counts import NOMINAL, Coverage, holds, monte_carlo_error
from bench.rows import Goal, Row
from measures.agreement import fleiss_kernel
from measures.alpha import alpha_kernel
from measures.arrays import FloatArray, IntArray
from measures.clusters import Clusters, cluster_bootstrap_intervals
from measures.histograms import Histogram
from measures.intervals import Interval, KernelMaker
from measures.population import Votes, population_intervals

N_STUDIES, N_STUDIES_QUICK = 1000, 100
# The truth is the mean of so many studies of so many items and annotators.
N_LARGE, MANY_ITEMS, MANY_ANNOTATORS = 40, 2000, 60
SEED, OPTIONS = 41, 5
COEFFICIENTS: dict[str, KernelMaker] = {
    "Fleiss' kappa": fleiss_kernel,
    "alpha": lambda patterns: alpha_kernel(patterns, "interval"),
}


@dataclass(frozen=True, slots=True)
class Raters:
    """Five points; items of a group are alike; annotators lean by `leaning` points and differ in their care."""

    n_items: int
    n_annotators: int
    each: int
    leaning: float = 0.4
    group: int = 1

    def draw(self, rng: np.random.Generator) -> Votes:
        item = np.repeat(np.arange(self.n_items), self.each)
        annotator = np.argsort(rng.random((self.n_items, self.n_annotators)), axis=1)[:, : self.each].ravel()
        quality = rng.normal(0, 0.7, self.n_items)[item // self.group] + rng.normal(0, 0.7, self.n_items)[item]
        care = np.exp(rng.normal(0, 0.75 * self.leaning, self.n_annotators))[annotator]
        answer = (
            quality + rng.normal(0, self.leaning, self.n_annotators)[annotator] + care * rng.normal(0, 0.8, len(item))
        )
        code = np.clip(np.round(answer + (OPTIONS - 1) / 2), 0, OPTIONS - 1).astype(np.int64)
        return Votes(item, annotator, item // self.group, code, OPTIONS)

    @property
    def truth(self) -> FloatArray:
        rng = np.random.default_rng([SEED, self.each])
        large = replace(self, n_items=MANY_ITEMS, n_annotators=max(MANY_ANNOTATORS, self.each))
        return np.mean([_values(large.draw(rng)) for _ in range(N_LARGE)], axis=0)


LAYOUTS = {
    "42 items, all of 7 people": Raters(42, 7, 7),
    "42 items, all of 5 people": Raters(42, 5, 5),
    "100 items, all of 3 people": Raters(100, 3, 3),
    "120 items, 3 of 6 people each": Raters(120, 6, 3),
    "120 items, 3 of 12 people each": Raters(120, 12, 3),
    "200 items, 3 of 20 people each": Raters(200, 20, 3),
    "40 conversations of 5 turns, 3 of 12 people each": Raters(200, 12, 3, group=5),
    "42 items, all of 7 people who do not differ": Raters(42, 7, 7, leaning=0.0),
}


def _values(votes: Votes) -> FloatArray:
    histogram = Histogram.from_votes(votes.item, votes.code, OPTIONS)
    counts = histogram.counts[None].astype(float)
    return np.array([maker(histogram.patterns)(counts)[0] for maker in COEFFICIENTS.values()])


def _of_these(votes: Votes) -> list[Interval]:
    """As the report has them for the annotators who rated."""
    item, group = np.asarray(votes.item), np.asarray(votes.group)
    n = int(item.max()) + 1
    tallies: IntArray = np.bincount(item * OPTIONS + np.asarray(votes.code), minlength=n * OPTIONS).reshape(n, OPTIONS)
    groups = group[np.unique(item, return_index=True)[1]]
    clusters = Clusters.from_tallies(groups, tallies)
    return cluster_bootstrap_intervals(clusters, list(COEFFICIENTS.values()), seed=SEED, n_resamples=500)


def studied(raters: Raters, n: int, seed: int = SEED) -> tuple[list[Coverage], list[Coverage]]:
    """Return the coverage of each coefficient: for new annotators, and by the intervals for these."""
    rng, truth = np.random.default_rng([seed, raters.n_items, raters.n_annotators]), raters.truth
    new, these = ([Coverage() for _ in COEFFICIENTS] for _ in range(2))
    for _ in range(n):
        votes = raters.draw(rng)
        for found, counts in (
            (population_intervals(votes, list(COEFFICIENTS.values())), new),
            (_of_these(votes), these),
        ):
            for at, (each, value) in enumerate(zip(found, truth.tolist(), strict=True)):
                counts[at] += Coverage(1, holds(each, value))
    return new, these


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    n = N_STUDIES_QUICK if is_quick else N_STUDIES
    for name, raters in LAYOUTS.items():
        for coefficient, new, these in zip(COEFFICIENTS, *studied(raters, n), strict=True):
            error = 100 * monte_carlo_error(NOMINAL, n)
            slack = error if is_quick else 0.0
            work = f"agreement, {name}: {coefficient}"
            yield Row(work, 100 * new.share, "%", "nominal", 95, Goal(93.5 - slack, is_least=True), error=error)
            yield Row(
                f"{work}, by the interval for these annotators", 100 * these.share, "%", "nominal", 95, error=error
            )
