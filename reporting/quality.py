"""The figures of the board's second part, each with its explanation: annotators, their course, batches."""

import math
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from measures.batch_drift import ANNOTATOR, HARD_BATCH, NO_DROP, UNTESTED
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
from measures.leave_one_out import WithoutRater
from measures.words import prevalence_warnings
from reporting.explanations import (
    FEWEST_FOR_COLOUR,
    WARNINGS,
    Figure,
    Statistic,
    headline,
    interval_lines,
    missing,
)
from reporting.figures.drawing import number, tone_of
from reporting.selectors.board_annotators import Person
from reporting.selectors.board_batch_drift import HIGHER, PERMUTATIONS, DriftLine

FAST = "fast"
MAJORITY = Statistic(
    "majority",
    gettext_noop("Kappa with the majority of the others"),
    gettext_noop(
        "Cohen's kappa of this annotator's answers with the most frequent answer of the other annotators of the same "
        "item: 1 is always the same, 0 is what chance alone would give."
    ),
)
AGREEMENT = Statistic(
    "percent",
    gettext_noop("Agreement with the majority of the others"),
    gettext_noop(
        "How often this annotator gave the most frequent answer of the others. Not corrected for chance: who always "
        "gives the most frequent answer has a high one too."
    ),
    ".0%",
)
WITHOUT = Statistic(
    "without",
    gettext_noop("Fleiss' kappa without this annotator"),
    gettext_noop(
        "Fleiss' kappa of everybody, and of everybody else. It shows how much depends on one annotator; it does not "
        "prove anything about them."
    ),
)
ENTROPY = Statistic(
    "entropy",
    gettext_noop("Variety of answers"),
    gettext_noop(
        "Entropy of the answers beside the median of the other annotators: near 0 per cent somebody always gives the "
        "same answer. On other items than the others it may differ for that reason alone."
    ),
    ".0%",
)
PACE = Statistic(
    "pace",
    gettext_noop("Time beside the others"),
    gettext_noop(
        "Median of this annotator's active time over the median time of all annotators on the same question of the "
        "same item: 50 per cent is twice as fast. Times are those the browser reports."
    ),
    ".0%",
)
DIFFERENCE = Statistic(
    "difference",
    gettext_noop("Kappa of the batch less kappa of the rest"),
    gettext_noop(
        "Fleiss' kappa of this batch less that of all other main batches, sources pooled. Items are moved between the "
        "two at random to see how large a difference chance alone makes."
    ),
    "+.2f",
)
# Short: in the table. Each is a reason to look, never a verdict.
SHORT = {
    BELOW_THRESHOLD: pgettext_lazy("a reason to look at an annotator", "below the threshold"),
    LOW_KAPPA: pgettext_lazy("a reason to look at an annotator", "agrees less"),
    LOW_ENTROPY: pgettext_lazy("a reason to look at an annotator", "few different answers"),
    FAST: pgettext_lazy("a reason to look at an annotator", "fast"),
}
LONG = {
    BELOW_THRESHOLD: gettext_noop("The whole interval of kappa is below the threshold of the study."),
    LOW_KAPPA: gettext_noop("Agrees with the majority of the others much less than the other annotators do."),
    LOW_ENTROPY: gettext_noop("Gives one answer much more often than the other annotators do."),
    FAST: gettext_noop("Answers much faster than the other annotators on the same items."),
}
NO_VERDICT = gettext_noop(
    "A reason to look at the answers, not a verdict: hard items, another reading of the question or chance can look "
    "the same."
)
VERDICTS = {
    NO_DROP: pgettext_lazy("a batch", "as the rest"),
    HIGHER: pgettext_lazy("a batch", "agrees more than the rest"),
    HARD_BATCH: pgettext_lazy("a batch", "hard batch"),
    UNTESTED: pgettext_lazy("a batch", "cannot be tested"),
}
# Signs stand beside the words, so that no verdict is told by a colour alone.
SIGNS = {NO_DROP: "=", HIGHER: "▲", HARD_BATCH: "▼", ANNOTATOR: "▼", UNTESTED: "–"}


def plain_headline(statistic: Statistic, value: float) -> str:
    """Of what is no coefficient of agreement: there is no word for how strong it is."""
    return _("%(name)s %(value)s.") % {"name": statistic.name, "value": number(value, statistic.form)}


def undefined(statistic: Statistic, found: Estimate, *more: str) -> Figure:
    figure = missing(statistic, found.reason or "")
    return Figure(figure.text, (*figure.lines, *more))


