"""Format numbers as people write them."""

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from math import floor, log10

TIES = re.compile(r"(?<=\bp) (?=[=<])|(?<=[=<]) (?=[.\d])|(?<=\d) (?=%)")  # spaces within "p < .001" and "95 %"
SMALLEST = 1e-6  # below this a result is 0 except for rounding errors


def number(value: float | None, form: str = ".2f") -> str:
    """Return the number with a real minus sign and without negative zero; None becomes a dash.

    A half is rounded away from zero, as by hand: -0.105 is −0.11 and -0.335 is −0.34. As binary fractions, one
    lies below its half and the other above.
    """
    if value is None:
        return "–"
    with localcontext(rounding=ROUND_HALF_UP):
        text = format(value if isinstance(value, int) else Decimal(repr(float(value))), form)
    return text.replace("-", "−") if float(text.rstrip("%")) else text.lstrip("-")


def tied(text: str) -> str:
    """Return the text with spaces that do not break within a p value or a percentage."""
    return TIES.sub("\u00a0", text)


def digits_beside_zero(value: float, least: int = 2) -> int:
    """Return how many decimals show on which side of 0 a number lies: `least`, or more for one that rounds to 0."""
    if not SMALLEST <= abs(value) < 0.5 * 10**-least:
        return least
    return max(least, -floor(log10(abs(value))))


def sided(value: float | None) -> str:
    """Return a signed number with enough decimals that one near 0 is not shown as 0."""
    return "–" if value is None else number(value, f"+.{digits_beside_zero(value)}f")


def ratio(value: float | None) -> str:
    """Return a ratio with two decimals; one below 0.1 with two digits that are not 0, as its inverse would have.

    One beside 1 has enough decimals that it is not shown as 1: an interval that ends there shows a difference or none.
    """
    if value is None or not 0 < value < 0.1:
        return number(value) if value is None else number(value, f".{digits_beside_zero(value - 1)}f")
    return number(value, f".{1 - floor(log10(value))}f")


def between(value: float | None, low: float | None, high: float | None) -> str:
    """Return a mean with two decimals, or more for one that lies between two ends and would be shown as one of them."""
    for digits in (2, 3, 4):
        shown = number(value, f".{digits}f")
        if value in (low, high) or shown not in (number(low, f".{digits}f"), number(high, f".{digits}f")):
            break
    return shown
