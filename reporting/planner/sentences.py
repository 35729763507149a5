"""Describe a plan in sentences: the answer, advice, and the origin of its variances."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from measures.planning import fewest_annotators
from reporting.planner.plans import DEFAULTS, MAIN, OWN, PILOT, SHARE, Load, PlannedTest, StudyPlan, Variances, Work

UNKNOWN = "–"
COMPONENT_NAMES = {
    "s_between": gettext_noop("between dialogues"),
    "s_within": gettext_noop("within a dialogue"),
    "s_annotator": gettext_noop("between annotators"),
}


# --- numbers -------------------------------------------------------------------------------------------
def amount(value: float) -> str:
    """Format a number with three significant digits, or as a whole number from 1000."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def shown(value: float, question: PlannedTest) -> float:
    """Return the value in the unit that pages use: per cent for a share."""
    return value * 100 if question.unit == SHARE else value


def points(value: float, question: PlannedTest) -> str:
    text = amount(shown(value, question))
    n = 1 if text == "1" else 2
    if question.unit == SHARE:
        return ngettext("%(n)s point", "%(n)s points", n) % {"n": text}
    return ngettext("%(n)s scale point", "%(n)s scale points", n) % {"n": text}


def percent(share: float | None) -> str:
    """Return a computed share as whole per cent: plans are not accurate to a tenth."""
    return UNKNOWN if share is None else f"{100 * share:.0f}"


def asked_power(question: PlannedTest) -> str:
    return amount(100 * question.power)


def hours(value: float) -> str:
    return f"{value:,.1f}" if value >= 1 else f"{value:.2g}"


def dialogues(n: int) -> str:
    return ngettext("%(n)s dialogue", "%(n)s dialogues", n) % {"n": f"{n:,}"}


def annotators(n: int) -> str:
    return ngettext("%(n)s annotator", "%(n)s annotators", n) % {"n": f"{n:,}"}


def each(n: int) -> str:
    return ngettext("%(n)s annotator each", "%(n)s annotators each", n) % {"n": f"{n:,}"}


# --- the answer ----------------------------------------------------------------------------------------
def answer(plan: StudyPlan, load: Load) -> list[str]:
    """Return sentences on what the study detects, and what it takes."""
    question, sentences = plan.question, []
    if plan.n_dialogues:
        found = {
            "dialogues": dialogues(plan.n_dialogues),
            "each": each(question.ratings),
            "points": points(question.difference, question),
            "power": asked_power(question) if question.n_dialogues is None else percent(plan.power),
        }
        # Translators: "108 dialogues with 3 annotators each detect a difference of 10 points with 80 % power."
        sentence = _("%(dialogues)s with %(each)s detect a difference of %(points)s with %(power)s %% power.")
        sentences.append(sentence % found)
        sentences += [] if question.n_dialogues is None else _beside(plan)
    if not plan.n_needed:
        sentences.append(no_number(question, question.difference, plan.n_annotators))
    return [*sentences, *(_taking(plan.work, load) if plan.work else [])]


def _beside(plan: StudyPlan) -> Iterable[str]:
    """Yield more sentences if the number of dialogues was entered: what they detect, and how many are needed."""
    question = plan.question
    found = {"power": asked_power(question), "points": points(question.difference, question)}
    if plan.detectable is not None:
        found["detectable"] = points(plan.detectable, question)
        yield _("With %(power)s %% power they detect a difference of %(detectable)s or more.") % found
    if plan.n_needed:
        found["dialogues"] = dialogues(plan.n_needed)
        yield _("To detect a difference of %(points)s with %(power)s %% power, plan %(dialogues)s.") % found


def no_number(question: PlannedTest, difference: float, n_annotators: int) -> str:
    s_annotator = question.variances.s_annotator
    fewest = fewest_annotators(difference, s_annotator, power=question.power, level=question.level_each)
    found = {
        "points": points(difference, question),
        "power": asked_power(question),
        "annotators": annotators(n_annotators),
        "fewest": f"{fewest:,}",
    }
    return (
        _(
            "With %(annotators)s in total, no number of dialogues detects a difference of %(points)s with "
            "%(power)s %% power. You need at least %(fewest)s annotators."
        )
        % found
    )


def _taking(work: Work, load: Load) -> list[str]:
    found = {"each": f"{work.ratings_each:,}", "all": f"{work.n_judgements:,}"}
    sentences = [_("That is %(each)s ratings per source and criterion, and %(all)s judgements in total.") % found]
    if work.hours_each is not None:
        sentences.append(_("About %(hours)s hours of work per annotator.") % {"hours": hours(work.hours_each)})
    if work.cost is not None:
        sentences.append(_("Pay: %(cost)s.") % {"cost": money(work.cost, load)})
    return sentences


