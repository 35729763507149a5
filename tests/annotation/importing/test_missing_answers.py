"""Rows without an answer are skipped and counted; the answer that none applies is one."""

import io

import pytest
from django.core.management import call_command

from annotation.models import Rating, Study
from tests.annotation.importing.conftest import HEAD, Write, errors_of, load_ratings

pytestmark = pytest.mark.django_db
GOOD = "d01,d01-it5,it5,x,listening,Listening"


@pytest.mark.parametrize("cell", ["", " ", "NaN", "nan", "NA", "N/A", "null"])
def test_a_row_without_an_answer_is_skipped_and_counted(small: Study, write: Write, cell: str) -> None:
    found = load_ratings(small, write(HEAD, GOOD, f"d01,d01-it5,it5,y,listening,{cell}"))
    assert found.counts["ratings_new"] == Rating.objects.count() == 1
    assert "1 row has no answer and is skipped." in found.notes


def test_the_command_says_how_many_rows_it_skips(small: Study, write: Write) -> None:
    out = io.StringIO()
    rows = [f"d01,d01-it5,it5,{name},listening,NaN" for name in "yz"]
    call_command("import_ratings", small.slug, str(write(HEAD, GOOD, *rows)), stdout=out)
    assert "Note: 2 rows have no answer and are skipped." in out.getvalue()


def test_in_a_table_with_a_column_for_each_criterion_cells_are_skipped(small: Study, write: Write) -> None:
    head = "dialogue,candidate_id,source,annotator,listening,appropriateness"
    found = load_ratings(small, write(head, "d01,d01-it5,it5,x,Listening,NaN", "d01,d01-it5,it5,y,,Appropriate"))
    assert found.counts["ratings_new"] == 2
    assert "2 cells have no answer and are skipped." in found.notes


def test_a_file_without_any_answer_says_so(small: Study, write: Write) -> None:
    [(_, _, reason)] = errors_of(load_ratings, small, write(HEAD, "d01,d01-it5,it5,x,listening,NaN"))
    assert reason == "no row has an answer: empty cells and NaN are skipped"
