"""Who takes part: members and their roles, annotators and their standing."""

import secrets

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Membership, Participant, Seat, Study
from annotation.models.study import ROLE_WORDS
from annotation.services.claiming import release_seats
from annotation.services.nudging import raise_version
from annotation.services.refusals import Refused

Role = Membership.Role
Standing = Participant.Standing
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that look alike: pseudonyms are read aloud
PSEUDONYM_TRIES = 20


@transaction.atomic
def add_member(study: Study, *, user: User, role: str) -> Membership:
    """Raises Refused for somebody who is a member already. An annotator gets a pseudonym, and waits to be cleared."""
    # The lock makes two additions of one person one after the other, so the second is refused with a sentence.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    known = Membership.objects.filter(study=study, user=user).first()
    if known is not None:
        text = _("%(name)s takes part already, as %(role)s.")
        raise Refused("member", text % {"name": user.get_username(), "role": ROLE_WORDS[known.role]})
    membership = Membership(study=study, user=user, role=role)
    membership.full_clean()
    membership.save()
    if role == Role.ANNOTATOR:
        get_or_make_participant(study, user=user)
    return membership


def get_or_make_participant(study: Study, *, user: User) -> Participant:
    """The person's one participation. Call it in a transaction."""
    known = Participant.objects.filter(study=study, user=user).first()
    if known is not None:
        return known
    participant = Participant(study=study, user=user, pseudonym=_free_pseudonym(study))
    participant.full_clean()
    participant.save()
    return participant


def _free_pseudonym(study: Study) -> str:
    for size in range(4, 4 + PSEUDONYM_TRIES):
        pseudonym = "a-" + "".join(secrets.choice(LETTERS) for _ in range(size))
        if not Participant.objects.filter(study=study, pseudonym=pseudonym).exists():
            return pseudonym
    raise AssertionError("No free pseudonym in 20 draws of growing length.")


@transaction.atomic
def create_account(study: Study, *, username: str, email: str, role: str) -> tuple[Membership, str]:
    """A new account that is a member. Returns the password too, which is stored nowhere: show it once."""
    password = secrets.token_urlsafe(12)
    user = User(username=username, email=email)
    validate_password(password, user)
    user.set_password(password)
    user.full_clean()
    user.save()
    return add_member(study, user=user, role=role), password


@transaction.atomic
def change_role(membership: Membership, *, role: str) -> Membership:
    """Raises Refused when the study would be left without an owner.

    Who stops being an annotator stops rating: a role that sees the figures cannot rate blind (X-5).
    """
    locked = _lock_membership(membership)
    if role != Role.OWNER:
        _check_owner_remains(locked)
    locked.role = role
    locked.full_clean()
    locked.save(update_fields=["role"])
    if role == Role.ANNOTATOR:
        get_or_make_participant(locked.study, user=locked.user)
    else:
        _stop_rating(locked)
    return locked


def _stop_rating(membership: Membership) -> None:
    """Paused, and without the seat of work begun: its answers are kept. Finished work counts on."""
    mine = Participant.objects.filter(study=membership.study, user=membership.user)
    participant = mine.exclude(standing=Standing.EXCLUDED).select_for_update(no_key=True).first()
    if participant is not None:
        participant.standing = Standing.PAUSED
        participant.save(update_fields=["standing"])
        release_seats(participant, Assignment.Status.EXPIRED, is_finished_kept=True)


@transaction.atomic
def remove_member(membership: Membership) -> None:
    """Take the role away. What an annotator has rated stays, under the pseudonym: exclude them for the rest."""
    locked = _lock_membership(membership)
    _check_owner_remains(locked)
    if Participant.objects.filter(study=locked.study, user=locked.user).exclude(standing=Standing.EXCLUDED).exists():
        raise Refused("participant", _("Exclude this annotator first: then their seats are free for others."))
    locked.delete()


