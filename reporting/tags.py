"""Template filters that show words for codes, names for keys, and reasons for undefined numbers."""

from collections.abc import Mapping

from django import template
from django.utils.translation import gettext as _

from measures.labels import LOWEST_WORDS
from reporting.explained import INTERVAL_NOTES
from reporting.labels import reason_in_report, strength
from reporting.study.rules import RULE_NAMES

register = template.Library()
register.filter("reason", reason_in_report)


@register.filter
def interval_note(code: str | None) -> str:
    return _(INTERVAL_NOTES[code]) if code in INTERVAL_NOTES else ""


@register.filter
def word(value: str | None) -> str:
    return strength(value) if value else _("undefined")


@register.filter
def least_word(value: str | None) -> str:
    """Return the word for the lower end of an interval; nothing for the lowest of its scale, which all reach."""
    return strength(value) if value and value not in LOWEST_WORDS else ""


@register.filter
def named(key: str, names: Mapping[str, str]) -> str:
    """Return the name of a source or criterion as its author wrote it, or the key if it has no name."""
    return names.get(key, key)


@register.filter
def rule_name(name: str) -> str:
    return str(RULE_NAMES[name])
