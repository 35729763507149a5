"""Ratings of all protocols and kinds of batch in one table, and the history of each."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from annotation.models.work import Assignment, Batch, Item


def _ids(help_text: str) -> ArrayField:
    return ArrayField(models.BigIntegerField(), default=list, blank=True, help_text=help_text)


class Rating(models.Model):
    """The current answer. Its protocol version is that of the criterion, which belongs to exactly one.

    `is_active` is false while the question is not asked because the answer it depends on has changed. The rating is
    kept and counts again once the question is asked again. `active_ms` is the sum of the times of all revisions.
    """

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="ratings")
    item = models.ForeignKey(Item, models.PROTECT, related_name="ratings")
    criterion = models.ForeignKey("protocols.Criterion", models.PROTECT, related_name="ratings")
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="ratings")
    option = models.ForeignKey("protocols.Option", models.PROTECT, null=True, blank=True, related_name="ratings")
    choices = _ids("Ids of the options of a multiple choice.")
    turns = ArrayField(models.PositiveIntegerField(), default=list, blank=True, help_text="Marked turns, from 1.")
    is_active = models.BooleanField(default=True, db_default=True)
    is_swapped = models.BooleanField(
        null=True,
        help_text="Of a comparison: whether the second candidate stood on the left. The option is stored by candidate.",
    )
    explanations = ArrayField(models.BigIntegerField(), default=list, help_text="Ids of predefined explanations.")
    free_text = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=1)
    active_ms = models.PositiveIntegerField(default=0, help_text="Reported by the browser; no decision rests on it.")
    answered_at = models.DateTimeField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "item", "criterion"], name="one_rating_per_assignment_item_criterion"
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="revisions_count_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.assignment}: {self.criterion}"


class RatingRevision(models.Model):
    """One acknowledged answer; rows are only added. `client_key` makes a repeated request the same answer."""

    rating = models.ForeignKey(Rating, models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    option = models.ForeignKey("protocols.Option", models.PROTECT, null=True, blank=True, related_name="+")
    choices = _ids("Ids of the options of a multiple choice.")
    turns = ArrayField(models.PositiveIntegerField(), default=list, blank=True, help_text="Marked turns, from 1.")
    explanations = ArrayField(models.BigIntegerField(), default=list)
    free_text = models.TextField(blank=True)
    client_key = models.UUIDField()
    active_ms = models.PositiveIntegerField(default=0)
    answered_at = models.DateTimeField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rating", "number"], name="one_revision_per_number"),
            models.UniqueConstraint(fields=["rating", "client_key"], name="one_revision_per_client_key"),
        ]

    def __str__(self) -> str:
        return f"{self.rating} ({self.number})"
