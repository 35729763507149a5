"""Move a study to another version of its protocol. Earlier answers are kept as they are."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Item, Rating, Seat, Study
from annotation.services import activity
from annotation.services.agreement import rebuild_study
from annotation.services.claiming import HOLDING
from annotation.services.refusals import Refused
from protocols.models import ProtocolVersion
from protocols.specs import spec_of
from protocols.translating import languages_of


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a move: answers that stay stored but no longer count, and work to be done again."""

    n_ratings: int
    n_submitted: int
    n_active: int

    @property
    def is_felt(self) -> bool:
        """Return whether there is any answer or seat that the move changes."""
        return bool(self.n_ratings or self.n_submitted or self.n_active)


def effect_of_move(study: Study) -> Effect:
    """Return the effect of a move on what was answered under the study's current version."""
    work = Assignment.objects.filter(batch__study=study, seat__isnull=False)
    return Effect(
        n_ratings=Rating.objects.filter(batch__study=study, criterion__version=study.protocol_version_id).count(),
        n_submitted=work.filter(status=Assignment.Status.SUBMITTED).count(),
        n_active=work.filter(status=Assignment.Status.ACTIVE).count(),
    )


@transaction.atomic
def move_study(study: Study, version: ProtocolVersion, *, now: datetime, by: User | None = None) -> Study:
    """Follow another published version of the same protocol. Raise Refused.

    Ratings belong to the version they were made with: earlier ones stay and are exported, but no longer count. Seats
    become free, and the people who held them may rate under the new version. Moving back restores the old results, but
    not the seats.
    """
    locked = Study.objects.select_for_update(no_key=True).select_related("protocol_version").get(pk=study.pk)
    _check(locked, version)
    seats = Seat.objects.filter(batch__study=study, assignment__isnull=False).order_by("pk").select_for_update()
    held = [seat.assignment_id for seat in seats if seat.assignment_id is not None]
    Seat.objects.filter(assignment__in=held).update(assignment=None, lease_expires_at=None)
    Assignment.objects.filter(pk__in=held, status__in=HOLDING).update(status=Assignment.Status.EXPIRED)
    before, locked.protocol_version = locked.protocol_version, version
    if locked.content_language not in languages_of(version):
        locked.content_language = ""
    locked.save(update_fields=["protocol_version", "content_language"])
    # Training items ask all questions of their unit if the new version lacks one of theirs.
    items = Item.objects.filter(batch__study=study).exclude(asks=[])
    items.exclude(asks__contained_by=list(spec_of(version).by_key)).update(asks=[])
    details = {"before": str(before), "after": str(version), "freed": len(held)}
    activity.log(locked, by, "protocol_moved", about=str(version), details=details, now=now)
    rebuild_study(locked, now=now)
    return locked


def _check(study: Study, version: ProtocolVersion) -> None:
    old = study.protocol_version
    if version.protocol_id != old.protocol_id:
        raise Refused("other_protocol", _("A study keeps its protocol. To use another one, create another study."))
    if version.status != ProtocolVersion.Status.PUBLISHED:
        if version.status == ProtocolVersion.Status.DRAFT:
            text = _("%(version)s is a draft. A study follows a published version.")
        else:
            text = _("%(version)s is retired. A study follows a published version.")
        raise Refused("not_published", text % {"version": version})
    if version.pk == old.pk:
        raise Refused("same_version", _("The study already follows %(version)s.") % {"version": version})
    if set(spec_of(version).units) != set(spec_of(old).units) and study.batches.exists():
        message = _(
            "The new version rates different units, but the batches were made for the old ones. Create another study."
        )
        raise Refused("other_units", message)
