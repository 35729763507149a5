"""Metrics once they are there: nothing is changed about them, they can only be put away."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Metric
from annotation.services import activity


@transaction.atomic
def delete_metric(metric: Metric, *, by: User, now: datetime) -> bool:
    """Take it out of every table. The rows stay; its name is free again. Returns whether it was there."""
    is_mine = bool(Metric.objects.filter(pk=metric.pk, is_active=True).update(is_active=False))
    if is_mine:
        activity.log(metric.study, by, "metric_deleted", about=metric.key, now=now)
    return is_mine
