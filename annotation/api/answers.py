"""Save answers. These are the busiest views of the platform."""

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

from annotation.access import AnswerContext, answer_context_for
from annotation.api.parsing import BoundedJSONParser
from annotation.services.rating import Outcome, Submission, record_ratings
from annotation.services.reading import open_answered
from annotation.services.refusals import Refused
from parley.errors import Refusal, describe
from protocols.answers import LONGEST_TEXT, Given, InvalidAnswer

LONGEST_DIALOGUE = 100_000  # turns
MOST_ANSWERS = 50  # in one request
GIVEN = ("option", "options", "turns", "explanations", "free_text", "other")
LONGEST_MS = 2**53  # the largest whole number that every client can represent; the service has its own limits
LEASE_EXPIRED = _("Your time for this batch has ended. Your answer is kept and counts if you take a seat again.")


class OwnAnswerSerializer(serializers.Serializer):
    """One answer, in the codes that the page uses. Database ids are never sent or accepted."""

    item = serializers.UUIDField()
    criterion = serializers.CharField(max_length=80)
    option = serializers.CharField(
        default="", allow_blank=True, max_length=8, help_text="The option's place on screen: 1, 2, ..."
    )
    options = serializers.ListField(
        child=serializers.CharField(max_length=8),
        default=list,
        max_length=101,
        help_text="The chosen options of a multiple choice.",
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
    """Answers of one assignment. Each is checked separately: a mistake in one does not hold up the others."""

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
        "error": serializers.DictField(required=False, help_text="Why it was refused: code, message, fields."),
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
        context, now = _context(request, values.pop("assignment")), timezone.now()
        submission = _submission(values)
        outcome = record_ratings(context.assignment_id, context.spec, [submission], now=now)[0]
        return Response(_said(context, submission, outcome, now))


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
        """Save several answers. The results come in the order of the answers; each is saved or refused separately."""
        values = SEVERAL.run_validation(request.data)
        context, now = _context(request, values["assignment"]), timezone.now()
        results: list[Any] = []
        for answer in values["answers"]:
            try:
                results.append(_submission(OWN_ANSWER.run_validation(answer)))
            except ValidationError as error:
                results.append(_refusal(error))
        # The readable answers go to the database together.
        read = {at: each for at, each in enumerate(results) if isinstance(each, Submission)}
        outcomes = record_ratings(context.assignment_id, context.spec, list(read.values()), now=now)
        for (at, submission), outcome in zip(read.items(), outcomes, strict=True):
            try:
                results[at] = {"status": status.HTTP_200_OK, **_said(context, submission, outcome, now)}
            except APIException as error:
                results[at] = _refusal(error)
        return Response({"results": results})


def _context(request: Request, assignment: UUID) -> AnswerContext:
    context = answer_context_for(request.user, assignment)
    if context.needs_consent:
        raise Refusal("consent_needed", _("Agree to take part first. Until then your answer stays on your device."))
    return context


def _refusal(error: APIException) -> dict[str, Any]:
    return {"status": error.status_code, "error": describe(error)}


def _submission(values: dict[str, Any]) -> Submission:
    given = Given(**{name: values.pop(name) for name in GIVEN})
    return Submission(**values, given=given)


def _said(context: AnswerContext, submission: Submission, outcome: Outcome, now: datetime) -> dict[str, Any]:
    """Return the acknowledgement of an answer that is stored and counts. Raise the error that explains any other."""
    if isinstance(outcome, InvalidAnswer):
        raise ValidationError({field: [sentence] for field, sentence in outcome.errors.items()})
    if isinstance(outcome, Refused):
        extra = outcome.extra
        if outcome.code == "too_soon":  # its dialogue counts as being read from now on
            left = open_answered(context.assignment_id, submission.item, context.spec.reading_seconds, now=now)
            extra = {"seconds": left.total_seconds()}
        raise Refusal(outcome.code, outcome.message, **extra)
    if not outcome.is_counted:
        raise Refusal("lease_expired", LEASE_EXPIRED, kept=True, revision=outcome.revision)
    return {
        "revision": outcome.revision,
        "is_repeat": outcome.is_repeat,
        "is_counted": outcome.is_counted,
        "saved_at": now,
    }
