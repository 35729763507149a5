"""Judges beside people: the alternative annotator test, the human ceiling, and scores that both give together.

A judge is a metric whose answers are labels, or numbers on the scale of the question.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from annotation.models import Metric
from measures.estimate import Estimate
from measures.machines.alternative import AlternativeTest
from measures.machines.ceiling import Ceiling
from measures.machines.corrected import Corrected
from measures.machines.powered import Powered, powered_difference
from protocols.specs import CriterionSpec
from reporting.predictions.beside import Beside, beside_people, ceiling_of, pseudonyms_in
from reporting.predictions.table import Comparison
from reporting.study.plain import spread


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its 95 % interval. Without one, `reason` or `note` says why; `note` also says that it is rough."""

    value: float | None
    low: float | None
    high: float | None
    note: str | None
    reason: str | None


def figure_of(found: Estimate) -> Figure:
    note = found.interval_note or next(iter(found.warnings), None)
    return Figure(found.value, found.low, found.high, note, found.reason)


@dataclass(frozen=True, slots=True)
class Of:
    """The judge and the criterion that a row is about."""

    judge: str
    name: str
    criterion: str


@dataclass(frozen=True, slots=True)
class JudgeTest:
    """May the judge replace people? `verdict` is yes, no or not_known; for the last two, `reason` may say why."""

    of: Of = field(metadata=spread())
    verdict: str
    reason: str | None
    epsilon: float
    winning_rate: Figure = field(metadata=spread("winning_rate"))
    advantage: Figure = field(metadata=spread("advantage"))
    n_tested: int
    n_annotators: int


@dataclass(frozen=True, slots=True)
class TestedAnnotator:
    """The judge against one annotator: the share of items on which each is as good as the other.

    `p_corrected` is Benjamini and Yekutieli's. Without a test, `p`, `p_corrected` and `wins` are None.
    """

    of: Of = field(metadata=spread())
    annotator: str
    n_items: int
    advantage: float | None
    own: float | None
    test: str | None
    p: float | None
    p_corrected: float | None
    wins: bool | None


@dataclass(frozen=True, slots=True)
class HumanCeiling:
    """The agreement of one answer with others, and that of the judge with them; `against` is one_other or rest."""

    of: Of = field(metadata=spread())
    against: str
    measure: str
    people: Figure = field(metadata=spread("people"))
    by_judge: Figure = field(metadata=spread("by_judge"))
    difference: Figure = field(metadata=spread("difference"))
    n_items: int
    n_ratings: int
    n_left_out: int


@dataclass(frozen=True, slots=True)
class JudgeScore:
    """The mean of a source, or of all items (None): of the judge, of people, and of both together (PPI++).

    `power` is lambda. The corrected rate is for answers of 0 and 1. `further`: so many more items halve the interval;
    if none do, `further_reason` says why.
    """

    of: Of = field(metadata=spread())
    source: str | None
    alone: Figure = field(metadata=spread("alone"))
    people: Figure = field(metadata=spread("people"))
    together: Figure = field(metadata=spread("together"))
    power: float | None
    corrected: Figure = field(metadata=spread("corrected"))
    sensitivity: float | None
    specificity: float | None
    n_rated: int
    n_answered: int
    further: int | None
    further_reason: str | None


@dataclass(frozen=True, slots=True)
class JudgeDifference:
    """The mean of source a minus that of source b, of people and judge together."""

    of: Of = field(metadata=spread())
    source_a: str
    source_b: str
    difference: Figure = field(metadata=spread("difference"))


@dataclass(frozen=True, slots=True)
class Judges:
    tests: list[JudgeTest]
    annotators: list[TestedAnnotator]
    ceiling: list[HumanCeiling]
    scores: list[JudgeScore]
    differences: list[JudgeDifference]


@dataclass(frozen=True, eq=False)
class Scored:
    """The means of a source, or of all items (None); `corrected` is None for answers other than 0 and 1."""

    source: str | None
    alone: Estimate
    powered: Powered
    corrected: Corrected | None


NOTHING = Figure(None, None, None, None, None)


def judges(comparison: Comparison) -> Judges:
    found = Judges([], [], [], [], [])
    for metric, criterion in comparison.pairs:
        beside = beside_people(comparison, metric, criterion)
        if beside.replacing.test:
            _add(found, Of(metric.key, _short_name(metric, criterion), criterion.key), beside, beside.replacing.test)
    return found


def _short_name(metric: Metric, criterion: CriterionSpec) -> str:
    """Return the name of a judge without that of its criterion, which a row has beside it."""
    return metric.name.removesuffix(f":{criterion.key}")


def _add(found: Judges, of: Of, beside: Beside, test: AlternativeTest) -> None:
    scored = [
        Scored(each.source.key if each.source else None, each.judge, each.powered, each.corrected)
        for each in beside.scores or ()
    ]
    pseudonyms = pseudonyms_in(beside.replacing)
    found.tests.append(test_row(of, beside.replacing.verdict.value, beside.replacing.reason, test))
    found.annotators.extend(annotator_rows(of, test, lambda pk: pseudonyms.get(pk, "–")))
    found.ceiling.extend(ceiling_rows(of, ceiling_of(beside.judging)))
    found.scores.extend(score_rows(of, scored))
    found.differences.extend(difference_rows(of, scored))


def test_row(of: Of, verdict: str, reason: str | None, test: AlternativeTest) -> JudgeTest:
    rates = (figure_of(test.winning_rate), figure_of(test.advantage))
    return JudgeTest(of, verdict, reason, test.epsilon, *rates, test.winning_rate.n_pairs, len(test.annotators))


def annotator_rows(of: Of, test: AlternativeTest, name_of: Callable[[int], str]) -> Iterable[TestedAnnotator]:
    for each in test.annotators:
        yield TestedAnnotator(
            of=of,
            annotator=name_of(each.annotator),
            n_items=each.advantage.n_items,
            advantage=each.advantage.value,
            own=each.own,
            test=each.test,
            p=each.p_value,
            p_corrected=each.adjusted_p,
            wins=each.is_won,
        )


def ceiling_rows(of: Of, measures: Iterable[Ceiling]) -> Iterable[HumanCeiling]:
    for each in measures:
        yield HumanCeiling(
            of=of,
            against=each.against,
            measure=each.measure,
            people=figure_of(each.people),
            by_judge=figure_of(each.judge),
            difference=figure_of(each.difference),
            n_items=each.people.n_items,
            n_ratings=each.people.n_ratings,
            n_left_out=each.people.n_left_out,
        )


def score_rows(of: Of, scored: Iterable[Scored]) -> Iterable[JudgeScore]:
    for each in scored:
        together, rate = each.powered.estimate, each.corrected
        yield JudgeScore(
            of=of,
            source=each.source,
            alone=figure_of(each.alone),
            people=figure_of(each.powered.people),
            together=figure_of(together),
            power=each.powered.power,
            corrected=figure_of(rate.estimate) if rate else NOTHING,
            sensitivity=rate.sensitivity if rate else None,
            specificity=rate.specificity if rate else None,
            n_rated=together.n_items,
            n_answered=together.n_ratings,
            further=each.powered.further.n,
            further_reason=each.powered.further.reason,
        )


def difference_rows(of: Of, scored: Sequence[Scored]) -> Iterable[JudgeDifference]:
    known = [(each.source, each.powered) for each in scored if each.source is not None]
    for (first, of_first), (second, of_second) in combinations(known, 2):
        yield JudgeDifference(of, first, second, figure_of(powered_difference(of_first, of_second)))
