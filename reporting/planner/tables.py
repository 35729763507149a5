"""Show a plan as numbers with explanations, as tables of them, and as a chart."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from reporting.charts import Curve, CurveWords, curve_figure
from reporting.explained import Figure
from reporting.planner.formulas import exact, found_formula, needed_formula
from reporting.planner.plans import NEW_ANNOTATORS, NOTABLE, Crowd, Grid, Load, PlannedTest, StudyPlan, Work
from reporting.planner.sentences import (
    COMPONENT_NAMES,
    NO_TEST,
    ONLY_THESE,
    UNKNOWN,
    annotators,
    asked_power,
    assumed,
    dialogues,
    duration,
    each,
    level_line,
    money,
    no_number,
    percent,
    points,
    shown,
)
from reporting.planner.variances import WINS

SECOND_TEST = gettext_noop(
    "The test in the report also treats annotators as a sample. It can only learn from their answers "
    "how much annotators differ, so few annotators cost power even when they do not differ."
)
COMPONENT_MEANINGS = {
    "s_between": gettext_noop(
        "Variance of the difference between two sources across dialogues. More dialogues reduce its contribution."
    ),
    "s_turn": gettext_noop(
        "Variance of the difference between two sources across the turns of a dialogue. More turns and more dialogues "
        "reduce its contribution."
    ),
    "s_within": gettext_noop(
        "Variance of individual annotators' answers about the difference. More dialogues reduce its "
        "contribution, and so do more annotators per dialogue."
    ),
    "s_annotator": gettext_noop(
        "Variance of annotators' general preference for a source. Only more annotators in total reduce "
        "its contribution."
    ),
}
N_POINTS = 12


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table: numbers, and for each whether it is the requested one."""

    heading: str
    cells: tuple[tuple[Figure, bool], ...]


# --- its numbers ---------------------------------------------------------------------------------------
def facts(plan: StudyPlan, load: Load) -> list[Fact]:
    question = plan.question
    if question.n_dialogues is None:
        size = needed_figure(question, question.difference, question.ratings, plan.n_needed)
    else:
        entered = _("%(dialogues)s, as entered.") % {"dialogues": dialogues(question.n_dialogues)}
        counted = _("Dialogues in which both compared sources are rated.")
        size = Figure(f"{question.n_dialogues:,}", (entered, counted))
    found = [
        Fact(_("Dialogues"), size),
        Fact(_("Power"), _power_figure(plan)),
    ]
    if plan.test == NEW_ANNOTATORS:
        found.append(Fact(_("Power for these annotators only"), _power_for_these(plan)))
    work = plan.work
    if work is not None:
        n_each = f"{work.ratings_each:,}"
        name, line = _("Ratings per source and criterion"), _("%(n)s ratings of each source on each criterion.")
        if question.unit == WINS:
            name, line = _("Answers per pair of sources"), _("%(n)s answers about each pair of sources.")
        found += [
            Fact(name, Figure(n_each, (line % {"n": n_each},))),
            Fact(_("Judgements in total"), _judgements_figure(work, load)),
            Fact(_("Batches"), _batches_figure(work, plan, load)),
            Fact(_("Time per annotator"), _hours_figure(work, plan, load)),
            Fact(_("Total pay"), _cost_figure(work, load)),
        ]
    return found


def _power_figure(plan: StudyPlan) -> Figure:
    question = plan.question
    if plan.power is None:
        return Figure(UNKNOWN, (no_number(question, question.difference, plan.n_annotators, plan.fewest_annotators),))
    lines = (*_found(plan.power, question), *_test_lines(question, plan.n_dialogues, plan.n_annotators))
    return Figure(_("%(n)s %%") % {"n": percent(plan.power)}, lines, is_warned=plan.power < question.power - NOTABLE)


