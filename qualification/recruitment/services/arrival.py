"""Coming in by a crowd platform: one entry, one account and one annotator per person, however often they come."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Membership, Participant, Study
from annotation.models.study import ROLE_WORDS
from annotation.services import activity
from annotation.services.joining import give_consent, make_account
from annotation.services.people import take_in
from annotation.services.refusals import Refused
from annotation.services.researchers import is_researcher
from qualification.models import Entry, Recruitment
from qualification.recruitment.platforms.base import Arrival
from qualification.recruitment.services.consent_texts import fingerprint_of, keep_consent_text

SALT = "qualification.arrival"
LASTS = timedelta(hours=3)  # from the platform's link to the consent


# --- what a browser holds between the platform's link and the consent --------------------------------
def sign_arrival(arrival: Arrival) -> str:
    return signing.dumps(arrival.as_dict(), salt=SALT)


def read_arrival(text: str) -> Arrival | None:
    """None for what is broken, or older than three hours."""
    try:
        return Arrival(**signing.loads(text, salt=SALT, max_age=LASTS))
    except (signing.BadSignature, TypeError):
        return None


# --- the entry -----------------------------------------------------------------------------------------
def entry_of(recruitment: Recruitment, arrival: Arrival) -> Entry | None:
    """Of somebody who has been here."""
    known = Entry.objects.filter(study=recruitment.study_id, provider=arrival.provider, person=arrival.person)
    return known.select_related("participant__user", "study").first()


@transaction.atomic
def enter(recruitment: Recruitment, arrival: Arrival, *, agreed: str | None, user: User | None, now: datetime) -> Entry:
    """The person's one entry; with account and participation, when they come for the first time.

    `agreed` is the fingerprint of the consent that was shown, None where the box was not ticked; `user` is whoever is
    signed in. Raises Refused: no consent, not open, a role that sees figures, a participation by another way.
    """
    study = Study.objects.select_related("protocol_version").get(pk=recruitment.study_id)
    check_visitor(study, user, arrival)
    known = entry_of(recruitment, arrival)
    if known is not None:
        return _come_again(known, arrival)
    _check_open(recruitment, study)
    _check_consent(study, agreed)
    # The constraint decides between two tabs: the second waits for the first and finds its entry.
    entry, is_new = Entry.objects.get_or_create(
        study=study,
        provider=arrival.provider,
        person=arrival.person,
        defaults={**_submission(arrival), "entered_at": now},
    )
    if not is_new:
        return _come_again(entry, arrival)
    entry.participant = _take_in(study, now)
    entry.save(update_fields=["participant"])
    about, details = entry.participant.pseudonym, {"provider": arrival.provider}
    activity.log(study, None, "entered", about=about, details=details, now=now)
    return entry


def check_visitor(study: Study, user: User | None, arrival: Arrival) -> None:
    """Who is signed in already must not see the figures, nor take part by another way. Raises Refused."""
    if user is None:
        return
    role = Membership.objects.filter(study=study, user=user).values_list("role", flat=True).first()
    if role not in (None, Membership.Role.ANNOTATOR):
        text = _("You cannot rate this study blind, because of your role in it: %(role)s.")
        raise Refused("other_role", text % {"role": ROLE_WORDS[role]})
    mine = Participant.objects.filter(study=study, user=user)
    if mine.exclude(entry__provider=arrival.provider).exists():
        text = _("You already take part in this study with the account %(name)s. If this is not you, sign out first.")
        raise Refused("takes_part", text % {"name": user.get_username()})


def is_open(recruitment: Recruitment, study: Study) -> bool:
    """For people who come for the first time."""
    return recruitment.is_open and study.status == Study.Status.OPEN


def _check_open(recruitment: Recruitment, study: Study) -> None:
    if not is_open(recruitment, study):
        raise Refused("not_open", _("This study is not accepting new people at the moment."))


def _check_consent(study: Study, agreed: str | None) -> None:
    if not study.consent_text:
        return
    if agreed is None:
        raise Refused("consent_needed", _("Confirm that you agree to take part. You cannot rate without consent."))
    if agreed != fingerprint_of(study):
        raise Refused("consent_needed", _("The text has changed. Read it again."))


def _take_in(study: Study, now: datetime) -> Participant:
    participant = take_in(study, user=make_account(), now=now)
    if study.consent_text:
        keep_consent_text(study, now=now)
        give_consent(participant, study, now=now)
    return participant


def _submission(arrival: Arrival) -> dict[str, str]:
    return {
        "platform_study": arrival.platform_study,
        "session": arrival.session,
    }


def _come_again(entry: Entry, arrival: Arrival) -> Entry:
    """To the same work. A new submission of the platform takes the place of the one that was given back."""
    locked = Entry.objects.select_for_update(of=("self",)).select_related("participant__user").get(pk=entry.pk)
    if locked.session == arrival.session:
        return locked
    if locked.state != Entry.State.ENTERED:
        raise Refused("again", _("You have already finished this study. Each person can take part only once."))
    for name, value in _submission(arrival).items():
        setattr(locked, name, value)
    locked.save(update_fields=[*_submission(arrival)])
    return locked


def account_of(entry: Entry) -> User:
    """Whom the platform's parameters sign in. They are no secret, so they open nothing but the account made for them.

    Raises Refused for an account that has a password, or a role in any study that is more than to rate.
    """
    user = entry.participant.user if entry.participant else None
    is_ours = user is not None and user.is_active and not (user.is_staff or user.is_superuser)
    others = Membership.objects.filter(user=user).exclude(role=Membership.Role.ANNOTATOR)
    if user is None or not is_ours or user.has_usable_password() or others.exists() or is_researcher(user):
        raise Refused("own_account", _("The platform's link no longer opens this account. Sign in with it."))
    return user
