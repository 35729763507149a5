"""Let people leave through a crowd platform: the state in which the work ended is stored once, then its code is shown.

Locks are taken in one order: the participant, then the entry, then seats.
"""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Participant
from annotation.services import activity
from annotation.services.claiming import release_seats
from annotation.services.refusals import Refused
from qualification.checks.services.signals import raise_known_flags
from qualification.models import Entry, Recruitment
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.selectors.exit_rules import Way, way_of

State = Entry.State


@dataclass(frozen=True, slots=True)
class Ending:
    """Hold the code that the platform gets, and the address that sends it."""

    code: str
    url: str  # empty without a code, or if the platform has closed


def end_entry(entry: Entry, *, now: datetime) -> Entry:
    """End the entry in its present state: finished, screened out, failed attention, timed out. A second call is safe.

    The seat of begun work is released. Missed checks are looked for first, in case the sweep has not seen them yet.
    Raise Refused while there is no reason to end, and while a team lead has to decide about missed checks.
    """
    ended, way = _end(entry, now)
    if ended.state != State.ENTERED:
        return ended
    if way.is_looked_at:  # after the transaction, so that the flags it raised stay
        raise Refused("looked_at", _("Your work is being looked at. Please come back to this page later."))
    raise Refused("not_yet", _("Finish a batch first. Then you get your completion code."))


@transaction.atomic
def _end(entry: Entry, now: datetime) -> tuple[Entry, Way]:
    """End the entry under the participant's lock, so that no status or flag changes between the look and the end."""
    participant = Participant.objects.select_for_update(no_key=True).filter(pk=entry.participant_id or 0).first()
    locked = Entry.objects.select_for_update(of=("self",)).select_related("participant", "study").get(pk=entry.pk)
    if participant is None or locked.state != State.ENTERED:
        return locked, Way(locked)
    raise_known_flags(participant, now=now)
    way = way_of(locked, now)
    state = way.due or (State.DONE if way.may_finish else "")
    if state:
        locked.state, locked.ended_at = State(state), now
        locked.full_clean()
        locked.save(update_fields=["state", "ended_at"])
        release_seats(participant, Assignment.Status.EXPIRED, is_finished_kept=True)
        details = {"state": locked.state}
        activity.log(locked.study, None, "left", about=participant.pseudonym, details=details, now=now)
    return locked, way


def ending_of(entry: Entry, recruitment: Recruitment) -> Ending:
    """Return code and address of an ended entry. Raise KeyError for one that has not ended: it has no code yet."""
    provider = PROVIDERS[entry.provider]
    code = {
        State.DONE: recruitment.code_done,
        State.SCREENED_OUT: recruitment.code_screened_out,
        State.FAILED_ATTENTION: recruitment.code_failed_attention,
        State.TIMED_OUT: recruitment.code_timed_out,
    }[State(entry.state)]
    if not code or provider.is_closed:
        return Ending(code, "")
    home = recruitment.platform_url or provider.home
    return Ending(code, f"{home.rstrip('/')}{provider.end_path}?{urlencode({provider.code_field: code})}")