def _power_for_these(plan: StudyPlan) -> Figure:
    question = plan.question
    if plan.power_for_these_annotators is None:
        return Figure(UNKNOWN, (_("There is no number of dialogues to use for the plan."),))
    found = {"power": percent(plan.power_for_these_annotators), "points": points(question.difference, question)}
    detects = _(
        "Of 100 studies with these annotators, a test over dialogues detects a difference of %(points)s between their "
        "own mean scores in %(power)s."
    )
    about = _(
        "The report does not have this test. It says nothing about other annotators, so it does not count that "
        "annotators prefer different sources as uncertainty."
    )
    lines = (detects % found, level_line(question), about)
    return Figure(_("%(n)s %%") % {"n": percent(plan.power_for_these_annotators)}, lines)


def _found(power: float, question: PlannedTest) -> tuple[str, ...]:
    found = {"power": percent(power), "points": points(question.difference, question)}
    return (_("Of 100 such studies, %(power)s detect a difference of %(points)s, if it exists.") % found,)


def _test_lines(question: PlannedTest, n_dialogues: int | None, n_annotators: int) -> tuple[str, ...]:
    """Say which test the plan is for, and what it takes for granted."""
    if question.test == NEW_ANNOTATORS:
        return assumed(question, n_dialogues, n_annotators), level_line(question), _(SECOND_TEST)
    return level_line(question), _(ONLY_THESE)


def variance_facts(question: PlannedTest) -> list[Fact]:
    """Return the variances in squared points of the score, as the formula uses them."""
    variances, found = question.variances, []
    for key, english in COMPONENT_NAMES.items():
        if key == "s_turn" and question.turns == 1 and not variances.s_turn:
            continue
        is_known = key != "s_turn" or variances.are_turns_known
        name, text = _(english), exact(variances.parts[key]) if is_known else UNKNOWN
        lines = [f"{name}: {text}", _(COMPONENT_MEANINGS[key])]
        if question.is_percent:
            lines.append(_("In squared shares: 0.01 is the square of 10 percentage points."))
        if key in variances.at_zero:
            lines.append(_("Estimated as 0."))
        found.append(Fact(name, Figure(text, tuple(lines), is_warned=key in variances.at_zero)))
    return found


def _judgements_figure(work: Work, load: Load) -> Figure:
    text = f"{work.n_judgements:,}"
    parts = {"sources": f"{load.n_sources:,}", "each": load.n_per_source, "whole": load.n_per_dialogue}
    lines = [
        _("%(n)s answers to questions that everybody is asked.") % {"n": text},
        _("Per dialogue: %(sources)s sources with %(each)s questions each, and %(whole)s questions about the dialogue.")
        % parts,
    ]
    if load.n_per_pair:
        lines.append(_("Questions about each pair of sources: %(n)s.") % {"n": load.n_per_pair})
    return Figure(text, tuple(lines))


def _batches_figure(work: Work, plan: StudyPlan, load: Load) -> Figure:
    if work.n_batches is None or work.n_turns is None or load.batch_size is None:
        return _no_batches()
    found = {"n": f"{work.n_batches:,}", "size": f"{load.batch_size:,}", "turns": f"{work.n_turns:,}"}
    lines = (
        _("%(n)s batches of at most %(size)s dialogues.") % found,
        _("%(turns)s seats: one for each annotator of each batch.") % found,
    )
    return Figure(found["n"], lines)


def _no_batches() -> Figure:
    return Figure(UNKNOWN, (_("Unknown until you enter the dialogues and the minutes per batch."),))


def _hours_figure(work: Work, plan: StudyPlan, load: Load) -> Figure:
    if work.hours_each is None or work.hours is None or load.minutes is None or work.minutes_of is None:
        return _no_batches()
    found = {
        "each": duration(work.hours_each),
        "all": duration(work.hours),
        "annotators": annotators(work.n_working),
        "minutes": f"{load.minutes:,}",
        "judgements": f"{work.minutes_of:,.0f}",
    }
    lines = (
        _("About %(each)s each: %(all)s shared by %(annotators)s.") % found,
        _("Assumes %(minutes)s minutes for %(judgements)s judgements, as expected, not measured.") % found,
    )
    return Figure(found["each"], lines)