def majority_figure(found: MajorityAgreement, largest_share: float | None) -> Figure:
    kappa = found.kappa
    used = _used(found)
    if kappa.value is None:
        return undefined(MAJORITY, kappa, used)
    warnings = dict.fromkeys((*kappa.warnings, *prevalence_warnings(found.agreement.value, kappa.value, largest_share)))
    interval = interval_lines(MAJORITY, {"low": kappa.low, "high": kappa.high, "interval_note": kappa.interval_note})
    if kappa.low is not None:
        interval.append(_("It takes items as independent: with several answers to one dialogue it is too narrow."))
    lines = (
        headline(MAJORITY, kappa.value), MAJORITY.definition, *interval, used, *(_(WARNINGS[each]) for each in warnings)
    )  # fmt: skip
    tone = tone_of(kappa.value) if kappa.n_items >= FEWEST_FOR_COLOUR else None
    return Figure(number(kappa.value), lines, tone, bool(warnings))


def limits(found: Estimate) -> str:
    """The interval as it stands in the table, beside the number."""
    return "" if found.low is None else f"{number(found.low)} … {number(found.high)}"


def _used(found: MajorityAgreement) -> str:
    sizes = {"n": f"{found.kappa.n_items:,}", "tied": f"{found.n_tied:,}", "alone": f"{found.n_alone:,}"}
    return (
        _("%(n)s answers used; %(tied)s left out because the others tied, %(alone)s because there were none.") % sizes
    )


def agreement_figure(found: MajorityAgreement) -> Figure:
    share = found.agreement
    if share.value is None:
        return undefined(AGREEMENT, share, _used(found))
    interval = interval_lines(AGREEMENT, {"low": share.low, "high": share.high, "interval_note": None})
    lines = (headline(AGREEMENT, share.value), AGREEMENT.definition, *interval, _used(found))
    return Figure(number(share.value, ".0%"), lines)


def without_figure(found: WithoutRater) -> Figure:
    if found.delta.value is None:
        return undefined(WITHOUT, found.delta)
    change = {"all": number(found.kappa_all), "without": number(found.kappa_without)}
    lines = (
        _("With everybody %(all)s, without this annotator %(without)s.") % change,
        WITHOUT.definition,
        _("%(n)s answers of this annotator, %(alone)s of them on items that nobody else has answered.")
        % {"n": f"{found.delta.n_ratings:,}", "alone": f"{found.delta.n_left_out:,}"},
    )
    # Translators: two values of kappa, with everybody and without one annotator.
    return Figure(_("%(all)s → %(without)s") % change, lines)


def entropy_figure(found: Entropy) -> Figure:
    if found.bits is None or found.relative is None:
        why = _("There is nobody to compare with, or everybody else always gave one answer.")
        return Figure("–", (ENTROPY.name, why, ENTROPY.definition))
    bits = {"bits": number(found.bits), "n": f"{found.n_answers:,}"}
    lines = (
        plain_headline(ENTROPY, found.relative),
        ENTROPY.definition,
        _("%(bits)s bits from %(n)s answers. With few answers it is too low.") % bits,
    )
    return Figure(number(found.relative, ".0%"), lines)


def pace_figure(found: Speed) -> Figure:
    sizes = {"n": f"{found.score.n_items:,}", "left_out": f"{found.score.n_left_out:,}"}
    used = _("%(n)s answers used; %(left_out)s left out without a time or without another annotator's.") % sizes
    if found.score.value is None:
        return Figure("–", (PACE.name, _("No times of this annotator and another one on the same item."), used))
    share = math.exp(found.score.value)
    return Figure(number(share, ".0%"), (plain_headline(PACE, share), PACE.definition, used))


def look_figure(person: Person) -> Figure:
    """The flags of one annotator."""
    if person.reasons:
        # Translators: a list of reasons to look at an annotator, for example "agrees less, fast".
        text = _("▼ Look: %(reasons)s") % {"reasons": ", ".join(str(SHORT[reason]) for reason in person.reasons)}
        return Figure(text, (_("Look at this annotator."), *_look_lines(person), _(NO_VERDICT)))
    if person.flag.note:
        few = {"n": FEWEST_ITEMS_TO_FLAG}
        line = _("Nobody is pointed out with fewer than %(n)s answers that have a majority.") % few
        return Figure(_("too few answers"), (_("Not judged yet."), line))
    lines = (
        _("Nothing that stands out among the annotators."),
        _("Nobody finds a half-careful annotator in some 40 answers: this is no proof of good work."),
    )
    return Figure(_("nothing unusual"), lines)


