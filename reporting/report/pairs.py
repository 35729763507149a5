"""Cohen's kappa of every pair of annotators in a batch, over all their common judgements and over the strong ones."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.agreement_cells import alike, for_agreement, places_of
from annotation.pairings import in_orders_of
from measures.estimate import NO_VARIATION
from measures.pairs import PairTable
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.study.cells import Cell, StudyCells

Cells = list[tuple[Cell, CriterionSpec]]
NO_STRONG_ITEMS = "no_strong_items"


@dataclass(frozen=True, slots=True)
class Pair:
    """Cohen's kappa of two annotators over `n` common judgements of the criteria, and over the strong ones.

    A kappa is None if it is undefined, and its reason says why. `n_left_out` counts common judgements that are not on
    the scale; `n_options` are those of the scale.
    """

    batch: str
    criteria: list[str]
    annotators: list[str]
    kappa: float | None
    reason: str | None
    n: int
    n_left_out: int
    n_options: int
    strong_kappa: float | None
    strong_reason: str | None
    strong_n: int


def pairs_table(study: StudyCells, names: dict[int, str]) -> list[Pair]:
    """Return a row per pair and group of criteria: as on the board, criteria with the same options are pooled."""
    rows: list[Pair] = []
    for batch in study.batches:
        for cells in _by_kind(study, batch.pk):
            rows += sorted(_pairs(batch.key, cells, names), key=lambda row: row.annotators)
    return rows


def _pairs(batch: str, cells: Cells, names: dict[int, str]) -> Iterable[Pair]:
    table, whole, sure = _tables(cells)
    strong = {pair: (kappa, n) for pair, kappa, n in _kappas(sure)}
    n_common = {pair: sum(n for _, _, n in each) for pair, each in whole.to_json().items()}
    for pair, kappa, n in _kappas(table):
        strong_kappa, strong_n = strong.get(pair, (None, 0))
        no_strong = NO_VARIATION if pair in strong else NO_STRONG_ITEMS
        yield Pair(
            batch=batch,
            criteria=list(dict.fromkeys(criterion.key for _, criterion in cells)),
            annotators=sorted(names[int(who)] for who in pair.split(",")),
            kappa=kappa,
            reason=NO_VARIATION if kappa is None else None,
            n=n,
            n_left_out=n_common[pair] - n,
            n_options=table.n_categories,
            strong_kappa=strong_kappa,
            strong_reason=no_strong if strong_kappa is None else None,
            strong_n=strong_n,
        )


def _by_kind(study: StudyCells, batch_id: int) -> list[Cells]:
    """Return the cells of a batch, grouped by criteria with the same options, each with its criterion."""
    own = study.by_batch.get(batch_id, {})
    rated = {key[0] for key in own}
    groups = alike(tuple(criterion for criterion in study.spec.criteria if criterion.id in rated))
    return [
        [(cell, criterion) for criterion in group for key, cell in own.items() if key[0] == criterion.id]
        for group in groups
    ]


def _tables(cells: Cells) -> tuple[PairTable, PairTable, PairTable]:
    """Return the tables of answers on the scale, of all answers, and of the strong ones on the scale.

    The first and the last are in the orders in which the agreement of the batch is computed.
    """
    criterion = in_orders_of(cells[0][1], [cell.pairings for cell, _ in cells])
    whole = _total((cell.pairs for cell, _ in cells), criterion)
    if not any(_has_unsure(each) for _, each in cells):
        table = for_agreement(whole, criterion)[0]
        return table, whole, table
    sure = _total((cell.sure_pairs if _has_unsure(each) else cell.pairs for cell, each in cells), criterion)
    return for_agreement(whole, criterion)[0], whole, for_agreement(sure, criterion)[0]


def _total(stored: Iterable[str], criterion: CriterionSpec) -> PairTable:
    return PairTable.total_of_json(map(json.loads, stored), len(criterion.options))


def _has_unsure(criterion: CriterionSpec) -> bool:
    return bool(places_of(criterion, Option.Role.UNSURE))


def _kappas(table: PairTable) -> Iterable[tuple[str, float | None, int]]:
    """Yield every pair with its kappa (None if undefined) and the number of its common judgements."""
    answers = table.to_json()  # in the order of the kappas
    for (pair, cells), kappa in zip(answers.items(), table.kappas(), strict=True):
        yield pair, None if math.isnan(kappa) else float(kappa), int(sum(n for _, _, n in cells))
