"""Admit people from a crowd platform: each has one entry, account and participant, however often they come."""

from dataclasses import asdict
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
    return signing.dumps(asdict(arrival), salt=SALT)


def read_arrival(text: str) -> Arrival | None:
    """Return the arrival; None if the text is broken or older than three hours."""
    try:
        return Arrival(**signing.loads(text, salt=SALT, max_age=LASTS))
    except (signing.BadSignature, TypeError):
        return None


# --- the entry -----------------------------------------------------------------------------------------
def entry_of(recruitment: Recruitment, arrival: Arrival) -> Entry | None:
    """Return the entry of somebody who has been here before, or None."""
    known = Entry.objects.filter(study=recruitment.study_id, provider=arrival.provider, person=arrival.person)
    return known.select_related("participant__user", "study").first()


@transaction.atomic
def enter(recruitment: Recruitment, arrival: Arrival, *, agreed: str | None, user: User | None, now: datetime) -> Entry:
    """Return the person's one entry. The first visit also makes an account and a participant.

    `agreed` is the fingerprint of the consent that was shown, or None if the box was not ticked; `user` is whoever is
    signed in. Raise Refused as `check_visitor` does, without consent, if the study is closed to new people, or if the
    person has already finished it.
    """
    study = Study.objects.select_related("protocol_version").get(pk=recruitment.study_id)
    check_visitor(study, user, arrival)
    known = entry_of(recruitment, arrival)
    if known is not None:
        return _come_again(known, arrival)
    if not is_open(recruitment, study):
        raise Refused("not_open", _("This study is not accepting new people at the moment."))
    _check_consent(study, agreed)
    # The constraint makes the second of two tabs wait for the first and find its entry.
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
    """Raise Refused if the signed-in user has a role that sees results, or takes part in another way."""
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
    """Return whether new people may join."""
    return recruitment.is_open and study.status == Study.Status.OPEN


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
    return {"platform_study": arrival.platform_study, "session": arrival.session}


def _come_again(entry: Entry, arrival: Arrival) -> Entry:
    """Return the entry for the same work. A new submission on the platform replaces the one that was returned."""
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
    """Return the account to sign in. The platform's parameters are no secret, so they only open an account of ours.

    Raise Refused for an account that has a password, or more rights than to rate.
    """
    user = entry.participant.user if entry.participant else None
    is_ours = user is not None and user.is_active and not (user.is_staff or user.is_superuser)
    others = Membership.objects.filter(user=user).exclude(role=Membership.Role.ANNOTATOR)
    if user is None or not is_ours or user.has_usable_password() or others.exists() or is_researcher(user):
        raise Refused("own_account", _("The platform's link no longer opens this account. Sign in with it."))
    return user
