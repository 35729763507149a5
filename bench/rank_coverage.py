"""How often the intervals of a ranking by comparisons hold the true values, and how often its tests cry wolf."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bench.coverage_counts import NOMINAL, Coverage, holds, monte_carlo_error
from bench.rank_coverage_model import Preferences
from bench.rows import Goal, Row
from measures.estimate import Estimate
from measures.preferences.comparisons import BOTH_BAD
from measures.preferences.davidson import Fit, fit
from measures.preferences.ranking import Ranking, rank

N_STUDIES, N_STUDIES_QUICK = 1000, 100
SEED = 21
# What the answers of one conversation and of one annotator share, as standard deviations on the log scale.
CLUSTERING = {
    "conversations .5, annotators .3": (0.5, 0.3),
    "1, .6": (1.0, 0.6),
    "1, 0": (1.0, 0.0),
    "0, .6": (0.0, 0.6),
}
LAYOUTS = {
    "42 conversations, all of 7 people": Preferences(42, 4, 7, 7),
    "200 conversations, 20 teams of 3 of 6 people": Preferences(200, 2, 6, 3, teams=20),
    "200 conversations, 20 teams of 3 of 12 people": Preferences(200, 2, 12, 3, teams=20),
    "150 conversations, 3 of 20 people each": Preferences(150, 2, 20, 3),
    "300 conversations, 1 of 10 people each": Preferences(300, 2, 10, 1),
    "400 conversations, 2 of 100 people, unequal loads": Preferences(400, 1, 100, 2, load=1.0),
}


@dataclass
class Found:
    """What a layout gave: coverage of each kind of interval, of intervals by the model alone, and of ranks."""

    strengths: Coverage = field(default_factory=Coverage)
    naive: Coverage = field(default_factory=Coverage)
    win_rates: Coverage = field(default_factory=Coverage)
    side: Coverage = field(default_factory=Coverage)
    tie: Coverage = field(default_factory=Coverage)
    ranks: Coverage = field(default_factory=Coverage)
    consistent: Coverage = field(default_factory=Coverage)

    def __add__(self, other: Found) -> Found:
        return Found(*(mine + theirs for mine, theirs in zip(vars(self).values(), vars(other).values(), strict=True)))


def studied(design: Preferences, n: int, seed: int = SEED) -> Found:
    rng, found = np.random.default_rng([seed, design.n_conversations, design.n_annotators]), Found()
    for _ in range(n):
        found += _one(design, rng)
    return found


def _one(design: Preferences, rng: np.random.Generator) -> Found:
    answers, truth = design.draw(rng), design.truth
    ranking, k = rank(answers, seed=SEED), design.n_sources
    used = fit(answers.where(answers.outcome != BOTH_BAD))
    return Found(
        strengths=_covered([each.strength for each in ranking.sources], truth[:k]),
        naive=_naive(used, truth[:k]),
        win_rates=_covered([each.win_rate for each in ranking.sources], _win_rates(truth)),
        side=_covered([ranking.side_bias], truth[k + 1 :]),
        tie=_covered([ranking.tie], np.exp(truth[k : k + 1])),
        ranks=Coverage(1, _ranks_hold(ranking, truth[:k])),
        consistent=Coverage(1, (ranking.consistency.p_value or 1.0) > 1 - NOMINAL),
    )


def _covered(found: Iterable[Estimate], truth: Iterable[float]) -> Coverage:
    hits = [holds(each, float(value)) for each, value in zip(found, truth, strict=True)]
    return Coverage(len(hits), sum(hits))


def _naive(found: Fit | None, truth: np.ndarray) -> Coverage:
    """Intervals of the model alone, which takes answers for independent."""
    if found is None:
        return Coverage(len(truth))
    contrasts = found.design.contrasts
    error = np.sqrt(np.einsum("kp,pq,kq->k", contrasts, found.inverse, contrasts))
    hits = np.abs(contrasts @ found.parameters - truth) < 1.96 * error
    return Coverage(len(hits), int(hits.sum()))


def _win_rates(truth: np.ndarray) -> np.ndarray:
    strengths, nu = truth[:-2], np.exp(truth[-2])
    eta = strengths[:, None] - strengths
    scores = (np.exp(eta / 2) + nu / 2) / (np.exp(eta / 2) + np.exp(-eta / 2) + nu)
    np.fill_diagonal(scores, 0)
    return scores.sum(axis=1) / (len(strengths) - 1)


def _ranks_hold(ranking: Ranking, strengths: np.ndarray) -> bool:
    """All at once. With equal strengths, a source has every rank that one of its equals could have."""
    for each in ranking.sources:
        own = strengths[each.source]
        best = 1 + int((strengths > own + 1e-9).sum())
        worst = len(strengths) - int((strengths < own - 1e-9).sum())
        if each.best_rank is None or each.worst_rank is None or each.best_rank > best or each.worst_rank < worst:
            return False
    return True


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    n = N_STUDIES_QUICK if is_quick else N_STUDIES
    for layout, design in LAYOUTS.items():
        for name, (of_conversation, of_annotator) in CLUSTERING.items():
            clustered = replace(
                design, of_conversation=of_conversation, of_annotator=of_annotator, of_side=of_annotator / 2
            )
            yield from _rows(f"{layout}; sd {name}", studied(clustered, n), n)
    for layout, design in LAYOUTS.items():
        alike = replace(design, strengths=(0.0,) * 5, of_conversation=0.5, of_annotator=0.3)
        found = studied(alike, n)
        yield _row(f"rank, {layout}; equal sources: no rank is wrong", found.ranks.share, n, Goal(93.5, is_least=True))
        yield _row(f"rank, {layout}; equal sources: strengths", found.strengths.share, n, BAND)


BAND = Goal(93.5, most=97)


def _rows(work: str, found: Found, n: int) -> Iterator[Row]:
    yield _row(f"rank, {work}: strengths", found.strengths.share, n, BAND)
    yield _row(f"rank, {work}: by the model alone", found.naive.share, n)
    yield _row(f"rank, {work}: win rates", found.win_rates.share, n, BAND)
    yield _row(f"rank, {work}: side", found.side.share, n)
    yield _row(f"rank, {work}: nu", found.tie.share, n)
    yield _row(f"rank, {work}: all ranks", found.ranks.share, n, Goal(93.5, is_least=True))
    yield _row(f"rank, {work}: strengths explain all pairs", found.consistent.share, n)


def _row(work: str, share: float, n: int, goal: Goal | None = None) -> Row:
    return Row(work, 100 * share, "%", "nominal", 100 * NOMINAL, goal, error=100 * monte_carlo_error(share, n))
