"""Compute how many dialogues and annotators a study needs, from plain values to plain values.

Differences are in points of the score: .10 is ten percentage points of a share. measures.planning has the formulas.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from measures import layouts
from measures.layouts import ComparedLayout, Layout, RatedLayout
from measures.planning import (
    MOST,
    crossed_annotators,
    crossed_dialogues,
    crossed_difference,
    crossed_power,
    detectable_difference,
    n_dialogues,
    power,
)
from reporting.planner.variances import SCALE, WINS, Variances

USUAL_BATCH = 10
RATINGS = (1, 2, 3, 5, 7)
MOST_RATINGS = 50  # annotators per dialogue, in the form and in advice
STEPS = (0.05, 0.10, 0.15)  # differences, as parts of what the score spans
DIALOGUES = (25, 50, 100, 200, 400)
TEAMS = (1, 2, 4, 8, 16)  # times the annotators of a batch
FEWEST_RATINGS = 3
NOTABLE = 0.05  # of power
FEWER = 0.9  # of the dialogues, to be worth more annotators
NEW_ANNOTATORS, THESE_ANNOTATORS = "new_annotators", "these_annotators"


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """The question to the planner. `span` is the distance from the lowest to the highest score, 1 for a share.

    `n_dialogues` is None if the plan has to compute it; `n_annotators` is None if the same people rate everything.
    `turns` are those of a dialogue, and `pairs` the pairs of sources that are compared in it. Without `is_matched`,
    each source has dialogues of its own, and `n_dialogues` are those of one source.
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
    batch_size: int = USUAL_BATCH
    turns: int = 1
    n_sources: int = 2
    pairs: int = 1
    is_matched: bool = True

    @property
    def is_percent(self) -> bool:
        return self.unit != SCALE

    @property
    def level_each(self) -> float:
        """Return Bonferroni's level. The report uses Holm's correction, which detects as much or more."""
        return self.level / self.n_comparisons

    def annotators(self, ratings: int) -> int:
        """Return the annotators in the whole study: the requested number, but at least those that a dialogue needs."""
        return max(self.n_annotators or 0, ratings)

    def layout(self, dialogues: int, ratings: int, annotators: int) -> Layout:
        shared = {
            "dialogues": dialogues,
            "ratings": ratings,
            "annotators": annotators,
            "batch_size": self.batch_size,
            "sources": self.n_sources,
        }
        if self.unit == WINS:
            return ComparedLayout(**shared, pairs=self.pairs)
        return RatedLayout(**shared, turns=self.turns, is_matched=self.is_matched)

    @property
    def spread(self) -> layouts.Variances:
        return layouts.Variances(**self.variances.parts)

    @property
    def of_dialogue(self) -> layouts.Variances:
        """Return the variances with which a whole dialogue counts: the mean over its turns, or all its pairs."""
        return self.layout(2, self.ratings, self.ratings).of_dialogue(self.spread)

    def ratings_each(self, dialogues: int, ratings: int) -> int:
        """Return the ratings of each source, or the answers about each pair of sources."""
        n = dialogues * ratings
        if self.unit != WINS:
            return n * self.turns
        return round(n * self.pairs / (self.n_sources * (self.n_sources - 1) / 2))

    @property
    def test(self) -> str:
        """Return whom the plan's test holds for: new annotators as in the report, or these if it has no such test."""
        layout = self.layout(self.n_dialogues or MOST, self.ratings, self.annotators(self.ratings))
        return NEW_ANNOTATORS if layout.is_testable else THESE_ANNOTATORS

    def _asked(self) -> dict[str, Any]:
        return {"power": self.power, "level": self.level_each}

    def _these(self, ratings: int) -> dict[str, Any]:
        of = self.of_dialogue
        parts = {"s_between": of.s_between, "s_within": of.s_within, "s_annotator": of.s_annotator}
        return {**parts, "n_annotators": self.annotators(ratings)}

    def needed(self, difference: float, ratings: int) -> int | None:
        if self.test == NEW_ANNOTATORS:
            return self.needed_for_new(difference, ratings, self.annotators(ratings))
        return self.needed_for_these(difference, ratings)

    def needed_for_these(self, difference: float, ratings: int) -> int:
        return n_dialogues(difference, ratings, **self._asked(), **self._these(ratings))

    def needed_for_new(self, difference: float, ratings: int, annotators: int) -> int | None:
        layout = self.layout(2, ratings, annotators)
        return crossed_dialogues(difference, layout, self.spread, **self._asked()).n_dialogues

    def detectable(self, dialogues: int, ratings: int) -> float | None:
        """Return None if there is no test, or if no two sources can differ by as much."""
        if self.test == NEW_ANNOTATORS:
            layout = self.layout(dialogues, ratings, self.annotators(ratings))
            found = crossed_difference(layout, self.spread, **self._asked())
        else:
            found = detectable_difference(dialogues, ratings, **self._asked(), **self._these(ratings))
        return None if found is None or found >= self.span else found

    def found_for_these(self, dialogues: int) -> float:
        return power(self.difference, dialogues, self.ratings, level=self.level_each, **self._these(self.ratings))

    def found_for_new(self, dialogues: int, annotators: int, difference: float | None = None) -> float | None:
        layout = self.layout(dialogues, self.ratings, annotators)
        asked = self.difference if difference is None else difference
        return crossed_power(asked, layout, self.spread, level=self.level_each)

    def fewest_annotators(self, dialogues: int = MOST) -> int | None:
        """Return the annotators in total with whom so many dialogues are enough, None if more do not help."""
        layout = self.layout(dialogues, self.ratings, self.ratings)
        return crossed_annotators(self.difference, layout, self.spread, **self._asked())

    def enough_ratings(self, dialogues: int) -> int | None:
        """Return the fewest annotators per dialogue with whom so many dialogues are enough, None if there are none."""

        def reaches(ratings: int) -> bool:
            asked = replace(self, ratings=ratings)
            return (asked.found_for_new(dialogues, self.annotators(ratings)) or 0.0) >= self.power

        return next((n for n in range(self.ratings + 1, MOST_RATINGS + 1) if reaches(n)), None)


