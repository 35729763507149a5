"""The textbook's t of a difference where annotators and dialogues are crossed, which plans are made for."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats


def crossed_p(blocks: Sequence[np.ndarray]) -> float:
    """Return p of no difference from (dialogues, annotators) differences, blocks of the same size.

    The variance is (MS of dialogues + MS of annotators - MS of the rest) / differences, with Satterthwaite's degrees of
    freedom, but at least what the larger of the first two gives alone.
    """
    (n, r), k = blocks[0].shape, len(blocks)
    squares = np.zeros(3)
    for block in blocks:
        dialogues, annotators = block.mean(axis=1, keepdims=True), block.mean(axis=0, keepdims=True)
        rest = block - dialogues - annotators + block.mean()
        squares += r * dialogues.var() * n, n * annotators.var() * r, (rest**2).sum()
    df = k * np.array([n - 1, r - 1, (n - 1) * (r - 1)])
    parts = squares / df * [1, 1, -1] / (k * n * r)
    larger = int(parts[:2].argmax())
    total, freedom = parts.sum(), parts.sum() ** 2 / (parts**2 / df).sum()
    if total <= parts[larger]:
        total, freedom = parts[larger], df[larger]
    return float(2 * stats.t.sf(abs(np.mean(blocks)) / math.sqrt(total), freedom))


def dialogue_p(blocks: Sequence[np.ndarray]) -> float:
    """Return p of no difference by a t test over dialogues, for these annotators alone."""
    return float(stats.ttest_1samp(np.concatenate([block.mean(axis=1) for block in blocks]), 0).pvalue)
