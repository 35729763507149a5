"""Score answers to compare sources, and arrange them as arrays of dialogues x annotators x sources."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from annotation.agreement_cells import alpha_options, places_of
from measures.arrays import FloatArray, IntArray
from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec
from reporting.study.votes import CriterionVotes, Work

MEAN_SCORE = "mean_score"
POSITIVE_SHARE = "positive_share"
NO_NUMBERS, NO_RATINGS = "no_numbers", "no_ratings"


@dataclass(frozen=True, slots=True)
class Scale:
    """`worth` has the (K,) scores of the options, NaN for an answer that counts as missing."""

    score: str
    worth: FloatArray


@dataclass(frozen=True, slots=True)
class Blocks:
    """(scenarios, annotators, sources) mean scores, NaN where there is none; annotators cross those of a block.

    A dialogue that names no scenario is matched by its conversation, which is its own unless it is a part of one.
    `n_shared` counts annotators in several blocks, who are treated as different people there.
    """

    arrays: list[FloatArray]
    n_shared: int


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean, sample standard deviation (n - 1) and median of `n_numbers` answers, in points of the scale.

    A value is None if there are too few answers; `reason` says why there is no mean.
    """

    mean: float | None
    sd: float | None
    median: float | None
    n_numbers: int
    reason: str | None


def scale_of(criterion: CriterionSpec) -> Scale | None:
    """Return the numbers of the scale, or 1 for positive and 0 for other answers; None if neither is declared."""
    none = set(places_of(criterion, Option.Role.EXCLUDING))
    numbers = numbers_of(criterion)
    if numbers is not None:
        return Scale(MEAN_SCORE, numbers)
    positive = places_of(criterion, Option.Role.POSITIVE)
    if not positive:
        return None
    worth = [np.nan if at in none else float(at in positive) for at in range(len(criterion.options))]
    return Scale(POSITIVE_SHARE, np.array(worth))


def numbers_of(criterion: CriterionSpec) -> FloatArray | None:
    """Return the (K,) numbers of an ordinal or interval scale, NaN for unsure and excluding options; or None."""
    if criterion.scale == Criterion.Scale.NOMINAL:
        return None
    none = {*places_of(criterion, Option.Role.EXCLUDING), *alpha_options(criterion)[0]}
    values = [option.value for at, option in enumerate(criterion.options) if at not in none]
    if not values or None in values:
        return None
    found = [np.nan if at in none else option.value for at, option in enumerate(criterion.options)]
    return np.array(found, float)


def moments(criterion: CriterionSpec, votes: IntArray) -> Moments:
    """Return the moments of the numbers; unsure and excluding answers have none."""
    numbers = numbers_of(criterion)
    if numbers is None:
        return Moments(None, None, None, 0, NO_NUMBERS)
    known = ~np.isnan(numbers)
    values, times = numbers[known], votes[known]
    n = int(times.sum())
    if not n:
        return Moments(None, None, None, 0, NO_RATINGS)
    mean = float(values @ times) / n
    sd = float(np.sqrt(times @ (values - mean) ** 2 / (n - 1))) if n > 1 else None
    return Moments(mean, sd, weighted_median(values, times), n, None)


def weighted_median(values: FloatArray, times: IntArray) -> float:
    """Return the median of the values, each repeated `times` times; with an even number, the mean of the middle two."""
    order = np.argsort(values)
    ends, n = np.cumsum(times[order]), int(times.sum())
    lower, upper = np.searchsorted(ends, [(n - 1) // 2 + 1, n // 2 + 1])
    return float(values[order[lower]] + values[order[upper]]) / 2


def blocks_of(votes: CriterionVotes, scale: Scale, sources: list[int]) -> Blocks:
    """Return the scores in blocks; batches rated by the same people form one block."""
    of_item = votes.items
    source = _place(of_item.source[votes.item], np.array(sources))
    usable = (source >= 0) & (of_item.scenario[votes.item] > 0) & ~np.isnan(scale.worth[votes.code])
    item, annotator, source = votes.item[usable], votes.annotator[usable], source[usable]
    worth = scale.worth[votes.code[usable]]
    block, n_shared = _blocks(votes.work, votes.assignment[usable])
    order = np.argsort(block, kind="stable")
    ends = np.flatnonzero(np.diff(block[order])) + 1
    arrays = [
        _array(of_item.scenario[item[part]], annotator[part], source[part], worth[part], len(sources))
        for part in np.split(order, ends)
        if len(part)
    ]
    return Blocks(arrays, n_shared)


def _blocks(work: Work, assignment: IntArray) -> tuple[IntArray, int]:
    """Return the (n,) block of each answer, and how many annotators are in several blocks."""
    people: dict[int, list[int]] = {}
    present = np.flatnonzero(np.bincount(assignment, minlength=len(work.id)))
    pairs = zip(work.batch[present].tolist(), work.annotator[present].tolist(), strict=True)
    for batch, who in sorted(pairs):
        people.setdefault(batch, []).append(who)
    known: dict[tuple[int, ...], int] = {}
    of_batch = {batch: known.setdefault(tuple(who), len(known)) for batch, who in people.items()}
    found = Counter(who for group in known for who in group)
    blocks = np.array([of_batch.get(batch, 0) for batch in work.batch.tolist()], np.int64)
    return blocks[assignment], sum(times > 1 for times in found.values())


def _array(scenario: IntArray, annotator: IntArray, source: IntArray, worth: FloatArray, n_sources: int) -> FloatArray:
    scenarios, row = np.unique(scenario, return_inverse=True)
    people, column = np.unique(annotator, return_inverse=True)
    shape = (len(scenarios), len(people), n_sources)
    cell = np.ravel_multi_index((row, column, source), shape)
    size = int(np.prod(shape))
    sums, counts = np.bincount(cell, worth, size), np.bincount(cell, minlength=size)
    return np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0).reshape(shape)


def _place(ids: IntArray, known: IntArray) -> IntArray:
    """Return the index of each id among the known ones, -1 for an unknown id."""
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known, ids, sorter=order), len(known) - 1)
    found = order[at]
    return np.where(known[found] == ids, found, -1)


def percent(part: float, whole: float) -> float | None:
    """Return `part` as a percentage of `whole`, with two decimals; None if `whole` is 0."""
    return round(100 * part / whole, 2) if whole else None
