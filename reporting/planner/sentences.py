"""Describe a plan in sentences: the answer, and the origin of its variances."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from reporting.planner.facts import PlannerFacts
from reporting.planner.plans import NEW_ANNOTATORS, Load, PlannedTest, StudyPlan, Work
from reporting.planner.variances import DEFAULTS, MAIN, OWN, PILOT, SCALE, WINS, Variances

UNKNOWN = "–"
# Between annotators, in squares of the scale's span: 37 people about the coherence of 3 kinds of answers.
MEASURED_ANNOTATORS = 0.0055
COMPONENT_NAMES = {
    "s_between": gettext_noop("between dialogues"),
    "s_turn": gettext_noop("between turns"),
    "s_within": gettext_noop("within a dialogue"),
    "s_annotator": gettext_noop("between annotators"),
}

NO_TEST = gettext_noop("The test in the report needs two annotators, and most of them need two dialogues.")
ONLY_THESE = gettext_noop(
    "So this plan is for a test over dialogues, which the report does not have. It holds for these annotators only."
)


# --- numbers -------------------------------------------------------------------------------------------
def amount(value: float) -> str:
    """Format a number with three significant digits, or as a whole number from 1000."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def shown(value: float, question: PlannedTest) -> float:
    """Return the value in the unit that pages use: per cent for a share."""
    return value * 100 if question.is_percent else value


def points(value: float, question: PlannedTest) -> str:
    text = amount(shown(value, question))
    n = 1 if text == "1" else 2
    if question.is_percent:
        return ngettext("%(n)s point", "%(n)s points", n) % {"n": text}
    return ngettext("%(n)s scale point", "%(n)s scale points", n) % {"n": text}


def percent(share: float | None) -> str:
    """Return a computed share as whole per cent: plans are not accurate to a tenth."""
    return UNKNOWN if share is None else f"{100 * share:.0f}"


def asked_power(question: PlannedTest) -> str:
    return amount(100 * question.power)


def hours(value: float) -> str:
    return f"{value:,.1f}"


def duration(value: float) -> str:
    """Return hours as a text; less than one in minutes."""
    if value >= 1:
        return _("%(n)s hours") % {"n": hours(value)}
    n = max(1, round(60 * value))
    return ngettext("%(n)s minute", "%(n)s minutes", n) % {"n": n}


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
            "each": _hands(plan),
            "points": points(question.difference, question),
            "power": asked_power(question) if question.n_dialogues is None else percent(plan.power),
        }
        # Translators: "108 dialogues with 3 annotators each detect a difference of 10 points with 80 % power."
        sentence = _("%(dialogues)s with %(each)s detect a difference of %(points)s with %(power)s %% power.")
        if plan.is_by_the_same:
            # Translators: "108 dialogues, all by the same 3 annotators, 21 hours each, detect a difference of ..."
            sentence = _("%(dialogues)s, %(each)s, detect a difference of %(points)s with %(power)s %% power.")
        sentences.append(sentence % found)
        sentences += [] if question.n_dialogues is None else _beside(plan)
    if not plan.n_needed:
        sentences.append(no_number(question, question.difference, plan.n_annotators, plan.fewest_annotators))
    sentences += _holds_for(plan)
    return [*sentences, *(_taking(plan, plan.work, load) if plan.work else [])]


def _hands(plan: StudyPlan) -> str:
    """Say who rates a dialogue and, where the same few people rate everything, how long that takes each of them."""
    n = plan.question.ratings
    if not plan.is_by_the_same:
        return each(n)
    several = ngettext("all by the same %(n)s annotator", "all by the same %(n)s annotators", n) % {"n": f"{n:,}"}
    people = _("all by the same annotator") if n == 1 else several
    if plan.work is None or plan.work.hours_each is None:
        return people
    each_one = _("%(time)s each") % {"time": duration(plan.work.hours_each)}
    return f"{people}, {each_one}"


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


def _holds_for(plan: StudyPlan) -> list[str]:
    """Say whom the test holds for."""
    if plan.test != NEW_ANNOTATORS:
        return [f"{_(NO_TEST)} {_(ONLY_THESE)}"]
    return [_("This is the test in the report. It holds for new annotators, too.")]


def no_number(question: PlannedTest, difference: float, n_annotators: int, fewest: int | None = None) -> str:
    """Say that more dialogues do not help and, if known, how many annotators do."""
    found = {
        "points": points(difference, question),
        "power": asked_power(question),
        "annotators": annotators(n_annotators),
    }
    sentence = _(
        "With %(annotators)s in total, no number of dialogues detects a difference of %(points)s with %(power)s %% "
        "power."
    )
    more = _("You need at least %(fewest)s annotators.") % {"fewest": f"{fewest:,}"} if fewest else ""
    return f"{sentence % found} {more}".strip()


def _taking(plan: StudyPlan, work: Work, load: Load) -> list[str]:
    found = {"each": f"{work.ratings_each:,}", "all": f"{work.n_judgements:,}"}
    sentence = _("That is %(each)s ratings per source and criterion, and %(all)s judgements in total.")
    if plan.question.unit == WINS:
        sentence = _("That is %(each)s answers about each pair of sources, and %(all)s judgements in total.")
    sentences = [sentence % found]
    if work.hours_each is not None and not plan.is_by_the_same:
        sentences.append(
            _("About %(time)s of work per annotator who has a batch.") % {"time": duration(work.hours_each)}
        )
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


