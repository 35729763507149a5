"""How numbers are written: two decimals, a dash for what is undefined, and words for the reasons."""

from django import template

register = template.Library()

REASONS = {
    "no_variation": "Undefined: every answer is the same, so there is no chance agreement to correct for.",
    "no_pairs": "Undefined: no item has two answers yet.",
    "no_ratings": "No answers yet.",
    "one_category": "Undefined: there is only one answer to choose.",
    "too_few_items": "Too few items.",
    "unequal_raters": "Undefined for unequal numbers of answers per item.",
}


@register.filter
def two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


@register.filter
def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


@register.filter
def reason(word: str | None) -> str:
    return REASONS.get(word or "", "Undefined.")


@register.filter
def word(value: str | None) -> str:
    return (value or "undefined").replace("_", " ")


@register.filter
def humanized(name: str) -> str:
    return name.replace("_", " ").capitalize()
