"""Count how often means and rates of people and a judge hold the true value if items share conversations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from bench.coverage_counts import NOMINAL, Coverage, holds, monte_carlo_error
from bench.rows import Goal, Row
from measures.estimate import Estimate
from measures.machines.corrected import corrected_rate
from measures.machines.powered import Part, powered_difference, powered_mean

N_STUDIES, N_STUDIES_QUICK = 4000, 300
SEED, SIZE = 51, 5
THRESHOLD = 0.3
BAND = (93.5, 97.0)


@dataclass(frozen=True, slots=True)
class JudgeStudy:
    """Conversations of five items for two sources; people rate the first `rated_items` of the first `rated` of them.

    Items of a conversation share the part `shared` of the variance of the truth and of the judge's error.
    """

    conversations: int
    rated: int
    rated_items: int = SIZE
    shared: float = 0.5
    noise: float = 0.7
    bias: float = 0.4

    @property
    def share(self) -> float:
        return float(ndtr(-THRESHOLD))

    def draw(self, rng: np.random.Generator) -> tuple[Part, Part]:
        """Return scores, and the same as yes and no."""
        truth = self._shared(rng)
        judge = truth + self.bias + self.noise * self._shared(rng)
        cluster = np.repeat(np.arange(self.conversations), SIZE)
        is_rated = (cluster < self.rated) & (np.arange(len(cluster)) % SIZE < self.rated_items)
        scores = Part(np.where(is_rated, truth, np.nan), judge, cluster)
        positive = np.where(is_rated, truth > THRESHOLD, np.nan)
        return scores, Part(positive, (judge > THRESHOLD).astype(float), cluster)

    def _shared(self, rng: np.random.Generator) -> np.ndarray:
        n = self.conversations
        of_conversation = np.repeat(rng.normal(0, np.sqrt(self.shared), n), SIZE)
        return of_conversation + rng.normal(0, np.sqrt(1 - self.shared), n * SIZE)


STUDIES = {
    "30 of 200 conversations rated": JudgeStudy(200, 30),
    "60 of 200 conversations rated": JudgeStudy(200, 60),
    "60 of 1,000 conversations rated": JudgeStudy(1000, 60),
    "2 items in each of 100 of 200 conversations rated": JudgeStudy(200, 100, rated_items=2),
    "60 of 200 conversations rated, a poor judge": JudgeStudy(200, 60, noise=2.0),
}


def estimates(scores: Part, labels: Part, other: Part) -> dict[str, tuple[Estimate, str]]:
    """Return each estimate and what it should hold."""
    return {
        "mean": (powered_mean(scores).estimate, "zero"),
        "share": (powered_mean(labels).estimate, "share"),
        "difference of two sources": (powered_difference(powered_mean(scores), powered_mean(other)), "zero"),
        "corrected rate": (corrected_rate(labels).estimate, "share"),
    }


def alone(part: Part) -> Part:
    """Return the part as if each item were a conversation of its own."""
    return Part(part.human, part.judge, np.arange(len(part.judge)))


def studied(design: JudgeStudy, n: int, seed: int = SEED) -> tuple[dict[str, Coverage], dict[str, Coverage]]:
    """Return the coverage of each estimate, and if items are taken for independent."""
    rng, truth = np.random.default_rng([seed, design.conversations, design.rated]), {"zero": 0.0, "share": design.share}
    clustered: dict[str, Coverage] = {}
    independent: dict[str, Coverage] = {}
    for _ in range(n):
        (scores, labels), (other, _) = design.draw(rng), design.draw(rng)
        three = scores, labels, other
        for found, counts in (
            (estimates(*three), clustered), (estimates(*(alone(each) for each in three)), independent)
        ):  # fmt: skip
            for name, (estimate, what) in found.items():
                counts[name] = counts.get(name, Coverage()) + Coverage(1, holds(estimate, truth[what]))
    return clustered, independent


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    n = N_STUDIES_QUICK if is_quick else N_STUDIES
    for name, design in STUDIES.items():
        clustered, independent = studied(design, n)
        for figure in clustered:
            work = f"coverage, {figure} with a judge, {name}"
            yield _row(work, clustered[figure].share, n, BAND)
            yield _row(f"{work}: items taken for independent", independent[figure].share, n)


def _row(work: str, share: float, n: int, band: tuple[float, float] | None = None) -> Row:
    """Fewer studies have a larger Monte-Carlo error, and a goal that is wider by it."""
    error = 100 * monte_carlo_error(NOMINAL, n)
    slack = 0.0 if n >= N_STUDIES else error
    goal = Goal(band[0] - slack, most=min(band[1] + slack, 100)) if band else None
    return Row(work, 100 * share, "%", "nominal", 100 * NOMINAL, goal, error=error)
