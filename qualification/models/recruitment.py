"""Models of recruitment: sampling criteria and platform, entries, consent texts and demographics."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Participant, Study


class Recruitment(models.Model):
    """Hold the sampling criteria as data, and the platform with its completion codes."""

    class Gender(models.TextChoices):
        ANY = "", _("any")
        BALANCED = "balanced", _("balanced")
        WOMEN = "women", _("women")
        MEN = "men", _("men")

    study = models.OneToOneField(Study, models.CASCADE, related_name="recruitment")
    provider = models.CharField(max_length=20, blank=True, help_text="Key of a crowd platform; empty: none.")
    is_open = models.BooleanField(default=False, help_text="New people may join through the platform.")
    n_wanted = models.PositiveIntegerField(null=True, blank=True)
    locations = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    gender = models.CharField(max_length=10, choices=Gender, default=Gender.ANY, blank=True)
    first_languages = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    least_approval = models.PositiveSmallIntegerField(null=True, blank=True, default=95, help_text="Per cent.")
    least_submissions = models.PositiveIntegerField(null=True, blank=True, default=20)
    education = models.CharField(max_length=200, blank=True)
    expertise = models.CharField(max_length=200, blank=True)
    other = models.TextField(blank=True)
    asks_demographics = models.BooleanField(default=False)
    code_done = models.CharField(max_length=64, blank=True)
    code_screened_out = models.CharField(max_length=64, blank=True)
    code_failed_attention = models.CharField(max_length=64, blank=True)
    code_timed_out = models.CharField(max_length=64, blank=True)
    platform_url = models.URLField(
        blank=True, help_text="Where people are sent at the end. If empty, the platform's own page."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(least_approval__isnull=True) | Q(least_approval__lte=100),
                name="approval_is_a_percentage",
                violation_error_message=_("An approval rate cannot exceed 100 per cent."),
            )
        ]

    def __str__(self) -> str:
        return f"recruitment of {self.study}"


class Entry(models.Model):
    """Record one person who came through a platform. The platform's opaque id is all it holds about the person."""

    class State(models.TextChoices):
        ENTERED = "entered", _("in progress")
        DONE = "done", _("finished")
        SCREENED_OUT = "screened_out", _("screened out")
        FAILED_ATTENTION = "failed_attention", _("failed attention checks")
        TIMED_OUT = "timed_out", _("timed out")

    study = models.ForeignKey(Study, models.CASCADE, related_name="entries")
    participant = models.OneToOneField(Participant, models.PROTECT, null=True, related_name="entry")
    provider = models.CharField(max_length=20)
    person = models.CharField(max_length=200)
    platform_study = models.CharField(max_length=200, blank=True)
    session = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=20, choices=State, default=State.ENTERED)
    entered_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "provider", "person"], name="one_entry_per_person_and_study"),
            models.CheckConstraint(
                condition=Q(state="entered", ended_at__isnull=True) | ~Q(state="entered") & Q(ended_at__isnull=False),
                name="ended_entry_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.session}"


class ConsentText(models.Model):
    """Keep every text that people agreed to, so that the text of an earlier consent can be shown.

    Each change adds a row, also under the same version: the time tells who agreed to which text.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="consent_texts")
    version = models.CharField(max_length=40)
    text = models.TextField()
    kept_at = models.DateTimeField()

    class Meta:
        ordering = ["kept_at"]
        constraints = [models.UniqueConstraint(fields=["study", "kept_at"], name="one_consent_text_at_a_time")]

    def __str__(self) -> str:
        return f"{self.study} {self.version}"


class Demographics(models.Model):
    """Keep optional demographics, apart from everything else and only of people who consented."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="demographics")
    origin = models.CharField(max_length=20, help_text="'self' or the key of a platform.")
    fields = models.JSONField(default=dict)
    recorded_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "demographics"
        constraints = [
            models.UniqueConstraint(fields=["participant", "origin"], name="one_demographics_per_annotator_and_origin")
        ]

    def __str__(self) -> str:
        return f"demographics of {self.participant}"
