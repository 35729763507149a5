"""Rank the sources of a study that compares: strengths, expected win rates and ranks with their intervals."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from django.db import connection

from annotation.models import Batch, Source, Study
from annotation.selectors.comparisons import pairs_of_kind
from measures.arrays import BoolArray, FloatArray, IntArray
from measures.estimate import Estimate
from measures.preferences.comparisons import BOTH_BAD, LEFT, RIGHT, TIE, Comparisons
from measures.preferences.ranking import ELO, NOT_TOLD_APART, SEPARATED, Ranking, rank
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.study.pairings import compared_criteria, identical_pairs
from reporting.study.plain import spread
from reporting.study.votes import StudyVotes

Role = Option.Role
# By candidate, as answers are stored: the left candidate is the first of the pair.
OUTCOMES = {Role.LEFT: LEFT, Role.RIGHT: RIGHT, Role.EQUAL: TIE, Role.BOTH_BAD: BOTH_BAD}
# Why there are no strengths at equal length.
NO_TEXTS, SAME_LENGTHS, UNCERTAIN_LENGTH = "no_texts", "same_lengths", "uncertain_length"
OF_THE_LENGTH = {NOT_TOLD_APART: "length_not_told_apart", SEPARATED: UNCERTAIN_LENGTH}
# Beyond the widest interval, the odds for a text twice as long may be wrong by a factor of ten either way.
WIDEST = 2 * math.log(10)
# The characters of both sides: of the candidates, or of all turns of the dialogues that are compared as wholes.
OF_TURNS = """(
    SELECT sum(char_length(turn ->> 'text')) FROM annotation_dialogue dialogue
    CROSS JOIN LATERAL jsonb_array_elements(dialogue.turns) turn WHERE dialogue.id = {})"""
LENGTHS = f"""
    SELECT item.id,
        CASE WHEN item.other_dialogue_id IS NULL THEN char_length(first.text)
            ELSE {OF_TURNS.format("item.dialogue_id")} END,
        CASE WHEN item.other_dialogue_id IS NULL THEN char_length(second.text)
            ELSE {OF_TURNS.format("item.other_dialogue_id")} END
    FROM annotation_item item
    JOIN annotation_batch batch ON batch.id = item.batch_id
    LEFT JOIN annotation_candidate first ON first.id = item.shown[1]
    LEFT JOIN annotation_candidate second ON second.id = item.shown[2]
    WHERE batch.study_id = %s AND batch.kind = %s AND item.unit = 'comparison' AND NOT item.is_check
    ORDER BY item.id
"""
# 1: the second candidate stood on the left, 0: the first one, -1: nobody knows.
SIDES = """
    SELECT rating.id, coalesce(rating.is_swapped::int, -1)
    FROM annotation_rating rating JOIN annotation_batch batch ON batch.id = rating.batch_id
    WHERE batch.study_id = %s AND batch.kind = %s AND rating.criterion_id = %s
    ORDER BY rating.id
