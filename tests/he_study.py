"""The simulated study of the he-protocol: 42 dialogues, 5 sources, 4 batches, 5,880 ratings, written through models."""

import csv
import gzip
import json
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from annotation.models import Assignment, Batch, Candidate, Dialogue, Item, Participant, Rating, Seat, Source, Study
from measures.mixed.design import Ratings
from protocols.specs import CriterionSpec, spec_of
from tests.factories import StudyFactory
from tests.factories_protocols import make_he_version

DATA = Path(__file__).parent / "data" / "he_protocol_sim"
SOURCES = ("ground_truth", "geppetto", "geppetto_knowledge", "it5", "it5_knowledge")
Row = dict[str, str]


def expected() -> dict[str, Any]:
    return json.loads((DATA / "expected.json").read_text())


def he_rows() -> list[Row]:
    with gzip.open(DATA / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def load_he_study(*, now: datetime, rows: list[Row] | None = None, **fields: Any) -> Study:
    """All seats finished, nothing measured yet. `rows`: other ratings of the same material."""
    rows = he_rows() if rows is None else rows
    study = StudyFactory(**{"seats": 7, "protocol_version": make_he_version(), **fields})
    sources = {
        key: Source.objects.create(
            study=study, key=key, name=key.replace("_", " ").capitalize(), is_reference=not at, position=at
        )
        for at, key in enumerate(SOURCES)
    }
    names = sorted({row["annotator"] for row in rows})
    people = {name: Participant(study=study, pseudonym=name, is_imported=True, status="cleared") for name in names}
    Participant.objects.bulk_create(people.values())
    for position, (key, part) in enumerate(groupby(rows, key=itemgetter("batch"))):
        _load_batch(study, key, position, list(part), sources, people, now)
    return study


def _load_batch(
    study: Study, key: str, position: int, rows: list[Row], sources: dict, people: dict, now: datetime
) -> None:
    batch = Batch.objects.create(study=study, key=key, status="open", position=position, ratings_version=1)
    items = _load_items(study, batch, rows, sources)
    assignments = {}
    for number, name in enumerate(sorted({row["annotator"] for row in rows}), start=1):
        assignments[name] = Assignment.objects.create(
            batch=batch, participant=people[name], status="submitted", claimed_at=now, submitted_at=now
        )
        Seat.objects.create(batch=batch, number=number, assignment=assignments[name])
    spec = spec_of(study.protocol_version)
    times = {"answered_at": now, "created_at": now, "updated_at": now}
    Rating.objects.bulk_create(
        Rating(
            assignment=assignments[row["annotator"]],
            item=items[row["candidate_id"]],
            criterion_id=spec.by_key[row["criterion"]].id,
            batch=batch,
            option_id=_option(spec.by_key[row["criterion"]], row["answer"]),
            **times,
        )
        for row in rows
    )


def _load_items(study: Study, batch: Batch, rows: list[Row], sources: dict[str, Source]) -> dict[str, Item]:
    """{candidate: its item}, in the order of the rows."""
    before = study.dialogues.count()
    dialogues = {key: Dialogue(study=study, key=key, is_textless=True) for key in _once(rows, "dialogue_id")}
    for position, dialogue in enumerate(dialogues.values()):
        dialogue.position = before + position
    Dialogue.objects.bulk_create(dialogues.values())
    candidates = Candidate.objects.bulk_create(
        Candidate(dialogue=dialogues[row["dialogue_id"]], source=sources[row["source"]], key=key)
        for key, row in _once(rows, "candidate_id").items()
    )
    items = Item.objects.bulk_create(
        Item(batch=batch, dialogue=each.dialogue, candidate=each, source=each.source,
             position=each.dialogue.position - before + 1)
        for each in candidates
    )  # fmt: skip
    Batch.objects.filter(pk=batch.pk).update(n_items=len(items))
    return {item.candidate.key: item for item in items}


def _once(rows: list[Row], column: str) -> dict[str, Row]:
    """The first row with each value of a column."""
    found: dict[str, Row] = {}
    for row in rows:
        found.setdefault(row[column], row)
    return found


def _option(criterion: CriterionSpec, answer: str) -> int:
    return next(option.id for option in criterion.options if option.label.lower() == answer.lower())


def he_ratings(criterion: str, rows: list[Row] | None = None, sources: tuple[str, ...] = SOURCES) -> Ratings:
    """The answers about these sources from the file: 1 for the positive answer, 0 for any other."""
    rows = [
        row
        for row in (he_rows() if rows is None else rows)
        if row["criterion"] == criterion and row["source"] in sources
    ]
    annotator, dialogue = (
        np.unique([row[name] for row in rows], return_inverse=True)[1] for name in ("annotator", "dialogue_id")
    )
    value = np.array([float(not row["answer"].lower().startswith(("not ", "i don"))) for row in rows])
    return Ratings(np.array([sources.index(row["source"]) for row in rows]), annotator, dialogue, dialogue, value)
