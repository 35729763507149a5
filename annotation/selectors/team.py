"""Tell the team of a study from its annotators: it is everybody with another role."""

from django.db.models import Exists, OuterRef

from annotation.models import Membership


def is_of_team() -> Exists:
    """Return a filter of participants in the team. They may do a pilot or a review but are never cleared to rate."""
    mine = Membership.objects.filter(study=OuterRef("study"), user=OuterRef("user"))
    return Exists(mine.exclude(role=Membership.Role.ANNOTATOR))
