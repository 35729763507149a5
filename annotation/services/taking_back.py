"""Take an import back: ratings as a whole, as long as nobody has built on them; dialogues that nothing uses."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q
from django.utils.translation import gettext as _

from annotation.importing.computing import settle_computed
from annotation.importing.copying import execute
from annotation.importing.dialogues import lock_study
from annotation.importing.removing import remove_unused, remove_unused_sources
from annotation.models import Assignment, Batch, Candidate, Dialogue, ImportJob, Item, Participant, Rating, Seat, Source
from annotation.nudging import raise_version
from annotation.selectors.taking_back import can_be_taken_back, made_by, n_used_of, obstacles, unprotected, unused_of
from annotation.services import activity
from annotation.services.agreement import refresh_batch
from annotation.services.refusals import Refused
from annotation.services.totals import lock_total

MADE = 'SELECT unnest(ids) FROM annotation_importedrows WHERE job_id = %s AND "table" = %s'
TABLES: dict[str, type[Model]] = {
    "ratings": Rating,
    "seats": Assignment,
    "annotators": Participant,
    "items": Item,
    "batches": Batch,
    "candidates": Candidate,
    "dialogues": Dialogue,
    "sources": Source,
}


@transaction.atomic
def take_back(job: ImportJob, *, by: User | None, now: datetime) -> dict[str, int]:
    """Remove what the import made, and return counts by name. Raise Refused if something has been built on it.

    Sources, dialogues, batches and annotators that something else uses stay, and are counted as `left`. So are the
    dialogues of an import of dialogues.
    """
    lock_study(job.study)
    lock_total(job.study_id, now=now)  # before the batches, as results are stored
    job = ImportJob.objects.select_for_update(of=("self",)).select_related("study").get(pk=job.pk)
    if not can_be_taken_back(job):
        raise Refused("nothing_to_take_back", _("There is nothing to take back of this import."))
    list(made_by(job, Assignment).select_for_update())  # so that nobody builds on them meanwhile
    if found := obstacles(job):
        text = _("This import cannot be taken back. %(reasons)s")
        raise Refused("built_on", text % {"reasons": " ".join(found)})
    remove = _take_dialogues if job.kind == ImportJob.Kind.DIALOGUES else _take_ratings
    counts = remove(job, now)
    job.status, job.summary = ImportJob.Status.TAKEN_BACK, job.summary | {"removed": counts}
    job.save(update_fields=["status", "summary"])
    job.made.all().delete()
    activity.log(job.study, by, "import_taken_back", about=job.file_name, details=counts, now=now)
    return counts


def _take_dialogues(job: ImportJob, _now: datetime) -> dict[str, int]:
    n_sources = job.study.sources.count()
    n_used = n_used_of(job)
    n, sources = remove_unused(job.study, list(unused_of(job).values_list("pk", flat=True)))
    remove_unused_sources(job.study, sources)
    return {"dialogues": n, "sources": n_sources - job.study.sources.count(), "left": n_used}


def _take_ratings(job: ImportJob, now: datetime) -> dict[str, int]:
    touched = Batch.objects.filter(pk__in=list(made_by(job, Rating).values_list("batch", flat=True).distinct()))
    work = list(made_by(job, Rating).values_list("assignment", flat=True).distinct())
    before = _n_made(job)
    _remove_ratings(job)
    settle_computed(job.study, work, now)  # some may follow from what another import made
    _remove_work(job)
    _remove_items(job)
    for batch in touched.order_by("pk"):  # at once: results must name nobody and nothing that goes
        raise_version(batch.pk)
        refresh_batch(batch.pk, now=now)
    _remove_material(job)
    left = _n_made(job)
    return {name: before[name] - left[name] for name in TABLES} | {"left": sum(left.values())}


def _n_made(job: ImportJob) -> dict[str, int]:
    """Count the rows that the import made and that are still there."""
    return {name: made_by(job, model).count() for name, model in TABLES.items()}


def _remove_ratings(job: ImportJob) -> None:
    made = [job.pk, "rating"]
    execute(f"DELETE FROM annotation_ratingrevision WHERE rating_id IN ({MADE})", made)
    execute(f"DELETE FROM annotation_rating WHERE id IN ({MADE})", made)


def _remove_work(job: ImportJob) -> None:
    """Remove the work of annotators, with their seats, unless a later import has added to it."""
    work = made_by(job, Assignment).filter(ratings=None)
    Seat.objects.filter(assignment__in=work.filter(has_added_seat=True)).delete()
    Seat.objects.filter(assignment__in=work).update(assignment=None)
    unprotected(work).delete()


def _remove_items(job: ImportJob) -> None:
    """Remove the items of batches that nobody rates. Elsewhere they are part of somebody's work."""
    rated = Q(batch__status=Batch.Status.OPEN) | Exists(Assignment.objects.filter(batch=OuterRef("batch")))
    items = made_by(job, Item).exclude(rated)
    batches = list(items.values_list("batch", flat=True).distinct())
    unprotected(items).delete()
    execute(
        """UPDATE annotation_batch b SET n_items = (
               SELECT count(*) FROM annotation_item i WHERE i.batch_id = b.id AND NOT i.is_check)
           WHERE b.id = ANY(%s)""",
        [batches],
    )


def _remove_material(job: ImportJob) -> None:
    unprotected(made_by(job, Batch).filter(items=None, identical_pairs=None)).delete()
    unprotected(made_by(job, Participant)).delete()
    unprotected(made_by(job, Candidate)).delete()
    unprotected(made_by(job, Dialogue).filter(candidates=None)).delete()
    unprotected(made_by(job, Source)).delete()
