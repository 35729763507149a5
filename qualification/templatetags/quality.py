"""What waits for a person in who and what passes, for the overview of a study, which knows nothing of it."""

from typing import Any

from django import template

from annotation.models import Study
from qualification.selectors.gate_hub import what_waits

register = template.Library()


@register.inclusion_tag("qualification/_quality_note.html")
def quality_note(study: Study) -> dict[str, Any]:
    return {"study": study, "waiting": what_waits(study)}
