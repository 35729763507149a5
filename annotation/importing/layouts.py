"""Find out how a table holds dialogues: a row for each response, for each turn, or with a column for each source."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _

from annotation.importing.columns import NONE, SEVERAL, named, none_left, place_of, plain, told_places
from annotation.importing.outcome import BadField, Remedy
from annotation.importing.panel_columns import PANEL_FIELDS, Panels, panels_of
from annotation.importing.remedies import choose_columns, choose_one_of, or_whole_dialogues
from annotation.importing.shapes import (
    BATCH_KEYS,
    CONVERSATION_KEYS,
    DIALOGUE_COLUMNS,
    SCENARIO_KEYS,
    SOURCE_KEYS,
)

CSV_PROMPTS, RESPONSES, WIDE, TURNS = "csv-prompts", "table-responses", "table-wide", "table-turns"
TABLE_FORMATS = (CSV_PROMPTS, RESPONSES, WIDE, TURNS)
# Parley's fields, and the names that columns usually have, the surest first.
ALIASES: dict[str, tuple[str, ...]] = {
    "dialogue": DIALOGUE_COLUMNS,
    "conversation": (*CONVERSATION_KEYS, "conv_id"),
    "batch": BATCH_KEYS,
    "history": (
        "history", "dialogue_history", "dialog_history", "conversation_history", "messages", "utterances", "turns",
        "context",
    ),
    "prompt": ("prompt", "question", "query", "instruction"),
    "response": (
        "machine_completion", "response", "completion", "model_response", "model_output", "generated_response",
        "generation", "output", "reply",
    ),
    "item": ("candidate_id", "candidate", "item", "item_id", "response_id"),
    "source": SOURCE_KEYS,
    "scenario": SCENARIO_KEYS,
    "turn": ("turn", "turn_id", "turn_number", "turn_index", "turn_idx"),
    "speaker": ("speaker", "role", "author"),
    "text": ("text", "utterance", "content", "message"),
    **dict.fromkeys(PANEL_FIELDS, ()),  # what annotators get to read is not guessed
}  # fmt: skip
FIELDS = tuple(ALIASES)
# Files of this format were imported before there was any other, and must be read as they were then.
PROMPT_ALIASES = {
    "dialogue": ("dialogue_id", "dialogue", "id"),
    "item": ("candidate_id", "candidate"),
    "prompt": ("prompt",),
    "response": ("machine_completion",),
    "speaker": ("speaker",),
    **{name: ALIASES[name] for name in ("source", "batch", "conversation", "scenario")},
}
NAMED = ":"  # in a map, between a column of responses and the source that wrote them
WORD = "response|completion|output|reply|generation"
OF_A_SOURCE = re.compile(rf"(?:{WORD})[ _.:-]+(?P<after>.+)|(?P<before>.+?)[ _.:-]+(?:{WORD})", re.IGNORECASE)
# What follows "response_" in the name of a column that is not the text of one.
NO_SOURCES = frozenset({
    "id", "time", "date", "length", "tokens", "score", "source", "model", "type", "speaker", "context", "fact",
    "facts", "",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """The way to read a table: `places` are columns by field; `responses` are columns by the source that wrote them."""

    format: str
    places: dict[str, int]
    responses: dict[str, int] = field(default_factory=dict)
    panels: Panels = field(default_factory=Panels)

    def as_mapping(self, columns: list[str]) -> dict[str, str]:
        mapping = {name: columns[at] for name, at in self.places.items()}
        if self.responses:
            mapping["response"] = SEVERAL.join(columns[at] for at in self.responses.values())
        return mapping | self.panels.as_mapping(columns)


def layout_of(columns: list[str], wanted: Mapping[str, str], format: str = "") -> Layout:
    """Return how the table is read: as wanted, otherwise by usual names of columns. Raise BadField, with the remedy."""
    found = _layout(columns, wanted, format)
    taken = {*found.places.values(), *found.responses.values()}
    return replace(found, panels=found.panels.with_called(columns, taken))


def _layout(columns: list[str], wanted: Mapping[str, str], format: str) -> Layout:
    responses = _responses(columns, wanted.get("response", ""))
    panels = panels_of(columns, wanted, responses)
    wanted = {name: column for name, column in wanted.items() if name not in PANEL_FIELDS}
    lowered = [column.casefold() for column in columns]
    if format == CSV_PROMPTS or (not format and _is_of_prompts(lowered, wanted)):
        places = usual_places(columns, wanted, PROMPT_ALIASES, panels.places)
        return Layout(CSV_PROMPTS, _needed(places, ("prompt", "response"), columns), panels=panels)
    told = {name: column for name, column in wanted.items() if name != "response" or not responses}
    places = usual_places(columns, told, ALIASES, {*responses.values(), *panels.places})
    if format == TURNS or (not format and _has_rows_of_turns(places, responses)):
        return replace(_of_turns(places, wanted, columns), panels=panels.without_responses())
    places = {name: at for name, at in places.items() if name not in ("turn", "text")}
    if not {"history", "prompt"} & places.keys():
        unused = _unused([*places.values(), *responses.values(), *panels.places], columns)
        raise BadField("history", _no_history(unused), _choose_history())
    if responses:
        places.pop("source", None)
        return Layout(WIDE, places, responses, panels)
    if wanted.get("response") == NONE:  # whole dialogues: what is said about a response is metadata
        places = {name: at for name, at in places.items() if name not in ("item", "speaker")}
        return Layout(RESPONSES, places, panels=panels.without_responses())
    return Layout(RESPONSES, _needed(places, ("response",), columns), panels=panels)


def _no_history(unused: list[str]) -> str:
    if not unused:
        return _("no column with the dialogue so far, or with its last turn")
    text = _("no column with the dialogue so far, or with its last turn; columns not used yet: %(columns)s")
    return text % {"columns": named(unused)}


def _choose_history() -> Remedy:
    one, rows = choose_one_of("history", "prompt"), choose_columns("dialogue", "speaker", "text")
    return Remedy.saying(_("%(how)s; if each row is a turn, %(rows)s"), how=one, rows=rows)


def usual_places(
    columns: list[str], wanted: Mapping[str, str], aliases: dict[str, tuple[str, ...]], taken: Iterable[int] = ()
) -> dict[str, int]:
    """Return columns by field: as wanted, otherwise the one with the surest of the usual names."""
    called = [plain(column) for column in columns]
    places = told_places(columns, wanted, aliases)
    for field_name, names in aliases.items():
        found = [called.index(name) for name in map(plain, names) if name in called]
        free = [at for at in found if at not in {*places.values(), *taken}]
        if free and field_name not in wanted:
            places[field_name] = free[0]
    return places


def _is_of_prompts(lowered: list[str], wanted: Mapping[str, str]) -> bool:
    """Return whether the table is a crowd task, and nothing wanted is unlike one."""
    own = {"prompt": "prompt", "response": "machine_completion"}
    is_wanted = wanted.keys() <= PROMPT_ALIASES.keys() and all(
        wanted.get(name, column).casefold() == column for name, column in own.items()
    )
    return is_wanted and {*own.values()} <= {*lowered}


def _needed(places: dict[str, int], names: tuple[str, ...], columns: list[str]) -> dict[str, int]:
    """Return the places if the table has all of these. Raise BadField otherwise."""
    for name in names:
        if name not in places:
            reason = none_left(ALIASES[name], _unused(places.values(), columns))
            is_whole = name == "response" and {"source", "scenario"} <= places.keys()
            remedy = choose_columns(name)
            raise BadField(name, reason, or_whole_dialogues(remedy) if is_whole else remedy)
    return places


def _unused(places: Iterable[int], columns: list[str]) -> list[str]:
    used = set(places)
    return [name for at, name in enumerate(columns) if at not in used]


def _has_rows_of_turns(places: dict[str, int], responses: dict[str, int]) -> bool:
    names = places.keys()
    is_of_turns = "text" in names and {"dialogue", "conversation"} & names and {"speaker", "turn"} & names
    return bool(is_of_turns) and not responses and "response" not in names


def _of_turns(places: dict[str, int], wanted: Mapping[str, str], columns: list[str]) -> Layout:
    """In rows of turns, what is called a conversation is the dialogue, and a column `id` numbers rows."""
    for name in ("history", "prompt", "response", "item"):
        places.pop(name, None)
    at = places.get("dialogue")
    if "conversation" in places and "dialogue" not in wanted and (at is None or columns[at].casefold() == "id"):
        places["dialogue"] = places.pop("conversation")
    return Layout(TURNS, _needed(places, ("dialogue", "text"), columns))


def _responses(columns: list[str], said: str) -> dict[str, int]:
    """Return the columns of responses by their source: those named, otherwise two or more such as `response_gpt`."""
    lowered = [column.casefold() for column in columns]
    names: dict[int, str] = {}
    if (SEVERAL in said or NAMED in said) and said.casefold() not in lowered:
        names = dict(_named_column(part.strip(), columns) for part in said.split(SEVERAL) if part.strip())
        found = list(names)
    elif said or {plain(name) for name in ALIASES["response"]} & {plain(column) for column in columns}:
        return {}
    else:
        found = [at for at, column in enumerate(columns) if _source_in(column).casefold() not in NO_SOURCES]
    sources = [names.get(at) or _source_in(columns[at]) or columns[at] for at in found]
    twice = [source for source in sources if sources.count(source) > 1]
    if twice:
        raise BadField("response", _("two columns are of the source %(name)r: rename one") % {"name": twice[0]})
    return dict(zip(sources, found, strict=True)) if said or len(found) > 1 else {}


def _named_column(part: str, columns: list[str]) -> tuple[int, str]:
    """Return the place of a column, and the source that its mapping names, as in `Answer 1:gpt-4`."""
    column, colon, source = part.rpartition(NAMED)
    if not colon or part.casefold() in (name.casefold() for name in columns):
        return place_of(part, columns), ""
    return place_of(column.strip(), columns), source.strip()


def _source_in(column: str) -> str:
    """Return the source in the name of a column of responses, otherwise an empty text."""
    found = OF_A_SOURCE.fullmatch(column)
    return (found["after"] or found["before"]).strip() if found else ""
