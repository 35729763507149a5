"""Export a data set in the style of DiQAD: JSON Lines of label, reason and turns, split with a seed."""

import json
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import IO, Any

from annotation.data_set import SEPARATOR, joined
from annotation.models import Batch, Study
from protocols.models import Criterion
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from qualification.adjudication.selectors.disagreements import Settled, settled_labels
from reporting.exports.cursors import ItemRow, RatingRow, items_of, ratings_of, with_ratings
from reporting.exports.json_lines import as_line
from reporting.exports.labels import (
    DECIDED_BY,
    REASON_RULE,
    RULE,
    SETTLED_RULE,
    TIE_RULES,
    Answer,
    Label,
    label_of,
    shared_by_half,
)
from reporting.exports.legend import Legend, legend_of
from reporting.exports.long import is_counted
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Tick
from reporting.study.data_set import DataSet
from reporting.study.plain import plain

SPLITS = ("train", "validation", "test")


@dataclass(slots=True)
class Summary:
    outcomes: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    decided_by: Counter[str] = field(default_factory=Counter)
    data_set: DataSet = field(default_factory=DataSet)


def split_records(study: Study, options: ExportOptions, tick: Tick) -> tuple[Iterator[tuple[str, bytes]], Summary]:
    """Return (part, line) for every item that has a label, and a summary that also counts the items left out.

    All lines are written to a temporary file first, because the number of dialogues decides the size of the parts. The
    items of a dialogue stay together, so that no test item has a neighbour in the training part.
    """
    summary = Summary()
    file: IO[bytes] = tempfile.TemporaryFile(buffering=1024 * 1024)  # noqa: SIM115 - read by the caller
    sizes = []
    for _dialogue, group in groupby(_records(study, options, summary, tick), key=lambda record: record["dialogue"]):
        lines = [as_line(record) for record in group]
        file.writelines(lines)
        sizes.append(len(lines))
    parts = deal_parts(len(sizes), options, study.seed if options.seed is None else options.seed)
    for part, n in zip(parts, sizes, strict=True):
        summary.splits[part] += n
    return _read_back(file, parts, sizes), summary


def _read_back(file: IO[bytes], parts: list[str], sizes: list[int]) -> Iterator[tuple[str, bytes]]:
    with file:
        file.seek(0)
        for part, n in zip(parts, sizes, strict=True):
            for _ in range(n):
                yield part, file.readline()


def deal_parts(n: int, options: ExportOptions, seed: int) -> list[str]:
    """Draw the part of each of n dialogues at random; the parts have the requested sizes, rounded."""
    n_train = round(n * options.train / 100)
    n_validation = min(round(n * options.validation / 100), n - n_train)
    dealt = ["train"] * n_train + ["validation"] * n_validation + ["test"] * (n - n_train - n_validation)
    random.Random(seed).shuffle(dealt)  # noqa: S311 - fair, not secret
    return dealt


def _records(study: Study, options: ExportOptions, summary: Summary, tick: Tick) -> Iterator[dict[str, Any]]:
    spec, legend = spec_of(study.protocol_version), legend_of(study)
    criterion = spec.label_criterion(options.criterion)
    kind = options.kind or Batch.Kind.MAIN
    settled, previous = settled_labels(study), None
    ratings = _ticking(ratings_of(study, order="item", kind=kind), tick)
    for item, rows in with_ratings(items_of(study, kind=kind), ratings):
        if criterion is None or item.unit != criterion.unit:
            continue
        own = [row for row in rows if is_counted(row, legend.criteria[row.criterion_id], legend)]
        of_item = {each.id: found for each in spec.voted if (found := settled.get((item.item_id, each.id)))}
        label = label_of(criterion, own, options.ties, of_item.get(criterion.id))
        summary.outcomes[label.outcome] += 1
        if label.option is not None:
            given = label.backing if criterion.id in of_item else own
            answers = _other_answers(item, criterion, spec, given, of_item, options.ties)
            record = _record(item, label, spec, legend) | {"answers": answers}
            summary.decided_by[label.decided_by] += 1
            summary.labels[str(record["label"])] += 1
            if record["dialogue"] != previous:
                summary.data_set.add(item.turns, item.metadata, item.asker)
            previous = record["dialogue"]
            yield record


def _other_answers(
    item: ItemRow,
    criterion: CriterionSpec,
    spec: VersionSpec,
    rows: Sequence[Answer],
    settled: dict[int, Settled],
    ties: str,
) -> dict[str, Any]:
    """Return the answers to the other questions with one option; with a settled label, those given together with it."""
    others = [each for each in spec.voted if each.unit == item.unit and each != criterion]
    labels = {each.key: label_of(each, rows, ties, settled.get(each.id)) for each in others}
    return {key: _label_value(label) for key, label in labels.items() if label.option}


