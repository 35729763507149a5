"""Studies and batches: made, changed, opened and closed."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from annotation.models import Batch, Membership, Study
from annotation.services.people import add_member
from annotation.services.refusals import Refused
from protocols.models import ProtocolVersion

SETTINGS = frozenset({
    "name", "description", "protocol_version", "seats", "majority_rule", "platform", "pay_amount", "pay_currency",
    "consent_text", "consent_version", "is_joinable", "is_clearing_on_join",
})  # fmt: skip


@transaction.atomic
def create_study(
    *, slug: str, name: str, protocol_version: ProtocolVersion, owner: User | None, **settings: Any
) -> Study:
    """A new draft study; its owner, if there is one, becomes a member. Raises ValidationError."""
    study = Study(slug=slug, name=name)
    _change(study, {"protocol_version": protocol_version, **settings})
    if owner is not None:
        add_member(study, user=owner, role=Membership.Role.OWNER)
    return study


def ensure_study(*, slug: str, protocol_version: ProtocolVersion, **values: Any) -> tuple[Study, bool]:
    """The study of this slug and whether it was made now. Raises Refused if it follows another protocol version."""
    study = Study.objects.select_related("protocol_version__protocol").filter(slug=slug).first()
    if study is None:
        return create_study(slug=slug, protocol_version=protocol_version, **values), True
    if study.protocol_version_id != protocol_version.pk:
        message = f"Study {slug} exists and follows {study.protocol_version}, not {protocol_version}."
        raise Refused("other_protocol", f"{message} Choose another slug.")
    return study, False


@transaction.atomic
def update_study(study: Study, **settings: Any) -> Study:
    """Change settings. The protocol version is fixed once the study has a batch: items were made for its unit."""
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    version = settings.get("protocol_version", locked.protocol_version)
    if version.pk != locked.protocol_version_id and locked.batches.exists():
        message = "The study has batches already, so its protocol version cannot change. Create another study."
        raise ValidationError({"protocol_version": message})
    return _change(locked, settings)


def _change(study: Study, settings: dict[str, Any]) -> Study:
    unknown = settings.keys() - SETTINGS
    if unknown:
        raise ValidationError(f"A study has no setting {', '.join(sorted(unknown))}.")
    for name, value in settings.items():
        setattr(study, name, value)
    _check_version(study)
    study.full_clean()
    study.save()
    return study


def _check_version(study: Study) -> None:
    version = study.protocol_version
    if study.pk is None and version.status != ProtocolVersion.Status.PUBLISHED:
        raise ValidationError({"protocol_version": f"{version} is {version.status}. Publish it first."})


@transaction.atomic
def open_study(study: Study) -> Study:
    """Let annotators claim seats of the open batches. Raises Refused while there is nothing to claim."""
    if not study.batches.exists():
        raise Refused("no_batches", "There is nothing to rate yet: import dialogues and make batches first.")
    return _set_study_status(study, Study.Status.OPEN)


@transaction.atomic
def close_study(study: Study) -> Study:
    """No more claims and no more answers. Opening it again is always possible."""
    return _set_study_status(study, Study.Status.CLOSED)


def _set_study_status(study: Study, status: str) -> Study:
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    locked.status = status
    locked.full_clean()
    locked.save(update_fields=["status"])
    return locked


@transaction.atomic
def set_batch_status(study: Study, *, keys: Iterable[str], status: str) -> int:
    """Open or close the named batches. Returns how many changed. Raises Refused for an empty one.

    Who has begun a batch that is closed may finish it.
    """
    batches = Batch.objects.filter(study=study, key__in=list(keys)).exclude(status=status)
    # In the order of their keys, so that two people who press the button at once do not wait for each other for ever.
    locked = list(batches.order_by("pk").select_for_update(no_key=True))
    if status == Batch.Status.OPEN and any(batch.n_items == 0 for batch in locked):
        raise Refused("empty_batch", "A batch without items cannot be opened.")
    changed = Batch.objects.filter(pk__in=[batch.pk for batch in locked])
    # A new version, although no figure changes: it is what boards that are open look at.
    return changed.update(status=status, ratings_version=F("ratings_version") + 1)
