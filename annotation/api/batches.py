"""List, make, open and close batches."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import Right, batch_for, signed_in
from annotation.api.base import StudyView
from annotation.api.serializers import BatchSerializer, MakeBatchesSerializer, StatusSerializer
from annotation.models import Batch
from annotation.selectors.imported_batches import nothing_to_deal
from annotation.selectors.studies import batch_list
from annotation.services import batching
from annotation.services.refusals import Refused
from annotation.services.repeating import repeat_pilot
from annotation.services.studies import set_batch_status


class BatchesView(StudyView):
    serializer_class = BatchSerializer
    rights = {"GET": Right.WATCH, "POST": Right.IMPORT}

    @extend_schema(operation_id="batches_list", responses=BatchSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List batches with their seats."""
        page = self.paginate_queryset(batch_list(self.study))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(
        operation_id="batches_make", request=MakeBatchesSerializer, responses={201: BatchSerializer(many=True)}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Deal out dialogues that no batch of this kind holds, or repeat a pilot. Returns a page of new batches.

        Refused with the reason and what to do (409, nothing_to_deal) if no such dialogue is left.
        """
        asked, by, now = self.checked(MakeBatchesSerializer), signed_in(request.user), timezone.now()
        pilot = asked.pop("same_as", None)
        if pilot:
            made = [repeat_pilot(self.study, pilot=pilot, **asked, actor=by, now=now)]
        else:
            made = batching.make_batches(self.study, **asked, actor=by, now=now)
            if not made:
                kind, is_fresh_only = asked.get("kind", Batch.Kind.MAIN), asked.get("is_fresh_only", False)
                raise Refused("nothing_to_deal", nothing_to_deal(self.study, kind, is_fresh_only=is_fresh_only))
        page = self.paginate_queryset(batch_list(self.study).filter(pk__in=[batch.pk for batch in made]))
        answer = self.get_paginated_response(self.get_serializer(page, many=True).data)
        answer.status_code = status.HTTP_201_CREATED
        return answer


class BatchView(StudyView):
    serializer_class = BatchSerializer
    rights = {"GET": Right.WATCH, "PATCH": Right.CONFIGURE}

    @extend_schema(operation_id="batches_retrieve")
    def get(self, request: Request, slug: str, key: str) -> Response:
        """Get one batch."""
        batch = batch_for(request.user, slug, key, Right.WATCH)
        return Response(self.get_serializer(batch_list(self.study).get(pk=batch.pk)).data)

    @extend_schema(operation_id="batches_set_status", request=StatusSerializer)
    def patch(self, request: Request, slug: str, key: str) -> Response:
        """Open or close the batch."""
        batch = batch_for(request.user, slug, key, Right.CONFIGURE)
        wanted, by = self.checked(StatusSerializer)["status"], signed_in(request.user)
        set_batch_status(self.study, keys=[batch.key], status=wanted, by=by, now=timezone.now())
        return Response(self.get_serializer(batch_list(self.study).get(pk=batch.pk)).data)
