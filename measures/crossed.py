"""Analysis of variance of differences between systems, by dialogue and annotator within batches.

Source: project statistics, section 4.5; Searle, Casella & McCulloch 1992, Variance Components, ch. 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class CompleteBatches:
    """Batches without gaps, and what was left out.

    Attributes
    ----------
    batches : list of (dialogues, annotators, ...) float arrays
        Only those with at least one dialogue and one annotator.
    n_dialogues_left_out, n_annotators_left_out : int
    """

    batches: list[FloatArray]
    n_dialogues_left_out: int
    n_annotators_left_out: int


def complete_batches(batches: Sequence[npt.ArrayLike]) -> CompleteBatches:
    """Leave out dialogues or annotators with gaps (NaN), one at a time.

    The one with the largest share of gaps goes first, a dialogue before an annotator with the same share. Each batch
    is (dialogues, annotators) or (dialogues, annotators, sources); a cell with a gap in any source is a gap.
    """
    kept, dialogues, annotators = [], 0, 0
    for batch in batches:
        values = np.asarray(batch, float)
        if values.ndim not in (2, 3):
            raise ValueError("a batch is (dialogues, annotators) or (dialogues, annotators, sources)")
        gaps = np.isnan(values) if values.ndim == 2 else np.isnan(values).any(axis=2)
        rows, columns = _without_gaps(gaps)
        dialogues += gaps.shape[0] - len(rows)
        annotators += gaps.shape[1] - len(columns)
        if len(rows) and len(columns):
            kept.append(values[np.ix_(rows, columns)])
    return CompleteBatches(kept, dialogues, annotators)


def _without_gaps(gaps: npt.NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Return the dialogues and annotators that are left.

    The gaps of dialogues change only when an annotator is left out, so all dialogues to leave out before the next
    annotator are found at once.
    """
    rows, columns = np.arange(gaps.shape[0]), np.arange(gaps.shape[1])
    while len(rows) and len(columns) and gaps.any():
        left = gaps[np.ix_(rows, columns)]
        by_row = left.sum(axis=1)
        order = np.argsort(-by_row, kind="stable")
        gone = np.vstack([np.zeros(len(columns), np.int64), np.cumsum(left[order], axis=0)[:-1]])
        by_column = left.sum(axis=0) - gone
        n_left = len(rows) - np.arange(len(rows))
        # Shares of gaps as whole numbers: by_row / columns >= by_column / rows left.
        is_row_worst = by_row[order] * n_left >= by_column.max(axis=1) * len(columns)
        stops = np.flatnonzero((by_row[order] == 0) | ~is_row_worst)
        stop = int(stops[0]) if len(stops) else len(rows)
        rows = np.delete(rows, order[:stop])
        if stop == len(order) or by_row[order[stop]] == 0:
            break
        columns = np.delete(columns, by_column[stop].argmax())
    return rows, columns


@dataclass(frozen=True, slots=True)
class CrossedVariance:
    """Mean squares of dialogues, annotators and residual, pooled within batches.

    Attributes
    ----------
    mean_squares : (3,) float array
        Dialogue, annotator, residual.
    degrees_of_freedom : (3,) float array
    per_dialogue, per_annotator : float
        Coefficient of a dialogue's (annotator's) variance component in its mean square: the number of annotators
        per dialogue (dialogues per annotator), averaged over batches by degrees of freedom.
    shares : (3,) float array
        Weights of the mean squares in the variance of the mean over all cells; (1, 1, -1) / cells when all
        batches have the same size.
    """

    mean_squares: FloatArray
    degrees_of_freedom: FloatArray
    per_dialogue: float
    per_annotator: float
    shares: FloatArray


def crossed_variance(batches: Sequence[FloatArray]) -> CrossedVariance | None:
    """Return two-way mean squares without replication of complete (dialogues, annotators) batches.

    None unless every batch has two dialogues and two annotators.
    """
    if not batches or min(min(batch.shape) for batch in batches) < 2:
        return None
    n, r = np.array([batch.shape for batch in batches], float).T
    df = np.array([(n - 1).sum(), (r - 1).sum(), ((n - 1) * (r - 1)).sum()])
    squares = np.sum([_sums_of_squares(batch) for batch in batches], axis=0) / df
    per_dialogue = float((n - 1) @ r / df[0])
    per_annotator = float((r - 1) @ n / df[1])
    # Var(mean) = sum over batches of n r^2 s_D + n^2 r s_A + n r s_E, over cells^2, in terms of mean squares.
    cells = float(n @ r)
    dialogue = float(n @ r**2) / cells**2 / per_dialogue
    annotator = float(n**2 @ r) / cells**2 / per_annotator
    shares = np.array([dialogue, annotator, 1 / cells - dialogue - annotator])
    return CrossedVariance(squares, df, per_dialogue, per_annotator, shares)


def _sums_of_squares(batch: FloatArray) -> FloatArray:
    n, r = batch.shape
    centred = batch - batch.mean()
    dialogues, annotators = centred.mean(axis=1), centred.mean(axis=0)
    residual = centred - dialogues[:, None] - annotators
    return np.array([r * (dialogues**2).sum(), n * (annotators**2).sum(), (residual**2).sum()])
