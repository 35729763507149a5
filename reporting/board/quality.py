"""The numbers of annotators on the board's quality page, with their explanations."""

import math
from dataclasses import asdict, replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from measures.arrays import CountArray
from measures.behaviour import Speed
from measures.contributors import (
    BELOW_THRESHOLD,
    FEWEST_ITEMS_TO_FLAG,
    LOW_ENTROPY,
    LOW_KAPPA,
    Entropy,
    MajorityAgreement,
)
from measures.estimate import Estimate
from measures.intervals import interval_guard
from measures.leave_one_out import WithoutRater
from parley.numbers import number
from reporting.board.annotators import Person
from reporting.explained import (
    WARNINGS,
    Figure,
    Statistic,
    headline,
    interval_lines,
    missing,
    table_warnings,
    tone,
)

FAST = "fast"
MAJORITY = Statistic(
    "majority",
    gettext_noop("Kappa with the majority of the others"),
    gettext_noop(
        "Cohen's kappa between this annotator's answers and the most frequent answer of the other "
        "annotators of the same item: 1 means always the same, 0 is what chance alone would give."
    ),
)
AGREEMENT = Statistic(
    "percent",
    gettext_noop("Agreement with the majority of the others"),
    gettext_noop(
        "How often this annotator gave the most frequent answer of the others. Not corrected for chance: "
        "it is also high for somebody who always gives the most frequent answer."
    ),
    ".0%",
)
WITHOUT = Statistic(
    "without",
    gettext_noop("Fleiss' kappa without this annotator"),
    gettext_noop(
        "Fleiss' kappa with all annotators, and without this one. It shows how much depends on one "
        "annotator; it proves nothing about them."
    ),
)
ENTROPY = Statistic(
    "entropy",
    gettext_noop("Variety of answers"),
    gettext_noop(
        "Entropy of the answers relative to the median of the other annotators: near 0 per cent means "
        "almost always the same answer. It may also differ only because this annotator rated other items."
    ),
    ".0%",
)
PACE = Statistic(
    "pace",
    gettext_noop("Time relative to the others"),
    gettext_noop(
        "Median ratio of this annotator's active time to the median time of all annotators, for the same "
        "question on the same item: 50 per cent means twice as fast. Times are as reported by browsers."
    ),
    ".0%",
)
# The short forms are for the table. Each is a reason to look, never a conclusion.
SHORT = {
    BELOW_THRESHOLD: pgettext_lazy("a reason to look at an annotator", "below the threshold"),
    LOW_KAPPA: pgettext_lazy("a reason to look at an annotator", "agrees less"),
    LOW_ENTROPY: pgettext_lazy("a reason to look at an annotator", "few different answers"),
    FAST: pgettext_lazy("a reason to look at an annotator", "fast"),
}
LONG = {
    BELOW_THRESHOLD: gettext_noop("The whole interval of kappa is below the study's threshold."),
    LOW_KAPPA: gettext_noop("Agrees with the majority of the others much less than the other annotators do."),
    LOW_ENTROPY: gettext_noop("Gives one answer much more often than the other annotators do."),
    FAST: gettext_noop("Answers much faster than the other annotators on the same items."),
}
EFFECT = gettext_noop("No interval: this is an effect on the answers given, not a test.")
BESIDE_OTHERS = gettext_noop("No interval: compare it with the other annotators in this table.")
ONLY_A_REASON = gettext_noop(
    "A reason to look at the answers, not a conclusion: hard items, another reading of the question "
    "or chance can look the same."
)


def plain_headline(statistic: Statistic, value: float) -> str:
    """Return a headline without a word for strength, for numbers that are not agreement coefficients."""
    return _("%(name)s %(value)s.") % {"name": statistic.name, "value": number(value, statistic.form)}


def undefined(statistic: Statistic, found: Estimate, *more: str) -> Figure:
    figure = missing(statistic, found.reason or "")
    return Figure(figure.text, (*figure.lines, *more))


def majority_figure(found: MajorityAgreement, table: CountArray) -> Figure:
    kappa = found.kappa
    if kappa.value is None:
        return undefined(MAJORITY, kappa, _used(found))
    warnings = _warnings(kappa, table)
    lines = (headline(MAJORITY, kappa.value), MAJORITY.definition, *_interval(kappa), _used(found), *warnings)
    return Figure(number(kappa.value), lines, tone(kappa.value, kappa.n_items), bool(warnings))


def limits_figure(found: MajorityAgreement, table: CountArray, floor: float | None) -> Figure:
    """Return the interval of kappa, compared with the study's threshold `floor` if there is one."""
    kappa = found.kappa
    if kappa.value is None:
        return undefined(MAJORITY, kappa, _used(found))
    warnings = _warnings(kappa, table)
    against = [] if floor is None else [_against(kappa, floor)]
    lines = (*_interval(kappa), *against, headline(MAJORITY, kappa.value), MAJORITY.definition, _used(found))
    text = "–"
    if kappa.low is not None and kappa.high is not None:
        text = f"{number(kappa.low)} … {number(kappa.high)}"
        if floor is not None and kappa.n_items >= FEWEST_ITEMS_TO_FLAG and kappa.high < floor:
            text += f" < {number(floor)}"
    return Figure(text, (*lines, *warnings), None, bool(warnings))


