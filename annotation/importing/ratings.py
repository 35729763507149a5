"""Import existing ratings: check them against the protocol row by row, then the study in one transaction."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import connection, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.importing.columns import is_own_export
from annotation.importing.computing import computed_words, settle_computed
from annotation.importing.copying import MANY, analyse, copy_in, execute, prepare_bulk
from annotation.importing.dialogues import COUNTED, lock_study
from annotation.importing.divided import divided_conversations
from annotation.importing.extent import Extent
from annotation.importing.files import ready
from annotation.importing.fitting import refuse_unasked, refuse_wrong_turns
from annotation.importing.labels import holds_labels
from annotation.importing.left_pairs import left_pairs
from annotation.importing.made import begin_noting, made_rows, remember
from annotation.importing.new_sources import doubts
from annotation.importing.outcome import (
    NAMED_SOURCES,
    STORING,
    ErrorLog,
    ImportSummary,
    Progress,
    no_progress,
    rejected,
)
from annotation.importing.pair_cells import EXPORTED_SIDES, SIDES
from annotation.importing.pair_units import resolve_pairs, turn_votes
from annotation.importing.places import has_moved, place_units
from annotation.importing.scenario_pairs import refuse_scenarios_as_dialogues, resolve_scenarios
from annotation.importing.seats import seat_annotators, seats_were_added_elsewhere
from annotation.importing.tables import open_table
from annotation.importing.units import resolve_units, stage_units
from annotation.importing.votes import STAGE_COLUMNS, RatingOptions, VoteSpool
from annotation.importing.writing import (
    leave_out_copies,
    rated_work,
    refuse_added,
    refuse_changed,
    refuse_repeated,
    stage_votes,
    write_votes,
)
from annotation.models import Batch, ImportJob, Study
from annotation.nudging import raise_version
from annotation.selectors.imported_batches import imported_only, names_of
from protocols.models import ProtocolVersion
from protocols.specs import spec_of

CSV_RATINGS = "csv-ratings"
JSONL_LABELS = "jsonl-labels"
RATING_FORMATS = (CSV_RATINGS, JSONL_LABELS)
UNITS = (ProtocolVersion.Unit.RESPONSE, ProtocolVersion.Unit.DIALOGUE, ProtocolVersion.Unit.COMPARISON)
TEMPORARY = ("import_row", "import_unit", "import_vote", "import_made")


def import_ratings(
    study: Study,
    path: Path,
    *,
    format: str = "",
    options: RatingOptions = RatingOptions(),  # noqa: B008 - frozen
    is_dry_run: bool = False,
    progress: Progress = no_progress,
    job: ImportJob | None = None,
    extent: Extent | None = None,
    now: datetime,
) -> ImportSummary:
    """Store ratings made elsewhere in the study, all or none. Importing the same file twice changes nothing.

    They belong to imported annotators, who have seats like others, and they count like any other. The `job` remembers
    what was made, so that it can be taken back. The `extent` says how much of the file is read; without it, all.
    Raise ImportRejected with the errors of all lines.
    """
    extent = extent or Extent()
    with ready(path, options.sheet) as file:
        found = rating_format(file, format)
        unit = study.protocol_version.unit
        is_own = found == CSV_RATINGS and is_own_export(
            open_table(file, ErrorLog(), no_progress, most=1, sheet=options.sheet).columns
        )
        if unit == ProtocolVersion.Unit.COMPARISON and found == JSONL_LABELS:
            raise rejected(
                _("labels say nothing about a pair: name the field winner, and write both sources beside it")
            )
        if unit not in UNITS and not is_own:
            if unit == ProtocolVersion.Unit.MODEL:
                raise rejected(_("ratings of a model cannot be imported yet, only ratings of responses and dialogues"))
            raise rejected(
                _("ratings of a candidate set cannot be imported yet, only ratings of responses and dialogues")
            )
        log = ErrorLog()
        with VoteSpool(study.pk, spec_of(study.protocol_version), now) as spool:
            spool.read(file, options, log, progress, extent)
            if not spool.n_rows and not spool.n_uncounted:
                log.refuse_any()
                no_answer = _("no row has an answer: empty cells and NaN are skipped")
                raise rejected(no_answer if spool.n_without_answer else _("the file contains no ratings"))
            progress(file.stat().st_size, file.stat().st_size, STORING)
            summary = _store(study, spool, options, log, ImportSummary(found, is_dry_run), job, extent, now)
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
    study: Study,
    spool: VoteSpool,
    options: RatingOptions,
    log: ErrorLog,
    summary: ImportSummary,
    job: ImportJob | None,
    extent: Extent,
    now: datetime,
) -> ImportSummary:
    """Store the rows. Those with errors are left out at each step, so that one attempt names all errors."""
    lock_study(study)
    spec = spec_of(study.protocol_version)
    _stage_rows(spool)
    begin_noting()
    stage_units()
    counts = _resolve(study, spool, options, log)
    refuse_wrong_turns(log)
    counts |= place_units(study, log)
    counts |= seat_annotators(study, log, now, is_own_export=spool.is_export_of(study))
    stage_votes(study)
    if spool.has_pairs:
        turn_votes(spec)
    if extent.is_whole and not log.n_errors:  # otherwise the answer that leads to a question may be left out
        refuse_unasked(spec, log)
    n_copies = leave_out_copies() if spool.has_column_each else 0
    refuse_repeated(log)
    refuse_changed(log)
    n_own = refuse_added(log)
    new = list(study.sources.order_by("-position", "-pk")[: counts["sources_new"]])[::-1]
    summary.sources = [source.key for source in new[:NAMED_SOURCES]]
    summary.warnings = [*doubts(study, new)]
    log.refuse_any(summary)
    work = [] if spool.is_own else rated_work()  # our own export has the computed answers
    n_new, touched = write_votes(now)
    settled = settle_computed(study, work, now)
    touched = sorted({*touched, *settled.batches})
    summary.warnings += divided_conversations(study, touched)
    summary.counts = {"ratings_new": n_new, "ratings_unchanged": spool.n_rows - n_copies - n_new, **counts}
    summary.notes = _notes(study, spool, summary.counts, n_own)
    if settled.n_new:
        summary.notes.append(computed_words(settled.n_new))
    if job and not summary.is_dry_run:
        remember(job, summary, now)
    for table in TEMPORARY:
        execute(f"DROP TABLE {table}")
    for batch_id in touched:
        raise_version(batch_id)
    if summary.is_dry_run:
        transaction.set_rollback(True)
    return summary


def _resolve(study: Study, spool: VoteSpool, options: RatingOptions, log: ErrorLog) -> dict[str, int]:
    """Find what the rows are about, and return counts of what was created, by name."""
    fields = EXPORTED_SIDES if spool.is_own else SIDES
    if spool.has_pairs:
        resolve_scenarios(study, fields, log)
    if spool.has_pairs and not spool.is_own:
        refuse_scenarios_as_dialogues(study, log)
    counts = resolve_units(study, options, log, spool.no_source)
    return counts | resolve_pairs(study, options, fields, log) if spool.has_pairs else counts


def _stage_rows(spool: VoteSpool) -> None:
    with connection.cursor() as cursor:
        prepare_bulk(cursor)
        cursor.execute(
            """CREATE TEMP TABLE import_row (
                   line bigint, dialogue text, conversation text, scenario text, item text, source text,
                   annotator text, batch text, criterion_id bigint, option_id bigint, explanations bigint[],
                   free_text text, answered_at timestamptz, client_key uuid, choices bigint[], turns int[],
                   active_ms int, unit text, is_swapped bool
               ) ON COMMIT DROP"""
        )
        copy_in(cursor, "import_row", STAGE_COLUMNS, spool.file)
        cursor.execute("ANALYZE import_row")


def _notes(study: Study, spool: VoteSpool, counts: dict[str, int], n_own: int) -> list[str]:
    """Return sentences about what was done. `n_own` is the number of answers by people who rate in the study."""
    notes = []
    if n_own:
        text = ngettext(
            "The file is an export of this study: %(n)s answer of its own annotators is here already, and does not "
            "count twice.",
            "The file is an export of this study: %(n)s answers of its own annotators are here already, and do not "
            "count twice.",
            n_own,
        )
        notes.append(text % {"n": intcomma(n_own)})
    if spool.n_uncounted:
        text = ngettext(
            "%(n)s answer that did not count was left out.",
            "%(n)s answers that did not count were left out.",
            spool.n_uncounted,
        )
        notes.append(text % {"n": spool.n_uncounted})
    if spool.n_without_answer:
        notes.append(_without_answer(spool))
    if spool.unused:
        text = _("These columns have no meaning for ratings and were left out: %(names)s.")
        notes.append(text % {"names": ", ".join(spool.unused)})
    if spool.has_pairs and counts["ratings_new"]:
        notes += _about_sides(spool)
    if counts["seats_taken"]:
        notes.append(_("Imported annotators took free seats of draft batches."))
    if counts["seats_added"] and seats_were_added_elsewhere():
        text = _(
            "Imported annotators got seats of their own where a batch was opened before or had no free seat. The seats "
            "of opened batches stay free for people who rate in Parley."
        )
        notes.append(text)
    notes += _to_rate_here(study)
    if has_moved():
        notes.append(
            _("Ratings of items that a batch already contains are stored in that batch, whatever batch the file names.")
        )
    return notes


def _about_sides(spool: VoteSpool) -> Iterable[str]:
    """Yield what becomes of the sides of pairs, and what follows for the ranking."""
    n = spool.n_without_sides
    if n and spool.says_swapped:
        text = ngettext(
            "%(n)s answer does not say whether the sides were swapped: its sides are not known, and the ranking "
            "assumes for it that neither side is preferred.",
            "%(n)s answers do not say whether the sides were swapped: their sides are not known, and the ranking "
            "assumes for them that neither side is preferred.",
            n,
        )
        yield text % {"n": intcomma(n)}
    elif n:
        yield _(
            "The file does not say which source stood on the left, so no sides are kept: the ranking assumes that "
            "neither side is preferred. If you know the sides, take the import back, call the columns left and right, "
            "or add is_swapped (true where the second source stood on the left), and import again."
        )
    elif spool.has_sides and not spool.says_swapped:
        yield _(
            "The columns of both sources are called left and right, so they are kept as the sides that annotators saw. "
            "If they are an order only, take the import back, call them source_a and source_b, and import again."
        )


def _without_answer(spool: VoteSpool) -> str:
    n, found = spool.n_without_answer, {"n": intcomma(spool.n_without_answer)}
    if spool.has_column_each:
        return (
            ngettext("%(n)s cell has no answer and is skipped.", "%(n)s cells have no answer and are skipped.", n)
            % found
        )
    return ngettext("%(n)s row has no answer and is skipped.", "%(n)s rows have no answer and are skipped.", n) % found


def _to_rate_here(study: Study) -> list[str]:
    """Return what follows where the ratings are in new batches: these are closed, and nothing is left to deal."""
    new = list(imported_only(made_rows(Batch)).order_by("position"))
    if not new:
        return []
    text = ngettext(
        "These ratings go into a new closed batch, %(batches)s, and its dialogues can be in no other main batch. To "
        "have them rated in Parley too, open it under Batches: it then gets free seats (%(seats)s). For smaller "
        "batches, make batches before you import the ratings.",
        "These ratings go into new closed batches, %(batches)s, and their dialogues can be in no other main batch. "
        "To have them rated in Parley too, open them under Batches: each then gets free seats (%(seats)s). For "
        "other batches, make them before you import the ratings.",
        len(new),
    )
    return [text % {"batches": names_of(new), "seats": study.seats}, *left_pairs(new)]
