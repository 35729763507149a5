"""Create and change studies, their members and their annotators."""

from typing import Any

from django.db.models import F, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import Right, annotator_for, may_create_studies, membership_for, signed_in
from annotation.api.base import StudyView
from annotation.api.serializers import (
    BriefStudySerializer,
    MembershipSerializer,
    ParticipantSerializer,
    PersonStatusSerializer,
    RoleSerializer,
    StatusSerializer,
    StudySerializer,
)
from annotation.models import Membership, Study
from annotation.selectors.studies import participant_list
from annotation.services import people
from annotation.services import studies as services
from annotation.services.status import decide_status

STUDY_ENTRIES = PolymorphicProxySerializer(
    component_name="StudyEntry",
    serializers=[StudySerializer, BriefStudySerializer],
    resource_type_field_name=None,
    many=True,
)


class StudiesView(StudyView):
    serializer_class = StudySerializer

    def get_queryset(self) -> QuerySet[Study]:
        mine = Study.objects.filter(memberships__user_id=signed_in(self.request.user).pk)
        return mine.annotate(my_role=F("memberships__role")).select_related("protocol_version__protocol").order_by("pk")

    @extend_schema(operation_id="studies_list", responses=STUDY_ENTRIES)
    def get(self, request: Request) -> Response:
        """List your studies. A study in which you only rate shows only its slug, name and status."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(operation_id="studies_create", responses={201: StudySerializer})
    def post(self, request: Request) -> Response:
        """Create a draft study; you become its owner."""
        if not may_create_studies(request.user):
            raise exceptions.PermissionDenied(_("Your account may not create studies."))
        study = services.create_study(owner=signed_in(request.user), now=timezone.now(), **self.checked())
        return Response(_shown(self, study), status=status.HTTP_201_CREATED)


def _shown(view: StudyView, study: Study) -> dict[str, Any]:
    role = Membership.objects.filter(study=study, user_id=signed_in(view.request.user).pk).values("role")[:1]
    study = Study.objects.select_related("protocol_version__protocol").annotate(my_role=Subquery(role)).get(pk=study.pk)
    return StudySerializer(study, context=view.get_serializer_context()).data


class OneStudyView(StudyView):
    serializer_class = StudySerializer
    rights = {"GET": Right.WATCH, "PATCH": Right.CONFIGURE}

    @extend_schema(operation_id="studies_retrieve")
    def get(self, request: Request, slug: str) -> Response:
        """Get one study, with your role in it."""
        return Response(_shown(self, self.study))

    @extend_schema(operation_id="studies_update")
    def patch(self, request: Request, slug: str) -> Response:
        """Change settings. The protocol is fixed once there are batches."""
        changes = self.checked(instance=self.study, partial=True)
        by = signed_in(request.user)
        return Response(_shown(self, services.update_study(self.study, by=by, now=timezone.now(), **changes)))


class StudyStatusView(StudyView):
    serializer_class = StatusSerializer
    rights = {"PUT": Right.CONFIGURE}

    @extend_schema(operation_id="studies_set_status", responses=StudySerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Open or close the study. Both can be undone."""
        is_opening = self.checked()["status"] == Study.Status.OPEN
        change = services.open_study if is_opening else services.close_study
        return Response(_shown(self, change(self.study, by=signed_in(request.user), now=timezone.now())))


class MembersView(StudyView):
    serializer_class = MembershipSerializer
    rights = {"GET": Right.MEMBERS, "POST": Right.MEMBERS}

    @extend_schema(operation_id="members_list", responses=MembershipSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List members and their roles."""
        page = self.paginate_queryset(self.study.memberships.select_related("user").order_by("pk"))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(operation_id="members_add", responses={201: MembershipSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Add somebody who has an account. An annotator gets a pseudonym and waits to be cleared."""
        values, by = self.checked(), signed_in(request.user)
        user, role = values["user"]["username"], values["role"]
        member = people.add_member(self.study, user=user, role=role, by=by, now=timezone.now())
        return Response(MembershipSerializer(member).data, status=status.HTTP_201_CREATED)


class MemberView(StudyView):
    serializer_class = RoleSerializer
    rights = {"PATCH": Right.MEMBERS, "DELETE": Right.MEMBERS}

    @extend_schema(operation_id="members_change_role", request=RoleSerializer, responses=MembershipSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change a role. The last owner must stay an owner."""
        member = membership_for(request.user, slug, pk)
        role, by = self.checked()["role"], signed_in(request.user)
        changed = people.change_role(member, role=role, by=by, now=timezone.now())
        return Response(MembershipSerializer(changed).data)

    @extend_schema(operation_id="members_remove", responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a member from the study. Annotators must be excluded first."""
        membership = membership_for(request.user, slug, pk)
        people.remove_member(membership, by=signed_in(request.user), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class ParticipantsView(StudyView):
    serializer_class = ParticipantSerializer
    rights = {"GET": Right.CLEAR}

    @extend_schema(operation_id="participants_list", responses=ParticipantSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List annotators, those who wait for a decision first."""
        page = self.paginate_queryset(participant_list(self.study))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


class ParticipantView(StudyView):
    serializer_class = ParticipantSerializer
    rights = {"PATCH": Right.CLEAR}

    @extend_schema(operation_id="participants_set_status", request=PersonStatusSerializer)
    def patch(self, request: Request, slug: str, token: Any) -> Response:
        """Clear, pause or exclude an annotator. Excluding frees their seats, and their ratings stop counting.

        Excluding needs a reason, and so does every decision about somebody who has not qualified.
        """
        participant = annotator_for(request.user, slug, token)
        decided = self.checked(PersonStatusSerializer, instance=participant)
        decide_status(participant, by=signed_in(request.user), now=timezone.now(), **decided)
        return Response(self.get_serializer(participant_list(self.study).get(pk=participant.pk)).data)