def _lock_membership(membership: Membership) -> Membership:
    """Behind the study's row: two owners who demote each other at once must not both succeed."""
    Study.objects.select_for_update(no_key=True).get(pk=membership.study_id)
    return Membership.objects.select_related("study", "user").get(pk=membership.pk)


def _check_owner_remains(membership: Membership) -> None:
    others = Membership.objects.filter(study=membership.study, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise Refused("last_owner", _("A study needs an owner: make somebody else an owner first."))


def clear_waiting(study: Study) -> int:
    """Clear everybody who waits for it. Returns how many."""
    return Participant.objects.filter(study=study, standing=Standing.PENDING).update(standing=Standing.CLEARED)


def clear_participant(participant: Participant) -> Participant:
    return set_standing(participant, standing=Standing.CLEARED)


def pause_participant(participant: Participant) -> Participant:
    """No new seats; what they hold they may finish."""
    return set_standing(participant, standing=Standing.PAUSED)


def exclude_participant(participant: Participant) -> Participant:
    """Their ratings stay in history, stop counting, and their seats are free at once."""
    return set_standing(participant, standing=Standing.EXCLUDED)


@transaction.atomic
def set_standing(participant: Participant, *, standing: str) -> Participant:
    """The one door to a standing. Leaving `excluded` gives submitted batches their seats back where one is free.

    Raises Refused for clearing somebody whose role sees the figures.
    """
    locked = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    if standing == Standing.CLEARED:
        _check_blind(locked)
    before, locked.standing = locked.standing, standing
    locked.full_clean(exclude=["user"])  # imported annotators have none
    locked.save(update_fields=["standing"])
    if standing == Standing.EXCLUDED and before != standing:
        release_seats(locked, Assignment.Status.EXCLUDED)
    elif before == Standing.EXCLUDED:
        _restore_seats(locked)
    return locked


def _check_blind(participant: Participant) -> None:
    memberships = Membership.objects.filter(study=participant.study_id, user=participant.user_id)
    role = memberships.values_list("role", flat=True).first()
    if role not in (None, Role.ANNOTATOR):
        message = _("%(name)s is %(role)s of this study, so they cannot rate it blind. Make them an annotator first.")
        raise Refused("other_role", message % {"name": participant.pseudonym, "role": ROLE_WORDS[role]})


def _restore_seats(participant: Participant) -> None:
    left = Assignment.objects.filter(participant=participant, status=Assignment.Status.EXCLUDED)
    restored = []
    for assignment in left.order_by("batch_id"):
        seat = None
        if assignment.submitted_at is not None:
            free = Seat.objects.filter(batch_id=assignment.batch_id, assignment__isnull=True).order_by("number")
            seat = free.select_for_update(skip_locked=True).first()
        assignment.status = Assignment.Status.SUBMITTED if seat else Assignment.Status.EXPIRED
        assignment.save(update_fields=["status"])
        if seat is not None:
            seat.assignment = assignment
            seat.save(update_fields=["assignment"])
            restored.append(assignment.batch_id)
    for batch_id in restored:
        raise_version(batch_id)


@transaction.atomic
def join_study(study: Study, *, user: User) -> Participant:
    """Take part by the invitation link. Raises Refused when the study is not joinable, or for other members.

    Joining again changes nothing.
    """
    fresh = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    role = Membership.objects.filter(study=fresh, user=user).values_list("role", flat=True).first()
    if role == Role.ANNOTATOR:
        return get_or_make_participant(fresh, user=user)
    if role is not None:
        text = _("You are %(role)s of this study, so you cannot rate it blind.")
        raise Refused("other_role", text % {"role": ROLE_WORDS[role]})
    if not fresh.is_joinable:
        raise Refused("not_joinable", _("This invitation is switched off. Ask the people who sent it to you."))
    add_member(fresh, user=user, role=Role.ANNOTATOR)
    participant = Participant.objects.get(study=fresh, user=user)
    # Somebody excluded and removed is still excluded: the link must not take that back.
    is_new = participant.standing == Standing.PENDING
    return clear_participant(participant) if fresh.is_clearing_on_join and is_new else participant
