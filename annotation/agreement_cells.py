"""Compute the agreement results of one cell, a criterion and a source, from its votes. No database is read."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from annotation.pairings import in_orders_of
from measures.agreement import fleiss_kappa, gwet_ac, percent_agreement
from measures.alpha import krippendorff_alpha
from measures.contributions import Contribution, Contributions, contributions_of
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.intervals import guarded
from measures.pair_means import mean_pairwise_cohen
from measures.pairs import PairTable
from measures.weights import agreement_weights
from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec

DEPENDENT_ITEMS = "dependent_items"
SPECIAL = (Option.Role.UNSURE, Option.Role.EXCLUDING, Option.Role.LEFT, Option.Role.RIGHT)
NO_SOURCE = 0  # whole dialogues have no source; ids of rows start at 1
PER_VOTE = ("item", "participant", "active_ms")
WEIGHTED = {"cohen_linear": "linear", "cohen_quadratic": "quadratic"}  # {coefficient: its weights}
CellKey = tuple[int, int]  # criterion id, source id or NO_SOURCE
# Sums of coefficients are kept as integers of this unit, so that adding and subtracting never drifts.
UNIT = 10**12
Table = TypeVar("Table", Histogram, PairTable)


@dataclass(frozen=True, slots=True)
class Votes:
    """The counted answers of one cell: (N,) arrays of row ids and of milliseconds."""

    item: np.ndarray
    participant: np.ndarray
    option: np.ndarray
    active_ms: np.ndarray


@dataclass(frozen=True, slots=True)
class CellFigures:
    """The results of one criterion and source.

    `pairs`, `sure_pairs` (those of strong judgements) and `annotators` are filled for a batch and empty in the sums of
    a study. `sure_pairs` is also empty where the criterion has no unsure option: its judgements are all strong.
    """

    histogram: Histogram
    pairs: PairTable
    sure_pairs: PairTable
    annotators: Contributions = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    pairings: dict[str, int] = field(default_factory=dict)  # of comparisons, see annotation/pairings.py


def cell_figures(
    votes: Votes,
    criterion: CriterionSpec,
    annotators: Contributions,
    reasons: dict[str, int],
    pairings: dict[str, int],
) -> CellFigures:
    codes = category_codes(votes.option, criterion)
    n = len(criterion.options)
    sure_pairs = PairTable.empty(n)
    if unsure := places_of(criterion, Option.Role.UNSURE):
        sure = ~np.isin(votes.item, votes.item[np.isin(codes, unsure)])  # no annotator answered with an unsure option
        sure_pairs = PairTable.from_votes(votes.item[sure], votes.participant[sure], codes[sure], n)
    return CellFigures(
        histogram=Histogram.from_votes(votes.item, codes, n),
        pairs=PairTable.from_votes(votes.item, votes.participant, codes, n),
        sure_pairs=sure_pairs,
        annotators=annotators,
        reasons=reasons,
        pairings=pairings,
    )


def annotators_by_source(parts: dict[int, Votes], criterion: CriterionSpec) -> dict[int, Contributions]:
    """Return {source: {participant: contribution}} of one criterion, in one pass over all of its sources.

    Votes that exclude an item do not count, as in every coefficient.
    """
    codes = np.concatenate([counted_codes(votes.option, criterion) for votes in parts.values()])
    item, who, ms = (np.concatenate([getattr(v, name) for v in parts.values()]) for name in PER_VOTE)
    source = np.repeat(list(parts), [len(votes.item) for votes in parts.values()])
    pairs, pair = np.unique(np.stack([source, who]), axis=1, return_inverse=True)
    found: dict[int, Contributions] = {key: {} for key in parts}
    whole = contributions_of(item, pair.ravel(), codes, n_counted(criterion), ms)
    for at, contribution in whole.items():
        found[int(pairs[0, at])][int(pairs[1, at])] = contribution
    return found


def annotators_to_json(found: Contributions) -> dict[str, Any]:
    return {str(participant): each.to_json() for participant, each in found.items()}


def annotators_from_json(stored: dict[str, Any]) -> Contributions:
    return {int(participant): Contribution.from_json(each) for participant, each in stored.items()}


def n_counted(criterion: CriterionSpec) -> int:
    return len(criterion.options) - len(places_of(criterion, Option.Role.EXCLUDING))


def counted_codes(option_ids: np.ndarray, criterion: CriterionSpec) -> np.ndarray:
    """Return the place of each answer among the options that count, -1 for one that excludes its item."""
    return counted_places(criterion)[category_codes(option_ids, criterion)]


def counted_places(criterion: CriterionSpec) -> np.ndarray:
    """Return (K,) the place of each option among those that count, -1 for one that excludes its item."""
    counts = np.array([option.role != Option.Role.EXCLUDING for option in criterion.options])
    return np.where(counts, np.cumsum(counts) - 1, -1)


def category_codes(option_ids: np.ndarray, criterion: CriterionSpec) -> np.ndarray:
    """Return the place of each answer in the declared order of options, counted from 0."""
    ids = np.array([option.id for option in criterion.options])
    order = np.argsort(ids)
    return order[np.searchsorted(ids[order], option_ids)].astype(np.int16)


def alike(criteria: tuple[CriterionSpec, ...]) -> list[tuple[CriterionSpec, ...]]:
    """Group criteria whose answers can be pooled: same scale, and option by option the same value and special role."""
    found: dict[Any, list[CriterionSpec]] = {}
    for criterion in criteria:
        roles = (option.role if option.role in SPECIAL else "" for option in criterion.options)
        answers = tuple(zip(roles, (option.value for option in criterion.options), strict=True))
        found.setdefault((criterion.scale, answers), []).append(criterion)
    return [tuple(group) for group in found.values()]


def places_of(criterion: CriterionSpec, role: str) -> list[int]:
    return [at for at, option in enumerate(criterion.options) if option.role == role]


def counted(cell: Table, criterion: CriterionSpec) -> tuple[Table, CriterionSpec]:
    """Return the cell and the criterion without the votes that exclude an item.

    Such a vote counts as missing everywhere; the other votes on its item stay.
    """
    for place in reversed(places_of(criterion, Option.Role.EXCLUDING)):
        cell = cell.ignoring(place)
    return cell, on_scale(criterion)


def for_agreement(cell: Table, criterion: CriterionSpec) -> tuple[Table, CriterionSpec]:
    """Return :func:`counted`, in both orders where the criterion asks for it: what every coefficient is computed of."""
    cell, criterion = counted(cell, criterion)
    return cell.in_both_orders(criterion.mirror), criterion


def on_scale(criterion: CriterionSpec) -> CriterionSpec:
    """Return the criterion without the options that exclude an item."""
    return replace(criterion, options=tuple(o for o in criterion.options if o.role != Option.Role.EXCLUDING))


def tallies_on_scale(tallies: np.ndarray, criterion: CriterionSpec) -> np.ndarray:
    """Return (N, K) votes per option without the options that exclude an item, as `counted` does."""
    return np.delete(tallies, places_of(criterion, Option.Role.EXCLUDING), axis=1)


def n_excluding(histogram: Histogram, criterion: CriterionSpec) -> int:
    """Return how many votes `counted` leaves out."""
    return int(histogram.category_votes[places_of(criterion, Option.Role.EXCLUDING)].sum())


def strong(histogram: Histogram, criterion: CriterionSpec) -> Histogram:
    """Return only the items that nobody answered with an unsure option."""
    for place in places_of(criterion, Option.Role.UNSURE):
        histogram = histogram.without(place)
    return histogram


def histogram_estimates(histogram: Histogram, criterion: CriterionSpec) -> dict[str, Any]:
    """Return every coefficient that does not depend on who rated, as JSON. The criterion has the orders of its cell."""
    histogram, criterion = for_agreement(histogram, criterion)
    sure = strong(histogram, criterion)
    estimates = {
        "fleiss": guarded(fleiss_kappa(histogram), histogram),
        "alpha": alpha_of(histogram, criterion),
        "percent": guarded(percent_agreement(histogram), histogram),
        "ac1": guarded(gwet_ac(histogram), histogram),
        "strong": guarded(fleiss_kappa(sure), sure),
    }
    kept = sure.n_items / histogram.n_items if histogram.n_items else None
    return {name: asdict(each) for name, each in estimates.items()} | {"strong_share_kept": kept}


def batch_estimates(cell: CellFigures, criterion: CriterionSpec) -> dict[str, Any]:
    """Return all coefficients of a batch's cell, including those of annotator pairs, as JSON."""
    criterion = in_orders_of(criterion, [cell.pairings])
    cohen = {name: asdict(each) for name, each in cohen_estimates(cell.pairs, criterion).items()}
    return histogram_estimates(cell.histogram, criterion) | cohen


