"""Manage the people of a study: members with their roles, and annotators."""

import secrets
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Assignment, Membership, Participant, Study
from annotation.models.study import ROLE_WORDS
from annotation.services import activity
from annotation.services.claiming import release_seats
from annotation.services.refusals import Refused
from annotation.services.researchers import admit_by_role
from annotation.services.status import set_status

Role = Membership.Role
PersonStatus = Participant.Status
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without letters and digits that look alike: pseudonyms are read aloud
NAME_TRIES = 20


@transaction.atomic
def add_member(study: Study, *, user: User, role: str, now: datetime, by: User | None = None) -> Membership:
    """Add a member. An annotator gets a pseudonym and waits to be cleared. Raise Refused for an existing member."""
    membership = _make_member(study, user, role)
    activity.log(study, by, "member_added", about=user.get_username(), details={"role": str(role)}, now=now)
    return membership


def _make_member(study: Study, user: User, role: str) -> Membership:
    # The lock orders two additions of one person, so that the second is refused with a message.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    known = Membership.objects.filter(study=study, user=user).first()
    if known is not None:
        text = _("%(name)s already takes part (role: %(role)s).")
        raise Refused("member", text % {"name": user.get_username(), "role": ROLE_WORDS[known.role]})
    membership = Membership(study=study, user=user, role=role)
    membership.full_clean()
    membership.save()
    admit_by_role(membership)
    if role == Role.ANNOTATOR:
        get_or_make_participant(study, user=user)
    return membership


def free_name(prefix: str, rows: QuerySet[Any], field: str) -> str:
    """Return a random name that none of the rows has in this field."""
    for size in range(4, 4 + NAME_TRIES):
        name = prefix + "".join(secrets.choice(LETTERS) for _ in range(size))
        if not rows.filter(**{field: name}).exists():
            return name
    raise AssertionError("No free name in 20 draws of growing length.")


def get_or_make_participant(study: Study, *, user: User) -> Participant:
    """Return the person's one participation, made if missing. Call it in a transaction."""
    known = Participant.objects.filter(study=study, user=user).first()
    if known is not None:
        return known
    status = PersonStatus.QUALIFYING if study.has_qualification else PersonStatus.PENDING
    pseudonym = free_name("a-", Participant.objects.filter(study=study), "pseudonym")
    participant = Participant(study=study, user=user, pseudonym=pseudonym, status=status)
    participant.full_clean()
    participant.save()
    return participant


@transaction.atomic
def create_account(
    study: Study, *, username: str, email: str, role: str, now: datetime, by: User | None = None
) -> tuple[Membership, str]:
    """Create an account that is a member. Return the membership and the password, which is not stored: show it once."""
    password = secrets.token_urlsafe(12)
    user = User(username=username, email=email)
    validate_password(password, user)
    user.set_password(password)
    user.full_clean()
    user.save()
    return add_member(study, user=user, role=role, by=by, now=now), password


@transaction.atomic
def change_role(membership: Membership, *, role: str, now: datetime, by: User | None = None) -> Membership:
    """Change a member's role. Raise Refused if the study would be left without an owner.

    Somebody who is no longer an annotator stops rating: a role that sees results cannot rate blind.
    """
    locked = _lock_membership(membership)
    if role != Role.OWNER:
        _check_owner_remains(locked)
    before, locked.role = locked.role, role
    locked.full_clean()
    locked.save(update_fields=["role"])
    admit_by_role(locked)
    if before != role:
        details = {"before": before, "after": str(role)}
        activity.log(locked.study, by, "role", about=locked.user.get_username(), details=details, now=now)
    if role == Role.ANNOTATOR:
        get_or_make_participant(locked.study, user=locked.user)
        return locked
    mine = Participant.objects.filter(study=locked.study, user=locked.user)
    participant = mine.exclude(status=PersonStatus.EXCLUDED).first()
    if participant is not None:  # unfinished answers are kept, and finished work still counts
        set_status(participant, status=PersonStatus.PAUSED, by=by, reason=_("Role changed."), now=now)
        release_seats(participant, Assignment.Status.EXPIRED, is_finished_kept=True)
    return locked


@transaction.atomic
def remove_member(membership: Membership, *, now: datetime, by: User | None = None) -> None:
    """Remove a member. Ratings stay under the pseudonym. Raise Refused for an annotator who is not excluded."""
    locked = _lock_membership(membership)
    _check_owner_remains(locked)
    if Participant.objects.filter(study=locked.study, user=locked.user).exclude(status=PersonStatus.EXCLUDED).exists():
        raise Refused("participant", _("Exclude this annotator first, to free their seats for others."))
    name, details = locked.user.get_username(), {"role": locked.role}
    activity.log(locked.study, by, "member_removed", about=name, details=details, now=now)
    locked.delete()


def _lock_membership(membership: Membership) -> Membership:
    """Lock the study and return the membership: two owners who demote each other at once must not both succeed."""
    Study.objects.select_for_update(no_key=True).get(pk=membership.study_id)
    return Membership.objects.select_related("study", "user").get(pk=membership.pk)


def _check_owner_remains(membership: Membership) -> None:
    others = Membership.objects.filter(study=membership.study, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise Refused("last_owner", _("A study needs an owner: make somebody else an owner first."))


@transaction.atomic
def join_study(study: Study, *, user: User, now: datetime) -> Participant:
    """Take part by the invitation link. Raise Refused if the study is not joinable, or for members in other roles.

    Joining again changes nothing.
    """
    fresh = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    role = Membership.objects.filter(study=fresh, user=user).values_list("role", flat=True).first()
    if role == Role.ANNOTATOR:
        return get_or_make_participant(fresh, user=user)
    if role is not None:
        text = _("You cannot rate this study blind, because of your role in it: %(role)s.")
        raise Refused("other_role", text % {"role": ROLE_WORDS[role]})
    if not fresh.is_joinable:
        raise Refused("not_joinable", _("This invitation is turned off. Ask the people who sent it to you."))
    participant = take_in(fresh, user=user, now=now)
    # The log has only the pseudonym: it need not say whose account this is.
    activity.log(fresh, None, "joined", about=participant.pseudonym, now=now)
    return participant


@transaction.atomic
def take_in(study: Study, *, user: User, now: datetime) -> Participant:
    """Add an annotator, cleared at once if the study says so. Raise Refused for an existing member."""
    _make_member(study, user, Role.ANNOTATOR)
    participant = Participant.objects.get(study=study, user=user)
    # A person who was excluded and removed stays excluded: the link must not undo that.
    is_new = participant.status == PersonStatus.PENDING
    if not (study.is_clearing_on_join and is_new):
        return participant
    reason = _("Joined by the invitation link.")
    return set_status(participant, status=PersonStatus.CLEARED, reason=reason, now=now)
