"""Discard draft batches, so that their dialogues are unused again and can be corrected or removed."""

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from annotation.importing.dialogues import lock_study
from annotation.models import Batch, Study
from annotation.services import activity
from annotation.services.agreement import subtract_batch
from annotation.services.refusals import Refused
from annotation.services.totals import lock_total


@transaction.atomic
def discard_drafts(study: Study, *, keys: Collection[str], by: User | None, now: datetime) -> None:
    """Delete draft batches with their items and seats, all or none.

    Raise Refused if one of them is no draft, or if anybody has used it.
    """
    lock_study(study)
    for key in sorted(set(keys)):
        _discard(study, key, by, now)


def _discard(study: Study, key: str, by: User | None, now: datetime) -> None:
    # The study's sums are locked before the batch, as results are stored.
    total = lock_total(study.pk, now=now)
    batch = Batch.objects.select_for_update(of=("self",)).filter(study=study, key=key).first()
    if batch is None:
        raise Refused("unknown_batch", _("There is no batch %(key)s any more.") % {"key": key})
    if batch.status != Batch.Status.DRAFT:
        text = _("%(key)s is not a draft, so it cannot be discarded. Close it instead.")
        raise Refused("no_draft", text % {"key": key})
    subtract_batch(total, batch, now=now)
    details = {"kind": batch.kind, "items": batch.n_items}
    try:
        batch.delete()
    except ProtectedError:
        text = _("%(key)s already has work or answers, so it cannot be discarded.")
        raise Refused("in_use", text % {"key": key}) from None
    activity.log(study, by, "batch_discarded", about=key, details=details, now=now)
