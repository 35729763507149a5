"""Base view of the API: it finds studies as the pages do and turns refusals of services into API errors."""

from functools import cached_property
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as InvalidValues
from rest_framework import exceptions
from rest_framework.generics import GenericAPIView
from rest_framework.response import Response
from rest_framework.serializers import as_serializer_error

from annotation.access import Right, study_for
from annotation.api.parsing import BoundedJSONParser
from annotation.models import Study
from annotation.services.refusals import Refused
from parley.errors import Refusal


# Answers refusals of services as errors of the API: services know nothing of HTTP. No docstring, here and below: the
# OpenAPI document would show it for every operation.
class AnswersRefusals:
    def handle_exception(self, error: Exception) -> Response:
        shown = error
        if isinstance(error, Refused):
            shown = Refusal(error.code, error.message, **error.extra)
        elif isinstance(error, InvalidValues):
            shown = exceptions.ValidationError(as_serializer_error(error))
        elif isinstance(error, PermissionDenied):
            shown = exceptions.PermissionDenied(str(error) or None)
        return super().handle_exception(shown)  # type: ignore[misc]


# `rights` names what each method of a view below /studies/<slug>/ needs; a method without an entry is refused.
class StudyView(AnswersRefusals, GenericAPIView):
    metadata_class = None  # OPTIONS would describe bodies to people who may not send them
    rights: dict[str, Right] = {}
    parser_classes = [BoundedJSONParser]

    @cached_property
    def study(self) -> Study:
        right = self.rights.get("GET" if self.request.method == "HEAD" else self.request.method or "")
        if right is None:
            raise exceptions.MethodNotAllowed(str(self.request.method))
        return study_for(self.request.user, self.kwargs["slug"], right)

    def initial(self, request: Any, *args: Any, **kwargs: Any) -> None:
        """Check the right before the body is read, so that errors in the body tell nothing to a user without it."""
        super().initial(request, *args, **kwargs)
        if request.method in self.rights or request.method == "HEAD":
            _ = self.study

    def checked(self, serializer_class: Any = None, **kwargs: Any) -> dict[str, Any]:
        """Return the clean values of the request's body. Raise ValidationError."""
        make = serializer_class or self.get_serializer_class()
        serializer = make(data=self.request.data, context=self.get_serializer_context(), **kwargs)
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)
