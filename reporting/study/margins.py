"""What is known of when a study named its margin of equivalence: before its answers, after some, or nobody can tell."""

from datetime import datetime

from django.db.models import Q

from annotation.models import ActivityLog, Batch, ImportJob, Rating, Study

BEFORE_ANSWERS, AFTER_ANSWERS, NOT_KNOWN = "before_answers", "after_answers", "not_known"
PRACTICE = (Batch.Kind.TRAINING, Batch.Kind.QUALIFICATION)


def margin_named(study: Study) -> str | None:
    """Return when the margin was named; None without one.

    Imported answers may have been known long before. An import that was taken back counts: its results could be seen.
    """
    if study.equivalence_margin is None:
        return None
    is_imported = Q(assignment__is_imported=True) | Q(assignment__participant__is_imported=True)
    imported = Rating.objects.filter(is_imported, batch__study=study, batch__kind=Batch.Kind.MAIN)
    if study.imported_record or imported.exists():
        return NOT_KNOWN
    at = _last_set(study)
    return AFTER_ANSWERS if at and _had_answers(study, at) else BEFORE_ANSWERS


def _last_set(study: Study) -> datetime | None:
    """Return when the margin was last changed; None if it is that of the new study."""
    changed = ActivityLog.objects.filter(study=study, verb="settings", details__changed__has_key="equivalence_margin")
    return changed.order_by("-at").values_list("at", flat=True).first()


def _had_answers(study: Study, at: datetime) -> bool:
    """Return whether somebody had answered or imported by then, other than for practice."""
    stored = (ImportJob.Status.DONE, ImportJob.Status.TAKEN_BACK)
    answers = Rating.objects.filter(batch__study=study, created_at__lte=at).exclude(batch__kind__in=PRACTICE)
    imports = study.imports.filter(kind=ImportJob.Kind.RATINGS, is_dry_run=False, status__in=stored, created_at__lte=at)
    return answers.exists() or imports.exists()
