"""Coming in by an invitation: an account without a password, the consent, and a link that leads back."""

import secrets
from datetime import datetime

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Participant, Study
from annotation.researchers import GROUP
from annotation.services.people import LETTERS, join_study
from annotation.services.refusals import Refused

RETURN_SALT = "annotation.return"
USERNAME_TRIES = 20


def study_of_invitation(token: str) -> Study | None:
    return Study.objects.select_related("protocol_version").filter(join_token=token).first()


@transaction.atomic
def join(study: Study, *, user: User | None, has_agreed: bool, now: datetime) -> Participant:
    """Take part, with a new account when nobody is signed in. Raises Refused, for example without consent."""
    if study.status != Study.Status.OPEN:
        raise Refused("not_open", _("This study is not open at the moment. Ask the people who invited you."))
    if study.consent_text and not has_agreed:
        raise Refused("consent_needed", _("Say that you agree to take part: without it nothing can be rated."))
    participant = join_study(study, user=user or make_account(), now=now)
    return give_consent(participant, study, now=now) if study.consent_text else participant


def make_account() -> User:
    """Without a password, under a made-up name."""
    for size in range(4, 4 + USERNAME_TRIES):
        username = "annotator-" + "".join(secrets.choice(LETTERS) for _ in range(size))
        if not User.objects.filter(username=username).exists():
            return User.objects.create_user(username)
    raise AssertionError("No free name in 20 draws of growing length.")


def give_consent(participant: Participant, study: Study, *, now: datetime) -> Participant:
    """X-4: stored with the version agreed to and the time. Agreeing to the same text again changes nothing."""
    if participant.consent_version == study.consent_version and participant.consented_at:
        return participant
    participant.consent_version = study.consent_version
    participant.consented_at = now
    participant.save(update_fields=["consent_version", "consented_at"])
    return participant


def make_return_token(user: User) -> str:
    """Signs this annotator in again, on any device. A new unusable password makes every older link void."""
    return signing.dumps([user.pk, user.get_session_auth_hash()[:16]], salt=RETURN_SALT, compress=False)


def user_of_return_token(token: str) -> User | None:
    """None for a link that is broken, void, or of an account that signs in with a password."""
    try:
        pk, part = signing.loads(token, salt=RETURN_SALT)
    except signing.BadSignature:
        return None
    user = User.objects.filter(pk=pk, is_active=True, is_staff=False).exclude(groups__name=GROUP).first()
    if user is None or user.has_usable_password() or user.get_session_auth_hash()[:16] != part:
        return None
    return user
