"""Marks that annotators set on items beside their answers: they are unsure, or something is wrong with the item."""

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.work import Assignment, Item

LONGEST_WORDS = 2000


class ItemMark(models.Model):
    """The current marks of an annotator on an item. They are never an answer, and no other annotator sees them.

    A flag is set while it has a reason. `seen_at` is when the team looked at it; it is emptied when the annotator
    changes the flag.
    """

    class Reason(models.TextChoices):
        BROKEN = "broken", _("The text is broken")
        PERSONAL = "personal", _("Personal data")
        LANGUAGE = "language", _("Wrong language")
        OFFENSIVE = "offensive", _("Offensive")
        OTHER = "other", _("Something else")

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="marks")
    item = models.ForeignKey(Item, models.PROTECT, related_name="marks")
    is_unsure = models.BooleanField(default=False, db_default=False)
    unsure_at = models.DateTimeField(null=True, blank=True, help_text="When it was last switched.")
    reason = models.CharField(
        max_length=10, choices=Reason, blank=True, default="", db_default="", help_text="Empty: no flag stands."
    )
    words = models.TextField(blank=True, default="", db_default="", help_text="The annotator's own, about the flag.")
    flagged_at = models.DateTimeField(null=True, blank=True, help_text="When the flag was last given or taken back.")
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When somebody of the team had looked at the flag.")
    seen_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    seen_note = models.TextField(blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "item"], name="one_mark_per_assignment_and_item"),
            models.CheckConstraint(condition=~Q(reason="other") | ~Q(words=""), name="other_flag_has_words"),
            models.CheckConstraint(condition=Q(reason="") | Q(flagged_at__isnull=False), name="flag_has_its_time"),
            models.CheckConstraint(condition=~Q(reason="") | Q(seen_at__isnull=True), name="only_a_flag_is_seen"),
        ]
        indexes = [models.Index(fields=["item"], condition=~Q(reason=""), name="flagged_item")]

    def __str__(self) -> str:
        return f"{self.assignment}: {self.item}"


class MarkChange(models.Model):
    """One mark set or taken back; rows are only added. `client_key` makes a repeated request the same change."""

    class Kind(models.TextChoices):
        UNSURE = "unsure", _("Unsure")
        FLAG = "flag", _("Flag")

    mark = models.ForeignKey(ItemMark, models.PROTECT, related_name="changes")
    kind = models.CharField(max_length=6, choices=Kind)
    is_set = models.BooleanField()
    reason = models.CharField(max_length=10, choices=ItemMark.Reason, blank=True)
    words = models.TextField(blank=True)
    client_key = models.UUIDField()
    marked_at = models.DateTimeField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["mark", "client_key"], name="one_change_of_a_mark_per_client_key")
        ]

    def __str__(self) -> str:
        return f"{self.mark} ({self.kind})"
