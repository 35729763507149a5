"""Why a service said no: a code for programs and a sentence, with what to do, for people."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise


class Refused(Exception):
    def __init__(self, code: str, message: "_StrOrPromise", **extra: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = str(message)  # in the language of whoever is refused, not of whoever reads it later
        self.extra = extra
