"""Format numbers as people write them."""

from decimal import ROUND_HALF_UP, Decimal, localcontext


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
