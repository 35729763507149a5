"""Select lines of a study's activity log by verb, person and day."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotation.models import ActivityLog, Study

BY_RULE = "rule"  # stands for the lines that no person wrote


def activities(
    study: Study, *, verb: str = "", person: str = "", since: date | None = None, until: date | None = None
) -> QuerySet[ActivityLog]:
    """Return lines, newest first. `person` is an account's id or BY_RULE; days are local, both included."""
    found = ActivityLog.objects.filter(study=study).select_related("actor").order_by("-pk")
    if verb:
        found = found.filter(verb=verb)
    if person:
        found = found.filter(actor=None if person == BY_RULE else int(person))
    if since:
        found = found.filter(at__date__gte=since)
    if until:
        found = found.filter(at__date__lte=until)
    return found


def verbs_in(study: Study) -> list[str]:
    return sorted(ActivityLog.objects.filter(study=study).values_list("verb", flat=True).distinct())


def people_in(study: Study) -> list[tuple[str, str]]:
    """Return (id, username) of everybody who did something."""
    ids = ActivityLog.objects.filter(study=study).order_by().values("actor").distinct()
    known = User.objects.filter(pk__in=ids).order_by("username").values_list("pk", "username")
    return [(str(pk), name) for pk, name in known]


def activity_rows(lines: QuerySet[ActivityLog]) -> Iterator[dict[str, Any]]:
    """Yield the lines for files, with verbs and details as they are stored."""
    for line in lines.iterator(chunk_size=2000):
        yield {
            "line": line.pk,
            "at": line.at.isoformat(),
            "actor": line.actor.get_username() if line.actor else None,
            "verb": line.verb,
            "object": line.object,
            "details": line.details,
        }
