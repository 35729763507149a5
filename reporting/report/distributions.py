"""The distributions of answers: every option of every kind of question, by source."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from measures.arrays import IntArray
from protocols.models import Criterion
from protocols.specs import CriterionSpec
from reporting.study.answer_details import Detail, Marks, ratings_of
from reporting.study.cells import StudyCells
from reporting.study.scores import NO_NUMBERS, moments, percent
from reporting.study.votes import StudyVotes

Row = dict[str, Any]


def distributions(study: StudyCells, votes: StudyVotes, details: Sequence[Detail]) -> list[Row]:
    """Return a row per source and question with options; shares of a multiple-choice question do not add up to 100."""
    rows = [_single(source, criterion, study, key) for source, criterion, key in study.rows()]
    for criterion in study.spec.criteria:
        if criterion.kind == Criterion.Kind.MULTIPLE:
            rows += _multiple(study, criterion, votes, details)
    return rows


def _single(source: str | None, criterion: CriterionSpec, study: StudyCells, key: tuple[int, int]) -> Row:
    histogram = study.pooled[key]
    votes = histogram.category_votes
    return _row(source, criterion, histogram.n_votes, votes) | moments(criterion, votes)


def _row(source: str | None, criterion: CriterionSpec, n_answers: int, votes: IntArray) -> Row:
    return {
        "source": source,
        "criterion": criterion.key,
        "kind": str(criterion.kind),
        "scale": str(criterion.scale),
        "n_answers": n_answers,
        "options": [
            {
                "option": option.key,
                "label": option.label,
                "role": str(option.role),
                "value": option.value,
                "votes": int(n),
                "percent": percent(n, n_answers),
            }
            for option, n in zip(criterion.options, votes, strict=True)
        ],
    }


def _multiple(
    study: StudyCells, criterion: CriterionSpec, votes: StudyVotes, details: Sequence[Detail]
) -> Iterable[Row]:
    """Yield the rows of a multiple-choice question; answers without any choice count as answers too."""
    chosen: dict[int, IntArray] = defaultdict(lambda: np.zeros(len(criterion.options), np.int64))
    mine = votes.of(criterion)
    sources = votes.items.source[votes.item]
    for detail in details:
        marks = np.array([option.id in detail.choices for option in criterion.options])
        if marks.any():
            at = votes.places(detail.ratings)
            for source, n in _counted(sources[at[mine[at]]]):
                chosen[source] += n * marks
    for source, n in _counted(sources[mine]):
        yield _row(source_key(study, source), criterion, n, chosen[source]) | {
            **dict.fromkeys(("mean", "sd", "median")),
            "n_numbers": 0,
            "reason": NO_NUMBERS,
        }


def turns_table(study: StudyCells, votes: StudyVotes, marks: Sequence[Marks], details: Sequence[Detail]) -> list[Row]:
    """Return how often each turn of each side was marked, and how many answers marked any."""
    rows = []
    sources = votes.items.source[votes.item]
    marked = np.isin(votes.rating, ratings_of(detail for detail in details if detail.turns))
    for criterion in study.spec.criteria:
        if criterion.kind == Criterion.Kind.TURNS:
            mine = votes.of(criterion)
            for source, n in _counted(sources[mine]):
                with_marks = int((mine & marked & (sources == source)).sum())
                rows += _turns(source_key(study, source), criterion, n, with_marks, _of(marks, criterion.id, source))
    return rows


def _turns(source: str | None, criterion: CriterionSpec, n: int, with_marks: int, marks: list[Marks]) -> list[Row]:
    """Return a row for all sides together, then one per side (turn None), then one per turn."""
    sides: dict[str | None, int] = defaultdict(int)
    for each in marks:
        sides[each.speaker] += each.n
    total = sum(sides.values())
    lines: list[tuple[str | None, int | None, int]] = [(None, None, total)]
    lines += [(side, None, times) for side, times in sides.items() if side is not None]
    lines += [(each.speaker, each.number, each.n) for each in marks]
    return [
        {
            "source": source,
            "criterion": criterion.key,
            "speaker": speaker,
            "turn": number,
            "marks": times,
            "answers": n,
            "answers_with_marks": with_marks,
            "percent_of_marks": percent(times, total),
            "marks_per_answer": times / n if n else None,
        }
        for speaker, number, times in lines
    ]


def source_key(study: StudyCells, pk: int) -> str | None:
    return next((source.key for source in study.sources if source.pk == pk), None)


def _of(marks: Sequence[Marks], criterion: int, source: int) -> list[Marks]:
    return [each for each in marks if (each.criterion, each.source) == (criterion, source)]


def _counted(values: IntArray) -> Iterable[tuple[int, int]]:
    found, times = np.unique(values, return_counts=True)
    return zip(found.tolist(), times.tolist(), strict=True)
