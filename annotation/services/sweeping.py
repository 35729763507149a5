"""The loop that all sweeps use."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import DatabaseError
from django.db.models import QuerySet

from annotation.services.refusals import Refused

logger = logging.getLogger(__name__)

AT_ONCE = 100
FAULTS = (ArithmeticError, LookupError, ValueError, DatabaseError, ValidationError, Refused)
T = TypeVar("T")


def sweep_each(
    what: str, found: "Sequence[Any] | QuerySet[Any, Any]", do: Callable[[Any], T], *, most: int = AT_ONCE
) -> list[T]:
    """Do something with each of the first `most` that were found, and return the results.

    Log a fault under `what` and leave its result out, so that one fault never stops the rest.
    """
    results = []
    for each in found[:most]:
        try:
            results.append(do(each))
        except FAULTS:
            logger.exception("%s failed: %s", what, each)
    return results
