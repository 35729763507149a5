"""Batch control by the clock: finished batches get a sample, checked samples decide, what has lost a vote is void."""

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotation.services import activity
from annotation.services.private_batches import withdraw_private_batch
from annotation.services.sweeping import AT_ONCE, sweep_each
from qualification.acceptance.selectors.due import (
    broken_inspections,
    finished_batches,
    finished_checks,
    stale_control_batches,
    under_way,
)
from qualification.acceptance.services.deciding import count_check
from qualification.acceptance.services.drawing import draw_inspection
from qualification.acceptance.services.voiding import void_inspection
from qualification.models import ControlPlan, Inspection


def sweep_control(*, now: datetime) -> tuple[int, int]:
    """Draw and decide what is due. Returns how many samples were drawn, and how many checks were counted.

    Each is done once, however often it is called: under a lock, and only where it has not been done.
    """
    # Planning the queries below takes longer than running them, and most installations control nothing.
    has_samples = Inspection.objects.exists()
    if has_samples:  # before anything is decided by labels that count no more
        broken = broken_inspections().values_list("pk", flat=True)
        sweep_each("voiding a sample", broken, partial(void_inspection, now=now))
    is_checked = has_samples and under_way().exists()
    if is_checked:
        for batch in stale_control_batches()[:AT_ONCE]:
            withdraw_private_batch(batch)
    drawn, counted = [], []
    if ControlPlan.objects.filter(is_on=True).exists():
        finished = finished_batches().values_list("pk", flat=True)
        drawn = sweep_each("drawing the sample of a batch", finished, partial(draw_inspection, now=now))
    if is_checked:
        checked = finished_checks().values_list("pk", flat=True)
        counted = sweep_each("counting a check", checked, partial(count_check, now=now))
    return sum(map(bool, drawn)), sum(map(bool, counted))


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
