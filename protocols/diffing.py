"""Compare two bundles, and decide whether answers to one still mean the same as answers to the other."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from protocols.bundles import Bundle
from protocols.word_count import ALONE

Kind = Literal["added", "removed", "changed", "moved"]
# These identify a document and say nothing about what it asks.
NAMES = frozenset({"bundle", "protocol", "version"})
KEYED = frozenset({"criteria", "options", "explanations"})
# Every key that is not listed is semantic, so that a key added to the format later errs on the careful side.
WORDING = frozenset({
    "name", "short", "summary", "citation", "label", "definition", "conditions", "text", "welcome", "changes",
    "notices", "guidelines_short", "guidelines", "examples", "translations", "dimensions", "expected_minutes",
    "feedback_box", "context_title", "item_title", "scale_above", "response", "guide",
})  # fmt: skip
LONG = 40_000  # characters in both texts together: comparing long texts word by word can take seconds
LINE = re.compile(r"[^\n]*\n|[^\n]+")
TOKEN = re.compile(rf"\s+|[{ALONE}]|[^\W{ALONE}]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of words. The old text is all pieces but the `added`, the new text all pieces but the `removed`."""

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A difference. `path` names parts by key: criteria.fit.options.yes.label. A move's values are positions from 1."""

    path: str
    kind: Kind
    before: Any
    after: Any
    is_semantic: bool

    @property
    def pieces(self) -> list[Piece]:
        """Return the pieces of a changed text or list of texts, to show side by side; otherwise an empty list."""
        old, new = _as_text(self.before), _as_text(self.after)
        return marked_pieces(old, new) if self.kind == "changed" and old is not None and new is not None else []


def compare_bundles(before: Bundle, after: Bundle) -> list[Change]:
    """Return every difference between two complete bundles, except in the keys of NAMES."""
    old, new = ({key: value for key, value in doc.items() if key not in NAMES} for doc in (before, after))
    return list(_mapping_changes("", old, new, is_semantic=True))


def is_semantic(changes: Iterable[Change]) -> bool:
    """Return whether a change makes answers to one version mean something else than answers to the other."""
    return any(change.is_semantic for change in changes)


def marked_pieces(before: str, after: str) -> list[Piece]:
    """Compare two texts word by word, long texts line by line; a Chinese or Japanese character is a word."""
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
    """Yield the changes key by key. Keys of parts are chosen by authors: a criterion called `text` is not wording."""
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
    elif key in KEYED and isinstance(old, list):  # the version's own `options` is a string
        yield from _part_changes(place, by_key(old), by_key(new), is_semantic=is_semantic)
    elif key == "examples":
        yield from _part_changes(place, _by_title(old), _by_title(new), is_semantic=is_semantic)
    elif old != new:
        yield Change(place, "changed", old, new, is_semantic)


def _part_changes(path: str, old: dict[str, Bundle], new: dict[str, Bundle], *, is_semantic: bool) -> Iterator[Change]:
    """Match parts by name, so that a moved part is not new, and a new part does not move the others."""
    yield from _mapping_changes(path, old, new, is_semantic=is_semantic, are_parts=True)
    before, after = ([name for name in part if name in old and name in new] for part in (old, new))
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    stayed = {name for block in blocks for name in before[block.a : block.a + block.size]}
    places = [{name: place for place, name in enumerate(part, start=1)} for part in (old, new)]
    for name in after:
        if name not in stayed:
            yield Change(f"{path}.{name}", "moved", places[0][name], places[1][name], is_semantic)


def by_key(parts: Iterable[Bundle]) -> dict[str, Bundle]:
    return {part["key"]: part for part in parts}


def _by_title(examples: Iterable[Bundle]) -> dict[str, Bundle]:
    """Return examples by title. A title may repeat: its second example is matched with the second one.

    The examples of a translation need no title.
    """
    found: dict[str, Bundle] = {}
    for example in examples:
        name = title = json.dumps(example.get("title", ""), ensure_ascii=False)
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
