"""The distributions of answers: every option of every kind of question, by source."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotation.pairings import Pairings
from measures.arrays import IntArray
from protocols.models import Criterion
from protocols.specs import CriterionSpec
from reporting.study.answer_details import Detail, Marks, ratings_of
from reporting.study.cells import StudyCells
from reporting.study.pairings import Pair
from reporting.study.plain import spread
from reporting.study.scores import NO_NUMBERS, Moments, moments, percent
from reporting.study.votes import StudyVotes


@dataclass(frozen=True, slots=True)
class OptionAnswers:
    """The answers with an option; `value` is its number, None without one. `percent` is that of `n_answers`."""

    option: str
    label: str
    role: str
    value: float | None
    votes: int
    percent: float | None


@dataclass(frozen=True, slots=True)
class Distribution:
    """The answers to a question by option, also those that are not on the scale. The source of dialogues is None.

    Comparisons of several pairs have a row for each pair, source a and source b: the first source of one is not that of
    another. `n_none` of the answers to an optional question say that none of its options applies.
    """

    source: str | None
    source_a: str | None
    source_b: str | None
    criterion: str
    kind: str
    scale: str
    n_answers: int
    n_none: int
    options: list[OptionAnswers]
    moments: Moments = field(metadata=spread())


@dataclass(frozen=True, slots=True)
class MarkedTurn:
    """How often a turn was marked. Without a turn it counts all turns of the speaker, without a speaker all marks.

    `percent_of_marks` is that of all marks, None without any; `marks_per_answer` is None without answers.
    """

    source: str | None
    criterion: str
    speaker: str | None
    turn: int | None
    marks: int
    answers: int
    answers_with_marks: int
    percent_of_marks: float | None
    marks_per_answer: float | None


def distributions(
    study: StudyCells, votes: StudyVotes, details: Sequence[Detail], of_pairs: Mapping[int, Mapping[str, int]]
) -> list[Distribution]:
    """Return a row per source and question with options; shares of a multiple-choice question do not add up to 100.

    `of_pairs` has for the id of each question about several pairs what its cells store of them.
    """
    rows: list[Distribution] = []
    sources = votes.items.source[votes.item]
    for source, criterion, key in study.rows():
        if criterion.id in of_pairs:
            rows += _by_pair(study, criterion, of_pairs[criterion.id])
            continue
        given = study.pooled[key].category_votes
        n_none = 0
        if not criterion.required:
            n_none = int((votes.of(criterion) & (sources == study.source_ids[source]) & (votes.option == 0)).sum())
        rows.append(
            _row(source, criterion, study.pooled[key].n_votes + n_none, n_none, given, moments(criterion, given))
        )
    for criterion in study.spec.criteria:
        if criterion.kind == Criterion.Kind.MULTIPLE:
            rows += _multiple(study, criterion, votes, details)
    return rows


def _by_pair(study: StudyCells, criterion: CriterionSpec, counts: Mapping[str, int]) -> Iterable[Distribution]:
    keys = {source.pk: source.key for source in study.sources}
    place = {pk: at for at, pk in enumerate(keys)}
    found: dict[Pair, Counter[int]] = defaultdict(Counter)
    for vote, n in Pairings.from_json(counts).votes.items():
        found[vote[:2]][vote.option] += n
    for pair in sorted(found, key=lambda each: [place[pk] for pk in each]):
        given = np.array([found[pair][option.id] for option in criterion.options])
        n = found[pair].total()
        row = _row(None, criterion, n, n - int(given.sum()), given, moments(criterion, given))
        yield replace(row, source_a=keys[pair[0]], source_b=keys[pair[1]])


def _row(
    source: str | None, criterion: CriterionSpec, n_answers: int, n_none: int, votes: IntArray, moments: Moments
) -> Distribution:
    options = [
        OptionAnswers(option.key, option.label, str(option.role), option.value, int(n), percent(n, n_answers))
        for option, n in zip(criterion.options, votes, strict=True)
    ]
    return Distribution(
        source,
        None,
        None,
        criterion.key,
        str(criterion.kind),
        str(criterion.scale),
        n_answers,
        n_none,
        options,
        moments,
    )


def _multiple(
    study: StudyCells, criterion: CriterionSpec, votes: StudyVotes, details: Sequence[Detail]
) -> Iterable[Distribution]:
    """Yield the rows of a multiple-choice question; answers without any choice count as answers too."""
    chosen: dict[int, IntArray] = defaultdict(lambda: np.zeros(len(criterion.options), np.int64))
    n_some: dict[int, int] = defaultdict(int)
    mine = votes.of(criterion)
    sources = votes.items.source[votes.item]
    for detail in details:
        marks = np.array([option.id in detail.choices for option in criterion.options])
        if marks.any():
            at = votes.places(detail.ratings)
            for source, n in _counted(sources[at[mine[at]]]):
                chosen[source] += n * marks
                n_some[source] += n
    keys = {pk: key for key, pk in study.source_ids.items()}
    nothing = Moments(None, None, None, 0, NO_NUMBERS)
    for source, n in _counted(sources[mine]):
        yield _row(keys.get(source), criterion, n, n - n_some[source], chosen[source], nothing)


def turns_table(
    study: StudyCells, votes: StudyVotes, marks: Sequence[Marks], details: Sequence[Detail]
) -> list[MarkedTurn]:
    """Return how often each turn of each side was marked, and how many answers marked any."""
    rows: list[MarkedTurn] = []
    keys = {pk: key for key, pk in study.source_ids.items()}
    sources = votes.items.source[votes.item]
    marked = np.isin(votes.rating, ratings_of(detail for detail in details if detail.turns))
    for criterion in study.spec.criteria:
        if criterion.kind == Criterion.Kind.TURNS:
            mine = votes.of(criterion)
            for source, n in _counted(sources[mine]):
                found = [each for each in marks if (each.criterion, each.source) == (criterion.id, source)]
                with_marks = int((mine & marked & (sources == source)).sum())
                rows += _turns(keys.get(source), criterion, n, with_marks, found)
    return rows


def _turns(
    source: str | None, criterion: CriterionSpec, n: int, with_marks: int, marks: list[Marks]
) -> Iterable[MarkedTurn]:
    """Yield a row for all sides together, then one per side, then one per turn."""
    sides: dict[str | None, int] = defaultdict(int)
    for each in marks:
        sides[each.speaker] += each.n
    total = sum(sides.values())
    lines: list[tuple[str | None, int | None, int]] = [(None, None, total)]
    lines += [(side, None, times) for side, times in sides.items() if side is not None]
    lines += [(each.speaker, each.number, each.n) for each in marks]
    for speaker, turn, times in lines:
        share = percent(times, total)
        yield MarkedTurn(source, criterion.key, speaker, turn, times, n, with_marks, share, times / n if n else None)


def _counted(values: IntArray) -> Iterable[tuple[int, int]]:
    found, times = np.unique(values, return_counts=True)
    return zip(found.tolist(), times.tolist(), strict=True)
