"""Say what to do about errors: on the import page in the words of its fields, and to commands with their flags."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.importing.outcome import Remedy
from parley.listing import both, either

COLUMN_LABELS: dict[str, Any] = {
    "dialogue": _("Dialogue"),
    "conversation": _("Conversation"),
    "scenario": _("Scenario"),
    "history": _("Dialogue so far"),
    "prompt": _("Prompt (last turn)"),
    "response": _("Response"),
    "context": _("Context panel of the dialogue"),
    "response_context": _("Context panel of the response"),
    "item": _("Candidate"),
    "source": _("Source"),
    "left": _("Source on the left"),
    "right": _("Source on the right"),
    "turn": _("Turn number"),
    "speaker": _("Speaker"),
    "text": _("Turn text"),
    "annotator": _("Annotator"),
    "criterion": _("Criterion"),
    "value": _("Answer"),
    "choices": _("Several choices"),
    "turns": _("Marked turns"),
    "batch": _("Batch"),
    "explanations": _("Explanations"),
    "free_text": _("Free text"),
    "answered_at": _("Time of the answer"),
    "label": _("Label"),
}


def choose_columns(*fields: str) -> Remedy:
    """Return how to say which column holds each field."""
    return _choose(both(_labels(fields)), ",".join(f"{field}=COLUMN" for field in fields))


def choose_one_of(*fields: str) -> Remedy:
    """Return how to say which column holds one of the fields."""
    return _choose(either(_labels(fields)), either(f"{field}=COLUMN" for field in fields))


def _labels(fields: Iterable[str]) -> list[str]:
    return [f"“{COLUMN_LABELS.get(field, field)}”" for field in fields]


def _choose(labels: str, pairs: str) -> Remedy:
    return Remedy(
        gettext("under Columns, choose the column of %(labels)s") % {"labels": labels},
        gettext("name the column with --map %(pairs)s") % {"pairs": pairs},
    )


def or_scenario(before: Remedy) -> Remedy:
    """Return what to do if a file of preferences is about whole dialogues, after another remedy."""
    text = gettext("; if whole dialogues are compared, %(how)s")
    how = choose_columns("scenario")
    return Remedy(before.page + text % {"how": how.page}, before.command + text % {"how": how.command})


def name_criterion(before: Remedy) -> Remedy:
    """Return what to do if all rows of a file answer one criterion, after another remedy."""
    text = gettext("; if all rows answer one criterion, %(how)s")
    page = gettext("choose it as “%(field)s”") % {"field": gettext("Criterion of the whole file")}
    command = gettext("use %(flag)s") % {"flag": "--criterion KEY"}
    return Remedy(before.page + text % {"how": page}, before.command + text % {"how": command})


def name_model() -> Remedy:
    text = gettext("name the model that answers, or one source for the whole file: %(how)s")
    page = gettext("enter it as “%(field)s”") % {"field": gettext("Default source of candidates")}
    command = gettext("use %(flag)s") % {"flag": "--source NAME"}
    return Remedy(text % {"how": page}, text % {"how": command}, is_folded=True)


def create_missing() -> Remedy:
    text = gettext("import it first, or %(option)s")
    return Remedy(
        text % {"option": gettext("tick “Create what is missing”")},
        text % {"option": gettext("use %(flag)s") % {"flag": "--create-missing"}},
        is_folded=True,
    )


def as_chat_log() -> Remedy:
    return Remedy(
        gettext("tick “The file is a chat log: rate its responses”"), gettext("use %(flag)s") % {"flag": "--transcript"}
    )


def if_chat_log(before: Remedy | None = None) -> Remedy:
    """Return what to do if the file is a chat log, after another remedy."""
    text = gettext("if it is a chat log, %(how)s")
    how = as_chat_log()
    pages, commands = text % {"how": how.page}, text % {"how": how.command}
    if before is None:
        return Remedy(pages, commands)
    return Remedy(f"{before.page}; {pages}", f"{before.command}; {commands}", is_folded=before.is_folded)
