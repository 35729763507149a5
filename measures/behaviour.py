"""Measure how annotators work: speed, straight-lining, and results on gold items.

Source: project statistics, section 4.1. Speed and straight-lining are definitions; their detection rates
have not been simulated.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray
from measures.estimate import NO_VARIATION, TOO_FEW_ITEMS, Estimate
from measures.histograms import positions_of
from measures.intervals import CELLS_PER_BLOCK, clopper_pearson, wilson
from measures.outliers import is_outlier, robust_scores

FEWEST_ITEMS_TO_FLAG = 20
FAILED = "failed"
PROVED = "proved"
UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Speed:
    """The speed of one annotator.

    Attributes
    ----------
    rater : int
    score : Estimate
        Median over items of log(time / length) minus its median over annotators: 0 is as fast as the others,
        log(0.5) = -0.69 twice as fast. `n_items` counts the items used, `n_left_out` those without a usable time
        or without another annotator.
    z : float or None
        Robust z score among the annotators with enough items.
    flagged : bool
        Whether z < -3, on 20 items or more.
    """

    rater: int
    score: Estimate
    z: float | None
    flagged: bool


def speed_scores(
    items: npt.ArrayLike,
    raters: npt.ArrayLike,
    times: npt.ArrayLike,
    lengths: npt.ArrayLike,
    *,
    fewest_items: int = FEWEST_ITEMS_TO_FLAG,
) -> list[Speed]:
    """Return the speed of each annotator relative to the others on the same items, by ascending rater id.

    Parameters
    ----------
    items, raters, times, lengths : parallel arrays, one entry per answered item of an annotator
        Dwell time measured by the server (any unit) and length of what was read (tokens, words). Times and
        lengths that are not positive finite numbers are left out and counted, and so are items that only
        one annotator has.
    """
    who, dwell, length = np.asarray(raters, np.int64), np.asarray(times, float), np.asarray(lengths, float)
    usable = np.isfinite(dwell) & np.isfinite(length) & (dwell > 0) & (length > 0)
    pace = np.log(np.where(usable, dwell, 1.0) / np.where(usable, length, 1.0))
    item = positions_of(np.asarray(items))
    usable &= np.bincount(item[usable], minlength=int(item.max(initial=-1)) + 1)[item] > 1
    excess = pace - group_medians(item, pace, usable)
    ids = np.unique(who).tolist()
    scores = [_score(excess[usable & (who == rater)], int((~usable & (who == rater)).sum())) for rater in ids]
    enough = [score.n_items >= max(fewest_items, FEWEST_ITEMS_TO_FLAG) for score in scores]
    z = robust_scores([score.value if ok else None for score, ok in zip(scores, enough, strict=True)]).scores
    return [Speed(rater, score, one, is_outlier(one)) for rater, score, one in zip(ids, scores, z, strict=True)]


def group_medians(groups: IntArray, values: FloatArray, used: npt.NDArray[np.bool_]) -> FloatArray:
    """Return (V,) the median of the used values in each entry's group; 0 for a group without any."""
    order = np.lexsort((values, groups, ~used))[: int(used.sum())]
    present, start, size = np.unique(groups[order], return_index=True, return_counts=True)
    ordered = values[order]
    medians = np.zeros(int(groups.max(initial=-1)) + 1)
    medians[present] = (ordered[start + (size - 1) // 2] + ordered[start + size // 2]) / 2
    return np.asarray(medians[groups], float)


def _score(excess: FloatArray, left_out: int) -> Estimate:
    if not len(excess):
        return Estimate(None, TOO_FEW_ITEMS, n_left_out=left_out)
    return Estimate(float(np.median(excess)), n_items=len(excess), n_left_out=left_out)


@dataclass(frozen=True, slots=True)
class StraightLining:
    """Test results on whether one annotator repeats answers more than by chance.

    Attributes
    ----------
    longest_run : int
        Most equal answers in a row.
    run_p : float or None
        One-sided permutation p of `longest_run`.
    reason : 'too_few_items' below 20 answers, 'no_variation' for one answer only: no p value
    """

    longest_run: int
    run_p: float | None
    n_answers: int
    reason: str | None = None


def straight_lining(
    answers: npt.ArrayLike, screens: npt.ArrayLike | None = None, *, seed: int, n_permutations: int = 9999
) -> StraightLining:
    """Test the longest run of equal answers by permuting the annotator's own answers.

    Parameters
    ----------
    answers : (n,) int array
        Codes in the order they were given, -1 for missing (dropped).
    screens : (n,) array, optional
        Which screen each answer was given on, for example dialogue x criterion when all candidates of a
        dialogue are rated at once.
    seed, n_permutations : int

    Notes
    -----
    The candidates of one dialogue may deserve the same answer. With screens, the longest run is therefore compared
    with whole screens in another order.
    p = (1 + permutations at least as extreme) / (1 + permutations).
    """
    codes = np.asarray(answers, np.int64)
    kept = codes >= 0
    screen = np.arange(len(codes)) if screens is None else np.unique(np.asarray(screens), return_inverse=True)[1]
    codes, screen = codes[kept], np.unique(screen[kept], return_inverse=True)[1]
    n = len(codes)
    run = int(_longest_runs(codes[None, :])[0])
    reason = TOO_FEW_ITEMS if n < FEWEST_ITEMS_TO_FLAG else NO_VARIATION if np.ptp(codes) == 0 else None
    if reason:
        return StraightLining(run, None, n, reason)
    longer = 0
    rng = np.random.default_rng(seed)
    block = max(1, CELLS_PER_BLOCK // (4 * n))
    for size in (min(block, n_permutations - done) for done in range(0, n_permutations, block)):
        # Orders that keep each screen together and the order within it.
        keys = rng.random((size, int(screen.max()) + 1))[:, screen]
        longer += int((_longest_runs(codes[np.argsort(keys, axis=1, kind="stable")]) >= run).sum())
    return StraightLining(run, (1 + longer) / (1 + n_permutations), n)


def _longest_runs(rows: IntArray) -> IntArray:
    """Return (B,) the length of the longest run of equal answers in each row."""
    if not rows.shape[1]:
        return np.zeros(len(rows), np.int64)
    place = np.arange(rows.shape[1])
    starts = np.ones(rows.shape, bool)
    starts[:, 1:] = rows[:, 1:] != rows[:, :-1]
    began = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    return np.asarray((place - began).max(axis=1) + 1, np.int64)


@dataclass(frozen=True, slots=True)
class GoldResult:
    """'failed', 'proved' or 'undecided', with the share and its interval (None without gold items)."""

    outcome: str
    share: float | None
    low: float | None
    high: float | None


def gold_result(successes: int, n: int, required: float, *, level: float = 0.95, exact: bool = False) -> GoldResult:
    """Decide what correct answers on gold items show about a required accuracy (0 to 1).

    'failed': the upper limit is below it; 'proved': the lower limit reaches it; otherwise 'undecided'. The limits
    are Wilson's, or Clopper-Pearson's with `exact`, for guarantees. 9 of 10 is .596 to .982: ten gold items decide
    little.
    """
    if not 0 <= required <= 1:
        raise ValueError("the required accuracy lies in 0..1")
    limits = (clopper_pearson if exact else wilson)(successes, n, level)
    if limits.low is None or limits.high is None:
        return GoldResult(UNDECIDED, None, None, None)
    outcome = FAILED if limits.high < required else PROVED if limits.low >= required else UNDECIDED
    return GoldResult(outcome, successes / n, limits.low, limits.high)
