"""Join a study by invitation: create an account without a password, store consent, and make a personal link back."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Participant, Study
from annotation.researchers import GROUP
from annotation.services.people import free_name, join_study
from annotation.services.refusals import Refused

RETURN_SALT = "annotation.return"
SENT_AGAIN = timedelta(days=1)  # how long a form that is sent again returns the account it has made

Key = tuple[int, str]  # an account, and part of a hash that changes with its password


def study_of_invitation(token: str) -> Study | None:
    return Study.objects.select_related("protocol_version").filter(join_token=token).first()


@transaction.atomic
def join(
    study: Study, *, user: User | None, has_agreed: bool, now: datetime, device: UUID | None = None
) -> Participant:
    """Take part, with a new account if nobody is signed in. Raise Refused, for example without consent.

    `device` names the browser that asks for a new account. Asking again returns the same account: see `Device`.
    """
    if study.status != Study.Status.OPEN:
        raise Refused("not_open", _("This study is not open at the moment. Ask the people who invited you."))
    if study.consent_text and not has_agreed:
        raise Refused("consent_needed", _("Confirm that you agree to take part. You cannot rate without consent."))
    participant = join_study(study, user=user, now=now) if user else _join_anew(study, device, now)
    return give_consent(participant, study, now=now) if study.consent_text else participant


def _join_anew(study: Study, device: UUID | None, now: datetime) -> Participant:
    # Two posts from one device wait for each other here: the second finds the account that the first has made.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    known = study.participants.select_related("user").filter(joined_on=device).first() if device else None
    if known and known.user and known.created_at > now - SENT_AGAIN and has_personal_link(known.user):
        return known
    participant = join_study(study, user=make_account(), now=now)
    if device is not None and known is None:
        participant.joined_on = device
        participant.save(update_fields=["joined_on"])
    return participant


def make_account() -> User:
    """Create an account without a password, under a random name."""
    return User.objects.create_user(free_name("annotator-", User.objects.all(), "username"))


def give_consent(participant: Participant, study: Study, *, now: datetime) -> Participant:
    """Store consent with its version and the time. Agreeing to the same text again changes nothing."""
    if participant.consent_version == study.consent_version and participant.consented_at:
        return participant
    participant.consent_version = study.consent_version
    participant.consented_at = now
    participant.save(update_fields=["consent_version", "consented_at"])
    return participant


# --- coming back -------------------------------------------------------------------------------------
def key_of(user: User) -> Key:
    """Return a key that opens the account until its password changes; a new unusable one also voids older keys."""
    return user.pk, user.get_session_auth_hash()[:16]


def users_of_keys(keys: Sequence[Key]) -> list[User]:
    """Return accounts whose keys still work, in the order of keys. Those with a password or more rights have none."""
    openable = User.objects.filter(is_active=True, is_staff=False, is_superuser=False).exclude(groups__name=GROUP)
    found = openable.in_bulk([pk for pk, _part in keys])
    users = [found[pk] for pk, part in keys if pk in found and key_of(found[pk]) == (pk, part)]
    return [user for user in users if not user.has_usable_password()]


def has_personal_link(user: User) -> bool:
    return not user.has_usable_password() and bool(users_of_keys([key_of(user)]))


def make_return_token(user: User) -> str:
    """Return a token that signs this annotator in again on any device."""
    return signing.dumps(key_of(user), salt=RETURN_SALT, compress=False)


def user_of_return_token(token: str) -> User | None:
    """Return the account; None if the link is broken, void, or of an account that signs in with a password."""
    try:
        pk, part = signing.loads(token, salt=RETURN_SALT)
    except signing.BadSignature:
        return None
    return next(iter(users_of_keys([(pk, part)])), None)
