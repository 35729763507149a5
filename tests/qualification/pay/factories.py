"""Pay: its plan, lines of the ledger, and finished work that earns one."""

from datetime import datetime, timedelta
from decimal import Decimal

import factory
from factory.django import DjangoModelFactory

from annotation.models import Assignment, Batch, Participant, Seat
from qualification.models import PayEntry, PayPlan
from tests.clock import NOW
from tests.factories import AssignmentFactory, ParticipantFactory, RatingFactory, StudyFactory


class PayPlanFactory(DjangoModelFactory):
    class Meta:
        model = PayPlan

    study = factory.SubFactory(StudyFactory)
    qualification_amount = Decimal("2.50")
    qualification_minutes = 15


class PayEntryFactory(DjangoModelFactory):
    """A bonus."""

    class Meta:
        model = PayEntry

    participant = factory.SubFactory(ParticipantFactory)
    kind = PayEntry.Kind.BONUS
    amount = Decimal("1.00")
    currency = "GBP"
    reason = "Careful comments."
    at = NOW


def finish(
    participant: Participant, batch: Batch, *, active_minutes: float = 35, elapsed_minutes: float = 40, **fields: object
) -> Assignment:
    """Submitted work with a seat; its whole active time is on one answer."""
    work = AssignmentFactory(
        batch=batch,
        participant=participant,
        **{
            "status": Assignment.Status.SUBMITTED,
            "claimed_at": NOW,
            "submitted_at": NOW + timedelta(minutes=elapsed_minutes),
            **fields,
        },
    )
    last = batch.seats.count()
    Seat.objects.create(batch=batch, number=last + 1, assignment=work)
    item = batch.items.order_by("pk").first()
    if active_minutes and item:
        RatingFactory(assignment=work, item=item, active_ms=round(active_minutes * 60_000), answered_at=NOW)
    return work


def earned(participant: Participant, currency: str = "GBP", *, at: datetime = NOW, **fields: object) -> PayEntry:
    """A line of work that was paid, without the work."""
    kind = {"kind": PayEntry.Kind.BATCH, "amount": Decimal("4.67"), "reason": ""}
    return PayEntryFactory(participant=participant, currency=currency, at=at, **kind | fields)
