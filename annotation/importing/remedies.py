"""Say what to do about errors: on the import page in the words of its fields, with flags or fields elsewhere."""

from collections.abc import Callable, Iterable, Mapping
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
    "is_swapped": _("Whether the sides were swapped"),
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
PREDICTION_LABELS: dict[str, Any] = {"value": _("Score")}  # where they differ in a file of predictions
NO_RESPONSE = _("none: each row is a whole dialogue")


def choose_columns(*fields: str) -> Remedy:
    """Return how to say which column holds each field."""
    return _choose(fields, both, ",".join)


def choose_columns_of_predictions(*fields: str) -> Remedy:
    return _choose(fields, both, ",".join, COLUMN_LABELS | PREDICTION_LABELS)


def choose_one_of(*fields: str) -> Remedy:
    """Return how to say which column holds one of the fields."""
    return _choose(fields, either, either)


def _choose(
    fields: Iterable[str],
    joined: Callable[[Iterable[str]], str],
    joined_pairs: Callable[[Iterable[str]], str],
    called: Mapping[str, Any] = COLUMN_LABELS,
) -> Remedy:
    labels, pairs = (
        [f"“{called.get(field, field)}”" for field in fields],
        [f"{field}=COLUMN" for field in fields],
    )
    return Remedy(
        gettext("under Columns, choose the column of %(labels)s") % {"labels": joined(labels)},
        gettext("name the column with --map %(pairs)s") % {"pairs": joined_pairs(pairs)},
        _send(joined(f"map_{pair}" for pair in pairs)),
    )


def _use(flag: str) -> str:
    return gettext("use %(flag)s") % {"flag": flag}


def _send(fields: str) -> str:
    return gettext("send %(fields)s") % {"fields": fields}


def with_source_or_item(before: Remedy) -> Remedy:
    """Return what names the responses of a file of ratings, after another remedy."""
    text = gettext("; for ratings of responses, also %(source)s, or in place of both %(item)s")
    return before.then(Remedy.saying(text, source=_field("source"), item=_field("item")))


def _field(name: str) -> Remedy:
    return Remedy(f"“{COLUMN_LABELS[name]}”", f"{name}=COLUMN", f"map_{name}=COLUMN")


def or_scenario(before: Remedy) -> Remedy:
    """Return what to do if a file of preferences is about whole dialogues, after another remedy."""
    text = gettext("; if whole dialogues are compared, %(how)s")
    return before.then(Remedy.saying(text, how=choose_columns("scenario")))


def or_column_each(before: Remedy) -> Remedy:
    """Return what to do if each criterion has a column, after another remedy."""
    how = Remedy(
        gettext("choose it under the name of the criterion"),
        gettext("name it with --map KEY=COLUMN"),
        _send("map_KEY=COLUMN"),
    )
    return before.then(Remedy.saying(gettext("; if each criterion has a column, %(how)s"), how=how))


def name_criterion(before: Remedy) -> Remedy:
    """Return what to do if all rows of a file answer one criterion, after another remedy."""
    page = gettext("choose it as “%(field)s”") % {"field": gettext("Criterion of the whole file")}
    how = Remedy(page, _use("--criterion KEY"), _send("criterion=KEY"))
    return before.then(Remedy.saying(gettext("; if all rows answer one criterion, %(how)s"), how=how))


def name_model() -> Remedy:
    text = gettext("name the model that answers, or one source for the whole file: %(how)s")
    page = gettext("enter it as “%(field)s”") % {"field": gettext("Default source of candidates")}
    return Remedy.saying(text, how=Remedy(page, _use("--source NAME"), _send("source=NAME"), is_folded=True))


def or_name_source(before: Remedy) -> Remedy:
    """Return what to do if the whole file has one source, after another remedy."""
    text = gettext("; one source of the whole file can be named as %(option)s")
    option = Remedy(gettext("Default source of candidates"), "--source NAME", "source=NAME")
    return before.then(Remedy.saying(text, option=option))


def name_source_of_panels() -> Remedy:
    text = gettext("name the source after a colon, as in %(example)s")
    return Remedy(
        gettext("choose it under Columns"),
        text % {"example": "--map 'response_context=COLUMN:SOURCE'"},
        text % {"example": "map_response_context=COLUMN:SOURCE"},
    )


def choose_sheet() -> Remedy:
    option = Remedy(
        gettext("choose one under Sheet"),
        gettext("name one with %(flag)s") % {"flag": "--sheet NAME"},
        _send("sheet=NAME"),
    )
    return Remedy.saying(gettext("%(option)s, or keep one of them in the file"), option=option)


def name_metrics() -> Remedy:
    page = gettext("enter them as “%(field)s”") % {"field": gettext("Columns that hold metrics")}
    how = Remedy(page, _use("--metrics NAMES"), _send("metrics=NAMES"))
    text = gettext("if each metric has a column, %(how)s; otherwise %(column)s")
    column = _choose(("value", "label"), either, either, COLUMN_LABELS | PREDICTION_LABELS)
    return Remedy.saying(text, how=how, column=column)


def or_whole_dialogues(before: Remedy) -> Remedy:
    """Return what to do if the rows of a table are whole dialogues, after another remedy."""
    page = gettext("choose “%(option)s” there") % {"option": NO_RESPONSE}
    how = Remedy(page, _use("--map response=-"), _send("map_response=-"))
    return before.then(Remedy.saying(gettext("; if each row is a whole dialogue, %(how)s"), how=how))


def whole_dialogue_in_object() -> Remedy:
    return Remedy.everywhere(
        gettext("add the responses; if this is a whole dialogue, call its turns “messages” instead of “history”")
    )


def replace_unused() -> Remedy:
    option = Remedy(
        gettext("tick “Replace dialogues that are not used yet”"),
        _use("--replace-unused"),
        _send("replace_unused=true"),
    )
    return Remedy.saying(gettext("%(option)s to correct it, or give the new dialogue another id"), option=option)


def scenario_not_dialogue() -> Remedy:
    page = gettext("under Columns, choose the column of “%(label)s”, and none for “%(other)s”")
    labels = {"label": COLUMN_LABELS["scenario"], "other": COLUMN_LABELS["dialogue"]}
    command = gettext("name the column with --map %(pairs)s") % {"pairs": "scenario=COLUMN,dialogue=-"}
    return Remedy(page % labels, command, _send(both(["map_scenario=COLUMN", "map_dialogue=-"])))


def create_missing() -> Remedy:
    option = Remedy(
        gettext("tick “Create what is missing”"), _use("--create-missing"), _send("create_missing=true"), is_folded=True
    )
    return Remedy.saying(gettext("import it first, or %(option)s"), option=option)


def as_chat_log() -> Remedy:
    page = gettext("tick “The file is a chat log: rate its responses”")
    return Remedy(page, _use("--transcript"), _send("transcript=true"))


def with_dialogue() -> Remedy:
    page = gettext("tick “%(option)s”") % {"option": gettext("Rate the whole dialogue too, at the end")}
    return Remedy(page, _use("--with-dialogue"), _send("with_dialogue=true"))


def without_turns() -> Remedy:
    page = gettext("enter “none” as “%(field)s”") % {"field": gettext("Responses to rate")}
    return Remedy(page, _use("--rate none"), _send("rate=none"))


def if_chat_log(before: Remedy | None = None) -> Remedy:
    """Return what to do if the file is a chat log, after another remedy."""
    found = Remedy.saying(gettext("if it is a chat log, %(how)s"), how=as_chat_log())
    return before.then(Remedy.everywhere("; ")).then(found) if before else found