"""


@dataclass(frozen=True, slots=True)
class Bounded:
    """A number with its 95 % interval; None where there is none."""

    value: float | None
    low: float | None
    high: float | None

    @property
    def of_the_other(self) -> "Bounded":
        """Return the expected score of the second source of a pair from that of the first."""
        return Bounded(*(None if each is None else 1 - each for each in (self.value, self.high, self.low)))


NOTHING = Bounded(None, None, None)


@dataclass(frozen=True, slots=True)
class RankedSource:
    """A source. Its `strength` is on the log scale with mean 0; `reason` says why there is none.

    `win_rate` is the mean expected score against the other sources, a tie counting half, without any effect of the side
    that the model has. `strength_at_equal_length` is the strength if both texts of a pair were of the same length; if
    there is none, the model's `length_reason` says why.
    """

    criterion: str
    source: str
    strength: Bounded = field(metadata=spread("strength"))
    reason: str | None
    elo: float | None
    win_rate: Bounded = field(metadata=spread("win_rate"))
    best_rank: int | None
    worst_rank: int | None
    answers: int
    strength_at_equal_length: Bounded = field(metadata=spread("strength_at_equal_length"))


@dataclass(frozen=True, slots=True)
class RankedPair:
    """Two sources: the expected score of a against b, and the difference of their strengths, a minus b.

    `differs`: with the other pairs at once, the strengths differ with 95 % confidence; None if that cannot be said.
    Without `answers`, the two were not compared directly, and their numbers come through others. `is_one_way`: all
    answers prefer the same one of the two, so that the test of transitivity leaves the pair out.
    """

    criterion: str
    source_a: str
    source_b: str
    win_rate: Bounded = field(metadata=spread("win_rate"))
    difference: Bounded = field(metadata=spread("difference"))
    differs: bool | None
    answers: int
    both_bad: int
    both_bad_share: float | None
    is_one_way: bool

    @property
    def is_indirect(self) -> bool:
        return not self.answers and self.win_rate.value is not None

    @property
    def better_and_worse(self) -> tuple[str, str]:
        is_a = (self.difference.value or 0) > 0
        return (self.source_a, self.source_b) if is_a else (self.source_b, self.source_a)


@dataclass(frozen=True, slots=True)
class Transitivity:
    """The test of all triads at once, and the circular ones: a is preferred to b, b to c, and c to a.

    `transitivity_p` is None if there is no test, and `transitivity_reason` says why.
    """

    transitivity_p: float | None
    transitivity_reason: str | None
    n_triads: int
    circular: list[str]


@dataclass(frozen=True, slots=True)
class PreferenceModel:
    """The model behind a ranking, and the answers that it leaves out.

    `tie` is Davidson's nu; `side` is the chance that the left one of two equal sources is preferred, among answers that
    prefer one. Nobody knows the sides of `without_sides` of the `answers`: for them, the model assumes that neither is
    preferred. `length` is the log odds for a text twice as long, and `length_reason` says why there is none. `note`
    says for whom the intervals hold. `has_degrees`: some answers say how much better a source is.
    """

    criterion: str
    model: str
    has_degrees: bool
    answers: int
    both_bad: int
    other: int
    left_out: int
    by_side: int
    without_sides: int
    identical: int
    annotators: int
    conversations: int
    tie: Bounded = field(metadata=spread("tie"))
    side: Bounded = field(metadata=spread("side"))
    side_reason: str | None
    length: Bounded = field(metadata=spread("length"))
    length_reason: str | None
    note: str | None
    transitivity: Transitivity = field(metadata=spread())


@dataclass(frozen=True, slots=True)
class CriterionRanking:
    """The ranking of the sources on a criterion."""

    criterion: str
    model: PreferenceModel
    sources: list[RankedSource]
    pairs: list[RankedPair]

    @property
    def differing(self) -> list[RankedPair]:
        return [each for each in self.pairs if each.differs]

    @property
    def is_tested(self) -> bool:
        return any(each.differs is not None for each in self.pairs)

    @property
    def has_indirect(self) -> bool:
        return any(each.is_indirect for each in self.pairs)


def rankings(study: Study, votes: StudyVotes, sources: list[Source]) -> list[CriterionRanking]:
    """Return a ranking for each criterion that compares and has an answer."""
    criteria = compared_criteria(votes.spec)
    if not criteria:
        return []
    keys, identical = {source.pk: source.key for source in sources}, sum(identical_pairs(study).values())
    pairs = _Pairs.of(study, list(keys))
    found = [_Answers.of(study, votes, criterion, pairs) for criterion in criteria]
    return [each.ranking(list(keys.values()), study.seed, identical) for each in found if len(each.comparisons)]


def _rows(statement: str, n: int, *values: int | str) -> IntArray:
    """Return (n, rows) columns of a query."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return np.array(cursor.fetchall(), np.int64).reshape(-1, n).T


