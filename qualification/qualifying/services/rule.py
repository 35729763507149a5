"""Store the qualification: its rule, its questions, whether it is on; and check what a candidate may claim."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Batch, Participant, Study
from annotation.services import activity
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from qualification.models import ComprehensionQuestion, Qualification
from qualification.qualifying.selectors.progress import COMPREHENSION, DECIDING, facts_of, stage_of

Kind = Batch.Kind
PersonStatus = Participant.Status
OF_QUALIFICATION = (Kind.TRAINING, Kind.QUALIFICATION)
REFUSALS = {
    "comprehension": gettext_lazy("Answer the questions about the guidelines first."),
    "training": gettext_lazy("Finish the training first. It prepares you for this batch."),
    "deciding": gettext_lazy("The result of your last batch is not ready yet. Look at your work again in a moment."),
    "used_up": gettext_lazy("You have finished all qualification batches available to you. The team will decide."),
}


def check_claim(participant: Participant, batch: Batch) -> None:
    """Raise Refused if it is not the candidate's turn for the batch. Claims call this: see settings.CLAIM_GUARDS."""
    is_candidate = participant.status == PersonStatus.QUALIFYING and not participant.panel
    if (
        batch.kind not in OF_QUALIFICATION
        or batch.reserved_for_id
        or not is_candidate
        or not batch.study.has_qualification
    ):
        return
    participant.study = batch.study
    facts = facts_of([participant])[participant.pk]
    stage = stage_of(participant, facts)
    if stage == COMPREHENSION:
        word = "comprehension"
    elif batch.kind == Kind.TRAINING or (batch.pk, batch.round) in facts.done:
        word = ""
    elif stage == DECIDING:
        word = "deciding"
    elif facts.qualification.is_trained and facts.left(Kind.TRAINING):
        word = "training"
    else:
        word = "used_up" if facts.is_used_up else ""
    if word:
        raise Refused(word, REFUSALS[word])


# --- settings --------------------------------------------------------------------------------------
@transaction.atomic
def save_qualification(study: Study, *, is_on: bool, values: dict[str, Any], by: User, now: datetime) -> Qualification:
    """Validate and store the rule; earlier decisions keep their rule. Raise ValidationError if it is invalid."""
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    qualification = Qualification.objects.filter(study=locked).first() or Qualification(study=locked)
    before = {"is_on": locked.has_qualification} | {name: getattr(qualification, name) for name in values}
    for name, value in values.items():
        setattr(qualification, name, value)
    qualification.full_clean()
    qualification.save()
    if locked.has_qualification != is_on:
        _switch(locked, is_on, by, now)
    changed = activity.changes(before, {"is_on": is_on} | {name: getattr(qualification, name) for name in values})
    activity.log(locked, by, "qualification", details={"changed": changed}, now=now)
    study.has_qualification = is_on
    return qualification


def _switch(study: Study, is_on: bool, by: User, now: datetime) -> None:
    """Send everyone who waits to be cleared to the qualification, or back to waiting when it is switched off."""
    study.has_qualification = is_on
    study.save(update_fields=["has_qualification"])
    before, after = (
        (PersonStatus.PENDING, PersonStatus.QUALIFYING) if is_on else (PersonStatus.QUALIFYING, PersonStatus.PENDING)
    )
    reason = _("The study now requires qualification.") if is_on else _("The study no longer requires qualification.")
    for participant in Participant.objects.filter(study=study, status=before, panel="").order_by("pk"):
        set_status(participant, status=after, by=by, reason=reason, now=now)


@transaction.atomic
def add_question(
    study: Study, *, text: str, options: list[str], right: int, why: str, by: User, now: datetime
) -> ComprehensionQuestion:
    """Add a question after the others. Raise ValidationError if it is invalid."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    qualification = Qualification.objects.get_or_create(study=study)[0]
    last = qualification.questions.aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    question = ComprehensionQuestion(
        qualification=qualification, position=position, text=text, options=options, right=right, why=why
    )
    question.full_clean()
    question.save()
    activity.log(study, by, "question_added", about=text, now=now)
    return question


@transaction.atomic
def remove_question(question: ComprehensionQuestion, *, by: User, now: datetime) -> None:
    """Remove a question. Tries that included it keep their counts."""
    activity.log(question.qualification.study, by, "question_removed", about=question.text, now=now)
    question.delete()
