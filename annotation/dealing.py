"""Deal cards into batches, and a balanced subset of the sources into dialogues: arithmetic on lists."""

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
S = TypeVar("S", bound=Hashable)
DIALOGUES, CONVERSATIONS = COUNTED = ("dialogues", "conversations")  # what the size of a batch counts


def batch_sizes(n: int, size: int) -> list[int]:
    """Return the sizes of as few batches as `size` allows, equal within one: 42 by 11 gives 11, 11, 10, 10."""
    n_batches = -(-n // size)
    return [n // n_batches + (at < n % n_batches) for at in range(n_batches)]


def deal_by_size(cards: Sequence[T], size: int, rng: random.Random) -> list[list[T]]:
    """Deal every card into exactly one batch, in an order drawn from `rng`."""
    shuffled = rng.sample(cards, len(cards))
    ends = list(itertools.accumulate(batch_sizes(len(cards), size)))
    return [shuffled[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def deal_stratified(cards: Sequence[T], strata: Sequence[Any], size: int, rng: random.Random) -> list[list[T]]:
    """Deal like `deal_by_size`, and give the batches shares of every stratum that are equal within one.

    Cards are sorted by stratum and dealt in turn, so numbers with many values (a length) are spread evenly too.
    """
    n_batches = len(batch_sizes(len(cards), size))
    drawn = rng.sample(list(zip(strata, cards, strict=True)), len(cards))
    ordered = [card for _, card in sorted(drawn, key=lambda pair: _stratum_order(pair[0]))]
    hands = [ordered[at::n_batches] for at in range(n_batches)]
    return [rng.sample(hand, len(hand)) for hand in hands]


def deal_groups(
    groups: Sequence[Sequence[T]],
    size: int,
    rng: random.Random,
    strata: Sequence[Any] = (),
    *,
    counts_groups: bool = False,
) -> list[list[T]]:
    """Deal groups whole, their cards in order, into about as many batches of about `size` cards, or groups.

    In each round every batch gets one group, the emptiest the longest. With `strata`, one for each group, a round is
    of neighbouring strata. A group longer than `size` makes its batch longer.
    """
    drawn = rng.sample(list(zip(strata or [None] * len(groups), groups, strict=True)), len(groups))
    ordered = [group for _, group in sorted(drawn, key=lambda pair: _stratum_order(pair[0]))]
    n_all = len(groups) if counts_groups else sum(map(len, groups))
    n_batches = min(len(batch_sizes(n_all, size)), len(groups))
    hands: list[list[Sequence[T]]] = [[] for _ in range(n_batches)]
    for start in range(0, len(ordered), n_batches):
        emptiest = sorted(hands, key=lambda hand: sum(map(len, hand)))
        longest = sorted(ordered[start : start + n_batches], key=len, reverse=True)
        for hand, group in zip(emptiest, longest, strict=False):
            hand.append(group)
    return [list(itertools.chain.from_iterable(rng.sample(hand, len(hand)))) for hand in hands]


def _stratum_order(value: Any) -> tuple[int, float, str]:
    """Return a sort key: numbers by size, then everything else by its text, then missing values."""
    if value is None:
        return 2, 0.0, ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return 0, float(value), ""
    return 1, 0.0, str(value)


def deal_given(cards: Sequence[T], keys: Sequence[str]) -> dict[str, list[T]]:
    """Return {key: cards}, with batches and cards in the order of their first appearance."""
    hands: dict[str, list[T]] = defaultdict(list)
    for key, card in zip(keys, cards, strict=True):
        hands[key].append(card)
    return dict(hands)


def choose_sources(
    available: Sequence[Sequence[S]], k: int, rng: random.Random, earlier: Iterable[Iterable[S]] = ()
) -> list[frozenset[S]]:
    """Return exactly k of each dialogue's sources. Sources, and pairs of them, are shown nearly equally often.

    The next source is one of those shown least, among these one that met the chosen ones least, then random. If all
    sources are available everywhere, counts are equal within one. `earlier` is what was shown before this deal.
    """
    shown: Counter[S] = Counter()
    met: Counter[frozenset[S]] = Counter()
    for sources in earlier:
        _count(set(sources), shown, met)
    chosen = []
    for sources in available:
        subset = _choose(sources, k, rng, shown, met)
        _count(subset, shown, met)
        chosen.append(frozenset(subset))
    return chosen


def _choose(
    sources: Sequence[S], k: int, rng: random.Random, shown: Mapping[S, int], met: Mapping[frozenset[S], int]
) -> set[S]:
    left = rng.sample(list(sources), len(sources))
    subset: set[S] = set()
    for _place in range(k):
        best = min(left, key=lambda s: (shown[s], sum(met[frozenset((s, other))] for other in subset)))
        left.remove(best)
        subset.add(best)
    return subset


def _count(sources: set[S], shown: Counter[S], met: Counter[frozenset[S]]) -> None:
    shown.update(sources)
    met.update(frozenset(pair) for pair in itertools.combinations(sources, 2))
