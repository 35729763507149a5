"""Log what people did with a study's data. Lines are only added: a trigger (migration 0005) refuses changes."""

from django.conf import settings
from django.db import models

from annotation.models.study import Study


class ActivityLog(models.Model):
    """One action. `actor` is empty if a command did it. A study or account with lines here cannot be deleted."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="activities")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    object = models.CharField(max_length=200, blank=True)
    details = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["study", "-id"], name="activity_of_study")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.verb} {self.object}"
