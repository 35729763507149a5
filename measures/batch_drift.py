"""Test whether a batch agrees less than the rest, and whether one annotator or the batch itself is the cause.

A z test with two standard errors gives up to 46% false alarms on small batches; permuting items across batches
keeps the 5%. A batch of ten items can only show a collapse: pool the systems of a batch first.

Source: project statistics, section 4.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from measures.agreement import fleiss_kappa, fleiss_kernel
from measures.arrays import FloatArray, IntArray, whole
from measures.contributors import MajorityAgreement
from measures.estimate import NO_VARIATION, Estimate
from measures.histograms import Histogram
from measures.intervals import KernelMaker, in_both_orders, replicates
from measures.leave_one_out import WithoutRater
from measures.outliers import is_outlier, robust_scores

ANNOTATOR = "annotator"
HARD_BATCH = "hard_batch"
NO_DROP = "no_drop"
UNTESTED = "untested"
FEWEST_ITEMS = 20


@dataclass(frozen=True, slots=True)
class BatchDrift:
    """A batch compared with the rest of the study.

    Attributes
    ----------
    batch, rest : Estimate
        Fleiss kappa of each.
    difference : float or None
        kappa(batch) - kappa(rest).
    p_value : float or None
        Two-sided permutation p, twice the smaller tail. Correct it over all batches and criteria tested
        (Benjamini-Hochberg) before reporting a drop.
    low, high : float or None
        The difference expected from chance alone: the central 95% of permutations.
    n_dropped : int
        Permutations left out because their difference is undefined.
    reason : str or None
        'no_pairs' or 'no_variation' when one side is undefined.
    """

    batch: Estimate
    rest: Estimate
    difference: float | None
    p_value: float | None
    low: float | None
    high: float | None
    n_dropped: int = 0
    reason: str | None = None


def batch_drift(
    batch: Histogram,
    rest: Histogram,
    *,
    seed: int,
    n_permutations: int = 9999,
    level: float = 0.95,
    kernel_maker: KernelMaker = fleiss_kernel,
    mirror: Sequence[int] | None = None,
) -> BatchDrift:
    """Compare a batch with the rest of the study by permuting items across the two.

    Parameters
    ----------
    batch, rest : Histogram
        Different items on the same scale.
    seed, n_permutations : int
        Random batches of the same size, drawn exactly as multivariate hypergeometric over patterns.
    level : float
        Level of the band `low` to `high`.
    kernel_maker : callable
        The coefficient to compare; Fleiss kappa by default. `batch` and `rest` are always Fleiss kappa.
    mirror : sequence of int, optional
        Compares over data in both orders, see :meth:`Histogram.in_both_orders`.

    Notes
    -----
    p = min(1, 2 min(1 + #{D* <= D}, 1 + #{D* >= D}) / (1 + permutations)): doubling keeps its level although
    kappa of a small batch is skewed.
    """
    sides = fleiss_kappa(batch.in_both_orders(mirror)), fleiss_kappa(rest.in_both_orders(mirror))
    batch, rest = batch.in_one_order(mirror), rest.in_one_order(mirror)
    study = batch + rest
    counts, of_study = _aligned(batch, study), whole(study.counts)
    kernel = in_both_orders(kernel_maker, mirror)(study.patterns)

    def difference(inside: FloatArray) -> FloatArray:
        return np.asarray(kernel(inside) - kernel(of_study - inside), float)

    def batches_drawn(total: IntArray, n: int, rng: np.random.Generator) -> IntArray:
        return rng.multivariate_hypergeometric(total, int(counts.sum()), n, method="marginals")

    observed = float(difference(counts[None, :].astype(float))[0]) if study.n_items else np.nan
    if np.isnan(observed):
        reason = next((side.reason for side in sides if side.reason), None) or NO_VARIATION
        return BatchDrift(*sides, None, None, None, None, reason=reason)
    drawn = replicates(of_study, difference, n_permutations, seed, batches_drawn)
    values = drawn[np.isfinite(drawn)]
    # A value that is equal up to rounding counts as extreme.
    below, above = int((values <= observed + 1e-12).sum()), int((values >= observed - 1e-12).sum())
    p_value = min(1.0, 2 * (1 + min(below, above)) / (1 + len(values)))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist() if len(values) else (None, None)
    return BatchDrift(*sides, observed, p_value, low, high, len(drawn) - len(values))


def _aligned(part: Histogram, whole: Histogram) -> IntArray:
    """Return (P,) counts of `part` in the order of the patterns of `whole`, which has all of them."""
    place = {pattern.tobytes(): number for number, pattern in enumerate(whole.patterns)}
    counts = np.zeros(len(whole.counts), np.int64)
    for pattern, count in zip(part.patterns, part.counts.tolist(), strict=True):
        counts[place[pattern.tobytes()]] = count
    return counts


@dataclass(frozen=True, slots=True)
class Suspect:
    """One annotator of a flagged batch.

    Attributes
    ----------
    rater : int
    without : WithoutRater
        Kappa of the batch without this annotator.
    majority : MajorityAgreement
        Kappa with the majority of the others in the batch.
    restores : bool
        Without this annotator the batch is within the permutation band of the rest.
    outlies : bool
        The robust z of kappa with the majority is below -3, on 20 items or more.
    """

    rater: int
    without: WithoutRater
    majority: MajorityAgreement
    restores: bool
    outlies: bool


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a batch agrees less.

    Attributes
    ----------
    kind : 'annotator', 'hard_batch', 'no_drop' or 'untested'
        'no_drop': the batch is not below the band. 'untested': there is no band.
    rater : int or None
        The annotator, for the kind 'annotator'.
    suspects : tuple of Suspect
        All annotators of the batch, by rater id.
    """

    kind: str
    rater: int | None
    suspects: tuple[Suspect, ...]


def cause_of(drift: BatchDrift, without: Sequence[WithoutRater], majority: Sequence[MajorityAgreement]) -> Cause:
    """Tell one annotator from a hard batch.

    Parameters
    ----------
    drift : BatchDrift
        The result of :func:`batch_drift` for this batch.
    without, majority : sequences of results of the batch's annotators, in the same order
        From :func:`measures.leave_one_out.leave_one_out` and :func:`measures.contributors.kappa_with_majority`, or from
        sums (:mod:`measures.contributions`).

    Notes
    -----
    An annotator is the cause if leaving them out brings the batch within the band AND they are an outlier among the
    annotators of the batch; of several, the one without whom agreement is highest. Otherwise the batch is hard, or it
    has several bad annotators: a median and a MAD cannot show many.
    """
    if drift.low is None or drift.difference is None or drift.rest.value is None:
        return Cause(UNTESTED, None, ())
    if drift.difference >= drift.low:
        return Cause(NO_DROP, None, ())
    enough = [found.kappa.value if found.kappa.n_items >= FEWEST_ITEMS else None for found in majority]
    z = robust_scores(enough).scores
    within = drift.rest.value + drift.low
    suspects = tuple(
        Suspect(
            left.rater,
            left,
            beside,
            left.kappa_without is not None and left.kappa_without >= within,
            is_outlier(score),
        )
        for left, beside, score in zip(without, majority, z, strict=True)
    )
    guilty = [suspect for suspect in suspects if suspect.restores and suspect.outlies]
    if not guilty:
        return Cause(HARD_BATCH, None, suspects)
    worst = max(guilty, key=lambda suspect: suspect.without.kappa_without or 0.0)
    return Cause(ANNOTATOR, worst.rater, suspects)
