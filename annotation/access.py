"""Fetch objects and check the user's rights in one step, for the pages and the API.

Each function returns the object or raises Http404, so a stranger cannot tell a hidden object from a missing one. A
member without the right gets PermissionDenied.
"""

from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, Permission, User
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, ExportJob, ImportJob, JudgeRun, Membership, Metric, Participant, Study
from parley.ready import Ready
from protocols.specs import VersionSpec, spec_by_id

Role = Membership.Role


class Right(StrEnum):
    """The rights in a study. A role has only the rights that the table below gives it."""

    WORK = "work"  # rate one's own batches
    WATCH = "watch"  # the live board and the report
    READ = "read"  # single answers, in exports and the API; controllers review blind and must not have it
    CLEAR = "clear"  # decide who may claim
    IMPORT = "import"  # import material and ratings, make batches
    CONFIGURE = "configure"  # settings, opening and closing
    MEMBERS = "members"  # who is a member, in which role
    REVIEW = "review"  # draw samples of finished batches and decide about the batches
    TEACH = "teach"  # settle disagreements, keep the case library


RIGHTS: dict[str, frozenset[Right]] = {
    Role.OWNER: frozenset(Right),
    Role.RESEARCHER: frozenset(Right) - {Right.MEMBERS},
    Role.LEAD: frozenset({Right.WATCH, Right.READ, Right.CLEAR, Right.REVIEW, Right.TEACH, Right.WORK}),
    Role.TRAINER: frozenset({Right.WATCH, Right.READ, Right.TEACH, Right.WORK}),
    Role.CONTROLLER: frozenset({Right.WATCH, Right.REVIEW, Right.WORK}),
    Role.ANNOTATOR: frozenset({Right.WORK}),
    Role.OBSERVER: frozenset({Right.WATCH, Right.READ}),
}

Person = User | AnonymousUser


def signed_in(user: Person) -> User:
    """Return the signed-in user. Raise PermissionDenied for an anonymous one."""
    if not isinstance(user, User):
        raise PermissionDenied(_("Sign in first."))
    return user


def _id_of(user: Person) -> int:
    """Return 0 for an anonymous user: None would match rows without a user, which are imported annotators."""
    return user.pk or 0


def may(user: Person, study: Study, right: Right) -> bool:
    return right in rights_in(user, study)


def rights_in(user: Person, study: Study) -> frozenset[Right]:
    role = Membership.objects.filter(study=study, user=_id_of(user)).values_list("role", flat=True).first()
    return RIGHTS.get(role or "", frozenset())


def may_create_studies(user: Person) -> bool:
    return user.is_staff or user.has_perm("annotation.add_study")


def managed_studies(user: Person) -> QuerySet[Study]:
    """Return the studies that the user may configure."""
    return _studies_with(user, Right.CONFIGURE)


def studies_of(user: Person) -> QuerySet[Study]:
    """Return the studies in which the user may do more than rate."""
    return _studies_with(user, Right.WATCH)


def _studies_with(user: Person, right: Right) -> QuerySet[Study]:
    return Study.objects.filter(memberships__user=_id_of(user), memberships__role__in=_roles_with(right))


def leads_studies(user: Person) -> bool:
    """Return whether the studies page offers the user anything, in one query: every page of an annotator asks."""
    if user.is_staff or user.is_superuser:
        return True
    of_user = Q(user=OuterRef("pk")) | Q(group__user=OuterRef("pk"))
    creating = Permission.objects.filter(of_user, codename="add_study", content_type__app_label="annotation")
    watching = Membership.objects.filter(user=OuterRef("pk"), role__in=_roles_with(Right.WATCH))
    return User.objects.filter(Exists(watching) | Exists(creating), pk=_id_of(user), is_active=True).exists()


def _roles_with(right: Right) -> list[str]:
    return [role for role, rights in RIGHTS.items() if right in rights]


def study_for(user: Person, slug: str, right: Right) -> Study:
    """Return the study. Raise Http404 if the user is no member, PermissionDenied if the role lacks the right."""
    membership = (
        Membership.objects.select_related("study__protocol_version__protocol")
        .filter(study__slug=slug, user=_id_of(user))
        .first()
    )
    if membership is None:
        raise Http404("No such study.")
    if right not in RIGHTS[membership.role]:
        role = membership.get_role_display()
        raise PermissionDenied(_("Your role in this study (%(role)s) does not allow this.") % {"role": role})
    return membership.study


