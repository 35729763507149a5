"""Warn of new sources that may be typos: named nearly like another one, or used only once."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from django.utils.translation import gettext as _

from annotation.importing.copying import fetch
from annotation.models import Source, Study

PART = re.compile(r"\d+|[^\W\d_]+")
SHORTEST_WORD = 4  # shorter parts tell sources apart on purpose: model_a and model_b
LEAST_ALIKE = 0.75  # one letter of four
OFTEN = 3
RARE = 0.1  # of what the other source has
MOST_DOUBTS = 10


def doubts(study: Study, new: list[Source]) -> list[str]:
    """Return a sentence for each of the first new sources that may be a typo."""
    if not new:
        return []
    used = _used(study)
    keys = [source.key for source in new]
    near = _near([*study.sources.values_list("key", flat=True)], keys, {key: n for key, (n, _in) in used.items()})
    once = _used_once(used, [key for key in keys if key not in near])
    return [*dict.fromkeys(near.values()), *once][:MOST_DOUBTS]


def named_nearly(study: Study, found: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Return those of the sources that are new to the study, and a sentence for each that may be a typo.

    `found` has the number of dialogues or responses that a file has of each.
    """
    known = list(study.sources.values_list("key", flat=True))
    new = [name for name in found if name not in known]
    stored = Counter({key: n for key, (n, _in) in _used(study).items()})
    near = _near([*known, *new], new, stored + Counter(found))
    return new, list(dict.fromkeys(near.values()))[:MOST_DOUBTS]


def _near(names: list[str], new: list[str], used: Mapping[str, int]) -> dict[str, str]:
    """Return {name: sentence} of the names that may be a slip for another; the sentence is that of both."""
    like = _("The new source %(new)s is named nearly like %(other)s: check the spelling.")
    alike = _("The new sources %(new)s and %(other)s are named nearly alike: check the spelling.")
    found: dict[str, str] = {}
    seen: set[str] = set()
    for name in new:
        seen.add(name)
        other = next((each for each in names if each not in seen and _is_slip(name, each, used)), None)
        if other is not None:
            sentence = (alike if other in new else like) % {"new": name, "other": other}
            found |= dict.fromkeys((name, *((other,) if other in new else ())), sentence)
    return found


def _is_slip(one: str, other: str, used: Mapping[str, int]) -> bool:
    """Return whether one of two near names is rare, or they differ in case and in marks only.

    Two systems that are used about as often are named alike on purpose.
    """
    if not is_near(one, other):
        return False
    few, many = sorted(used.get(name, 0) for name in (one, other))
    return few <= max(1, many * RARE) or _letters(one) == _letters(other)


def _letters(name: str) -> str:
    return "".join(PART.findall(name.casefold()))


def is_near(one: str, other: str) -> bool:
    """Return whether two names differ only in case, in marks between words, or in letters within words.

    Another number, letter or word makes another name: gpt-4 and gpt-4o, llama-7b and llama-13b.
    """
    ours, theirs = PART.findall(one.casefold()), PART.findall(other.casefold())
    if _letters(one) == _letters(other):
        return True
    if len(ours) != len(theirs):
        return False
    return all(a == b or _is_misspelt(a, b) for a, b in zip(ours, theirs, strict=True))


def _is_misspelt(one: str, other: str) -> bool:
    is_word = one.isalpha() and other.isalpha() and min(len(one), len(other)) >= SHORTEST_WORD
    return is_word and SequenceMatcher(None, one, other, autojunk=False).ratio() >= LEAST_ALIKE


def _used(study: Study) -> dict[str, tuple[int, str]]:
    """Return {source: (its dialogues and responses, the first of these dialogues)}."""
    rows = fetch(
        """SELECT s.key, count(*), min(used.key) FROM (
               SELECT c.source_id, d.key FROM annotation_candidate c JOIN annotation_dialogue d ON d.id = c.dialogue_id
               WHERE d.study_id = %(study)s
               UNION ALL SELECT source_id, key FROM annotation_dialogue
               WHERE study_id = %(study)s AND source_id IS NOT NULL) used
           JOIN annotation_source s ON s.id = used.source_id GROUP BY s.key""",
        {"study": study.pk},
    )
    return {source: (n, dialogue) for source, n, dialogue in rows}


def _used_once(used: Mapping[str, tuple[int, str]], new: list[str]) -> Iterator[str]:
    """Yield a sentence for each new source with one dialogue only, while another source has several."""
    if max((n for n, _dialogue in used.values()), default=0) < OFTEN:
        return
    text = _("The new source %(new)s is used only once, in the dialogue %(dialogue)s: check its name.")
    for source in new:
        n, dialogue = used.get(source, (0, ""))
        if n == 1:
            yield text % {"new": source, "dialogue": dialogue}
