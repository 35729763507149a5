"""What a design can tell apart: which random effects the model has, and which are left out and why.

A random effect is a partition of the ratings into groups. An effect whose groups are single ratings is the residual;
one with the groups of another effect is that effect; one that does not vary within any source is lost in the sources'
means.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, FloatArray, IntArray

ANNOTATOR, ANNOTATOR_SOURCE = "annotator", "annotator_source"
CONVERSATION, CONVERSATION_SOURCE = "conversation", "conversation_source"
ITEM, ITEM_SOURCE = "item", "item_source"
EFFECTS = (ANNOTATOR, ANNOTATOR_SOURCE, CONVERSATION, CONVERSATION_SOURCE, ITEM, ITEM_SOURCE)
# The first of two effects with the same groups stays: what is nested in conversations costs the model least.
KEPT_FIRST = (CONVERSATION, CONVERSATION_SOURCE, ITEM, ITEM_SOURCE, ANNOTATOR, ANNOTATOR_SOURCE)

RESIDUAL = "residual"
SAME_GROUPS = "same_groups"
SINGLE_GROUP = "single_group"
CONFOUNDED = "confounded_with_source"
NOT_IDENTIFIED = "not_identified"
ALWAYS_AGREE = "always_agree"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An effect that the model does not have.

    Attributes
    ----------
    effect : str
        One of :data:`EFFECTS`.
    reason : str
        'residual': a rating in each group, so it is part of the residual. 'same_groups': the groups are those of
        `beside`, which stands for both. 'single_group': there is one group only. 'confounded_with_source': each
        source has groups of its own that never vary within it. 'not_identified': the column is not there.
        'always_agree': all annotators of an item gave it the same answer, so they have no variance.
    beside : str
        The effect that stands for both; else empty.
    """

    effect: str
    reason: str
    beside: str = ""


def codes_of(*columns: npt.NDArray[np.generic]) -> IntArray:
    """Return codes from 0 of the combinations that occur, in sorted order."""
    found = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        levels, codes = np.unique(column, return_inverse=True)
        _, found = np.unique(found * max(1, len(levels)) + codes.ravel(), return_inverse=True)
    return found.ravel().astype(np.int64)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of one criterion, one entry each.

    Attributes
    ----------
    source, conversation, item : (n,) int arrays
        Codes from 0. Items are counted within their conversation: the same code in another one is another item.
    annotator : (n,) int array or None
        None if it is not known who gave which rating.
    value : (n,) float array
        Finite.
    """

    source: IntArray
    annotator: IntArray | None
    conversation: IntArray
    item: IntArray
    value: FloatArray

    def __post_init__(self) -> None:
        columns = [self.source, self.conversation, self.item, *([] if self.annotator is None else [self.annotator])]
        if any(column.shape != self.value.shape for column in columns):
            raise ValueError("a rating has a source, an annotator, a conversation, an item and a value")
        if not np.isfinite(self.value).all():
            raise ValueError("ratings are finite numbers")

    def __len__(self) -> int:
        return len(self.value)

    def some(self, chosen: BoolArray) -> "Ratings":
        """Return these ratings alone, with the same codes."""
        who = None if self.annotator is None else self.annotator[chosen]
        return Ratings(self.source[chosen], who, self.conversation[chosen], self.item[chosen], self.value[chosen])

    @cached_property
    def groups(self) -> dict[str, IntArray]:
        """Return the group of each rating, for every effect that could be in the model."""
        item = codes_of(self.conversation, self.item)
        found = {CONVERSATION: codes_of(self.conversation), ITEM: item}
        found |= {
            CONVERSATION_SOURCE: codes_of(self.conversation, self.source),
            ITEM_SOURCE: codes_of(item, self.source),
        }
        if self.annotator is not None:
            found[ANNOTATOR] = codes_of(self.annotator)
            found[ANNOTATOR_SOURCE] = codes_of(self.annotator, self.source)
        return found

    def n_groups(self, effect: str) -> int:
        """Return the number of groups; 0 if they are not known."""
        groups = self.groups.get(effect)
        return 0 if groups is None or not len(groups) else int(groups.max()) + 1


def told_apart(ratings: Ratings) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Return the effects of the model in the order of :data:`EFFECTS`, and those that it cannot have."""
    kept: list[str] = []
    lost: dict[str, LeftOut] = {}
    for effect in KEPT_FIRST:
        why = _why_not(ratings, effect, kept)
        if why is None:
            kept.append(effect)
        else:
            lost[effect] = why
    return tuple(e for e in EFFECTS if e in kept), tuple(lost[e] for e in EFFECTS if e in lost)


def _why_not(ratings: Ratings, effect: str, kept: list[str]) -> LeftOut | None:
    groups, count = ratings.groups.get(effect), ratings.n_groups(effect)
    if groups is None:
        return LeftOut(effect, NOT_IDENTIFIED)
    if count <= 1:
        return LeftOut(effect, SINGLE_GROUP)
    if count == len(ratings):
        return LeftOut(effect, RESIDUAL)
    if _is_finer(ratings.source, groups):
        return LeftOut(effect, CONFOUNDED)
    for other in kept:
        if count == ratings.n_groups(other) and _is_finer(ratings.groups[other], groups):
            return LeftOut(effect, SAME_GROUPS, other)
    return None


def _is_finer(fine: IntArray, coarse: IntArray) -> bool:
    """Whether each group of the first lies in one group of the second."""
    first = np.full(int(fine.max()) + 1, -1, np.int64)
    first[fine] = coarse
    return bool((first[fine] == coarse).all())
