"""Warn of new sources that may be typos: named nearly like another one, or used only once."""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from django.utils.translation import gettext as _

from annotation.importing.copying import fetch
from annotation.models import Source, Study

PART = re.compile(r"\d+|[^\W\d_]+")
SHORTEST_WORD = 4  # shorter parts tell sources apart on purpose: model_a and model_b
LEAST_ALIKE = 0.75  # one letter of four
OFTEN = 3
MOST_DOUBTS = 10


def doubts(study: Study, new: list[Source]) -> list[str]:
    """Return a sentence for each of the first new sources that may be a typo."""
    if not new:
        return []
    names = [key for (key,) in study.sources.values_list("key")]
    return [*_near(names, [source.key for source in new]), *_used_once(study, new)][:MOST_DOUBTS]


def named_nearly(study: Study, names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return those of the names that are new to the study, and a sentence for each that may be a typo."""
    known = list(study.sources.values_list("key", flat=True))
    new = [name for name in dict.fromkeys(names) if name not in known]
    return new, list(_near([*known, *new], new))[:MOST_DOUBTS]


def _near(names: list[str], new: list[str]) -> Iterator[str]:
    like = _("The new source %(new)s is named nearly like %(other)s: check the spelling.")
    alike = _("The new sources %(new)s and %(other)s are named nearly alike: check the spelling.")
    seen: set[str] = set()
    for name in new:
        seen.add(name)
        other = next((each for each in names if each not in seen and is_near(name, each)), None)
        if other is not None:
            yield (alike if other in new else like) % {"new": name, "other": other}


def is_near(one: str, other: str) -> bool:
    """Return whether two names differ only in case, in marks between words, or in letters within words.

    Another number, letter or word makes another name: gpt-4 and gpt-4o, llama-7b and llama-13b.
    """
    ours, theirs = PART.findall(one.casefold()), PART.findall(other.casefold())
    if "".join(ours) == "".join(theirs):
        return True
    if len(ours) != len(theirs):
        return False
    return all(a == b or _is_misspelt(a, b) for a, b in zip(ours, theirs, strict=True))


def _is_misspelt(one: str, other: str) -> bool:
    is_word = one.isalpha() and other.isalpha() and min(len(one), len(other)) >= SHORTEST_WORD
    return is_word and SequenceMatcher(None, one, other, autojunk=False).ratio() >= LEAST_ALIKE


def _used_once(study: Study, new: list[Source]) -> Iterator[str]:
    """Yield a sentence for each new source with one dialogue only, while another source has several."""
    rows = fetch(
        """SELECT source_id, count(*), min(key) FROM (
               SELECT c.source_id, d.key FROM annotation_candidate c JOIN annotation_dialogue d ON d.id = c.dialogue_id
               WHERE d.study_id = %(study)s
               UNION ALL SELECT source_id, key FROM annotation_dialogue
               WHERE study_id = %(study)s AND source_id IS NOT NULL) used
           GROUP BY source_id""",
        {"study": study.pk},
    )
    used = {pk: (n, key) for pk, n, key in rows}
    if max((n for n, _key in used.values()), default=0) < OFTEN:
        return
    text = _("The new source %(new)s is used only once, in the dialogue %(dialogue)s: check its name.")
    for source in new:
        n, key = used.get(source.pk, (0, ""))
        if n == 1:
            yield text % {"new": source.key, "dialogue": key}
