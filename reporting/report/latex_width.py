"""How wide the columns of a LaTeX table are, and with which type they fit on a page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# In points. The page of a conference is the narrowest: text 16 cm wide, columns of 7.7 cm, and type of 11 points.
PAGE, COLUMN = 450.0, 215.0
CENTIMETRE = 28.45
UPPER, WIDE, ORDINARY = 0.78, 1.0, 0.52  # of a character, in ems
FIXED = re.compile(r"p\{([\d.]+)cm\}")
EAST_ASIAN = 0x2E80  # characters from here on are as wide as the type is high


@dataclass(frozen=True, slots=True)
class Setting:
    """The type of a table and the room between its columns. `em` and `below` are sizes in an article of 11 points."""

    commands: str
    em: float
    below: float
    gap: float


# From the largest: tables have the first with which they fit.
SETTINGS = (
    Setting(r"\footnotesize\setlength{\tabcolsep}{6pt}", 9, 8, 12),
    Setting(r"\footnotesize\setlength{\tabcolsep}{3pt}", 9, 8, 6),
    Setting(r"\scriptsize\setlength{\tabcolsep}{2.5pt}", 8, 8, 5),
)
SMALLEST = SETTINGS[-1]


def setting_of(head: Sequence[str], rows: Sequence[Sequence[str]], looks: Sequence[str]) -> Setting:
    """Return the first setting with which a table fits on a page; the last one if none does."""
    return next((each for each in SETTINGS if total(widths_of(head, rows, looks, each), each) <= PAGE), SMALLEST)


def is_narrow(head: Sequence[str], rows: Sequence[Sequence[str]], looks: Sequence[str]) -> bool:
    """Return whether a table fits into one of two columns of text without smaller type."""
    return total(widths_of(head, rows, looks, SETTINGS[0]), SETTINGS[0]) <= COLUMN


def widths_of(
    head: Sequence[str], rows: Sequence[Sequence[str]], looks: Sequence[str], setting: Setting
) -> list[float]:
    return [_column(name, [row[at] for row in rows], looks[at], setting) for at, name in enumerate(head)]


def total(widths: Sequence[float], setting: Setting) -> float:
    return sum(widths) + setting.gap * (len(widths) - 1)


def _column(name: str, cells: Sequence[str], look: str, setting: Setting) -> float:
    """Return the width of the widest cell. What stands below its first line is in smaller type."""
    if fixed := FIXED.fullmatch(look):
        return CENTIMETRE * float(fixed[1])
    return max([_widest(name.split("\n"), setting.em), *(_cell(each.split("\n"), setting) for each in cells)])


def _cell(lines: list[str], setting: Setting) -> float:
    return max(_widest(lines[:1], setting.em), _widest(lines[1:], setting.below))


def _widest(lines: Sequence[str], em: float) -> float:
    return em * max((sum(map(_ems, each)) for each in lines), default=0)


def _ems(character: str) -> float:
    if ord(character) >= EAST_ASIAN:
        return WIDE
    return UPPER if character.isupper() or character in "%mwMW−+<>" else ORDINARY
