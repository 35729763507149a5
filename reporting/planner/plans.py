"""Compute how many dialogues and annotators a study needs, from plain values to plain values.

Differences are in points of the score: .10 is ten percentage points of a share. measures.planning has the formulas.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from measures.planning import (
    COMPONENTS,
    crossed_dialogues,
    crossed_power,
    detectable_difference,
    fewest_annotators,
    n_dialogues,
    power,
)

SHARE, SCALE = "share", "scale"
DEFAULTS, PILOT, MAIN, OWN = "defaults", "pilot", "main", "own"
# For answers that are positive or not, 67 per cent positive; docs/statistics.md (Planning) uses the same digits.
DEFAULT_BETWEEN, DEFAULT_WITHIN = 0.0388, 0.2927
RATINGS = (1, 2, 3, 5, 7)
STEPS = (0.05, 0.10, 0.15)  # differences, as parts of what the score spans
DIALOGUES = (25, 50, 100, 200, 400)
GROUPS = (1, 2, 4, 8, 16)  # of annotators, each with its own dialogues
FEWEST_DIALOGUES, FEWEST_ANNOTATORS = 20, 3  # variances from fewer are rough
FEWEST_RATINGS = 3
NOTABLE = 0.05  # of power


@dataclass(frozen=True, slots=True)
class Variances:
    """Variances of the difference of two sources, in squared points, and their origin.

    The counts say how much data they were estimated from; they are 0 for defaults and own values.
    """

    s_between: float
    s_within: float
    s_annotator: float
    origin: str
    n_pairs: int = 0
    n_dialogues: int = 0
    n_annotators: int = 0
    clipped: tuple[str, ...] = ()

    @property
    def parts(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in COMPONENTS}

    @property
    def is_rough(self) -> bool:
        return self.origin in (PILOT, MAIN) and (
            self.n_dialogues < FEWEST_DIALOGUES or self.n_annotators < FEWEST_ANNOTATORS
        )


def default_variances(span: float) -> Variances:
    """Return the variances of a share, stretched to `span`.

    For a scale this assumes that every answer is at one of its ends, so they are larger than real variances.
    """
    return Variances(DEFAULT_BETWEEN * span**2, DEFAULT_WITHIN * span**2, 0.0, DEFAULTS)


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """The question to the planner. `span` is the distance from the lowest to the highest score, 1 for a share.

    `n_dialogues` is None if the plan has to compute it; `n_annotators` is None if the same people rate everything.
    """

    unit: str
    span: float
    difference: float
    power: float
    level: float
    n_comparisons: int
    ratings: int
    n_annotators: int | None
    n_dialogues: int | None
    variances: Variances

    @property
    def level_each(self) -> float:
        """Return Bonferroni's level. The report uses Holm's correction, which detects as much or more."""
        return self.level / self.n_comparisons

    def annotators(self, ratings: int) -> int:
        """Return the annotators in the whole study: the requested number, but at least those that a dialogue needs."""
        return max(self.n_annotators or 0, ratings)

    def _shared(self, ratings: int) -> dict[str, Any]:
        annotators = self.annotators(ratings)
        return {**self.variances.parts, "n_annotators": annotators, "level": self.level_each}

    def needed(self, difference: float, ratings: int) -> int | None:
        shared = self._shared(ratings)
        return n_dialogues(difference, ratings, power=self.power, **shared).n_dialogues

    def detectable(self, dialogues: int, ratings: int) -> float:
        return detectable_difference(dialogues, ratings, power=self.power, **self._shared(ratings))

    def found_by_dialogues(self, dialogues: int) -> float:
        return power(self.difference, dialogues, self.ratings, **self._shared(self.ratings))

    def found_by_report(self, dialogues: int, annotators: int) -> float | None:
        shared = self._shared(self.ratings) | {"n_annotators": annotators}
        return crossed_power(self.difference, dialogues, self.ratings, **shared)

    def needed_by_report(self, annotators: int) -> int | None:
        if self.ratings < 2:
            return None
        shared = self._shared(self.ratings) | {"n_annotators": annotators}
        return crossed_dialogues(self.difference, self.ratings, power=self.power, **shared).n_dialogues


@dataclass(frozen=True, slots=True)
class Load:
    """The questions to rate, and the time and pay of a batch; None where the study does not say it yet."""

    n_sources: int
    n_per_source: int  # questions about each response of a dialogue
    n_per_dialogue: int  # questions about the dialogue itself
    batch_size: int | None
    minutes: int | None
    pay: float | None
    currency: str


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a plan. `n_turns` counts every batch once for each of its annotators."""

    ratings_each: int
    n_judgements: int
    n_batches: int | None
    n_turns: int | None
    hours_each: float | None
    hours: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """A row with a cell for each of `Grid.columns`; `chosen` is the index of the requested one, if it is here."""

    value: float
    cells: tuple[float | None, ...]
    chosen: int | None


