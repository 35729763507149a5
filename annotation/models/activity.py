"""What was done with a study's data, by whom: appended, and never changed (a trigger of migration 0005 sees to it)."""

from django.conf import settings
from django.db import models

from annotation.models.study import Study


class ActivityLog(models.Model):
    """`actor` is empty for what a command did. No foreign key deletes a line: studies that have lines stay."""

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
