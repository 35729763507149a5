"""Import predictions: every cell is checked first, then all are stored in one transaction, or none."""

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import IO

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.translation import gettext as _

from annotation.importing.copying import NULL, copy_in, copy_text, execute, fetch, prepare_bulk, spool_file
from annotation.importing.dialogues import lock_study
from annotation.importing.extent import Extent
from annotation.importing.files import ready
from annotation.importing.outcome import (
    MOST_ERRORS,
    STORING,
    BadField,
    ErrorLog,
    ImportRejected,
    ImportSummary,
    Progress,
    named_place,
    no_progress,
    refuse,
    rejected,
)
from annotation.importing.prediction_cells import LABEL, Cells, MetricColumn, PredictionOptions
from annotation.importing.prediction_units import COLUMNS, TABLE, find_targets
from annotation.importing.ratings import UNITS
from annotation.importing.tables import Row, open_table
from annotation.models import Metric, Study
from protocols.models import ProtocolVersion
from protocols.specs import VersionSpec, spec_of

CSV_PREDICTIONS = "csv-predictions"
WHAT_IT_IS = ("origin", "kind", "criterion_id", "higher_is_better")
TEMPORARY = ("import_row", "import_value", "import_prediction")


def import_predictions(
    study: Study,
    path: Path,
    *,
    format: str = "",
    options: PredictionOptions = PredictionOptions(),  # noqa: B008 - frozen
    is_dry_run: bool = False,
    progress: Progress = no_progress,
    user: User | None = None,
    extent: Extent | None = None,
    now: datetime,
) -> ImportSummary:
    """Store scores or labels of a CSV in the study, all or none. Importing the same file twice changes nothing.

    The `extent` says how much of the file is read; without it, all.
    Raise ImportRejected with the errors of all lines.
    """
    if format not in ("", CSV_PREDICTIONS):
        text = _("%(name)r is unknown: use %(known)s") % {"name": format, "known": CSV_PREDICTIONS}
        raise rejected(text, "format")
    if study.protocol_version.unit not in UNITS:
        raise rejected(_("only predictions about responses and dialogues can be imported"))
    log = ErrorLog()
    with _Spool(spec_of(study.protocol_version)) as spool:
        with ready(path, options.sheet) as file:
            spool.read(file, options, log, progress, extent or Extent())
        log.refuse_any()
        if not any(metric.n_cells for metric in spool.cells.metrics):
            raise rejected(_("the file contains no predictions"))
        progress(path.stat().st_size, path.stat().st_size, STORING)
        return _store(study, spool, options, ImportSummary(CSV_PREDICTIONS, is_dry_run), user, now)


class _Spool(AbstractContextManager):
    """The checked rows of one file, ready for COPY: what each row is about, and one value per metric."""

    cells: Cells

    def __init__(self, spec: VersionSpec) -> None:
        self.rows: IO[bytes] = spool_file()
        self.values: IO[bytes] = spool_file()
        self._spec = spec

    def __exit__(self, *_error: object) -> None:
        self.rows.close()
        self.values.close()

    def read(self, path: Path, options: PredictionOptions, log: ErrorLog, progress: Progress, extent: Extent) -> None:
        table = open_table(path, log, progress, extent.n_needed, options.sheet)
        try:
            self.cells = Cells(table.columns, options, self._spec)
        except BadField as error:
            raise ImportRejected([error.on_line(1)]) from None
        is_whole_dialogue = self._spec.unit == ProtocolVersion.Unit.DIALOGUE
        for row in extent.of(table, log):
            with log.catching(row.line):
                self._add(row, self.cells.unit(row, is_whole_dialogue))
        for metric in self.cells.metrics:
            metric.refuse_into(log)

    def _add(self, row: Row, unit: tuple[str, str, str]) -> None:
        line = str(row.line).encode()
        self.rows.write(b"\t".join((line, *map(copy_text, unit))) + b"\n")
        for at, metric in enumerate(self.cells.metrics):
            found = self.cells.read(metric, row)
            if found is not None:
                number, option = (NULL if each is None else repr(each).encode() for each in found)
                self.values.write(b"\t".join((line, str(at).encode(), number, option)) + b"\n")


@transaction.atomic
def _store(
    study: Study, spool: _Spool, options: PredictionOptions, summary: ImportSummary, user: User | None, now: datetime
) -> ImportSummary:
    lock_study(study)
    _stage(spool)
    is_whole_dialogue = study.protocol_version.unit == ProtocolVersion.Unit.DIALOGUE
    find_targets(study, is_whole_dialogue=is_whole_dialogue)
    metrics, n_new_metrics = _metrics(study, spool.cells.metrics, options, user, now)
    _stage_predictions(spool.cells.metrics, metrics)
    _refuse_repeated(spool.cells.metrics)
    _refuse_changed(spool.cells.metrics)
    n_new = execute(
        f"""INSERT INTO annotation_prediction (metric_id, candidate_id, dialogue_id, value, option_id)
            SELECT metric_id, candidate_id, dialogue_id, value, option_id FROM import_prediction p
            WHERE NOT EXISTS (SELECT FROM annotation_prediction x WHERE {SAME}) ORDER BY line, place"""
    )
    n_cells = sum(each.n_cells for each in spool.cells.metrics)
    summary.counts = {
        "metrics_new": n_new_metrics, "predictions_new": n_new, "predictions_unchanged": n_cells - n_new,
    }  # fmt: skip
    if unused := spool.cells.unused:
        summary.notes = [_("Not used: the columns %(names)s.") % {"names": ", ".join(unused)}]
    for table in TEMPORARY:
        execute(f"DROP TABLE {table}")
    if summary.is_dry_run:
        transaction.set_rollback(True)
    return summary


