"""Test whether one system is better than another, for these annotators or for any.

A test over dialogues alone treats the annotators as the whole population: if annotators differ in which
system they prefer, it calls 12-60% of equal systems different. The crossed-variance t treats dialogues and
annotators as samples of their populations.

Sources: project statistics, section 4.5; Satterthwaite 1946, Biom. Bull. 2:110; Clark 1973, J. Verb. Learn.
Verb. Behav. 12:335; Fagerland, Lydersen & Laake 2013, BMC Med. Res. Methodol. 13:91 (mid-p McNemar).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray
from measures.comparison import TestResult, benjamini_hochberg, friedman, holm
from measures.crossed import CompleteBatches, complete_batches, crossed_variance
from measures.estimate import NO_PAIRS, NO_SPREAD, NO_VARIATION, TOO_FEW_ITEMS, Estimate
from measures.intervals import special, t_interval

DIALOGUES_AND_ANNOTATORS = "dialogues_and_annotators"
THESE_ANNOTATORS_ONLY = "these_annotators_only"
SINGLE_ANNOTATOR = "single_annotator"
CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean difference of two systems.

    Attributes
    ----------
    estimate : Estimate
        In points of the scale, with its t interval; `n_items` dialogues, `n_ratings` cells, `n_left_out`
        dialogues left out for gaps.
    p_value : float or None
        Two-sided p of no difference; if None, the reason is in `estimate.interval_note` (or `estimate.reason`).
    effect : float or None
        The mean divided by the SD of per-dialogue differences; None if they do not vary.
    degrees_of_freedom : float or None
    population : 'dialogues_and_annotators' or 'these_annotators_only'
        The population to which interval and p generalise.
    n_annotators_left_out, n_batches_left_out : int
        Left out: annotators with gaps; batches that are not crossed, with a single annotator or dialogue.
    """

    estimate: Estimate
    p_value: float | None
    effect: float | None
    degrees_of_freedom: float | None
    population: str
    n_annotators_left_out: int = 0
    n_batches_left_out: int = 0


def crossed_variance_t(batches: Sequence[npt.ArrayLike], *, level: float = 0.95) -> Difference:
    """Test a mean difference, generalising to new dialogues and new annotators.

    Parameters
    ----------
    batches : sequence of (dialogues, annotators) arrays
        Score of the first system minus score of the second; NaN where one is missing. Each batch has its own
        dialogues and its own annotators: batches with the same annotators belong in one array.

    Returns
    -------
    Difference
        Var(mean) = (MS_dialogue + MS_annotator - MS_residual) / cells, pooled within batches, but at least what
        the larger of the first two gives alone; Satterthwaite degrees of freedom. Without crossed cells, the
        result is the mean of all cells with the note 'single_annotator' (or 'too_few_items' for a single
        dialogue), population 'these_annotators_only', no interval and no p: see :func:`dialogue_t`.
        'no_spread' if all differences are the same.
    """
    whole = complete_batches(batches)
    crossed = [batch for batch in whole.batches if min(batch.shape) >= 2]
    found = _mean(crossed or whole.batches, whole)
    found = replace(found, n_batches_left_out=len(batches) - len(crossed))
    variance = crossed_variance(crossed)
    if variance is None:
        several = any(len(batch) > 1 for batch in whole.batches)
        return _untested(found, SINGLE_ANNOTATOR if several else TOO_FEW_ITEMS)
    parts = variance.shares * variance.mean_squares
    total, larger = float(parts.sum()), int(parts[:2].argmax())
    if parts[larger] < 1e-24 * max(1.0, found.estimate.value or 0.0) ** 2:
        return _untested(replace(found, population=DIALOGUES_AND_ANNOTATORS), NO_SPREAD)
    if total <= parts[larger]:
        total, df = float(parts[larger]), float(variance.degrees_of_freedom[larger])
    else:
        df = total**2 / float((parts**2 / variance.degrees_of_freedom).sum())
    return _tested(replace(found, population=DIALOGUES_AND_ANNOTATORS), total, df, level)


def dialogue_t(batches: Sequence[npt.ArrayLike], *, level: float = 0.95) -> Difference:
    """Paired t test on per-dialogue means, generalising only to new dialogues rated by these annotators.

    Parameters are those of :func:`crossed_variance_t`; a dialogue's mean is over the cells it has.
    """
    values = [np.asarray(batch, float) for batch in batches]
    rated = [batch[~np.isnan(batch).all(axis=1)] for batch in values]
    means = np.concatenate([np.nanmean(batch, axis=1) for batch in rated if len(batch)] or [np.zeros(0)])
    lost = sum(len(batch) for batch in values) - len(means)
    found = _mean([means[:, None]] if len(means) else [], CompleteBatches([], lost, 0))
    cells = sum(int((~np.isnan(batch)).sum()) for batch in rated)
    found = replace(found, estimate=replace(found.estimate, n_ratings=cells))
    if len(means) < 2:
        return _untested(found, TOO_FEW_ITEMS)
    variance = float(means.var(ddof=1)) / len(means)
    return _untested(found, NO_SPREAD) if variance < 1e-24 else _tested(found, variance, len(means) - 1, level)


