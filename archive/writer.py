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
from archive import comparisons, entries, marks, settled
from archive.report_files import FOLDER, MOST_RATINGS, report_files
from protocols.bundles import readable_bundle, write_yaml
from protocols.models import Criterion, ProtocolVersion
from reporting.exports.cursors import stream
from reporting.exports.long import columns_of, long_blocks
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Tick, csv_pieces, in_blocks, ticking, untyped
from reporting.exports.zips import entry_info
from reporting.record.record import study_record_of
from reporting.study.facts import people_as_archived

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
    "shuffled.csv": "Whose screens were in an order of their own, which follows from the seed of their work.",
    "sides.csv": "Comparisons whose second candidate stood on the left, by annotator. Left out where there are none.",
    "identical_pairs.csv": "Pairs of equal texts, which were dealt and not shown. Left out where there are none.",
    "study_record.json": (
        "How the study was conducted, as its report says it: recruitment, qualification, acceptance, pay."
    ),
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

    def rows_of(sql: str) -> Iterator[Any]:
        return stream(sql, [study.pk])

    tables: list[tuple[str, Sequence[str], Iterator[Any]]] = [
        ("assignments.csv", entries.ASSIGNMENTS, rows_of(entries.ASSIGNMENT_ROWS)),
        ("annotators.csv", entries.ANNOTATORS, rows_of(entries.ANNOTATOR_ROWS)),
        ("predictions.csv", entries.PREDICTIONS, rows_of(entries.PREDICTION_ROWS)),
        ("metrics.csv", entries.METRICS, rows_of(entries.METRIC_ROWS)),
        ("datasheet.csv", entries.DATASHEET, rows_of(entries.DATASHEET_ROWS)),
        ("purposes.csv", entries.PURPOSES, rows_of(entries.PURPOSE_ROWS)),
        ("items.csv", entries.ITEMS, entries.item_rows(study)),
        ("ids.csv", entries.IDS, rows_of(entries.ID_ROWS)),
        ("settled.csv", settled.SETTLED, rows_of(settled.SETTLED_ROWS)),
        ("settled_answers.csv", settled.SETTLED_ANSWERS, rows_of(settled.ANSWER_ROWS)),
    ]
    if comparisons.has_comparisons(study):
        tables.append((comparisons.SHUFFLED, comparisons.SHUFFLED_HEADER, comparisons.shuffled_rows(study)))
        tables.append((comparisons.SIDES, comparisons.SIDES_HEADER, comparisons.side_rows(study)))
        tables.append((comparisons.IDENTICAL, comparisons.IDENTICAL_HEADER, comparisons.identical_rows(study)))
    if marks.has_marks(study):
        tables.append((marks.MARKS, marks.HEADER, marks.mark_rows(study)))
    for name, header, rows in tables:
        archive.add(name, csv_pieces(untyped(header), in_blocks(rows), has_mark=False))
    archive.add("dialogues.jsonl", entries.dialogue_lines(study))
    # In counts and words, and which of the study's people are in the team.
    record = {"people": people_as_archived(study), **study_record_of(study).parts()}
    archive.add("study_record.json", [_json(record)])
    versions = _versions(study)
    for name, version in versions.items():
        archive.add(name, [write_yaml(readable_bundle(version)).encode()])
    facts = entries.settings_of(study, versions) | {"files": archive.hashes}
    archive.add("settings.json", [_json(facts)])
    for name, content in report_files(study):
        archive.add(name, [content])
    archive.add("README.txt", [_readme(study, archive.hashes).encode()])
    archive.close()


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


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
        f"Scripts in {FOLDER}/analysis compute its main table again from ratings.csv, in R and in Python.",
        f"A study without answers, or with more than {MOST_RATINGS:,}, has none.",
        "",
    ]
    lines = []
    for name, digest in hashes.items():
        about = CONTENTS.get(name, "An older version of the protocol that some ratings or predictions are about.")
        if name.startswith(f"{FOLDER}/"):
            about = "Part of the report, made from the ratings of this archive. The import leaves it out."
        lines += [name, f"  {about}", f"  SHA-256 {digest}"]
    return "\n".join(head + lines) + "\n"
