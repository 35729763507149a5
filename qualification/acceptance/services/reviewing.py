"""Let a controller take a sample: it becomes a private batch, rated blind on the annotators' screen or with labels."""

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
from qualification.models import Review, Sample

State = Sample.State
PersonStatus = Participant.Status
# A sequential sample is dealt in portions. With the usual risks a flawless batch needs 42 items: two portions.
PORTION = 25


@transaction.atomic
def take_sample(sample: Sample, *, user: User, now: datetime) -> Review:
    """Give the user the review of this sample, or the one they have begun. Raise Refused if they cannot take it.

    Anyone who rated the batch cannot review it: they would find their own labels right.
    """
    locked = _lock_reviewable(sample.pk)
    mine = locked.reviews.filter(participant__user=user, counted_at=None, given_back_at=None)
    begun = mine.select_related("participant", "batch__study").first()
    if begun is not None:
        return begun
    if locked.state != State.WAITING:
        raise Refused("taken", _("Someone else is reviewing this batch, or it has already been decided."))
    controller = _controller(locked, user, now)
    locked.state, locked.controller = State.REVIEWING, controller
    locked.save(update_fields=["state", "controller"])
    return deal_review(locked, controller, number=1, by=user, now=now)


@transaction.atomic
def take_second_review(sample: Sample, *, user: User, now: datetime) -> Review:
    """Give the user the same sample, blind, to see whether controllers agree. No decision changes.

    Raise Refused if it is not decided, or it has a second review, or the user has reviewed it.
    """
    locked = _lock_reviewable(sample.pk)
    begun = locked.reviews.filter(is_second=True, given_back_at=None).select_related("participant", "batch").first()
    if begun is not None and begun.participant.user_id == user.pk and begun.counted_at is None:
        return begun
    if begun is not None:
        raise Refused(
            "taken", _("This sample has already been reviewed a second time, or someone is reviewing it now.")
        )
    if locked.state != State.DECIDED or not locked.sampled_items.exists():
        raise Refused("not_decided", _("A second controller can review a sample only after it is decided."))
    controller = _controller(locked, user, now)
    if locked.reviews.filter(participant=controller, given_back_at=None).exists():
        raise Refused("same", _("You reviewed this sample yourself. The second controller must be someone else."))
    return deal_review(locked, controller, number=1, by=user, now=now, is_second=True)


def lock_sample(pk: int) -> Sample:
    """Return the sample, locked. Every decision about it takes this lock, so that each is made once."""
    found = Sample.objects.select_related("batch__study__protocol_version")
    return found.select_for_update(of=("self",), no_key=True).get(pk=pk)


def _lock_reviewable(pk: int) -> Sample:
    """Return the sample, locked. Raise Refused if nobody can review it at present."""
    locked = lock_sample(pk)
    study = locked.batch.study
    if study.status != Study.Status.OPEN:
        raise Refused("not_open", _("Batches can be reviewed only while the study is open."))
    if study.protocol_version_id != locked.protocol_version_id:
        raise Refused("other_version", _("The study now follows another version of its protocol."))
    return locked


def _controller(sample: Sample, user: User, now: datetime) -> Participant:
    """Return the user as a participant. Raise Refused if they are excluded or rated the batch.

    A paused or qualifying participant becomes pending, a status that gives private batches only.
    """
    study = sample.batch.study
    # This lock makes a controller who takes two samples at once one participant, not two.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    person = get_or_make_participant(study, user=user)
    if person.status == PersonStatus.EXCLUDED:
        raise Refused("excluded", _("You are excluded from this study, so you cannot review its batches."))
    if Assignment.objects.filter(participant=person, batch=sample.batch).exists():
        raise Refused("own_work", _("You rated this batch yourself. Someone else must review it."))
    if person.status in (PersonStatus.PAUSED, PersonStatus.QUALIFYING):
        return set_status(person, status=PersonStatus.PENDING, reason=str(_("Reviews batches.")), now=now)
    return person


def deal_review(
    sample: Sample,
    controller: Participant,
    *,
    number: int,
    now: datetime,
    by: User | None = None,
    is_second: bool = False,
) -> Review:
    """Make the private batch of one portion and return its review. Call it with the sample locked."""
    n_drawn, study = sample.sampled_items.count(), sample.batch.study
    is_in_portions = sample.plan["kind"] == Kind.SEQUENTIAL
    size = PORTION if is_in_portions and not is_second else n_drawn
    first = (number - 1) * size
    last = min(first + size, n_drawn) - 1
    sampled_items = sample.sampled_items.filter(position__range=(first, last))
    if is_second:  # a sequential sample may be decided before all its items are reviewed
        sampled_items = sampled_items.filter(controller_label__isnull=False)
    items: list[Item] = [sampled.item for sampled in sampled_items.select_related("item")]
    batch = make_private_batch(
        study, kind=Batch.Kind.REVIEW, key=f"acceptance-{sample.pk}-{sample.reviews.count() + 1}", items=items,
        person=controller,
    )  # fmt: skip
    details = {"round": sample.round, "items": len(items), "by": controller.pseudonym}
    verb = "sample_second" if is_second else "sample_taken"
    activity.log(study, by, verb, about=sample.batch.key, details=details, now=now)
    return Review.objects.create(
        sample=sample, participant=controller, batch=batch, is_second=is_second, number=number,
        first=first, last=last, taken_at=now,
    )  # fmt: skip


@transaction.atomic
def give_back(review: Review, *, by: User, now: datetime) -> None:
    """Free the sample for another controller. Answers stay stored but do not count. Raise Refused if it is over."""
    sample = lock_sample(review.sample_id)
    fresh = Review.objects.get(pk=review.pk)
    submitted = Assignment.objects.filter(batch=review.batch_id, status=Assignment.Status.SUBMITTED)
    if fresh.counted_at or fresh.given_back_at or submitted.exists():
        raise Refused("over", _("This review is already over."))
    withdraw_private_batch(review.batch)
    if not fresh.is_second:
        # All portions are reset: one controller reviews the whole sample.
        sample.sampled_items.update(controller_label=None)
        sample.state, sample.controller = State.WAITING, None
        sample.save(update_fields=["state", "controller"])
    given_back = sample.reviews.filter(is_second=fresh.is_second, given_back_at=None)
    given_back.update(given_back_at=now)
    activity.log(sample.batch.study, by, "sample_given_back", about=sample.batch.key, now=now)


def finish_review(review: Review, assignment: Assignment, *, now: datetime) -> Assignment:
    """Submit a review with the labels shown, which asks one question per item. Raise Refused if answers are missing."""
    answered = assignment.ratings.filter(criterion__key=review.sample.plan["criterion"], is_active=True)
    missing = review.batch.n_items - answered.count()
    if missing > 0:
        raise Refused("incomplete", _("Some items have not been reviewed yet."), missing=missing)
    return submit_assignment(assignment, feedback="", needs_all=False, now=now)
