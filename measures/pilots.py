"""The variances that a pilot tells a planner: of ratings by the mixed model, of comparisons by their own differences.

Source: Searle, Casella & McCulloch 1992, Variance Components (the method of moments for crossed effects).
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.estimate import NO_SPREAD, TOO_FEW_ITEMS
from measures.mixed.design import (
    ANNOTATOR,
    ANNOTATOR_SOURCE,
    CONVERSATION,
    CONVERSATION_SOURCE,
    ITEM,
    ITEM_SOURCE,
    Ratings,
    codes_of,
)
from measures.mixed.sources import BY_MODEL, SourceComparison
from measures.preferences.comparisons import BOTH_BAD, Comparisons

COMPONENTS = ("s_between", "s_turn", "s_within", "s_annotator")
WHOLE = {(CONVERSATION_SOURCE, CONVERSATION), (ANNOTATOR_SOURCE, ANNOTATOR), (ITEM_SOURCE, ITEM)}


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of the difference of two systems, from a pilot.

    Attributes
    ----------
    s_between, s_turn, s_within, s_annotator : float or None
        Between dialogues, between turns of a dialogue, between answers about a turn, between annotators. `s_within`
        excludes differences between annotators that hold for all dialogues: these are `s_annotator`. Where dialogues
        have one turn, `s_turn` is 0 and a part of `s_between`.
    at_zero : tuple of str
        Components that are estimated as 0.
    n_dialogues, n_annotators : int
        Of the ratings.
    reason : str or None
        'no_spread' if the answers do not vary, 'too_few_items' where the design cannot tell the components apart.
    n_pairs : int
        Pairs of systems.
    are_turns_known : bool
        Whether some dialogues have several turns.
    """

    s_between: float | None
    s_turn: float | None
    s_within: float | None
    s_annotator: float | None
    at_zero: tuple[str, ...] = ()
    n_dialogues: int = 0
    n_annotators: int = 0
    reason: str | None = None
    n_pairs: int = 0
    are_turns_known: bool = True

    @classmethod
    def without(cls, reason: str) -> "Components":
        return cls(None, None, None, None, reason=reason)


def components_of(ratings: Ratings, found: SourceComparison) -> Components:
    """Return the components that the mixed model of these ratings says: twice those of a single system."""
    known = {each.effect: each.sd**2 for each in found.effects}
    # An effect by system that has the groups of the whole (each system has dialogues of its own) is in that one.
    known |= {
        each.effect: known[each.beside]
        for each in found.left_out
        if (each.effect, each.beside) in WHOLE and each.beside in known
    }
    if found.weighting != BY_MODEL or CONVERSATION_SOURCE not in known or ANNOTATOR_SOURCE not in known:
        is_constant = any(each.estimate.interval_note == NO_SPREAD for each in found.means)
        return Components.without(NO_SPREAD if is_constant else TOO_FEW_ITEMS)
    wanted = (CONVERSATION_SOURCE, ITEM_SOURCE, "residual", ANNOTATOR_SOURCE)
    between, turn, within, annotator = (2 * known.get(effect, 0.0) for effect in wanted)
    at_zero = [name for name, effect in zip(COMPONENTS, wanted, strict=True) if known.get(effect, 1.0) == 0]
    n_dialogues, n_annotators, n_pairs = found.n_conversations, found.n_annotators, len(found.differences)
    return Components(
        between, turn, within, annotator, tuple(at_zero), n_dialogues, n_annotators, n_pairs=n_pairs,
        are_turns_known=ITEM_SOURCE in known,
    )  # fmt: skip


def components_of_comparisons(answers: Comparisons) -> Components:
    """Return the components of a source's score against another: 1 if it is preferred, .5 for a tie, 0 if it is not.

    Half the squared difference of two answers about the same sources is expected to be the sum of the components that
    they do not share. There is no `s_turn`, and an answer that calls both bad has no score.
    """
    used = answers.where(answers.outcome != BOTH_BAD)
    first = np.minimum(used.left, used.right)
    score = 0.5 + np.where(used.left == first, used.outcome, -used.outcome) / 2
    pair = codes_of(first, np.maximum(used.left, used.right))
    by_dialogue = _half_squares(score, codes_of(pair, used.cluster))
    by_annotator = _half_squares(score, codes_of(pair, used.annotator))
    by_both = _half_squares(score, codes_of(pair, used.cluster, used.annotator))
    # Each row: how many pairs of answers share neither, the dialogue alone, the annotator alone.
    apart = np.array([_half_squares(score, pair) - by_dialogue - by_annotator + by_both,
                      by_dialogue - by_both, by_annotator - by_both])  # fmt: skip
    if (apart[:, 1] <= 0).any():
        return Components.without(TOO_FEW_ITEMS)
    neither, same_dialogue, same_annotator = apart[:, 0] / apart[:, 1]
    if neither <= 0:
        return Components.without(NO_SPREAD)
    raw = (neither - same_dialogue, same_dialogue + same_annotator - neither, neither - same_annotator)
    between, within, annotator = (max(0.0, float(part)) for part in raw)
    at_zero = [name for name, part in zip(("s_between", "s_within", "s_annotator"), raw, strict=True) if part <= 0]
    n_dialogues, n_annotators, n_pairs = (len(np.unique(each)) for each in (used.cluster, used.annotator, pair))
    return Components(between, 0.0, within, annotator, tuple(at_zero), n_dialogues, n_annotators, n_pairs=n_pairs)


def _half_squares(values: FloatArray, group: IntArray) -> FloatArray:
    """Return half the sum of the squared differences within groups, and how many pairs they are of."""
    n = np.bincount(group)
    sums, squares = np.bincount(group, values), np.bincount(group, values**2)
    return np.array([(n * squares - sums**2).sum() / 2, (n * (n - 1)).sum() / 2])
