"""Sums of products over items and conversations, made once: all that the mixed model needs of the ratings.

Two conversations of the same make (the same numbers of ratings by item and source) have the same coefficients in the
model's equations, whatever the variances. So products of the columns annotator x source, and of the answers, are added
up over all groups of one make, and an evaluation only weighs the sums.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray
from measures.mixed.design import (
    ANNOTATOR,
    ANNOTATOR_SOURCE,
    CONVERSATION,
    CONVERSATION_SOURCE,
    ITEM,
    ITEM_SOURCE,
    Ratings,
)

Bits = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The columns N of annotator x source, sorted by annotator; the sources alone where annotators have no effect.

    Attributes
    ----------
    cell : (n,) int array
        Column of each rating.
    source : (q,) int array
        Source of each column.
    starts : (a,) int array
        First column of each annotator.
    """

    cell: IntArray
    source: IntArray
    starts: IntArray

    @classmethod
    def of(cls, ratings: Ratings, effects: tuple[str, ...]) -> "Cells":
        known = ANNOTATOR in effects or ANNOTATOR_SOURCE in effects
        who = ratings.groups[ANNOTATOR] if known else np.zeros(len(ratings), np.int64)
        n_sources = int(ratings.source.max()) + 1
        levels, cell = np.unique(who * n_sources + ratings.source, return_inverse=True)
        return cls(cell.ravel(), levels % n_sources, np.flatnonzero(np.diff(levels // n_sources, prepend=-1)))

    @property
    def size(self) -> int:
        return len(self.source)

    @property
    def widths(self) -> IntArray:
        return np.diff(self.starts, append=self.size)


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums of products of two columns over groups; the last column is y.

    Attributes
    ----------
    place : (m,) int array
        row * (q + 1) + column of each sum, row <= column.
    kind : (m,) int array
        Place of its coefficient among (`first`, `second`).
    value : (m,) float array
    first, second : (k,) int arrays
        The kinds of the two groups of ratings that are multiplied.
    """

    place: IntArray
    kind: IntArray
    value: FloatArray
    first: IntArray
    second: IntArray


def products_of(kind: IntArray, group: IntArray, cells: Cells, y: FloatArray) -> Products:
    """Add up, over groups, the products of all pairs of columns of N and y, apart by the kinds of their ratings."""
    from scipy.sparse import coo_array

    wide = cells.size + 1
    keys = np.concatenate([kind * wide + cells.cell, kind * wide + cells.size])
    rows, place = np.unique(keys, return_inverse=True)
    values = np.concatenate([np.ones(len(y)), y])
    shape = len(rows), int(group.max()) + 1
    sums = coo_array((values, (place.ravel(), np.concatenate([group, group]))), shape=shape).tocsr()
    found = (sums @ sums.T).tocoo()
    column, kinds = (rows % wide).astype(np.int32), (rows // wide).astype(np.int64)
    upper = column[found.row] <= column[found.col]
    first, second, value = found.row[upper], found.col[upper], found.data[upper]
    n_kinds = int(kinds.max()) + 1
    pairs, which = np.unique(kinds[first] * n_kinds + kinds[second], return_inverse=True)
    at = column[first].astype(np.int64) * wide + column[second]
    return Products(at, which.ravel().astype(np.int32), value, pairs // n_kinds, pairs % n_kinds)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Sums of the columns of N and y in each conversation, where few conversations are of one make.

    Attributes
    ----------
    contents : (c, l) sparse array
        How much of each slot is in each pair of a column and a conversation.
    conversation : (c,) int array
        Conversation of each pair; pairs are sorted by their column.
    ends : (q + 2,) int array
        Where the pairs of each column begin and end.
    """

    contents: Any
    conversation: IntArray
    ends: IntArray

    def product(self, slots: Any, of_conversation: Any) -> Any:
        """Return the sum over conversations of X K X': X is contents times `slots` (l, S), K that of a conversation."""
        from scipy.sparse import csr_array

        n_sources = slots.shape[1]
        x = self.contents @ slots
        xk = np.einsum("cs,cst->ct", x, of_conversation[self.conversation])
        columns = (self.conversation[:, None] * n_sources + np.arange(n_sources)).ravel()
        shape = len(self.ends) - 1, len(of_conversation) * n_sources
        left = csr_array((xk.ravel(), columns, self.ends * n_sources), shape=shape)
        right = csr_array((x.ravel(), columns, self.ends * n_sources), shape=shape, copy=True)
        right.eliminate_zeros()
        return left @ right.T


def rows_of(slot: IntArray, conversation: IntArray, cells: Cells, y: FloatArray) -> Rows:
    """Add up the columns of N and y in each conversation."""
    from scipy.sparse import coo_array

    n = int(conversation.max()) + 1
    keys = np.concatenate([cells.cell * n + conversation, cells.size * n + conversation])
    pairs, pair = np.unique(keys, return_inverse=True)
    values = np.concatenate([np.ones(len(y)), y])
    contents = coo_array((values, (pair.ravel(), np.concatenate([slot, slot])))).tocsr()
    return Rows(contents, pairs % n, np.searchsorted(pairs, np.arange(cells.size + 2) * n))


def conversation_sums(
    slot: IntArray, make: IntArray, conversation: IntArray, cells: Cells, y: FloatArray
) -> Products | Rows:
    """Return products if adding up conversations of one make saves work, and rows otherwise.

    Parameters
    ----------
    slot, make, conversation : (n,) int arrays
        Of each rating.
    """
    columns = np.unique(conversation * cells.size + cells.cell) // cells.size
    direct = float((np.bincount(columns).astype(float) ** 2).sum())
    column = slot * cells.size + cells.cell
    in_make = np.bincount(make[np.unique(column, return_index=True)[1]]).astype(float) ** 2
    once = np.unique(column * (conversation.max() + 1) + conversation, return_index=True)[1]
    in_conversation = np.bincount(conversation[once]).astype(float) ** 2
    make_of = np.zeros(len(in_conversation), np.int64)
    make_of[conversation] = make
    if np.minimum(in_make, np.bincount(make_of, in_conversation)).sum() <= direct:
        return products_of(slot, conversation, cells, y)
    return rows_of(slot, conversation, cells, y)


def mixed_up(codes: IntArray) -> Bits:
    """Return 64 bits for each code that look random (splitmix64), so that sums of them tell multisets apart."""
    bits = (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Bits = bits ^ (bits >> np.uint64(31))
    return mixed


def makes_of(group: IntArray, content: IntArray, n_groups: int) -> tuple[IntArray, IntArray]:
    """Return the make of each group, which is the multiset of its contents, and one group of each make."""
    sums = np.zeros(n_groups, np.uint64)
    np.add.at(sums, group, mixed_up(content))
    _, first, make = np.unique(sums, return_index=True, return_inverse=True)
    return make.ravel(), first


@dataclass(frozen=True, slots=True, eq=False)
class Nested:
    """Items by their type and conversations by their make.

    Attributes
    ----------
    type_counts : (t, S) float array
        Ratings of each source on an item of each type.
    n_of_type : (t,) int array
        Items of each type.
    n_of_make : (m,) int array
        Conversations of each make.
    make, type, n : (j,) int arrays
        How many items `n` of a `type` a conversation of a `make` has.
    pairs, items, conversations : Products, Rows or None
        Sums within item x source (kind: its number of ratings), item (kind: type * S + source) and conversation (kind:
        place in `slot`); None where no effect needs them.
    make_of : (c,) int array
        Make of each conversation.
    slot_make, slot : (l,) int arrays
        Make of the conversation, and type * S + source, of each kind of ratings in conversations.
    """

    type_counts: FloatArray
    n_of_type: IntArray
    n_of_make: IntArray
    make: IntArray
    type: IntArray
    n: IntArray
    pairs: Products | None
    items: Products | None
    conversations: Products | Rows | None
    make_of: IntArray
    slot_make: IntArray
    slot: IntArray


def nested_sums(ratings: Ratings, effects: tuple[str, ...], cells: Cells, y: FloatArray) -> Nested:
    """Return the sums of these ratings; `y` are their values, centred."""
    has_items = ITEM in effects or ITEM_SOURCE in effects
    conversation = ratings.groups[CONVERSATION]
    item = ratings.groups[ITEM] if has_items else conversation
    n_sources = int(ratings.source.max()) + 1
    conversation_of = np.zeros(int(item.max()) + 1, np.int64)
    conversation_of[item] = conversation
    pair_keys, pair, n_pair = np.unique(item * n_sources + ratings.source, return_inverse=True, return_counts=True)
    pair = pair.ravel()
    kind, type_counts = _types(pair_keys, n_pair, len(conversation_of), n_sources)
    make, example = makes_of(conversation_of, kind, int(conversation.max()) + 1)
    is_example = example[make[conversation_of]] == conversation_of
    key = make[conversation_of[is_example]] * len(type_counts) + kind[is_example]
    in_make, n_in_make = np.unique(key, return_counts=True)
    slot_of_rating = kind[item] * n_sources + ratings.source
    width = len(type_counts) * n_sources
    slots, slot = np.unique(make[conversation] * width + slot_of_rating, return_inverse=True)
    has_conversations = CONVERSATION in effects or CONVERSATION_SOURCE in effects
    return Nested(
        type_counts=type_counts,
        n_of_type=np.bincount(kind),
        n_of_make=np.bincount(make),
        make=in_make // len(type_counts),
        type=in_make % len(type_counts),
        n=n_in_make,
        pairs=products_of(n_pair[pair], pair, cells, y) if ITEM_SOURCE in effects else None,
        items=products_of(slot_of_rating, item, cells, y) if has_items else None,
        conversations=conversation_sums(slot.ravel(), make[conversation], conversation, cells, y)
        if has_conversations
        else None,
        make_of=make,
        slot_make=slots // width,
        slot=slots % width,
    )


def _types(pair_keys: IntArray, n_pair: IntArray, n_items: int, n_sources: int) -> tuple[IntArray, FloatArray]:
    """Return the type of each item, and the ratings of each source on an item of each type."""
    item, source = pair_keys // n_sources, pair_keys % n_sources
    kind, first = makes_of(item, n_pair * n_sources + source, n_items)
    is_first = first[kind[item]] == item
    counts = np.zeros((len(first), n_sources))
    counts[kind[item[is_first]], source[is_first]] = n_pair[is_first]
    return kind, counts
