"""Leaving by a crowd platform: the state in which somebody's work ended is stored once, and its code is shown then."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment
from annotation.services import activity
from annotation.services.claiming import release_seats
from annotation.services.refusals import Refused
from qualification.models import Entry, Recruitment
from qualification.providers import PROVIDERS
from qualification.providers.base import EndBy
from qualification.selectors.recruitment_ways import way_of

State = Entry.State


@dataclass(frozen=True, slots=True)
class Ending:
    """What the platform is told, and where."""

    code: str
    url: str  # of a link, or to which a form is posted; empty without a code
    fields: dict[str, str]  # of the form


@transaction.atomic
def end_entry(entry: Entry, *, now: datetime) -> Entry:
    """End it as it stands: finished, screened out, failed attention, timed out. Ending again changes nothing.

    The seat of work begun is free for somebody else. Raises Refused while there is no reason to end,
    and while a team lead has to decide about checks that were missed.
    """
    locked = Entry.objects.select_for_update(of=("self",)).select_related("participant", "study").get(pk=entry.pk)
    if locked.state != State.ENTERED or locked.participant is None:
        return locked
    way = way_of(locked, now)
    state = way.due or (State.DONE if way.may_finish else "")
    if way.is_looked_at:
        raise Refused("looked_at", _("Your work is being looked at. Please come back to this page a little later."))
    if not state:
        raise Refused("not_yet", _("Finish a batch first: then you get your completion code."))
    locked.state, locked.ended_at = State(state), now
    locked.full_clean()
    locked.save(update_fields=["state", "ended_at"])
    release_seats(locked.participant, Assignment.Status.EXPIRED, is_finished_kept=True)
    activity.log(
        locked.study, None, "left", about=locked.participant.pseudonym, details={"state": locked.state}, now=now
    )
    return locked


def ending_of(entry: Entry, recruitment: Recruitment) -> Ending:
    """Of an entry that has ended. Raises KeyError for one that has not: its code is nobody's yet."""
    provider = PROVIDERS[entry.provider]
    code = {
        State.DONE: recruitment.code_done,
        State.SCREENED_OUT: recruitment.code_screened_out,
        State.FAILED_ATTENTION: recruitment.code_failed_attention,
        State.TIMED_OUT: recruitment.code_timed_out,
    }[State(entry.state)]
    fields = {provider.code_field: code}
    if provider.end_by == EndBy.FORM:
        return Ending(code, entry.submit_to + provider.end_path, fields | {provider.session_field: entry.session})
    home = recruitment.platform_url or provider.home
    url = f"{home.rstrip('/')}{provider.end_path}?{urlencode(fields)}" if code else ""
    return Ending(code, url, {})
