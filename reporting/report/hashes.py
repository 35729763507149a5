"""Hash the counted answers as a text that everyone with the answers can rebuild (see docs/statistics.md)."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import add
from typing import Any

import numpy as np

from annotation.models import Study
from measures.arrays import IntArray
from protocols.models import Criterion
from protocols.specs import VersionSpec
from reporting.study.answer_details import Detail
from reporting.study.names import Names
from reporting.study.votes import StudyVotes

FORMAT = "parley-answers-1"
LINES_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True)
class Hashes:
    """SHA-256 hashes of the protocol and of the counted answers, a line for each in the given format."""

    protocol_sha256: str
    data_sha256: str
    data_format: str
    data_lines: int


def hashes_of(study: Study, votes: StudyVotes, details: Sequence[Detail], names: Names) -> Hashes:
    return Hashes(study.protocol_version.sha256, data_hash(votes, details, names), FORMAT, len(votes.rating))


def data_hash(votes: StudyVotes, details: Sequence[Detail], names: Names) -> str:
    """Return the SHA-256 of the lines of all answers, in the order of their code points.

    A JSON string ends with the first quotation mark that is not escaped, so none is the beginning of another.
    Therefore lines can be sorted by the ranks of their parts, as three columns of numbers.
    """
    items, item_order = _ordered(names.items)
    criteria, criterion_order = _ordered([json_text(names.criteria[key]) + "," for key in sorted(names.criteria)])
    people, annotator_order = _ordered([json_text(names.annotators[key]) + "," for key in sorted(names.annotators)])
    criterion = np.searchsorted(sorted(names.criteria), votes.criterion)
    annotator = np.searchsorted(sorted(names.annotators), votes.annotator)
    order = np.lexsort((annotator_order[annotator], criterion_order[criterion], item_order[votes.item]))
    middles = _pairs(criteria, people, criterion, annotator)
    answers = _answers(votes, details)
    lines = map(add, map(add, items[votes.item[order]], middles[order]), answers[order])
    return _sha256(lines)


def json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _ordered(texts: Sequence[str]) -> tuple[np.ndarray, IntArray]:
    """Return the texts as an array, and the rank of each."""
    order = np.array(sorted(range(len(texts)), key=texts.__getitem__), np.int64)
    ranks = np.empty(len(texts), np.int64)
    ranks[order] = np.arange(len(texts))
    return np.array(texts, object), ranks


def _pairs(criteria: np.ndarray, people: np.ndarray, criterion: IntArray, annotator: IntArray) -> np.ndarray:
    """Return the text for criterion and annotator of each answer; there are few different ones."""
    known = np.add.outer(criteria, people) if len(criteria) and len(people) else np.zeros((0, 0), object)
    return known[criterion, annotator]


def _answers(votes: StudyVotes, details: Sequence[Detail]) -> np.ndarray:
    """Return the end of each line: answer, explanations and free text."""
    keys = {option.id: option.key for each in votes.spec.criteria for option in each.options} | {0: ""}
    ids = np.array(sorted(keys), np.int64)
    plain = np.array([_ending(keys[key], "", "") for key in ids.tolist()], object)
    answers = plain[np.searchsorted(ids, votes.option)]
    for detail in details:
        at = votes.places(detail.ratings)
        for option, criterion in set(zip(votes.option[at].tolist(), votes.criterion[at].tolist(), strict=True)):
            same = at[(votes.option[at] == option) & (votes.criterion[at] == criterion)]
            answers[same] = _detailed(votes.spec, criterion, keys[option], detail)
    return answers


def _detailed(spec: VersionSpec, criterion_id: int, option: str, detail: Detail) -> str:
    criterion = spec.by_id.get(criterion_id)
    if criterion is None:
        return _ending(option, "", detail.free_text)
    answer = option
    if criterion.kind == Criterion.Kind.MULTIPLE:
        answer = "|".join(each.key for each in criterion.options if each.id in detail.choices)
    elif criterion.kind == Criterion.Kind.TURNS:
        answer = ",".join(map(str, sorted(detail.turns)))
    known = [each for one in criterion.options for each in one.explanations]
    explanations = "|".join(sorted(each.key for each in known if each.id in detail.explanations))
    return _ending(answer, explanations, detail.free_text)


def _ending(answer: str, explanations: str, free_text: str) -> str:
    return ",".join(map(json_text, (answer, explanations, free_text))) + "]\n"


def _sha256(lines: Iterable[str]) -> str:
    digest, lines = hashlib.sha256(), iter(lines)
    while part := "".join(islice(lines, LINES_AT_ONCE)):
        digest.update(part.encode())
    return digest.hexdigest()
