"""The control chart of one annotator: agreement with the majority of the others, in the order of the answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from annotation.agreement_cells import counted_codes, n_counted
from annotation.selectors.answers import MOST_ANSWERS, latest_answers
from measures.arrays import BoolArray, IntArray
from measures.contributors import agrees_with_majority
from measures.drift import BASELINE_ITEMS, DROP, HIGHEST_BASELINE, Chart, cusum, ewma
from measures.estimate import NO_PAIRS, TOO_FEW_ITEMS, Estimate
from measures.intervals import wilson
from protocols.specs import CriterionSpec
from reporting.board.annotators import Person

FEWEST = 20  # answers with a majority: with fewer, an annotator has no chart and does not enter the median
UNKNOWN_ORDER = "unknown_order"
LATEST = 50  # answers in the latest share, which is shown beside the share of the first answers
CHARTS: Mapping[str, Callable[..., Chart]] = {"cusum": cusum, "ewma": ewma}
USUAL_CHART = "cusum"


@dataclass(frozen=True, slots=True)
class Course:
    """The answers of one annotator and their chart.

    `agrees` is 1, 0 or -1 (no majority) for each answer. `kind` is one of CHARTS. `is_own`: the baseline is the
    annotator's own first fifty answers. `is_whole`: no answer is left out.
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
        """Return the number of answers in the own baseline, including those without a majority; 0 without one."""
        if not self.is_own:
            return 0
        known = np.flatnonzero(self.agrees >= 0)
        return int(known[BASELINE_ITEMS - 1]) + 1 if len(known) >= BASELINE_ITEMS else len(self.agrees)

    @property
    def n_watched(self) -> int:
        """Return the number of answers with a majority after the baseline: at each the chart can raise an alarm."""
        return int((self.agrees[self.n_baseline :] >= 0).sum())

    @property
    def begun(self) -> Estimate:
        """Return the agreement in the first fifty answers with a majority, with its Wilson interval."""
        return _share(self.agrees[self.agrees >= 0][:BASELINE_ITEMS])

    @property
    def latest(self) -> Estimate:
        """Return the same as `begun` for the latest fifty answers."""
        return _share(self.agrees[self.agrees >= 0][-LATEST:])

    @property
    def beyond(self) -> BoolArray:
        """Return for each answer whether the chart is at its limit or beyond."""
        limit = self.chart.limit
        if limit is None:
            return np.zeros(len(self.agrees), bool)
        return self.chart.path <= limit if self.falls else self.chart.path >= limit

    @property
    def falls(self) -> bool:
        """Return True if the line falls when agreement falls."""
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
    """Return the course of one annotator; `kind` is one of CHARTS.

    `usual` is the baseline to use if the annotator's own first answers do not give one.
    """
    answers = latest_answers(person.pk, [criterion.id for criterion in criteria])
    agrees = np.full(len(answers.item), -1, np.int64)
    for criterion in criteria:
        mine: BoolArray = answers.criterion == criterion.id
        codes = counted_codes(answers.option[mine], criterion)
        agrees[mine] = agrees_with_majority(answers.item[mine], codes, n_counted(criterion))
    # The annotator's latest answers, in the order they were given.
    own = np.flatnonzero(answers.participant == person.pk)
    order = own[np.lexsort((answers.criterion[own], answers.item[own], answers.answered_ms[own]))][-MOST_ANSWERS:]
    agrees = agrees[order]
    times = tuple(datetime.fromtimestamp(ms / 1000, UTC) for ms in answers.answered_ms[order].tolist())
    is_whole = answers.is_whole and len(order) == len(own)
    chart, is_own = CHARTS[kind](agrees), True
    if chart.reason != TOO_FEW_ITEMS and len(set(times)) == 1:  # imported without times: all have that of the import
        chart = replace(chart, limit=None, alarm=None, reason=UNKNOWN_ORDER)
    elif chart.reason is not None and usual is not None and int((agrees >= 0).sum()) >= FEWEST:
        chart, is_own = CHARTS[kind](agrees, p0=usual), False
    return Course(person, kind, agrees, times, chart, is_own, is_whole)


def usual_agreement(people: Sequence[Person]) -> float | None:
    """Return the median agreement of the annotators, or None if it is too low to detect a drop."""
    shares = [each.majority.agreement.value for each in people if each.majority.kappa.n_items >= FEWEST]
    known = [share for share in shares if share is not None]
    median = min(float(np.median(known)), HIGHEST_BASELINE) if known else 0.0
    return median if median > 2 * DROP else None
