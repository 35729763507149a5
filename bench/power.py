"""Compare the power that the planner promises with the share of studies in which the report finds a difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.coverage_counts import monte_carlo_error
from bench.power_studies import LEVEL, OTHERS, STUDIES, Study
from bench.rows import Goal, Row
from measures.planning import crossed_power

N_STUDIES, N_STUDIES_QUICK = 1000, 100
SEED = 41
NEAR = 3.0  # points


def simulated(study: Study, n: int, seed: int = SEED) -> float:
    """The share of studies in which the product's own test finds the difference."""
    rng = np.random.default_rng(seed)
    return sum(study.is_found(rng) for _ in range(n)) / n


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    n = N_STUDIES_QUICK if is_quick else N_STUDIES
    for name, study in STUDIES.items():
        yield _row(name, study, simulated(study, n), n)
    for name, study in OTHERS.items():
        yield replace(_row(name, study, simulated(study, n), n), goal=None)


def _row(name: str, study: Study, found: float, n: int) -> Row:
    planned = crossed_power(study.difference, study.layout, study.variances, level=LEVEL)
    if planned is None:
        raise RuntimeError(f"no plan: {name}")
    error = 100 * monte_carlo_error(found, n)
    near = NEAR + (0.0 if n >= N_STUDIES else error)
    work = f"power, {name}: planned {100 * planned:.1f} %, simulated {100 * found:.1f} %, difference"
    return Row(work, 100 * (planned - found), "points", goal=Goal(-near, most=near), error=error)
