"""Template filters that format the results of a pilot, with a dash for a missing one."""

from django import template
from django.utils.formats import number_format

from measures.estimate import Estimate
from qualification.qualifying.tags import three

register = template.Library()


@register.filter
def share(value: float | str | None) -> str:
    """Return a share in per cent; a dash for None, and for the empty text of an item without the criterion."""
    return "–" if value is None or value == "" else f"{100 * value:.0f}\u00a0%"


@register.filter
def two(value: float | None) -> str:
    return "–" if value is None else number_format(value, 2)


@register.filter
def seconds(value: float | None) -> str:
    return "–" if value is None else number_format(value, 1)


@register.filter
def kappa(estimate: Estimate) -> str:
    """Return kappa, with its interval if it has one."""
    limits = "" if estimate.low is None else f" [{three(estimate.low)}, {three(estimate.high)}]"
    return three(estimate.value) + limits


@register.filter
def change(value: float | None) -> str:
    """Return a change with its sign."""
    return "–" if value is None else f"{value + 0.0:+.3f}".replace("-", "−")
