"""A controller takes a sample: it becomes a private batch of theirs, rated on the same screen as all others."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Batch, Item, Participant, Study
from annotation.services import activity
from annotation.services.claiming import submit_assignment
from annotation.services.people import get_or_make_participant
from annotation.services.private_batches import make_private_batch, withdraw_private_batch
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from qualification.acceptance.selectors.plans import Kind
from qualification.models import Check, Inspection

State = Inspection.State
PersonStatus = Participant.Status
# Of a sequential sample. Under the usual risks a flawless batch is accepted after 42 items: two portions.
PORTION = 25


@transaction.atomic
def take_inspection(inspection: Inspection, *, user: User, now: datetime) -> Check:
    """Give the user the check of this sample, or the one they have begun. Raises Refused.

    Who has rated the batch cannot check it: they would find their own labels right.
    """
    locked = _lock_checkable(inspection.pk)
    mine = open_check(locked, user)
    if mine is not None:
        return mine
    if locked.state != State.WAITING:
        raise Refused("taken", _("Somebody else checks this batch, or it is decided already."))
    controller = _controller(locked, user, now)
    locked.state, locked.controller = State.CHECKING, controller
    locked.save(update_fields=["state", "controller"])
    return deal_check(locked, controller, number=1, by=user, now=now)


@transaction.atomic
def take_second_check(inspection: Inspection, *, user: User, now: datetime) -> Check:
    """Give the user the same sample, blind, to see whether controllers agree. It changes no verdict. Raises Refused."""
    locked = _lock_checkable(inspection.pk)
    begun = locked.checks.filter(is_second=True, given_back_at=None).select_related("participant", "batch").first()
    if begun is not None and begun.participant.user_id == user.pk and begun.counted_at is None:
        return begun
    if begun is not None:
        raise Refused("taken", _("This sample has been checked a second time already, or somebody is at it."))
    if locked.state != State.DECIDED or not locked.draws.exists():
        raise Refused("not_decided", _("A second controller can check a sample once it is decided."))
    controller = _controller(locked, user, now)
    if locked.checks.filter(participant=controller, given_back_at=None).exists():
        raise Refused(
            "same", _("You have checked this sample yourself: the second controller has to be somebody else.")
        )
    return deal_check(locked, controller, number=1, by=user, now=now, is_second=True)


def open_check(inspection: Inspection, user: User) -> Check | None:
    """The check the user has begun and not finished."""
    mine = inspection.checks.filter(participant__user=user, counted_at=None, given_back_at=None)
    return mine.select_related("participant", "batch__study").first()


def lock_inspection(pk: int) -> Inspection:
    """Everything that is decided about an inspection waits for this row: it happens once."""
    found = Inspection.objects.select_related("batch__study__protocol_version")
    return found.select_for_update(of=("self",), no_key=True).get(pk=pk)


def _lock_checkable(pk: int) -> Inspection:
    """Raises Refused when nobody can check it at the moment."""
    locked = lock_inspection(pk)
    study = locked.batch.study
    if study.status != Study.Status.OPEN:
        raise Refused("not_open", _("Batches can be checked while the study is open."))
    if study.protocol_version_id != locked.protocol_version_id:
        raise Refused("other_version", _("The study follows another version of its protocol by now."))
    return locked


def _controller(inspection: Inspection, user: User, now: datetime) -> Participant:
    """The user's own participation, with a status that gets them no batch but those of their own. Raises Refused."""
    study = inspection.batch.study
    # The study's row: a controller who takes two samples at once becomes one participant.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    person = get_or_make_participant(study, user=user)
    if person.status == PersonStatus.EXCLUDED:
        raise Refused("excluded", _("You are excluded from this study, so you cannot check its batches."))
    if Assignment.objects.filter(participant=person, batch=inspection.batch).exists():
        raise Refused("own_work", _("You have rated in this batch yourself: somebody else has to check it."))
    if person.status in (PersonStatus.PAUSED, PersonStatus.QUALIFYING):
        return set_status(person, status=PersonStatus.PENDING, reason=str(_("Checks batches.")), now=now)
    return person


def deal_check(
    inspection: Inspection,
    controller: Participant,
    *,
    number: int,
    now: datetime,
    by: User | None = None,
    is_second: bool = False,
) -> Check:
    """The private batch of one portion. Call it with the inspection locked."""
    n_drawn, study = inspection.draws.count(), inspection.batch.study
    is_in_portions = inspection.plan["kind"] == Kind.SEQUENTIAL
    size = PORTION if is_in_portions and not is_second else n_drawn
    first = (number - 1) * size
    last = min(first + size, n_drawn) - 1
    draws = inspection.draws.filter(position__range=(first, last))
    if is_second:  # of a sequential sample, what the first has checked
        draws = draws.filter(verdict__isnull=False)
    items: list[Item] = [draw.item for draw in draws.select_related("item")]
    batch = make_private_batch(
        study, kind=Batch.Kind.CONTROL, key=f"control-{inspection.pk}-{inspection.checks.count() + 1}", items=items,
        person=controller,
    )  # fmt: skip
    details = {"round": inspection.round, "items": len(items), "by": controller.pseudonym}
    verb = "control_second" if is_second else "control_taken"
    activity.log(study, by, verb, about=inspection.batch.key, details=details, now=now)
    return Check.objects.create(
        inspection=inspection, participant=controller, batch=batch, is_second=is_second, number=number,
        first=first, last=last, taken_at=now,
    )  # fmt: skip


@transaction.atomic
def give_back(check: Check, *, by: User, now: datetime) -> None:
    """Another controller may take the sample. What was answered stays stored and counts for nothing. Raises Refused."""
    inspection = lock_inspection(check.inspection_id)
    fresh = Check.objects.get(pk=check.pk)
    submitted = Assignment.objects.filter(batch=check.batch_id, status=Assignment.Status.SUBMITTED)
    if fresh.counted_at or fresh.given_back_at or submitted.exists():
        raise Refused("over", _("This check is over already."))
    withdraw_private_batch(check.batch)
    if not fresh.is_second:
        # All portions go: one sample is checked by one controller.
        inspection.draws.update(verdict=None)
        inspection.state, inspection.controller = State.WAITING, None
        inspection.save(update_fields=["state", "controller"])
    given_back = inspection.checks.filter(is_second=fresh.is_second, given_back_at=None)
    given_back.update(given_back_at=now)
    activity.log(inspection.batch.study, by, "control_given_back", about=inspection.batch.key, now=now)


def finish_check(check: Check, assignment: Assignment, *, now: datetime) -> Assignment:
    """Of a check with the labels shown, where one question was asked of each item. Raises Refused."""
    answered = assignment.ratings.filter(criterion__key=check.inspection.plan["criterion"], is_active=True)
    missing = check.batch.n_items - answered.count()
    if missing > 0:
        raise Refused("incomplete", _("Items are still unchecked."), missing=missing)
    return submit_assignment(assignment, feedback="", needs_all=False, now=now)
