"""Advise what the numbers of a plan say: who should rate how much, and what to add."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from reporting.planner.plans import FEWER, FEWEST_RATINGS, NEW_ANNOTATORS, Crowd, StudyPlan
from reporting.planner.sentences import amount, annotators, asked_power, dialogues, percent, points
from reporting.planner.variances import WINS

TOO_OFTEN = 1.5  # times the significance level
ADVICE = {
    "more_annotators": gettext_noop(
        "Add annotators, not dialogues: the test cannot tell the sources apart from the tastes of so few people, and "
        "more dialogues do not change this."
    ),
    "annotators_differ": gettext_noop(
        "%(shared)s %% of the uncertainty comes from annotators preferring different sources. Only more "
        "annotators reduce it, not more dialogues."
    ),
    "enough_annotators": gettext_noop(
        "Let more people rate, each of them a part of the dialogues: with %(enough)s in total, these dialogues reach "
        "%(power)s %% power."
    ),
    "enough_dialogues": gettext_noop(
        "More annotators in total do not raise the power to %(power)s %%. Plan %(dialogues)s, or %(each)s per dialogue."
    ),
    "enough_dialogues_or_people": gettext_noop(
        "More annotators in total do not raise the power to %(power)s %%. Plan %(dialogues)s, or %(each)s per "
        "dialogue: more than the %(annotators)s in total."
    ),
    "only_dialogues": gettext_noop(
        "More annotators do not raise the power to %(power)s %%, as the sources differ too much from dialogue to "
        "dialogue. Plan %(dialogues)s."
    ),
    "both": gettext_noop(
        "Add annotators and dialogues: the test cannot tell the sources apart from the tastes of so few people, and "
        "these dialogues are too few for any number of annotators."
    ),
    "too_small": gettext_noop(
        "Neither more dialogues nor more annotators are enough: answers vary too much for so small a difference. Plan "
        "for a larger difference."
    ),
    "share_dialogues": gettext_noop(
        "Let more people rate, each of them a part of the dialogues: with %(more)s in total, %(fewer)s are enough."
    ),
    "for_report": gettext_noop(
        "For the test in the report, let more people rate: with %(more)s in total, %(fewer)s are enough."
    ),
    "smaller_batches": gettext_noop(
        "Only %(working)s get a batch. For all %(annotators)s to rate, make batches of at most %(size)s."
    ),
    "fewer_annotators": gettext_noop(
        "Only %(working)s get a batch: there are not enough dialogues for %(annotators)s."
    ),
    "three_ratings": gettext_noop("Use at least 3 annotators per dialogue. Agreement needs 2 and is uncertain with 2."),
    "false_alarms": gettext_noop(
        "With so few annotators the test errs too often: it finds a difference that does not exist in %(errors)s of "
        "100 studies instead of %(level)s, which makes its power look larger, too. Plan with more annotators."
    ),
    "comparisons": gettext_noop(
        "Each of the %(n)s comparisons is planned at a significance level of %(level)s %%, as the "
        "hardest of them requires. The report uses Holm's correction, which detects as much or more."
    ),
    "comparisons_of_pairs": gettext_noop(
        "Each of the %(n)s comparisons is planned at a significance level of %(level)s %%. The ranks in the report "
        "hold for all pairs at once, and detect as much or more."
    ),
}


def advice(plan: StudyPlan) -> list[str]:
    """Return sentences, the most urgent first."""
    question, better, size = plan.question, better_crowd(plan), batch_size_for_all(plan)
    found = {
        "shared": percent(plan.annotators_share),
        "power": asked_power(question),
        "enough": annotators(plan.enough_annotators or 0),
        "each": annotators(plan.enough_ratings or 0),
        "dialogues": dialogues(plan.n_needed or 0),
        "more": annotators(better.n_annotators if better else 0),
        "fewer": dialogues(better.n_dialogues or 0) if better else "",
        "working": annotators(plan.work.n_working if plan.work else 0),
        "annotators": annotators(plan.n_annotators),
        "size": dialogues(size),
        "errors": percent(plan.false_alarms),
        "n": f"{question.n_comparisons:,}",
        "level": amount(100 * question.level_each),
    }
    return [*(_(ADVICE[code]) % found for code in advice_codes(plan)), *_cost_of_annotators(plan)]


def advice_codes(plan: StudyPlan) -> Iterable[str]:
    question = plan.question
    if plan.n_needed is None:
        yield _without_number(plan)
    elif question.variances.s_annotator:
        yield "annotators_differ"
    yield from _of_annotators(plan)
    if question.ratings < FEWEST_RATINGS:
        yield "three_ratings"
    if plan.false_alarms is not None and plan.false_alarms > TOO_OFTEN * question.level_each:
        yield "false_alarms"
    if question.n_comparisons > 1:
        yield "comparisons_of_pairs" if question.unit == WINS else "comparisons"


def _without_number(plan: StudyPlan) -> str:
    """Return what helps if no number of dialogues is enough with these annotators."""
    if plan.fewest_annotators is None:
        return "too_small"
    return "both" if plan.is_short and plan.enough_annotators is None else "more_annotators"


def _of_annotators(plan: StudyPlan) -> Iterable[str]:
    """Yield what to change in who rates what: how many people, or how large their batches are."""
    if plan.is_short and plan.enough_annotators and plan.enough_annotators > plan.n_annotators:
        yield "enough_annotators"
    elif plan.is_short and plan.n_needed and plan.n_needed > (plan.n_dialogues or 0):
        yield _more_dialogues(plan)
    elif better_crowd(plan):
        yield "share_dialogues" if plan.test == NEW_ANNOTATORS else "for_report"
    if plan.work and plan.work.n_working < plan.n_annotators:
        yield "smaller_batches" if batch_size_for_all(plan) else "fewer_annotators"


def _more_dialogues(plan: StudyPlan) -> str:
    if not plan.enough_ratings:
        return "only_dialogues"
    return "enough_dialogues" if plan.enough_ratings <= plan.n_annotators else "enough_dialogues_or_people"


def better_crowd(plan: StudyPlan) -> Crowd | None:
    """Return the fewest annotators that save many dialogues or, if there is none yet, give the report a test."""
    larger = [each for each in plan.by_annotators if each.n_dialogues and each.n_annotators > plan.n_annotators]
    if plan.question.n_dialogues is not None or not plan.n_needed or not larger:
        return None
    fewest = min(each.n_dialogues or 0 for each in larger)
    if plan.test == NEW_ANNOTATORS and fewest > FEWER * plan.n_needed:
        return None
    return next(each for each in larger if FEWER * (each.n_dialogues or 0) <= fewest)


def batch_size_for_all(plan: StudyPlan) -> int:
    """Return the largest size of batches of which every annotator gets one; 0 if there is none."""
    question = plan.question
    own = 1 if question.is_matched else question.n_sources
    batches = -(-plan.n_annotators // question.ratings)
    return (plan.n_dialogues or 0) * own // batches


def _cost_of_annotators(plan: StudyPlan) -> list[str]:
    """Compare the ratings needed with the fewest and with the most annotators per dialogue of the table."""
    question, grid = plan.question, plan.by_difference
    row = next(row for row in grid.rows if row.chosen is not None)
    cells = [(int(cell), ratings) for cell, ratings in zip(row.cells, grid.columns, strict=True) if cell]
    if len(cells) < 2:
        return []
    ends = [question.ratings_each(*each) for each in (cells[0], cells[-1])]
    found = {
        "points": points(question.difference, question),
        "few": f"{ends[0]:,}",
        "many": f"{ends[1]:,}",
        "least": annotators(cells[0][1]),
        "n": cells[-1][1],
    }
    sentence = _(
        "Detecting a difference of %(points)s takes %(few)s ratings of each source with %(least)s per dialogue, and "
        "%(many)s with %(n)s."
    )
    if question.unit == WINS:
        sentence = _(
            "Detecting a difference of %(points)s takes %(few)s answers about each pair with %(least)s per dialogue, "
            "and %(many)s with %(n)s."
        )
    more = _("More dialogues help more than more annotators per dialogue.")
    totals = [annotators(question.annotators(ratings)) for _cell, ratings in (cells[0], cells[-1])]
    grows = _("The annotators in total grow here, too, from %(least)s to %(n)s: that is what saves ratings.")
    is_grown = ends[0] > ends[1] and totals[0] != totals[1]
    return [
        *([more] if ends[0] < ends[1] else []),
        sentence % found,
        *([grows % {"least": totals[0], "n": totals[1]}] if is_grown else []),
    ]
