"""List the feedback that annotators wrote to the researchers at the end of a batch."""

from django.db.models import QuerySet

from annotation.models import Assignment, Study


def feedback_list(study: Study) -> QuerySet[Assignment]:
    """Return the assignments with feedback, newest first."""
    written = Assignment.objects.filter(batch__study=study).exclude(feedback="")
    return written.select_related("batch", "participant").order_by("-submitted_at", "-pk")
