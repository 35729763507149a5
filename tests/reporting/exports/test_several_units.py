"""Exports of a protocol that asks about responses and about the whole dialogue, in the order of its criteria."""

import csv
import io
from collections.abc import Callable
from itertools import groupby

import pytest

from tests.annotation.work_pages import answer_all, rate_url, sign_in
from tests.sittings import AT_THE_END, FIRST, begin_conversation

Written = Callable[..., bytes]
ORDERS = [(AT_THE_END, ["response", "dialogue"]), (FIRST, ["dialogue", "response"])]


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def units_of(data: bytes) -> list[str]:
    """The units of the last turn's rows, in their order."""
    return [unit for unit, _ in groupby(row["unit"] for row in rows_of(data) if row["dialogue"] == "c-3")]


@pytest.mark.django_db
@pytest.mark.parametrize(("criteria", "wanted"), ORDERS)
@pytest.mark.parametrize("form", ["long-csv", "wide-csv"])
def test_rows_of_a_turn_stand_in_the_order_of_the_units(written: Written, form: str, criteria: list, wanted: list[str]):
    assignment = begin_conversation(criteria)
    answer_all(sign_in(assignment.participant.user), assignment)
    assert units_of(written(assignment.batch.study, form)) == wanted


@pytest.mark.django_db
def test_none_is_the_same_word_in_both_tables(written: Written):
    assignment = begin_conversation(AT_THE_END)
    client = sign_in(assignment.participant.user)
    client.post(rate_url(assignment, 1), {})  # of the optional question: none
    study, who = assignment.batch.study, assignment.participant.pseudonym
    assert [row["label"] for row in rows_of(written(study, "long-csv"))] == ["none"]
    assert [row[who] for row in rows_of(written(study, "wide-csv"))] == ["none"]
