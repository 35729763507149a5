"""Models of pay: the plan and the ledger, to the cent. Money is decimal and names its currency."""

from decimal import Decimal

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Participant, Study


class PayPlan(models.Model):
    """Set the pay for a qualification and the minimum hourly pay. The pay for a batch is a setting of the study."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="pay_plan")
    qualification_amount = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    qualification_minutes = models.PositiveSmallIntegerField(null=True, blank=True)
    floor_per_hour = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal("6.00"))

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(floor_per_hour__gte=0)
                & (Q(qualification_amount__isnull=True) | Q(qualification_amount__gte=0)),
                name="pay_is_not_negative",
                violation_error_message=_("An amount must be 0 or more."),
            ),
            models.CheckConstraint(
                condition=Q(qualification_minutes__isnull=True) | Q(qualification_minutes__gte=1),
                name="qualification_takes_a_minute",
                violation_error_message=_("A qualification must take at least a minute."),
            ),
        ]

    def __str__(self) -> str:
        return f"pay of {self.study}"


class PayMark(models.Model):
    """Mark that all work finished by `looked_at` is in the ledger, by these terms: sweeps only look at later work.

    They find it by its time through the index `pay_of_finished_work`, which the migration of this table adds.
    """

    study = models.OneToOneField(Study, models.CASCADE, related_name="pay_mark")
    terms = models.CharField(max_length=60, help_text="What work earned when it was looked at.")
    looked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.study} at {self.looked_at}"


class PayEntry(models.Model):
    """Record a line of the ledger. Nothing is deleted: a correction puts a mistake right."""

    class Kind(models.TextChoices):
        BATCH = "batch", _("batch")
        QUALIFICATION = "qualification", _("qualification")
        BONUS = "bonus", _("bonus")
        CORRECTION = "correction", _("correction")

    participant = models.ForeignKey(Participant, models.PROTECT, related_name="pay_entries")
    kind = models.CharField(max_length=14, choices=Kind)
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, blank=True, related_name="pay_entries")
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=300, blank=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", help_text="Empty: earned by work."
    )
    at = models.DateTimeField()
    active_ms = models.PositiveBigIntegerField(null=True, blank=True, help_text="Of the work, as browsers reported it.")
    elapsed_ms = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="From claiming the seat to the end of the lease."
    )
    paid_out_at = models.DateTimeField(null=True, blank=True, help_text="By a platform's file, or ticked off.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "kind"],
                condition=Q(kind__in=("batch", "qualification")),
                name="work_is_paid_once",
            ),
            models.CheckConstraint(
                condition=Q(amount__gt=0) | Q(kind="correction"), name="only_corrections_take_money_back"
            ),
            models.CheckConstraint(
                condition=~Q(kind__in=("bonus", "correction")) | ~Q(reason=""),
                name="bonus_and_correction_have_a_reason",
            ),
        ]
        indexes = [models.Index(fields=["participant", "at"], name="pay_of_participant")]

    def __str__(self) -> str:
        return f"{self.participant}: {self.amount} {self.currency}"
