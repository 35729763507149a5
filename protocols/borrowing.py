"""Read the questions of another version, to be copied into a draft with their answers and conditions."""

from typing import Any

from django.db.models import QuerySet

from protocols.editing import editable
from protocols.models import Criterion, ProtocolVersion


def other_versions(version: ProtocolVersion) -> QuerySet[ProtocolVersion]:
    """Return the versions whose questions can be copied into this one, by the name of their protocol, newest first."""
    others = ProtocolVersion.objects.select_related("protocol").exclude(pk=version.pk)
    return others.order_by("protocol__name", "protocol", "-pk")


def questions_of(version: ProtocolVersion) -> list[dict[str, Any]]:
    """Return the criteria that annotators answer, as the editor's form has them, each with what it asks about.

    Computed criteria are left out: their rules speak of the keys of others.
    """
    doc = editable(version)
    asked = [each for each in doc["criteria"] if each.get("kind") != Criterion.Kind.COMPUTED]
    return [each | {"unit": each.get("unit") or doc["unit"]} for each in asked]
