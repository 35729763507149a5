"""Lines of the activity log on pages."""

import json
from typing import Any

from django import template

from annotation.models import ActivityLog
from qualification.activity.labels import sentence_of

register = template.Library()


@register.filter
def said(line: ActivityLog) -> str:
    return sentence_of(line)


@register.filter
def detail_pairs(details: dict[str, Any]) -> list[tuple[str, str]]:
    """Names as programs know them, and values as they are stored."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in details.items()
    ]
