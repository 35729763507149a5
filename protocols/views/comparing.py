"""The differences of two bundles as a reader looks for them: by question, and in it by option and example."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from protocols.bundles import Bundle, write_yaml
from protocols.diffing import NAMES, Change, Piece, compare_bundles

WORDS = {
    "guidelines_short": "Short guidelines",
    "short": "Short label",
    "when": "Asked only if",
    "asks": "What it asks for next",
    "words_min": "Least words",
    "words_max": "Most words",
    "reading_seconds": "Reading floor in seconds",
    "expected_minutes": "Expected minutes",
    "max_minutes": "Most minutes",
    "history": "Dialogue",
}
PART_NAMES = {"": "The question itself", "options": "Option", "examples": "Example"}
CONTEXT = 200  # characters beside a change
AFTER_TITLE = re.compile(r"(#\d+)?\.?(.*)", re.DOTALL)
Place = tuple[str, str, str, str]  # criterion, kind of part, part, field; each may be empty


@dataclass(frozen=True, slots=True)
class Difference:
    label: str
    kind: str
    is_semantic: bool
    before: list[Piece]
    after: list[Piece]


@dataclass(slots=True)
class Part:
    title: str
    differences: list[Difference] = field(default_factory=list)

    @property
    def groups(self) -> list[tuple[bool, list[Difference]]]:
        """What changes the measure first."""
        found = [
            (weight, [each for each in self.differences if each.is_semantic is weight]) for weight in (True, False)
        ]
        return [(weight, group) for weight, group in found if group]


@dataclass(slots=True)
class Section:
    title: str
    key: str
    labels: dict[str, str]  # of its options, by key
    parts: dict[tuple[str, str], Part] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Comparison:
    n_semantic: int
    n_wording: int
    sections: list[Section]
    unchanged: list[Bundle]  # criteria

    @property
    def sentence(self) -> str:
        if not self.n_semantic + self.n_wording:
            return "Nothing differs but the names."
        many = "1 change changes" if self.n_semantic == 1 else f"{self.n_semantic} changes change"
        return (
            f"{many} what is measured, {self.n_wording} {'changes' if self.n_wording == 1 else 'change'} wording only"
        )


def compared(before: Bundle, after: Bundle) -> Comparison:
    changes = compare_bundles(before, after)
    n_semantic = sum(change.is_semantic for change in changes)
    places = [(place_of(change.path), change) for change in changes]
    changed = {place[0] for place, _ in places}
    old, new = _by_key(before["criteria"]), _by_key(after["criteria"])
    sections = {key: _section(key, old.get(key), new.get(key)) for key in ["", *(old | new)] if key in changed}
    order = ["", *new, *(key for key in old if key not in new)]
    for place, change in places:
        _add(sections[place[0]], place, change)
    for section in sections.values():
        section.unchanged = _unchanged(section, old, new, before, after)
    same = [new[key] for key in new if key in old and key not in changed]
    return Comparison(n_semantic, len(changes) - n_semantic, [sections[key] for key in order if key in sections], same)


def place_of(path: str) -> Place:
    head, _, rest = path.partition(".")
    if head == "translations":
        language, _, name = rest.partition(".")
        return "", head, language, name
    if head != "criteria":
        return "", "", "", path
    key, _, name = rest.partition(".")
    kind, _, tail = name.partition(".")
    if kind == "options" and tail:
        option, _, name = tail.partition(".")
        return key, kind, option, name
    if kind == "examples" and tail:
        return key, kind, *_title_and_field(tail)
    return key, "", "", name


def _title_and_field(tail: str) -> tuple[str, str]:
    """A title is in quotes, as it may hold dots; the second of a title has a number."""
    title, end = json.JSONDecoder().raw_decode(tail)
    found = AFTER_TITLE.match(tail, end)
    number, name = found.groups() if found else ("", "")
    return f"{title} {number or ''}".strip(), name


# --- sections and parts ------------------------------------------------------------------------------
def _section(key: str, old: Bundle | None, new: Bundle | None) -> Section:
    options = [*(old or {}).get("options", []), *(new or {}).get("options", [])]
    labels = {option["key"]: f"{option['label']} ({option['key']})" for option in options}
    criterion = new or old
    return Section(criterion["name"] if criterion else "The protocol as a whole", key, labels)


def _add(section: Section, place: Place, change: Change) -> None:
    _, kind, name, path = place
    part = section.parts.setdefault((kind, name), Part(_part_title(section, kind, name)))
    part.differences.append(_difference(path, change))


def _part_title(section: Section, kind: str, name: str) -> str:
    if kind == "translations":
        return f"Translation: {name}" if name else "Translations"
    if not section.key:
        return "Settings and texts"
    shown = section.labels[name] if kind == "options" else name
    return f"{PART_NAMES[kind]}: {shown}" if shown else PART_NAMES[kind]


def _unchanged(
    section: Section, old: dict[str, Bundle], new: dict[str, Bundle], before: Bundle, after: Bundle
) -> list[str]:
    """The parts that both have alike, by name."""
    if not section.key:
        names = [name for name in after if name not in NAMES | {"criteria"} and before.get(name) == after[name]]
        return [_label(name) for name in names]
    if section.key not in old or section.key not in new:
        return []
    first, second = old[section.key], new[section.key]
    same = [("options", each["key"]) for each in second["options"] if each in first["options"]]
    same += [("examples", each["title"]) for each in second["examples"] if each in first["examples"]]
    found = [_part_title(section, kind, name) for kind, name in same]
    moved = {part.title for part in section.parts.values()}
    return [name for name in found if name not in moved]


def _by_key(criteria: Iterable[Bundle]) -> dict[str, Bundle]:
    return {each["key"]: each for each in criteria}


# --- one difference ----------------------------------------------------------------------------------
def _difference(path: str, change: Change) -> Difference:
    old, new = _sides(change)
    return Difference(_label(path), change.kind, change.is_semantic, old, new)


def _sides(change: Change) -> tuple[list[Piece], list[Piece]]:
    if change.kind == "moved":
        return [Piece("same", f"place {change.before}")], [Piece("same", f"place {change.after}")]
    if pieces := [_shortened(piece) for piece in change.pieces]:
        return [each for each in pieces if each.kind != "added"], [each for each in pieces if each.kind != "removed"]
    old = [] if change.kind == "added" else [Piece("removed", readable(change.before))]
    new = [] if change.kind == "removed" else [Piece("added", readable(change.after))]
    return [each for each in old if each.text], [each for each in new if each.text]


def _shortened(piece: Piece) -> Piece:
    """Guidelines have pages, in which one changed word would not be found."""
    text = piece.text
    if piece.kind != "same" or len(text) <= 3 * CONTEXT:
        return piece
    return Piece("same", f"{text[:CONTEXT]} […] {text[-CONTEXT:]}")


def _label(path: str) -> str:
    """guidelines_short: Short guidelines; explanations.dull.text: Explanations › dull › text."""
    words = [WORDS.get(part, part.replace("_", " ")) for part in path.split(".")]
    text = " › ".join(words) if path else "The whole of it"
    return text[:1].upper() + text[1:]


def readable(value: Any) -> str:
    """A value for people: parts as YAML, without what is empty."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict | list):
        return write_yaml(_filled(value)).strip() if value else ""
    return "" if value is None else str(value)


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each) for key, each in value.items() if each not in ("", [], {}, None)}
    return [_filled(each) for each in value] if isinstance(value, list) else value
