"""Store the pay plan: what a qualification earns, and the hourly rate below which the platform warns."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Study
from annotation.services import activity
from annotation.services.refusals import Refused
from qualification.models import PayPlan


@transaction.atomic
def save_pay_plan(study: Study, *, values: dict[str, Any], by: User, now: datetime) -> PayPlan:
    """Validate and store the plan. Lines that are already in the ledger keep their amount.

    Raise ValidationError for invalid values, or Refused if there is pay but no currency.
    """
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    plan = PayPlan.objects.filter(study=locked).first() or PayPlan(study=locked)
    before = {name: getattr(plan, name) for name in values}
    for name, value in values.items():
        setattr(plan, name, value)
    if plan.qualification_amount and not locked.pay_currency:
        raise Refused("no_currency", _("First set the pay currency in the study settings."))
    plan.full_clean()
    plan.save()
    changed = activity.changes(before, {name: getattr(plan, name) for name in values})
    if changed:
        activity.log(locked, by, "pay_plan", details={"changed": changed}, now=now)
    return plan
