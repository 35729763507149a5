"""A data set in the manner of DiQAD (E-12): JSON Lines of label, reason and turns, split with a seed."""

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import IO, Any

from annotation.models import Batch, Study
from protocols.models import Criterion
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from qualification.selectors.confirming import settled_labels
from reporting.exports.cursors import ItemRow, RatingRow, items_of, ratings_of, with_ratings
from reporting.exports.json_lines import as_line
from reporting.exports.labels import (
    REASON_RULE,
    RULE,
    SETTLED_RULE,
    TIE_RULES,
    Label,
    label_criterion,
    label_of,
    shared_by_half,
)
from reporting.exports.legend import Legend, legend_of
from reporting.exports.long import is_counted
from reporting.exports.options import ExportOptions

SEPARATOR = "#!#"
HARMLESS = "# ! #"  # what a separator within a text becomes
SPLITS = ("train", "validation", "test")
Tick = Callable[[int], None]


@dataclass(slots=True)
class Summary:
    outcomes: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)


def split_records(study: Study, options: ExportOptions, tick: Tick) -> tuple[Iterator[tuple[str, bytes]], Summary]:
    """(part, line) of every item that has a label, and what was left out.

    All lines go through a file first: how many there are decides the size of the parts. What belongs to one dialogue
    stays together, so that no test item has a neighbour in the training part.
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
    """The part of each of n dialogues, by lot; sizes are those asked for, rounded."""
    n_train = round(n * options.train / 100)
    n_validation = min(round(n * options.validation / 100), n - n_train)
    dealt = ["train"] * n_train + ["validation"] * n_validation + ["test"] * (n - n_train - n_validation)
    random.Random(seed).shuffle(dealt)  # noqa: S311 - fair, not secret
    return dealt


def _records(study: Study, options: ExportOptions, summary: Summary, tick: Tick) -> Iterator[dict[str, Any]]:
    spec, legend = spec_of(study.protocol_version), legend_of(study)
    criterion = label_criterion(spec, options.criterion)
    kind = options.kind or Batch.Kind.MAIN
    settled = settled_labels(study)
    ratings = _ticking(ratings_of(study, order="item", kind=kind), tick)
    for item, rows in with_ratings(items_of(study, kind=kind), ratings):
        if criterion is None or item.unit != criterion.unit:
            continue
        own = [row for row in rows if is_counted(row, legend.criteria[row.criterion_id], legend)]
        label = label_of(criterion, own, options.ties, settled.get((item.item_id, criterion.id)))
        summary.outcomes[label.outcome] += 1
        if label.option is not None:
            record = _record(item, own, label, spec, legend)
            summary.labels[str(record["label"])] += 1
            yield record


def _ticking(rows: Iterator[RatingRow], tick: Tick) -> Iterator[RatingRow]:
    for number, row in enumerate(rows, start=1):
        if number % 1000 == 0:
            tick(number)
        yield row


def _record(item: ItemRow, rows: list[RatingRow], label: Label, spec: VersionSpec, legend: Legend) -> dict[str, Any]:
    voted = [row for row in rows if row.assignment_id in label.voters]
    record: dict[str, Any] = {
        "dialogue": item.dialogue,
        "label": _label_value(label),
        "reason": _joined(_reasons(voted, label, spec, legend)),
        "turns": _joined(_turns(item, voted, label, spec)),
        "utterances": item.turns,
    }
    if item.candidate is not None:
        record |= {"source": item.source, "item": item.candidate, "response": item.text}
    return record | {"votes": label.votes, "metadata": item.metadata}


def _label_value(label: Label) -> int | float | str | None:
    if label.option is None:
        return None
    value = label.option.value
    if value is None:
        return label.option.key
    return int(value) if value.is_integer() else value


def _reasons(rows: list[RatingRow], label: Label, spec: VersionSpec, legend: Legend) -> list[str]:
    """Answers to questions of several choices, and predefined explanations."""
    multiple = {each.id for each in spec.criteria if each.kind == Criterion.Kind.MULTIPLE}
    n_voters = len(label.voters)
    choices = shared_by_half((row.choices for row in rows if row.criterion_id in multiple), n_voters)
    own = [row.explanations for row in rows if label.option and row.option_id == label.option.id]
    texts = [each.text for each in legend.explanations_of(shared_by_half(own, n_voters))]
    return [each.label for each in legend.options_of(choices)] + texts


def _turns(item: ItemRow, rows: list[RatingRow], label: Label, spec: VersionSpec) -> list[str]:
    """Marked turns as `number: text`, numbers from one."""
    marking: set[int] = {each.id for each in spec.criteria if _marks_turns(each)}
    marked = shared_by_half((row.turns for row in rows if row.criterion_id in marking), len(label.voters))
    return [f"{at}: {item.turns[at - 1]['text']}" for at in marked if at <= len(item.turns)]


def _marks_turns(criterion: CriterionSpec) -> bool:
    return criterion.kind == Criterion.Kind.TURNS


def _joined(texts: list[str]) -> str:
    return SEPARATOR.join(text.replace(SEPARATOR, HARMLESS) for text in texts)


def readme_of(study: Study, options: ExportOptions, summary: Summary) -> str:
    criterion = label_criterion(spec_of(study.protocol_version), options.criterion)
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
        *(f"{part}.jsonl: {summary.splits[part]} items" for part in SPLITS),
        *(f"label {label}: {n} items" for label, n in sorted(summary.labels.items())),
        f"left out: {summary.outcomes['excluded']} excluded, {summary.outcomes['tied']} tied, "
        f"{summary.outcomes['unrated']} unrated",
    ]
    return "\n".join(lines) + "\n"
