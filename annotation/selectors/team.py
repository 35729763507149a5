"""Who is of a study's team: everybody with another role than that of an annotator."""

from django.db.models import Exists, OuterRef

from annotation.models import Membership


def is_of_team() -> Exists:
    """Of participants. They have work of their own, such as a pilot or a sample, and are never cleared to rate."""
    mine = Membership.objects.filter(study=OuterRef("study"), user=OuterRef("user"))
    return Exists(mine.exclude(role=Membership.Role.ANNOTATOR))
