"""The wide table, as agreement programs read it: one row per item and criterion, one column per annotator."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from annotation.models import Participant, Rating, Study
from reporting.exports.cursors import ratings_of
from reporting.exports.legend import legend_of
from reporting.exports.long import answer_text, is_counted
from reporting.exports.options import ExportOptions

FIRST = (
    "batch", "batch_kind", "unit", "item_token", "dialogue", "conversation", "scenario", "source", "item", "criterion",
    "n",
)  # fmt: skip


def annotators_of(study: Study, options: ExportOptions) -> dict[str, str]:
    """Return {pseudonym: name of the column} for everybody who has rated anything."""
    rated = Rating.objects.filter(batch__study=study).order_by().values("assignment__participant").distinct()
    people = Participant.objects.filter(study=study, pk__in=rated).order_by("pk")
    accounts = people.values_list("pseudonym", "user__username")
    names = {who: account if options.with_names and account else who for who, account in accounts}
    return {who: f"annotator {name}" if name in FIRST else name for who, name in names.items()}


def wide_rows(study: Study, options: ExportOptions) -> Iterator[list[Any]]:
    """Yield rows of the answers that count only; otherwise a cell might need two answers."""
    legend = legend_of(study)
    places = {who: at for at, who in enumerate(annotators_of(study, options))}
    counted = (
        row
        for row in ratings_of(study, order="item", kind=options.kind)
        if is_counted(row, legend.criteria[row.criterion_id], legend)
    )
    for _key, group in groupby(counted, key=lambda row: (row.item_key, row.criterion_id)):
        rows = list(group)
        cells: list[Any] = [None] * len(places)
        for row in rows:
            if row.annotator in places:  # somebody may have joined since the header was written
                cells[places[row.annotator]] = answer_text(row, legend, options.cell)
        first = rows[0]
        yield [
            first.batch, first.kind, first.unit, first.item_token, first.dialogue, first.conversation, first.scenario,
            first.source, first.candidate, legend.criteria[first.criterion_id].key, len(rows), *cells,
        ]  # fmt: skip