def _look_lines(person: Person) -> list[str]:
    scores = {LOW_KAPPA: person.flag.kappa_z, LOW_ENTROPY: person.flag.entropy_z, FAST: person.speed.z}
    lines = []
    for reason in person.reasons:
        line = _(LONG[reason])
        z, p = scores.get(reason), person.flag.p_values.get(reason)
        if z is not None:
            line += " " + _("Robust z %(z)s.") % {"z": number(z, ".1f")}
        if p is not None:
            line += " " + _("p %(p)s, corrected over all annotators.") % {"p": p_text(p)}
        lines.append(line)
    return lines


def p_text(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else format(p_value, ".3f")


# --- batches
def kappa_figure(found: Estimate, name: str) -> Figure:
    statistic = Statistic("fleiss", name, gettext_noop("Agreement of all annotators beyond chance, sources pooled."))
    if found.value is None:
        return undefined(statistic, found)
    note = _("No interval: answers about the same dialogue are not independent.")
    sizes = {"n": f"{found.n_items:,}", "left_out": f"{found.n_left_out:,}"}
    used = _("%(n)s items used, %(left_out)s left out for having one answer only.") % sizes
    lines = (headline(statistic, found.value), statistic.definition, note, used)
    tone = tone_of(found.value) if found.n_items >= FEWEST_FOR_COLOUR else None
    return Figure(number(found.value), lines, tone)


def difference_figure(line: DriftLine) -> Figure:
    drift = line.drift
    if drift.difference is None:
        return undefined(DIFFERENCE, Estimate(None, drift.reason))
    lines = [plain_headline(DIFFERENCE, drift.difference), DIFFERENCE.definition]
    if drift.low is not None:
        band = {"low": number(drift.low, "+.2f"), "high": number(drift.high, "+.2f")}
        lines.append(_("Chance alone gives %(low)s to %(high)s in 95 of 100 batches of this size.") % band)
    return Figure(number(drift.difference, "+.2f"), (*lines, *permutations(line)))


def permutations(line: DriftLine) -> list[str]:
    if line.drift.p_value is None or line.p_adjusted is None:
        return []
    sizes = {"n": f"{PERMUTATIONS - line.drift.n_dropped:,}", "dropped": f"{line.drift.n_dropped:,}"}
    p_values = {"p": p_text(line.drift.p_value), "adjusted": p_text(line.p_adjusted)}
    return [
        _("p %(p)s; %(adjusted)s corrected over the batches shown (Benjamini and Hochberg).") % p_values,
        _("%(n)s permutations used, %(dropped)s undefined. Batches of ten items can show collapses only.") % sizes,
    ]


def p_figure(line: DriftLine) -> Figure:
    if line.p_adjusted is None:
        return undefined(DIFFERENCE, Estimate(None, line.drift.reason or "no_pairs"))
    return Figure(p_text(line.p_adjusted), (_("Corrected p of the difference."), *permutations(line)))


def verdict_figure(line: DriftLine) -> Figure:
    sign = SIGNS[line.verdict]
    if line.verdict == ANNOTATOR:
        text = _("one annotator: %(name)s") % {"name": line.annotator}
        return Figure(f"{sign} {text}", (_("Look at one annotator in this batch."), *_culprit(line), _(NO_VERDICT)))
    return Figure(f"{sign} {VERDICTS[line.verdict]}", tuple(_verdict_lines(line)))


def _culprit(line: DriftLine) -> list[str]:
    found = line.without
    if found is None:
        return []
    change = {"name": line.annotator, "all": number(found.kappa_all), "without": number(found.kappa_without)}
    return [
        _("Without %(name)s kappa of the batch is %(without)s instead of %(all)s, as in the rest.") % change,
        _("%(name)s stands out among the annotators of the batch.") % change,
    ]


def _verdict_lines(line: DriftLine) -> Sequence[str]:
    if line.verdict == HARD_BATCH:
        return (
            _("This batch agrees less than the rest, and no single annotator explains it."),
            _("The items may be harder, or several annotators of the batch may be off."),
        )
    if line.verdict == HIGHER:
        return (_("This batch agrees more than the rest."), _("Easier items, or annotators who talked to each other?"))
    if line.verdict == UNTESTED:
        return (_("There is nothing to compare: kappa of the batch or of the rest is undefined."),)
    return (_("No difference beyond chance."), _("In a small batch only a collapse can be seen."))
