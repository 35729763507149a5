"""Scores of metrics and labels of models for the items that people rate, and the runs of model judges."""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import pgettext_lazy

from annotation.models.material import Candidate, Dialogue
from annotation.models.study import Study


class JudgeRun(models.Model):
    """One pass of a language model over the items of a study. When it is done, each of its criteria becomes a metric.

    The key of the endpoint is only in the worker's environment, never in a row.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", pgettext_lazy("status of a judge", "Queued")
        RUNNING = "running", pgettext_lazy("status of a judge", "Running")
        STOPPED = "stopped", pgettext_lazy("status of a judge", "Stopped")
        FAILED = "failed", pgettext_lazy("status of a judge", "Failed")
        DONE = "done", pgettext_lazy("status of a judge", "Done")

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.CASCADE, related_name="judge_runs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    name = models.CharField(max_length=80)
    criteria = ArrayField(models.BigIntegerField(), help_text="Ids of the criteria, in the protocol's order.")
    protocol_version = models.ForeignKey("protocols.ProtocolVersion", models.PROTECT, related_name="+")
    content_language = models.CharField(max_length=20, blank=True, help_text="Of the texts in the prompts.")
    endpoint = models.CharField(max_length=300)
    model = models.CharField(max_length=200)
    n_shots = models.PositiveSmallIntegerField(default=0)
    temperature = models.FloatField(default=0)
    seed = models.PositiveIntegerField()
    most_targets = models.PositiveIntegerField(
        null=True, blank=True, help_text="The number of targets, drawn with the seed."
    )
    is_trial = models.BooleanField(
        default=False,
        help_text="It stops after its first target, whose prompt, answer and cost are read before the rest.",
    )
    requests_per_minute = models.PositiveIntegerField(default=60)
    price_prompt = models.DecimalField(max_digits=12, decimal_places=4, null=True, help_text="Per million tokens.")
    price_answer = models.DecimalField(max_digits=12, decimal_places=4, null=True, help_text="Per million tokens.")
    currency = models.CharField(max_length=3, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    n_total = models.PositiveIntegerField(default=0, help_text="Questions: targets times criteria.")
    n_answered = models.PositiveIntegerField(default=0)
    n_refused = models.PositiveIntegerField(default=0)
    n_malformed = models.PositiveIntegerField(default=0)
    n_rejected = models.PositiveIntegerField(default=0)
    n_requests = models.PositiveIntegerField(default=0)
    tokens_prompt = models.PositiveBigIntegerField(default=0)
    tokens_answer = models.PositiveBigIntegerField(default=0)
    error = models.TextField(blank=True, help_text="Why it failed, in a sentence.")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    beaten_at = models.DateTimeField(null=True, help_text="When its worker was last known to be alive.")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(requests_per_minute__gte=1), name="judge_asks_at_some_rate"),
            models.CheckConstraint(condition=Q(temperature__gte=0), name="judge_temperature_from_nought"),
        ]

    def __str__(self) -> str:
        return self.name


class Metric(models.Model):
    """A number or label per item that no person gave. Deleting only sets a flag, so that old reports stay traceable."""

    class Kind(models.TextChoices):
        SCORE = "score", pgettext_lazy("kind of a metric", "Score")
        LABEL = "label", pgettext_lazy("kind of a metric", "Label")

    class Origin(models.TextChoices):
        IMPORTED = "imported", pgettext_lazy("origin of a metric", "Imported")
        JUDGE = "judge", pgettext_lazy("origin of a metric", "Model judge")

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.CASCADE, related_name="metrics")
    key = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    criterion = models.ForeignKey(
        "protocols.Criterion",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="metrics",
        help_text="The criterion it predicts. If empty, a score that is compared with every criterion.",
    )
    kind = models.CharField(max_length=5, choices=Kind)
    higher_is_better = models.BooleanField(default=True)
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.IMPORTED)
    run = models.ForeignKey(JudgeRun, models.PROTECT, null=True, blank=True, related_name="metrics")
    note = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField()
    is_active = models.BooleanField(default=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"], condition=Q(is_active=True), name="one_active_metric_per_key"
            ),
            models.CheckConstraint(
                condition=Q(kind="score") | Q(criterion__isnull=False), name="labels_belong_to_a_criterion"
            ),
            models.CheckConstraint(
                condition=Q(origin="judge", run__isnull=False) | Q(origin="imported", run__isnull=True),
                name="a_judges_metric_has_its_run",
            ),
        ]

    def __str__(self) -> str:
        return self.name


def _one_target() -> Q:
    return Q(candidate__isnull=False, dialogue__isnull=True) | Q(candidate__isnull=True, dialogue__isnull=False)


class Prediction(models.Model):
    """A metric's value for one candidate or one whole dialogue, whatever batch it is in."""

    metric = models.ForeignKey(Metric, models.CASCADE, related_name="predictions")
    candidate = models.ForeignKey(Candidate, models.PROTECT, null=True, blank=True, related_name="+")
    dialogue = models.ForeignKey(Dialogue, models.PROTECT, null=True, blank=True, related_name="+")
    value = models.FloatField(null=True, blank=True)
    option = models.ForeignKey("protocols.Option", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["metric", "candidate"], name="one_prediction_per_metric_and_candidate"),
            models.UniqueConstraint(fields=["metric", "dialogue"], name="one_prediction_per_metric_and_dialogue"),
            models.CheckConstraint(condition=_one_target(), name="prediction_has_one_target"),
            models.CheckConstraint(
                condition=Q(value__isnull=False) | Q(option__isnull=False), name="prediction_says_something"
            ),
        ]


