"""The numbers that compare a batch with the rest of the study, with their explanations."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from measures.agreement import percent_agreement
from measures.batch_drift import ANNOTATOR, HARD_BATCH, NO_DROP, UNTESTED
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.labels import prevalence_warnings, single_answer_warnings
from parley.numbers import number
from reporting.board.batch_drift import HIGHER, PERMUTATIONS, DriftLine
from reporting.board.quality import ONLY_A_REASON, p_text, plain_headline, undefined
from reporting.explained import (
    DEPENDENT_ITEMS,
    INTERVAL_NOTES,
    WARNINGS,
    Figure,
    Statistic,
    headline,
    tone,
)

DIFFERENCE = Statistic(
    "difference",
    gettext_noop("Kappa of the batch minus kappa of the rest"),
    gettext_noop(
        "Fleiss' kappa of this batch minus that of all other main batches, sources pooled. Items are "
        "reassigned between the two at random to see how large a difference chance alone makes."
    ),
    "+.2f",
)
CAUSES = {
    NO_DROP: pgettext_lazy("a batch", "like the rest"),
    HIGHER: pgettext_lazy("a batch", "agrees more than the rest"),
    HARD_BATCH: pgettext_lazy("a batch", "hard batch"),
    UNTESTED: pgettext_lazy("a batch", "cannot be tested"),
}
# Signs before the words, so that no cause is shown by colour alone.
SIGNS = {NO_DROP: "=", HIGHER: "▲", HARD_BATCH: "▼", ANNOTATOR: "▼", UNTESTED: "–"}


def kappa_figure(found: Estimate, histogram: Histogram, name: str) -> Figure:
    """Explain `found`, Fleiss' kappa of the answers in `histogram`."""
    statistic = Statistic("fleiss", name, gettext_noop("Agreement of all annotators beyond chance, sources pooled."))
    if found.value is None:
        return undefined(statistic, found, _used(found))
    share = percent_agreement(histogram).value
    warned = (
        *prevalence_warnings(share, found.value, histogram.largest_share),
        *single_answer_warnings(found.value, found.n_items, found.n_left_out),
    )
    warnings = [_(WARNINGS[each]) for each in warned]
    interval = _(INTERVAL_NOTES[DEPENDENT_ITEMS])
    lines = (headline(statistic, found.value), statistic.definition, interval, _used(found), *warnings)
    return Figure(number(found.value), lines, tone(found.value, found.n_items), bool(warnings))


def _used(found: Estimate) -> str:
    sizes = {"n": f"{found.n_items:,}", "left_out": f"{found.n_left_out:,}"}
    if found.n_left_out:
        sentence = _(
            "%(n)s items used. Items with only one answer, which enter only the expected agreement: %(left_out)s."
        )
        return sentence % sizes
    return _("%(n)s items used, %(left_out)s left out because they have only one answer.") % sizes


def difference_figure(line: DriftLine) -> Figure:
    drift = line.drift
    if drift.difference is None:
        return undefined(DIFFERENCE, Estimate(None, drift.reason), *_sides(line))
    lines = (plain_headline(DIFFERENCE, drift.difference), DIFFERENCE.definition, *_band(line), *_sides(line))
    return Figure(number(drift.difference, "+.2f"), (*lines, *permutations(line)))


def _band(line: DriftLine) -> list[str]:
    if line.drift.low is None:
        return []
    band = {"low": number(line.drift.low, "+.2f"), "high": number(line.drift.high, "+.2f")}
    return [_("Chance alone gives %(low)s to %(high)s in 95 of 100 batches of this size.") % band]


def _sides(line: DriftLine) -> list[str]:
    """Return the sizes of the batch and the rest that were compared."""
    batch, rest = _used(line.drift.batch), _used(line.drift.rest)
    return [_("The batch: %(used)s") % {"used": batch}, _("The rest: %(used)s") % {"used": rest}]


def permutations(line: DriftLine) -> list[str]:
    if line.drift.p_value is None or line.p_adjusted is None:
        return []
    sizes = {"n": f"{PERMUTATIONS - line.drift.n_dropped:,}", "dropped": f"{line.drift.n_dropped:,}"}
    p_values = {"p": p_text(line.drift.p_value), "adjusted": p_text(line.p_adjusted)}
    return [
        _("p %(p)s; %(adjusted)s after correction for the batches shown (Benjamini and Hochberg).") % p_values,
        _(
            "%(n)s permutations used, %(dropped)s undefined. In batches of ten items, only a collapse of "
            "agreement can be detected."
        )
        % sizes,
    ]


def p_figure(line: DriftLine) -> Figure:
    if line.p_adjusted is None:
        return undefined(DIFFERENCE, Estimate(None, line.drift.reason or "no_pairs"), *_sides(line))
    definition = _("How often a random batch of this size differs from the rest by as much as this one.")
    lines = (_("Corrected p value of the difference."), definition, *permutations(line), *_band(line), *_sides(line))
    return Figure(p_text(line.p_adjusted), lines)


def cause_figure(line: DriftLine) -> Figure:
    evidence = [*_band(line), *permutations(line), *_sides(line)]
    sign, found = SIGNS[line.cause], line.without
    if line.cause != ANNOTATOR:
        return Figure(f"{sign} {CAUSES[line.cause]}", (*_cause_lines(line), *evidence))
    lines = [_("Look at one annotator in this batch.")]
    if found is not None:
        change = {"name": line.annotator, "all": number(found.kappa_all), "without": number(found.kappa_without)}
        without = _(
            "Without %(name)s, kappa of the batch is %(without)s instead of %(all)s, which is in line with the rest."
        )
        lines += [without % change, _("%(name)s stands out among the annotators of the batch.") % change]
    text = _("one annotator: %(name)s") % {"name": line.annotator}
    return Figure(f"{sign} {text}", (*lines, *evidence, _(ONLY_A_REASON)))


def _cause_lines(line: DriftLine) -> Sequence[str]:
    if line.cause == HARD_BATCH:
        return (
            _("Agreement in this batch is lower than in the rest, and no single annotator explains it."),
            _("The items may be harder, or several annotators of the batch may be mistaken."),
        )
    if line.cause == HIGHER:
        return (
            _("Agreement in this batch is higher than in the rest."),
            _("Are the items easier, or did annotators talk to each other?"),
        )
    if line.cause == UNTESTED:
        return (_("There is nothing to compare: kappa of the batch or of the rest is undefined."),)
    return (_("No difference beyond chance."), _("In a small batch, only a collapse of agreement can be detected."))
