"""Find out which column of a file holds which field."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from annotation.importing.outcome import BadField
from parley.listing import both
from protocols.specs import CriterionSpec

ALIASES: dict[str, tuple[str, ...]] = {
    "dialogue": ("dialogue", "dialogue_id"),
    "conversation": ("conversation", "conversation_id"),
    "scenario": ("scenario", "scenario_id"),
    "item": ("item", "item_id", "candidate", "candidate_id"),
    "source": ("source", "model", "system"),
    "annotator": ("annotator", "annotator_id", "rater", "rater_id", "worker", "worker_id"),
    "criterion": ("criterion",),
    "value": ("value", "answer", "label"),
    "choices": ("choices",),
    "turns": ("turns", "marked_turns"),
    "batch": ("batch",),
    "explanations": ("explanations",),
    "free_text": ("free_text",),
    "answered_at": ("answered_at",),
}
FIELDS = tuple(ALIASES)
NONE = "-"  # in a map: the file has no column for the field, whatever its columns are called
SEVERAL = "|"  # in a map, between columns that hold the same field
MOST_NAMED = 40  # columns in an error
OF_ONE_ANSWER = ("value", "choices", "turns", "explanations", "free_text")  # in a row with one answer alone
# The columns of our own export of ratings. None is guessed, and it has fields that files from elsewhere lack.
OWN_MARK = "protocol_sha256"
OWN_COLUMNS = {name: name for name in FIELDS} | {
    "value": "option",
    **{name: name for name in ("unit", "active_ms", "is_counted")},
}
OWN_OPTIONAL = ("is_repetition",)  # exports made before comparisons lack it


def is_own_export(columns: list[str]) -> bool:
    return {OWN_MARK, *OWN_COLUMNS.values()} <= set(columns)


def parse_map(text: str) -> dict[str, str]:
    """Parse `annotator=rater,value=label` into {our field: the file's column}. Raise BadField.

    The column `-` says that the file has none; `response=gpt|llama` names two columns of one field.
    """
    mapping = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column:
            text = _("%(part)r must look like annotator=rater: Parley's field, then the file's column")
            raise BadField("map", text % {"part": part})
        mapping[name] = column
    return mapping


def rating_columns(
    columns: list[str], wanted: dict[str, str], criteria: list[CriterionSpec], n_single: int
) -> tuple[dict[str, int], dict[int, CriterionSpec]]:
    """Return the places of each field, and of each criterion where it has a column of its own. Raise BadField.

    Columns of criteria are those named in `wanted` by the criterion's key, and those called like a criterion.
    """
    by_name = {name.casefold(): each for each in criteria for name in (each.name, each.key)}
    named_by = {name: by_name[name.casefold()] for name in wanted if name not in FIELDS and name.casefold() in by_name}
    rest = {name: column for name, column in wanted.items() if name not in named_by}
    if is_own_export(columns):
        return map_columns(columns, rest, n_single), {}
    called = {at: by_name[name.casefold()] for at, name in enumerate(columns) if name.casefold() in by_name}
    wide = {
        at: each for at, each in called.items() if columns[at] not in rest.values() and each not in named_by.values()
    }
    wide |= {place_of(wanted[name], columns): each for name, each in named_by.items() if wanted[name] != NONE}
    others = ["" if at in wide else name for at, name in enumerate(columns)]
    places = places_of_columns(others, rest, ALIASES)
    if not wide or "criterion" in places or ("value" in places and len(wide) < 2 and not named_by):
        return map_columns(columns, rest, n_single), {}
    places = {name: at for name, at in places.items() if name not in OF_ONE_ANSWER}
    _refuse_missing(["annotator"], places, columns)
    return places, wide


def map_columns(columns: list[str], wanted: dict[str, str], n_criteria: int) -> dict[str, int]:
    """Return the place of each field in a file of ratings: as wanted, otherwise by known names. Raise BadField."""
    if is_own_export(columns):
        known = OWN_COLUMNS | {name: name for name in OWN_OPTIONAL if name in columns}
        return {field: columns.index(name) for field, name in known.items()} | told_places(columns, wanted, FIELDS)
    places = places_of_columns(columns, wanted, ALIASES)
    _refuse_missing(["annotator", "value", *(["criterion"] if n_criteria != 1 else [])], places, columns)
    return places


def _refuse_missing(needed: list[str], places: dict[str, int], columns: list[str]) -> None:
    missing = [field for field in needed if field not in places]
    if not {"item", "dialogue"} & places.keys():
        missing.append("item")
    if not missing:
        return
    reason = none_found(missing[0], columns)
    if {"value", "criterion"} & {*missing}:
        reason += ". " + _("If each criterion has a column, name it like the criterion, or use --map KEY=COLUMN")
    raise BadField(both(missing), reason)


def places_of_columns(
    columns: list[str], wanted: dict[str, str], aliases: dict[str, tuple[str, ...]]
) -> dict[str, int]:
    """Return the place of each field that the file has: as wanted, otherwise by known names. Raise BadField."""
    lowered = [column.casefold() for column in columns]
    places = told_places(columns, wanted, aliases)
    taken = set(places.values())
    for field, names in aliases.items():
        found = [at for at, column in enumerate(lowered) if column in names and at not in taken]
        if field in wanted or not found:
            continue
        if len(found) > 1:
            text = _("could be %(columns)s: choose one under Columns, or with --map %(field)s=COLUMN")
            raise BadField(field, text % {"columns": both(columns[at] for at in found), "field": field})
        places[field] = found[0]
    return places


def told_places(columns: list[str], wanted: Mapping[str, str], fields: Iterable[str]) -> dict[str, int]:
    """Return the places of the columns that are named, without fields that the file is said not to have."""
    unknown = sorted(wanted.keys() - set(fields))
    if unknown:
        text = _("%(field)r is not a field: use %(known)s")
        raise BadField("map", text % {"field": unknown[0], "known": ", ".join(fields)})
    return {field: place_of(column, columns) for field, column in wanted.items() if column != NONE}


def place_of(column: str, columns: list[str]) -> int:
    lowered = [name.casefold() for name in columns]
    if column.casefold() not in lowered:
        text = _("the file has no column %(column)r, only: %(columns)s")
        raise BadField("map", text % {"column": column, "columns": named(columns)})
    return lowered.index(column.casefold())


def none_found(field: str, columns: list[str]) -> str:
    text = _("no column found: name it under Columns, or with --map %(field)s=COLUMN. The file has: %(columns)s")
    return text % {"field": field, "columns": named(columns)}


def named(columns: list[str]) -> str:
    """Return the names of columns for an error: all, or the first of very many."""
    return ", ".join([*columns[:MOST_NAMED], *(["…"] if len(columns) > MOST_NAMED else [])])
