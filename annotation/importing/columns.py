"""Find out which column of a file holds which field."""

from django.utils.translation import gettext as _

from annotation.importing.outcome import BadField
from parley.listing import both

ALIASES: dict[str, tuple[str, ...]] = {
    "dialogue": ("dialogue", "dialogue_id"),
    "conversation": ("conversation", "conversation_id"),
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
# The columns of our own export of ratings. None is guessed, and it has fields that files from elsewhere lack.
OWN_MARK = "protocol_sha256"
OWN_COLUMNS = {name: name for name in FIELDS} | {
    "value": "option",
    **{name: name for name in ("unit", "active_ms", "is_counted")},
}


def is_own_export(columns: list[str]) -> bool:
    return {OWN_MARK, *OWN_COLUMNS.values()} <= set(columns)


def parse_map(text: str) -> dict[str, str]:
    """Parse `annotator=rater,value=label` into {our field: the file's column}. Raise BadField."""
    mapping = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column:
            text = _("%(part)r must look like annotator=rater: Parley's field, then the file's column")
            raise BadField("map", text % {"part": part})
        mapping[name] = column
    return mapping


def map_columns(columns: list[str], wanted: dict[str, str], n_criteria: int) -> dict[str, int]:
    """Return the place of each field in a file of ratings: as wanted, otherwise by known names. Raise BadField."""
    if is_own_export(columns):
        lowered = [column.casefold() for column in columns]
        told = {field: _wanted_place(field, column, lowered, FIELDS) for field, column in wanted.items()}
        return {field: columns.index(name) for field, name in OWN_COLUMNS.items()} | told
    places = places_of_columns(columns, wanted, ALIASES)
    needed = ["annotator", "value", *(["criterion"] if n_criteria != 1 else [])]
    missing = [field for field in needed if field not in places]
    if not {"item", "dialogue"} & places.keys():
        missing.append("item")
    if missing:
        text = _("no column found: name it under Columns, or with --map %(field)s=COLUMN. The file has: %(columns)s")
        raise BadField(both(missing), text % {"field": missing[0], "columns": ", ".join(columns)})
    return places


def places_of_columns(
    columns: list[str], wanted: dict[str, str], aliases: dict[str, tuple[str, ...]]
) -> dict[str, int]:
    """Return the place of each field that the file has: as wanted, otherwise by known names. Raise BadField."""
    lowered = [column.casefold() for column in columns]
    places = {field: _wanted_place(field, column, lowered, tuple(aliases)) for field, column in wanted.items()}
    taken = set(places.values())
    for field, names in aliases.items():
        found = [at for at, column in enumerate(lowered) if column in names and at not in taken]
        if field in places or not found:
            continue
        if len(found) > 1:
            text = _("could be %(columns)s: choose one under Columns, or with --map %(field)s=COLUMN")
            raise BadField(field, text % {"columns": both(columns[at] for at in found), "field": field})
        places[field] = found[0]
    return places


def _wanted_place(field: str, column: str, lowered: list[str], fields: tuple[str, ...]) -> int:
    if field not in fields:
        text = _("%(field)r is not a field: use %(known)s")
        raise BadField("map", text % {"field": field, "known": ", ".join(fields)})
    if column.casefold() not in lowered:
        text = _("the file has no column %(column)r, only: %(columns)s")
        raise BadField("map", text % {"column": column, "columns": ", ".join(lowered)})
    return lowered.index(column.casefold())
