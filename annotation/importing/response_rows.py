"""Read dialogues from a table whose rows are responses: each row has one, or one in each column of a source.

Rows of one dialogue may be anywhere in the file, so they wait in a temporary file, not in memory.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import orjson
from django.utils.translation import gettext as _

from annotation.importing.cell_turns import cell_turns, list_in
from annotation.importing.fields import (
    LONGEST_BATCH_KEY,
    LONGEST_KEY,
    LONGEST_SOURCE_KEY,
    Record,
    clean_key,
    clean_text,
)
from annotation.importing.layouts import CSV_PROMPTS, Layout
from annotation.importing.outcome import BadField, ErrorLog, at_place
from annotation.importing.panel_columns import (
    OF_DIALOGUE,
    OF_RESPONSE,
    other_value,
    read_panels,
    taken_above,
    taken_panels,
)
from annotation.importing.remedies import choose_columns
from annotation.importing.shapes import (
    ONLY_SOURCE,
    OWN_DATA_SET,
    DialogueOptions,
    ParsedCandidate,
    ParsedDialogue,
    asker_in,
    context_in,
    name_candidates,
)
from annotation.importing.spool import derived_key
from annotation.importing.tables import Table
from annotation.importing.waiting import WaitingRows, shared_and_own
from annotation.speakers import next_speaker


@dataclass(slots=True)
class Group:
    """The rows of one dialogue: their places in the temporary file, and what must be the same in all of them."""

    line: int
    digest: str
    batch_key: str
    conversation: str
    scenario: str
    context: list[Record]
    places: list[int] = field(default_factory=list)
    candidates: dict[str, int] = field(default_factory=dict)
    n_alike: int = 0


def read_responses(table: Table, layout: Layout, options: DialogueOptions, log: ErrorLog) -> Iterator[ParsedDialogue]:
    groups: dict[str, Group] = {}
    reader = RowReader(table.columns, layout, options)
    with WaitingRows() as waiting:
        for row in table:
            with log.catching(row.line):
                for found in reader.read(row.values):
                    _keep(found, row.line, groups, waiting)
        for key, group in groups.items():
            with log.catching(group.line):
                yield _dialogue(key, group, waiting.at(group.places), options)


class RowReader:
    """Read the cells of one table by its layout."""

    def __init__(self, names: list[str], layout: Layout, options: DialogueOptions) -> None:
        self._names, self._places, self._responses = names, layout.places, layout.responses
        self._panels = layout.panels
        self._is_prompt = layout.format == CSV_PROMPTS
        self._options = options
        used = {*layout.places.values(), *layout.responses.values(), *layout.panels.read_here}
        self._prompts: Counter[str] = Counter()  # of rows without an id that have a response of each source
        self._others = [(name, at) for at, name in enumerate(names) if at not in used]
        self._is_data_set = set(names) >= OWN_DATA_SET
        self._own = dict(self._others) if self._is_data_set else {}

    def read(self, values: list[str]) -> Iterator[Record]:
        """Yield a record for each response of the row; one without a response if the table has none. Raise BadField."""
        turns, extras = self._turns(values)
        own_key, n_alike = self._own_key(turns, self._key(values, "dialogue"))
        row = {
            "turns": turns,
            "turn_fields": extras if any(extras) else [],
            "prompt": self._name("history" if "history" in self._places else "prompt"),
            "dialogue": own_key,
            "n_alike": n_alike,
            "batch": self._key(values, "batch", LONGEST_BATCH_KEY),
            "conversation": self._key(values, "conversation"),
            "scenario": self._key(values, "scenario"),
            "key": self._key(values, "item"),
            "speaker": self._key(values, "speaker"),
            "others": self._metadata(values),
            "context": [
                *read_panels(self._panels.of_dialogue, values, self._options),
                *self._own_panels(OF_DIALOGUE, values),
            ],
            "above": [],
        }
        if self._responses:
            given = [(source, at) for source, at in self._responses.items() if values[at].strip()]
            if not given:
                names = ", ".join(self._names[at] for at in self._responses.values())
                raise BadField("response", _("the row has no response in %(columns)s") % {"columns": names})
            for source, at in given:
                yield row | {
                    "key": "",
                    "source": clean_key(source, "source", LONGEST_SOURCE_KEY),
                    "text": self._text(values, at),
                    "above": read_panels(self._panels.above(source), values, self._options),
                }
        elif "response" not in self._places:
            source = self._key(values, "source", LONGEST_SOURCE_KEY) or self._options.source
            yield row | {"source": source, "text": ""}  # a whole dialogue
        else:
            yield row | {
                "source": self._source(values),
                "text": self._text(values, self._places["response"]),
                "above": [
                    *read_panels(self._panels.of_response, values, self._options),
                    *self._own_panels("above", values),
                ],
            }

    def _metadata(self, values: list[str]) -> Record:
        """Return the other columns; of our own data set, whose labels have an import of their own, its metadata."""
        others = {name: other_value(name, values[at]) for name, at in self._others}
        if not self._is_data_set:
            return others
        try:
            known = orjson.loads(others.get("metadata") or "{}")
        except orjson.JSONDecodeError:
            known = None
        return known if type(known) is dict else {}

    def _own_panels(self, name: str, values: list[str]) -> list[Record]:
        """Return the panels in a column of our own data set."""
        if name not in self._own:
            return []
        return context_in({OF_DIALOGUE: list_in(values[self._own[name]], name)}, "", self._options)

    def _own_key(self, turns: list[Record], named: str) -> tuple[str, int]:
        """Return the key of the dialogue, and 1 if an earlier row without an id has the same prompt.

        A row with a response of each source is complete: another one with its prompt is another dialogue.
        """
        if named or not self._responses:
            return named, 0
        digest = derived_key(turns)
        self._prompts[digest] += 1
        number = self._prompts[digest]
        return (digest, 0) if number == 1 else (f"{digest}-{number}", 1)

    def _name(self, field: str) -> str:
        return self._names[self._places[field]]

    def _key(self, values: list[str], field: str, longest: int = LONGEST_KEY) -> str:
        return clean_key(values[self._places[field]], self._name(field), longest) if field in self._places else ""

    def _text(self, values: list[str], at: int) -> str:
        return clean_text(values[at], self._names[at], is_unescaping=self._options.unescape_newlines)

    def _source(self, values: list[str]) -> str:
        source = self._key(values, "source", LONGEST_SOURCE_KEY) or self._options.source
        if not source and "source" in self._places:
            raise BadField(self._name("source"), _("is empty: name the model or person who wrote it"))
        return source or ONLY_SOURCE

    def _turns(self, values: list[str]) -> tuple[list[Record], list[Record]]:
        """Return the turns before the response: those of the history, and the prompt as the last."""
        turns: list[Record] = []
        extras: list[Record] = []
        if "history" in self._places and ("prompt" not in self._places or values[self._places["history"]].strip()):
            turns, extras = cell_turns(values[self._places["history"]], self._name("history"), self._options)
        if "prompt" in self._places:
            # One turn without a speaker, if it is alone: it may hold the lines of several speakers.
            speaker = next_speaker(turns) if turns else ""
            cell = values[self._places["prompt"]]
            if not self._is_prompt and not turns and cell.lstrip().startswith("["):
                return cell_turns(cell, self._name("prompt"), self._options)
            turns.append({"speaker": speaker, "text": self._text(values, self._places["prompt"])})
            extras.append({})
        return turns, extras


def _keep(row: Record, line: int, groups: dict[str, Group], waiting: WaitingRows) -> None:
    digest = derived_key(row["turns"])
    key = row["dialogue"] or digest
    group = groups.setdefault(
        key, Group(line, digest, row["batch"], row["conversation"], row["scenario"], row["context"])
    )
    if group.digest != digest:
        text = _("differs from the text %(place)s of the same dialogue %(dialogue)r")
        raise BadField(row["prompt"], text % {"place": at_place(group.line), "dialogue": key})
    shared = (("batch", group.batch_key), ("conversation", group.conversation), ("scenario", group.scenario))
    for name, own in shared:
        if own != row[name]:
            text = _("is %(batch)r, but %(other)r %(place)s of the same dialogue")
            raise BadField(name, text % {"batch": row[name], "place": at_place(group.line), "other": own})
    if group.context != row["context"]:
        text = _("is not the same as %(place)s of the same dialogue")
        raise BadField(OF_DIALOGUE, text % {"place": at_place(group.line)}, choose_columns(OF_RESPONSE))
    if not row["text"] and group.places:
        text = _("is also %(place)s: each whole dialogue has one row")
        raise BadField("dialogue", text % {"place": at_place(group.line)})
    if row["key"] and group.candidates.setdefault(row["key"], line) != line:
        names = {"key": row["key"], "place": at_place(group.candidates[row["key"]])}
        raise BadField("candidate_id", _("%(key)r is also %(place)s") % names)
    group.n_alike = max(group.n_alike, row["n_alike"])
    group.places.append(waiting.put(row))


def _dialogue(key: str, group: Group, rows: list[Record], options: DialogueOptions) -> ParsedDialogue:
    # Columns that are the same in all rows belong to the dialogue, the others to the candidates.
    metadata, own = shared_and_own([row["others"] for row in rows])
    context = rows[0]["context"] + taken_panels(metadata, options)
    candidates = [
        ParsedCandidate(
            row["key"], row["source"], row["text"], others, row["speaker"], row["above"] + taken_above(others, options)
        )
        for row, others in zip(rows, own, strict=True)
        if row["text"]
    ]
    n_alike = group.n_alike
    if not rows[0]["dialogue"]:  # rows without an id belong together by their prompt, whatever it was meant to be
        n_alike = len(candidates) - len({each.source for each in candidates})
    name_candidates(candidates)
    turns = rows[0]["turns"]
    if rows[0]["turn_fields"]:
        metadata["turn_fields"] = rows[0]["turn_fields"]
    asker = asker_in({}, turns, options) if any(turn["speaker"] for turn in turns) else ""
    return ParsedDialogue(
        group.line,
        key,
        turns,
        candidates,
        metadata,
        group.batch_key,
        asker,
        group.conversation,
        context,
        source="" if candidates else rows[0]["source"],
        scenario=group.scenario,
        n_alike=n_alike,
    )
