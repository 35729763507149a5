"""Store the settings of recruitment: whom a study wants, and through which platform they come."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Study
from annotation.services import activity
from qualification.models import Recruitment
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.services.consent_texts import keep_consent_text
from qualification.recruitment.services.demographics import NO_CONSENT

CODES = ("code_done", "code_screened_out", "code_failed_attention", "code_timed_out")
SETTINGS = (
    "n_wanted", "locations", "gender", "first_languages", "least_approval", "least_submissions", "education",
    "expertise", "other", "provider", "is_open", *CODES, "platform_url", "asks_demographics",
)  # fmt: skip


@transaction.atomic
def save_recruitment(study: Study, *, by: User, now: datetime, **settings: Any) -> Recruitment:
    """Change settings; the log names what was changed, without values. Raise ValidationError if one is invalid."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    recruitment = Recruitment.objects.filter(study=study).first() or Recruitment(study=study)
    changed = sorted(name for name in settings.keys() & SETTINGS if getattr(recruitment, name) != settings[name])
    for name in changed:
        setattr(recruitment, name, settings[name])
    _check(recruitment)
    recruitment.full_clean()
    recruitment.save()
    keep_consent_text(study, now=now)
    if changed:
        activity.log(study, by, "recruitment", details={"changed": changed}, now=now)
    return recruitment


def _check(recruitment: Recruitment) -> None:
    if recruitment.provider and recruitment.provider not in PROVIDERS:
        raise ValidationError({"provider": _("There is no such platform.")})
    if recruitment.is_open and recruitment.provider and PROVIDERS[recruitment.provider].is_closed:
        message = _("%(name)s has closed, so nobody can join through it. Choose another platform.")
        raise ValidationError({"provider": message % {"name": PROVIDERS[recruitment.provider].name}})
    if recruitment.is_open and not recruitment.provider:
        raise ValidationError({"provider": _("Choose the recruitment platform.")})
    if recruitment.is_open and not recruitment.code_done:
        message = _("Enter the completion code. Without it, nobody who has finished can be paid.")
        raise ValidationError({"code_done": message})
    if recruitment.asks_demographics and not recruitment.study.consent_text:
        raise ValidationError({"asks_demographics": NO_CONSENT})
    codes = [getattr(recruitment, name) for name in CODES if getattr(recruitment, name)]
    if len(set(codes)) < len(codes):
        message = _("Each outcome needs its own code. Otherwise the platform pays everyone the same.")
        raise ValidationError({"code_done": message})
