"""Count the answers that came from imported files, and write them in sentences for the methods section."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Batch, ImportJob, Study
from parley.listing import both

Row = dict[str, Any]
MOST_NAMED = 5  # files in a sentence
ANSWERS = """
    SELECT job.file_name, count(*), bool_or(rating.active_ms > 0)
    FROM annotation_importjob job
    JOIN annotation_importedrows made ON made.job_id = job.id AND made."table" = 'rating'
    JOIN annotation_rating rating ON rating.id = ANY(made.ids) AND rating.is_active
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_batch batch ON batch.id = rating.batch_id
    JOIN annotation_item item ON item.id = rating.item_id AND NOT item.is_check
    WHERE job.study_id = %s AND job.status = %s AND batch.kind = %s
    GROUP BY job.id ORDER BY job.created_at, job.id
"""


def imports_of(study: Study) -> list[Row]:
    """Return the number of counted answers from each imported file, and whether any of them has an active time."""
    with connection.cursor() as cursor:
        cursor.execute(ANSWERS, [study.pk, ImportJob.Status.DONE, Batch.Kind.MAIN])
        return [{"file": name, "answers": n, "has_times": has} for name, n, has in cursor.fetchall()]


def import_sentences(imports: Sequence[Row], n_answers: int) -> Iterable[str]:
    """Yield how many of the answers were imported, from which files, and which of them have no active times."""
    n = sum(row["answers"] for row in imports)
    if not n:
        return
    text = ngettext(
        "Of these, %(n)s answer was not given in Parley but imported from %(files)s.",
        "Of these, %(n)s answers were not given in Parley but imported from %(files)s.",
        n,
    )
    if n == n_answers:
        text = _("All answers were given elsewhere and imported from %(files)s.")
    yield text % {"n": f"{n:,}", "files": _named([row["file"] for row in imports])}
    untimed = [row["file"] for row in imports if not row["has_times"]]
    if len(untimed) == len(imports):
        yield _("Imported answers have no active times, so figures about time leave them out.")
    elif untimed:
        text = _("The answers from %(files)s have no active times, so figures about time leave them out.")
        yield text % {"files": _named(untimed)}


def _named(files: Sequence[str]) -> str:
    names = list(dict.fromkeys(files))
    if len(names) <= MOST_NAMED:
        return both(names)
    return ngettext("%(n)s file", "%(n)s files", len(names)) % {"n": len(names)}
