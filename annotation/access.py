"""Fetch objects and check the user's rights in one step, for the pages and the API.

Each function returns the object or raises Http404, so a stranger cannot tell a hidden object from a missing one. A
member without the right gets PermissionDenied.
"""

from enum import StrEnum
from typing import NamedTuple, TypeVar
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
Found = TypeVar("Found")


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


def _found(row: Found | None, what: str) -> Found:
    if row is None:
        raise Http404(f"No such {what}.")
    return row


def study_for(user: Person, slug: str, right: Right) -> Study:
    """Return the study. Raise Http404 if the user is no member, PermissionDenied if the role lacks the right."""
    known = Membership.objects.select_related("study__protocol_version__protocol")
    membership = _found(known.filter(study__slug=slug, user=_id_of(user)).first(), "study")
    if right not in RIGHTS[membership.role]:
        role = membership.get_role_display()
        raise PermissionDenied(_("Your role in this study (%(role)s) does not allow this.") % {"role": role})
    return membership.study


def batch_for(user: Person, slug: str, key: str, right: Right) -> Batch:
    return _found(study_for(user, slug, right).batches.filter(key=key).first(), "batch")


def import_for(user: Person, slug: str, token: UUID) -> ImportJob:
    return _found(study_for(user, slug, Right.IMPORT).imports.filter(token=token).first(), "import")


def export_for(user: Person, slug: str, token: UUID) -> ExportJob:
    """Return an export job. One with account names also needs the right MEMBERS."""
    job = _found(study_for(user, slug, Right.READ).exports.filter(token=token).first(), "export")
    if job.has_names:
        study_for(user, slug, Right.MEMBERS)
    return job


def metric_for(user: Person, slug: str, token: UUID) -> Metric:
    """Return an active metric, for users who may import."""
    metrics = study_for(user, slug, Right.IMPORT).metrics
    return _found(metrics.filter(token=token, is_active=True).first(), "metric")


def judge_run_for(user: Person, slug: str, token: UUID) -> JudgeRun:
    """Return a judge run, for users who may start one: it holds prompts and answers."""
    return _found(study_for(user, slug, Right.CONFIGURE).judge_runs.filter(token=token).first(), "run")


def membership_for(user: Person, slug: str, pk: int) -> Membership:
    """Return a membership of any user, for those who decide about members."""
    members = study_for(user, slug, Right.MEMBERS).memberships.select_related("user", "study")
    return _found(members.filter(pk=pk).first(), "member")


def annotator_for(user: Person, slug: str, token: UUID, right: Right = Right.CLEAR) -> Participant:
    """Return the participation of any annotator; by default for those who decide who may rate."""
    participants = study_for(user, slug, right).participants.select_related("user", "study")
    return _found(participants.filter(token=token).first(), "annotator")


def participations_of(user: Person) -> QuerySet[Participant]:
    return Participant.objects.filter(user=_id_of(user))


def participant_for(user: Person, slug: str) -> Participant:
    """Return the user's own participation in a study, never somebody else's."""
    mine = participations_of(user).select_related("study__protocol_version__protocol")
    return _found(mine.filter(study__slug=slug).first(), "study")


def _own_assignment(token: UUID, user: int) -> QuerySet[Assignment]:
    around = ("batch__study__protocol_version__protocol", "participant", "seat")
    return Assignment.objects.select_related(*around).filter(token=token, participant__user=user)


OWN_ASSIGNMENT = Ready(_own_assignment, token=UUID, user=int)


def assignment_for(user: Person, token: UUID) -> Assignment:
    """Return the user's own assignment. Even an owner cannot open somebody else's."""
    return _found(next(iter(OWN_ASSIGNMENT(token=token, user=_id_of(user))), None), "assignment")


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
    batch = _found(Batch.objects.select_related("study__protocol_version").filter(token=token).first(), "batch")
    return batch, _found(participations_of(user).filter(study_id=batch.study_id).first(), "batch")
