"""Join words with "and" or "or", in the language of the page."""

from collections.abc import Iterable
from functools import partial, reduce

from django.utils.html import format_html
from django.utils.safestring import SafeData
from django.utils.translation import gettext, gettext_noop

AND = gettext_noop("{first} and {second}")
OR = gettext_noop("{first} or {second}")
# Translators: the first words of a list of three or more
COMMA = gettext_noop("{first}, {second}")


def both(parts: Iterable[str]) -> str:
    """Return `a, b and c`, as safe HTML if the parts are safe HTML."""
    return _in_a_row(AND, parts)


def either(parts: Iterable[str]) -> str:
    """Return `a, b or c`, as safe HTML if the parts are safe HTML."""
    return _in_a_row(OR, parts)


def _in_a_row(pattern: str, parts: Iterable[str]) -> str:
    *before, last = [*parts] or [""]
    if not before:
        return last
    return _pair(pattern, reduce(partial(_pair, COMMA), before), last)


def _pair(pattern: str, first: str, second: str) -> str:
    is_html = isinstance(first, SafeData) and isinstance(second, SafeData)
    put = format_html if is_html else str.format
    return put(gettext(pattern), first=first, second=second)
