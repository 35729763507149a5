"""Rows of the checklist about people: recruitment and demographics."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from reporting.record.labels import SMALL


@dataclass(frozen=True, slots=True)
class Recruited:
    """The people recruited, `imported` ones included; `wanted` is None if no number was planned."""

    n: int
    imported: int
    by_status: dict[str, int]
    wanted: int | None
    by_platform: dict[str, int]


@dataclass(frozen=True, slots=True)
class Demographics:
    """What is known of `n` people: {field: {value: people}}, None for fewer than three people."""

    n: int
    fields: dict[str, dict[str, int | None]]


def recruited_lines(value: Recruited) -> list[str]:
    lines = [_("People: %(n)s (imported: %(imported)s).") % {"n": value.n, "imported": value.imported}]
    lines += [_("Through %(name)s: %(n)s.") % {"name": name, "n": n} for name, n in value.by_platform.items()]
    if value.wanted is not None:
        lines.append(_("Planned: %(n)s.") % {"n": value.wanted})
    return lines


def demographics_of(said: dict[str, Any] | None) -> Demographics | None:
    """Return that part of the study record by field and value."""
    if said is None:
        return None
    fields = {each["name"]: {cell["value"]: cell["n"] for cell in each["values"]} for each in said["fields"]}
    return Demographics(said["n"], fields)


def demographics_lines(value: Demographics) -> list[str]:
    lines = [_("Known for %(n)s people.") % {"n": value.n}]
    for name, cells in value.fields.items():
        counts = ", ".join(f"{answer} {f'< {SMALL}' if n is None else n}" for answer, n in cells.items())
        lines.append(f"{name}: {counts}.")
    return lines
