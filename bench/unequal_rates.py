"""Count how often intervals of shares hold the true value where sources have unequal rates, so unequal variances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from bench.coverage_sources import holds
from bench.rows import Goal, Row
from bench.source_studies import SourceStudy
from measures.mixed.sources import compare_sources
from measures.mixed.spread import LARGEST_RATIO

N_STUDIES, N_STUDIES_QUICK = 500, 50
SEED = 47
FEWEST_COVERED = 93.0
STUDIES = {
    "40 dialogues, 3 of 9": SourceStudy(conversations=40, annotators=9, panel="item", scale="binary"),
    "120 dialogues, 3 of 12": SourceStudy(conversations=120, annotators=12, panel="item", scale="binary"),
    "90 independent dialogues": SourceStudy(conversations=90, annotators=20, is_matched=False, scale="binary"),
}
RATES = (
    (0.5, 0.5, 0.5),
    (0.24, 0.5, 0.5),
    (0.32, 0.32, 0.5),
    (0.1, 0.5, 0.5),
    (0.1, 0.1, 0.5),
    (0.02, 0.5, 0.5),
    (0.01, 0.045, 0.225),
)


@dataclass(frozen=True, slots=True)
class Found:
    """In per cent: intervals that hold, of the mean and of the difference that do least, and rejections of equals."""

    means: np.ndarray
    differences: np.ndarray
    rejected: float | None
    warned: float


def of_study(study: SourceStudy, rates: tuple[float, ...], n: int, seed: int = SEED) -> Found:
    """Draw studies and count."""
    truth, rng = np.array(rates), np.random.default_rng(seed)
    effects = study.effects_for(truth)
    pairs = list(combinations(range(study.sources), 2))
    means, differences, rejected, warned = np.zeros(study.sources), np.zeros(len(pairs)), np.zeros(len(pairs)), 0
    for _ in range(n):
        found = compare_sources(study.draw(effects, rng), study.sources, bounds=(0.0, 1.0))
        means += [holds(each.estimate, truth[each.source]) for each in found.means]
        differences += [holds(each.estimate, truth[each.first] - truth[each.second]) for each in found.differences]
        rejected += [each.p_value is not None and each.p_value <= 0.05 for each in found.differences]
        warned += found.unequal_variances is not None
    equal = [at for at, (first, second) in enumerate(pairs) if truth[first] == truth[second] == max(rates)]
    rejects = float(np.mean(100 * rejected[equal] / n)) if equal else None
    return Found(100 * means / n, 100 * differences / n, rejects, 100 * warned / n)


def largest_ratio(rates: tuple[float, ...]) -> float:
    """Return the largest variance over the common one, of sources with as many answers each."""
    variances = np.array(rates) * (1 - np.array(rates))
    return float(variances.max() / variances.mean())


def by_rate(means: np.ndarray, rates: tuple[float, ...]) -> list[float]:
    """Return the mean over the sources with the same rate: they differ by chance alone."""
    return [float(means[np.array(rates) == each].mean()) for each in dict.fromkeys(rates)]


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    n = N_STUDIES_QUICK if is_quick else N_STUDIES
    for name, study in STUDIES.items():
        for rates in RATES:
            found, ratio = of_study(study, rates, n), largest_ratio(rates)
            title = f"{name}, rates {', '.join(f'{each:g}' for each in rates)} (ratio {ratio:.2f})"
            yield _row(f"{title}: means covered, least", min(by_rate(found.means, rates)), 95.0, ratio, n)
            yield _row(f"{title}: differences covered, least", float(found.differences.min()), 95.0, ratio, n)
            yield Row(f"{title}: warned", found.warned, "%")
            if found.rejected is not None:
                yield Row(f"{title}: equal sources differ", found.rejected, "%", "nominal", 5.0)


def _row(work: str, share: float, nominal: float, ratio: float, n: int) -> Row:
    """Return a row, with a goal up to the ratio at which the report warns."""
    error = 200 * float(np.sqrt(nominal / 100 * (1 - nominal / 100) / n))
    goal = Goal(FEWEST_COVERED - error, is_least=True) if ratio <= LARGEST_RATIO else None
    return Row(work, share, "%", "nominal", nominal, goal, error=error)