class JudgeCall(models.Model):
    """One request to the endpoint and its reply. Rows are only added: a repeated question is another row.

    After a call with `is_last`, nothing more is asked about this target and criterion in this run.
    """

    class Status(models.TextChoices):
        ANSWERED = "answered", pgettext_lazy("status of a judge's answer", "Answered")
        REFUSED = "refused", pgettext_lazy("status of a judge's answer", "Refused by the model")
        MALFORMED = "malformed", pgettext_lazy("status of a judge's answer", "No answer in the reply")
        REJECTED = "rejected", pgettext_lazy("status of a judge's answer", "Rejected by the endpoint")
        FAILED = "failed", pgettext_lazy("status of a judge's answer", "Failed, asked again")

    run = models.ForeignKey(JudgeRun, models.PROTECT, related_name="calls")
    candidate = models.ForeignKey(Candidate, models.PROTECT, null=True, related_name="+")
    dialogue = models.ForeignKey(Dialogue, models.PROTECT, null=True, related_name="+")
    criterion = models.ForeignKey("protocols.Criterion", models.PROTECT, related_name="+")
    attempt = models.PositiveSmallIntegerField(help_text="Of this target and criterion, from 1.")
    prompt = models.JSONField(help_text="The body of the request; the key is in a header and not here.")
    http_status = models.PositiveSmallIntegerField(null=True, help_text="None: no answer came.")
    answer = models.TextField(blank=True, help_text="What the model said; of an error, what the endpoint said.")
    option = models.ForeignKey("protocols.Option", models.PROTECT, null=True, related_name="+")
    status = models.CharField(max_length=10, choices=Status)
    note = models.CharField(max_length=300, blank=True, help_text="Why it is no answer.")
    is_last = models.BooleanField()
    tokens_prompt = models.PositiveIntegerField(default=0)
    tokens_answer = models.PositiveIntegerField(default=0)
    latency_ms = models.PositiveIntegerField()
    sent_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["run", "-id"], name="calls_of_run")]
        constraints = [
            models.CheckConstraint(condition=_one_target(), name="call_has_one_target"),
            models.CheckConstraint(
                condition=Q(status="answered", option__isnull=False) | ~Q(status="answered"),
                name="an_answer_has_option",
            ),
            models.UniqueConstraint(
                fields=["run", "criterion", "candidate"],
                condition=Q(is_last=True),
                name="one_end_per_candidate_and_criterion",
            ),
            models.UniqueConstraint(
                fields=["run", "criterion", "dialogue"],
                condition=Q(is_last=True),
                name="one_end_per_dialogue_and_criterion",
            ),
        ]

    @property
    def seconds(self) -> str:
        return f"{self.latency_ms / 1000:.1f}"
