"""Find what an import of ratings or dialogues made, and what has been built on it since."""

from typing import Any, TypeVar

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import CASCADE, BigIntegerField, Exists, Func, Model, OuterRef, Q, QuerySet
from django.db.models.fields.reverse_related import ForeignObjectRel
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, Dialogue, ImportJob, Participant, Rating, RatingRevision, Seat, Study
from annotation.selectors.dialogues import unused_dialogues

M = TypeVar("M", bound=Model)
OF_WORK = (Rating, RatingRevision, Seat)  # goes with the work that was imported
NAMED = 5


def can_be_taken_back(job: ImportJob) -> bool:
    """Return whether the import is finished and it is known what it made. See `obstacles` for what was built on it."""
    return job.status == ImportJob.Status.DONE and job.made.exists()


def taking_back_list(study: Study) -> QuerySet[ImportJob]:
    """Return the imports that made something, newest first."""
    made = study.imports.filter(status=ImportJob.Status.DONE, made__table__in=("rating", "dialogue")).distinct()
    return made.select_related("user").order_by("-created_at", "-pk")


def made_by(job: ImportJob, model: type[M]) -> QuerySet[M]:
    unnest = Func("ids", function="unnest", output_field=BigIntegerField(), set_returning=True)
    ids = job.made.filter(table=model._meta.model_name).annotate(made=unnest).values("made")
    return model._default_manager.filter(pk__in=ids).order_by()


def unused_of(job: ImportJob) -> QuerySet[Dialogue]:
    """Return the dialogues that the import made and nothing uses."""
    return unused_dialogues(job.study).filter(pk__in=made_by(job, Dialogue))


def n_used_of(job: ImportJob) -> int:
    return made_by(job, Dialogue).count() - unused_of(job).count()


def unprotected(rows: "QuerySet[M]") -> "QuerySet[M]":
    """Return the rows that the database lets go. What is computed from a row goes with it."""
    for reference in _references(rows.model):
        if reference.on_delete is not CASCADE:
            found: QuerySet[Any] = reference.related_model._default_manager.filter(
                **{reference.field.name: OuterRef("pk")}
            )
            rows = rows.filter(~Exists(found))
    return rows


def _references(model: type[Model]) -> list[Any]:
    return [each for each in model._meta.get_fields(include_hidden=True) if isinstance(each, ForeignObjectRel)]


def obstacles(job: ImportJob) -> list[str]:
    """Return a sentence for each reason why the import cannot be taken back any more."""
    if job.kind == ImportJob.Kind.DIALOGUES:
        return [] if unused_of(job).exists() else [_("All its dialogues are in use or have been removed.")]
    found = []
    if changed := made_by(job, Rating).filter(revision__gt=1).count():
        text = ngettext(
            "%(number)s of its ratings was changed later.", "%(number)s of its ratings were changed later.", changed
        )
        found.append(text % {"number": intcomma(changed)})
    if names := _annotators_changed(job):
        text = _("The status or the work of these annotators was changed later: %(names)s.")
        found.append(text % {"names": ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")})
    if uses := _uses(job):
        text = _("Other records build on its ratings: %(records)s.")
        found.append(text % {"records": ", ".join(f"{name} ({intcomma(n)})" for name, n in uses.items())})
    return found


def _annotators_changed(job: ImportJob) -> list[str]:
    others = made_by(job, Assignment).exclude(status=Assignment.Status.SUBMITTED)
    people = made_by(job, Participant).exclude(status=Participant.Status.CLEARED)
    named = Participant.objects.filter(Q(pk__in=people) | Q(pk__in=others.values("participant")))
    return list(named.order_by("pseudonym").values_list("pseudonym", flat=True))


def _uses(job: ImportJob) -> dict[str, int]:
    """Return {name of a table: its rows} of what refers to the ratings, or to the work of an annotator on a batch."""
    found: dict[str, int] = {}
    for model in (Assignment, Rating):
        for reference in _references(model):
            table = reference.related_model
            if table in OF_WORK or table._meta.auto_created:
                continue
            rows = table._default_manager.filter(**{f"{reference.field.name}__in": made_by(job, model)})
            if n := rows.distinct().count():
                name = str(table._meta.verbose_name_plural)
                found[name] = max(n, found.get(name, 0))
    return found
