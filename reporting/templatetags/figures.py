"""How numbers are written: two decimals, a dash for what is undefined, and words for the reasons."""

from django import template

from reporting.explanations import REASONS

register = template.Library()


@register.filter
def two(value: float | None) -> str:
    # Adding nought turns the minus of a rounded -0.00 into none.
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


@register.filter
def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


@register.filter
def reason(word: str | None) -> str:
    return f"Undefined: {REASONS.get(word or '', 'there are too few answers')}."


@register.filter
def word(value: str | None) -> str:
    return (value or "undefined").replace("_", " ")


@register.filter
def humanized(name: str) -> str:
    return name.replace("_", " ").capitalize()