def _mean(batches: Sequence[FloatArray], whole: CompleteBatches) -> Difference:
    """Return the mean of all cells and the effect, not yet tested."""
    lost = whole.n_dialogues_left_out
    if not batches:
        nothing = Estimate(None, NO_PAIRS, n_left_out=lost)
        return Difference(nothing, None, None, None, THESE_ANNOTATORS_ONLY, whole.n_annotators_left_out)
    cells = np.concatenate([batch.ravel() for batch in batches])
    means = np.concatenate([batch.mean(axis=1) for batch in batches])
    value = float(cells.mean())
    spread = float(means.std(ddof=1)) if len(means) > 1 else 0.0
    estimate = Estimate(value, n_items=len(means), n_left_out=lost, n_ratings=len(cells))
    effect = value / spread if spread > 1e-12 else None
    return Difference(estimate, None, effect, None, THESE_ANNOTATORS_ONLY, whole.n_annotators_left_out)


def _untested(found: Difference, note: str) -> Difference:
    if found.estimate.value is None:
        return found
    return replace(found, estimate=found.estimate.with_interval(None, None, note))


def _tested(found: Difference, variance: float, df: float, level: float) -> Difference:
    error = float(np.sqrt(variance))
    estimate = replace(found.estimate, standard_error=error)
    estimate = t_interval(estimate, df, level, bounds=(-np.inf, np.inf))
    p_value = 2 * float(special().stdtr(df, -abs(estimate.value or 0.0) / error))
    return replace(found, estimate=estimate, p_value=p_value, degrees_of_freedom=df)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two of several systems by their position, first minus second, with p corrected over all pairs."""

    first: int
    second: int
    difference: Difference
    adjusted_p: float | None


@dataclass(frozen=True, slots=True)
class AllPairs:
    """All pairs of systems, with one overall test of differences.

    Attributes
    ----------
    friedman : TestResult
        On per-dialogue means, for these annotators only; 'too_few_items' for two systems.
    n_dialogues : int
        Dialogues in the Friedman test: those with all systems and annotators.
    means : tuple of float or None
        Mean of each system over these dialogues.
    pairs : tuple of Pair
        A pair keeps all its own cells, even where a third system has a gap.
    """

    friedman: TestResult
    n_dialogues: int
    means: tuple[float | None, ...]
    pairs: tuple[Pair, ...]


def all_pairs(scores: Sequence[npt.ArrayLike], *, correction: str = "holm", level: float = 0.95) -> AllPairs:
    """Do the Friedman test over all systems, and the crossed-variance t of every pair.

    Parameters
    ----------
    scores : sequence of (dialogues, annotators, systems) arrays, one per batch
        NaN is missing; batches as for :func:`crossed_variance_t`.
    correction : {'holm', 'bh'}
        Correction of p values over the pairs that could be tested: Holm to confirm, Benjamini-Hochberg to explore.
        Intervals are not corrected.
    """
    if correction not in CORRECTIONS:
        raise ValueError(f"corrections are {', '.join(CORRECTIONS)}, not {correction!r}")
    arrays = [np.asarray(batch, float) for batch in scores]
    if not arrays or any(array.ndim != 3 or array.shape[2] != arrays[0].shape[2] for array in arrays):
        raise ValueError("scores are (dialogues, annotators, systems) arrays with the same systems")
    n_systems = arrays[0].shape[2]
    complete = complete_batches(arrays).batches
    means = np.concatenate([batch.mean(axis=1) for batch in complete] or [np.zeros((0, n_systems))])
    found = [
        (first, second, crossed_variance_t([array[:, :, first] - array[:, :, second] for array in arrays], level=level))
        for first, second in combinations(range(n_systems), 2)
    ]
    tested = [difference.p_value for _, _, difference in found if difference.p_value is not None]
    adjusted = iter(CORRECTIONS[correction](tested).tolist())
    pairs = tuple(Pair(*pair, next(adjusted) if pair[2].p_value is not None else None) for pair in found)
    averages = tuple(means.mean(axis=0).tolist()) if len(means) else (None,) * n_systems
    return AllPairs(friedman(means), len(means), averages, pairs)


def mcnemar_mid_p(only_first: int, only_second: int) -> TestResult:
    """Two-sided mid-p McNemar test of majority labels, reported in addition to the mean scores.

    Parameters
    ----------
    only_first, only_second : int
        Dialogues on which the majority rated only the first, or only the second, system good.

    Notes
    -----
    The exact binomial p minus the probability of the observed split (half of it for an even split). The
    statistic is the smaller count. 'no_variation' without any such dialogue.
    """
    if min(only_first, only_second) < 0:
        raise ValueError("counts are not negative")
    n, smaller = only_first + only_second, min(only_first, only_second)
    if not n:
        return TestResult(None, None, NO_VARIATION)
    observed = float(special().bdtr(smaller, n, 0.5) - (special().bdtr(smaller - 1, n, 0.5) if smaller else 0.0))
    if only_first == only_second:
        return TestResult(float(smaller), 1 - observed / 2)
    return TestResult(float(smaller), 2 * float(special().bdtr(smaller, n, 0.5)) - observed)
