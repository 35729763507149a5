"""Template filters that format lines of the activity log."""

import json
from typing import Any

from django import template

from qualification.activity.labels import sentence_of

register = template.Library()


register.filter("said", sentence_of)


@register.filter
def detail_pairs(details: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (name, value) of each detail as it is stored; a value that is no text becomes JSON."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in details.items()
    ]
