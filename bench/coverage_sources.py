"""Count how often the comparison of sources rejects where nothing differs, and how often its intervals are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.rows import Goal, Row
from bench.source_studies import STUDIES, SourceStudy
from measures.estimate import Estimate
from measures.mixed.sources import compare_sources

N_STUDIES, N_STUDIES_QUICK = 1000, 100
SEED = 31
EFFECT = 0.2
# Of 100 studies; wider by two Monte-Carlo errors.
REJECTS, COVERS = (4.0, 6.5), (93.5, 97.0)


@dataclass(slots=True)
class Counts:
    """Count means, differences and families, and how many of them hold (or reject)."""

    n_studies: int = 0
    means: float = 0.0
    differences: float = 0.0
    rejected: float = 0.0
    families: int = 0

    def share(self, count: float) -> float:
        return 100 * count / self.n_studies


def holds(estimate: Estimate, truth: float) -> bool:
    """No interval is a miss: who reads one must know that it is there."""
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


def of_study(study: SourceStudy, n: int, seed: int = SEED) -> tuple[Counts, Counts]:
    """Count in studies without differences, and with: on a scale of numbers the same studies serve for both."""
    equal = np.zeros(study.sources)
    apart = EFFECT * np.arange(study.sources)
    without = _counted(study, equal, n, seed)
    return without, without if study.scale == "interval" else _counted(study, apart, n, seed + 1)


def _counted(study: SourceStudy, effects: np.ndarray, n: int, seed: int) -> Counts:
    found, truth = Counts(), study.means(effects)
    rng = np.random.default_rng(seed)
    for _ in range(n):
        compared = compare_sources(study.draw(effects, rng), study.sources)
        found.n_studies += 1
        found.means += np.mean([holds(each.estimate, truth[each.source]) for each in compared.means])
        found.differences += np.mean(
            [holds(each.estimate, truth[each.first] - truth[each.second]) for each in compared.differences]
        )
        p_values = [each.p_value for each in compared.differences if each.p_value is not None]
        found.rejected += sum(p <= 0.05 for p in p_values) / len(compared.differences)
        found.families += any((each.adjusted_p or 1.0) <= 0.05 for each in compared.differences)
    return found


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    n = N_STUDIES_QUICK if is_quick else N_STUDIES
    for name, study in STUDIES.items():
        without, apart = of_study(study, n)
        yield _row(f"sources, {name}: rejects", without.share(without.rejected), 5.0, REJECTS, n)
        yield _row(
            f"sources, {name}: rejects any of 3, Holm", without.share(without.families), 5.0, (0.0, REJECTS[1]), n
        )
        yield _row(f"sources, {name}: differences covered", apart.share(apart.differences), 95.0, COVERS, n)
        yield _row(f"sources, {name}: means covered", apart.share(apart.means), 95.0, COVERS, n)


def _row(work: str, share: float, nominal: float, band: tuple[float, float], n: int) -> Row:
    error = 200 * float(np.sqrt(nominal / 100 * (1 - nominal / 100) / n))
    slack = 0.0 if n >= N_STUDIES else error
    return Row(work, share, "%", "nominal", nominal, Goal(max(band[0] - slack, 0.0), most=band[1] + slack), error=error)
