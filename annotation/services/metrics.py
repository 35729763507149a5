"""Delete metrics. Nothing else about a metric can change."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Metric
from annotation.services import activity


@transaction.atomic
def delete_metric(metric: Metric, *, by: User, now: datetime) -> bool:
    """Take the metric out of every table. Its rows stay and its name is free again. Return whether it was active."""
    is_mine = bool(Metric.objects.filter(pk=metric.pk, is_active=True).update(is_active=False))
    if is_mine:
        activity.log(metric.study, by, "metric_deleted", about=metric.key, now=now)
    return is_mine
