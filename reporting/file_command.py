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


def p_text(value: float | None) -> str:
    """Return a p value with three decimals and no leading zero."""
    return "-" if value is None else "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def wrapped(text: str) -> str:
    return fill(text, WIDTH, break_on_hyphens=False)


def printed(drawn: Grid) -> str:
    """Return a table of the report in characters of a keyboard, with its texts to the left and numbers to the right."""
    lines = [[head.text for head in drawn.heads], *(list(map(_in_line, line)) for line in drawn.lines)]
    return aligned(lines, sum(head.look == TEXT for head in drawn.heads))


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
