"""Manage the panel, which rates pilots and the qualification. Candidates are compared with it."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Membership, Participant, Study
from annotation.selectors.studies import find_account
from annotation.services import activity
from annotation.services.people import get_or_make_participant
from annotation.services.refusals import Refused
from annotation.services.status import set_status

PersonStatus = Participant.Status


@transaction.atomic
def set_panel(study: Study, *, name: str, panel: str, by: User, now: datetime) -> Participant:
    """Put a member, or an annotator by pseudonym, into the panel or out of it. Raise Refused for anybody else.

    Roles that see results may join: the panel's answers are never among the main results.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    participant = _find(study, name, now)
    before, participant.panel = participant.panel, panel
    participant.full_clean(exclude=["user"])  # imported annotators have none
    participant.save(update_fields=["panel"])
    details = {"before": before, "after": panel}
    activity.log(study, by, "panel", about=participant.pseudonym, details=details, now=now)
    return participant


def _find(study: Study, name: str, now: datetime) -> Participant:
    known = Participant.objects.filter(study=study, pseudonym=name).first()
    if known is not None:
        return known
    account = find_account(name)
    membership = Membership.objects.filter(study=study, user=account).first() if account else None
    if account is None or membership is None:
        raise Refused("no_member", _("%(name)s is not a member of this study. Add them first.") % {"name": name})
    participant = get_or_make_participant(study, user=account)
    is_annotator = membership.role == Membership.Role.ANNOTATOR
    if not is_annotator and participant.status in (PersonStatus.QUALIFYING, PersonStatus.PAUSED):
        # They may not rate the main work, so they must not be qualifying; if paused, they could not rate the pilot.
        set_status(participant, status=PersonStatus.PENDING, reason=_("Rates in the panel."), now=now)
        participant.refresh_from_db()
    return participant
