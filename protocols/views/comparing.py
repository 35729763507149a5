"""Arrange the differences of two bundles for a reader: by question, then by option and example."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext_lazy

from protocols.bundles import Bundle, write_yaml
from protocols.diffing import NAMES, Change, Piece, by_key, compare_bundles

# Names for the keys of the format. A key that an author chose is shown as it is.
WORDS = {
    "guidelines_short": gettext_noop("Short guidelines"),
    "short": gettext_noop("Short label"),
    "when": gettext_noop("Asked only if"),
    "asks": gettext_noop("Then asks for"),
    "alone": gettext_noop("Cannot be combined"),
    "words_min": gettext_noop("Minimum words"),
    "words_max": gettext_noop("Maximum words"),
    "reading_seconds": gettext_noop("Minimum reading time in seconds"),
    "expected_minutes": gettext_noop("Expected minutes"),
    "max_minutes": gettext_noop("Maximum minutes"),
    "batch_items": gettext_noop("Batch size for these times, in items"),
    "history": gettext_noop("Dialogue"),
    "flagged": gettext_noop("flagged items"),
    "sub_dimension": gettext_noop("sub-dimension"),
}
# Keys that are words themselves.
PLAIN = {
    gettext_noop("dimensions"), gettext_noop("candidates"), gettext_noop("changes"), gettext_noop("citation"),
    gettext_noop("conditions"), gettext_noop("context title"), gettext_noop("criteria"), gettext_noop("criterion"),
    gettext_noop("definition"), gettext_noop("examples"), gettext_noop("explanations"), gettext_noop("feedback box"),
    gettext_noop("granularity"), gettext_noop("guide"), gettext_noop("guidelines"), gettext_noop("interaction"),
    gettext_noop("facts"), gettext_noop("item title"), gettext_noop("key"), gettext_noop("kind"), gettext_noop("label"),
    gettext_noop("language"), gettext_noop("mode"), gettext_noop("name"), gettext_noop("notices"),
    gettext_noop("option"), gettext_noop("options"), gettext_noop("order"), gettext_noop("question"),
    gettext_noop("rated turn"), gettext_noop("required"), gettext_noop("response"), gettext_noop("role"),
    gettext_noop("rules"), gettext_noop("scale"), gettext_noop("scale above"), gettext_noop("speaker"),
    gettext_noop("summary"), gettext_noop("text"), gettext_noop("title"), gettext_noop("translations"),
    gettext_noop("unit"), gettext_noop("value"), gettext_noop("welcome"), gettext_noop("why"),
}  # fmt: skip
KINDS = {
    "added": pgettext_lazy("a difference", "added"),
    "removed": pgettext_lazy("a difference", "removed"),
    "changed": pgettext_lazy("a difference", "changed"),
    "moved": pgettext_lazy("a difference", "moved"),
}
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

    @property
    def kind_word(self) -> str:
        return str(KINDS[self.kind])


@dataclass(slots=True)
class ComparedPart:
    title: str
    differences: list[Difference] = field(default_factory=list)

    @property
    def groups(self) -> list[tuple[bool, list[Difference]]]:
        """Return (is_semantic, differences) groups, with the changes of what is measured first."""
        found = [
            (weight, [each for each in self.differences if each.is_semantic is weight]) for weight in (True, False)
        ]
        return [(weight, group) for weight, group in found if group]


@dataclass(slots=True)
class Section:
    title: str
    key: str
    labels: dict[str, str]  # of the options, by key
    parts: dict[tuple[str, str], ComparedPart] = field(default_factory=dict)
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
            return _("Identical except for the key and the version.")
        if not self.n_semantic:
            said = ngettext(
                "What is measured stays the same: %(n)s wording change.",
                "What is measured stays the same: %(n)s wording changes.",
                self.n_wording,
            )
            return said % {"n": self.n_wording}
        # Translators: the first half of a sentence; "2 change wording only" is the second.
        measure = ngettext(
            "%(n)s change affects what is measured", "%(n)s changes affect what is measured", self.n_semantic
        ) % {"n": self.n_semantic}
        if not self.n_wording:
            return measure
        # Translators: the second half of a sentence, about changes.
        wording = ngettext("%(n)s affects wording only", "%(n)s affect wording only", self.n_wording) % {
            "n": self.n_wording
        }
        # Translators: "1 change affects what is measured" and "2 change wording only".
        return _("%(measure)s, %(wording)s") % {"measure": measure, "wording": wording}


def compared(before: Bundle, after: Bundle) -> Comparison:
    changes = compare_bundles(before, after)
    n_semantic = sum(change.is_semantic for change in changes)
    places = [(place_of(change.path), change) for change in changes]
    changed = {place[0] for place, _change in places}
    old, new = by_key(before["criteria"]), by_key(after["criteria"])
    sections = {key: _section(key, old.get(key), new.get(key)) for key in ["", *(old | new)] if key in changed}
    order = ["", *new, *(key for key in old if key not in new)]
    for place, change in places:
        key, kind, name, inner = place
        section = sections[key]
        part = section.parts.setdefault((kind, name), ComparedPart(_part_title(section, kind, name)))
        part.differences.append(Difference(_label(inner), change.kind, change.is_semantic, *_sides(change)))
    for section in sections.values():
        section.unchanged = _unchanged(section, old, new, before, after)
    same = [new[key] for key in new if key in old and key not in changed]
    return Comparison(n_semantic, len(changes) - n_semantic, [sections[key] for key in order if key in sections], same)


def place_of(path: str) -> Place:
    head, _dot, rest = path.partition(".")
    if head == "translations":
        language, _dot, name = rest.partition(".")
        return "", head, language, name
    if head != "criteria":
        return "", "", "", path
    key, _dot, name = rest.partition(".")
    kind, _dot, tail = name.partition(".")
    if kind == "options" and tail:
        option, _dot, name = tail.partition(".")
        return key, kind, option, name
    if kind == "examples" and tail:
        return key, kind, *_title_and_field(tail)
    return key, "", "", name


def _title_and_field(tail: str) -> tuple[str, str]:
    """Split a path into title and field. The title is quoted, as it may contain dots; a repeated one has a number."""
    title, end = json.JSONDecoder().raw_decode(tail)
    found = AFTER_TITLE.match(tail, end)
    number, name = found.groups() if found else ("", "")
    return f"{title} {number or ''}".strip(), name


# --- sections and parts ------------------------------------------------------------------------------
def _section(key: str, old: Bundle | None, new: Bundle | None) -> Section:
    options = [*(old or {}).get("options", []), *(new or {}).get("options", [])]
    labels = {option["key"]: f"{option['label']} ({option['key']})" for option in options}
    criterion = new or old
    return Section(criterion["name"] if criterion else _("The protocol as a whole"), key, labels)


def _part_title(section: Section, kind: str, name: str) -> str:
    if kind == "translations":
        return _("Translation: %(language)s") % {"language": name} if name else _("Translations")
    if not section.key:
        return _("Settings and texts")
    if kind == "options":
        return _("Option: %(name)s") % {"name": section.labels[name]}
    if kind == "examples":
        return _("Example: %(name)s") % {"name": name} if name else _("Example")
    return _("The question itself")


def _unchanged(
    section: Section, old: dict[str, Bundle], new: dict[str, Bundle], before: Bundle, after: Bundle
) -> list[str]:
    """Return the names of the parts that are the same in both."""
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


# --- one difference ----------------------------------------------------------------------------------
def _sides(change: Change) -> tuple[list[Piece], list[Piece]]:
    if change.kind == "moved":
        old, new = (_("position %(number)s") % {"number": number} for number in (change.before, change.after))
        return [Piece("same", old)], [Piece("same", new)]
    if pieces := [_shortened(piece) for piece in change.pieces]:
        return [each for each in pieces if each.kind != "added"], [each for each in pieces if each.kind != "removed"]
    before = "" if change.kind == "added" else readable(change.before)
    after = "" if change.kind == "removed" else readable(change.after)
    return [Piece("removed", before)] if before else [], [Piece("added", after)] if after else []


def _shortened(piece: Piece) -> Piece:
    """Shorten a long unchanged text: in pages of guidelines nobody would find one changed word."""
    text = piece.text
    if piece.kind != "same" or len(text) <= 3 * CONTEXT:
        return piece
    return Piece("same", f"{text[:CONTEXT]} […] {text[-CONTEXT:]}")


def _label(path: str) -> str:
    """Return a path in words: explanations.dull.text gives "Explanations › dull › text"."""
    words = []
    for part in path.split("."):
        plain = part.replace("_", " ")
        words.append(_(WORDS.get(part, plain)) if part in WORDS or plain in PLAIN else plain)
    text = " › ".join(words) if path else _("Everything")
    return text[:1].upper() + text[1:]


def readable(value: Any) -> str:
    """Return a value as people read it: parts are YAML without empty entries."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict | list):
        return write_yaml(_filled(value)).strip() if value else ""
    return "" if value is None else str(value)


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each) for key, each in value.items() if each not in ("", [], {}, None)}
    return [_filled(each) for each in value] if isinstance(value, list) else value
