"""Read dialogues from objects, each with its turns in `history`, `messages`, `utterances` or a similar field."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import LONGEST_BATCH_KEY, LONGEST_SOURCE_KEY, Record, clean_text, first_key, kind_of
from annotation.importing.outcome import BadField, ErrorLog, Remedy
from annotation.importing.pairs import refuse_bad_pairs
from annotation.importing.remedies import if_chat_log, whole_dialogue_in_object
from annotation.numbering import asker_of, told_asker

DIALOGUE_KEYS = ("dialogue_id", "id", "dialog_id", "example_id", "key", "dialogue")
# In a table, `dialogue` names one; in objects, it comes last, because it may be a text.
DIALOGUE_COLUMNS = ("dialogue_id", "dialogue", *DIALOGUE_KEYS[1:-1])
BATCH_KEYS = ("batch", "batch_key")
CONVERSATION_KEYS = ("conversation", "conversation_id")
SCENARIO_KEYS = ("scenario", "scenario_id")
DIALOGUE_SOURCE_KEYS = ("source", "model")  # `system` is the name of a prompt there
OWN_DATA_SET = frozenset({"dialogue", "label", "decided_by", "votes", "metadata", "utterances"})
CANDIDATE_KEYS = ("candidate_id", "id", "key")
SOURCE_KEYS = ("source", "model", "system")
SPEAKER_KEYS = ("speaker",)
MOST_PANELS, LONGEST_TITLE = 20, 200
# Other names that people give to the list of turns, and to the parts of a turn.
OTHER_TURNS = ("turns", "dialog", "dialogue", "conversation", "conversations", "context")
TURN_NAMES = ("history", "messages", "utterances", *OTHER_TURNS)
TURN_SPEAKERS = ("speaker", "role", "from", "name", "author", "sender")
TURN_TEXTS = ("text", "content", "value", "utterance", "message")
TWO_SPEAKERS = ("A", "B")  # of turns that are texts without a speaker
JSONL_TURNS = "jsonl-turns"
MESSAGES = "messages"
CANDIDATE_TEXTS = ("text", "content", "response", "machine_completion")


@dataclass(frozen=True, slots=True)
class DialogueOptions:
    """How to read a file of dialogues. `reference` is the source that is the ground truth.

    `source` is the author of candidates, and of dialogues without candidates, that name none. `asker` is the speaker
    who asks in dialogues that do not say it. `columns` is {our field: the table's column}. With `transcript`, the file
    is a chat log: `roles` says whose messages become responses to rate (the assistant's if empty), `rate` which of them
    (all, last, every:K, from:N, none), `with_dialogue` adds the whole dialogue, and `show_system` shows the system
    prompt, which is otherwise kept as metadata. `sheet` names one of the sheets of a workbook. With `replace_unused`, a
    dialogue that the study has with other contents is replaced if nothing uses it yet.
    """

    reference: str = ""
    source: str = ""
    asker: str = ""
    unescape_newlines: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    transcript: bool = False
    roles: Sequence[str] = ()
    rate: str = "all"
    with_dialogue: bool = False
    show_system: bool = False
    sheet: str = ""
    replace_unused: bool = False


@dataclass(slots=True)
class ParsedCandidate:
    """A candidate in a file. `speaker` is the file's name; empty means the side whose turn it is."""

    key: str
    source: str
    text: str
    metadata: Record = field(default_factory=dict)
    speaker: str = ""
    context: list[Record] = field(default_factory=list)


@dataclass(slots=True)
class ParsedDialogue:
    line: int
    key: str
    turns: list[Record]
    candidates: list[ParsedCandidate]
    metadata: Record
    batch_key: str
    asker: str = ""
    conversation: str = ""  # empty: its own
    context: list[Record] = field(default_factory=list)
    source: str = ""  # only without candidates
    scenario: str = ""
    n_alike: int = 0  # rows of a table without an id that have the prompt of another row


@dataclass(frozen=True, slots=True)
class Shape:
    turns: str
    speaker: str
    text: str
    needs_candidates: bool


ONLY_SOURCE = "model"  # the source in tables that name none
JSONL_MESSAGES = "jsonl-messages"
SHAPES = {
    "jsonl-history": Shape("history", "speaker", "text", needs_candidates=True),
    JSONL_MESSAGES: Shape(MESSAGES, "role", "content", needs_candidates=False),
    "jsonl-utterances": Shape("utterances", "speaker", "text", needs_candidates=False),
}


def shape_of(record: Record) -> tuple[str, Shape] | None:
    """Return the format and the shape of a record with turns, otherwise None."""
    for name, shape in SHAPES.items():
        if shape.turns in record:
            return name, _fitted(shape, record)
    for turns in OTHER_TURNS:
        listed = record.get(turns)
        if type(listed) is list and listed and (type(listed[0]) is str or names_of_turn(listed[0])):
            return JSONL_TURNS, _fitted(Shape(turns, "speaker", "text", needs_candidates=False), record)
    return None


def names_of_turn(turn: object) -> tuple[str, str] | None:
    """Return the fields of speaker and text in a turn, if it has both."""
    if type(turn) is not dict:
        return None
    speaker = next((name for name in TURN_SPEAKERS if name in turn), None)
    text = next((name for name in TURN_TEXTS if name in turn), None)
    return (speaker, text) if speaker and text else None


def _fitted(shape: Shape, record: Record) -> Shape:
    """Return the shape with the names that the record's first turn has, where it lacks the usual ones."""
    turns = record.get(shape.turns)
    first = turns[0] if type(turns) is list and turns else None
    names = names_of_turn(first)
    if not names or type(first) is not dict or {shape.speaker, shape.text} <= first.keys():
        return shape
    return replace(shape, speaker=names[0], text=names[1])


def parse_records(
    records: Iterable[tuple[int, Record]], shape: Shape, options: DialogueOptions, log: ErrorLog
) -> Iterator[ParsedDialogue]:
    for number, record in records:
        with log.catching(number):
            yield parse_dialogue(record, number, shape, options)


def load_record(line: bytes) -> Record | None:
    """Return the object of a line, or None for a blank line. Raise BadField."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        if not line.strip():
            return None
        text = _("is not JSON (%(error)s, character %(place)s): each line must be one complete object")
        raise BadField("", text % {"error": error.msg, "place": error.pos + 1}) from None
    if type(record) is not dict:
        text = _("must be one object {...}, not %(kind)s")
        raise BadField("", text % {"kind": kind_of(record)})
    if _is_by_columns(record):
        raise BadField(
            "",
            _(
                "is a table written column by column, as pandas writes it unless told otherwise: write one object for "
                'each row, with to_json(path, orient="records")'
            ),
        )
    return record


def _is_by_columns(record: Record) -> bool:
    """Return whether every value is an object whose keys are numbers of rows."""
    columns = list(record.values())
    return bool(columns) and all(type(each) is dict and each and all(map(str.isdecimal, each)) for each in columns)


def parse_dialogue(record: Record, line: int, shape: Shape, options: DialogueOptions) -> ParsedDialogue:
    named = {name: value for name, value in record.items() if name != shape.turns}  # `conversation` may be the turns
    key_name, key = first_key(named, DIALOGUE_KEYS)
    batch_name, batch_key = first_key(named, BATCH_KEYS, longest=LONGEST_BATCH_KEY)
    conversation_name, conversation = first_key(named, CONVERSATION_KEYS)
    scenario_name, scenario = first_key(named, SCENARIO_KEYS)
    has_candidates = shape.needs_candidates or record.get("candidates") not in (None, [])
    source_name, source = ("", "")
    if not has_candidates:
        source_name, source = first_key(named, DIALOGUE_SOURCE_KEYS, longest=LONGEST_SOURCE_KEY)
        source = source or options.source
    turns, extras = turns_in(record, shape, options)
    context = context_in(named, "", options)
    used = {shape.turns, "candidates", "asker", key_name, batch_name, conversation_name, scenario_name, source_name}
    used.add("context" if context else "")
    metadata = {name: value for name, value in record.items() if name not in used}
    if record.keys() >= OWN_DATA_SET:  # the labels are ratings, which have an import of their own
        metadata = dict(record["metadata"]) if type(record["metadata"]) is dict else {}
    if any(extras):
        metadata["turn_fields"] = extras
    candidates = []
    if has_candidates:
        speakers = (*SPEAKER_KEYS, shape.speaker)
        is_whole = bool(scenario and first_key(named, DIALOGUE_SOURCE_KEYS, longest=LONGEST_SOURCE_KEY)[1])
        raws = enumerate(_list(record, "candidates", whole_dialogue_in_object() if is_whole else None))
        candidates = [_candidate(raw, f"candidates[{at}]", speakers, options) for at, raw in raws]
    name_candidates(candidates)
    # Whole dialogues are compared with others, which may come later: their names are checked when pairs are made.
    refuse_bad_pairs(metadata, None if source else [candidate.source for candidate in candidates])
    asker = asker_in(record, turns, options)
    return ParsedDialogue(
        line, key, turns, candidates, metadata, batch_key, asker, conversation, context, source, scenario
    )


def asker_in(record: Record, turns: list[Record], options: DialogueOptions) -> str:
    """Return who asks: as the dialogue says, otherwise as the options say, otherwise judged by the speakers' names."""
    told = record.get("asker") or options.asker
    if not told:
        return asker_of(turns)
    found = told_asker(turns, told) if type(told) is str else None
    if found is None:
        speakers = ", ".join(dict.fromkeys(turn["speaker"] for turn in turns))
        text = _("%(name)r does not speak in this dialogue: the speakers are %(speakers)s")
        raise BadField("asker", text % {"name": told, "speakers": speakers})
    return found


def _list(record: Record, name: str, remedy: Remedy | None = None) -> list[Any]:
    value = record.get(name)
    if value is None:
        raise BadField(name, _("is missing"), remedy)
    if type(value) is not list:
        raise BadField(name, _("must be a list, not %(kind)s") % {"kind": kind_of(value)})
    if not value:
        raise BadField(name, _("is an empty list"), remedy)
    return value


def turns_in(record: Record, shape: Shape, options: DialogueOptions) -> tuple[list[Record], list[Record]]:
    """Return turns of speaker and text only, and the other fields of each turn, which pages must not show."""
    turns, extras = [], []
    raws = _list(record, shape.turns)
    if all(type(raw) is str for raw in raws):
        raws = [{shape.speaker: TWO_SPEAKERS[at % 2], shape.text: raw} for at, raw in enumerate(raws)]
    for at, raw in enumerate(raws):
        if type(raw) is not dict:
            raise BadField(f"{shape.turns}[{at}]", _("must be an object, not %(kind)s") % {"kind": kind_of(raw)})
        speaker, text = raw.get(shape.speaker), raw.get(shape.text)
        if type(speaker) is not str or (speaker and not speaker.strip()) or "\x00" in speaker:
            raise BadField(f"{shape.turns}[{at}].{shape.speaker}", _("must name the speaker of the turn, or be empty"))
        place = f"{shape.turns}[{at}].{shape.text}"
        if shape.turns == MESSAGES and type(text) is not str:  # parts of a message, or a call of a tool
            raise BadField(place, _("must be text, not %(kind)s") % {"kind": kind_of(text)}, if_chat_log())
        if shape.text not in raw:
            raise BadField(place, _("is missing"))
        text = clean_text(text, place, is_unescaping=options.unescape_newlines)
        turns.append({"speaker": speaker, "text": text})
        is_plain = len(raw) == 2
        extras.append({} if is_plain else {k: v for k, v in raw.items() if k not in (shape.speaker, shape.text)})
    return turns, extras


def _candidate(raw: object, place: str, speakers: tuple[str, ...], options: DialogueOptions) -> ParsedCandidate:
    if type(raw) is not dict:
        raise BadField(place, _("must be an object, not %(kind)s") % {"kind": kind_of(raw)})
    key_name, key = first_key(raw, CANDIDATE_KEYS, f"{place}.")
    source_name, source = first_key(raw, SOURCE_KEYS, f"{place}.", LONGEST_SOURCE_KEY)
    speaker_name, speaker = first_key(raw, speakers, f"{place}.")
    text_name = next((name for name in CANDIDATE_TEXTS if name in raw), "text")
    if text_name not in raw:
        raise BadField(f"{place}.{text_name}", _("is missing"))
    text = clean_text(raw[text_name], f"{place}.{text_name}", is_unescaping=options.unescape_newlines)
    source = source or options.source
    if not source:
        raise BadField(f"{place}.source", _("is missing: name the model or person who wrote the candidate"))
    context = context_in(raw, f"{place}.", options)
    used = {key_name, source_name, speaker_name, text_name, "context" if context else ""}
    metadata = {name: value for name, value in raw.items() if name not in used}
    return ParsedCandidate(key, source, text, metadata, speaker, context)


def context_in(record: Record, prefix: str, options: DialogueOptions) -> list[Record]:
    """Return the context panels in the field `context`. A value of another form is metadata. Raise BadField."""
    panels = record.get("context")
    if type(panels) is not list or not panels or not all(type(each) is dict for each in panels):
        return []
    if len(panels) > MOST_PANELS:
        raise BadField(f"{prefix}context", _("has more than %(most)s context panels") % {"most": MOST_PANELS})
    found = []
    for at, panel in enumerate(panels):
        place = f"{prefix}context[{at}]"
        if others := sorted(panel.keys() - {"title", "text"}):
            text = _("is not a part of a context panel, which has a title and a text")
            raise BadField(f"{place}.{others[0]}", text)
        for name in ("title", "text"):
            if name not in panel:
                raise BadField(f"{place}.{name}", _("is missing"))
        title = clean_text(panel["title"], f"{place}.title").strip()
        if len(title) > LONGEST_TITLE:
            raise BadField(f"{place}.title", _("is longer than %(most)s characters") % {"most": LONGEST_TITLE})
        text = clean_text(panel["text"], f"{place}.text", is_unescaping=options.unescape_newlines)
        found.append({"title": title, "text": text})
    return found


def name_candidates(candidates: list[ParsedCandidate]) -> None:
    """Complete the candidates' keys: a missing key is the source's name, numbered from its second candidate on."""
    taken: set[str] = set()
    for at, candidate in enumerate(candidates):
        if candidate.key in taken:
            text = _("repeats the id %(key)r of an earlier candidate")
            raise BadField(f"candidates[{at}]", text % {"key": candidate.key})
        if candidate.key:
            taken.add(candidate.key)
    numbers: dict[str, Iterator[int]] = {}
    for candidate in candidates:
        if not candidate.key:
            candidate.key = free_key(candidate.source, taken, numbers.setdefault(candidate.source, count(1)))
            taken.add(candidate.key)


def free_key(name: str, taken: Container[str], numbers: Iterator[int]) -> str:
    """Return the first key that is not taken: the name itself for number 1, then name-2, name-3 and so on."""
    keys = (name if number == 1 else f"{name}-{number}" for number in numbers)
    return next(key for key in keys if key not in taken)