def _cost_figure(work: Work, load: Load) -> Figure:
    if load.pay is None:
        return Figure(UNKNOWN, (_("Unknown: no pay is set in the study's settings."),))
    if work.cost is None or work.n_turns is None or work.pay_of_batch is None:
        return _no_batches()
    text = money(work.cost, load)
    lines = (
        _("%(cost)s, without fees and bonuses.") % {"cost": text},
        f"{work.n_turns:,} × {money(work.pay_of_batch, load)} = {text}",
        *_scaled_pay(work, load),
    )
    return Figure(text, lines)


def _scaled_pay(work: Work, load: Load) -> Iterator[str]:
    """Yield why a batch of the plan has another pay than the study's settings say."""
    if load.pay is None or work.pay_of_batch in (None, load.pay):
        return
    found = {"pay": money(load.pay, load), "n": f"{load.n_in_batch:,}", "planned": f"{work.planned_in_batch:,.0f}"}
    yield (
        _(
            "The study pays %(pay)s for a batch of %(n)s judgements. The plan pays in proportion for %(planned)s. If "
            "you change the size of batches, change the pay in the settings, too."
        )
        % found
    )


# --- tables --------------------------------------------------------------------------------------------
def differences_table(plan: StudyPlan) -> list[Line]:
    question = plan.question
    return _lines(plan.by_difference, lambda value: points(value, question), partial(needed_figure, question))


def dialogues_table(plan: StudyPlan) -> list[Line]:
    return _lines(plan.by_dialogues, lambda value: f"{value:,.0f}", partial(found_figure, plan.question))


def _lines(grid: Grid, heading: Callable[[float], str], figure: Callable[[Any, int, Any], Figure]) -> list[Line]:
    lines = []
    for row in grid.rows:
        figures = [figure(row.value, ratings, cell) for ratings, cell in zip(grid.columns, row.cells, strict=True)]
        lines.append(Line(heading(row.value), tuple((found, at == row.chosen) for at, found in enumerate(figures))))
    return lines


def annotators_table(plan: StudyPlan) -> list[Line]:
    question = plan.question
    return [
        Line(
            _crowd_heading(question, crowd, plan.n_dialogues),
            (
                (crowd_power(question, crowd, plan.n_dialogues), crowd.is_chosen),
                (crowd_dialogues(question, crowd), False),
            ),
        )
        for crowd in plan.by_annotators
    ]


def _crowd_heading(question: PlannedTest, crowd: Crowd, n_dialogues: int | None) -> str:
    """Return the number of annotators, and how many of them have something to rate if not all do."""
    n = crowd.n_annotators
    working = question.layout(n_dialogues, question.ratings, n).working if n_dialogues else n
    found = {"n": f"{n:,}", "working": f"{working:,}"}
    return _("%(n)s (only %(working)s get a batch)") % found if working < n else found["n"]


def needed_figure(question: PlannedTest, difference: float, ratings: int, needed: float | None) -> Figure:
    if needed is None:
        return _none_needed(question, difference, ratings)
    n = int(needed)
    found = {"dialogues": dialogues(n), "each": each(ratings)}
    found |= {"points": points(difference, question), "power": asked_power(question)}
    sentence = _("%(dialogues)s with %(each)s detect a difference of %(points)s with %(power)s %% power.")
    return Figure(
        f"{n:,}",
        (sentence % found, *_cell_lines(question, n, ratings, needed_formula(question, difference, ratings, n))),
    )


def _none_needed(question: PlannedTest, difference: float, ratings: int) -> Figure:
    total = question.annotators(ratings)
    is_alone = question.test == NEW_ANNOTATORS and total < 2
    return Figure(UNKNOWN, (_(NO_TEST) if is_alone else no_number(question, difference, total),))


def _cell_lines(question: PlannedTest, n: int, ratings: int, formula: str) -> tuple[str, ...]:
    """Say who rates what and, for the test that has one, the formula."""
    if question.test == NEW_ANNOTATORS:
        return assumed(question, n, question.annotators(ratings), ratings), level_line(question)
    return level_line(question), formula


