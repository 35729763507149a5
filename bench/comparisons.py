"""The comparison of sources by the mixed model: how long it takes, and in how much memory, for a large study."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.rows import Goal, Row
from measures.mixed.design import Ratings
from measures.mixed.sources import compare_sources

SEED = 5
# Conversations, turns, annotators, annotators of a conversation; three sources each.
SIZES = {"1,000,000 ratings": (13_334, 5, 500, 5), "35,000 ratings": (780, 3, 40, 5)}
GOALS = {"1,000,000 ratings": 20.0, "35,000 ratings": 1.0}
# A process of its own, whose memory is that of the comparison: its columns are read from a file.
ALONE = """
import resource, sys
import numpy as np
from measures.mixed.design import Ratings
from measures.mixed.sources import compare_sources
compare_sources(Ratings(**np.load(sys.argv[1])), 3)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def study(conversations: int, turns: int, annotators: int, votes: int) -> Ratings:
    """Return a sparse study: all candidates of a conversation have the same few annotators."""
    rng = np.random.default_rng(SEED)
    panel = rng.random((conversations, annotators)).argpartition(votes, axis=1)[:, :votes]
    c, t, s, v = (each.ravel() for each in np.indices((conversations, turns, 3, votes)))
    who = panel[c, v]
    score = 0.2 * s + 0.6 * rng.normal(size=conversations)[c] + 0.3 * rng.normal(size=(conversations, 3))[c, s]
    score += 0.4 * rng.normal(size=(conversations, turns, 3))[c, t, s] + 0.5 * rng.normal(size=annotators)[who]
    score += 0.25 * rng.normal(size=(annotators, 3))[who, s] + rng.normal(size=len(c))
    return Ratings(s, who, c, 3 * t + s, np.clip(np.round(score + 3), 1, 5))


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    for name, size in SIZES.items():
        ratings = study(*size)
        began = time.perf_counter()
        compare_sources(ratings, 3)
        yield Row(f"compare sources, {name}", time.perf_counter() - began, "s", goal=Goal(GOALS[name]))
    yield Row("compare sources, 1,000,000 ratings: memory", _memory(place), "MB", goal=Goal(1024))


def _memory(place: Path) -> float:
    ratings, path = study(*SIZES["1,000,000 ratings"]), place / "ratings.npz"
    names = ("source", "annotator", "conversation", "item", "value")
    np.savez(path, **{name: getattr(ratings, name) for name in names})
    found = subprocess.run([sys.executable, "-c", ALONE, path], capture_output=True, text=True, check=True)
    return float(found.stdout)