@dataclass(frozen=True, eq=False)
class _Pairs:
    """(N,) arrays of comparisons, ordered by id: the places of both sources, and log2 of first by second length.

    The length is NaN where neither text is known: two texts without a character would be identical, and not shown.
    """

    item: IntArray
    first: IntArray
    second: IntArray
    ratio: FloatArray
    n_sources: int

    @classmethod
    def of(cls, study: Study, sources: list[int]) -> "_Pairs":
        known, place = pairs_of_kind(study.pk, Batch.Kind.MAIN), {pk: at for at, pk in enumerate(sources)}
        item, *lengths = _rows(LENGTHS, 3, study.pk, Batch.Kind.MAIN)
        sides = np.array([[place[source] for source in known[pk]] for pk in item.tolist()], np.int64).reshape(-1, 2)
        first, second = np.log2(np.maximum(lengths, 1))
        ratio = np.where(np.any(lengths, axis=0), first - second, np.nan)
        return cls(item, sides[:, 0], sides[:, 1], ratio, len(sources))


@dataclass(frozen=True, eq=False)
class _Answers:
    """The answers to a criterion by side. `lengths`: log2 of the length of the left text by that of the right."""

    criterion: str
    comparisons: Comparisons
    lengths: FloatArray
    n_other: int
    has_degrees: bool

    @classmethod
    def of(cls, study: Study, votes: StudyVotes, criterion: CriterionSpec, pairs: _Pairs) -> "_Answers":
        chosen = np.flatnonzero(votes.of(criterion))
        outcomes = {each.id: OUTCOMES.get(Role(each.role)) for each in criterion.options if each.role in OUTCOMES}
        named = np.isin(votes.option[chosen], list(outcomes))
        rows = chosen[named]
        at = np.searchsorted(pairs.item, votes.items.id[votes.item[rows]])
        ratings, sides = _rows(SIDES, 2, study.pk, Batch.Kind.MAIN, criterion.id)
        side = sides[np.searchsorted(ratings, votes.rating[rows])] if len(rows) else np.zeros(0, np.int64)
        outcome = np.array([outcomes[option] or 0 for option in votes.option[rows].tolist()], np.int64)
        first, second, ratio = pairs.first[at], pairs.second[at], pairs.ratio[at]
        swapped: BoolArray = side == 1
        comparisons = Comparisons.of(
            pairs.n_sources,
            np.where(swapped, second, first),
            np.where(swapped, first, second),
            np.where(swapped & (outcome != BOTH_BAD), -outcome, outcome),
            annotator=votes.annotator[rows],
            cluster=votes.items.groups[votes.item[rows]],
            is_sided=side >= 0,
        )
        n_other, has_degrees = int((~named).sum()), _has_degrees(criterion, votes.option[rows])
        return cls(criterion.key, comparisons, np.where(swapped, -ratio, ratio), n_other, has_degrees)

    def ranking(self, keys: list[str], seed: int, identical: int) -> CriterionRanking:
        """Return the ranking of the sources that were compared, named by `keys`."""
        used = np.unique([self.comparisons.left, self.comparisons.right])
        names = [keys[at] for at in used]
        compared = self.comparisons.among(used)
        plain = rank(compared, seed=seed)
        adjusted, length = _at_equal_length(compared, self.lengths, seed)
        return CriterionRanking(
            criterion=self.criterion,
            model=self._model(plain, length, names, identical),
            sources=sources_of(self.criterion, plain, adjusted, names),
            pairs=pairs_of(self.criterion, plain, names),
        )

    def _model(self, found: Ranking, length: Estimate, names: list[str], identical: int) -> PreferenceModel:
        tested = found.consistency
        side = _bounded(found.side_bias)
        return PreferenceModel(
            criterion=self.criterion,
            model=found.model,
            has_degrees=self.has_degrees,
            answers=found.n,
            both_bad=found.n_both_bad,
            other=self.n_other,
            left_out=found.n_left_out,
            by_side=found.n_by_side,
            without_sides=found.n_unsided,
            identical=identical,
            annotators=found.n_annotators,
            conversations=found.n_clusters,
            tie=_bounded(found.tie),
            side=Bounded(*(None if each is None else _chance(each) for each in (side.value, side.low, side.high))),
            side_reason=found.side_bias.reason,
            length=_bounded(length),
            length_reason=length.reason,
            note=found.note,
            transitivity=Transitivity(
                transitivity_p=tested.p_value,
                transitivity_reason=tested.reason,
                n_triads=tested.n_triads,
                circular=[" > ".join(names[at] for at in (*triad, triad[0])) for triad in found.triads],
            ),
        )