@dataclass(frozen=True, slots=True)
class Grid:
    columns: tuple[int, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Crowd:
    """The power of the report's test with `n_annotators` in the whole study, and the dialogues that it needs."""

    n_annotators: int
    power: float | None
    n_dialogues: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """`n_needed` is None if no number of dialogues is enough; `n_dialogues` is the requested or the needed number."""

    question: PlannedTest
    n_needed: int | None
    n_dialogues: int | None
    n_annotators: int
    fewest_annotators: int
    power: float | None
    power_of_report: float | None
    detectable: float | None
    annotators_share: float | None
    work: Work | None
    by_difference: Grid
    by_dialogues: Grid
    by_annotators: tuple[Crowd, ...]
    advice: tuple[str, ...]


def make_plan(question: PlannedTest, load: Load) -> StudyPlan:
    needed = question.needed(question.difference, question.ratings)
    dialogues = question.n_dialogues or needed
    annotators = question.annotators(question.ratings)
    crowds = _by_annotators(question, dialogues)
    chosen = next(crowd for crowd in crowds if crowd.is_chosen)
    found = question.found_by_dialogues(dialogues) if dialogues else None
    fewest = fewest_annotators(
        question.difference, question.variances.s_annotator, power=question.power, level=question.level_each
    )
    differences = _with(question.difference, (step * question.span for step in STEPS))
    sizes = _with(dialogues, DIALOGUES) if dialogues else list(DIALOGUES)
    return StudyPlan(
        question=question,
        n_needed=needed,
        n_dialogues=dialogues,
        n_annotators=annotators,
        fewest_annotators=max(fewest, question.ratings),
        power=found,
        power_of_report=chosen.power,
        detectable=question.detectable(dialogues, question.ratings) if dialogues else None,
        annotators_share=_annotators_share(question, dialogues),
        work=_work(load, dialogues, question.ratings, annotators) if dialogues else None,
        by_difference=_grid(question, differences, question.difference, question.needed),
        by_dialogues=_grid(question, sizes, dialogues, question.detectable),
        by_annotators=crowds,
        advice=tuple(_advice(question, needed, found, chosen.power)),
    )


def _annotators_share(question: PlannedTest, dialogues: int | None) -> float | None:
    """Return the share of the variance of the mean difference that only more annotators reduce; None if it is 0."""
    parts = question.variances
    annotators = parts.s_annotator / question.annotators(question.ratings)
    if not dialogues or not annotators:
        return None
    return annotators / (annotators + (parts.s_between + parts.s_within / question.ratings) / dialogues)


def _work(load: Load, dialogues: int, ratings: int, annotators: int) -> Work:
    """Return the work of a plan. Time depends on dialogues, pay on batches, the last of which may be small."""
    batches = -(-dialogues // load.batch_size) if load.batch_size else None
    hours = dialogues / load.batch_size * ratings * load.minutes / 60 if load.batch_size and load.minutes else None
    turns = batches * ratings if batches else None
    return Work(
        ratings_each=dialogues * ratings,
        n_judgements=dialogues * ratings * (load.n_sources * load.n_per_source + load.n_per_dialogue),
        n_batches=batches,
        n_turns=turns,
        hours_each=hours / annotators if hours else None,
        hours=hours,
        cost=turns * load.pay if turns and load.pay is not None else None,
    )


def _grid(
    question: PlannedTest, values: list[Any], chosen: float | None, cell: Callable[[Any, int], float | None]
) -> Grid:
    """Return the grid of `cell(value, annotators per dialogue)`; `chosen` is the requested value."""
    columns = tuple(sorted({*RATINGS, question.ratings}))
    place = columns.index(question.ratings)
    rows = (
        Row(value, tuple(cell(value, ratings) for ratings in columns), place if value == chosen else None)
        for value in values
    )
    return Grid(columns, tuple(rows))


def _with(value: float, others: Iterable[float]) -> list[Any]:
    """Return `value` and the others in order, without others that differ from it only by rounding."""
    return sorted([value, *(other for other in others if abs(other - value) > 1e-9)])


def _by_annotators(question: PlannedTest, dialogues: int | None) -> tuple[Crowd, ...]:
    chosen = question.annotators(question.ratings)
    numbers = sorted({chosen, *(question.ratings * groups for groups in GROUPS)})
    return tuple(
        Crowd(
            n_annotators=number,
            power=question.found_by_report(dialogues, number) if dialogues else None,
            n_dialogues=question.needed_by_report(number),
            is_chosen=number == chosen,
        )
        for number in numbers
    )


def _advice(question: PlannedTest, needed: int | None, found: float | None, by_report: float | None) -> Iterable[str]:
    """Yield codes of advice, the most urgent first."""
    if needed is None:
        yield "more_annotators"
    elif question.variances.s_annotator:
        yield "annotators_differ"
    if question.ratings < FEWEST_RATINGS:
        yield "three_ratings"
    if found is not None and by_report is not None and by_report < found - NOTABLE:
        yield "few_annotators"
    if question.n_comparisons > 1:
        yield "comparisons"
    yield "more_dialogues"
