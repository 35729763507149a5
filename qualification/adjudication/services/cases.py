"""Collect, correct and archive cases, and turn them into examples or training items in one step."""

import json
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.context import persona_of
from annotation.importing.dialogues import lock_study
from annotation.models import Item, Study
from annotation.services import activity
from annotation.services.refusals import Refused
from protocols import services as protocols
from protocols.bundles import Bundle
from protocols.editing import editable, revision_of
from protocols.models import Criterion, Option, Protocol, ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.selectors import next_version_name
from qualification.models import Case, Disagreement
from qualification.qualifying.services.training import Lesson, Scene, give_lesson

Unit = ProtocolVersion.Unit
LONGEST_TITLE = 60


# --- the case library ------------------------------------------------------------------------------
@transaction.atomic
def collect(
    study: Study, *, item: Item, criterion: Criterion, option: Option | None, note: str, by: User, now: datetime
) -> Case:
    """Add a case to the library. Raise ValidationError if it has one for this item and question."""
    # This lock keeps two trainers who collect one item at once from making two cases.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    case = Case(
        study=study, item=item, criterion=criterion, option=option, note=note.strip(), author=by, created_at=now
    )
    case.full_clean()
    case.save()
    activity.log(case.study, by, "case_collected", now=now, **_named(case))
    return case


def collect_disagreement(disagreement: Disagreement, *, by: User, now: datetime) -> Case:
    """Add a disagreement as a case, with its answer and note if it is settled. Raise ValidationError if it is one."""
    item = disagreement.item
    return collect(
        item.batch.study, item=item, criterion=disagreement.criterion, option=disagreement.option,
        note=disagreement.note, by=by, now=now,
    )  # fmt: skip


@transaction.atomic
def change_case(case: Case, *, option: Option | None, note: str, by: User, now: datetime) -> Case:
    """Change a case, not what was made from it before. Raise Refused for an answer to another question."""
    locked = _lock(case)
    if option is not None and option.criterion_id != locked.criterion_id:
        raise Refused("other_question", _("That is not an answer to this question."))
    locked.option, locked.note = option, note.strip()
    locked.save(update_fields=["option", "note"])
    activity.log(locked.study, by, "case_changed", now=now, **_named(locked))
    return locked


@transaction.atomic
def set_active(case: Case, *, is_active: bool, by: User, now: datetime) -> Case:
    """Archive or restore a case. Raise ValidationError if the library has another for its item and question."""
    Study.objects.select_for_update(no_key=True).get(pk=case.study_id)
    locked = _lock(case)
    locked.is_active = is_active
    locked.full_clean()
    locked.save(update_fields=["is_active"])
    verb = "case_back" if is_active else "case_put_away"
    activity.log(locked.study, by, verb, now=now, **_named(locked))
    return locked


def _lock(case: Case) -> Case:
    """Return the case, locked, so that two people change it one after the other."""
    found = Case.objects.select_related("study__protocol_version", "item__dialogue", "item__candidate", "criterion")
    return found.select_for_update(of=("self",)).get(pk=case.pk)


def _named(case: Case, **details: Any) -> dict[str, Any]:
    """Return what a line of the log says about the case."""
    about = case.item.dialogue.key if case.item.dialogue else str(case.item.token)
    return {"about": about, "details": {"criterion": case.criterion.key, **details}}


# --- what it becomes -------------------------------------------------------------------------------
@transaction.atomic
def make_example(case: Case, *, by: User, now: datetime) -> ProtocolVersion:
    """Add the case to the draft made from the study's version, or to a new draft. Annotators see it once published.

    Raise Refused if it cannot be an example, or already is one in the draft.
    """
    locked = _lock_usable(case)
    study_version = locked.study.protocol_version
    # Every save of a draft locks this row, so that two cases at once, or an open editor, follow one another.
    Protocol.objects.select_for_update().get(pk=study_version.protocol_id)
    drafts = study_version.children.filter(protocol=study_version.protocol_id, status=ProtocolVersion.Status.DRAFT)
    known = drafts.select_related("protocol").order_by("-created_at", "-pk").first()
    draft = known or protocols.new_draft(study_version, version_name=next_version_name(study_version), now=now)
    doc = editable(draft)
    made_from = revision_of(doc)
    _add_example(doc, locked)
    try:
        protocols.replace_draft(draft, doc, made_from=made_from, now=now)
    except InvalidBundle as invalid:
        raise Refused(
            "invalid", _("The case cannot be added to the draft: %(why)s") % {"why": invalid.errors[0]}
        ) from None
    locked.version = draft
    locked.save(update_fields=["version"])
    activity.log(locked.study, by, "case_example", now=now, **_named(locked, version=str(draft)))
    return draft


