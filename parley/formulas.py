"""Texts that a spreadsheet would run as a formula: quoted in files that we write, unquoted in those we read back."""

import re
from typing import Any

QUOTED = re.compile(r"'+[=+\-@\t\r]")
UNSAFE = re.compile(r"'*[=+\-@\t\r]")


def quote_formula(text: str) -> str:
    """One apostrophe more in front, also of a text that has such apostrophes already: else it could not be undone."""
    return "'" + text if UNSAFE.match(text) else text


def cell_of(value: Any) -> Any:
    """Of a CSV: texts quoted, numbers as they are, undefined empty."""
    return quote_formula(value) if isinstance(value, str) else "" if value is None else value


def unquote_formula(text: str) -> str:
    """The text that quote_formula was given."""
    return text[1:] if QUOTED.match(text) else text
