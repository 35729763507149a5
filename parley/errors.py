"""The one shape of all errors of the API."""

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise


class Refusal(exceptions.APIException):
    """A request that was understood and refused: 409 with a code and a sentence that says what to do."""

    status_code = status.HTTP_409_CONFLICT

    def __init__(self, code: str, message: "_StrOrPromise", **extra: Any) -> None:
        super().__init__(message, code)
        self.extra = extra


def exception_handler(error: Exception, context: dict) -> Response | None:
    """Return {"error": {"code", "message", "fields"}} for every refusal; None for an unexpected error."""
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if not isinstance(error, exceptions.APIException):
        return None
    set_rollback()
    headers = {}
    if (scheme := getattr(error, "auth_header", None)) is not None:
        headers["WWW-Authenticate"] = scheme
    if (seconds := getattr(error, "wait", None)) is not None:
        headers["Retry-After"] = str(int(seconds))
    return Response({"error": describe(error)}, status=error.status_code, headers=headers)


def describe(error: exceptions.APIException) -> dict[str, Any]:
    if isinstance(error, exceptions.ValidationError):
        fields = error.detail if isinstance(error.detail, dict) else {"non_field_errors": error.detail}
        return {"code": "invalid", "message": _("Some fields are missing or wrong."), "fields": fields}
    code = error.get_codes()
    body = {"code": code if isinstance(code, str) else "error", "message": str(error.detail), "fields": {}}
    return body | getattr(error, "extra", {})