def money(value: float, load: Load) -> str:
    return f"{value:,.2f} {load.currency}"


def level_line(question: PlannedTest) -> str:
    found = {
        "level": amount(100 * question.level),
        "each": amount(100 * question.level_each),
        "n": question.n_comparisons,
    }
    if question.n_comparisons == 1:
        return _("Two-sided test at a significance level of %(level)s %%.") % found
    return (
        _("Two-sided tests at a significance level of %(each)s %%: %(level)s %% divided among %(n)s comparisons.")
        % found
    )


# --- advice --------------------------------------------------------------------------------------------
ADVICE = {
    "more_annotators": gettext_noop(
        "Add annotators, not dialogues: annotators differ in which source they prefer, and more "
        "dialogues do not average this out."
    ),
    "annotators_differ": gettext_noop(
        "%(shared)s %% of the uncertainty comes from annotators preferring different sources. Only more "
        "annotators reduce it, not more dialogues."
    ),
    "three_ratings": gettext_noop(
        "Use at least 3 annotators per dialogue. Agreement needs 2 and is uncertain with 2. With 1, no "
        "test can say whether a result holds for other annotators."
    ),
    "few_annotators": gettext_noop(
        "With %(annotators)s in total, the test in the report, which generalises to other annotators, "
        "has %(reached)s %% power instead of %(power)s %%. Let more people rate, each of them a part of "
        "the dialogues: the last table shows how many you need."
    ),
    "comparisons": gettext_noop(
        "Each of the %(n)s comparisons is planned at a significance level of %(level)s %%, as the "
        "hardest of them requires. The report uses Holm's correction, which detects as much or more."
    ),
    "more_dialogues": gettext_noop("More dialogues help more than more annotators per dialogue."),
}


def advice(plan: StudyPlan) -> list[str]:
    question = plan.question
    found = {
        "annotators": annotators(plan.n_annotators),
        "shared": percent(plan.annotators_share),
        "reached": percent(plan.power_of_report),
        "power": percent(plan.power),
        "n": f"{question.n_comparisons:,}",
        "level": amount(100 * question.level_each),
    }
    return [*(_(ADVICE[code]) % found for code in plan.advice), *_cost_of_annotators(question)]


def _cost_of_annotators(question: PlannedTest) -> list[str]:
    """Compare the ratings needed with one annotator per dialogue and with the most in the table."""
    few, many = 1, max(7, question.ratings)
    ends = [(question.needed(question.difference, ratings) or 0) * ratings for ratings in (few, many)]
    if not all(ends):
        return []
    found = {"points": points(question.difference, question), "n": many, "few": f"{ends[0]:,}", "many": f"{ends[1]:,}"}
    return [
        _(
            "Detecting a difference of %(points)s takes %(few)s ratings of each source with 1 annotator per "
            "dialogue, and %(many)s with %(n)s."
        )
        % found
    ]


# --- where the variances come from ---------------------------------------------------------------------
def origin(variances: Variances, question: PlannedTest, pair: str) -> str:
    if variances.origin == DEFAULTS:
        if question.unit == SHARE:
            return _("Typical values for answers that are either positive or not, 67 per cent of them positive.")
        return _(
            "Typical values for shares, stretched over the scale as if every answer were at one of its ends. "
            "Real answers vary less, so this plan is cautious."
        )
    if variances.origin == OWN:
        return _("Your own values.")
    if variances.origin == PILOT and pair:
        sentence = _("From the pilot batches of this study: %(dialogues)s and %(annotators)s. The pair is %(pair)s.")
    elif variances.origin == PILOT:
        sentence = _("From the pilot batches of this study, mean over %(n)s pairs: %(dialogues)s and %(annotators)s.")
    elif pair:
        sentence = _("From the main batches so far: %(dialogues)s and %(annotators)s. The pair is %(pair)s.")
    else:
        sentence = _("From the main batches so far, mean over %(n)s pairs: %(dialogues)s and %(annotators)s.")
    counts = {"dialogues": dialogues(variances.n_dialogues), "annotators": annotators(variances.n_annotators)}
    return sentence % (counts | {"pair": pair, "n": variances.n_pairs})


def doubts(variances: Variances) -> list[str]:
    """Return the reasons not to rely fully on the variances."""
    found = []
    if variances.is_rough:
        found.append(
            _("Fewer than 20 dialogues or 3 annotators: these variances are rough. Plan for more than they suggest.")
        )
    if variances.clipped:
        names = ", ".join(_(COMPONENT_NAMES[name]) for name in variances.clipped)
        found.append(_("Estimated below 0 and set to 0: %(names)s.") % {"names": names})
    if variances.origin == MAIN:
        found.append(
            _(
                "Fix the number of dialogues now. If you continue until a difference is significant, its p value "
                "is wrong."
            )
        )
    return found
