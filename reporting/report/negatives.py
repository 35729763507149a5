"""Count the negative judgements that are explained in free text, and list the texts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from measures.arrays import BoolArray, IntArray
from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec, VersionSpec
from reporting.study.answer_details import Detail, ratings_of
from reporting.study.cells import StudyCells
from reporting.study.names import Names
from reporting.study.plain import spread
from reporting.study.scores import percent
from reporting.study.votes import StudyVotes

ROLES = (Option.Role.NEGATIVE, Option.Role.UNSURE)  # whose texts are listed, in this order


@dataclass(frozen=True, slots=True)
class Judged:
    """(n,) arrays of the answers to one criterion: whether each is negative, and has a text or a predefined reason."""

    criterion: CriterionSpec
    source: IntArray
    is_negative: BoolArray
    by_text: BoolArray
    by_reason: BoolArray


@dataclass(frozen=True, slots=True)
class NegativeCounts:
    """The negative answers among `votes`, and how they are explained. Percentages have two decimals, None of 0.

    `explained` answers have a free text or a predefined reason. `is_asked`: a negative option of the criterion asks
    why; if none does, texts are imported.
    """

    votes: int
    negative: int
    with_text: int
    percent_of_negative: float | None
    explained: int
    percent_of_explained: float | None
    with_reason_only: int
    is_asked: bool


@dataclass(frozen=True, slots=True)
class Negatives:
    """The counts of a criterion that was answered and has a negative option, over all sources."""

    criterion: str
    counts: NegativeCounts = field(metadata=spread())


@dataclass(frozen=True, slots=True)
class SourceNegatives:
    """The source of whole dialogues is None."""

    source: str | None
    criterion: str
    counts: NegativeCounts = field(metadata=spread())


@dataclass(frozen=True, slots=True)
class NegativeText:
    """The free text of a negative or unsure answer, with keys of its item: None without a source, dialogue or item."""

    criterion: str
    role: str
    option: str
    source: str | None
    batch: str
    dialogue: str | None
    item: str | None
    annotator: str
    reasons: list[str]
    text: str


@dataclass(frozen=True, slots=True)
class NegativeTables:
    """Two tables of counts, and the texts: by criterion, negative before unsure ones, then by item and annotator."""

    by_criterion: list[Negatives]
    by_source: list[SourceNegatives]
    texts: list[NegativeText]


def negative_tables(study: StudyCells, votes: StudyVotes, details: Sequence[Detail], names: Names) -> NegativeTables:
    """Return two tables of counts, with a row per criterion that was answered, and one of texts."""
    written = [each for each in details if each.free_text]
    ticked = ratings_of(each for each in details if each.explanations)
    judged = {criterion.id: _judged(votes, criterion, ratings_of(written), ticked) for criterion in _asked(votes.spec)}
    return NegativeTables(
        [
            Negatives(each.criterion.key, _counts(each, np.ones(len(each.source), bool)))
            for each in judged.values()
            if len(each.source)
        ],
        [
            SourceNegatives(source, criterion.key, _counts(mine, mine.source == key[1]))
            for source, criterion, key in study.rows()
            if (mine := judged.get(criterion.id)) is not None
        ],
        _texts(votes, written, names),
    )


# --- counts --------------------------------------------------------------------------------------------
def _judged(votes: StudyVotes, criterion: CriterionSpec, written: IntArray, ticked: IntArray) -> Judged:
    """Return the answers to a criterion. `written` and `ticked` are ids of answers to any criterion."""
    excluding = np.isin(votes.option, _options(criterion, Option.Role.EXCLUDING))
    mine = np.flatnonzero(votes.of(criterion) & ~excluding)
    rating = votes.rating[mine]
    return Judged(
        criterion=criterion,
        source=votes.items.source[votes.item[mine]],
        is_negative=np.isin(votes.option[mine], _options(criterion, Option.Role.NEGATIVE)),
        by_text=np.isin(rating, written),
        by_reason=np.isin(rating, ticked),
    )


def _asked(spec: VersionSpec) -> list[CriterionSpec]:
    """Return the single-choice criteria with a negative option.

    Nobody explains computed answers, and the choices of a multiple-choice answer may have different roles.
    """
    single = [each for each in spec.criteria if each.kind == Criterion.Kind.SINGLE]
    return [each for each in single if _options(each, Option.Role.NEGATIVE)]


def _options(criterion: CriterionSpec, role: str) -> list[int]:
    return [option.id for option in criterion.options if option.role == role]


def _counts(judged: Judged, chosen: BoolArray) -> NegativeCounts:
    negative = chosen & judged.is_negative
    n, n_texts = int(negative.sum()), int((negative & judged.by_text).sum())
    n_reasons = int((negative & judged.by_reason & ~judged.by_text).sum())
    options = judged.criterion.options
    return NegativeCounts(
        votes=int(chosen.sum()),
        negative=n,
        with_text=n_texts,
        percent_of_negative=percent(n_texts, n),
        explained=n_texts + n_reasons,
        percent_of_explained=percent(n_texts, n_texts + n_reasons),
        with_reason_only=n_reasons,
        is_asked=any(each.asks != Option.Asks.NOTHING for each in options if each.role == Option.Role.NEGATIVE),
    )


# --- texts ---------------------------------------------------------------------------------------------
def _texts(votes: StudyVotes, written: Sequence[Detail], names: Names) -> list[NegativeText]:
    """Return a row per text of a negative or unsure answer, by criterion, negative first, then item and annotator."""
    ratings = ratings_of(written)
    which = np.repeat(np.arange(len(written)), [len(each.ratings) for each in written])
    order = np.argsort(ratings)
    at = np.flatnonzero(np.isin(votes.rating, ratings))
    rows: list[NegativeText] = []
    for criterion, role in product(votes.spec.criteria, ROLES):
        mine = at[np.isin(votes.option[at], _options(criterion, role))]
        details = which[order[np.searchsorted(ratings, votes.rating[mine], sorter=order)]] if len(mine) else mine
        found = [
            _text(votes, criterion, place, written[detail], names)
            for place, detail in zip(mine.tolist(), details.tolist(), strict=True)
        ]
        rows += sorted(found, key=_place)
    return rows


def _place(row: NegativeText) -> tuple[str, ...]:
    """Return a sort key of names, not ids: a study imported from its archive has other ids but the same report."""
    return row.batch, row.dialogue or "", row.item or "", row.annotator


def _text(votes: StudyVotes, criterion: CriterionSpec, place: int, detail: Detail, names: Names) -> NegativeText:
    """Return the answer at index `place` of the votes, with keys of the item and the annotator's pseudonym only."""
    batch, dialogue, candidate, source = names.item(int(votes.item[place]))
    option = next(each for each in criterion.options if each.id == votes.option[place])
    return NegativeText(
        criterion=criterion.key,
        role=str(option.role),
        option=option.key,
        source=source or None,
        batch=batch,
        dialogue=dialogue or None,
        item=candidate or None,
        annotator=names.annotators[int(votes.annotator[place])],
        reasons=[each.sub_dimension for each in option.explanations if each.id in detail.explanations],
        text=detail.free_text,
    )
