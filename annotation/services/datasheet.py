"""Save answers that people write into a study's datasheet in place of the automatic ones."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import DatasheetAnswer, Study
from annotation.services import activity
from annotation.services.refusals import Refused

LONGEST_ANSWER = 10_000


@transaction.atomic
def save_answer(study: Study, question: str, text: str, *, by: User, now: datetime) -> DatasheetAnswer | None:
    """Save a written answer to a question; an empty one restores the automatic answer and returns None.

    Saving the same text again changes nothing, so its author stays. Raise Refused if the text is too long. The caller
    must check that `question` is the number of a question.
    """
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST_ANSWER:
        message = _("This answer is longer than %(n)s characters. Shorten it or link to a longer text.")
        raise Refused("too_long", message % {"n": f"{LONGEST_ANSWER:,}"})
    known = DatasheetAnswer.objects.select_for_update().filter(study=study, question=question).first()
    if text == (known.text if known else ""):
        return known
    activity.log(study, by, "datasheet", about=question, details={"text": text}, now=now)
    if not text:
        DatasheetAnswer.objects.filter(study=study, question=question).delete()
        return None
    values = {"text": text, "author": by, "updated_at": now}
    return DatasheetAnswer.objects.update_or_create(study=study, question=question, defaults=values)[0]
