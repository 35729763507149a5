"""Let a team lead decide about an attempt. The rule's result is kept beside it."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Participant
from annotation.services import activity
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from qualification.models import Attempt

PersonStatus = Participant.Status
PERSON_STATUSES = {
    Attempt.State.PASSED: PersonStatus.CLEARED,
    Attempt.State.FAILED: PersonStatus.FAILED,
    Attempt.State.UNDECIDED: PersonStatus.QUALIFYING,  # one more batch than the rule gives
}


@transaction.atomic
def override(attempt: Attempt, *, to: str, reason: str, by: User, now: datetime) -> Attempt:
    """Set the candidate's status against, or instead of, the rule. Raise Refused, also without a reason."""
    if not reason.strip():
        raise Refused("no_reason", _("Give a reason. It is kept with the decision."))
    participant = Participant.objects.select_for_update(no_key=True).get(pk=attempt.participant_id)
    locked = Attempt.objects.get(pk=attempt.pk)
    _check_is_last(locked)
    if participant.status == PersonStatus.EXCLUDED:
        raise Refused("excluded", _("%(name)s is excluded. Take them back in first.") % {"name": participant})
    locked.overridden_to, locked.override_reason = to, reason.strip()
    locked.overridden_by, locked.overridden_at = by, now
    locked.full_clean()
    locked.save()
    details = {"attempt": locked.number, "rule": locked.state, "to": to, "reason": locked.override_reason}
    activity.log(participant.study, by, "override", about=participant.pseudonym, details=details, now=now)
    set_status(participant, status=PERSON_STATUSES[Attempt.State(to)], by=by, reason=locked.override_reason, now=now)
    return locked


def _check_is_last(attempt: Attempt) -> None:
    if Attempt.objects.filter(participant=attempt.participant_id, number__gt=attempt.number).exists():
        raise Refused("not_last", _("Decide on the most recent attempt."))
