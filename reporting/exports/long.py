"""The long table: one row per judgement with everything known about it. The import of ratings can read it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from annotation.importing.columns import NONE_APPLIES
from annotation.models import Study
from protocols.models import Criterion, Option
from reporting.exports.cursors import RatingRow, numbers_in, rating_blocks, utc_text
from reporting.exports.legend import CriterionName, Legend, OptionName, legend_of
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Block, Column, Values

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
    Column("conversation", "text"),
    Column("scenario", "text"),
    Column("metadata", "text"),
    Column("source", "text"),
    Column("item", "text"),
    Column("first_source", "text"),
    Column("second_source", "text"),
    Column("is_swapped", "bool"),
    Column("speaker", "text"),
    Column("criterion", "text"),
    Column("annotator", "text"),
    Column("platform_study", "text"),
    Column("value", "float"),
    Column("label", "text"),
    Column("option", "text"),
    Column("role", "text"),
    Column("preferred", "text"),
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
    Column("is_repetition", "bool"),
    Column("is_counted", "bool"),
    Column("unsure", "bool"),
    Column("flag", "text"),
)
ACCOUNT = Column("account", "text")
NOTHING = OptionName("", "", "", None)


def columns_of(options: ExportOptions) -> tuple[Column, ...]:
    return (*COLUMNS, ACCOUNT) if options.with_names else COLUMNS


def long_blocks(study: Study, options: ExportOptions) -> Iterator[Block]:
    legend = legend_of(study)
    for rows in rating_blocks(study, order="work", kind=options.kind):
        block = long_block(study.slug, rows, legend)
        yield [*block, _filled(rows.account)] if options.with_names else block


def is_counted(row: RatingRow, criterion: CriterionName, legend: Legend) -> bool:
    """Return whether agreement and report count the answer."""
    return counts(row.has_seat, row.is_active, row.is_check, criterion.version_id == legend.version_id)


def counts(has_seat: bool, is_active: bool, is_check: bool, is_current: bool) -> bool:
    """Return True for an answer from a seat, to an active question of the study's current version, not to a check."""
    return has_seat and is_active and not is_check and is_current


def repeats(is_repetition: bool, has_seat: bool, is_active: bool, is_current: bool) -> bool:
    """Return True for an answer to a comparison shown again that would count if the pair were shown once."""
    return is_repetition and counts(has_seat, is_active, False, is_current)


def long_block(study: str, rows: Any, legend: Legend) -> list[Values]:
    """Return the values of COLUMNS, column by column, for one block of cursors.rating_blocks."""
    n = len(rows.criterion_id)
    criteria = _columns(CriterionName, [legend.criteria[pk] for pk in rows.criterion_id])
    options = _columns(OptionName, [legend.options[pk] if pk else NOTHING for pk in rows.option_id])
    is_current = [version == legend.version_id for version in criteria.version_id]
    choices, turns = _named(rows.choices, legend.options, "key"), _each(numbers_in, rows.turns)
    is_none = [not any(said) for said in zip(rows.option_id, choices, turns, rows.free_text, strict=True)]
    return [
        [study] * n,
        [legend.slug] * n,
        criteria.version,
        criteria.sha256,
        rows.batch,
        rows.kind,
        rows.round,
        rows.unit,
        rows.item_token,
        _filled(rows.dialogue),
        _filled(rows.conversation),
        _filled(rows.scenario),
        _filled(rows.metadata),
        _filled(rows.source),
        _filled(rows.candidate),
        _filled(rows.first_source),
        _filled(rows.second_source),
        rows.is_swapped,
        _filled(rows.speaker),
        criteria.key,
        rows.annotator,
        _filled(rows.platform_study),
        options.value,
        _or_none(options.label, is_none),
        options.key,
        options.role,
        list(map(_preferred, options.role, rows.first_source, rows.second_source)),
        choices,
        turns,
        *(_named(rows.explanations, legend.explanations, field) for field in ("key", "text", "sub_dimension")),
        rows.free_text,
        rows.revision,
        *(list(map(utc_text, times)) for times in (rows.answered_at, rows.created_at, rows.updated_at)),
        rows.active_ms,
        rows.is_active,
        rows.has_seat,
        rows.is_excluded,
        rows.is_superseded,
        rows.is_check,
        list(map(repeats, rows.is_repetition, rows.has_seat, rows.is_active, is_current)),
        list(map(counts, rows.has_seat, rows.is_active, rows.is_check, is_current)),
        rows.is_unsure,
        rows.flag,
    ]


def _or_none(values: Values, is_none: Sequence[bool]) -> Values:
    """Return the labels, with a word for the answer that none applies; its value stays empty, as values are numbers."""
    return [NONE_APPLIES if none else value for value, none in zip(values, is_none, strict=True)]


def _preferred(role: str, first: str | None, second: str | None) -> str:
    """Return the source that the answer to a comparison prefers; empty if it prefers none."""
    return {Option.Role.LEFT: first or "", Option.Role.RIGHT: second or ""}.get(Option.Role(role), "") if role else ""


def _columns(kind: Any, names: list[Any]) -> Any:
    """Return one named tuple whose fields hold the values of all `names`."""
    return kind(*zip(*names, strict=True))


def _filled(values: Values) -> Values:
    return [value or "" for value in values]


def _named(lists: Values, names: Mapping[int, Any], field: str) -> Values:
    """Return `field` for the ids in each list; ids without a name are left out."""

    def named(written: str) -> tuple[str, ...]:
        return tuple(getattr(names[pk], field) for pk in numbers_in(written) if pk in names)

    return _each(named, lists)


def _each(made: Callable[[str], Any], values: Values) -> Values:
    """Call `made` only once for each different value: most lists are empty."""
    found = {value: made(value) for value in set(values)}
    return [found[value] for value in values]


def answer_text(row: RatingRow, legend: Legend, cell: str) -> str | float | None:
    """Return an answer for one cell; several choices or marked turns are joined by bars."""
    if not (row.option_id or row.choices or row.turns):
        return NONE_APPLIES  # a cell without an answer is empty
    if legend.criteria[row.criterion_id].kind == Criterion.Kind.TURNS:
        return "|".join(map(str, row.turns))
    if row.option_id is None:
        return "|".join(each.label if cell == "label" else each.key for each in legend.options_of(row.choices))
    option = legend.options[row.option_id]
    if cell == "value" and option.value is not None:
        return option.value
    return option.label if cell == "label" else option.key
