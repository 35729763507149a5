"""Tell why a service refused: a code for programs, and for people a sentence that says what to do."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise


MOST_NAMED = 10


def first_of(names: Sequence[str]) -> str:
    """Return the names of what is refused, or the first ten."""
    return ", ".join([*names[:MOST_NAMED], *(["…"] if len(names) > MOST_NAMED else [])])


class Refused(Exception):
    def __init__(self, code: str, message: "_StrOrPromise", **extra: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = str(message)  # translated now, for the person refused, not for somebody who reads it later
        self.extra = extra
