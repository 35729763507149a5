"""What annotators' own pages say to people who came by a crowd platform."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils import timezone

from annotation.selectors.work import StudyWork
from qualification.selectors.recruitment import studies_that_ask
from qualification.selectors.recruitment_ways import Way, ways_of

register = template.Library()


@register.simple_tag
def entries_of(*works: StudyWork | Sequence[StudyWork]) -> dict[int, Way]:
    """Of all studies of a page at once: {participant: way}."""
    found = [each for work in works for each in ([work] if isinstance(work, StudyWork) else work)]
    return ways_of(found, timezone.now())


@register.simple_tag
def asking_studies(works: Sequence[StudyWork]) -> set[int]:
    """The studies that ask their annotators about themselves."""
    return studies_that_ask([work.study.pk for work in works])


@register.filter
def of(ways: dict[int, Way], work: StudyWork) -> Way | None:
    return ways.get(work.participant.pk)


@register.inclusion_tag("qualification/_entry_note.html", takes_context=True)
def entry_note(context: template.RequestContext, way: Way | None) -> dict[str, Any]:
    return {"way": way, "csrf_token": context.get("csrf_token")}
