"""Define places on annotation's pages that other apps fill, so that annotation does not depend on them.

The setting SLOTS names the fillings, which `qualification/slots.py` and `reporting/slots.py` declare. A page reads them
for all its studies at once, in a number of queries that does not grow with the studies, and shows each in its place.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from annotation.models import Assignment, Study
from annotation.selectors.work import StudyWork


def never(value: Any, work: StudyWork) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class WorkFilling:
    """Something that annotators see with their own work. `read` returns a value by participant.

    `templates` has a template for each slot, in which the value is named `name`. If `holds` returns true, the next step
    has to wait. The slots are `facts`, `record`, `before` and `after` the next step, `instead` of it if there is none,
    `beside` it, `links` and `scripts`.
    """

    name: str
    read: Callable[[Sequence[StudyWork]], Mapping[int, Any]]
    templates: Mapping[str, str]
    holds: Callable[[Any, StudyWork], bool] = never


@dataclass(frozen=True, slots=True)
class StudyFilling:
    """Something that a study's team sees. `read` returns what the template shows, or None to show nothing.

    The slots are `head` of every page before the study opens, `next` steps for everybody, `next_configure` for people
    who may configure the study, what a `paper` about it needs, and `settings`.
    """

    slot: str
    template: str
    read: Callable[[Study], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Slots:
    """All fillings. `pay_of_batches` returns {assignment: pay in words}, empty if no batch has earned anything."""

    work: tuple[WorkFilling, ...]
    study: tuple[StudyFilling, ...]
    pay_of_batches: Callable[[Iterable[Assignment]], Mapping[int, str]]


def slots() -> Slots:
    found: Slots = import_string(settings.SLOTS)
    return found


class Filled:
    """The fillings of a page, each read when it is first shown."""

    def __init__(self, works: Sequence[StudyWork]) -> None:
        self.works = works
        self._read: dict[str, Mapping[int, Any]] = {}

    def in_slot(self, slot: str, work: StudyWork) -> list[tuple[str, dict[str, Any]]]:
        """Return (template, context) for everything that is shown there."""
        return [
            (filling.templates[slot], {"work": work, filling.name: value})
            for filling in slots().work
            if slot in filling.templates and (value := self._values(filling).get(work.participant.pk)) is not None
        ]

    def holds(self, work: StudyWork) -> bool:
        """Return whether the next step of this work has to wait for one of the fillings."""
        holding = [filling for filling in slots().work if filling.holds is not never]
        found = ((filling, self._values(filling).get(work.participant.pk)) for filling in holding)
        return any(value is not None and filling.holds(value, work) for filling, value in found)

    def _values(self, filling: WorkFilling) -> Mapping[int, Any]:
        if filling.name not in self._read:
            self._read[filling.name] = filling.read(self.works)
        return self._read[filling.name]
