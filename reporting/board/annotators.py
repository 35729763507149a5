"""Compare each annotator with the others, from the stored sums of the study: the cost grows with the annotators,
not with their answers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from annotation.agreement_cells import counted, n_counted, on_scale
from annotation.models import AnnotatorCell, Participant
from measures.arrays import FloatArray
from measures.behaviour import Speed
from measures.cohen import in_both_orders
from measures.contributions import Contribution, Contributions, majority_tables, speeds, total_of, without_each
from measures.contributors import (
    FEWEST_ITEMS_TO_FLAG,
    Entropy,
    Flag,
    MajorityAgreement,
    MajorityTables,
    answer_entropy,
    flags,
    kappa_with_majority,
)
from measures.histograms import Histogram
from measures.intervals import guard_of
from measures.leave_one_out import WithoutRater
from protocols.specs import CriterionSpec
from reporting.board.rows import BoardCell, BoardData, pooled_criterion, summed

PEOPLE = 25  # per page
RESAMPLES = 1000
Mirror = tuple[int, ...] | None  # of comparisons of several sources, whose agreement is computed in both orders
Square = tuple[tuple[int, ...], ...]  # rows: the annotator's answers; columns: the majority of the others


@dataclass(frozen=True, slots=True)
class Person:
    """The results of one annotator; kappa has no interval here, see `with_interval`."""

    pk: int
    pseudonym: str
    majority: MajorityAgreement
    entropy: Entropy
    without: WithoutRater
    speed: Speed
    flag: Flag
    table: Square
    mirror: Mirror

    @property
    def reasons(self) -> tuple[str, ...]:
        return (*self.flag.reasons, *(["fast"] if self.speed.flagged else []))

    @property
    def square(self) -> FloatArray:
        return in_both_orders(self.table, self.mirror)


def people_of(data: BoardData, criteria: tuple[CriterionSpec, ...]) -> list[Person]:
    """Return the annotators for criteria with the same answers: flagged ones first, then from the lowest kappa up."""
    if data.total is None:
        return []
    found = _contributions(data.total.pk, criteria)
    cells = data.cells.get(None, {}).values()
    tables, mirror = majority_tables(found, n_counted(criteria[0])), mirror_of(cells, criteria)
    agreements = kappa_with_majority(tables, seed=data.study.seed, n_resamples=0, mirror=mirror)
    squares = [tuple(map(tuple, table.tolist())) for table in tables.tables]
    entropies = answer_entropy(in_both_orders(tables.tables, mirror).sum(axis=2))
    floor, seed = data.study.kappa_floor, data.study.seed
    judged = agreements
    if floor is not None:
        judged = [_bounded(each, square, mirror, floor, seed) for each, square in zip(agreements, squares, strict=True)]
    names = dict(Participant.objects.filter(study=data.study).values_list("pk", "pseudonym"))
    columns: list[Iterable[Any]] = [
        agreements,
        entropies,
        without_each(found, histogram_of(cells, criteria), mirror),
        speeds(found),
        flags(judged, entropies, threshold=floor),
        squares,
        repeat(mirror, len(found)),
    ]
    people = [Person(pk, names[pk], *row) for pk, *row in zip(found, *columns, strict=True)]
    return sorted(people, key=_importance)


def _bounded(found: MajorityAgreement, square: Square, mirror: Mirror, floor: float, seed: int) -> MajorityAgreement:
    """Return `found` with the upper limit of kappa that is compared with `floor`.

    Annotators above the floor are not resampled, which takes long for hundreds of people. Their p is at least a half,
    and such a p does not change the corrected p of the others.
    """
    kappa = found.kappa
    if kappa.value is None or kappa.n_items < FEWEST_ITEMS_TO_FLAG:
        return found
    if kappa.value < floor:
        return interval_of(found.rater, square, mirror, found.n_tied, found.n_alone, seed)
    is_bounded, _ = guard_of(in_both_orders(square, mirror))
    return replace(found, kappa=kappa.with_interval(kappa.value, kappa.value)) if is_bounded else found


def _importance(person: Person) -> tuple[bool, float, str]:
    kappa = person.majority.kappa.value
    return not person.reasons, 2.0 if kappa is None else kappa, person.pseudonym


def _contributions(snapshot: int, criteria: tuple[CriterionSpec, ...]) -> Contributions:
    parts: dict[int, Contributions] = {criterion.id: {} for criterion in criteria}
    rows = AnnotatorCell.objects.filter(snapshot=snapshot, criterion__in=parts)
    for criterion, participant, stored in rows.values_list("criterion", "participant", "contribution"):
        parts[criterion][participant] = Contribution.from_json(stored)
    return total_of(parts.values())


def histogram_of(cells: Iterable[BoardCell], criteria: tuple[CriterionSpec, ...]) -> Histogram:
    """Return the histogram of criteria with the same answers over all sources, without votes that exclude an item."""
    pooled = Histogram.from_json(summed(cells, criteria), len(criteria[0].options))
    return counted(pooled, criteria[0])[0]


def mirror_of(cells: Iterable[BoardCell], criteria: tuple[CriterionSpec, ...]) -> Mirror:
    """Return the mirror image of the answers in :func:`histogram_of` where agreement is computed in both orders."""
    return on_scale(pooled_criterion(cells, criteria)).mirror


def with_interval(person: Person, *, seed: int) -> MajorityAgreement:
    """Return the agreement with the majority again, now with the bootstrap interval of kappa."""
    return interval_of(person.pk, person.table, person.mirror, person.majority.n_tied, person.majority.n_alone, seed)


@lru_cache(maxsize=1024)  # an answer changes the annotators of its batch only; all others keep their intervals
def interval_of(pk: int, table: Square, mirror: Mirror, n_tied: int, n_alone: int, seed: int) -> MajorityAgreement:
    tables = MajorityTables(np.array([pk]), np.array([table]), np.array([n_tied]), np.array([n_alone]))
    return kappa_with_majority(tables, seed=seed, n_resamples=RESAMPLES, mirror=mirror)[0]
