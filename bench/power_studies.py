"""Studies drawn for a layout of the planner, whose variances follow from how they are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.layouts import ComparedLayout, Layout, RatedLayout, Variances
from measures.mixed.design import Ratings
from measures.mixed.sources import compare_sources
from measures.preferences.comparisons import LEFT, RIGHT, TIE, Comparisons
from measures.preferences.ranking import rank

LEVEL = 0.05
# Standard deviations of what all sources share: dialogues are easy or hard, and annotators kind or strict.
SHARED = 0.4, 0.25
SHARED_IF_BINARY = 0.1, 0.06  # chances stay between 0 and 1
BINARY_MEAN, TIES = 0.6, 0.2


def teams(layout: Layout, rng: np.random.Generator, zeal: float = 0.0) -> IntArray:
    """(batches, ratings) annotators: each batch goes to those who have had the fewest, by lot among equals.

    If their `zeal` differs, by the sigma of a lognormal, whoever comes first takes it.
    """
    if zeal:
        arrival = rng.exponential(size=(layout.batches, layout.annotators))
        arrival /= np.exp(zeal * rng.normal(size=layout.annotators))
        return np.argsort(arrival, axis=1)[:, : layout.ratings]
    load, found = np.zeros(layout.annotators, np.int64), np.empty((layout.batches, layout.ratings), np.int64)
    for batch in found:
        batch[:] = np.lexsort((rng.random(len(load)), load))[: layout.ratings]
        load[batch] += 1
    return found


def either(spread: float, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Plus or minus `spread`: effects that keep probabilities between 0 and 1."""
    return np.asarray(spread * rng.choice([-1.0, 1.0], shape))


