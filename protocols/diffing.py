"""What differs between two bundles, and whether answers to one still mean the same as answers to the other."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from protocols.bundles import Bundle
from protocols.word_count import ALONE

Kind = Literal["added", "removed", "changed", "moved"]
# They name a document and say nothing of what it asks: two versions never have the same.
NAMES = frozenset({"bundle", "protocol", "version"})
KEYED = frozenset({"criteria", "options", "explanations"})
# Whatever is not in this list is semantic, so that a key the format gains later errs on the careful side.
WORDING = frozenset({
    "name", "short", "summary", "citation", "label", "definition", "conditions", "text", "welcome", "changes",
    "notices", "guidelines_short", "guidelines", "examples", "translations", "dimensions", "expected_minutes",
    "feedback_box", "context_title", "item_title", "scale_above", "response", "guide",
})  # fmt: skip
LONG = 40_000  # characters of both texts: two unlike texts of the longest kind would take seconds word by word
LINE = re.compile(r"[^\n]*\n|[^\n]+")
TOKEN = re.compile(rf"\s+|[{ALONE}]|[^\W{ALONE}]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of words. The old text is what is not `added`, the new one what is not `removed`."""

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """`path` names parts by their keys: criteria.fit.options.yes.label. Of a move, the values are places from 1."""

    path: str
    kind: Kind
    before: Any
    after: Any
    is_semantic: bool

    @property
    def pieces(self) -> list[Piece]:
        """The words of a changed text or list of texts, for showing old and new side by side; else empty."""
        old, new = _as_text(self.before), _as_text(self.after)
        return marked_pieces(old, new) if self.kind == "changed" and old is not None and new is not None else []


def compare_bundles(before: Bundle, after: Bundle) -> list[Change]:
    """Every difference between two complete bundles, but for the names of protocol and version."""
    old, new = ({key: value for key, value in doc.items() if key not in NAMES} for doc in (before, after))
    return list(_mapping_changes("", old, new, is_semantic=True))


def is_semantic(changes: Iterable[Change]) -> bool:
    """Whether answers to the two are answers to different questions."""
    return any(change.is_semantic for change in changes)


def marked_pieces(before: str, after: str) -> list[Piece]:
    """Compared word by word, long texts line by line; a Chinese or Japanese character is a word."""
    unit = TOKEN if len(before) + len(after) <= LONG else LINE
    old, new = unit.findall(before), unit.findall(after)
    pieces = []
    for _, i, j, k, n in SequenceMatcher(None, old, new).get_opcodes():
        gone, come = "".join(old[i:j]), "".join(new[k:n])
        pieces += [Piece("same", gone)] if gone == come else [Piece("removed", gone), Piece("added", come)]
    return [piece for piece in pieces if piece.text]


# --- walking both at once ----------------------------------------------------------------------------
def _mapping_changes(
    path: str, old: Bundle, new: Bundle, *, is_semantic: bool, are_parts: bool = False
) -> Iterator[Change]:
    """Of parts, the keys are names their author chose: a criterion called `text` is no wording."""
    for key in dict.fromkeys([*old, *new]):
        place = f"{path}.{key}" if path else key
        counts = is_semantic and (are_parts or key not in WORDING)
        if key not in old:
            yield Change(place, "added", None, new[key], counts)
        elif key not in new:
            yield Change(place, "removed", old[key], None, counts)
        else:
            yield from _value_changes(place, key, old[key], new[key], is_semantic=counts)


def _value_changes(place: str, key: str, old: Any, new: Any, *, is_semantic: bool) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _mapping_changes(place, old, new, is_semantic=is_semantic)
    elif key in KEYED and isinstance(old, list):  # the version's own `options` is a word
        yield from _part_changes(place, _by_key(old), _by_key(new), is_semantic=is_semantic)
    elif key == "examples":
        yield from _part_changes(place, _by_title(old), _by_title(new), is_semantic=is_semantic)
    elif old != new:
        yield Change(place, "changed", old, new, is_semantic)


def _part_changes(path: str, old: dict[str, Bundle], new: dict[str, Bundle], *, is_semantic: bool) -> Iterator[Change]:
    """Parts have identities, so that one that moved is no new one, and one that came moves no other."""
    yield from _mapping_changes(path, old, new, is_semantic=is_semantic, are_parts=True)
    before, after = ([name for name in part if name in old and name in new] for part in (old, new))
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    stayed = {name for block in blocks for name in before[block.a : block.a + block.size]}
    places = [{name: place for place, name in enumerate(part, start=1)} for part in (old, new)]
    for name in after:
        if name not in stayed:
            yield Change(f"{path}.{name}", "moved", places[0][name], places[1][name], is_semantic)


def _by_key(parts: Iterable[Bundle]) -> dict[str, Bundle]:
    return {part["key"]: part for part in parts}


def _by_title(examples: Iterable[Bundle]) -> dict[str, Bundle]:
    """Titles may repeat: the second of a title is matched with the second."""
    found: dict[str, Bundle] = {}
    for example in examples:
        name = title = json.dumps(example["title"], ensure_ascii=False)
        number = 1
        while name in found:
            number += 1
            name = f"{title}#{number}"
        found[name] = example
    return found


def _as_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    is_texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return "\n".join(value) if is_texts else None
