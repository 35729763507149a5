"""Models of checks: known answers, how often they are inserted, and flags on work that needs attention."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Batch, Candidate, Dialogue, Participant, Source, Study
from protocols.models import Criterion, ProtocolVersion


class KnownAnswer(models.Model):
    """Hold the correct answer to one unit and criterion. Only training sends it to the browser, after the answer."""

    class Kind(models.TextChoices):
        GOLD = "gold", _("gold: the answer is known")
        ATTENTION = "attention", _("attention: the text says what to answer")
        TRAINING = "training", _("training: explained after the answer")

    study = models.ForeignKey(Study, models.CASCADE, related_name="known_answers")
    kind = models.CharField(max_length=10, choices=Kind)
    unit = models.CharField(max_length=20, choices=ProtocolVersion.Unit, default=ProtocolVersion.Unit.RESPONSE)
    dialogue = models.ForeignKey(Dialogue, models.PROTECT, null=True, blank=True, related_name="known_answers")
    candidate = models.ForeignKey(Candidate, models.PROTECT, null=True, blank=True, related_name="known_answers")
    source = models.ForeignKey(Source, models.PROTECT, null=True, blank=True, related_name="+")
    criterion = models.ForeignKey(Criterion, models.PROTECT, related_name="+")
    options = ArrayField(models.BigIntegerField(), help_text="Ids of the correct options.")
    explanation = models.TextField(blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dialogue", "candidate", "source", "unit", "criterion"],
                nulls_distinct=False,
                name="one_known_answer_per_unit_and_criterion",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.criterion}"


class CheckPlan(models.Model):
    """Define what is looked at during the work, and what happens then."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="check_plan")
    gold_percent = models.PositiveSmallIntegerField(default=0, help_text="Gold dialogues per hundred of a batch.")
    attention_percent = models.PositiveSmallIntegerField(default=0)
    gold_required = models.FloatField(default=0.7, help_text="Accuracy that is required of gold answers.")
    most_attention_missed = models.PositiveSmallIntegerField(default=1)
    looks_at_speed = models.BooleanField(default=True)
    looks_at_lines = models.BooleanField(default=True)
    looks_at_drift = models.BooleanField(default=True)
    pauses_automatically = models.BooleanField(default=False, help_text="If not, a team lead is asked.")
    gives_feedback = models.BooleanField(
        default=False, help_text="Annotators see how they agree. It affects independence, so it is reported."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(gold_percent__lte=50, attention_percent__lte=50),
                name="checks_are_half_of_a_batch_at_most",
                violation_error_message=_("Gold and attention dialogues can each be at most 50 of 100."),
            ),
            models.CheckConstraint(
                condition=Q(gold_required__gte=0, gold_required__lte=1), name="required_gold_accuracy_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"checks of {self.study}"


class Flag(models.Model):
    """Record a reason to look at somebody's work, with the evidence. A person decides; the study's rule may pause."""

    class Kind(models.TextChoices):
        GOLD = "gold", _("known answers missed")
        ATTENTION = "attention", _("attention checks missed")
        SPEED = "speed", _("much faster than others on the same items")
        LINES = "lines", _("the same answer again and again")
        DRIFT = "drift", _("agrees less than before")
        KAPPA = "kappa", _("agrees less than the study requires")

    class State(models.TextChoices):
        OPEN = "open", _("open")
        DISMISSED = "dismissed", _("dismissed")
        PAUSED = "paused", _("paused")
        EXCLUDED = "excluded", _("excluded")

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="flags")
    kind = models.CharField(max_length=12, choices=Kind)
    evidence = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    raised_at = models.DateTimeField()
    has_paused = models.BooleanField(default=False, help_text="The study's rule paused them with it.")
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(blank=True)
    payable = models.JSONField(default=dict, help_text="Of an exclusion: the finished work that stays to be paid.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "kind"], condition=Q(state="open"), name="one_open_flag_per_kind"
            ),
            models.CheckConstraint(
                condition=Q(state="open", decided_at__isnull=True) | ~Q(state="open") & Q(decided_at__isnull=False),
                name="decided_flag_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.kind}"


class SignalMark(models.Model):
    """Record the version of a batch's results that signals were last read from."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="signal_mark")
    version = models.BigIntegerField()
    looked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.batch} at {self.version}"


class SignalState(models.Model):
    """Record what signals knew of an annotator at the last look: the next follows after some more answers."""

    participant = models.OneToOneField(Participant, models.CASCADE, related_name="signal_state")
    n_answers = models.PositiveIntegerField(default=0)
    n_compared = models.PositiveIntegerField(default=0, help_text="Answers that have a majority of the others.")
    pace = models.FloatField(null=True, help_text="Median of log(time / median time of the item).")
    n_paced = models.PositiveIntegerField(default=0, help_text="Items the pace is of.")
    looked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"signals of {self.participant}"