@dataclass(frozen=True, slots=True)
class RatedStudy:
    """Ratings on a scale of numbers; the first source is better than the others by `difference`."""

    layout: RatedLayout
    difference: float = 0.1
    spread: Variances = field(default_factory=lambda: Variances(0.0388, 0.2927))
    shared: tuple[float, float] = SHARED
    zeal: float = 0.0

    @property
    def variances(self) -> Variances:
        return self.spread

    def is_found(self, rng: np.random.Generator) -> bool:
        first = compare_sources(self._draw(rng), self.layout.sources).differences[0]
        return first.p_value is not None and first.p_value <= LEVEL

    def _places(self) -> tuple[IntArray, ...]:
        """The dialogue, turn, source and seat of each rating."""
        of = self.layout
        dialogues = of.dialogues * (1 if of.is_matched else of.sources)
        shape = dialogues, of.turns, of.sources, of.ratings
        found = np.indices(shape).reshape(4, -1)
        return tuple(found if of.is_matched else found[:, found[2] == found[0] % of.sources])

    def _draw(self, rng: np.random.Generator) -> Ratings:
        dialogue, turn, source, seat = self._places()
        who = teams(self.layout, rng, self.zeal)[dialogue // self.layout.batch_size, seat]
        mean = self._means(dialogue, turn, source, who, rng)
        return Ratings(source, who, dialogue, turn, self._answers(mean, rng))

    def _means(
        self, dialogue: IntArray, turn: IntArray, source: IntArray, who: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        of, n, sources = self.spread, int(dialogue.max()) + 1, self.layout.sources
        found = BINARY_MEAN + self.difference * (source == 0)
        found += self._effects(math.sqrt(of.s_between / 2), (n, sources), rng)[dialogue, source]
        found += self._effects(math.sqrt(of.s_turn / 2), (n, self.layout.turns, sources), rng)[dialogue, turn, source]
        found += self._effects(math.sqrt(of.s_annotator / 2), (self.layout.annotators, sources), rng)[who, source]
        of_dialogue, of_annotator = self.shared
        found += self._effects(of_annotator, (self.layout.annotators,), rng)[who]
        if self.layout.is_matched:
            found += self._effects(of_dialogue, (n,), rng)[dialogue]
        return found

    def _effects(self, spread: float, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return rng.normal(0, spread, shape)

    def _answers(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        return mean + rng.normal(0, math.sqrt(self.spread.s_within / 2), len(mean))


class BinaryStudy(RatedStudy):
    """Answers yes and no; `spread.s_within` follows from their chances."""

    @property
    def variances(self) -> Variances:
        of, means = self.spread, np.array([BINARY_MEAN + self.difference, BINARY_MEAN])
        shared = of.s_between / 2 + of.s_annotator / 2 + float(np.square(self.shared).sum())
        within = float((means * (1 - means) - shared).sum())
        return Variances(of.s_between, within, of.s_annotator)

    def _effects(self, spread: float, shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return either(spread, shape, rng)

    def _answers(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        return (rng.random(len(mean)) < mean).astype(float)


@dataclass(frozen=True, slots=True)
class ComparedStudy:
    """Comparisons of sources; the first wins against each other one by .5 + `difference`, a tie counting half."""

    layout: ComparedLayout
    difference: float = 0.1
    spread: Variances = field(default_factory=lambda: Variances(0.01, 0.0, 0.005))

    @property
    def variances(self) -> Variances:
        """An answer scores 1, .5 or 0."""
        mean = 0.5 + self.difference
        whole = mean - TIES / 4 - mean**2
        return Variances(self.spread.s_between, whole - self.spread.s_between - self.spread.s_annotator,
                         self.spread.s_annotator)  # fmt: skip

    def is_found(self, rng: np.random.Generator) -> bool:
        rate = rank(self._draw(rng)).pairs[0].win_rate
        return rate.low is not None and rate.high is not None and not rate.low <= 0.5 <= rate.high

    def _draw(self, rng: np.random.Generator) -> Comparisons:
        of = self.layout
        every = np.stack(np.triu_indices(of.sources, 1), axis=1)
        shown = rng.random((of.dialogues, len(every))).argsort(axis=1)[:, : of.pairs]
        dialogue, place, seat = np.indices((of.dialogues, of.pairs, of.ratings)).reshape(3, -1)
        who = teams(of, rng)[dialogue // of.batch_size, seat]
        sides = every[shown[dialogue, place]]
        left, right = np.where(rng.random((len(who), 1)) < 0.5, sides, sides[:, ::-1]).T
        seen = either(math.sqrt(self.spread.s_between / 2), (of.dialogues, of.sources), rng)
        liked = either(math.sqrt(self.spread.s_annotator / 2), (of.annotators, of.sources), rng)
        worth = self.difference * (np.arange(of.sources) == 0) + seen[dialogue] + liked[who]
        rows = np.arange(len(who))
        mean = 0.5 + worth[rows, left] - worth[rows, right]
        lot = rng.random(len(who))
        outcome = np.where(lot < mean - TIES / 2, LEFT, np.where(lot < mean + TIES / 2, TIE, RIGHT))
        return Comparisons.of(of.sources, left, right, outcome, annotator=who, cluster=dialogue)


Study = RatedStudy | ComparedStudy
_MANY = RatedLayout(dialogues=108, ratings=3, annotators=12, batch_size=6)
_TASTE = Variances(0.0388, 0.2927, 0.01)
_ONE_PAIR = ComparedLayout(dialogues=120, ratings=3, annotators=12, batch_size=10)
_TEAM = RatedStudy(RatedLayout(dialogues=108, ratings=3, annotators=3, batch_size=10))
_TWELVE = RatedStudy(_MANY, 0.12, _TASTE)

STUDIES: dict[str, Study] = {
    "one team of 3": _TEAM,
    "one team of 7": RatedStudy(RatedLayout(dialogues=60, ratings=7, annotators=7, batch_size=10), 0.15, _TASTE),
    "4 teams of 3, each with a batch of 27": RatedStudy(
        RatedLayout(dialogues=108, ratings=3, annotators=12, batch_size=27), 0.12, _TASTE
    ),
    "4 batches, 3 of 6 people": RatedStudy(
        RatedLayout(dialogues=108, ratings=3, annotators=6, batch_size=27), 0.15, _TASTE
    ),
    "18 batches, 3 of 6 people": RatedStudy(
        RatedLayout(dialogues=108, ratings=3, annotators=6, batch_size=6), 0.15, _TASTE
    ),
    "18 batches, 3 of 12 people": _TWELVE,
    "18 batches, 3 of 12 people who like sources equally": RatedStudy(_MANY),
    "18 batches, each person has one": RatedStudy(
        RatedLayout(dialogues=108, ratings=3, annotators=54, batch_size=6), 0.1, _TASTE
    ),
    "20 batches, 2 of 20 people": RatedStudy(
        RatedLayout(dialogues=100, ratings=2, annotators=20, batch_size=5), 0.12, _TASTE
    ),
    "50 batches, 1 of 12 people": RatedStudy(
        RatedLayout(dialogues=250, ratings=1, annotators=12, batch_size=5), 0.12, Variances(0.0388, 0.2927, 0.005)
    ),
    "five turns, 3 of 12 people": RatedStudy(
        RatedLayout(dialogues=60, ratings=3, annotators=12, batch_size=6, turns=5), 0.12,
        Variances(0.0388, 0.2927, 0.01, 0.05),
    ),
    "three turns, 4 batches, each of 12 people has one": RatedStudy(
        RatedLayout(dialogues=40, ratings=3, annotators=12, batch_size=10, turns=3), 0.35,
        Variances(0.3, 1.2, 0.05, 0.4),
    ),
    "four sources, 3 of 6 people": RatedStudy(
        RatedLayout(dialogues=80, ratings=3, annotators=6, batch_size=8, sources=4), 0.13, _TASTE
    ),
    "dialogues of its own for each source, 3 of 12 people": RatedStudy(
        RatedLayout(dialogues=120, ratings=3, annotators=12, batch_size=12, is_matched=False), 0.15,
        Variances(0.15, 0.2927, 0.01),
    ),
    "answers yes or no, 3 of 12 people": BinaryStudy(_MANY, 0.12, Variances(0.02, 0.0, 0.003), SHARED_IF_BINARY),
    "two sources compared, 3 of 12 people": ComparedStudy(_ONE_PAIR),
    "two sources compared by one team of 7": ComparedStudy(
        ComparedLayout(dialogues=60, ratings=7, annotators=7, batch_size=10)
    ),
    "four sources compared, all pairs, 3 of 12 people": ComparedStudy(
        ComparedLayout(dialogues=60, ratings=3, annotators=12, batch_size=10, sources=4, pairs=6)
    ),
    "four sources compared, one pair a dialogue, 3 of 12 people": ComparedStudy(
        ComparedLayout(dialogues=240, ratings=3, annotators=12, batch_size=10, sources=4)
    ),
}  # fmt: skip
# What the planner does not know.
OTHERS: dict[str, Study] = {
    "one team of 3 that is equally strict, with equally hard dialogues": replace(_TEAM, shared=(0.0, 0.0)),
    "18 batches, 3 of 12 people, some of whom take many": replace(_TWELVE, zeal=1.0),
}
