"""What an annotator is told about their agreement, on pages of annotation: {% load feedback %}."""

from collections.abc import Iterable
from typing import Any

from django import template

from annotation.selectors.work import StudyWork
from qualification.selectors.checks_feedback import Feedback, feedback_of

register = template.Library()


@register.simple_tag
def agreement_feedback(works: Iterable[StudyWork] | StudyWork) -> dict[int, Feedback]:
    """By participant. One query for all who get none."""
    found = [works] if isinstance(works, StudyWork) else works
    return feedback_of([work.participant for work in found])


@register.inclusion_tag("qualification/_checks_feedback.html")
def feedback_panel(found: dict[int, Feedback], work: StudyWork) -> dict[str, Any]:
    """A small panel, or nothing."""
    return {"feedback": found.get(work.participant.pk)}