@dataclass(frozen=True, slots=True)
class Load:
    """The questions to rate, and the time and pay of a batch; None where the study does not say it yet.

    Minutes and pay are for a batch of the study as it is, in which each annotator makes `n_in_batch` judgements; None
    if the study has no usual batch, so that they are for one of the plan.
    """

    n_sources: int
    n_per_source: int  # questions about each response of a dialogue
    n_per_dialogue: int  # questions about the dialogue itself
    n_per_pair: int  # questions that compare two sources
    batch_size: int | None
    minutes: int | None
    pay: float | None
    currency: str
    n_in_batch: int | None = None

    def of_dialogue(self, turns: int, pairs: int, *, is_matched: bool) -> int:
        """Return one annotator's judgements about a dialogue, or about one of each source if they have their own."""
        about_whole = self.n_per_dialogue * (1 if is_matched else self.n_sources)
        return turns * self.n_sources * self.n_per_source + pairs * self.n_per_pair + about_whole


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a plan. `n_turns` counts every batch once for each of its annotators.

    `planned_in_batch` are one annotator's judgements in a full batch of the plan. `pay_of_batch` is what it earns: the
    study's pay, in proportion to the judgements if its batches are of another size.

    `n_working` annotators get a batch and share the hours.
    """

    ratings_each: int
    n_judgements: int
    n_batches: int | None
    n_turns: int | None
    n_working: int
    minutes_of: float | None  # judgements in the minutes of a batch
    hours_each: float | None
    hours: float | None
    planned_in_batch: float | None
    pay_of_batch: float | None
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
    """A plan for the test of the report, or for another where `question.test` says so.

    `n_needed` is None if no number of dialogues is enough; `n_dialogues` is the requested or the needed number.
    `fewest_annotators` in total are enough with some number of dialogues, `enough_annotators` with `n_dialogues`, and
    `enough_ratings` are annotators per dialogue that are enough with `n_dialogues`.
    The numbers `for_these_annotators` are of a test over dialogues: of a difference in the mean of these annotators.
    `false_alarms` is how often the test of the report finds a difference that does not exist.
    """

    question: PlannedTest
    test: str
    n_needed: int | None
    n_dialogues: int | None
    n_annotators: int
    fewest_annotators: int | None
    enough_annotators: int | None
    enough_ratings: int | None
    power: float | None
    n_needed_for_these_annotators: int
    power_for_these_annotators: float | None
    false_alarms: float | None
    detectable: float | None
    annotators_share: float | None
    work: Work | None
    by_difference: Grid
    by_dialogues: Grid
    by_annotators: tuple[Crowd, ...]

    @property
    def is_by_the_same(self) -> bool:
        """Whether the same annotators rate everything."""
        return self.n_annotators == self.question.ratings

    @property
    def is_short(self) -> bool:
        """Whether the requested dialogues find the difference less often than requested."""
        return self.power is not None and self.power < self.question.power


def make_plan(question: PlannedTest, load: Load) -> StudyPlan:
    needed = question.needed(question.difference, question.ratings)
    dialogues, annotators = question.n_dialogues or needed, question.annotators(question.ratings)
    found = question.found_for_new(dialogues, annotators) if dialogues else None
    for_these = question.found_for_these(dialogues) if dialogues else None
    reached = found if question.test == NEW_ANNOTATORS else for_these
    is_short = reached is not None and reached < question.power
    differences = _with(question.difference, (step * question.span for step in STEPS))
    sizes = _with(dialogues, DIALOGUES) if dialogues else list(DIALOGUES)
    return StudyPlan(
        question=question,
        test=question.test,
        n_needed=needed,
        n_dialogues=dialogues,
        n_annotators=annotators,
        fewest_annotators=question.fewest_annotators(),
        enough_annotators=question.fewest_annotators(dialogues) if dialogues and is_short else None,
        enough_ratings=question.enough_ratings(dialogues) if dialogues and is_short else None,
        power=reached,
        n_needed_for_these_annotators=question.needed_for_these(question.difference, question.ratings),
        power_for_these_annotators=for_these,
        false_alarms=question.found_for_new(dialogues, annotators, 0.0) if dialogues else None,
        detectable=question.detectable(dialogues, question.ratings) if dialogues else None,
        annotators_share=_annotators_share(question, dialogues),
        work=_work(question, load, dialogues, annotators) if dialogues else None,
        by_difference=_grid(question, differences, question.difference, question.needed),
        by_dialogues=_grid(question, sizes, dialogues, question.detectable),
        by_annotators=_by_annotators(question, dialogues),
    )


def _annotators_share(question: PlannedTest, dialogues: int | None) -> float | None:
    """Return the share of the variance of the mean difference that only more annotators reduce; None if it is 0."""
    parts = question.of_dialogue
    if not dialogues or not parts.s_annotator:
        return None
    layout = question.layout(dialogues, question.ratings, question.annotators(question.ratings))
    annotators = parts.s_annotator * layout.concentration
    return annotators / (annotators + (parts.s_between + parts.s_within / question.ratings) / dialogues)


def _work(question: PlannedTest, load: Load, dialogues: int, annotators: int) -> Work:
    """Return the work of a plan. Time depends on judgements, pay on batches, the last of which may be small."""
    ratings, own = question.ratings, 1 if question.is_matched else load.n_sources
    each = load.of_dialogue(question.turns, question.pairs, is_matched=question.is_matched)
    batches = -(-dialogues * own // load.batch_size) if load.batch_size else None
    planned = each * load.batch_size / own if load.batch_size else None
    minutes_of = load.n_in_batch or planned
    judgements = dialogues * ratings * each
    hours = judgements / minutes_of * load.minutes / 60 if minutes_of and load.minutes else None
    turns = batches * ratings if batches else None
    pay = _pay_of_batch(load, planned)
    working = question.layout(dialogues, ratings, annotators).working
    return Work(
        ratings_each=question.ratings_each(dialogues, ratings),
        n_judgements=judgements,
        n_batches=batches,
        n_turns=turns,
        n_working=working,
        minutes_of=minutes_of,
        hours_each=hours / working if hours else None,
        hours=hours,
        planned_in_batch=planned,
        pay_of_batch=pay,
        cost=turns * pay if turns and pay is not None else None,
    )


def _pay_of_batch(load: Load, planned: float | None) -> float | None:
    if load.pay is None or planned is None:
        return None
    if not load.n_in_batch or round(planned) == load.n_in_batch:
        return load.pay
    return load.pay * planned / load.n_in_batch


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
    numbers = sorted({chosen, *(question.ratings * teams for teams in TEAMS)})
    return tuple(
        Crowd(
            n_annotators=number,
            power=question.found_for_new(dialogues, number) if dialogues else None,
            n_dialogues=question.needed_for_new(question.difference, question.ratings, number),
            is_chosen=number == chosen,
        )
        for number in numbers
    )
