"""What the commands on files share besides their options: no checks of a server, and texts that fit a terminal."""

from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence
from textwrap import fill
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from reporting.tables.cells import TEXT, Cell, Grid

WIDTH, GAP = 110, "  "
PLAIN = str.maketrans("−–\u00a0", "-- ")


class FileCommand(BaseCommand):
    """A command that needs no database and whose help keeps its lines."""

    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)


def wrapped(text: str) -> str:
    return fill(text, WIDTH, break_on_hyphens=False)


def printed(drawn: Grid) -> str:
    """Return a table of the report in characters of a keyboard, with its texts to the left and numbers to the right.

    A table that is too wide for a terminal continues below, with the texts again.
    """
    lines = [[head.text for head in drawn.heads], *(list(map(_in_line, line)) for line in drawn.lines)]
    looks = [head.look for head in drawn.heads]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n\n".join(
        aligned([[line[at] for at in places] for line in lines], looks.count(TEXT)) for places in _parts(looks, widths)
    )


def _parts(looks: Sequence[str], widths: Sequence[int]) -> list[list[int]]:
    """Return the places of the columns of each part: the texts, and as many numbers as there is room for."""
    texts = [at for at, look in enumerate(looks) if look == TEXT]
    parts = [list(texts)]
    for at in (at for at, look in enumerate(looks) if look != TEXT):
        needed = sum(widths[each] + len(GAP) for each in (*parts[-1], at)) - len(GAP)
        if needed > WIDTH and len(parts[-1]) > len(texts):
            parts.append(list(texts))
        parts[-1].append(at)
    return parts


def _in_line(cell: Cell) -> str:
    text = " ".join([cell.text, *(line.printed for line in cell.lines if line.printed)])
    return text.translate(PLAIN).replace(" %", "%")


def aligned(lines: Sequence[Sequence[str]], n_labels: int = 1) -> str:
    """Return the lines as a table, with its first columns to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = [
        [
            cell.ljust(width) if at < n_labels else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in lines
    ]
    return "\n".join(GAP.join(cells).rstrip() for cells in padded)
