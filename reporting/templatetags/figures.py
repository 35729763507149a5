"""How numbers are written: two decimals, a dash for what is undefined, and words for the reasons."""

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from reporting.report.rules import RULE_NAMES
from reporting.words import reason_in_report, strength

register = template.Library()
# Of the tables to download; their columns have the same names in every language.
TABLE_NAMES = {
    "agreement": pgettext_lazy("a table of the report", "agreement"),
    "overall": pgettext_lazy("a table of the report", "overall"),
    "majority": pgettext_lazy("a table of the report", "majority"),
    "votes": pgettext_lazy("a table of the report", "votes"),
    "options": pgettext_lazy("a table of the report", "options"),
    "errors": pgettext_lazy("a table of the report", "errors"),
    "pairs": pgettext_lazy("a table of the report", "pairs"),
    "batches": pgettext_lazy("a table of the report", "batches"),
    "comments": pgettext_lazy("a table of the report", "comments"),
}


@register.filter
def two(value: float | None) -> str:
    # Adding nought turns the minus of a rounded -0.00 into none.
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


@register.filter
def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


@register.filter
def reason(word: str | None) -> str:
    return reason_in_report(word)


@register.filter
def word(value: str | None) -> str:
    return strength(value) if value else _("undefined")


@register.filter
def humanized(name: str) -> str:
    return name.replace("_", " ").capitalize()


@register.filter
def rule_name(name: str) -> str:
    return str(RULE_NAMES[name])


@register.filter
def table_name(name: str) -> str:
    return str(TABLE_NAMES[name])
