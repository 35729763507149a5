"""Figures of a pilot on its page: a dash where there is none."""

from django import template
from django.utils.formats import number_format

from measures.estimate import Estimate
from qualification.qualifying.tags import three

register = template.Library()


@register.filter
def share(value: float | str | None) -> str:
    """An item without a criterion has an empty text."""
    return "–" if value is None or value == "" else f"{100 * value:.0f}\u00a0%"


@register.filter
def two(value: float | None) -> str:
    return "–" if value is None else number_format(value, 2)


@register.filter
def seconds(value: float | None) -> str:
    return "–" if value is None else number_format(value, 1)


@register.filter
def kappa(estimate: Estimate) -> str:
    """With its interval where it carries one."""
    limits = "" if estimate.low is None else f" [{three(estimate.low)}, {three(estimate.high)}]"
    return three(estimate.value) + limits


@register.filter
def change(value: float | None) -> str:
    """With its sign."""
    return "–" if value is None else f"{value + 0.0:+.3f}".replace("-", "−")
