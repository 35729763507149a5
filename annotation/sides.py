"""Draw which candidate of a pair stands on the left, and choose which pairs to show: arithmetic on lists."""

import random
from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

S = TypeVar("S", bound=Hashable)
Pair = tuple[S, S]


def choose_pairs(
    available: Sequence[Sequence[Pair[S]]], k: int, rng: random.Random, earlier: Iterable[Pair[S]] = ()
) -> list[list[Pair[S]]]:
    """Return k of each dialogue's pairs, in their order. Pairs, and sources, are shown nearly equally often.

    The next pair is one of those shown least, among these one whose sources were shown least, then random. If all pairs
    are available everywhere, their counts are equal within one. `earlier` is what was shown before this deal.
    """
    shown: Counter[Pair[S]] = Counter()
    of_source: Counter[S] = Counter()
    for pair in earlier:
        shown[pair] += 1
        of_source.update(pair)
    chosen = []
    for pairs in available:
        left, taken = rng.sample(list(pairs), len(pairs)), set()
        for _place in range(min(k, len(left))):
            best = min(left, key=lambda pair: (shown[pair], of_source[pair[0]] + of_source[pair[1]]))
            left.remove(best)
            taken.add(best)
            shown[best] += 1
            of_source.update(best)
        chosen.append([pair for pair in pairs if pair in taken])
    return chosen


def draw_sides(
    pairs: Sequence[Pair[S]], seen: Sequence[int], rng: random.Random, leaning: Mapping[S, int] | None = None
) -> list[bool]:
    """Return for each pair whether its second source stands on the left for one annotator.

    `seen` has for each pair how much more often others saw its first source on the left than its second one, and
    `leaning` how much more often this annotator saw each source on the left than on the right. What others saw more
    often is turned round; then every source is brought as near to an equal share of sides as all of them can be. If
    this annotator has seen nothing before, each is on the left as often as on the right, within one.
    """
    swapped = [lean > 0 if lean else rng.random() < 0.5 for lean in seen]
    _Balance(pairs, seen, swapped, leaning or {}).repair()
    return swapped


class _Balance(Generic[S]):
    """The pairs as a graph: sources are its nodes, and each pair is an edge from the left source to the right one.

    Turning round all edges of a path takes two from the leaning of its beginning and adds two to that of its end.
    """

    def __init__(
        self, pairs: Sequence[Pair[S]], seen: Sequence[int], swapped: list[bool], leaning: Mapping[S, int]
    ) -> None:
        self.pairs, self.seen, self.swapped = pairs, seen, swapped
        self.leaning: Counter[S] = Counter(leaning)
        # {left: {right: (edges that can be turned at no cost, edges that stand against what others saw)}}
        self.edges: dict[S, dict[S, tuple[list[int], list[int]]]] = defaultdict(lambda: defaultdict(lambda: ([], [])))
        for at in range(len(pairs)):
            left, right = self._sides(at)
            self.leaning[left] += 1
            self.leaning[right] -= 1
            self._put(at)

    def _sides(self, at: int) -> Pair[S]:
        first, second = self.pairs[at]
        return (second, first) if self.swapped[at] else (first, second)

    def _put(self, at: int) -> None:
        left, right = self._sides(at)
        is_reverse = self.seen[at] != 0 and self.swapped[at] == (self.seen[at] > 0)
        self.edges[left][right][is_reverse].append(at)

    def repair(self) -> None:
        """Turn paths round while that makes the leanings more equal. Each turn does, so this ends."""
        sources = list(dict.fromkeys(source for pair in self.pairs for source in pair))
        while any(self._turn_from(source) for source in sorted(sources, key=lambda each: -self.leaning[each])):
            pass

    def _turn_from(self, start: S) -> bool:
        """Turn the cheapest path from `start` that makes the leanings more equal. Return whether there was one."""
        costs, before = self._reach(start)
        ends = [each for each in costs if self.leaning[start] - self.leaning[each] > 2]
        if not ends:
            return False
        end = node = min(ends, key=lambda each: (costs[each], self.leaning[each]))
        while node != start:
            self._turn(before[node], node)
            node = before[node]
        self.leaning[start] -= 2
        self.leaning[end] += 2
        return True

    def _reach(self, start: S) -> tuple[dict[S, int], dict[S, S]]:
        """Return for each source that a path leads to how many costly edges it has, and the source before it."""
        costs, before, waiting = {start: 0}, {}, deque([start])
        while waiting:
            node = waiting.popleft()
            for other, (free, costly) in self.edges[node].items():
                if not (free or costly):
                    continue
                cost = costs[node] + (not free)
                if other not in costs or cost < costs[other]:
                    costs[other], before[other] = cost, node
                    waiting.appendleft(other) if free else waiting.append(other)
        return costs, before

    def _turn(self, left: S, right: S) -> None:
        free, costly = self.edges[left][right]
        at = (free or costly).pop()
        self.swapped[at] = not self.swapped[at]
        self._put(at)
