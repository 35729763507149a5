"""Models of qualification: the rule that decides who may rate the main batches, and the attempts at it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Participant, Study


class Qualification(models.Model):
    """Define a study's qualification. If `Study.has_qualification` is off, team leads clear annotators by hand."""

    class Method(models.TextChoices):
        PANEL_KAPPA = "panel_kappa", _("Fleiss' kappa of the panel and the candidate")
        MAJORITY_KAPPA = "majority_kappa", _("Cohen's kappa with the panel's majority")
        GOLD = "gold", _("Accuracy against known answers")

    class Scope(models.TextChoices):
        POOLED = "pooled", _("over all criteria together")
        EACH = "each", _("for each criterion separately")

    class ThresholdFrom(models.TextChoices):
        PANEL = "panel", _("the panel's own kappa")
        FIXED = "fixed", _("a fixed number")

    class Decision(models.TextChoices):
        POINT = "point", _("by the value: pass or fail")
        INTERVAL = "interval", _("by the interval: undecided candidates get more batches")

    class PanelMembers(models.TextChoices):
        ALL = "all", _("experts and non-experts")
        EXPERT = "expert", _("experts")
        NON_EXPERT = "non_expert", _("non-experts")

    study = models.OneToOneField(Study, models.CASCADE, related_name="qualification")
    method = models.CharField(max_length=16, choices=Method, default=Method.PANEL_KAPPA)
    scope = models.CharField(max_length=8, choices=Scope, default=Scope.POOLED)
    threshold_from = models.CharField(max_length=8, choices=ThresholdFrom, default=ThresholdFrom.PANEL)
    threshold = models.FloatField(null=True, blank=True)
    panel_members = models.CharField(max_length=10, choices=PanelMembers, default=PanelMembers.NON_EXPERT)
    decision = models.CharField(max_length=8, choices=Decision, default=Decision.POINT)
    most_attempts = models.PositiveSmallIntegerField(default=1, help_text="Batches a candidate may be given in all.")
    is_trained = models.BooleanField(default=False, help_text="Training batches come before the qualification.")
    has_comprehension_check = models.BooleanField(default=False)
    most_check_tries = models.PositiveSmallIntegerField(default=2)
    passed_text = models.TextField(blank=True)
    failed_text = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(threshold__isnull=True) | Q(threshold__gte=-1, threshold__lte=1),
                name="qualification_threshold_is_a_kappa_or_share",
                violation_error_message=_("A threshold must be between -1 and 1."),
            ),
            models.CheckConstraint(
                condition=~Q(threshold_from="fixed") | Q(threshold__isnull=False),
                name="fixed_threshold_is_given",
                violation_error_message=_("Enter the fixed threshold."),
            ),
            models.CheckConstraint(
                condition=~Q(method="gold") | Q(threshold_from="fixed"),
                name="gold_has_a_fixed_threshold",
                violation_error_message=_("Accuracy against known answers needs a fixed threshold."),
            ),
        ]

    def __str__(self) -> str:
        return f"qualification of {self.study}"


class ComprehensionQuestion(models.Model):
    """Hold a question about the guidelines. `options` are texts; which one is right never leaves the server."""

    qualification = models.ForeignKey(Qualification, models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField()
    text = models.TextField()
    options = models.JSONField(default=list)
    right = models.PositiveSmallIntegerField(help_text="Position of the correct option, from 0.")
    why = models.TextField(blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["qualification", "position"], name="one_question_per_position")]

    def __str__(self) -> str:
        return self.text


class ComprehensionTry(models.Model):
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="comprehension_tries")
    number = models.PositiveSmallIntegerField()
    answers = models.JSONField(default=dict)
    n_right = models.PositiveSmallIntegerField()
    n_questions = models.PositiveSmallIntegerField()
    is_passed = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "number"], name="one_comprehension_try_per_number")
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.n_right} of {self.n_questions}"


class Attempt(models.Model):
    """Record a finished qualification batch and its result. It is decided once; an override is kept beside it."""

    class State(models.TextChoices):
        PENDING = "pending", _("being decided")
        PASSED = "passed", _("passed")
        FAILED = "failed", _("failed")
        UNDECIDED = "undecided", _("undecided")

    participant = models.ForeignKey(Participant, models.PROTECT, related_name="attempts")
    assignment = models.OneToOneField(Assignment, models.PROTECT, related_name="attempt")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    value = models.FloatField(null=True, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    n_items = models.PositiveIntegerField(default=0)
    reason = models.CharField(max_length=40, blank=True, help_text="Why the value is undefined.")
    rule = models.JSONField(default=dict, blank=True, help_text="As it stood when it decided.")
    parts = models.JSONField(default=list, blank=True, help_text="By criterion.")
    submitted_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    overridden_to = models.CharField(max_length=10, blank=True)
    overridden_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    override_reason = models.TextField(blank=True)
    overridden_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participant", "number"], name="one_attempt_per_number"),
            models.CheckConstraint(
                condition=Q(state="pending") | Q(decided_at__isnull=False), name="decided_attempt_has_its_time"
            ),
            models.CheckConstraint(
                condition=Q(overridden_to="") | ~Q(override_reason=""), name="override_has_a_reason"
            ),
        ]
        indexes = [models.Index(fields=["state"], name="attempts_by_state", condition=Q(state="pending"))]

    def __str__(self) -> str:
        return f"{self.participant}: {self.state}"
