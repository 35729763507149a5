"""Import existing ratings: check them against the protocol row by row, then the study in one transaction."""

from datetime import datetime
from pathlib import Path

from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.importing.columns import is_own_export
from annotation.importing.copying import MANY, analyse, copy_in, execute, prepare_bulk
from annotation.importing.dialogues import COUNTED, lock_study
from annotation.importing.fitting import refuse_unasked, refuse_wrong_turns
from annotation.importing.labels import holds_labels
from annotation.importing.outcome import STORING, ErrorLog, ImportSummary, Progress, no_progress, rejected
from annotation.importing.places import has_moved, place_units
from annotation.importing.seats import seat_annotators
from annotation.importing.tables import open_table
from annotation.importing.units import resolve_units
from annotation.importing.votes import STAGE_COLUMNS, RatingOptions, VoteSpool
from annotation.importing.writing import refuse_changed, refuse_repeated, stage_votes, write_votes
from annotation.models import Study
from annotation.nudging import raise_version
from protocols.models import ProtocolVersion
from protocols.specs import spec_of

CSV_RATINGS = "csv-ratings"
JSONL_LABELS = "jsonl-labels"
RATING_FORMATS = (CSV_RATINGS, JSONL_LABELS)
UNITS = (ProtocolVersion.Unit.RESPONSE, ProtocolVersion.Unit.DIALOGUE)
TEMPORARY = ("import_row", "import_unit", "import_vote")


def import_ratings(
    study: Study,
    path: Path,
    *,
    format: str = "",
    options: RatingOptions = RatingOptions(),  # noqa: B008 - frozen
    is_dry_run: bool = False,
    progress: Progress = no_progress,
    now: datetime,
) -> ImportSummary:
    """Store ratings made elsewhere in the study, all or none. Importing the same file twice changes nothing.

    They belong to imported annotators, who have seats of their own, and they count like any other.
    Raise ImportRejected with the errors of all lines.
    """
    found = rating_format(path, format)
    unit = study.protocol_version.unit
    is_own = found == CSV_RATINGS and is_own_export(open_table(path, ErrorLog(), no_progress, most=1).columns)
    if unit not in UNITS and not is_own:
        if unit == ProtocolVersion.Unit.MODEL:
            raise rejected(_("ratings of a model cannot be imported yet, only ratings of responses and dialogues"))
        if unit == ProtocolVersion.Unit.COMPARISON:
            raise rejected(_("ratings of comparisons can only be imported from Parley's own export of them"))
        raise rejected(_("ratings of a candidate set cannot be imported yet, only ratings of responses and dialogues"))
    log = ErrorLog()
    with VoteSpool(study.pk, spec_of(study.protocol_version), now) as spool:
        spool.read(path, options, log, progress)
        log.refuse_any()
        if not spool.n_rows and not spool.n_uncounted:
            raise rejected(_("the file contains no ratings"))
        progress(path.stat().st_size, path.stat().st_size, STORING)
        summary = _store(study, spool, options, ImportSummary(found, is_dry_run), now)
    if summary.counts["ratings_new"] >= MANY and not is_dry_run:
        analyse(*COUNTED, "annotation_item", "annotation_assignment", "annotation_rating", "annotation_ratingrevision")
    return summary


def rating_format(path: Path, wanted: str = "") -> str:
    """Return the format that the file shows. Raise ImportRejected if another one is wanted."""
    found = JSONL_LABELS if holds_labels(path) else CSV_RATINGS
    if wanted and wanted not in RATING_FORMATS:
        text = _("%(name)r is unknown: use %(known)s")
        raise rejected(text % {"name": wanted, "known": ", ".join(RATING_FORMATS)}, "format")
    if wanted and wanted != found:
        text = _("the file looks like %(found)s, not like %(wanted)s")
        raise rejected(text % {"found": found, "wanted": wanted}, "format")
    return found


@transaction.atomic
def _store(
    study: Study, spool: VoteSpool, options: RatingOptions, summary: ImportSummary, now: datetime
) -> ImportSummary:
    lock_study(study)
    _stage_rows(spool)
    counts = resolve_units(study, options)
    refuse_wrong_turns()
    counts |= place_units(study)
    counts |= seat_annotators(study, now)
    stage_votes(study)
    refuse_unasked(spec_of(study.protocol_version))
    refuse_repeated()
    refuse_changed()
    n_new, touched = write_votes(now)
    summary.counts = {"ratings_new": n_new, "ratings_unchanged": spool.n_rows - n_new, **counts}
    summary.notes = _notes(spool, summary.counts)
    for table in TEMPORARY:
        execute(f"DROP TABLE {table}")
    for batch_id in touched:
        raise_version(batch_id)
    if summary.is_dry_run:
        transaction.set_rollback(True)
    return summary


def _stage_rows(spool: VoteSpool) -> None:
    with connection.cursor() as cursor:
        prepare_bulk(cursor)
        cursor.execute(
            """CREATE TEMP TABLE import_row (
                   line bigint, dialogue text, conversation text, scenario text, item text, source text,
                   annotator text, batch text, criterion_id bigint, option_id bigint, explanations bigint[],
                   free_text text, answered_at timestamptz, client_key uuid, choices bigint[], turns int[],
                   active_ms int, unit text
               ) ON COMMIT DROP"""
        )
        copy_in(cursor, "import_row", STAGE_COLUMNS, spool.file)
        cursor.execute("ANALYZE import_row")


def _notes(spool: VoteSpool, counts: dict[str, int]) -> list[str]:
    notes = []
    if spool.n_uncounted:
        text = ngettext(
            "%(n)s answer that did not count was left out.",
            "%(n)s answers that did not count were left out.",
            spool.n_uncounted,
        )
        notes.append(text % {"n": spool.n_uncounted})
    if spool.unused:
        notes.append(_("Not used: the columns %(names)s.") % {"names": ", ".join(spool.unused)})
    if counts["seats_added"]:
        text = ngettext(
            "%(n)s seat was added to a batch that had too few free seats.",
            "%(n)s seats were added to batches that had too few free seats.",
            counts["seats_added"],
        )
        notes.append(text % {"n": counts["seats_added"]})
    if has_moved():
        notes.append(
            _("Some ratings went to the batch that already contains their item, not to the one named in the file.")
        )
    return notes
