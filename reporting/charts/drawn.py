"""A chart as a page has it: once for a desk, once for a phone; the page shows the one that fits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ParamSpec

from reporting.charts.drawing import on_a_phone

P = ParamSpec("P")


@dataclass(frozen=True)
class Drawn:
    """Both drawings, each made when it is asked for: print has no narrow one. "" where there is nothing to draw."""

    draw: Callable[[], str]

    @cached_property
    def wide(self) -> str:
        return self.draw()

    @cached_property
    def narrow(self) -> str:
        with on_a_phone():
            return self.draw()


def drawn(picture: Callable[P, str], *args: P.args, **kwargs: P.kwargs) -> Drawn:
    """Return what a function draws, for a desk and for a phone."""
    return Drawn(partial(picture, *args, **kwargs))
