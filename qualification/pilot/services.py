"""Apply what a pilot suggests to the settings of the study."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Study
from annotation.services.refusals import Refused
from annotation.services.studies import update_study
from qualification.models import Qualification
from qualification.pilot.selectors.page import Suggestions
from qualification.qualifying.services.rule import save_qualification


@transaction.atomic
def take_over(study: Study, setting: str, suggested: Suggestions, *, by: User, now: datetime) -> None:
    """Set the minutes or the pay of a batch, or the qualification's threshold. Raise Refused or ValidationError."""
    values = {"minutes": suggested.minutes, "pay": suggested.pay, "threshold": suggested.threshold}
    value = values[setting]
    if value is None:
        raise Refused("no_suggestion", _("The pilot gives no value for this."))
    if setting == "minutes":
        update_study(study, expected_minutes=value, by=by, now=now)
    elif setting == "pay":
        update_study(study, pay_amount=value, by=by, now=now)
    else:
        fixed = {"threshold_from": Qualification.ThresholdFrom.FIXED, "threshold": value}
        save_qualification(study, is_on=study.has_qualification, values=fixed, by=by, now=now)
