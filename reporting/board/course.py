"""One annotator in the order of their answers: a control chart of agreement with the majority of the others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from annotation.agreement_cells import counted_codes, n_counted
from annotation.selectors.answers import MOST_ANSWERS, StudyAnswers, latest_answers
from measures.arrays import BoolArray, IntArray
from measures.contributors import agrees_with_majority
from measures.drift import BASELINE_ITEMS, DROP, HIGHEST_BASELINE, Chart, cusum, ewma
from measures.estimate import NO_PAIRS, Estimate
from measures.intervals import wilson
from protocols.specs import CriterionSpec
from reporting.board.annotators import Person

FEWEST = 20  # answers with a majority: below, nothing is said about anybody
LATEST = 50  # answers whose share stands beside the one in the beginning
CHARTS: Mapping[str, Callable[..., Chart]] = {"cusum": cusum, "ewma": ewma}
USUAL_CHART = "cusum"


@dataclass(frozen=True, slots=True)
class Course:
    """`agrees` is 1, 0 or -1 (no majority) by answer; `is_own`: held to the own first fifty; `is_whole`: all shown.

    `kind` is one of CHARTS.
    """

    person: Person
    kind: str
    agrees: IntArray
    answered_at: tuple[datetime, ...]
    chart: Chart
    is_own: bool
    is_whole: bool

    @property
    def n_known(self) -> int:
        return int((self.agrees >= 0).sum())

    @property
    def n_baseline(self) -> int:
        """Answers, those without majority included, that were needed for the first fifty with one."""
        if not self.is_own:
            return 0
        known = np.flatnonzero(self.agrees >= 0)
        return int(known[BASELINE_ITEMS - 1]) + 1 if len(known) >= BASELINE_ITEMS else len(self.agrees)

    @property
    def n_watched(self) -> int:
        """Answers with a majority that the chart could raise an alarm at."""
        return int((self.agrees[self.n_baseline :] >= 0).sum())

    @property
    def begun(self) -> Estimate:
        """Agreement in the first answers with a majority, with its Wilson interval."""
        return _share(self.agrees[self.agrees >= 0][:BASELINE_ITEMS])

    @property
    def latest(self) -> Estimate:
        """As `begun`, in the latest answers."""
        return _share(self.agrees[self.agrees >= 0][-LATEST:])

    @property
    def beyond(self) -> BoolArray:
        """By answer: whether the chart stands at its limit or beyond."""
        limit = self.chart.limit
        if limit is None:
            return np.zeros(len(self.agrees), bool)
        return self.chart.path <= limit if self.falls else self.chart.path >= limit

    @property
    def falls(self) -> bool:
        """Whether the line goes down when somebody agrees less."""
        return self.kind == "ewma"

    @property
    def alarm_at(self) -> datetime | None:
        return None if self.chart.alarm is None else self.answered_at[self.chart.alarm]


def _share(agrees: IntArray) -> Estimate:
    n, same = len(agrees), int(agrees.sum())
    if not n:
        return Estimate(None, NO_PAIRS)
    limits = wilson(same, n)
    return Estimate(same / n, low=limits.low, high=limits.high, n_items=n)


def course_of(person: Person, criteria: tuple[CriterionSpec, ...], usual: float | None, kind: str) -> Course:
    """`usual`: the agreement to hold somebody to whose own beginning says too little; `kind`: one of CHARTS."""
    answers = latest_answers(person.pk, [criterion.id for criterion in criteria])
    agrees = np.full(len(answers.item), -1, np.int64)
    for criterion in criteria:
        mine: BoolArray = answers.criterion == criterion.id
        codes = counted_codes(answers.option[mine], criterion)
        agrees[mine] = agrees_with_majority(answers.item[mine], codes, n_counted(criterion))
    order = _own(answers, person.pk)
    agrees = agrees[order]
    times = tuple(datetime.fromtimestamp(ms / 1000, UTC) for ms in answers.answered_ms[order].tolist())
    is_whole = answers.is_whole and len(order) == int((answers.participant == person.pk).sum())
    chart, is_own = _chart(CHARTS[kind], agrees, usual)
    return Course(person, kind, agrees, times, chart, is_own, is_whole)


def usual_agreement(people: Sequence[Person]) -> float | None:
    """The median of the annotators, where there is one that a drop can be told from."""
    shares = [each.majority.agreement.value for each in people if each.majority.kappa.n_items >= FEWEST]
    known = [share for share in shares if share is not None]
    median = min(float(np.median(known)), HIGHEST_BASELINE) if known else 0.0
    return median if median > 2 * DROP else None


def _chart(drawn: Callable[..., Chart], agrees: IntArray, usual: float | None) -> tuple[Chart, bool]:
    """Against the own beginning if that can be done, and whether it was."""
    own = drawn(agrees)
    if own.reason is None or usual is None or int((agrees >= 0).sum()) < FEWEST:
        return own, True
    return drawn(agrees, p0=usual), False


def _own(answers: StudyAnswers, participant: int) -> IntArray:
    """Places of the annotator's latest answers, in the order they were given."""
    own = np.flatnonzero(answers.participant == participant)
    keys = (answers.criterion[own], answers.item[own], answers.answered_ms[own])
    return own[np.lexsort(keys)][-MOST_ANSWERS:]
