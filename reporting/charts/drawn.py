"""A chart as a page has it: once for a desk, once for a phone; the page shows the one that fits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec

from reporting.charts.drawing import on_a_phone

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Drawn:
    """Both drawings; "" where there is nothing to draw."""

    wide: str
    narrow: str


def drawn(picture: Callable[P, str], *args: P.args, **kwargs: P.kwargs) -> Drawn:
    """Return what a function draws, for a desk and for a phone."""
    with on_a_phone():
        narrow = picture(*args, **kwargs)
    return Drawn(picture(*args, **kwargs), narrow)
