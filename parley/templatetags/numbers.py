"""Template filters that format numbers; a missing one becomes a dash."""

from functools import partial

from django import template

from parley.numbers import digits_beside_zero, number, tied

register = template.Library()
register.filter("tied", tied)
for _name, _form in (("one", ".1f"), ("signed", "+.2f")):
    register.filter(_name, partial(number, form=_form))


@register.filter
def two(value: object) -> str:
    """Return two decimals, or a dash for None and for a missing template variable."""
    return number(value) if isinstance(value, int | float) else "–"


@register.filter
def probability(value: float | None) -> str:
    """Return a probability with three decimals and no leading zero, at least "< .001"; None becomes a dash.

    One beside .05 has more decimals, which show whether it is significant.
    """
    if value is None:
        return "–"
    digits = digits_beside_zero(value - 0.05, 3)
    return "<\u00a0.001" if value < 0.001 else f"{value:.{digits}f}".removeprefix("0")


@register.filter
def share(value: float | None) -> str:
    """Return a percentage; a half is rounded away from zero, as in charts."""
    return "–" if value is None else number(value, ".0%").replace("%", " %")
