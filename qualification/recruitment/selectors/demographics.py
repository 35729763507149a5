"""Count demographics of the annotators, so that nobody can be identified in the table."""

from collections import Counter
from dataclasses import dataclass, field

from django.db.models import Case, QuerySet, When

from annotation.models import Participant, Study
from qualification.models import Demographics

SMALL = 3  # smaller counts are not shown
MOST_VALUES = 20  # a field with more values is not shown: its table would list people
AGES = (18, 25, 35, 45, 55, 65)


@dataclass(frozen=True, slots=True)
class Cell:
    value: str
    n: int | None  # None if fewer than three


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    cells: tuple[Cell, ...]  # empty if there are too many values to show


@dataclass(frozen=True, slots=True)
class Table:
    n_people: int = 0
    fields: tuple[Field, ...] = field(default_factory=tuple)


def demographics_of(study: Study) -> Table:
    """Return the table of all people with demographics. What they say themselves replaces what a platform says."""
    rows = Demographics.objects.filter(participant__study=study).order_by(
        Case(When(origin="self", then=1), default=0), "pk"
    )
    people: dict[int, dict[str, str]] = {}
    for participant, fields in rows.values_list("participant", "fields"):
        people.setdefault(participant, {}).update(fields)
    known = [fields for fields in people.values() if fields]
    names = sorted({name for fields in known for name in fields})
    return Table(len(known), tuple(_field(name, [each[name] for each in known if name in each]) for name in names))


def _field(name: str, values: list[str]) -> Field:
    is_age = name.casefold() == "age"
    counts = Counter(age_group(value) if is_age else value for value in values)
    if len(counts) > MOST_VALUES:
        return Field(name, ())
    cells = sorted(counts.items(), key=lambda pair: (0, pair[0]) if is_age else (-pair[1], pair[0]))
    return Field(name, tuple(Cell(value, n if n >= SMALL else None) for value, n in cells))


def age_group(value: str) -> str:
    """Return the group of an age, such as `25–34`; a value that is no number stays as it is."""
    if not value.isdecimal():
        return value
    age = int(value)
    start = max((each for each in AGES if each <= age), default=0)
    if not start:
        return f"< {AGES[0]}"
    after = next((each for each in AGES if each > age), None)
    return f"{start}–{after - 1}" if after else f"{start}+"


def people_with_demographics(study: Study) -> QuerySet[Participant]:
    """Return the people whose demographics can be deleted on request."""
    return Participant.objects.filter(study=study, demographics__isnull=False).distinct().order_by("pseudonym")


def demographics_rows(study: Study) -> list[tuple[str, str, dict[str, str]]]:
    """Return (pseudonym, origin, fields) of all records, for the file that only owners can download."""
    rows = Demographics.objects.filter(participant__study=study).order_by("participant__pseudonym", "origin")
    return list(rows.values_list("participant__pseudonym", "origin", "fields"))
