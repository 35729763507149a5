"""The columns of a table: their names, their types, and how their values are written."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from reporting.study.plain import PREFIX

# Types of pandas that know missing values. ANY holds numbers and texts in one column.
COUNTS, NUMBERS, FLAGS, TEXTS, ANY = "Int64", "Float64", "boolean", "string", "object"
DTYPES = {bool: FLAGS, int: COUNTS, float: NUMBERS, str: TEXTS}


class Format(Enum):
    """How a value is written; the value of each is its number format in a workbook."""

    COUNT = "#,##0"
    FIGURE = "0.00"
    ONE = "0.0"
    SIGNED = "+0.00;-0.00;0.00"
    WHOLE = "+0;-0;0"
    P_VALUE = "0.000"
    SHARE = "0%"  # of a number from 0 to 1
    PERCENT = '0.00" %"'  # of a number from 0 to 100
    RATIO = "0.00##"
    EXACT = "0.000000000"
    TEXT = "@"


OF_DTYPE = {COUNTS: Format.COUNT, NUMBERS: Format.FIGURE, FLAGS: Format.TEXT, TEXTS: Format.TEXT, ANY: Format.TEXT}
# Where the name says more than the type does. A name means the same in every table.
OF_NAME = {
    "p": Format.P_VALUE,
    "p_holm": Format.P_VALUE,
    "p_corrected": Format.P_VALUE,
    "equivalence_p": Format.P_VALUE,
    "equivalence_p_holm": Format.P_VALUE,
    "transitivity_p": Format.P_VALUE,
    "odds_ratio": Format.RATIO,
    "difference": Format.SIGNED,
    "check": Format.SIGNED,
    "effect": Format.SIGNED,
    "strength": Format.SIGNED,
    "strength_at_equal_length": Format.SIGNED,
    "length": Format.SIGNED,
    "elo": Format.WHOLE,
    "degrees_of_freedom": Format.ONE,
    "active_minutes": Format.ONE,
    "parley": Format.EXACT,
    "krippendorff": Format.EXACT,
    "percent_agreement": Format.SHARE,
    "strong_share_kept": Format.SHARE,
    "both_bad_share": Format.SHARE,
    **dict.fromkeys(("win_rate", "win_rate_low", "win_rate_high"), Format.SHARE),
    **dict.fromkeys(("side", "side_low", "side_high"), Format.SHARE),
    **dict.fromkeys(("left_share", "left_share_low", "left_share_high"), Format.SHARE),
    **dict.fromkeys(("same_share", "same_share_low", "same_share_high"), Format.SHARE),
    **dict.fromkeys(
        ("percent", "percent_positive", "percent_of_negative", "percent_of_explained", "percent_of_marks"),
        Format.PERCENT,
    ),
}


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    dtype: str

    @property
    def format(self) -> Format:
        return Format.TEXT if self.dtype == TEXTS else OF_NAME.get(self.name, OF_DTYPE[self.dtype])


def columns(dtype: str, names: str) -> list[Column]:
    return [Column(name, dtype) for name in names.split()]


def of(row: type, names: str = "", *, without: str = "") -> list[Column]:
    """Return the columns of a dataclass of rows, all or those that are named, with names as `plain` gives them.

    Its lists of texts are one column. Other lists, and other dataclasses that are not spread, are none.
    """
    found = {each.name: each for each in _columns(row)}
    left_out = without.split()
    return [found[name] for name in names.split() or found if name not in left_out]


@cache
def _columns(row: type) -> tuple[Column, ...]:
    return tuple(_walk(row))


def _walk(row: type) -> Iterator[Column]:
    hints = get_type_hints(row)
    for field in fields(row):
        kind, prefix = _known(hints[field.name]), field.metadata.get(PREFIX)
        if isinstance(kind, type) and is_dataclass(kind):
            if prefix is not None:
                yield from (Column(_prefixed(prefix, each.name), each.dtype) for each in _walk(kind))
        elif kind in DTYPES:
            yield Column(field.name, DTYPES[kind])
        elif get_origin(kind) is list and get_args(kind) == (str,):
            yield Column(field.name, TEXTS)


def _prefixed(prefix: str, name: str) -> str:
    return name if not prefix else prefix if name == "value" else f"{prefix}_{name}"


def _known(hint: Any) -> Any:
    """Return the type of the values that are not missing."""
    kinds = [each for each in get_args(hint) if each is not NoneType]
    return kinds[0] if NoneType in get_args(hint) and len(kinds) == 1 else hint
