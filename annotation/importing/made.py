"""Note which rows an import makes, so that it can be taken back as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL

from annotation.importing.copying import execute
from annotation.importing.outcome import ImportSummary
from annotation.models import ImportJob

M = TypeVar("M", bound=Model)


def begin_noting() -> None:
    execute('CREATE TEMP TABLE import_made ("table" text, id bigint) ON COMMIT DROP')


def note_made(rows: Sequence[Model]) -> int:
    """Note rows that were just made. Return how many."""
    if rows:
        table, ids = rows[0]._meta.model_name, [row.pk for row in rows]
        execute("INSERT INTO import_made SELECT %s, unnest(%s::bigint[])", [table, ids])
    return len(rows)


def insert_made(table: str, insert: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> int:
    """Run an INSERT, and note its rows. Return how many. The name must be a constant of the program, never input."""
    return execute(
        f"WITH made AS ({insert} RETURNING id) INSERT INTO import_made SELECT '{table}', id FROM made", params
    )


def made_rows(model: type[M]) -> QuerySet[M]:
    """Return the rows of a table that this import has made so far."""
    ids = RawSQL('SELECT id FROM import_made WHERE "table" = %s', [model._meta.model_name])
    return model._default_manager.filter(pk__in=ids)


def remember_dialogues(job: ImportJob, first: int) -> None:
    """Store with the job which dialogues were made: those from this position on."""
    execute(
        """INSERT INTO annotation_importedrows (job_id, "table", ids)
           SELECT %s, 'dialogue', array_agg(id ORDER BY id) FROM annotation_dialogue
           WHERE study_id = %s AND position >= %s HAVING count(*) > 0""",
        [job.pk, job.study_id, first],
    )


def remember(job: ImportJob, summary: ImportSummary, now: datetime) -> None:
    """Store with the job what was made. A job of a command is not stored yet: it exists once the import succeeds."""
    if job.pk is None:
        job.format, job.summary, job.finished_at = summary.format, asdict(summary), now
        job.save()
    execute(
        """INSERT INTO annotation_importedrows (job_id, "table", ids)
           SELECT %s, "table", array_agg(id ORDER BY id) FROM import_made GROUP BY "table\"""",
        [job.pk],
    )
