"""Batch control by the clock: finished batches get a sample, checked samples decide, what has lost a vote is void."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import DatabaseError, transaction

from annotation.services import activity
from annotation.services.private_batches import withdraw_private_batch
from annotation.services.refusals import Refused
from qualification.models import ControlPlan, Inspection
from qualification.selectors.control_work import (
    broken_inspections,
    finished_batches,
    finished_checks,
    stale_control_batches,
    under_way,
)
from qualification.services.control_deciding import count_check
from qualification.services.control_drawing import draw_inspection
from qualification.services.control_voiding import void_inspection

logger = logging.getLogger(__name__)

SWEPT_AT_ONCE = 100
TROUBLES = (ArithmeticError, LookupError, ValueError, DatabaseError, Refused)


def sweep_control(*, now: datetime) -> tuple[int, int]:
    """Draw and decide what is due. Returns how many samples were drawn, and how many checks were counted.

    Each is done once, however often it is called: under a lock, and only where it has not been done.
    """
    # Planning the queries below takes longer than running them, and most installations control nothing.
    has_samples = Inspection.objects.exists()
    if has_samples:  # before anything is decided by labels that count no more
        _void(now)
    is_checked = has_samples and under_way().exists()
    if is_checked:
        for batch in stale_control_batches()[:SWEPT_AT_ONCE]:
            withdraw_private_batch(batch)
    drawn = _draw(now) if ControlPlan.objects.filter(is_on=True).exists() else []
    checks = _count(now) if is_checked else []
    return sum(map(bool, drawn)), sum(map(bool, checks))


def _void(now: datetime) -> list[Any]:
    broken = broken_inspections().values_list("pk", flat=True)[:SWEPT_AT_ONCE]
    return [_tried(void_inspection, pk, now) for pk in broken]


def _draw(now: datetime) -> list[Any]:
    finished = finished_batches().values_list("pk", flat=True)[:SWEPT_AT_ONCE]
    return [_tried(draw_inspection, pk, now) for pk in finished]


def _count(now: datetime) -> list[Any]:
    finished = finished_checks().values_list("pk", flat=True)[:SWEPT_AT_ONCE]
    return [_tried(count_check, pk, now) for pk in finished]


def _tried(service: Callable[..., Any], pk: int, now: datetime) -> Any:
    try:
        return service(pk, now=now)
    except TROUBLES:  # must not keep the batches after it waiting for ever
        logger.exception("%s of %s failed", service.__name__, pk)
        return None


@transaction.atomic
def save_plan(plan: ControlPlan, *, by: User, now: datetime) -> ControlPlan:
    """Keep a plan that its form has filled. Samples drawn before keep the plan they were drawn by."""
    plan.full_clean()
    before: dict[str, Any] = dict(ControlPlan.objects.filter(pk=plan.pk).values().first() or {})
    plan.save()
    after = ControlPlan.objects.filter(pk=plan.pk).values().get()
    changed = {name: [before.get(name), value] for name, value in after.items() if before.get(name) != value}
    activity.log(plan.study, by, "control_plan", details={"changed": changed}, now=now)
    return plan
