"""Store the settings of checks. Switching feedback has its own log line: the report says when it was on."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Study
from annotation.services import activity
from qualification.checks.selectors.feedback import FEEDBACK_OFF, FEEDBACK_ON
from qualification.models import CheckPlan


@transaction.atomic
def save_check_plan(study: Study, *, by: User | None, now: datetime, **fields: Any) -> CheckPlan:
    """Validate and store the settings. Raise ValidationError if they are invalid."""
    # This lock makes two switches of feedback follow one another, so that on and off alternate in the log.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    plan = CheckPlan.objects.filter(study=study).first() or CheckPlan(study=study)
    gave_feedback, before = plan.gives_feedback, {name: getattr(plan, name) for name in fields}
    for name, value in fields.items():
        setattr(plan, name, value)
    plan.full_clean()
    plan.save()
    details = {name: fields[name] for name in sorted(fields)} | {"changed": activity.changes(before, fields)}
    activity.log(study, by, "check_plan", details=details, now=now)
    if plan.gives_feedback != gave_feedback:
        activity.log(study, by, FEEDBACK_ON if plan.gives_feedback else FEEDBACK_OFF, now=now)
    return plan