def _against(kappa: Estimate, floor: float) -> str:
    said = {"floor": number(floor)}
    if kappa.n_items < FEWEST_ITEMS_TO_FLAG:
        said["n"] = str(FEWEST_ITEMS_TO_FLAG)
        return _("Not compared with the study's threshold, %(floor)s: there are fewer than %(n)s answers.") % said
    if kappa.high is None:
        return _("Without an interval it cannot be compared with the study's threshold, %(floor)s.") % said
    if kappa.high < floor:
        return _("The whole interval is below the study's threshold, %(floor)s.") % said
    return _("The interval is not entirely below the study's threshold, %(floor)s.") % said


def _interval(kappa: Estimate) -> list[str]:
    lines = interval_lines(MAJORITY, asdict(kappa))
    if kappa.low is not None:
        lines.append(
            _("The interval assumes that items are independent: with several answers to one dialogue it is too narrow.")
        )
    return lines


def _warnings(kappa: Estimate, table: CountArray) -> list[str]:
    return [_(WARNINGS[each]) for each in table_warnings(kappa, table)]


def _used(found: MajorityAgreement) -> str:
    sizes = {"n": f"{found.kappa.n_items:,}", "tied": f"{found.n_tied:,}", "alone": f"{found.n_alone:,}"}
    return (
        _("%(n)s answers used; %(tied)s left out because the others tied, %(alone)s because nobody else answered.")
        % sizes
    )


def agreement_figure(found: MajorityAgreement) -> Figure:
    share = found.agreement
    if share.value is None:
        return undefined(AGREEMENT, share, _used(found))
    interval = interval_lines(AGREEMENT, asdict(guarded_share(share)))
    lines = (headline(AGREEMENT, share.value), AGREEMENT.definition, *interval, _used(found))
    return Figure(number(share.value, ".0%"), lines)


def guarded_share(share: Estimate) -> Estimate:
    """Treat the interval as for kappa: none with fewer than 10 answers, marked as few data with fewer than 20."""
    is_shown, note = interval_guard(share.n_items)
    return replace(share, interval_note=note) if is_shown else share.with_interval(None, None, note)


def without_figure(found: WithoutRater) -> Figure:
    if found.delta.value is None:
        return undefined(WITHOUT, found.delta)
    change = {"all": number(found.kappa_all), "without": number(found.kappa_without)}
    lines = (
        _("%(all)s with all annotators, %(without)s without this one.") % change,
        WITHOUT.definition,
        _("%(n)s answers of this annotator, %(alone)s of them on items that nobody else has answered.")
        % {"n": f"{found.delta.n_ratings:,}", "alone": f"{found.delta.n_left_out:,}"},
        _(EFFECT),
        _("If one answer is very frequent, a few answers can change kappa a lot."),
    )
    # Translators: two values of kappa, with everybody and without one annotator.
    return Figure(_("%(all)s → %(without)s") % change, lines)


def entropy_figure(found: Entropy) -> Figure:
    if found.bits is None or found.relative is None:
        why = _("There is nobody to compare with, or everybody else always gave the same answer.")
        answers = _("%(n)s answers used.") % {"n": f"{found.n_answers:,}"}
        return Figure("–", (ENTROPY.name, why, ENTROPY.definition, answers))
    bits = {"bits": number(found.bits), "n": f"{found.n_answers:,}"}
    lines = (
        plain_headline(ENTROPY, found.relative),
        ENTROPY.definition,
        _("%(bits)s bits from %(n)s answers. With few answers the value is too low.") % bits,
        _("Answers to items where the others tied or nobody else answered are left out."),
        _(BESIDE_OTHERS),
    )
    return Figure(number(found.relative, ".0%"), lines)


def pace_figure(found: Speed) -> Figure:
    sizes = {"n": f"{found.score.n_items:,}", "left_out": f"{found.score.n_left_out:,}"}
    used = (
        _("%(n)s answers used; %(left_out)s left out because their time, or another annotator's time, is missing.")
        % sizes
    )
    if found.score.value is None:
        why = _("No item has times from both this annotator and another one.")
        return Figure("–", (PACE.name, why, PACE.definition, used))
    share = math.exp(found.score.value)
    return Figure(number(share, ".0%"), (plain_headline(PACE, share), PACE.definition, used, _(BESIDE_OTHERS)))


def look_figure(person: Person) -> Figure:
    """Return the reasons to look at one annotator, or a note that there are none or too few answers."""
    used = _used(person.majority)
    if person.reasons:
        scores = {LOW_KAPPA: person.flag.kappa_z, LOW_ENTROPY: person.flag.entropy_z, FAST: person.speed.z}
        lines = [_("Look at this annotator's answers.")]
        for reason in person.reasons:
            line, z, p = _(LONG[reason]), scores.get(reason), person.flag.p_values.get(reason)
            if z is not None:
                line += " " + _("Robust z %(z)s.") % {"z": number(z, ".1f")}
            if p is not None:
                line += " " + _("p %(p)s, corrected across all annotators.") % {"p": p_text(p)}
            lines.append(line)
        # Translators: a list of reasons to look at an annotator, for example "agrees less, fast".
        text = _("▼ Look: %(reasons)s") % {"reasons": ", ".join(str(SHORT[reason]) for reason in person.reasons)}
        return Figure(text, (*lines, used, _(ONLY_A_REASON)))
    if person.flag.note:
        few = {"n": FEWEST_ITEMS_TO_FLAG}
        line = _("Annotators with fewer than %(n)s answers that have a majority are not marked.") % few
        return Figure(_("too few answers"), (_("Not judged yet."), line, used))
    nothing = _("Nothing stands out compared with the other annotators.")
    no_proof = _("About 40 answers are too few to detect a half-careful annotator: this is no proof of good work.")
    return Figure(_("nothing unusual"), (nothing, used, no_proof))


def p_text(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else format(p_value, ".3f")
