"""Log what was done with a study's data. Lines are added, never changed: the database refuses it."""

from collections.abc import Mapping
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
    """Add a line. `actor` is None if a command did it; `details` must not hold what the log should protect."""
    return ActivityLog.objects.create(
        study=study, actor=actor, verb=verb, object=about[:LONGEST_OBJECT], details=details or {}, at=now
    )


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return {name: [old, new]} of what differs, in a form that JSON can hold."""
    return {name: [_plain(before[name]), _plain(new)] for name, new in after.items() if before[name] != new}


def _plain(value: Any) -> Any:
    """Return other types than JSON's as text, so that money stays exact."""
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