def _ticking(rows: Iterator[RatingRow], tick: Tick) -> Iterator[RatingRow]:
    for number, row in enumerate(rows, start=1):
        if number % 1000 == 0:
            tick(number)
        yield row


def _record(item: ItemRow, label: Label, spec: VersionSpec, legend: Legend) -> dict[str, Any]:
    record: dict[str, Any] = {
        "dialogue": item.dialogue,
        "conversation": item.conversation,
        "scenario": item.scenario,
        "label": _label_value(label),
        "decided_by": label.decided_by,
        "reason": joined(_reasons(label, spec, legend)),
        "turns": joined(_turns(item, label, spec)),
        "asker": item.asker,
        "utterances": item.turns,
        "context": item.context,
    }
    if item.candidate is None and item.source is not None:
        record["source"] = item.source
    if item.candidate is not None:
        record |= {"source": item.source, "item": item.candidate, "speaker": item.speaker, "response": item.text}
        record["above"] = item.above
    if item.dialogues:
        record["dialogues"] = item.dialogues
    return record | {"votes": label.votes, "metadata": item.metadata}


def _label_value(label: Label) -> int | float | str | None:
    if label.option is None:
        return None
    value = label.option.value
    if value is None:
        return label.option.key
    return int(value) if value.is_integer() else value


def _reasons(label: Label, spec: VersionSpec, legend: Legend) -> list[str]:
    """Return the choices and predefined explanations that at least half of the label's annotators gave."""
    multiple = {each.id for each in spec.criteria if each.kind == Criterion.Kind.MULTIPLE}
    choices = shared_by_half((row.choices for row in label.backing if row.criterion_id in multiple), label.n_voters)
    own = [row.explanations for row in label.backing if label.option and row.option_id == label.option.id]
    texts = [each.text for each in legend.explanations_of(shared_by_half(own, label.n_voters))]
    return [each.label for each in legend.options_of(choices)] + texts


def _turns(item: ItemRow, label: Label, spec: VersionSpec) -> list[str]:
    """Return the turns that at least half of the label's annotators marked, as `number: text`, counted from one."""
    marking: set[int] = {each.id for each in spec.criteria if each.kind == Criterion.Kind.TURNS}
    marked = shared_by_half((row.turns for row in label.backing if row.criterion_id in marking), label.n_voters)
    return [f"{at}: {item.turns[at - 1]['text']}" for at in marked if at <= len(item.turns)]


def statistics_of(summary: Summary) -> bytes:
    """Return the statistics of the exported data set as a JSON document."""
    summary.data_set.labels = summary.labels
    figures = plain(summary.data_set.figures()) | {
        "parts": dict(summary.splits),
        "decided_by": dict(summary.decided_by),
    }
    return (json.dumps(figures, ensure_ascii=False, indent=2) + "\n").encode()


def readme_of(study: Study, options: ExportOptions, summary: Summary) -> str:
    criterion = spec_of(study.protocol_version).label_criterion(options.criterion)
    seed = study.seed if options.seed is None else options.seed
    test = 100 - options.train - options.validation
    lines = [
        f"{study.name}: {study.protocol_version}, SHA-256 {study.protocol_version.sha256}",
        "",
        f"label: the answer to {criterion.key if criterion else '-'}. {RULE}",
        TIE_RULES[options.ties],
        SETTLED_RULE,
        f"reason, turns: several are joined by {SEPARATOR}. {REASON_RULE}",
        f"Parts: {options.train} / {options.validation} / {test} per cent of the dialogues, by lot with seed {seed};",
        "all items of a dialogue are in the same part. Answers count while their annotator holds a seat.",
        "",
        "statistics.json: dialogues, utterances, turns and tokens, and the mix of domains, topics and labels.",
        *(f"{part}.jsonl: {summary.splits[part]} items" for part in SPLITS),
        *(f"label {label}: {n} items" for label, n in sorted(summary.labels.items())),
        "",
        "decided_by: how the label became final.",
        *(f"{how}: {summary.decided_by[how]} items, {words}" for how, words in DECIDED_BY.items()),
        "answers: the answers to the other questions with one option, by the same rules.",
        "",
        f"left out: {summary.outcomes['excluded']} excluded, {summary.outcomes['tied']} tied, "
        f"{summary.outcomes['unrated']} unrated",
    ]
    return "\n".join(lines) + "\n"
