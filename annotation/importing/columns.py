"""Find out which column of a file holds which field."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from django.utils.translation import gettext as _

from annotation.importing.answer_cells import asked_in_file, importable, with_one_option
from annotation.importing.outcome import BadField, Remedy
from annotation.importing.remedies import (
    choose_columns,
    name_criterion,
    or_column_each,
    or_scenario,
    with_source_or_item,
)
from parley.listing import both, either
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec

ALIASES: dict[str, tuple[str, ...]] = {
    "dialogue": ("dialogue", "dialogue_id", "dialog_id"),
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
# Of a protocol that compares, the two sources and the one that won.
PAIR_ALIASES: dict[str, tuple[str, ...]] = {
    **{name: names for name, names in ALIASES.items() if name not in ("item", "source", "choices", "turns")},
    "left": ("left", "left_source", "left_model", "source_a", "model_a", "system_a", "first_source"),
    "right": ("right", "right_source", "right_model", "source_b", "model_b", "system_b", "second_source"),
    "is_swapped": ("is_swapped", "swapped"),
    "value": (*ALIASES["value"], "winner", "preference", "preferred"),
}
FIELDS = (*ALIASES, "left", "right", "is_swapped")
NONE = "-"  # in a map: the file has no column for the field, whatever its columns are called
NONE_APPLIES = "none"  # in a cell: the answer that none applies, unless an option is called so; our export writes it
BETWEEN_WORDS = re.compile(r"[\s_-]+")  # words in the name of a column; camel case has nothing there
SEVERAL = "|"  # in a map, between columns that hold the same field
MOST_NAMED = 40  # columns in an error
OF_ONE_ANSWER = ("value", "choices", "turns", "explanations", "free_text")  # in a row with one answer alone
# The columns of our own export of ratings. None is guessed, and it has fields that files from elsewhere lack.
OWN_MARK = "protocol_sha256"
OWN_STUDY = "study"
OWN_COLUMNS = {name: name for name in ALIASES} | {
    "value": "option",
    **{name: name for name in ("unit", "active_ms", "is_counted")},
}
# Exports made before comparisons lack these.
OWN_OPTIONAL = ("is_repetition", "first_source", "second_source", "is_swapped")


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


def aliases_of(criteria: Iterable[CriterionSpec]) -> dict[str, tuple[str, ...]]:
    """Return our fields of a file of ratings, with the usual names of their columns."""
    return PAIR_ALIASES if {each.unit for each in criteria} == {ProtocolVersion.Unit.COMPARISON} else ALIASES


def columns_of_ratings(
    columns: list[str], wanted: dict[str, str], spec: VersionSpec, criterion: str = ""
) -> tuple[dict[str, int], dict[int, CriterionSpec]]:
    """Return what `rating_columns` does. All rows answer `criterion`, if one is named. Raise BadField."""
    criteria = asked_in_file(spec, criterion)
    n_single = 1 if criterion else len(with_one_option(criteria))
    places, wide = rating_columns(columns, wanted, criteria, n_single)
    if criterion and "criterion" in places:
        text = _("each row names its criterion in the column %(column)r: name none for the whole file")
        raise BadField("criterion", text % {"column": columns[places["criterion"]]})
    return places, wide


def rating_columns(
    columns: list[str], wanted: dict[str, str], criteria: list[CriterionSpec], n_single: int
) -> tuple[dict[str, int], dict[int, CriterionSpec]]:
    """Return the places of each field, and of each criterion where it has a column of its own. Raise BadField.

    Columns of criteria are those named in `wanted` by the criterion's key, and those called like a criterion.
    """
    by_name = {plain(name): each for each in criteria for name in (each.name, each.key)}
    named_by = {name: by_name[plain(name)] for name in wanted if name not in FIELDS and plain(name) in by_name}
    rest = {name: column for name, column in wanted.items() if name not in named_by}
    aliases = aliases_of(criteria)
    if is_own_export(columns):
        return map_columns(columns, rest, n_single), {}
    called = {at: by_name[plain(name)] for at, name in enumerate(columns) if plain(name) in by_name}
    wide = {
        at: each for at, each in called.items() if columns[at] not in rest.values() and each not in named_by.values()
    }
    wide |= {place_of(wanted[name], columns): each for name, each in named_by.items() if wanted[name] != NONE}
    others = ["" if at in wide else name for at, name in enumerate(columns)]
    places = places_of_columns(others, rest, aliases)
    if not wide or "criterion" in places or ("value" in places and len(wide) < 2 and not named_by):
        return map_columns(columns, rest, n_single, aliases), {}
    places = {name: at for name, at in places.items() if name not in OF_ONE_ANSWER}
    _refuse_missing(["annotator"], places, columns, aliases)
    return places, wide


def map_columns(
    columns: list[str], wanted: dict[str, str], n_criteria: int, aliases: dict[str, tuple[str, ...]] = ALIASES
) -> dict[str, int]:
    """Return the place of each field in a file of ratings: as wanted, otherwise by known names. Raise BadField."""
    if is_own_export(columns):
        known = OWN_COLUMNS | {name: name for name in OWN_OPTIONAL if name in columns}
        return {field: columns.index(name) for field, name in known.items()} | told_places(columns, wanted, FIELDS)
    places = places_of_columns(columns, wanted, aliases)
    needed = ["annotator", "value", *(["criterion"] if n_criteria != 1 else [])]
    _refuse_missing(needed, places, columns, aliases)
    return places


def _refuse_missing(
    needed: list[str], places: dict[str, int], columns: list[str], aliases: dict[str, tuple[str, ...]]
) -> None:
    if aliases is PAIR_ALIASES:
        needed = [*(["dialogue"] if "scenario" not in places else []), "left", "right", *needed]
    missing = [field for field in needed if field not in places]
    is_unnamed = aliases is ALIASES and not {"item", "dialogue"} & places.keys()
    if is_unnamed:
        missing.append("dialogue")
    if not missing:
        return
    remedy = choose_columns(*missing)
    if is_unnamed:
        remedy = with_source_or_item(remedy)
    if aliases is PAIR_ALIASES and "dialogue" in missing:
        remedy = or_scenario(remedy)
    if {"value", "criterion"} & {*missing}:
        remedy = or_column_each(remedy)
    if "criterion" in missing:
        remedy = name_criterion(remedy)
    raise BadField(both(missing), none_found(missing, columns, aliases), remedy)


def guessed_columns(columns: list[str], spec: VersionSpec | None) -> dict[str, int]:
    """Return the columns that can be recognised before it is known which one names the annotator. Raise BadField."""
    criteria = importable(spec) if spec else []
    by_name = {plain(name): each.key for each in criteria for name in (each.name, each.key)}
    called = {by_name[plain(name)]: at for at, name in enumerate(columns) if plain(name) in by_name}
    others = ["" if at in called.values() else name for at, name in enumerate(columns)]
    return places_of_columns(others, {}, aliases_of(criteria)) | called


def plain(name: str) -> str:
    """Return a name as it is compared: WorkerId, worker id and worker-id are worker_id."""
    return BETWEEN_WORDS.sub("", name).casefold()


def places_of_columns(
    columns: list[str],
    wanted: dict[str, str],
    aliases: dict[str, tuple[str, ...]],
    choose: Callable[[str], Remedy] = choose_columns,
) -> dict[str, int]:
    """Return the place of each field that the file has: as wanted, otherwise by known names. Raise BadField.

    `choose` says how to choose the column of a field that could be several.
    """
    called = [plain(column) for column in columns]
    places = told_places(columns, wanted, aliases)
    taken = set(places.values())
    for field, names in aliases.items():
        usual = {plain(name) for name in names}
        found = [at for at, column in enumerate(called) if column in usual and at not in taken]
        if field in wanted or not found:
            continue
        if len(found) > 1:
            text = _("could be %(columns)s")
            named_so = either(columns[at] for at in found)
            raise BadField(field, text % {"columns": named_so}, choose(field))
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


def none_found(fields: Sequence[str], columns: list[str], aliases: Mapping[str, tuple[str, ...]]) -> str:
    """Return that the file has no column for the fields, with the names that are recognised and those that it has."""
    known = [either(aliases[field]) for field in fields]
    if len(fields) > 1:
        text = _("%(names)s for %(field)s")
        known = [text % {"names": names, "field": field} for names, field in zip(known, fields, strict=True)]
    text = _("no column has a recognised name (%(known)s); the file has: %(columns)s")
    return text % {"known": "; ".join(known), "columns": named(columns)}


def none_left(names: Iterable[str], unused: list[str]) -> str:
    """Return that no column has one of these names, with the columns that may be meant, if any is left."""
    if not unused:
        return _("no column has a recognised name (%(known)s)") % {"known": either(names)}
    text = _("no column has a recognised name (%(known)s); columns not used yet: %(columns)s")
    return text % {"known": either(names), "columns": named(unused)}


def named(columns: list[str]) -> str:
    """Return the names of columns for an error: all, or the first of very many."""
    return ", ".join([*columns[:MOST_NAMED], *(["…"] if len(columns) > MOST_NAMED else [])])
