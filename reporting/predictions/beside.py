"""A metric beside people: may it replace them, what are the corrected scores, and how many items people rate next."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotation.models import Metric, Participant, Source
from measures.arrays import BoolArray
from measures.estimate import NO_VARIATION, Estimate
from measures.machines.alternative import EPSILON, SMALL_SAMPLE, AlternativeTest, alternative_test
from measures.machines.ceiling import INTERVAL, NOMINAL, Ceiling, human_ceiling
from measures.machines.corrected import Corrected, corrected_rate
from measures.machines.jackknife import jackknife
from measures.machines.judged import Judged
from measures.machines.powered import NO_JUDGE, Part, Powered, powered_mean
from measures.machines.systems import Systems, compare_systems
from measures.machines.telling import Telling, telling_of
from protocols.specs import CriterionSpec
from reporting.predictions.judging import Judging, judging_of
from reporting.predictions.table import NO_NUMBERS, Comparison, ItemSubset

NOT_ANSWERS = "not_answers"
CONSTANT = "constant"
CHANCE = "chance"


class Verdict(StrEnum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "not_known"


@dataclass(frozen=True, slots=True)
class Replacing:
    """May the metric replace people? `reason` says why the answer is not known, or is no whatever the test says.

    `test` and `telling` are None for scores that are not answers to the question.
    """

    verdict: Verdict
    reason: str | None
    test: AlternativeTest | None
    telling: Telling | None = None

    @property
    def is_lopsided(self) -> bool:
        """Return whether a yes needs a caution: people nearly always gave one answer."""
        return self.verdict == Verdict.YES and self.telling is not None and self.telling.is_lopsided


@dataclass(frozen=True, eq=False)
class SourceScores:
    """The scores of one source, or of all items (None).

    `judge` is the metric's own mean. `corrected` is None unless the numbers of the scale are 0 and 1.
    """

    source: Source | None
    judge: Estimate
    powered: Powered
    corrected: Corrected | None


@dataclass(frozen=True, slots=True)
class PartCeiling:
    """The human ceiling on a subset of the items."""

    part: ItemSubset
    measures: list[Ceiling]


@dataclass(frozen=True, eq=False)
class Beside:
    """`scores` is None if the options have no numbers and none is positive; its first entry is about all items."""

    judging: Judging
    replacing: Replacing
    scores: list[SourceScores] | None
    systems: Systems | None

    @property
    def has_shifted_scores(self) -> bool:
        """Return whether a yes needs a caution: the metric's own mean is not that of people."""
        if not self.scores:
            return False
        together = self.scores[0].powered.estimate
        return is_shifted(self.replacing.verdict, self.scores[0].judge.value, together.low, together.high)


def beside_people(
    comparison: Comparison, metric: Metric, criterion: CriterionSpec, *, epsilon: float = EPSILON
) -> Beside:
    judging = judging_of(comparison, metric, criterion)
    part = judging.part
    if part is None:
        return Beside(judging, replacing_of(judging, epsilon), None, None)
    sources = comparison.sources
    return Beside(
        judging,
        replacing_of(judging, epsilon),
        list(_scores(judging, part, sources)),
        _systems(judging, part, sources, comparison.study.seed),
    )


def replacing_of(judging: Judging, epsilon: float = EPSILON) -> Replacing:
    if judging.answers is None or judging.level is None:
        return Replacing(Verdict.UNKNOWN, NOT_ANSWERS, None)
    test = alternative_test(judging.answers, judging.level, epsilon=epsilon)
    telling = telling_of(judging.answers, judging.level)
    return Replacing(*_verdict(judging.answers, test, telling), test, telling)


