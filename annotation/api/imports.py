"""Queue imports as jobs: a worker reads the file, and the job reports its progress."""

from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import Right, import_for, signed_in
from annotation.api.base import StudyView
from annotation.api.parsing import BoundedJSONParser
from annotation.api.serializers import ImportJobSerializer
from annotation.api.strict import refuse_unknown
from annotation.forms_import import COLUMNS, OF_CHAT_LOGS, ImportForm
from annotation.models import ImportJob
from annotation.selectors.studies import import_list
from annotation.services import uploads
from annotation.services.taking_back import take_back

CSRF_FIELD = "csrfmiddlewaretoken"  # a signed-in browser may send its token in the form


class ImportSerializer(serializers.Serializer):
    """A file and how to read it. The API accepts the same values as the form on the import page."""

    file = serializers.FileField()
    kind = serializers.ChoiceField(choices=ImportJob.Kind.choices, default=ImportJob.Kind.DIALOGUES)
    format = serializers.CharField(required=False, allow_blank=True, help_text="Left out, it is recognised.")
    is_dry_run = serializers.BooleanField(default=False, help_text="Check everything, store nothing.")
    sheet = serializers.CharField(
        required=False, max_length=100, help_text="Of a workbook with several sheets: the one to read."
    )
    reference = serializers.CharField(required=False, help_text="The source that is the ground truth.")
    source = serializers.CharField(  # type: ignore[assignment] # a field may be named like an attribute of fields
        required=False, help_text="The source of candidates that name none."
    )
    asker = serializers.CharField(
        required=False, max_length=200, help_text="The speaker who asks, in dialogues that do not say it."
    )
    unescape_newlines = serializers.BooleanField(required=False)
    replace_unused = serializers.BooleanField(
        required=False, help_text="For dialogues: replace those of the same id that differ, if no batch holds them yet."
    )
    transcript = serializers.BooleanField(
        required=False, help_text="For dialogues: the file is a chat log, and its responses are rated."
    )
    roles = serializers.CharField(
        required=False,
        max_length=100,
        help_text="Of a chat log: whose messages are rated: assistant, user or both. Left out, assistant.",
    )
    rate = serializers.CharField(
        required=False, max_length=20, help_text="Of a chat log: all, last, every:K, from:N or none. Left out, all."
    )
    with_dialogue = serializers.BooleanField(
        required=False, help_text="Of a chat log: the whole dialogue is rated too, at the end."
    )
    show_system = serializers.BooleanField(
        required=False, help_text="Of a chat log: annotators read the system prompt, which is otherwise only kept."
    )
    create_missing = serializers.BooleanField(
        required=False, help_text="For ratings: create dialogues that the study does not have."
    )
    metrics = serializers.CharField(
        required=False,
        max_length=4000,
        help_text="For predictions: one column per metric; a label metric names its criterion: bleu, judge=coherence.",
    )
    metric = serializers.CharField(
        required=False,
        max_length=100,
        help_text="For predictions: the name of the metric in the column value or label.",
    )
    criterion = serializers.CharField(
        required=False,
        max_length=100,
        help_text="For predictions, and for labels in JSON Lines: the criterion they answer.",
    )
    lower_is_better = serializers.CharField(
        required=False, max_length=4000, help_text="For predictions: metrics where a lower score is better."
    )
    note = serializers.CharField(
        required=False, max_length=2000, help_text="For predictions: how they were made. Printed beside the metrics."
    )

    def get_fields(self) -> dict[str, serializers.Field]:
        """Add a field for each of our columns: it takes the name of that column in the file.

        Ratings with a column for each criterion also take `map_` and the criterion's key.
        """
        fields = super().get_fields()
        for name in COLUMNS:
            text = f"The file's column that is our {name}; - if it has none."
            fields[f"map_{name}"] = serializers.CharField(required=False, max_length=2000, help_text=text)
        return fields


def _refuse_wrong(form: ImportForm) -> None:
    """Raise ValidationError for wrong values, and for options of chat logs without `transcript`, as the command does.

    The page sends these options with every file, and hides them unless the file is a chat log.
    """
    if not form.is_valid():
        raise serializers.ValidationError({name: [str(text) for text in said] for name, said in form.errors.items()})
    if not form.cleaned_data["transcript"]:
        text = _("This field is for chat logs: send transcript=true too.")
        useless = [name for name in OF_CHAT_LOGS if form.cleaned_data[name]]
        if useless:
            raise serializers.ValidationError({name: [text] for name in useless})


class ImportsView(StudyView):
    serializer_class = ImportJobSerializer
    parser_classes = [MultiPartParser, BoundedJSONParser]
    rights = {"GET": Right.IMPORT, "POST": Right.IMPORT}

    @extend_schema(operation_id="imports_list", responses=ImportJobSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List imports, newest first."""
        page = self.paginate_queryset(import_list(self.study))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(
        operation_id="imports_create",
        request={"multipart/form-data": ImportSerializer},
        responses={202: ImportJobSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue an import. If any line is wrong, nothing is stored and the import lists the errors."""
        data: Any = request.data
        is_form = isinstance(data, QueryDict)
        texts = {name: data[name] for name in data if isinstance(data[name], str)} if is_form else {}
        form = ImportForm({"kind": ImportJob.Kind.DIALOGUES} | texts, request.FILES, study=self.study)
        if is_form:
            refuse_unknown([name for name in data if name != CSRF_FIELD], form.fields)
        _refuse_wrong(form)
        user, now = signed_in(request.user), timezone.now()
        job = uploads.queue_import(study=self.study, user=user, now=now, **form.arguments())
        headers = {"Location": request.build_absolute_uri(f"{job.token}/")}
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED, headers=headers)


class ImportView(StudyView):
    serializer_class = ImportJobSerializer
    rights = {"GET": Right.IMPORT}

    @extend_schema(operation_id="imports_retrieve")
    def get(self, request: Request, slug: str, token: UUID) -> Response:
        """Get one import: its progress, its summary and its errors."""
        return Response(self.get_serializer(import_for(request.user, slug, token)).data)


class ImportTakeBackView(StudyView):
    serializer_class = ImportJobSerializer
    rights = {"POST": Right.IMPORT}

    @extend_schema(operation_id="imports_take_back", request=None)
    def post(self, request: Request, slug: str, token: UUID) -> Response:
        """Remove what an import of ratings made, or the unused dialogues of one. Refused if nothing can be removed."""
        job = import_for(request.user, slug, token)
        take_back(job, by=signed_in(request.user), now=timezone.now())
        job.refresh_from_db()
        return Response(self.get_serializer(job).data)
