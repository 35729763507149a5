"""Rank the sources of a file of comparisons without a database. Errors name the file, the line and the column."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from annotation.importing.outcome import BadField, ErrorLog, ImportRejected, no_progress
from annotation.importing.pair_cells import EXPORTED_SIDES
from annotation.importing.tables import Row, open_table
from measures.preferences.comparisons import BOTH_BAD, LEFT, RIGHT, TIE, Comparisons
from measures.preferences.ranking import Ranking, rank
from reporting.file_options import USUAL, Missing, Where
from reporting.offline import UnreadableRatings, number_of

OUTCOMES = {"left": LEFT, "right": RIGHT, "tie": TIE, "both_bad": BOTH_BAD}
# The roles of answers in our own exports that have another name here, or no winner.
OTHER_WORDS = {"equal": "tie"}
NO_WINNER = frozenset({"unsure", "excluding"})
SWAPPED = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
SHOWN_ERRORS = 20


@dataclass(frozen=True, slots=True)
class ComparisonColumns:
    """The names of the columns, by role. Covariates are numbers, left minus right.

    Where `swapped` says so, the source of `left` stood on the right; the winner still names the columns. An empty cell
    says that nobody knows.
    """

    left: str
    right: str
    winner: str
    annotator: str
    cluster: str | None = None
    covariates: tuple[str, ...] = ()
    swapped: str | None = None
    where: Where = ()
    missing: Missing = USUAL

    @property
    def needed(self) -> tuple[str, ...]:
        further = [name for name in (self.cluster, self.swapped) if name]
        return (self.left, self.right, self.winner, self.annotator, *further, *self.covariates)

    @property
    def has_sides(self) -> bool:
        """Return whether the columns say where the sources stood: the first source of our export is no side."""
        return bool(self.swapped) or (self.left, self.right) != EXPORTED_SIDES


@dataclass(frozen=True, slots=True)
class RankedFile:
    """The ranking with the names of its sources.

    `without_winner` counts the rows that are left out by what they have instead of a winner.
    """

    sources: tuple[str, ...]
    ranking: Ranking
    n_rows: int
    without_winner: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Answer:
    left: str
    right: str
    outcome: int
    annotator: str
    cluster: str
    covariates: tuple[float, ...]
    is_sided: bool


def ranking_of_file(path: Path, columns: ComparisonColumns) -> RankedFile:
    """Return the ranking of a table of any kind that an import reads. Raises UnreadableRatings if it cannot be used."""
    log = ErrorLog()
    without_winner: Counter[str] = Counter()
    try:
        found = list(_answers(path, columns, log, without_winner))
        log.refuse_any()
    except ImportRejected as error:
        raise UnreadableRatings(_as_text(path, error)) from None
    except OSError as error:
        raise UnreadableRatings(f"{path}: cannot be read: {error.strerror}") from None
    if not found:
        raise UnreadableRatings(f"{path}, column {columns.winner!r}: no row has a winner")
    n_rows = len(found) + without_winner.total()
    sources = tuple(sorted({name for row in found for name in (row.left, row.right)}))
    return RankedFile(sources, rank(_comparisons(found, sources, columns)), n_rows, dict(without_winner))


def _as_text(path: Path, error: ImportRejected) -> str:
    lines = [each.for_command().as_text(str(path)) for each in error.errors[:SHOWN_ERRORS]]
    more = error.n_errors - len(lines)
    return "\n".join([*lines, *([f"... and {more:,} more"] if more else [])])


def _answers(path: Path, columns: ComparisonColumns, log: ErrorLog, without_winner: Counter[str]) -> Iterator[_Answer]:
    """Yield an answer for each row that has a winner, and count the others. Errors go to the log."""
    table = open_table(path, log, no_progress)
    names = [name.strip() for name in table.columns]
    for name in (*columns.needed, *(name for name, _ in columns.where)):
        if name not in names:
            log.add(1, name, f"no such column, the file has {', '.join(names)}: name one of them")
    log.refuse_any()
    places = [names.index(name) for name in columns.needed]
    wanted = [(names.index(name), value) for name, value in columns.where]
    for row in table:
        if any(row.values[place].strip() != value for place, value in wanted):
            continue
        texts = dict(zip(columns.needed, (row.values[place].strip() for place in places), strict=True))
        written = texts[columns.winner]
        if written.casefold() in NO_WINNER or columns.missing.holds(written):
            without_winner[written] += 1
            continue
        with log.catching(row.line):
            yield _answer(row, texts, columns)


def _answer(row: Row, texts: dict[str, str], columns: ComparisonColumns) -> _Answer:
    winner = texts[columns.winner].casefold().replace(" ", "_").replace("-", "_")
    winner = OTHER_WORDS.get(winner, winner)
    if winner not in OUTCOMES:
        raise BadField(columns.winner, f"{texts[columns.winner]!r} is none of {', '.join(OUTCOMES)}: replace it")
    for name in columns.needed:
        if not texts[name] and name != columns.swapped:
            raise BadField(name, "is empty: fill it in, or leave the winner of this row empty too")
    left, right = texts[columns.left], texts[columns.right]
    if left == right:
        raise BadField(columns.right, f"{left!r} is compared with itself: delete the row or correct one of the two")
    swapped = _is_swapped(texts[columns.swapped], columns.swapped) if columns.swapped else False
    found = _Answer(
        left,
        right,
        OUTCOMES[winner],
        texts[columns.annotator],
        texts[columns.cluster] if columns.cluster else str(row.line),
        tuple(_number(texts[name], name) for name in columns.covariates),
        is_sided=columns.has_sides and swapped is not None,
    )
    return _turned(found) if swapped else found


def _is_swapped(text: str, column: str) -> bool | None:
    if not text:
        return None
    if text.casefold() not in SWAPPED:
        raise BadField(column, f"{text!r} is none of {', '.join(SWAPPED)}: say whether the sides were exchanged")
    return SWAPPED[text.casefold()]


def _turned(answer: _Answer) -> _Answer:
    outcome = {LEFT: RIGHT, RIGHT: LEFT}.get(answer.outcome, answer.outcome)
    covariates = tuple(-each for each in answer.covariates)
    return replace(answer, left=answer.right, right=answer.left, outcome=outcome, covariates=covariates)


def _number(text: str, column: str) -> float:
    found = number_of(text)
    if found is None:
        raise BadField(column, f"{text!r} is not a number: a covariate is the difference of left and right")
    return found


def _comparisons(rows: list[_Answer], sources: tuple[str, ...], columns: ComparisonColumns) -> Comparisons:
    place = {name: at for at, name in enumerate(sources)}
    annotators, clusters = (
        _numbered(names) for names in zip(*((row.annotator, row.cluster) for row in rows), strict=True)
    )
    return Comparisons.of(
        len(sources),
        [place[row.left] for row in rows],
        [place[row.right] for row in rows],
        [row.outcome for row in rows],
        annotator=annotators,
        cluster=clusters,
        is_sided=[row.is_sided for row in rows],
        covariates=[row.covariates for row in rows] if columns.covariates else None,
    )


def _numbered(names: tuple[str, ...]) -> list[int]:
    known: dict[str, int] = {}
    return [known.setdefault(name, len(known)) for name in names]
