"""Exports of a protocol that asks about responses and about the whole dialogue, in the order of its criteria."""

import csv
import io
from collections.abc import Callable
from itertools import groupby

import pytest

from tests.annotation.work_pages import answer_all, sign_in
from tests.sittings import AT_THE_END, FIRST, begin_conversation

Written = Callable[..., bytes]
ORDERS = [(AT_THE_END, ["response", "dialogue"]), (FIRST, ["dialogue", "response"])]


def units_of(data: bytes) -> list[str]:
    """The units of the last turn's rows, in their order."""
    rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    return [unit for unit, _ in groupby(row["unit"] for row in rows if row["dialogue"] == "c-3")]


@pytest.mark.django_db
@pytest.mark.parametrize(("criteria", "wanted"), ORDERS)
@pytest.mark.parametrize("form", ["long-csv", "wide-csv"])
def test_rows_of_a_turn_stand_in_the_order_of_the_units(written: Written, form: str, criteria: list, wanted: list[str]):
    assignment = begin_conversation(criteria)
    answer_all(sign_in(assignment.participant.user), assignment)
    assert units_of(written(assignment.batch.study, form)) == wanted
