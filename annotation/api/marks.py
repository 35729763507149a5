"""Save marks on items: an annotator is unsure about one, or something is wrong with it."""

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import answer_context_for
from annotation.api.answers import LONGEST_MS
from annotation.api.base import AnswersRefusals
from annotation.api.parsing import BoundedJSONParser
from annotation.models import ItemMark, MarkChange
from annotation.models.marks import LONGEST_WORDS
from annotation.services.marking import Marking, record_mark
from parley.errors import Refusal


class MarkSerializer(serializers.Serializer):
    """One mark of an annotator on an item. It is never an answer, and no other annotator sees it."""

    assignment = serializers.UUIDField()
    item = serializers.UUIDField()
    mark = serializers.ChoiceField(
        choices=MarkChange.Kind.values, help_text="`unsure`: to look at it again. `flag`: something is wrong with it."
    )
    is_set = serializers.BooleanField(help_text="False takes the mark back.")
    reason = serializers.ChoiceField(
        choices=ItemMark.Reason.values, default="", allow_blank=True, help_text="Required for a flag."
    )
    words = serializers.CharField(
        default="",
        allow_blank=True,
        trim_whitespace=False,
        max_length=LONGEST_WORDS,
        help_text="The annotator's own, about the flag. Needed when the reason is `other`.",
    )
    client_key = serializers.UUIDField(help_text="Made once for a mark: repeated requests are the same mark.")
    age_ms = serializers.IntegerField(
        default=0, min_value=0, max_value=LONGEST_MS, help_text="How long ago it was given, by the clock of its sender."
    )


# One for all requests: a serializer copies its fields when it is made, and validating leaves nothing in it.
MARK = MarkSerializer()
ACKNOWLEDGED = inline_serializer(
    "MarkAcknowledgement",
    {
        "is_repeat": serializers.BooleanField(),
        "saved_at": serializers.DateTimeField(),
    },
)
LEASE_EXPIRED = _("Your time for this batch has ended. Your mark is kept and counts if you take a seat again.")


class MarksView(AnswersRefusals, APIView):
    parser_classes = [BoundedJSONParser]

    @extend_schema(
        operation_id="mark_create",
        summary="Mark an item as unsure, or flag it",
        request=MarkSerializer,
        responses={
            200: ACKNOWLEDGED,
            400: OpenApiResponse(description="A flag without a reason, or without the words that its reason needs."),
            404: OpenApiResponse(description="Not one of your assignments."),
            409: OpenApiResponse(description="Refused, with a code. `kept`: the mark is stored all the same."),
        },
    )
    def post(self, request: Request) -> Response:
        values = MARK.run_validation(request.data)
        context = answer_context_for(request.user, values.pop("assignment"))
        if context.needs_consent:
            raise Refusal("consent_needed", _("Agree to take part first. Until then your mark stays on your device."))
        now = timezone.now()
        marked = record_mark(context.assignment_id, Marking(kind=values.pop("mark"), **values), now=now)
        if not marked.is_held:
            raise Refusal("lease_expired", LEASE_EXPIRED, kept=True)
        return Response({"is_repeat": marked.is_repeat, "saved_at": now})
