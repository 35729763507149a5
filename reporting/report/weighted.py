"""Weighted kappa for scales with an order: the mean over pairs of annotators, with all sources and batches together."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from annotation.agreement_cells import WEIGHTED, kappa_weights, on_scale
from measures.arrays import FloatArray, IntArray
from measures.estimate import Estimate
from measures.intervals import interval_guard
from measures.labels import WORD_SCALES
from measures.pair_means import mean_pairwise_cohens_with_intervals
from protocols.models import Option
from reporting.study.cells import StudyCells
from reporting.study.votes import CriterionVotes, StudyVotes

Row = dict[str, Any]
NO_ORDER = "no_order"
NO_PLACE = (Option.Role.UNSURE, Option.Role.EXCLUDING)


def with_weighted_kappas(study: StudyCells, votes: StudyVotes, rows: list[Row]) -> list[Row]:
    """Return the table over all sources with the two weighted kappas, which are undefined for a nominal scale."""
    found = []
    for row in rows:
        criterion = study.spec.by_key[row["criterion"]]
        _unsure, weights = kappa_weights(on_scale(criterion))
        estimates = _estimates(votes.by_criterion[criterion.id], weights) if weights else _nominal()
        found.append(row | _columns(estimates, study.study.word_scale))
    return found


def _estimates(votes: CriterionVotes, weights: Mapping[str, FloatArray]) -> dict[str, Estimate]:
    n_places = len(next(iter(weights.values())))
    codes, groups = _codes(votes), votes.items.groups[votes.item]
    found = mean_pairwise_cohens_with_intervals(
        votes.item, votes.annotator, codes, n_places, list(weights.values()), clusters=groups
    )
    is_shown, note = _guard(votes.item, groups, codes)
    return {name: _guarded(each, is_shown, note) for name, each in zip(weights, found, strict=True)}


def _codes(votes: CriterionVotes) -> IntArray:
    """Return the (n,) positions of the answers on the scale, -1 for an answer without one."""
    has_place = np.array([option.role not in NO_PLACE for option in votes.criterion.options])
    return np.where(has_place, np.cumsum(has_place) - 1, -1)[votes.code]


def _guard(item: IntArray, groups: IntArray, codes: IntArray) -> tuple[bool, str | None]:
    """Return whether an interval can be shown, and its note; dialogues are counted, not items."""
    given = codes >= 0
    paired = np.isin(item, np.flatnonzero(np.bincount(item[given]) >= 2)) & given
    counts = np.bincount(codes[given])
    return interval_guard(len(np.unique(groups[paired])), 1 - counts.max() / counts.sum() if len(counts) else None)


def _guarded(estimate: Estimate, is_shown: bool, note: str | None) -> Estimate:
    if not is_shown or estimate.low is None:
        return estimate.with_interval(None, None, note or estimate.interval_note)
    return estimate.with_interval(estimate.low, estimate.high, note)


def _nominal() -> dict[str, Estimate]:
    return dict.fromkeys(WEIGHTED, Estimate(None, NO_ORDER))


def _columns(estimates: Mapping[str, Estimate], word_scale: str) -> Row:
    word = WORD_SCALES[word_scale]
    columns: Row = {}
    for name, each in estimates.items():
        columns |= {name: each.value, f"{name}_low": each.low, f"{name}_high": each.high}
        columns |= {f"{name}_interval_note": each.interval_note, f"{name}_reason": each.reason}
        columns |= {f"{name}_word": word(each.value), f"{name}_low_word": word(each.low)}
    return columns | {"n_pairs": max(each.n_pairs for each in estimates.values())}
