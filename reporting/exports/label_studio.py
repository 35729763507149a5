"""Export tasks and annotations in Label Studio's JSON format: one list, written task by task."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import orjson

from annotation.models import Study
from protocols.models import Criterion, ProtocolVersion
from reporting.exports.cursors import ItemRow, RatingRow, items_of, ratings_of, with_ratings
from reporting.exports.legend import Legend, legend_of
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Tick, time_text

TO_NAME = "item"


def label_studio_pieces(study: Study, options: ExportOptions, tick: Tick) -> Iterator[bytes]:
    legend = legend_of(study)
    ratings = ratings_of(study, order="item_work", kind=options.kind)
    before, n_rows = b"[\n", 0
    for number, (item, rows) in enumerate(with_ratings(items_of(study, kind=options.kind), ratings), start=1):
        works = [list(group) for _, group in groupby(rows, key=lambda row: row.assignment_id)]
        annotations = [_annotation(work, legend, options) for work in works]
        task = {"id": number, "data": _data(item), "annotations": annotations, "predictions": []}
        yield before + orjson.dumps(task)
        before = b",\n"
        n_rows += len(rows)
        tick(n_rows)
    yield b"\n]\n" if before == b",\n" else b"[]\n"


def _data(item: ItemRow) -> dict[str, Any]:
    data: dict[str, Any] = {
        "batch": item.batch,
        "batch_kind": item.kind,
        "unit": item.unit,
        "item_token": item.item_token,
        "dialogue": item.dialogue,
        "conversation": item.conversation,
        "scenario": item.scenario,
        "source": item.source,
        "asker": item.asker,
        "history": item.turns,
        "context": item.context,
        "metadata": item.metadata,
    }
    if item.candidate is not None:
        data |= {"item": item.candidate, "speaker": item.speaker, "response": item.text, "above": item.above}
    if item.dialogues:
        data["dialogues"] = item.dialogues
    elif item.shown:
        data["responses"] = [text for _dialogue, _candidate, text, _turns in item.shown]
    if item.unit == ProtocolVersion.Unit.MODEL:
        data["histories"] = [turns for _dialogue, _candidate, _text, turns in item.shown]
    return data


def _annotation(work: list[RatingRow], legend: Legend, options: ExportOptions) -> dict[str, Any]:
    """Return all answers of one annotator to one item; `was_cancelled` means that none of them counts any more."""
    first = work[0]
    return {
        "result": [result for row in work if row.is_active for result in _results(row, legend)],
        "completed_by": first.account if options.with_names and first.account else first.annotator,
        "lead_time": sum(row.active_ms or 0 for row in work) / 1000,
        "was_cancelled": not first.has_seat,
        "ground_truth": False,
        "created_at": time_text(min(row.created_at for row in work)),
        "updated_at": time_text(max(row.updated_at for row in work)),
    }


def _results(row: RatingRow, legend: Legend) -> Iterator[dict[str, Any]]:
    criterion = legend.criteria[row.criterion_id]
    if criterion.kind == Criterion.Kind.TURNS:
        for turn in row.turns:  # Label Studio counts paragraphs from 0, in texts
            place = {"start": str(turn - 1), "end": str(turn - 1), "paragraphlabels": [criterion.key]}
            yield _result(criterion.key, "paragraphlabels", place)
        return
    chosen = legend.options_of([row.option_id] if row.option_id else row.choices)
    yield _result(criterion.key, "choices", {"choices": [option.label for option in chosen]})
    if row.explanations:
        reasons = [each.text for each in legend.explanations_of(row.explanations)]
        yield _result(f"{criterion.key}_reasons", "choices", {"choices": reasons})
    if row.free_text:
        yield _result(f"{criterion.key}_text", "textarea", {"text": [row.free_text]})


def _result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": TO_NAME, "type": kind, "value": value}
