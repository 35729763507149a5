"""API views to request, follow and fetch exports. The page's form validates requests, so both accept the same."""

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import Right, export_for, rights_in, signed_in
from annotation.api.base import StudyView
from annotation.api.strict import StrictSerializer
from annotation.models import Batch, ExportJob
from parley.errors import Refusal
from reporting.exports import asking
from reporting.exports.cursors import count_ratings
from reporting.exports.formats import FORMATS
from reporting.exports.forms import ExportForm
from reporting.exports.options import CELLS, TIES, TRAIN, VALIDATION

LARGEST_SEED = 2**31 - 1
CONTENT_TYPES = sorted({each.content_type.partition(";")[0] for each in FORMATS.values()})
FILE = {(200, content_type): OpenApiTypes.BINARY for content_type in CONTENT_TYPES}


class ExportFormatSerializer(serializers.Serializer):
    format = serializers.CharField()
    name = serializers.CharField()
    about = serializers.CharField()
    content_type = serializers.CharField()
    n_bytes_about = serializers.IntegerField(help_text="What the file of this study would have, roughly.")


class ExportRequestSerializer(StrictSerializer):
    """The export to write, with its options. Options that the format does not use are ignored."""

    format = serializers.ChoiceField(choices=list(FORMATS))
    kind = serializers.ChoiceField(
        choices=["", *Batch.Kind.values], required=False, help_text="The kind of batches to export. Default: all."
    )
    cell = serializers.ChoiceField(choices=CELLS, required=False, help_text="What a cell of the wide table holds.")
    criterion = serializers.CharField(
        required=False,
        max_length=80,
        help_text="The criterion whose answer is the label of a data set. Default: the first.",
    )
    ties = serializers.ChoiceField(choices=TIES, required=False, help_text="What becomes of tied items.")
    train = serializers.IntegerField(min_value=0, max_value=100, default=TRAIN, help_text="Per cent.")
    validation = serializers.IntegerField(min_value=0, max_value=100, default=VALIDATION, help_text="Per cent.")
    seed = serializers.IntegerField(
        min_value=0, max_value=LARGEST_SEED, required=False, help_text="The seed of the split. Default: the study's."
    )
    with_names = serializers.BooleanField(default=False, help_text="Account names: for owners, and logged.")


class ExportJobSerializer(serializers.ModelSerializer):
    class Meta:
        model = ExportJob
        fields = (
            "token", "format", "has_names", "file_name", "status", "n_done", "n_total", "n_bytes", "sha256", "error",
            "created_at", "started_at", "finished_at",
        )  # fmt: skip
        read_only_fields = fields


class ExportFormatsView(StudyView):
    serializer_class = ExportFormatSerializer
    pagination_class = None
    rights = {"GET": Right.READ}

    @extend_schema(operation_id="exports_formats", responses=ExportFormatSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the available export formats, each with the approximate size of this study's file."""
        n_ratings = count_ratings(self.study)
        rows = [
            {
                "format": key,
                "name": each.name,
                "about": each.about,
                "content_type": each.content_type,
                "n_bytes_about": each.bytes_about(n_ratings),
            }
            for key, each in FORMATS.items()
        ]
        return Response(self.get_serializer(rows, many=True).data)


class ExportsView(StudyView):
    serializer_class = ExportJobSerializer
    rights = {"GET": Right.READ, "POST": Right.READ}

    @extend_schema(operation_id="exports_list", responses=ExportJobSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the exports written by a worker, finished or not, newest first."""
        page = self.paginate_queryset(self.study.exports.order_by("-pk"))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(operation_id="exports_create", request=ExportRequestSerializer, responses={202: ExportJobSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Request an export, which a worker writes. It has pseudonyms only, unless an owner asks for account names."""
        values, is_owner = self.checked(ExportRequestSerializer), Right.MEMBERS in rights_in(request.user, self.study)
        if values["with_names"] and not is_owner:
            raise PermissionDenied(_("Only an owner may export account names."))
        form = ExportForm(self.study, values, is_owner=is_owner)
        if not form.is_valid():
            raise serializers.ValidationError({name: list(map(str, texts)) for name, texts in form.errors.items()})
        user, format = signed_in(request.user), form.cleaned_data["format"]
        job = asking.queue(self.study, user, format, form.options(), now=timezone.now())
        headers = {"Location": request.build_absolute_uri(f"{job.token}/")}
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED, headers=headers)


class ExportView(StudyView):
    serializer_class = ExportJobSerializer
    rights = {"GET": Right.READ}

    @extend_schema(operation_id="exports_retrieve")
    def get(self, request: Request, slug: str, token: UUID) -> Response:
        """Return one export: how many of its ratings are written, and why it failed if it did."""
        return Response(self.get_serializer(export_for(request.user, slug, token)).data)


class AnyKind(BaseContentNegotiation):
    """Ignore the Accept header: a client that accepts only a zip gets the zip, and refusals as JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class ExportFileView(StudyView):
    rights = {"GET": Right.READ}
    content_negotiation_class = AnyKind

    @extend_schema(operation_id="exports_file", responses=FILE)
    def get(self, request: Request, slug: str, token: UUID) -> StreamingHttpResponse:
        """Return the file of a finished export. Files are kept for seven days."""
        job = export_for(request.user, slug, token)
        if job.status in (ExportJob.Status.QUEUED, ExportJob.Status.RUNNING):
            raise Refusal("not_ready", _("The file is not ready yet. Poll the export until it is done."))
        if job.status != ExportJob.Status.DONE:
            raise Refusal("no_file", _("This file no longer exists. Export it again."))
        if request.method == "GET":
            asking.log_fetched(job, signed_in(request.user), now=timezone.now())
        return asking.file_response(job)