def _verdict(answers: Judged, test: AlternativeTest, telling: Telling) -> tuple[Verdict, str | None]:
    if test.passes is None:
        return Verdict.UNKNOWN, test.winning_rate.reason
    # Where people nearly always give one answer, a metric that knows no other passes the test and tells nothing.
    if telling.n_same == telling.n_items:
        varies = np.ptp(answers.rated_by(1).value) > 0
        return (Verdict.NO, CONSTANT) if varies else (Verdict.UNKNOWN, NO_VARIATION)
    if not test.passes:
        return Verdict.NO, None
    if SMALL_SAMPLE in test.winning_rate.warnings:
        return Verdict.UNKNOWN, SMALL_SAMPLE
    return (Verdict.YES, None) if telling.is_told_from_chance else (Verdict.UNKNOWN, CHANCE)


def is_shifted(verdict: str, own: float | None, low: float | None, high: float | None) -> bool:
    """Return whether a yes needs a caution: the metric's own mean is outside the interval of the corrected mean."""
    if verdict != Verdict.YES or own is None or low is None or high is None:
        return False
    return not low <= own <= high


def pseudonyms_in(replacing: Replacing) -> dict[int, str]:
    """Return {participant id: pseudonym} of the annotators of the test."""
    ids = [each.annotator for each in replacing.test.annotators] if replacing.test else []
    return dict(Participant.objects.filter(pk__in=ids).values_list("pk", "pseudonym"))


def _scores(judging: Judging, part: Part, sources: list[Source]) -> Iterator[SourceScores]:
    whole = np.ones(len(part.judge), bool)
    yield _score(judging, part, None, whole)
    of_item = judging.source[judging.is_answered]
    for source in sources:
        mine = of_item == source.pk
        if mine.any():
            yield _score(judging, part, source, mine)


def _score(judging: Judging, part: Part, source: Source | None, mine: BoolArray) -> SourceScores:
    own = part.some(mine)
    return SourceScores(
        source,
        _own_mean(judging, mine),
        powered_mean(own, bounds=judging.ends),
        corrected_rate(own) if judging.is_binary else None,
    )


def _own_mean(judging: Judging, mine: BoolArray) -> Estimate:
    """Return the metric's mean in its own unit, also where lower is better."""
    if judging.numbers is None:
        return Estimate(None, NO_NUMBERS)
    said = judging.is_answered
    values, cluster = judging.numbers.judge[said][mine], judging.numbers.cluster[said][mine]
    if not len(values):
        return Estimate(None, NO_JUDGE)
    return jackknife(values[:, None], cluster, lambda means: means[:, 0], judging.ends_of_judge)


def _systems(judging: Judging, part: Part, sources: list[Source], seed: int) -> Systems:
    known = np.array([source.pk for source in sources], np.int64)
    of_item = judging.source[judging.is_answered]
    mine = np.isin(of_item, known)
    order = np.argsort(known)
    place = order[np.searchsorted(known[order], of_item[mine])] if len(known) else of_item[mine]
    return compare_systems(part.some(mine), place, len(known), seed=seed)


# The human ceiling


def ceilings_of(comparison: Comparison, judging: Judging) -> Iterator[PartCeiling]:
    """Yield the ceiling on all items, on each source and on each value of each field, as far as these have items."""
    for part in comparison.parts(judging.criterion):
        if part.chosen.any() and (measures := ceiling_of(judging, judging.within(part))):
            yield PartCeiling(part, measures)


def ceiling_of(judging: Judging, chosen: BoolArray | None = None) -> list[Ceiling]:
    """Return accuracy and kappa of labels, the root mean square error of answers in numbers, and a correlation."""
    found: list[Ceiling] = []
    for judged, level in ((judging.labels, NOMINAL), (judging.numbers, INTERVAL)):
        if judged is not None:
            found += human_ceiling(_kept(judged, chosen), level)
    # A score in another unit has no distance to an answer, but may go along with it.
    return [each for each in found if each.measure != "rmse" or judging.level == INTERVAL]


def _kept(judged: Judged, chosen: BoolArray | None) -> Judged:
    return judged if chosen is None else judged.some(chosen)


def most_telling(ceiling: list[Ceiling]) -> Ceiling | None:
    """Return accuracy or the correlation against one other vote, for a table with one measure; None without any."""
    return next((each for each in ceiling if each.measure in ("accuracy", "pearson")), None)
