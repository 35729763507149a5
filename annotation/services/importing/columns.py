"""Which column of a file of ratings holds what."""

from annotation.services.importing.outcome import BadField

ALIASES: dict[str, tuple[str, ...]] = {
    "dialogue": ("dialogue", "dialogue_id"),
    "item": ("item", "item_id", "candidate", "candidate_id"),
    "source": ("source", "model", "system"),
    "annotator": ("annotator", "annotator_id", "rater", "rater_id", "worker", "worker_id"),
    "criterion": ("criterion",),
    "value": ("value", "answer", "label"),
    "batch": ("batch",),
    "explanations": ("explanations",),
    "free_text": ("free_text",),
    "answered_at": ("answered_at",),
}
FIELDS = tuple(ALIASES)


def parse_map(text: str) -> dict[str, str]:
    """`annotator=rater,value=label`: our field, the file's column. Raises BadField."""
    mapping = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column:
            raise BadField("map", f"{part!r} must look like annotator=rater: our field, the file's column")
        mapping[name] = column
    return mapping


def map_columns(columns: list[str], wanted: dict[str, str], n_criteria: int) -> dict[str, int]:
    """The place of each field that the file has: as wanted, else by the names known. Raises BadField."""
    lowered = [column.casefold() for column in columns]
    places = {field: _wanted_place(field, column, lowered) for field, column in wanted.items()}
    taken = set(places.values())
    for field, names in ALIASES.items():
        found = [at for at, column in enumerate(lowered) if column in names and at not in taken]
        if field in places or not found:
            continue
        if len(found) > 1:
            both = " and ".join(columns[at] for at in found)
            raise BadField(field, f"could be {both}: choose it under Columns, or with --map {field}=COLUMN")
        places[field] = found[0]
    _check_needed(places, columns, n_criteria)
    return places


def _wanted_place(field: str, column: str, lowered: list[str]) -> int:
    if field not in ALIASES:
        raise BadField("map", f"{field!r} is no field: use {', '.join(FIELDS)}")
    if column.casefold() not in lowered:
        raise BadField("map", f"the file has no column {column!r}, only: {', '.join(lowered)}")
    return lowered.index(column.casefold())


def _check_needed(places: dict[str, int], columns: list[str], n_criteria: int) -> None:
    needed = ["annotator", "value", *(["criterion"] if n_criteria != 1 else [])]
    missing = [field for field in needed if field not in places]
    if not {"item", "dialogue"} & places.keys():
        missing.append("item")
    if missing:
        reason = (
            f"no column is known to hold it: name it under Columns, or with --map {missing[0]}=COLUMN. The file has: "
        )
        raise BadField(" and ".join(missing), reason + ", ".join(columns))
