"""Make groups of annotators, fill them, and give them batches."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from annotation.models import Batch, Group, Participant, Study
from annotation.services import activity


@transaction.atomic
def make_group(study: Study, *, name: str, by: User, now: datetime) -> Group:
    """Create a group. Raise ValidationError if the name is taken."""
    group = Group(study=study, name=name.strip())
    group.full_clean()
    group.save()
    activity.log(study, by, "group_made", about=group.name, now=now)
    return group


@transaction.atomic
def remove_group(group: Group, *, by: User, now: datetime) -> None:
    """Delete a group. Its annotators and batches are then in no group: anybody may take those batches."""
    activity.log(group.study, by, "group_removed", about=group.name, now=now)
    group.delete()


@transaction.atomic
def move_annotators(study: Study, *, tokens: Iterable[UUID], group: Group | None, by: User, now: datetime) -> int:
    """Move annotators into the group, or out of any. They may finish begun work. Return how many moved."""
    people = Participant.objects.filter(study=study, token__in=list(tokens)).order_by("pk")
    # Locked in the order of keys, so that two leads who press the button at once do not deadlock.
    locked = [person for person in people.select_for_update(no_key=True) if person.group_id != (group and group.pk)]
    Participant.objects.filter(pk__in=[person.pk for person in locked]).update(group=group)
    for person in locked:
        _log(study, by, "group_changed", person.pseudonym, group, now)
    return len(locked)


@transaction.atomic
def give_batches(study: Study, *, keys: Iterable[str], group: Group | None, by: User, now: datetime) -> int:
    """Give batches to one group, or to everybody. Begun work may be finished. Return how many batches changed."""
    batches = Batch.objects.filter(study=study, kind=Batch.Kind.MAIN, key__in=list(keys)).order_by("pk")
    locked = [batch for batch in batches.select_for_update(no_key=True) if batch.group_id != (group and group.pk)]
    # The version rises although no result changes, because open boards look at it.
    changed = Batch.objects.filter(pk__in=[batch.pk for batch in locked])
    changed.update(group=group, ratings_version=F("ratings_version") + 1)
    for batch in locked:
        _log(study, by, "batch_given", batch.key, group, now)
    return len(locked)


@transaction.atomic
def set_dealing(study: Study, *, is_dealt_to_groups: bool, by: User, now: datetime) -> None:
    """Set whether a batch goes to the group of the first person who begins it."""
    Study.objects.filter(pk=study.pk).update(is_dealt_to_groups=is_dealt_to_groups)
    activity.log(study, by, "groups_dealt", details={"is_dealt_to_groups": is_dealt_to_groups}, now=now)


def _log(study: Study, by: User, verb: str, about: str, group: Group | None, now: datetime) -> None:
    details: dict[str, Any] = {"group": group.name if group else ""}
    activity.log(study, by, verb, about=about, details=details, now=now)
