"""Weighted kappa for scales with an order: the mean over pairs of annotators, with all sources and batches together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotation.agreement_cells import WEIGHTED, kappa_weights, on_scale
from measures.arrays import IntArray
from measures.estimate import Estimate
from measures.intervals import interval_guard
from measures.labels import WORD_SCALES
from measures.pair_means import mean_pairwise_cohens_with_intervals
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.study.votes import CriterionVotes

NO_ORDER = "no_order"
NO_PLACE = (Option.Role.UNSURE, Option.Role.EXCLUDING)


@dataclass(frozen=True, slots=True)
class WeightedKappa:
    """A weighted kappa with its 95 % interval, and the words for the kappa and its lower limit.

    `value` is None if it is undefined, and `reason` says why. Limits are None if there is no interval;
    `interval_note` says why, or that there are few data.
    """

    value: float | None
    low: float | None
    high: float | None
    interval_note: str | None
    reason: str | None
    word: str | None
    low_word: str | None


def weighted_kappas(votes: CriterionVotes, word_scale: str) -> tuple[dict[str, WeightedKappa], int, int]:
    """Return the two weighted kappas by name, undefined for a nominal scale, and the pairs of annotators.

    These are the number of pairs that are averaged, and of those whose kappa is undefined.
    """
    _unsure, weights = kappa_weights(on_scale(votes.criterion))
    estimates = dict.fromkeys(WEIGHTED, Estimate(None, NO_ORDER))
    if weights:
        codes, groups = ordered_codes(votes), votes.items.groups[votes.item]
        mirror = ordered(votes.criterion).mirror
        n_places = len(next(iter(weights.values())))
        found = mean_pairwise_cohens_with_intervals(
            votes.item, votes.annotator, codes, n_places, list(weights.values()), clusters=groups, mirror=mirror
        )
        is_shown, note = _guard(votes.item, groups, codes, mirror)
        estimates = {name: _guarded(each, is_shown, note) for name, each in zip(weights, found, strict=True)}
    word = WORD_SCALES[word_scale]
    kappas = {
        name: WeightedKappa(
            value=each.value,
            low=each.low,
            high=each.high,
            interval_note=each.interval_note,
            reason=each.reason,
            word=word(each.value),
            low_word=word(each.low),
        )
        for name, each in estimates.items()
    }
    return kappas, *(max(getattr(each, name) for each in estimates.values()) for name in ("n_pairs", "n_undefined"))


def ordered(criterion: CriterionSpec) -> CriterionSpec:
    """Return the criterion with only the options that have a position on its scale."""
    return replace(criterion, options=tuple(each for each in criterion.options if each.role not in NO_PLACE))


def ordered_codes(votes: CriterionVotes) -> IntArray:
    """Return the (n,) positions of the answers on the scale, -1 for an answer without one."""
    has_place = np.array([option.role not in NO_PLACE for option in votes.criterion.options])
    return np.where(has_place, np.cumsum(has_place) - 1, -1)[votes.code]


def _guard(item: IntArray, groups: IntArray, codes: IntArray, mirror: Sequence[int] | None) -> tuple[bool, str | None]:
    """Return whether an interval can be shown, and its note; groups of dependent items are counted, not items."""
    given = codes >= 0
    paired = np.isin(item, np.flatnonzero(np.bincount(item[given]) >= 2)) & given
    counts = np.bincount(codes[given], minlength=len(mirror or ()))
    if mirror is not None:
        counts = counts + counts[list(mirror)]
    return interval_guard(len(np.unique(groups[paired])), 1 - counts.max() / counts.sum() if given.any() else None)


def _guarded(estimate: Estimate, is_shown: bool, note: str | None) -> Estimate:
    if not is_shown or estimate.low is None:
        return estimate.with_interval(None, None, note or estimate.interval_note)
    return estimate.with_interval(estimate.low, estimate.high, note)
