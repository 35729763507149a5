"""Models of batch acceptance: the plan, the samples drawn, and the decisions."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models import Assignment, Batch, Item, Participant, Study
from protocols.models import Criterion, Option, ProtocolVersion


class AcceptancePlan(models.Model):
    """Define how many items are drawn, and when a batch is accepted. The defaults are DiQAD's."""

    class Kind(models.TextChoices):
        SHARES = "shares", _("a sample with a minimum accuracy overall and per class")
        FIXED = "fixed", _("a sample with a maximum number of errors")
        SEQUENTIAL = "sequential", _("one by one until the result is clear")

    study = models.OneToOneField(Study, models.CASCADE, related_name="acceptance_plan")
    is_on = models.BooleanField(default=False)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.SHARES)
    criterion = models.ForeignKey(Criterion, models.PROTECT, null=True, blank=True, related_name="+")
    n_sample = models.PositiveIntegerField(default=100)
    least_overall = models.FloatField(default=0.92)
    least_of_class = models.FloatField(default=0.90)
    fewest_of_class = models.PositiveSmallIntegerField(default=10, help_text="Below, a class is not assessable.")
    top_up_to = models.PositiveSmallIntegerField(
        default=30, help_text="Rare classes get extra items up to this number."
    )
    most_errors = models.PositiveSmallIntegerField(default=17, help_text="Of a fixed sample.")
    good = models.FloatField(default=0.95, help_text="Accuracy that a sequential plan accepts.")
    bad = models.FloatField(default=0.90, help_text="Accuracy that a sequential plan returns.")
    producer_risk = models.FloatField(default=0.05)
    consumer_risk = models.FloatField(default=0.10)
    most_sampled = models.PositiveIntegerField(default=400, help_text="Where a sequential plan stops.")
    is_blind = models.BooleanField(default=True, help_text="Controllers do not see the label they check.")
    is_returned_automatically = models.BooleanField(default=True, help_text="If not, a person confirms each return.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(least_overall__gt=0, least_overall__lte=1, least_of_class__gte=0, least_of_class__lte=1),
                name="acceptance_shares_are_shares",
            ),
            models.CheckConstraint(
                condition=Q(bad__gt=0, good__lt=1, bad__lt=models.F("good")),
                name="good_is_better_than_bad",
                violation_error_message=_(
                    "Both accuracies must be between 0 and 1, and good accuracy must be above bad accuracy."
                ),
            ),
            models.CheckConstraint(
                condition=Q(producer_risk__gt=0, consumer_risk__gt=0, producer_risk__lt=0.5, consumer_risk__lt=0.5),
                name="acceptance_risks_are_risks",
                violation_error_message=_("Risks must be between 0 and 0.5."),
            ),
            models.CheckConstraint(
                condition=Q(top_up_to=0) | Q(top_up_to__gte=models.F("fewest_of_class")),
                name="topped_up_classes_are_assessable",
                violation_error_message=_(
                    "The top-up of rare classes must reach the minimum items per class, or be 0 for none."
                ),
            ),
            models.CheckConstraint(condition=Q(n_sample__gte=1, most_sampled__gte=1), name="samples_have_an_item"),
        ]

    def __str__(self) -> str:
        return f"acceptance of {self.study}"


