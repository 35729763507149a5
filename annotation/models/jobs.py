"""Imports and exports as jobs whose progress people watch, and heartbeats of the workers that run them."""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models.study import Study


class ImportJob(models.Model):
    """An import from the page or the API, or one of ratings by a command: then `user` is empty."""

    class Kind(models.TextChoices):
        DIALOGUES = "dialogues", _("Dialogues")
        RATINGS = "ratings", _("Ratings")
        PREDICTIONS = "predictions", _("Predictions")

    class Status(models.TextChoices):
        QUEUED = "queued", pgettext_lazy("status of an import", "Queued")
        RUNNING = "running", pgettext_lazy("status of an import", "Running")
        DONE = "done", pgettext_lazy("status of an import", "Done")
        FAILED = "failed", pgettext_lazy("status of an import", "Failed")
        TAKEN_BACK = "taken_back", pgettext_lazy("status of an import", "Taken back")

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.CASCADE, related_name="imports")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind)
    format = models.CharField(max_length=40, blank=True)
    options = models.JSONField(default=dict, blank=True, help_text="Column map, create missing.")
    file_name = models.CharField(max_length=255)
    file_sha256 = models.CharField(max_length=64)
    language = models.CharField(
        max_length=20, default="en", help_text="The language of the person who reads its errors."
    )
    is_dry_run = models.BooleanField(default=False)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    phase = models.CharField(max_length=40, blank=True)
    n_done = models.PositiveBigIntegerField(default=0, help_text="Bytes read.")
    n_total = models.PositiveBigIntegerField(default=0)
    summary = models.JSONField(default=dict, blank=True)
    errors = models.JSONField(default=list, blank=True, help_text="[{line, field, reason}], the first 200.")
    n_errors = models.PositiveIntegerField(default=0)
    n_attempts = models.PositiveSmallIntegerField(default=0, help_text="How often a worker began it.")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.file_name


class ImportChunk(models.Model):
    """A part of the uploaded file, compressed, until the import is over: workers share a database, not a disk."""

    job = models.ForeignKey(ImportJob, models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "number"], name="one_chunk_per_number")]


class ImportedRows(models.Model):
    """The rows of one table that an import of ratings made, so that it can be taken back."""

    job = models.ForeignKey(ImportJob, models.CASCADE, related_name="made")
    table = models.CharField(max_length=20)
    ids = ArrayField(models.BigIntegerField())

    class Meta:
        verbose_name_plural = "imported rows"
        constraints = [models.UniqueConstraint(fields=["job", "table"], name="one_list_of_rows_per_import_and_table")]


class ExportJob(models.Model):
    """A large export. A worker writes it, people download it, and it is deleted after some days."""

    class Status(models.TextChoices):
        QUEUED = "queued", pgettext_lazy("status of an import", "Queued")
        RUNNING = "running", pgettext_lazy("status of an import", "Running")
        DONE = "done", pgettext_lazy("status of an import", "Done")
        FAILED = "failed", pgettext_lazy("status of an import", "Failed")
        EXPIRED = "expired", pgettext_lazy("status of an export", "Expired")

    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.CASCADE, related_name="exports")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    format = models.CharField(max_length=20)
    options = models.JSONField(default=dict, blank=True)
    has_names = models.BooleanField(default=False, help_text="Holds account names: for owners only.")
    file_name = models.CharField(max_length=255)
    language = models.CharField(
        max_length=20, default="en", help_text="The language of the person who reads its errors."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    n_done = models.PositiveBigIntegerField(default=0, help_text="Ratings written.")
    n_total = models.PositiveBigIntegerField(default=0)
    n_bytes = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    error = models.TextField(blank=True)
    n_attempts = models.PositiveSmallIntegerField(default=0, help_text="How often a worker began it.")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)


class ExportChunk(models.Model):
    """A part of the finished file, compressed, until it expires: workers share a database, not a disk."""

    job = models.ForeignKey(ExportJob, models.CASCADE, related_name="chunks")
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "number"], name="one_export_chunk_per_number")]


class KeptReport(models.Model):
    """The page of a large study's report, as a worker made it. `version` names the data that it shows."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="kept_reports")
    language = models.CharField(max_length=20)
    has_texts = models.BooleanField(help_text="Shows the texts of single answers.")
    version = models.CharField(max_length=64, blank=True)
    body = models.BinaryField(null=True, help_text="Compressed.")
    n_ratings = models.PositiveIntegerField(default=0, help_text="Answers when it was made.")
    made_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True, help_text="Of a newer one; empty when it is made.")
    n_done = models.PositiveSmallIntegerField(default=0, help_text="Parts of the newer one.")
    n_total = models.PositiveSmallIntegerField(default=0)
    failed_version = models.CharField(max_length=64, blank=True, help_text="Of data that a program error stopped at.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "language", "has_texts"], name="one_kept_report_per_reader")
        ]

    def __str__(self) -> str:
        return f"{self.study} ({self.language})"


class Heartbeat(models.Model):
    """One row per queue. Beat queues the task and a worker writes the time, so a recent row proves both are alive."""

    queue = models.CharField(max_length=40, unique=True)
    beaten_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.queue
