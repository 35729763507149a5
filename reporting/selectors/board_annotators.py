"""Each annotator beside the others, from the sums of the study: its cost grows with people, not with answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from annotation.figures import counted, n_counted
from annotation.models import AgreementCell, AnnotatorCell, Participant
from measures.behaviour import Speed
from measures.contributions import Contribution, Contributions, majority_tables, speeds, total_of, without_each
from measures.contributors import (
    Entropy,
    Flag,
    MajorityAgreement,
    MajorityTables,
    answer_entropy,
    flags,
    kappa_with_majority,
)
from measures.histograms import Histogram, total
from measures.leave_one_out import WithoutRater
from protocols.specs import CriterionSpec
from reporting.selectors.board import BoardData

PEOPLE = 25  # per page
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Person:
    """One annotator with everything that is known of them; the interval of kappa is there on the page shown only."""

    pk: int
    pseudonym: str
    majority: MajorityAgreement
    entropy: Entropy
    without: WithoutRater
    speed: Speed
    flag: Flag
    table: tuple[tuple[int, ...], ...]  # own answers by majority

    @property
    def reasons(self) -> tuple[str, ...]:
        return (*self.flag.reasons, *(["fast"] if self.speed.flagged else []))

    @property
    def largest_share(self) -> float | None:
        """Of all answers in the table, the annotator's and the majorities', those of the most frequent kind."""
        square = np.array(self.table)
        margins = square.sum(axis=0) + square.sum(axis=1)
        return float(margins.max() / margins.sum()) if margins.sum() else None


def people_of(data: BoardData, criteria: tuple[CriterionSpec, ...]) -> list[Person]:
    """Of criteria with the same answers: first those to look at, then by kappa from the lowest."""
    if data.total is None:
        return []
    found = _contributions(data.total.pk, criteria)
    tables = majority_tables(found, n_counted(criteria[0]))
    agreements = kappa_with_majority(tables, seed=data.study.seed, n_resamples=0)
    entropies = answer_entropy(tables.answers)
    names = dict(Participant.objects.filter(pk__in=found).values_list("pk", "pseudonym"))
    columns: list[Iterable[Any]] = [
        agreements,
        entropies,
        without_each(found, histogram_of(data.cells.get(None, {}).values(), criteria)),
        speeds(found),
        flags(agreements, entropies),
        (tuple(map(tuple, table.tolist())) for table in tables.tables),
    ]
    people = [Person(pk, names[pk], *row) for pk, *row in zip(found, *columns, strict=True)]
    return sorted(people, key=_importance)


def _importance(person: Person) -> tuple[bool, float, str]:
    kappa = person.majority.kappa.value
    return not person.reasons, 2.0 if kappa is None else kappa, person.pseudonym


def _contributions(snapshot: int, criteria: tuple[CriterionSpec, ...]) -> Contributions:
    parts: dict[int, Contributions] = {criterion.id: {} for criterion in criteria}
    rows = AnnotatorCell.objects.filter(snapshot=snapshot, criterion__in=parts)
    for criterion, participant, stored in rows.values_list("criterion", "participant", "contribution"):
        parts[criterion][participant] = Contribution.from_json(stored)
    return total_of(parts.values())


def histogram_of(cells: Iterable[AgreementCell], criteria: tuple[CriterionSpec, ...]) -> Histogram:
    """Of all sources and the given criteria, without the votes that exclude an item."""
    by_id = {criterion.id: criterion for criterion in criteria}
    parts = [
        counted(Histogram.from_json(cell.histogram, len(by_id[cell.criterion_id].options)), by_id[cell.criterion_id])[0]
        for cell in cells
        if cell.criterion_id in by_id
    ]
    return total(parts, n_counted(criteria[0]))


def with_interval(person: Person, *, seed: int) -> MajorityAgreement:
    """Kappa with the majority again, with its bootstrap interval."""
    return interval_of(person.pk, person.table, person.majority.n_tied, person.majority.n_alone, seed)


@lru_cache(maxsize=1024)  # an answer changes those who rate its batch; the others' intervals are as they were
def interval_of(pk: int, table: tuple[tuple[int, ...], ...], n_tied: int, n_alone: int, seed: int) -> MajorityAgreement:
    tables = MajorityTables(np.array([pk]), np.array([table]), np.array([n_tied]), np.array([n_alone]))
    return kappa_with_majority(tables, seed=seed, n_resamples=RESAMPLES)[0]
