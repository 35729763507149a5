"""Check the beginning of a file as its import does, and store nothing."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.db import OperationalError, transaction

from annotation.importing import ImportRejected, ImportSummary
from annotation.importing.copying import execute
from annotation.importing.extent import Extent
from annotation.importing.layouts import TABLE_FORMATS, WIDE
from annotation.importing.outcome import LineError
from annotation.models import Study
from annotation.services.uploads import KINDS, Options

MOST_ROWS = 20_000
SCATTERED = frozenset(TABLE_FORMATS) - {WIDE}  # rows of one dialogue may be anywhere in the file


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Hold what an import of the first `n_rows` rows or dialogues would say. If `is_busy`, another one is in the way.

    With errors, the summary has no counts: only the new sources and the warnings, if they are known.
    """

    n_rows: int
    is_whole: bool
    summary: ImportSummary | None = None
    errors: list[LineError] = field(default_factory=list)
    n_errors: int = 0
    is_busy: bool = False


def rehearse(
    study: Study, kind: str, path: Path, *, format: str, options: Options, is_part: bool, now: datetime
) -> Rehearsal:
    """Run the import as a dry run. It does not wait long for another import: people look at a preview."""
    extent = Extent(MOST_ROWS, is_part)
    try:
        with transaction.atomic():
            execute("SET LOCAL lock_timeout = '2s'")
            summary = KINDS[kind][0](
                study, path, format=format, options=options, is_dry_run=True, extent=extent, now=now
            )
    except ImportRejected as rejected:
        return Rehearsal(extent.n_read, extent.is_whole, rejected.beside, rejected.errors, rejected.n_errors)
    except OperationalError:
        return Rehearsal(extent.n_read, extent.is_whole, is_busy=True)
    return Rehearsal(extent.n_read, extent.is_whole, summary)


def can_rehearse(format: str, *, is_part: bool) -> bool:
    """Return whether the dialogues or ratings of a file in this format are complete, also if it is cut."""
    return bool(format) and not (is_part and format in SCATTERED)
