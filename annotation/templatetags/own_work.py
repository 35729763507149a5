"""Show annotators' finished work on their own pages: {% load own_work %}."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django import template
from django.utils.formats import number_format

from annotation.models import Assignment
from annotation.selectors import own_work
from annotation.selectors.marks import OwnMarks
from annotation.selectors.own_work import Record
from annotation.selectors.work import StudyWork

register = template.Library()
register.filter(own_work.is_readable)


@register.simple_tag
def records_in(works: Sequence[StudyWork]) -> dict[int, Record]:
    """Return the records of all studies of an annotator, in one query."""
    return own_work.records_of([work.participant for work in works])


@register.simple_tag
def newest_in(works: Sequence[StudyWork]) -> dict[int, list[Assignment]]:
    """Return the newest batches in all studies of an annotator, in one query."""
    return own_work.newest_batches([work.participant for work in works])


@register.filter
def flat(found: dict[int, list[Assignment]]) -> list[Assignment]:
    return [each for group in found.values() for each in group]


@register.filter
def of_item(marks: Mapping[UUID, OwnMarks], token: UUID) -> OwnMarks | None:
    return marks.get(token)


@register.filter
def seconds(ms: float | None) -> str:
    return "" if ms is None else number_format(ms / 1000, 1 if ms < 10_000 else 0)
