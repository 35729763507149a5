"""The log of what was done with a study's data. Lines are added, never changed: the database refuses it."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from annotation.models import ActivityLog, Study

LONGEST_OBJECT = 200


def log(
    study: Study,
    actor: User | None,
    verb: str,
    *,
    about: str = "",
    details: dict[str, Any] | None = None,
    now: datetime,
) -> ActivityLog:
    """Add a line. `actor` is None for what a command did; `details` must not hold what the log is to protect."""
    return ActivityLog.objects.create(
        study=study, actor=actor, verb=verb, object=about[:LONGEST_OBJECT], details=details or {}, at=now
    )