def batch_for(user: Person, slug: str, key: str, right: Right) -> Batch:
    study = study_for(user, slug, right)
    batch = study.batches.filter(key=key).first()
    if batch is None:
        raise Http404("No such batch.")
    batch.study = study
    return batch


def import_for(user: Person, slug: str, token: UUID) -> ImportJob:
    study = study_for(user, slug, Right.IMPORT)
    job = study.imports.filter(token=token).first()
    if job is None:
        raise Http404("No such import.")
    job.study = study
    return job


def export_for(user: Person, slug: str, token: UUID) -> ExportJob:
    """Return an export job. One with account names also needs the right MEMBERS."""
    study = study_for(user, slug, Right.READ)
    job = study.exports.filter(token=token).first()
    if job is None:
        raise Http404("No such export.")
    if job.has_names:
        study_for(user, slug, Right.MEMBERS)
    job.study = study
    return job


def metric_for(user: Person, slug: str, token: UUID) -> Metric:
    """Return an active metric, for users who may import."""
    metric = study_for(user, slug, Right.IMPORT).metrics.filter(token=token, is_active=True).first()
    if metric is None:
        raise Http404("No such metric.")
    return metric


def judge_run_for(user: Person, slug: str, token: UUID) -> JudgeRun:
    """Return a judge run, for users who may start one: it holds prompts and answers."""
    study = study_for(user, slug, Right.CONFIGURE)
    run = study.judge_runs.filter(token=token).first()
    if run is None:
        raise Http404("No such run.")
    run.study = study
    return run


def membership_for(user: Person, slug: str, pk: int) -> Membership:
    """Return a membership of any user, for those who decide about members."""
    study = study_for(user, slug, Right.MEMBERS)
    membership = study.memberships.select_related("user", "study").filter(pk=pk).first()
    if membership is None:
        raise Http404("No such member.")
    return membership


def annotator_for(user: Person, slug: str, token: UUID, right: Right = Right.CLEAR) -> Participant:
    """Return the participation of any annotator; by default for those who decide who may rate."""
    study = study_for(user, slug, right)
    participant = study.participants.select_related("user", "study").filter(token=token).first()
    if participant is None:
        raise Http404("No such annotator.")
    return participant


def participations_of(user: Person) -> QuerySet[Participant]:
    return Participant.objects.filter(user=_id_of(user))


def participant_for(user: Person, slug: str) -> Participant:
    """Return the user's own participation in a study, never somebody else's."""
    participant = (
        participations_of(user).select_related("study__protocol_version__protocol").filter(study__slug=slug).first()
    )
    if participant is None:
        raise Http404("No such study.")
    return participant


def _own_assignment(token: UUID, user: int) -> QuerySet[Assignment]:
    around = ("batch__study__protocol_version__protocol", "participant", "seat")
    return Assignment.objects.select_related(*around).filter(token=token, participant__user=user)


OWN_ASSIGNMENT = Ready(_own_assignment, token=UUID, user=int)


def assignment_for(user: Person, token: UUID) -> Assignment:
    """Return the user's own assignment. Even an owner cannot open somebody else's."""
    assignments = OWN_ASSIGNMENT(token=token, user=_id_of(user))
    if not assignments:
        raise Http404("No such assignment.")
    return assignments[0]


class AnswerContext(NamedTuple):
    """The parts of the user's own assignment that are needed to save an answer."""

    assignment_id: int
    spec: VersionSpec
    needs_consent: bool


def answer_context_for(user: Person, token: UUID) -> AnswerContext:
    """Return the context for saving an answer, under the same rule as `assignment_for`.

    This request comes hundreds of times a second, and composing the ninety columns of `assignment_for` would take
    longer than saving the answer.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM annotation_answer_context(%s, %s)", [token, _id_of(user)])
        assignment_id, version_id, version_status, needs_consent = cursor.fetchone()
    if assignment_id is None:
        raise Http404("No such assignment.")
    return AnswerContext(assignment_id, spec_by_id(version_id, version_status), needs_consent)


def claimable_batch_for(user: Person, token: UUID) -> tuple[Batch, Participant]:
    batch = Batch.objects.select_related("study__protocol_version").filter(token=token).first()
    participant = participations_of(user).filter(study_id=batch.study_id).first() if batch else None
    if batch is None or participant is None:
        raise Http404("No such batch.")
    return batch, participant
