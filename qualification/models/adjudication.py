"""Models of adjudication: comparisons, disagreements, re-ratings, and the case library."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Batch, Item, Participant, Rating, Study
from protocols.models import Criterion, Option, ProtocolVersion


class AdjudicationPlan(models.Model):
    """Switch on adjudication for batches with exactly two seats: one answer has no second, three have a majority."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="adjudication_plan")
    is_on = models.BooleanField(default=False)
    criteria = models.ManyToManyField(Criterion, blank=True, related_name="+", help_text="Empty: all that are counted.")

    def __str__(self) -> str:
        return f"adjudication of {self.study}"


class Comparison(models.Model):
    """Record that the two who finished a round were compared, once. If one is replaced, the new pair is compared.

    A study that moves to another protocol version rates anew without a new round, so a comparison belongs to a version.
    """

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="comparisons")
    round = models.PositiveSmallIntegerField()
    protocol_version = models.ForeignKey(ProtocolVersion, models.PROTECT, related_name="+")
    first = models.ForeignKey(Assignment, models.PROTECT, related_name="+")
    second = models.ForeignKey(Assignment, models.PROTECT, related_name="+")
    n_items = models.PositiveIntegerField(help_text="Items that both answered.")
    n_labels = models.PositiveIntegerField(help_text="Answers of both to one question about one item.")
    compared_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When nothing was left to re-rate.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second", "protocol_version"], name="one_comparison_per_pair"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="compared_work_is_in_order"),
        ]
        indexes = [models.Index(fields=["batch"], name="comparisons_open", condition=Q(looked_at__isnull=True))]

    def __str__(self) -> str:
        return f"{self.batch} round {self.round}"


class Disagreement(models.Model):
    """Record that two annotators answered a criterion differently for an item, and how it was settled."""

    class State(models.TextChoices):
        RE_RATING = "re_rating", _("being re-rated")
        ADJUDICATION = "adjudication", _("with a trainer")
        SETTLED = "settled", _("settled")

    class How(models.TextChoices):
        RE_RATING = "re_rating", _("agreed in re-rating")
        ADJUDICATED = "adjudicated", _("settled by a trainer")
        REPLACED = "replaced", _("agreed after one of the two was replaced")

    item = models.ForeignKey(Item, models.PROTECT, related_name="disagreements")
    criterion = models.ForeignKey(Criterion, models.PROTECT, related_name="+")
    round = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=14, choices=State, default=State.RE_RATING)
    how = models.CharField(max_length=14, choices=How, blank=True)
    option = models.ForeignKey(Option, models.PROTECT, null=True, blank=True, related_name="+")
    note = models.TextField(blank=True)
    answers = models.ManyToManyField(
        Rating, related_name="+", help_text="All answers about the item by those who gave the settled label."
    )
    found_at = models.DateTimeField()
    settled_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "criterion", "round"], name="one_disagreement_per_item_and_round"),
            models.CheckConstraint(
                condition=~Q(state="settled") | Q(option__isnull=False, settled_at__isnull=False),
                name="settled_disagreement_has_its_answer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.criterion}: {self.state}"


class ReRating(models.Model):
    """Record the private batch in which one annotator answers again what the two answered differently."""

    comparison = models.ForeignKey(Comparison, models.PROTECT, related_name="looks")
    participant = models.ForeignKey(Participant, models.PROTECT, related_name="re_ratings")
    private_batch = models.OneToOneField(Batch, models.PROTECT, related_name="re_rating")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "participant"], name="one_re_rating_per_annotator")
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.comparison}"


class Case(models.Model):
    """Keep an item the team learned from. In one step it becomes an example of a draft, or a training item."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="cases")
    item = models.ForeignKey(Item, models.PROTECT, related_name="cases")
    criterion = models.ForeignKey(Criterion, models.PROTECT, related_name="+")
    option = models.ForeignKey(Option, models.PROTECT, null=True, blank=True, related_name="+")
    note = models.TextField(blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()
    is_active = models.BooleanField(default=True)
    version = models.ForeignKey(
        ProtocolVersion,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Among whose examples it is. A save in the editor makes a draft's examples anew, so none is named.",
    )
    is_training = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "item", "criterion"],
                condition=Q(is_active=True),
                name="one_case_per_item_and_criterion",
                violation_error_message=_("The case library already has this item with this question."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.criterion}"