def _stage(spool: _Spool) -> None:
    with connection.cursor() as cursor:
        prepare_bulk(cursor)
        cursor.execute(TABLE)
        copy_in(cursor, "import_row", COLUMNS, spool.rows)
        cursor.execute(
            """CREATE TEMP TABLE import_value (line bigint, metric integer, value double precision, option_id bigint)
               ON COMMIT DROP"""
        )
        copy_in(cursor, "import_value", "line, metric, value, option_id", spool.values)
        cursor.execute("ANALYZE import_row; ANALYZE import_value")


def _metrics(
    study: Study, found: list[MetricColumn], options: PredictionOptions, user: User | None, now: datetime
) -> tuple[list[Metric], int]:
    """Return the metrics of the file, existing or new, and how many are new. Raise ImportRejected on a conflict."""
    known = {each.key: each for each in study.metrics.filter(is_active=True)}
    metrics = [
        Metric(
            study=study,
            key=column.key,
            name=column.key,
            criterion_id=column.criterion.id if column.criterion else None,
            kind=column.kind,
            higher_is_better=column.key not in options.lower_is_better,
            note=options.note,
            created_by=user,
            created_at=now,
        )
        for column in found
    ]
    log = ErrorLog()
    for column, metric in zip(found, metrics, strict=True):
        same = known.get(metric.key, metric)
        if any(getattr(same, name) != getattr(metric, name) for name in WHAT_IT_IS):
            text = _("the study already has another metric with this name: rename this one, or delete the other")
            log.add(1, column.column, text)
    log.refuse_any()
    new = Metric.objects.bulk_create(each for each in metrics if each.key not in known)
    return [known.get(each.key, each) for each in metrics], len(new)


def _stage_predictions(columns: list[MetricColumn], metrics: list[Metric]) -> None:
    """Stage predictions. A score keeps only its number; a label its option, and a number from a separate column."""
    rows = [
        (at, metric.pk, column.kind == LABEL, column.is_wide)
        for at, (column, metric) in enumerate(zip(columns, metrics, strict=True))
    ]
    execute(
        """CREATE TEMP TABLE import_prediction ON COMMIT DROP AS
           SELECT v.line, v.metric AS place, m.metric_id, r.candidate_id,
                  CASE WHEN r.candidate_id IS NULL THEN r.dialogue_id END AS dialogue_id,
                  CASE WHEN m.is_label AND m.is_wide THEN NULL ELSE v.value END AS value,
                  CASE WHEN m.is_label THEN v.option_id END AS option_id
           FROM import_value v JOIN import_row r USING (line)
           JOIN unnest(%s::integer[], %s::bigint[], %s::boolean[], %s::boolean[])
                AS m (place, metric_id, is_label, is_wide) ON m.place = v.metric""",
        [list(column) for column in zip(*rows, strict=True)],
    )
    execute("ANALYZE import_prediction")


def _refuse_repeated(columns: list[MetricColumn]) -> None:
    rows = fetch(
        """SELECT line, place, first, count(*) OVER ()
           FROM (SELECT line, place, min(line) OVER (PARTITION BY metric_id, candidate_id, dialogue_id) AS first
                 FROM import_prediction) v
           WHERE line <> first ORDER BY line, place LIMIT %s""",
        [MOST_ERRORS],
    )
    text = _("repeats %(place)s: same item")
    errors = [
        (line, columns[place].column, text % {"place": named_place(first)}) for line, place, first, _total in rows
    ]
    refuse(errors, rows[0][-1] if rows else 0)


SAME = (
    "x.metric_id = p.metric_id AND coalesce(x.candidate_id, -x.dialogue_id) = coalesce(p.candidate_id, -p.dialogue_id)"
)


def _refuse_changed(columns: list[MetricColumn]) -> None:
    rows = fetch(
        f"""SELECT p.line, p.place, count(*) OVER () FROM import_prediction p JOIN annotation_prediction x ON {SAME}
            WHERE x.value IS DISTINCT FROM p.value OR x.option_id IS DISTINCT FROM p.option_id
            ORDER BY p.line, p.place LIMIT %s""",
        [MOST_ERRORS],
    )
    text = _(
        "the study already has another prediction of this metric for this item: delete the metric first, or rename it"
    )
    refuse([(line, columns[place].column, text) for line, place, _total in rows], rows[0][-1] if rows else 0)
