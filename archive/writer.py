"""Write a study as one zip that an empty Parley can read back.

Ratings are written first and what they refer to after them. Nothing is ever deleted, so an answer that arrives
meanwhile cannot refer to something that the archive lacks.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from django.db.models import Q

from annotation.models import Study
from archive.entries import (
    ANNOTATORS,
    ASSIGNMENTS,
    DATASHEET,
    IDS,
    ITEMS,
    METRICS,
    PREDICTIONS,
    PURPOSES,
    annotator_rows,
    assignment_rows,
    datasheet_rows,
    dialogue_lines,
    id_rows,
    item_rows,
    metric_rows,
    prediction_rows,
    purpose_rows,
    settings_of,
    study_record_text,
)
from archive.marks import HEADER as MARKS_HEADER
from archive.marks import MARKS, has_marks, mark_rows
from archive.report_files import FOLDER, MOST_RATINGS, report_files
from archive.settled import SETTLED, SETTLED_ANSWERS, settled_answer_rows, settled_rows
from protocols.bundles import readable_bundle, write_yaml
from protocols.models import Criterion, ProtocolVersion
from reporting.exports.long import columns_of, long_blocks
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Tick, csv_pieces, in_blocks, ticking, untyped
from reporting.exports.zips import entry_info

CONTENTS = {
    "ratings.csv": "One row per judgement, those too that do not count. The import of ratings reads it.",
    "assignments.csv": "Who worked on which batch: times, seat, and the comment left at the end.",
    "annotators.csv": "Annotators under their pseudonyms.",
    "predictions.csv": "What each metric says about candidates and dialogues. Metrics by their numbers in metrics.csv.",
    "metrics.csv": "Scores and labels that no person gave, those too that were deleted.",
    "datasheet.csv": "What the study's people wrote for its datasheet, by question.",
    "purposes.csv": "Dialogues that are for pilots, training or checks, and never for main work.",
    "settled.csv": "Labels on which two did not agree at first, and how each was settled.",
    "settled_answers.csv": "Answers kept with a settled label, by its number in settled.csv.",
    "marks.csv": "Items that an annotator was unsure about, or flagged: never answers. Left out where there are none.",
    "study_record.json": "How the study was conducted, as its report says it: recruitment, qualification, acceptance, pay.",
    "items.csv": "What each batch holds, in order. Tokens are those of ratings.csv.",
    "ids.csv": "Dialogues and candidates known by their ids alone.",
    "dialogues.jsonl": "Dialogues with their candidates, metadata and batches. The import of dialogues reads it.",
    "protocol.yaml": "The protocol version the study follows, as a bundle. The import of protocols reads it.",
    "settings.json": "The study's settings, sources, batches and model judges.",
}


class Archive:
    """A zip whose entries are written one after another, each hashed while it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3)
        self.hashes: dict[str, str] = {}

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        info = entry_info(name)
        digest = hashlib.sha256()
        with self._zip.open(info, "w", force_zip64=True) as entry:
            for piece in pieces:
                digest.update(piece)
                entry.write(piece)
        self.hashes[name] = digest.hexdigest()

    def close(self) -> None:
        self._zip.close()


def write_archive(study: Study, options: ExportOptions, file: IO[bytes], tick: Tick) -> None:
    whole = ExportOptions(with_names=options.with_names)
    archive = Archive(file)
    archive.add("ratings.csv", csv_pieces(columns_of(whole), ticking(long_blocks(study, whole), tick), has_mark=False))
    tables: tuple[tuple[str, Sequence[str], Iterator[Any]], ...] = (
        ("assignments.csv", ASSIGNMENTS, assignment_rows(study)),
        ("annotators.csv", ANNOTATORS, annotator_rows(study)),
        ("predictions.csv", PREDICTIONS, prediction_rows(study)),
        ("metrics.csv", METRICS, metric_rows(study)),
        ("datasheet.csv", DATASHEET, datasheet_rows(study)),
        ("purposes.csv", PURPOSES, purpose_rows(study)),
        ("items.csv", ITEMS, item_rows(study)),
        ("ids.csv", IDS, id_rows(study)),
        ("settled.csv", SETTLED, settled_rows(study)),
        ("settled_answers.csv", SETTLED_ANSWERS, settled_answer_rows(study)),
    )
    if has_marks(study):
        tables = (*tables, (MARKS, MARKS_HEADER, mark_rows(study)))
    for name, header, rows in tables:
        archive.add(name, csv_pieces(untyped(header), in_blocks(rows), has_mark=False))
    archive.add("dialogues.jsonl", dialogue_lines(study))
    archive.add("study_record.json", [study_record_text(study).encode()])
    versions = _versions(study)
    for name, version in versions.items():
        archive.add(name, [write_yaml(readable_bundle(version)).encode()])
    facts = settings_of(study, versions) | {"files": archive.hashes}
    settings = json.dumps(facts, ensure_ascii=False, indent=2) + "\n"
    archive.add("settings.json", [settings.encode()])
    for name, text in report_files(study):
        archive.add(name, [text.encode()])
    archive.add("README.txt", [_readme(study, archive.hashes).encode()])
    archive.close()


def _versions(study: Study) -> dict[str, ProtocolVersion]:
    """Return {file name: version} of the study's version and of those that older ratings and predictions are about."""
    rated = Criterion.objects.filter(ratings__batch__study=study).order_by().values("version").distinct()
    predicted = Criterion.objects.filter(metrics__study=study).order_by().values("version").distinct()
    used = ProtocolVersion.objects.filter(Q(pk__in=rated) | Q(pk__in=predicted))
    older = used.exclude(pk=study.protocol_version_id).order_by("pk")
    others = {f"protocol-{number}.yaml": version for number, version in enumerate(older, start=2)}
    return {"protocol.yaml": study.protocol_version, **others}


def _readme(study: Study, hashes: dict[str, str]) -> str:
    head = [
        f"{study.name} ({study.slug})",
        f"Protocol: {study.protocol_version}, SHA-256 {study.protocol_version.sha256}",
        "",
        "Read it into an empty Parley:  ./dev manage import_study THIS.zip",
        "Texts of the CSV files that begin with = + - @, a tab or a carriage return have an apostrophe in front.",
        f"The folder {FOLDER}/ has the report: one HTML file, JSON, LaTeX, tables and figures.",
        f"A study without answers, or with more than {MOST_RATINGS:,}, has none.",
        "",
    ]
    lines = []
    for name, digest in hashes.items():
        lines += [name, f"  {_about(name)}", f"  SHA-256 {digest}"]
    return "\n".join(head + lines) + "\n"


def _about(name: str) -> str:
    if name.startswith(f"{FOLDER}/"):
        return "Part of the report, made from the ratings of this archive. The import leaves it out."
    return CONTENTS.get(name, "An older version of the protocol that some ratings or predictions are about.")
