"""Where answers arrive: the hot path of the platform."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.access import Desk, desk_for
from annotation.api.parsing import BoundedJSONParser
from annotation.services.rating import Acknowledgement, Submission, record_rating
from annotation.services.reading import open_answered
from annotation.services.refusals import Refused
from parley.errors import Refusal, describe
from protocols.forms import LONGEST_TEXT, Given, InvalidAnswer

LONGEST_DIALOGUE = 100_000  # turns
MOST_ANSWERS = 50  # in one request
GIVEN = ("option", "options", "turns", "explanations", "free_text", "other")
LONGEST_MS = 2**53  # the largest whole number every client can say; the service has its own bounds
LEASE_EXPIRED = _("Your time for this batch has ended. The answer is kept: take a seat again and it counts.")


class OwnAnswerSerializer(serializers.Serializer):
    """One answer, in the codes of the page: no id of a row is ever sent or taken."""

    item = serializers.UUIDField()
    criterion = serializers.CharField(max_length=80)
    option = serializers.CharField(
        default="", allow_blank=True, max_length=8, help_text="The option's place on screen: 1, 2, ..."
    )
    options = serializers.ListField(
        child=serializers.CharField(max_length=8), default=list, max_length=101, help_text="Of a multiple choice."
    )
    turns = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LONGEST_DIALOGUE),
        default=list,
        max_length=1000,
        help_text="Marked turns, counted from 1.",
    )
    explanations = serializers.ListField(
        child=serializers.CharField(max_length=4), default=list, max_length=50, help_text="a, b, ..."
    )
    free_text = serializers.CharField(default="", allow_blank=True, trim_whitespace=False, max_length=LONGEST_TEXT)
    other = serializers.BooleanField(
        default=False, help_text="“Other” is ticked: then free_text is needed. A free_text alone means the same."
    )
    protocol = serializers.CharField(
        default="", allow_blank=True, max_length=12, help_text="The beginning of the version's hash, as on the page."
    )
    client_key = serializers.UUIDField(help_text="Made once for an answer: repeated requests are the same answer.")
    age_ms = serializers.IntegerField(
        default=0, min_value=0, max_value=LONGEST_MS, help_text="How long ago it was given, by the clock of its sender."
    )
    active_ms = serializers.IntegerField(default=0, min_value=0, max_value=LONGEST_MS)


class AnswerSerializer(OwnAnswerSerializer):
    """One answer, and the assignment it belongs to."""

    assignment = serializers.UUIDField()


class SeveralAnswersSerializer(serializers.Serializer):
    """Answers of one assignment. Each is looked at by itself: a mistake in one does not hold up the others."""

    assignment = serializers.UUIDField()
    answers = serializers.ListField(
        child=serializers.DictField(), min_length=1, max_length=MOST_ANSWERS, help_text="Each as for one answer."
    )


# One for all requests: a serializer copies its fields when it is made, and validating leaves nothing in it.
ANSWER, OWN_ANSWER, SEVERAL = AnswerSerializer(), OwnAnswerSerializer(), SeveralAnswersSerializer()


def _saved_fields(*, required: bool) -> dict[str, serializers.Field]:
    return {
        "revision": serializers.IntegerField(required=required),
        "is_repeat": serializers.BooleanField(required=required),
        "is_counted": serializers.BooleanField(required=required),
        "saved_at": serializers.DateTimeField(required=required),
    }


ACKNOWLEDGED = inline_serializer("Acknowledgement", _saved_fields(required=True))
RESULT = inline_serializer(
    "AnswerResult",
    {
        "status": serializers.IntegerField(help_text="As if it had been sent alone: 200, 400 or 409."),
        **_saved_fields(required=False),
        "error": serializers.DictField(required=False, help_text="Of a refused one: code, message, fields."),
    },
    many=True,
)


class AnswersView(APIView):
    parser_classes = [BoundedJSONParser]

    @extend_schema(
        operation_id="answer_create",
        summary="Save one answer",
        request=AnswerSerializer,
        responses={
            200: ACKNOWLEDGED,
            400: OpenApiResponse(description="The protocol does not allow this answer; fields say why."),
            404: OpenApiResponse(description="Not one of your assignments."),
            409: OpenApiResponse(description="Refused, with a code. `kept`: the answer is stored all the same."),
        },
    )
    def post(self, request: Request) -> Response:
        values = ANSWER.run_validation(request.data)
        desk = _desk(request, values.pop("assignment"))
        return Response(_saved(desk, values, timezone.now()))


class SeveralAnswersView(APIView):
    parser_classes = [BoundedJSONParser]

    @extend_schema(
        operation_id="answers_create",
        summary="Save several answers of one assignment",
        request=SeveralAnswersSerializer,
        responses={
            200: inline_serializer("SeveralAcknowledged", {"results": RESULT}),
            404: OpenApiResponse(description="Not one of your assignments."),
            409: OpenApiResponse(description="Consent is needed first: nothing is stored."),
        },
    )
    def post(self, request: Request) -> Response:
        """What became of each answer, in their order: saved or refused, each by itself."""
        values = SEVERAL.run_validation(request.data)
        desk, now = _desk(request, values["assignment"]), timezone.now()
        return Response({"results": [_result(desk, answer, now) for answer in values["answers"]]})


def _desk(request: Request, assignment: UUID) -> Desk:
    desk = desk_for(request.user, assignment)
    if desk.needs_consent:
        raise Refusal("consent_needed", _("Agree to take part first: your answer waits on your device."))
    return desk


def _result(desk: Desk, answer: dict[str, Any], now: datetime) -> dict[str, Any]:
    try:
        saved = _saved(desk, OWN_ANSWER.run_validation(answer), now)
    except APIException as error:
        return {"status": error.status_code, "error": describe(error)}
    return {"status": status.HTTP_200_OK, **saved}


def _saved(desk: Desk, values: dict[str, Any], now: datetime) -> dict[str, Any]:
    acknowledged = _record(desk, values, now)
    return {
        "revision": acknowledged.revision,
        "is_repeat": acknowledged.is_repeat,
        "is_counted": acknowledged.is_counted,
        "saved_at": now,
    }


def _record(desk: Desk, values: dict[str, Any], now: datetime) -> Acknowledgement:
    given = Given(**{name: values.pop(name) for name in GIVEN})
    submission = Submission(**values, given=given)
    try:
        acknowledged = record_rating(desk.assignment_id, desk.spec, submission, now=now)
    except InvalidAnswer as invalid:
        raise ValidationError({field: [sentence] for field, sentence in invalid.errors.items()}) from None
    except Refused as refused:
        extra = _wait(desk, submission, now) if refused.code == "too_soon" else refused.extra
        raise Refusal(refused.code, refused.message, **extra) from None
    if not acknowledged.is_counted:
        raise Refusal("lease_expired", LEASE_EXPIRED, kept=True, revision=acknowledged.revision)
    return acknowledged


def _wait(desk: Desk, submission: Submission, now: datetime) -> dict[str, float]:
    """After how many seconds the answer is taken: from now on its dialogue counts as being read."""
    left = open_answered(desk.assignment_id, submission.item, desk.spec.reading_seconds, now=now)
    return {"seconds": left.total_seconds()}
