"""Metrics once they are there: nothing is changed about them, they can only be put away."""

from django.db import transaction

from annotation.models import Metric


@transaction.atomic
def delete_metric(metric: Metric) -> bool:
    """Take it out of every table. The rows stay; its name is free again. Returns whether it was there."""
    return bool(Metric.objects.filter(pk=metric.pk, is_active=True).update(is_active=False))