def without_intervals(estimates: dict[str, Any]) -> dict[str, Any]:
    """Return the coefficients without their intervals, which assume independent items."""
    plain = {"low": None, "high": None, "interval_note": DEPENDENT_ITEMS}
    return {name: each | plain if isinstance(each, dict) else each for name, each in estimates.items()}


def cohen_estimates(pairs: PairTable, criterion: CriterionSpec) -> dict[str, Estimate]:
    """Return the mean of the pairs' kappas and, where the scale has an order, of their weighted kappas."""
    pairs, criterion = for_agreement(pairs, criterion)
    found = {"cohen": mean_pairwise_cohen(pairs)}
    left_out, weights = kappa_weights(criterion)
    for place in reversed(left_out):
        pairs = pairs.ignoring(place)
    return found | {name: mean_pairwise_cohen(pairs, weights=each) for name, each in weights.items()}


def kappa_weights(criterion: CriterionSpec) -> tuple[list[int], dict[str, np.ndarray]]:
    """Return the places of options that count as missing votes, and the weights between the others by coefficient.

    An interval scale weighs by its numbers, an ordinal scale by the places in its order. A nominal scale has no
    distances between answers and therefore no weights.
    """
    if criterion.scale == Criterion.Scale.NOMINAL:
        return [], {}
    left_out, numbers = ordered_options(criterion)
    n = len(criterion.options) - len(left_out)
    return left_out, {name: agreement_weights(kind, n, numbers) for name, kind in WEIGHTED.items()}


