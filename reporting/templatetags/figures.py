"""How numbers are written: two decimals, a dash for what is undefined, and words for the reasons."""

from collections.abc import Mapping

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from reporting.explanations import INTERVAL_NOTES
from reporting.figures.drawing import number
from reporting.report.flags import reason_word
from reporting.report.rules import RULE_NAMES
from reporting.words import reason_in_report, strength

register = template.Library()
# Of the tables to download; their columns have the same names in every language.
TABLE_NAMES = {
    "agreement": pgettext_lazy("a table of the report", "agreement"),
    "agreement_by_criterion": pgettext_lazy("a table of the report", "agreement by criterion"),
    "agreement_by_source": pgettext_lazy("a table of the report", "agreement by source"),
    "overall": pgettext_lazy("a table of the report", "overall"),
    "majority": pgettext_lazy("a table of the report", "majority"),
    "votes": pgettext_lazy("a table of the report", "votes"),
    "options": pgettext_lazy("a table of the report", "options"),
    "errors": pgettext_lazy("a table of the report", "errors"),
    "negatives": pgettext_lazy("a table of the report", "negative answers"),
    "negatives_by_source": pgettext_lazy("a table of the report", "negative answers by source"),
    "negative_texts": pgettext_lazy("a table of the report", "texts of negative answers"),
    "pairs": pgettext_lazy("a table of the report", "pairs"),
    "batches": pgettext_lazy("a table of the report", "batches"),
    "alpha_check": pgettext_lazy("a table of the report", "check of alpha"),
    "distributions": pgettext_lazy("a table of the report", "distributions"),
    "turns": pgettext_lazy("a table of the report", "marked turns"),
    "metrics": pgettext_lazy("a table of the report", "automatic metrics"),
    "comparisons": pgettext_lazy("a table of the report", "comparisons"),
    "friedman": pgettext_lazy("a table of the report", "Friedman tests"),
    "breakdowns": pgettext_lazy("a table of the report", "breakdowns"),
    "excluded_batches": pgettext_lazy("a table of the report", "excluded batches"),
    "time_and_pay": pgettext_lazy("a table of the report", "time and pay"),
    "workload": pgettext_lazy("a table of the report", "workload"),
    "data_set": pgettext_lazy("a table of the report", "data set"),
    "final_labels": pgettext_lazy("a table of the report", "final labels"),
    "predictions": pgettext_lazy("a table of the report", "predictions"),
    "control": pgettext_lazy("a table of the report", "batch control"),
    "checklist": pgettext_lazy("a table of the report", "checklist"),
    "comments": pgettext_lazy("a table of the report", "comments"),
    "flags": pgettext_lazy("a table of the report", "flags"),
}


SHORT_NOTES = {
    "too_few_items": pgettext_lazy("why there is no interval", "too few items"),
    "rare_answers": pgettext_lazy("why there is no interval", "one answer dominates"),
    "no_spread": pgettext_lazy("why there is no interval", "items all alike"),
    "unstable_bootstrap": pgettext_lazy("why there is no interval", "resamples undefined"),
}


@register.filter
def two(value: float | None) -> str:
    # Adding nought turns the minus of a rounded -0.00 into none.
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


@register.filter
def exact(value: float | None) -> str:
    return number(value, ".9f")


@register.filter
def one(value: float | None) -> str:
    return number(value, ".1f")


@register.filter
def probability(value: float | None) -> str:
    """Three decimals: more is never meant."""
    return "–" if value is None else "<\u00a0.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


@register.filter
def signed(value: float | None) -> str:
    return number(value, "+.2f")


@register.filter
def interval_note(code: str | None) -> str:
    return _(INTERVAL_NOTES[code]) if code in INTERVAL_NOTES else ""


@register.filter
def short_note(code: str | None) -> str:
    """Why there is no interval, in the few words that a cell has room for."""
    return str(SHORT_NOTES.get(code or "", ""))


@register.filter
def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


@register.filter
def reason(word: str | None) -> str:
    return reason_in_report(word)


@register.filter
def flag_reason(word: str) -> str:
    return reason_word(word)


@register.filter
def word(value: str | None) -> str:
    return strength(value) if value else _("undefined")


@register.filter
def named(key: str, names: Mapping[str, str]) -> str:
    """Return the name of a source or criterion as its author wrote it; a key without a name stands for itself."""
    return names.get(key, key)


@register.filter
def rule_name(name: str) -> str:
    return str(RULE_NAMES[name])


@register.filter
def table_name(name: str) -> str:
    return str(TABLE_NAMES[name])