def tested(question: PlannedTest) -> str:
    """Say, above tables, which test their numbers are for."""
    if question.test == NEW_ANNOTATORS:
        return _("For the test in the report, which holds for new annotators, too.")
    return f"{_(NO_TEST)} {_(ONLY_THESE)}"


def uneven(plan: StudyPlan) -> str:
    """Explain a power that falls with more annotators, as it may with very few."""
    powers = [crowd.power for crowd in plan.by_annotators if crowd.power is not None]
    if powers == sorted(powers):
        return ""
    return _(
        "With two or three annotators, the power may fall a little when one more rates: so few hardly tell how much "
        "annotators differ, and the test often takes it for nothing. It is then too sure of itself."
    )


def study_has(facts: PlannerFacts) -> str:
    """Say how many dialogues there are, also as the report counts them if the plan counts several as one."""
    if facts.n_single_dialogues == facts.n_dialogues:
        n = facts.n_dialogues
        sentence = ngettext("The study has %(n)s dialogue so far.", "The study has %(n)s dialogues so far.", n)
        return sentence % {"n": f"{n:,}"}
    n = facts.n_dialogues
    together = ngettext("%(n)s conversation", "%(n)s conversations", n)
    if facts.has_scenarios:
        together = ngettext("%(n)s scenario", "%(n)s scenarios", n)
    found = {"dialogues": dialogues(facts.n_single_dialogues), "together": together % {"n": f"{n:,}"}}
    return _("The study has %(dialogues)s in %(together)s so far. The plan counts these together as one each.") % found


def assumed(question: PlannedTest, n_dialogues: int | None, n_annotators: int, ratings: int | None = None) -> str:
    """Say who rates what: the layout that the power for new annotators is computed for."""
    ratings = ratings or question.ratings
    found = {"each": ratings, "size": dialogues(question.batch_size), "annotators": annotators(n_annotators)}
    if n_annotators == ratings:
        return ngettext("%(n)s annotator rates everything.", "The same %(n)s annotators rate everything.",
                        n_annotators) % {"n": f"{n_annotators:,}"}  # fmt: skip
    text = ngettext(
        "Each batch of %(size)s goes to %(each)s of the %(annotators)s, who take about as many batches each.",
        "Each batch of %(size)s goes to %(each)s of the %(annotators)s, who take about as many batches each.",
        ratings,
    )
    layout = question.layout(n_dialogues or question.batch_size, ratings, n_annotators)
    if not n_dialogues or layout.working == n_annotators:
        return text % found
    found["batches"] = ngettext("%(n)s batch", "%(n)s batches", layout.batches) % {"n": f"{layout.batches:,}"}
    found["working"] = annotators(layout.working)
    return _("%(batches)s of %(size)s have seats for %(working)s only: the others rate nothing.") % found


# --- where the variances come from ---------------------------------------------------------------------
def _typical(question: PlannedTest) -> str:
    if question.unit == WINS:
        return _(
            "Assumed values, not measured ones: a quarter of the answers are ties, and the log odds of a win "
            "differ between dialogues with a standard deviation of 0.7. A pilot tells your own."
        )
    if question.is_percent:
        return _("Typical values for answers that are either positive or not, 67 per cent of them positive.")
    return _(
        "Typical values for shares, stretched over the scale as if every answer were at one of its ends. "
        "Real answers vary less within dialogues, so this plan is cautious there."
    )


def _agreeing(question: PlannedTest) -> str:
    """Say what typical values take for granted of annotators, which is hopeful."""
    text = _(
        "Annotators are taken to agree about the sources, which is hopeful: if they do not, you need more annotators "
        "and more dialogues. A pilot tells."
    )
    if question.unit != SCALE:
        return text
    found = {"value": amount(MEASURED_ANNOTATORS * question.span**2)}
    measured = _(
        "37 annotators of the coherence of answers varied by %(value)s (on your scale); enter it under your own values."
    )
    return f"{text} {measured % found}"


def origin(variances: Variances, question: PlannedTest, pair: str) -> str:
    if variances.origin == DEFAULTS:
        found = [_typical(question), _agreeing(question)]
        if question.turns > 1:
            found.append(_("Two sources are taken to differ by as much in every turn of a dialogue."))
        return " ".join(found)
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


def doubts(variances: Variances, turns: int = 1) -> list[str]:
    """Return the reasons not to rely fully on the variances."""
    found = []
    if turns > 1 and not variances.are_turns_known:
        found.append(
            _(
                "Between turns: unknown, as these dialogues have one turn each. It is a part of what differs between "
                "dialogues, which more turns are taken not to reduce."
            )
        )
    if variances.is_rough:
        found.append(
            _("Fewer than 20 dialogues or 3 annotators: these variances are rough. Plan for more than they suggest.")
        )
    if variances.at_zero:
        names = ", ".join(_(COMPONENT_NAMES[name]) for name in variances.at_zero)
        found.append(_("Estimated as 0: %(names)s.") % {"names": names})
    if variances.origin == MAIN:
        found.append(
            _(
                "Fix the number of dialogues now. If you continue until a difference is significant, its p value "
                "is wrong."
            )
        )
    return found