def ordered_options(criterion: CriterionSpec) -> tuple[list[int], list[float] | None]:
    """Return the places of options without order, and the others' numbers; in an ordinal scale, their places in it."""
    left_out, numbers = alpha_options(criterion)
    if numbers and criterion.scale == Criterion.Scale.ORDINAL:
        numbers = [float(sorted(numbers).index(number)) for number in numbers]
    return left_out, numbers


def alpha_of(histogram: Histogram, criterion: CriterionSpec) -> Estimate:
    """Return Krippendorff's alpha at the criterion's level. Options without numbers are nominal or ordered by place.

    "I don't know" is a category of a nominal scale and a missing vote of any other: it has no place in an order.
    """
    left_out, numbers = alpha_options(criterion)
    for place in reversed(left_out):
        histogram = histogram.ignoring(place)
    return krippendorff_alpha(histogram, criterion.scale, numbers)


def alpha_options(criterion: CriterionSpec) -> tuple[list[int], list[float] | None]:
    """Return the places of options that alpha counts as missing, and the others' numbers if they all have one."""
    left_out = [] if criterion.scale == Criterion.Scale.NOMINAL else places_of(criterion, Option.Role.UNSURE)
    values = [option.value for at, option in enumerate(criterion.options) if at not in left_out]
    numbers = [value for value in values if value is not None]
    return left_out, numbers if len(numbers) == len(values) else None


def contribution(cell: CellFigures, criterion: CriterionSpec) -> dict[str, int]:
    """Return what one batch adds to its study's means over batches and pairs, as integers."""
    criterion = in_orders_of(criterion, [cell.pairings])
    kappa = fleiss_kappa(for_agreement(cell.histogram, criterion)[0]).value
    sums = {
        "batches": int(kappa is not None),
        "undefined": int(kappa is None),
        "kappa": round((kappa or 0) * UNIT),
        "kappa_squared": round((kappa or 0) ** 2 * UNIT),
    }
    for name, each in cohen_estimates(cell.pairs, criterion).items():
        sums[name] = round((each.value or 0) * each.n_pairs * UNIT)
        sums[f"{name}_pairs"], sums[f"{name}_undefined"] = each.n_pairs, each.n_undefined
    return sums


def mean_and_sd(sums: dict[str, int]) -> tuple[float | None, float | None]:
    """Return the mean and the sample sd over batches from their sums; None where there are too few batches."""
    n = sums.get("batches", 0)
    if not n:
        return None, None
    # Sums leave out zeros, so a kappa of exactly 0 has no key.
    mean = sums.get("kappa", 0) / n / UNIT
    if n == 1:
        return mean, None
    spread = (sums.get("kappa_squared", 0) / UNIT - n * mean**2) / (n - 1)
    return mean, max(spread, 0.0) ** 0.5


def merged(ours: dict[str, int], theirs: dict[str, int], sign: int = 1) -> dict[str, int]:
    """Return the sum of both counts, or their difference if `sign` is -1, without zeros."""
    counts = {key: ours.get(key, 0) + sign * theirs.get(key, 0) for key in sorted(ours.keys() | theirs.keys())}
    return {key: count for key, count in counts.items() if count}
