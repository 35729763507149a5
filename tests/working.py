"""Annotators at work, through the services: what a test needs done before it begins."""

from datetime import datetime
from itertools import islice, product
from uuid import uuid4

from annotation.models import Assignment
from annotation.selectors.work import spec_of_assignment
from annotation.services.rating import Acknowledgement, Submission, record_rating
from protocols.answers import Given
from protocols.models import Option
from protocols.specs import OptionSpec


def rate_everything(assignment: Assignment, *, now: datetime, option: int = 0, n: int | None = None) -> int:
    """Give the same place of option on every question, or on the first `n`. Returns how many answers were given."""
    criteria = spec_of_assignment(assignment).criteria
    steps = list(islice(product(criteria, assignment.batch.items.order_by("pk")), n))
    for criterion, item in steps:
        chosen = criterion.options[option]
        record(assignment, submission(item.token, criterion.key, chosen), now=now)
    return len(steps)


def record(assignment: Assignment, given: Submission, *, now: datetime) -> Acknowledgement:
    return record_rating(assignment.pk, spec_of_assignment(assignment), given, now=now)


def submission(item, criterion: str, option: OptionSpec) -> Submission:
    text = "I really cannot say" if option.asks == Option.Asks.FREE_TEXT else ""
    return Submission(item, criterion, Given(option.code, (), text), uuid4())
