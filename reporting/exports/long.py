"""Tidy: one row per judgement, with everything that is known of it. The import of ratings reads it back."""

from collections.abc import Iterator
from typing import Any

from annotation.models import Study
from protocols.models import Criterion
from reporting.exports.cursors import RatingRow, ratings_of
from reporting.exports.legend import CriterionName, Legend, OptionName, legend_of
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Column

COLUMNS = (
    Column("study", "text"),
    Column("protocol", "text"),
    Column("protocol_version", "text"),
    Column("protocol_sha256", "text"),
    Column("batch", "text"),
    Column("batch_kind", "text"),
    Column("round", "int"),
    Column("unit", "text"),
    Column("item_token", "text"),
    Column("dialogue", "text"),
    Column("source", "text"),
    Column("item", "text"),
    Column("criterion", "text"),
    Column("annotator", "text"),
    Column("value", "float"),
    Column("label", "text"),
    Column("option", "text"),
    Column("role", "text"),
    Column("choices", "texts"),
    Column("turns", "ints"),
    Column("explanations", "texts"),
    Column("explanation_texts", "texts"),
    Column("sub_dimensions", "texts"),
    Column("free_text", "text"),
    Column("revision", "int"),
    Column("answered_at", "time"),
    Column("created_at", "time"),
    Column("updated_at", "time"),
    Column("active_ms", "int"),
    Column("is_active", "bool"),
    Column("has_seat", "bool"),
    Column("is_excluded", "bool"),
    Column("is_superseded", "bool"),
    Column("is_check", "bool"),
    Column("is_counted", "bool"),
)
ACCOUNT = Column("account", "text")
NOTHING = OptionName("", "", "", None)


def columns_of(options: ExportOptions) -> tuple[Column, ...]:
    return (*COLUMNS, ACCOUNT) if options.with_names else COLUMNS


def long_rows(study: Study, options: ExportOptions) -> Iterator[list[Any]]:
    legend = legend_of(study)
    for row in ratings_of(study, order="work", kind=options.kind):
        values = long_row(study.slug, row, legend)
        yield [*values, row.account or ""] if options.with_names else values


def is_counted(row: RatingRow, criterion: CriterionName, legend: Legend) -> bool:
    """What agreement and report count: a seat, a question that is asked, no known answer, the study's version."""
    return row.has_seat and row.is_active and not row.is_check and criterion.version_id == legend.version_id


def long_row(study: str, row: RatingRow, legend: Legend) -> list[Any]:
    criterion = legend.criteria[row.criterion_id]
    option = legend.options[row.option_id] if row.option_id else NOTHING
    reasons = legend.explanations_of(row.explanations)
    return [
        study,
        legend.slug,
        criterion.version,
        criterion.sha256,
        row.batch,
        row.kind,
        row.round,
        row.unit,
        row.item_token,
        row.dialogue or "",
        row.source or "",
        row.candidate or "",
        criterion.key,
        row.annotator,
        option.value,
        option.label,
        option.key,
        option.role,
        [each.key for each in legend.options_of(row.choices)],
        row.turns,
        [each.key for each in reasons],
        [each.text for each in reasons],
        [each.sub_dimension for each in reasons],
        row.free_text,
        row.revision,
        row.answered_at,
        row.created_at,
        row.updated_at,
        row.active_ms,
        row.is_active,
        row.has_seat,
        row.is_excluded,
        row.is_superseded,
        row.is_check,
        is_counted(row, criterion, legend),
    ]


def answer_text(row: RatingRow, legend: Legend, cell: str) -> str | float | None:
    """An answer in one cell: of several choices and marked turns all, with bars between them."""
    if legend.criteria[row.criterion_id].kind == Criterion.Kind.TURNS:
        return "|".join(map(str, row.turns))
    if row.option_id is None:
        return "|".join(each.label if cell == "label" else each.key for each in legend.options_of(row.choices))
    option = legend.options[row.option_id]
    if cell == "value" and option.value is not None:
        return option.value
    return option.label if cell == "label" else option.key