def found_figure(question: PlannedTest, n: int, ratings: int, difference: float | None) -> Figure:
    if difference is None:
        has_test = question.layout(n, ratings, question.annotators(ratings)).is_testable
        why = _("So few dialogues or annotators detect no difference that two sources can have.")
        return Figure(UNKNOWN, (why if has_test else _(NO_TEST),))
    found = {"dialogues": dialogues(n), "each": each(ratings)}
    found |= {"points": points(difference, question), "power": asked_power(question)}
    sentence = _("%(dialogues)s with %(each)s detect a difference of %(points)s or more with %(power)s %% power.")
    formula = found_formula(question, n, ratings, difference)
    # One number format for a whole column, so that numbers can be compared by their length.
    form = ".1f" if question.is_percent else ".2f" if question.span >= 1 else ".3g"
    return Figure(
        f"{shown(difference, question):{form}}", (sentence % found, *_cell_lines(question, n, ratings, formula))
    )


def crowd_power(question: PlannedTest, crowd: Crowd, n_dialogues: int | None) -> Figure:
    if crowd.power is None or n_dialogues is None:
        why = _(NO_TEST) if n_dialogues else _("There is no number of dialogues to use for the plan.")
        return Figure(UNKNOWN, (why,))
    found = {
        "dialogues": dialogues(n_dialogues),
        "annotators": annotators(crowd.n_annotators),
        "points": points(question.difference, question),
        "power": percent(crowd.power),
    }
    is_short = crowd.power < question.power - NOTABLE
    lines = (
        _("%(dialogues)s and %(annotators)s in total detect a difference of %(points)s with %(power)s %% power.")
        % found,
        assumed(question, n_dialogues, crowd.n_annotators),
        level_line(question),
        _(SECOND_TEST),
    )
    return Figure(_("%(n)s %%") % {"n": found["power"]}, lines, is_warned=is_short)


def crowd_dialogues(question: PlannedTest, crowd: Crowd) -> Figure:
    if crowd.n_dialogues is None:
        if crowd.n_annotators < 2:
            return Figure(UNKNOWN, (_(NO_TEST),))
        return Figure(UNKNOWN, (_("With so few annotators, even 100,000 dialogues are not enough."),))
    found = {
        "dialogues": dialogues(crowd.n_dialogues),
        "annotators": annotators(crowd.n_annotators),
        "points": points(question.difference, question),
        "power": asked_power(question),
    }
    lines = (
        _("%(dialogues)s and %(annotators)s in total detect a difference of %(points)s with %(power)s %% power.")
        % found,
        assumed(question, crowd.n_dialogues, crowd.n_annotators),
        _(SECOND_TEST),
    )
    return Figure(f"{crowd.n_dialogues:,}", lines)


# --- the picture ---------------------------------------------------------------------------------------
def curve_picture(plan: StudyPlan) -> SafeString:
    question = plan.question
    furthest = max(200, 2 * (plan.n_dialogues or 0))
    steps = sorted({max(1, round(furthest * (at / N_POINTS) ** 2)) for at in range(1, N_POINTS + 1)})
    # The requested number of annotators with two usual ones.
    chosen = question.ratings
    few = {1, 3, 7} if chosen in (1, 3, 7) else {1, chosen, 7 if chosen < 7 else 3}
    curves = []
    for ratings in sorted(few):
        found = [(float(n), question.detectable(n, ratings)) for n in steps]
        path = tuple((n, shown(difference, question)) for n, difference in found if difference is not None)
        if path:
            curves.append(Curve(each(ratings), path, ratings == chosen))
    if not curves:
        return SafeString("")
    return curve_figure(
        name="planner",
        title=_("Smallest detectable difference, by number of dialogues"),
        description=_(
            "One line for each number of annotators per dialogue. The table of differences has the same numbers."
        ),
        curves=curves,
        highest=shown(3 * question.difference, question),
        limit=shown(question.difference, question),
        chosen=(plan.n_dialogues, shown(plan.detectable, question)) if plan.n_dialogues and plan.detectable else None,
        words=CurveWords(
            across=_("dialogues"),
            up=_("percentage points") if question.is_percent else _("scale points"),
            limit=points(question.difference, question),
        ),
    )