class Sample(models.Model):
    """Record the sample of one round of one batch: it is drawn once and decided once.

    A study that moves to another protocol version rates anew without a new round, so a sample belongs to a version.
    A sample becomes void when its votes no longer all count: it stays as it was, and another one is drawn.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting for a controller")
        REVIEWING = "reviewing", _("being reviewed")
        DECIDED = "decided", _("decided")
        VOID = "void", pgettext_lazy("state of a sample", "void")

    class Decision(models.TextChoices):
        ACCEPT = "accept", pgettext_lazy("decision on a batch", "accepted")
        RETURN = "return", pgettext_lazy("decision on a batch", "returned")
        NOT_ASSESSABLE = "not_assessable", pgettext_lazy("decision on a batch", "not assessable")

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="samples")
    round = models.PositiveSmallIntegerField()
    protocol_version = models.ForeignKey(ProtocolVersion, models.PROTECT, related_name="+")
    seed = models.PositiveIntegerField()
    plan = models.JSONField(help_text="As it stood when the sample was drawn.")
    n_items = models.PositiveIntegerField(help_text="Labelled items of the batch.")
    class_sizes = models.JSONField(default=dict, help_text="{option id: items with this label}")
    left_out = models.JSONField(default=dict, help_text="{why: items without a label}")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    controller = models.ForeignKey(Participant, models.PROTECT, null=True, blank=True, related_name="samples")
    decision = models.CharField(max_length=16, choices=Decision, blank=True)
    results = models.JSONField(default=dict)
    votes = models.ManyToManyField(Assignment, related_name="+", help_text="Whose labels the sample is of.")
    drawn_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    carried_out_at = models.DateTimeField(null=True, blank=True, help_text="Empty: a person is asked.")
    overridden_to = models.CharField(max_length=16, choices=Decision, blank=True)
    overridden_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    override_reason = models.TextField(blank=True)
    overridden_at = models.DateTimeField(null=True, blank=True)
    voided_at = models.DateTimeField(null=True, blank=True)
    missing = models.ManyToManyField(Participant, related_name="+", help_text="Whose votes a void one has lost.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "round", "protocol_version"],
                condition=~Q(state="void"),
                name="one_sample_per_round",
            ),
            models.CheckConstraint(
                condition=Q(state="void", voided_at__isnull=False) | ~Q(state="void") & Q(voided_at__isnull=True),
                name="void_sample_has_its_time",
            ),
            models.CheckConstraint(
                condition=~Q(state="decided") | Q(decided_at__isnull=False) & ~Q(decision=""),
                name="decided_sample_has_its_decision",
            ),
            models.CheckConstraint(
                condition=Q(overridden_to="") | ~Q(override_reason=""), name="overridden_decision_has_a_reason"
            ),
        ]
        indexes = [
            models.Index(fields=["state"], name="samples_under_way", condition=Q(state__in=("waiting", "reviewing")))
        ]

    def __str__(self) -> str:
        return f"{self.batch} round {self.round}: {self.outcome or self.state}"

    @property
    def outcome(self) -> str:
        """Return the decision that applies to the batch: the override, otherwise the decision of the rule."""
        return self.overridden_to or self.decision

    @property
    def is_open(self) -> bool:
        """Return whether it is decided but the decision is not carried out, so that a person is asked."""
        return self.state == self.State.DECIDED and self.carried_out_at is None

    @property
    def is_void(self) -> bool:
        return self.state == self.State.VOID

    @property
    def names_missing(self) -> str:
        """Return whose votes a void sample has lost; empty if they went with a move to another version."""
        return ", ".join(sorted(person.pseudonym for person in self.missing.all()))

    def outcome_label(self) -> str:
        return str(self.Decision(self.outcome).label) if self.outcome else ""


class SampledItem(models.Model):
    """Record one item of a sample, with its label and the answers of the controller and a second controller."""

    sample = models.ForeignKey(Sample, models.CASCADE, related_name="sampled_items")
    item = models.ForeignKey(Item, models.PROTECT, related_name="sampled_items")
    label = models.ForeignKey(Option, models.PROTECT, related_name="+")
    is_top_up = models.BooleanField(default=False)
    position = models.PositiveIntegerField(help_text="From 0, in the order of review.")
    controller_label = models.ForeignKey(Option, models.PROTECT, null=True, blank=True, related_name="+")
    second_label = models.ForeignKey(Option, models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "item"], name="one_sampled_item_per_item"),
            models.UniqueConstraint(fields=["sample", "position"], name="one_sampled_item_per_position"),
        ]

    def __str__(self) -> str:
        return f"{self.sample}: {self.item}"


class Review(models.Model):
    """Record a controller's private batch with sampled items `first` to `last`: sequential samples come in portions.

    A second controller's review shows how far controllers agree, and changes no decision.
    """

    sample = models.ForeignKey(Sample, models.CASCADE, related_name="reviews")
    participant = models.ForeignKey(Participant, models.PROTECT, related_name="reviews")
    batch = models.OneToOneField(Batch, models.PROTECT, related_name="sample_review")
    is_second = models.BooleanField(default=False)
    number = models.PositiveSmallIntegerField(default=1, help_text="Of the portion, from 1.")
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    taken_at = models.DateTimeField()
    given_back_at = models.DateTimeField(null=True, blank=True)
    counted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["sample", "is_second", "number"],
                condition=Q(given_back_at__isnull=True),
                name="one_review_per_portion",
            )
        ]
        indexes = [
            models.Index(
                fields=["batch"],
                name="reviews_under_way",
                condition=Q(counted_at__isnull=True, given_back_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.sample}: {self.participant}"
