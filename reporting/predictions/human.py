"""The human answers to each item as one label and one number."""

from dataclasses import dataclass

import numpy as np

from annotation.agreement_cells import places_of
from annotation.models import Study
from measures.arrays import FloatArray, IntArray
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.study.scores import scale_of

Rule = Study.MajorityRule
LABELLED, UNRATED, EXCLUDED, TIED, UNSURE = range(5)
OUTCOMES = ("labelled", "unrated", "excluded", "tied", "unsure")


@dataclass(frozen=True, slots=True)
class Human:
    """(N,) arrays: the index of the label's option or -1, the place of the outcome in OUTCOMES, and a number or NaN."""

    code: IntArray
    outcome: IntArray
    score: FloatArray


def human_of(tallies: IntArray, criterion: CriterionSpec, rule: str) -> Human:
    """Return the labels and numbers of items from (N, K) votes per option.

    The label is the option with the most votes (plurality), with more than half of the votes on the scale (absolute),
    or with the most votes apart from unsure ones (decided). Answers that exclude an item count together and win a tie.
    An item whose majority is an unsure option has no label: "I don't know" cannot be predicted. The number is the mean
    of the votes.
    """
    excluding, unsure = (places_of(criterion, role) for role in (Option.Role.EXCLUDING, Option.Role.UNSURE))
    kept = tallies.copy()
    kept[:, excluding] = 0
    n_excluding, votes = tallies[:, excluding].sum(axis=1), tallies.sum(axis=1)
    if rule == Rule.DECIDED:
        kept[:, unsure] = 0
    best, at = kept.max(axis=1, initial=0), kept.argmax(axis=1)
    single = (kept == best[:, None]).sum(axis=1) == 1
    if rule == Rule.ABSOLUTE:
        single &= 2 * best > votes - n_excluding
    outcome = np.select(
        [votes == 0, (n_excluding > 0) & (n_excluding >= best), best == 0, ~single, np.isin(at, unsure)],
        [UNRATED, EXCLUDED, UNSURE, TIED, UNSURE],
        LABELLED,
    ).astype(np.int64)
    score = np.where(outcome == EXCLUDED, np.nan, mean_worth(tallies, criterion))
    return Human(np.where(outcome == LABELLED, at, -1), outcome, score)


def with_settled(human: Human, settled: IntArray, criterion: CriterionSpec) -> Human:
    """Replace the votes by settled labels, for the label and the number.

    Parameters
    ----------
    settled : (N,) int array
        The index of the settled option of each item, -1 if nothing was settled.
    """
    is_settled = settled >= 0
    of_option = np.full(len(criterion.options), LABELLED)
    for role, without_label in ((Option.Role.EXCLUDING, EXCLUDED), (Option.Role.UNSURE, UNSURE)):
        of_option[places_of(criterion, role)] = without_label
    outcome = np.where(is_settled, of_option[settled], human.outcome)
    code = np.where(is_settled, np.where(outcome == LABELLED, settled, -1), human.code)
    worth = np.append(worth_of(criterion), np.nan)[settled]
    return Human(code, outcome, np.where(is_settled, worth, human.score))


def mean_worth(tallies: IntArray, criterion: CriterionSpec) -> FloatArray:
    """Return the (N,) mean of the votes that have a number: that of the scale, or 1 for positive and 0 for others."""
    worth = worth_of(criterion)
    counts = tallies[:, ~np.isnan(worth)]
    n = counts.sum(axis=1)
    sums = counts @ worth[~np.isnan(worth)]
    return np.divide(sums, n, out=np.full(len(tallies), np.nan), where=n > 0)


def worth_of(criterion: CriterionSpec) -> FloatArray:
    """Return the (K,) numbers of the options, NaN without one; all NaN without numbers and positive options."""
    scale = scale_of(criterion)
    return np.full(len(criterion.options), np.nan) if scale is None else scale.worth