def sources_of(criterion: str, found: Ranking, adjusted: Ranking | None, names: Sequence[str]) -> list[RankedSource]:
    """Return the sources from the best to the worst, those that no chain of answers places last."""
    answers = found.counts.compared.sum(axis=1)
    nothing = [NOTHING] * len(answers)
    at_equal_length = [_bounded(each.strength) for each in adjusted.sources] if adjusted else nothing
    rows = [
        RankedSource(
            criterion=criterion,
            source=names[each.source],
            strength=_bounded(each.strength),
            reason=each.strength.reason,
            elo=None if each.strength.value is None else ELO * each.strength.value,
            win_rate=_bounded(each.win_rate),
            best_rank=each.best_rank,
            worst_rank=each.worst_rank,
            answers=int(answers[each.source]),
            strength_at_equal_length=other,
        )
        for each, other in zip(found.sources, at_equal_length, strict=True)
    ]
    return [rows[each.source] for each in found.in_order]


def pairs_of(criterion: str, found: Ranking, names: Sequence[str]) -> list[RankedPair]:
    counts = found.counts
    known: Mapping[tuple[int, int], tuple[Bounded, Bounded, bool | None]] = {
        (each.first, each.second): (_bounded(each.win_rate), _bounded(each.difference), each.differs)
        for each in found.pairs
    }
    rows = []
    for a, b in combinations(range(len(names)), 2):
        answers, bad = int(counts.compared[a, b]), int(counts.both_bad[a, b])
        win_rate, difference, differs = known.get((a, b), (NOTHING, NOTHING, None))
        share = bad / (answers + bad) if answers + bad else None
        pair = (criterion, names[a], names[b])
        rows.append(RankedPair(*pair, win_rate, difference, differs, answers, bad, share, counts.is_one_way(a, b)))
    return rows


def _has_degrees(criterion: CriterionSpec, given: IntArray) -> bool:
    """Return whether two options for the same side, such as better and much better, were given."""
    used = set(given.tolist())
    roles = [each.role for each in criterion.options if each.id in used and each.role in (Role.LEFT, Role.RIGHT)]
    return len(roles) > len(set(roles))


def _at_equal_length(answers: Comparisons, lengths: FloatArray, seed: int) -> tuple[Ranking | None, Estimate]:
    """Return the ranking that takes out the length, and its effect; None and the reason where it is of no use."""
    if np.isnan(lengths).any():
        return None, Estimate(None, NO_TEXTS)
    if not lengths.any():
        return None, Estimate(None, SAME_LENGTHS)
    found = rank(answers.with_covariates(lengths), seed=seed)
    effect = found.covariates[0]
    if effect.value is None:
        return None, Estimate(None, OF_THE_LENGTH.get(effect.reason or "", effect.reason))
    if effect.low is None or effect.high is None or effect.high - effect.low > WIDEST:
        return None, Estimate(None, UNCERTAIN_LENGTH)
    return found, effect


def _bounded(found: Estimate) -> Bounded:
    return Bounded(found.value, found.low, found.high)


def _chance(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-log_odds)))
