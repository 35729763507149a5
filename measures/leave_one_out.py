"""Agreement without one annotator: an effect to show ("without X: .31 to .42"), not a detector.

Source: project statistics, sections 2.3 and 4.1; Fleiss kappa in the 'gwet' convention of
:mod:`measures.agreement`.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from measures.agreement import pair_agreement
from measures.arrays import FloatArray, IntArray, divide_or_nan
from measures.estimate import NO_PAIRS, NO_VARIATION, Estimate
from measures.histograms import Histogram
from measures.intervals import Kernel, guarded, interval_of_counts


@dataclass(frozen=True, slots=True)
class WithoutRater:
    """Fleiss kappa without one annotator.

    Attributes
    ----------
    rater : int
    delta : Estimate
        kappa(without the annotator's ratings) - kappa(all): positive if agreement is better without. `n_items`:
        rated by the annotator and others; `n_left_out`: rated by nobody else; `n_ratings`: the annotator's own.
    kappa_all, kappa_without : float or None
    """

    rater: int
    delta: Estimate
    kappa_all: float | None
    kappa_without: float | None


@dataclass(frozen=True)
class _Votes:
    """Items by pattern, and each rater's votes by (pattern, own answer)."""

    patterns: IntArray
    counts: IntArray
    raters: IntArray
    # Ascending (rater * P + pattern) * K + answer, and the number of votes of each.
    keys: IntArray
    times: IntArray

    def of_rater(self, place: int) -> tuple[IntArray, IntArray]:
        """Return pattern * K + answer of one rater's votes, and the number of each."""
        width = self.patterns.size
        start, end = np.searchsorted(self.keys, [place * width, (place + 1) * width])
        return self.keys[start:end] - place * width, self.times[start:end]


def leave_one_out(
    items: npt.ArrayLike,
    raters: npt.ArrayLike,
    codes: npt.ArrayLike,
    n_categories: int,
    *,
    seed: int,
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "bca",
) -> list[WithoutRater]:
    """Return Fleiss kappa without each annotator in turn, over all items of the cell.

    Parameters
    ----------
    items, raters, codes : parallel arrays, one entry per vote
        Code -1 is missing.
    n_categories : int
    seed, n_resamples, level, method
        For the item bootstrap, multinomial over (pattern, answer of the annotator); 0 resamples give no interval.

    Returns
    -------
    list of WithoutRater
        By ascending rater id. A delta is undefined when either kappa is: 'no_pairs' or 'no_variation'.
    """
    votes = _collected(np.asarray(items), np.asarray(raters, np.int64), np.asarray(codes, np.int64), n_categories)
    k = n_categories
    before = features(votes.patterns)
    after = features((votes.patterns[:, None, :] - np.eye(k, dtype=np.int64)).reshape(-1, k))
    histogram = Histogram(votes.patterns, votes.counts)
    found = []
    for place, rater in enumerate(votes.raters.tolist()):
        combos, times = votes.of_rater(place)
        rest = votes.counts - np.bincount(combos // k, times, len(votes.counts)).astype(np.int64)
        others = np.flatnonzero(rest)
        counts = np.concatenate([times, rest[others]])
        kept = np.concatenate([before[combos // k], before[others]])
        left = np.concatenate([after[combos], before[others]])
        result = _without(rater, counts, kept, left, int(times @ kept[: len(times), 1]), int(times.sum()))
        if n_resamples and result.delta.value is not None:
            limits = interval_of_counts(
                counts, _difference(kept, left), seed=seed, n_resamples=n_resamples, level=level, method=method
            )
            delta = result.delta.with_interval(limits.low, limits.high, limits.note)
            result = replace(result, delta=guarded(delta, histogram))
        found.append(result)
    return found


def _collected(items: npt.NDArray[np.generic], raters: IntArray, codes: IntArray, k: int) -> _Votes:
    if codes.size and (codes.min() < -1 or codes.max() >= k):
        raise ValueError(f"category codes run from 0 to {k - 1}, -1 for missing")
    given = codes >= 0
    what = codes[given]
    item_ids, item = np.unique(items[given], return_inverse=True)
    rater_ids, rater = np.unique(raters[given], return_inverse=True)
    tallies = np.bincount(item * k + what, minlength=len(item_ids) * k).reshape(-1, k)
    patterns, kind, counts = np.unique(tallies, axis=0, return_inverse=True, return_counts=True)
    keys, times = np.unique((rater * len(patterns) + kind.ravel()[item]) * k + what, return_counts=True)
    return _Votes(patterns, counts, rater_ids, keys, times)


def features(patterns: IntArray) -> FloatArray:
    """Return (P, K + 3) per pattern: agreeing share of pairs, has pairs, has votes, shares of the K answers."""
    agreeing, paired = pair_agreement(np.maximum(patterns, 0), np.eye(patterns.shape[1]))
    votes = patterns.sum(axis=1, keepdims=True).astype(float)
    shares = np.divide(patterns, votes, out=np.zeros(patterns.shape), where=votes > 0)
    return np.column_stack([agreeing, paired, votes[:, 0] > 0, shares])


def kappa_of_sums(sums: FloatArray) -> FloatArray:
    """Return (B,) Fleiss kappa from (B, K + 3) summed features; NaN where undefined."""
    observed = divide_or_nan(sums[:, 0], sums[:, 1])
    expected = (divide_or_nan(sums[:, 3:], sums[:, 2:3]) ** 2).sum(axis=1)
    room = 1 - expected
    return divide_or_nan(observed - expected, np.where(room < 1e-12, 0.0, room))


def _difference(before: FloatArray, after: FloatArray) -> Kernel:
    return lambda counts: kappa_of_sums(counts @ after) - kappa_of_sums(counts @ before)


def _without(
    rater: int, counts: IntArray, before: FloatArray, after: FloatArray, n_shared: int, n_votes: int
) -> WithoutRater:
    sums = [counts[None, :] @ before, counts[None, :] @ after]
    kappas = [float(kappa_of_sums(total)[0]) for total in sums]
    reasons = [NO_VARIATION if total[0, 1] else NO_PAIRS for total in sums]
    defined = [None if np.isnan(kappa) else kappa for kappa in kappas]
    problem = next((why for kappa, why in zip(defined, reasons, strict=True) if kappa is None), None)
    value = None if problem else kappas[1] - kappas[0]
    delta = Estimate(value, problem, n_items=n_shared, n_left_out=n_votes - n_shared, n_ratings=n_votes)
    return WithoutRater(rater, delta, *defined)
