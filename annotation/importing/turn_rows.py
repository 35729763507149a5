"""Read dialogues from a table whose rows are turns. Rows of one dialogue may be anywhere in the file."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from annotation.importing.fields import Record, clean_key, clean_text
from annotation.importing.layouts import Layout
from annotation.importing.outcome import BadField, ErrorLog, named_place
from annotation.importing.panel_columns import OF_DIALOGUE, other_value, read_panels, taken_panels
from annotation.importing.prediction_cells import as_number
from annotation.importing.shapes import DialogueOptions, ParsedDialogue, Shape, parse_dialogue
from annotation.importing.tables import Table
from annotation.importing.waiting import WaitingRows, shared_and_own

SHAPE = Shape("turns", "speaker", "text", needs_candidates=False)
OF_DIALOGUES = ("batch", "conversation", "scenario", "source")
SAME_IN_ALL = (*OF_DIALOGUES, OF_DIALOGUE)


@dataclass(slots=True)
class _Turns:
    """The rows of one dialogue: the line of each number, and their places in the temporary file."""

    line: int
    lines: dict[float, int] = field(default_factory=dict)
    places: list[int] = field(default_factory=list)


def read_turn_rows(table: Table, layout: Layout, options: DialogueOptions, log: ErrorLog) -> Iterator[ParsedDialogue]:
    found: dict[str, _Turns] = {}
    with WaitingRows() as waiting:
        for row in table:
            with log.catching(row.line):
                turn = _turn(row.values, table.columns, layout, options)
                turns = found.setdefault(turn["dialogue"], _Turns(row.line))
                number = turn["number"] if turn["number"] is not None else len(turns.places)
                if turns.lines.setdefault(number, row.line) != row.line:
                    text = _("%(number)g is also the number of %(place)s of the same dialogue")
                    raise BadField("turn", text % {"number": number, "place": named_place(turns.lines[number])})
                turns.places.append(waiting.put(turn | {"number": number}))
        for key, turns in found.items():
            with log.catching(turns.line):
                record = _record(key, waiting.at(turns.places), options)
                yield parse_dialogue(record, turns.line, SHAPE, options)


def _turn(values: list[str], names: list[str], layout: Layout, options: DialogueOptions) -> Record:
    def cell(name: str) -> str:
        return values[layout.places[name]] if name in layout.places else ""

    def name_of(field: str) -> str:
        return names[layout.places[field]] if field in layout.places else field

    key = clean_key(cell("dialogue"), name_of("dialogue"))
    if not key:
        raise BadField(name_of("dialogue"), _("is empty: name the dialogue that the turn belongs to"))
    used = {at for field, at in layout.places.items() if field not in OF_DIALOGUES} | layout.panels.read_here
    others = {name: other_value(name, values[at]) for at, name in enumerate(names) if at not in used}
    renamed = {names[layout.places[field]]: field for field in OF_DIALOGUES if field in layout.places}
    panels = read_panels(layout.panels.of_dialogue, values, options)
    return {
        "dialogue": key,
        "number": _number(cell("turn"), name_of("turn")) if "turn" in layout.places else None,
        "speaker": cell("speaker"),
        "text": clean_text(cell("text"), name_of("text"), is_unescaping=options.unescape_newlines),
        "others": {renamed.get(name, name): value for name, value in others.items()}
        | ({OF_DIALOGUE: panels} if layout.panels.of_dialogue else {}),
    }


def _number(cell: str, name: str) -> float:
    number = as_number(cell)
    if number is None:
        raise BadField(name, _("%(cell)r is not the number of a turn") % {"cell": cell[:80]})
    return number


def _record(key: str, rows: list[Record], options: DialogueOptions) -> Record:
    """Return the dialogue as an object. What is the same in all rows belongs to it, the rest to each turn."""
    rows.sort(key=lambda row: row["number"])
    shared, own = shared_and_own([row["others"] for row in rows])
    for name in SAME_IN_ALL:
        if name in own[0] and (name != OF_DIALOGUE or any(type(each[name]) is list for each in own)):
            raise BadField(name, _("is not the same in all rows of the dialogue %(key)r") % {"key": key})
    panels = taken_panels(shared, options)
    shared = {name: value for name, value in shared.items() if value != []}  # no panel at all
    turns = [{"speaker": row["speaker"], "text": row["text"], **others} for row, others in zip(rows, own, strict=True)]
    return {**shared, **({OF_DIALOGUE: panels} if panels else {}), "dialogue_id": key, "turns": turns}
