"""Who rates what, and from which mean squares the report's tests then estimate the variance of a difference.

Batches of dialogues are rated by teams that share people. With N dialogues, r annotators each, and the shares q of the
work of each annotator, the variance of the mean difference is s_B / N + s_W / (N r) + s_A sum(q^2). Annotators are
compared within batches and, with less weight, between batches, as in an incomplete block design; with balanced teams
every comparison of two of them is known about equally well.

Sources: this project's, checked by simulation. Yates 1940, Ann. Eugen. 10:317 (what incomplete blocks tell within and
between them); Cameron, Gelbach & Miller 2011, JBES 29:238 (the variance of a ranking).
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from measures.arrays import FloatArray

MOST_WINS = 0.32  # points of the win rate up to which a larger difference has a larger effect


@dataclass(frozen=True, slots=True)
class Variances:
    """Variances of the difference of two sources.

    Attributes
    ----------
    s_between, s_turn, s_within, s_annotator : float
        Between dialogues, between turns of a dialogue, between answers of a turn, between annotators.
    """

    s_between: float
    s_within: float
    s_annotator: float = 0.0
    s_turn: float = 0.0

    @property
    def are_zero(self) -> bool:
        return not any((self.s_between, self.s_within, self.s_annotator, self.s_turn))


@dataclass(frozen=True, slots=True, eq=False)
class MeanSquares:
    """What a test estimates the variance of a difference from.

    Attributes
    ----------
    variance : float
        The true one.
    expected, freedom : (3,) float arrays
        Of the parts of the estimate: dialogues, annotators, and what the two count twice, which is negative.
    are_same : bool
        With one rating a dialogue, the third part is the first with another sign.
    """

    variance: float
    expected: FloatArray
    freedom: FloatArray
    are_same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Batches of dialogues, each for some of the annotators, who take about as many batches each.

    Attributes
    ----------
    dialogues : int
        In which each source is rated.
    ratings, annotators : int
        Annotators of a batch, and in the whole study. If they are more than all seats, some rate nothing.
    batch_size : int
        Dialogues in a batch.
    sources : int
    """

    dialogues: int
    ratings: int
    annotators: int
    batch_size: int
    sources: int = 2

    @property
    def batches(self) -> int:
        return -(-self.dialogues // self.batch_size)

    @property
    def working(self) -> int:
        """Return how many annotators get a batch."""
        return min(self.annotators, self.batches * self.ratings)

    @property
    def concentration(self) -> float:
        """Return the sum of the squared shares of the work: 1 / annotators if loads are equal."""
        seats = self.batches * self.ratings
        least, more = divmod(seats, self.working)
        return (more * (least + 1) ** 2 + (self.working - more) * least**2) / seats**2

    @property
    def is_testable(self) -> bool:
        """Whether there are two of each, and most annotators have two dialogues, from which their taste is known."""
        people = self.working
        return self.dialogues > 1 and people >= max(2, self.ratings) and 2 * self.dialogues * self.ratings >= 3 * people

    def of_size(self, dialogues: int) -> Self:
        return replace(self, dialogues=dialogues)

    def effect(self, difference: float) -> float:
        """Return what stands beside the variance in the test."""
        return difference

    def difference(self, effect: float) -> float | None:
        """Return the difference that has this effect, None if none has."""
        return effect

    def of_dialogue(self, variances: Variances) -> Variances:
        """Return the variances with which a dialogue, and an annotator's part in it, count in a difference."""
        raise NotImplementedError

    def mean_squares(self, variances: Variances) -> MeanSquares:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedLayout(Layout):
    """Sources are rated, and compared by the mixed model of all of them.

    Attributes
    ----------
    turns : int
        Turns of a dialogue, rated by the same people.
    is_matched : bool
        Every source answers in every dialogue; otherwise each has dialogues of its own.
    """

    turns: int = 1
    is_matched: bool = True

    @property
    def batches(self) -> int:
        return -(-self.dialogues * (1 if self.is_matched else self.sources) // self.batch_size)

    def of_dialogue(self, variances: Variances) -> Variances:
        """Return those of the mean over the turns."""
        between = variances.s_between + variances.s_turn / self.turns
        return Variances(between, variances.s_within / self.turns, variances.s_annotator)

    def mean_squares(self, variances: Variances) -> MeanSquares:
        of = self.of_dialogue(variances)
        if self.ratings == 1:  # nobody can tell what differs between dialogues from what differs between answers
            of = replace(of, s_between=0.0, s_within=of.s_between + of.s_within)
        n, r, people = self.dialogues, self.ratings, self.working
        dialogue = of.s_within + r * of.s_between
        # What each dialogue tells about annotators: within its batch and, by less exact means, between batches.
        within = r - 1
        between = (people - r) / people * (of.s_within / dialogue if dialogue else 1.0)
        known = n * (within + between) / (people - 1)
        # Each stratum has fewer degrees of freedom by what it tells about annotators.
        outside = (people - 1) * between / (within + between)
        dialogues = n - 1 - min(outside, self.batches - 1)
        rest = n * self.turns * within - min(people - 1 - outside, self.batches * within) if r > 1 else dialogues
        # The model has the variances of all sources in one, and a residual that is also that of their means.
        others = self.sources - 1
        times = [others if self.is_matched else self.sources, others, self.sources if r > 1 else others]
        share = self.concentration / known
        expected = [dialogue / (n * r), share * (of.s_within + known * of.s_annotator), -share * of.s_within]
        return MeanSquares(
            variance=dialogue / (n * r) + of.s_annotator * self.concentration,
            expected=np.array(expected),
            freedom=np.maximum(np.array([dialogues, people - 1, rest]) * times, 1.0),
            are_same=r == 1,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedLayout(Layout):
    """Pairs of sources are compared, and ranked by the model of all pairs. Differences are in points of the win rate.

    Attributes
    ----------
    pairs : int
        Of the sources of a dialogue, drawn at random from all; all annotators of the dialogue see the same.
    """

    pairs: int = 1

    @property
    def _all_pairs(self) -> int:
        return self.sources * (self.sources - 1) // 2

    def effect(self, difference: float) -> float:
        """Return the log odds of the win rate in points of it, as intervals are symmetric in log odds."""
        return float(np.log((0.5 + difference) / (0.5 - difference)) * (0.25 - difference**2))

    def difference(self, effect: float) -> float | None:
        every = np.linspace(0, MOST_WINS, 512)
        effects = np.array([self.effect(each) for each in every.tolist()])
        return float(np.interp(effect, effects, every)) if effect <= effects[-1] else None

    def _together(self, of_each: float) -> float:
        """Return the sum over the pairs of a dialogue, of whose squares `of_each` is the sum if they are alone."""
        every = self._all_pairs
        return every / self.pairs * (of_each + (1 - of_each) * (self.pairs - 1) / max(1, every - 1))

    def of_dialogue(self, variances: Variances) -> Variances:
        """Return those of a win rate that comparisons with third sources tell, too."""
        direct = 2 / self.sources
        within = variances.s_within * direct * self._all_pairs / self.pairs
        return Variances(variances.s_between * self._together(direct), within, variances.s_annotator)

    def mean_squares(self, variances: Variances) -> MeanSquares:
        n, r, people, k = self.dialogues, self.ratings, self.working, self.sources
        of = self.of_dialogue(variances)
        s_between, s_within, s_annotator, cells = of.s_between, of.s_within, of.s_annotator, n * r
        alike = s_annotator * (1 / r - self.concentration)
        dialogues = (s_between + alike) / n + s_within / cells
        shared = s_between * (people - r) / (people - 1)
        annotators = s_annotator * self.concentration + (s_within + shared) / cells
        freedom = [n / self._together((4 + (k - 2) / 2) / k**2) - 1, 1 / self.concentration - 1, cells]
        return MeanSquares(
            variance=s_between / n + s_within / cells + s_annotator * self.concentration,
            expected=np.array([dialogues, annotators, -(s_between + s_within + s_annotator) / cells]),
            freedom=np.maximum(freedom, 1.0),
            are_same=r == 1,
        )
