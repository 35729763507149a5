"""API views of agreement and report, with the same access rights and numbers as the pages."""

from django.db.models import Prefetch
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import Right, batch_for, rights_in, study_for
from annotation.agreement_cells import without_intervals
from annotation.models import AgreementCell, AgreementSnapshot
from annotation.selectors.dialogues import rates_turns
from reporting.report.build import plain_report
from reporting.report.readers import report_for

NOTHING = {"version": 0, "computed_at": None, "n_ratings": 0, "n_wanted": 0, "cells": ()}


class AgreementCellSerializer(serializers.Serializer):
    criterion = serializers.CharField(source="criterion.key")
    source = serializers.CharField(source="source.key", allow_null=True)  # type: ignore[assignment]
    histogram = serializers.DictField(child=serializers.IntegerField())
    estimates = serializers.DictField()


class AgreementSerializer(serializers.Serializer):
    version = serializers.IntegerField()
    computed_at = serializers.DateTimeField(allow_null=True)
    n_ratings = serializers.IntegerField()
    n_wanted = serializers.IntegerField()
    cells = AgreementCellSerializer(many=True)


class StudyAgreementView(APIView):
    """Return the agreement of a study, or of one batch with `?batch=KEY`, as a worker last computed it."""

    @extend_schema(
        operation_id="study_agreement",
        parameters=[OpenApiParameter("batch", str, description="Key of a batch; without it, the study's sums.")],
        responses=AgreementSerializer,
    )
    def get(self, request: Request, slug: str) -> Response:
        key = request.query_params.get("batch", "")
        if "\x00" in key:
            raise NotFound()
        if key:
            found = AgreementSnapshot.objects.filter(batch=batch_for(request.user, slug, key, Right.WATCH))
        else:
            found = AgreementSnapshot.objects.filter(study=study_for(request.user, slug, Right.WATCH), batch=None)
        cells = AgreementCell.objects.select_related("criterion", "source")
        cells = cells.order_by("criterion__position", "source__position")
        stored = found.prefetch_related(Prefetch("cells", cells)).first()
        data = AgreementSerializer(stored or NOTHING).data
        if stored and rates_turns(stored.study_id):
            data["cells"] = [cell | {"estimates": without_intervals(cell["estimates"])} for cell in data["cells"]]
        return Response(data)


class StudyReportView(APIView):
    """Return the whole report of a study, with the same keys as the JSON download.

    Tables of single answers are empty for people whose role may not read them.
    """

    @extend_schema(operation_id="study_report", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str) -> Response:
        study = study_for(request.user, slug, Right.WATCH)
        report = report_for(rights_in(request.user, study), study, now=timezone.now())
        return Response(plain_report(report))
