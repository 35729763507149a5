"""The export formats: the name of each, and how it is written."""

import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Any

from django.utils.translation import gettext_lazy as _

from annotation.models import Study
from reporting.exports import diqad
from reporting.exports.label_studio import label_studio_pieces
from reporting.exports.long import columns_of, long_blocks
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Tick, csv_pieces, in_blocks, ticking, untyped, write_parquet
from reporting.exports.wide import FIRST, annotators_of, wide_rows
from reporting.exports.zips import entry_info

BLOCK = 1024 * 1024
DIRECT_ROWS = 200_000  # ratings: a web process writes up to this many during a request; a worker writes larger exports


def no_tick(n_done: int) -> None:
    """Do nothing, for callers that show no progress."""


@dataclass(frozen=True, slots=True)
class Format:
    """An export format: `pieces` if it can be sent while it is written, otherwise `write`, which needs a seekable file.

    `bytes_each` and `bytes_fixed` are the measured size of a rating and of the rest of a file, for the estimate on the
    page: with few ratings, schemas and the report are nearly the whole file.
    """

    name: Any
    about: Any
    suffix: str
    content_type: str
    bytes_each: int
    bytes_fixed: int = 0
    pieces: Callable[[Study, ExportOptions, Tick], Iterator[bytes]] | None = None
    write: Callable[[Study, ExportOptions, IO[bytes], Tick], None] | None = None

    def bytes_about(self, n_ratings: int) -> int:
        return self.bytes_fixed + self.bytes_each * n_ratings


def _long_csv(study: Study, options: ExportOptions, tick: Tick) -> Iterator[bytes]:
    return csv_pieces(columns_of(options), ticking(long_blocks(study, options), tick), has_mark=True)


def _wide_csv(study: Study, options: ExportOptions, tick: Tick) -> Iterator[bytes]:
    columns = untyped([*FIRST, *annotators_of(study, options).values()])
    return csv_pieces(columns, ticking(in_blocks(wide_rows(study, options)), tick), has_mark=True)


def _long_parquet(study: Study, options: ExportOptions, file: IO[bytes], tick: Tick) -> None:
    write_parquet(columns_of(options), ticking(long_blocks(study, options), tick), file)


def _diqad_lines(study: Study, options: ExportOptions, tick: Tick) -> Iterator[bytes]:
    """Return the lines for a single file; each begins with the part it belongs to."""
    lines, _summary = diqad.split_records(study, options, tick)
    return (b'{"split":"' + part.encode() + b'",' + line[1:] for part, line in lines)


def _diqad_zip(study: Study, options: ExportOptions, file: IO[bytes], tick: Tick) -> None:
    lines, summary = diqad.split_records(study, options, tick)
    with ExitStack() as stack:
        # A zip is written one entry at a time but lines arrive by dialogue, so each part is first written to a file.
        parts = {part: stack.enter_context(tempfile.TemporaryFile(buffering=BLOCK)) for part in diqad.SPLITS}
        for part, line in lines:
            parts[part].write(line)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
            for part, spooled in parts.items():
                spooled.seek(0)
                with archive.open(entry_info(f"{part}.jsonl"), "w", force_zip64=True) as entry:
                    while piece := spooled.read(BLOCK):
                        entry.write(piece)
            archive.writestr(entry_info("statistics.json"), diqad.statistics_of(summary))
            archive.writestr(entry_info("README.txt"), diqad.readme_of(study, options, summary))


CSV, ZIP = "text/csv; charset=utf-8", "application/zip"
FORMATS: dict[str, Format] = {
    "long-csv": Format(
        _("All answers, CSV"),
        _("One row per answer, with everything known about it: item, criterion, annotator, explanations, times."),
        "ratings.csv", CSV, 420, 480, pieces=_long_csv,
    ),
    "long-parquet": Format(
        _("All answers, Parquet"),
        _("The same table with types and lists preserved, for pandas, R, DuckDB or Spark."),
        "ratings.parquet", "application/vnd.apache.parquet", 10, 11_500, write=_long_parquet,
    ),
    "wide-csv": Format(
        _("One column per annotator, CSV"),
        _("One row per item and criterion, as read by programs that compute agreement. Only answers that count."),
        "wide.csv", CSV, 50, pieces=_wide_csv,
    ),
    "diqad": Format(
        _("Data set for training, zip of JSON Lines"),
        _("One label per item by majority, with reasons and turns, split into training, validation and test parts."),
        "dataset.zip", ZIP, 20, 1_700, write=_diqad_zip,
    ),
    "diqad-jsonl": Format(
        _("Data set for training, one JSON Lines file"),
        _("The same lines in one file; each line names its part."),
        "dataset.jsonl", "application/jsonl", 80, pieces=_diqad_lines,
    ),
    "label-studio": Format(
        _("Tasks and annotations, JSON of Label Studio"),
        _("A list of tasks, each with the texts of the item and all annotations."),
        "label-studio.json", "application/json", 320, pieces=label_studio_pieces,
    ),
}  # fmt: skip


def write_export(study: Study, format: str, options: Mapping[str, Any], file: IO[bytes], tick: Tick = no_tick) -> None:
    """Write an export to an open binary file."""
    chosen, wanted = FORMATS[format], ExportOptions.of(options)
    if chosen.write is not None:
        chosen.write(study, wanted, file, tick)
    elif chosen.pieces is not None:
        for piece in chosen.pieces(study, wanted, tick):
            file.write(piece)


def file_name(study: Study, format: str) -> str:
    return f"{study.slug}-{FORMATS[format].suffix}"