def _add_example(doc: Bundle, case: Case) -> None:
    criterion = next((each for each in doc["criteria"] if each["key"] == case.criterion.key), None)
    example = _example(case)
    if criterion is None or all(option["key"] != _right(case).key for option in criterion["options"]):
        raise Refused("no_such_question", _("The draft no longer has this question, or this answer."))
    if any(_shown_by(each) == _shown_by(example) for each in criterion["examples"]):
        raise Refused("known", _("It is already an example in the draft."))
    criterion["examples"].append(example)


def _example(case: Case) -> Bundle:
    """Return the case as an example of the editor: the history, its response if any, the evaluation and why."""
    # The beginning of the last turn is the title: the dialogue's key means nothing to readers of the guidelines.
    history = _history(case)
    last = " ".join(history[-1]["text"].split())
    title = last if len(last) <= LONGEST_TITLE else f"{last[: LONGEST_TITLE - 1].rstrip()}…"
    known = {"title": title, "facts": _facts(case), "history": history, "rated_turn": None}
    evaluated = {"option": _right(case).key, "why": case.note}
    text, speaker = _response(case)
    if text is None:
        return known | evaluated | {"candidates": []}
    return known | {"candidates": [evaluated | {"text": text, "speaker": speaker}], "option": "", "why": ""}


def _shown_by(example: Bundle) -> Any:
    turns = [(turn["speaker"], turn["text"]) for turn in example["history"]]
    return turns, example["facts"], [each["text"] for each in example["candidates"]]


def _history(case: Case) -> list[dict[str, str]]:
    """Return only speakers and texts: imported turns may hold more."""
    turns = case.item.dialogue.turns if case.item.dialogue else []
    return [{"speaker": str(turn["speaker"]), "text": turn["text"]} for turn in turns]


def _facts(case: Case) -> list[str]:
    return persona_of(case.item.dialogue.metadata if case.item.dialogue else {})


def _right(case: Case) -> Option:
    if case.option is None:
        raise Refused("no_answer", _("First choose the correct answer."))
    return case.option


@transaction.atomic
def make_training_item(case: Case, *, by: User, now: datetime) -> Item:
    """Copy the case into an open training batch, with its answer, and the note as explanation.

    Raise Refused if it cannot be a training item, or already is one.
    """
    lock_study(case.study)
    locked = _lock_usable(case)
    criterion = locked.study.protocol_version.criteria.filter(key=locked.criterion.key).first()
    if criterion is None or not criterion.options.filter(key=_right(locked).key).exists():
        raise Refused("no_such_question", _("The study no longer asks this question, or has no such answer."))
    if locked.is_training:
        raise Refused("known", _("It is already a training item."))
    text, speaker = _response(locked)
    above = json.dumps(locked.item.candidate.context) if locked.item.candidate else "[]"
    lesson = Lesson(criterion, text, _right(locked).key, locked.note, speaker, context=above)
    dialogue = locked.item.dialogue
    asker, context = (dialogue.asker, json.dumps(dialogue.context)) if dialogue else ("", "[]")
    item = give_lesson(locked.study, Scene.of(_history(locked), _facts(locked), asker, context), lesson, now)
    locked.is_training = True
    locked.save(update_fields=["is_training"])
    activity.log(locked.study, by, "case_training", now=now, **_named(locked, batch=item.batch.key))
    return item


def _response(case: Case) -> tuple[str | None, str]:
    """Return text and speaker of the rated response; None and "" for a whole dialogue."""
    candidate = case.item.candidate
    return (candidate.text, candidate.speaker) if candidate else (None, "")


def _lock_usable(case: Case) -> Case:
    """Return the case, locked. Raise Refused if it has no answer or cannot be shown on its own."""
    locked = _lock(case)
    _right(locked)
    if locked.item.unit not in (Unit.RESPONSE, Unit.DIALOGUE) or not _history(locked):
        raise Refused("not_alone", _("Only a response to a dialogue, or a dialogue with its text, can be shown."))
    return locked
