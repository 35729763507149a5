"""Tables are written column by column and some rows at a time: the same bytes as one by one."""

import csv
import io
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive.writer import ticking
from parley.formulas import quote_formula, unquote_formula
from reporting.exports import tables
from reporting.exports.tables import Column, csv_pieces, in_blocks, untyped
from tests.reporting.exports.texts import ANY_TEXT
from tests.shipped import Work

Written = Callable[..., bytes]
MOMENT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)


def csv_of(columns: list[Column], rows: list[tuple[Any, ...]]) -> str:
    return b"".join(csv_pieces(columns, in_blocks(rows), has_mark=False)).decode()


def as_the_library_writes(rows: list[tuple[str, ...]]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows([quote_formula(cell) for cell in row] for row in rows)
    return out.getvalue()


@given(data=st.data(), n_columns=st.integers(1, 3), kind=st.sampled_from(["text", "any"]))
def test_texts_are_quoted_as_the_csv_library_quotes_them(data: st.DataObject, n_columns: int, kind: Any) -> None:
    rows = data.draw(st.lists(st.tuples(*[ANY_TEXT] * n_columns), max_size=6))
    names = data.draw(st.tuples(*[ANY_TEXT] * n_columns))
    assert csv_of([Column(name, kind) for name in names], rows) == as_the_library_writes([names, *rows])


@given(cells=st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=5))
def test_any_text_comes_back_from_the_csv(cells: list[tuple[str, str]]) -> None:
    back = list(csv.reader(io.StringIO(csv_of(untyped("ab"), cells), newline="")))[1:]
    assert [tuple(map(unquote_formula, row)) for row in back] == cells


@given(lists=st.lists(st.lists(ANY_TEXT, max_size=3).map(tuple), max_size=5))
def test_several_texts_are_one_text_with_bars(lists: list[tuple[str, ...]]) -> None:
    joined = [("|".join(texts),) for texts in lists]
    assert csv_of([Column("a", "texts")], [(texts,) for texts in lists]) == as_the_library_writes([("a",), *joined])


def test_values_that_are_equal_and_not_the_same_keep_their_own_writing() -> None:
    values = [1, True, 1.0, "1", None, 0, False, 2.5, -0.0, -3, "-3", MOMENT]
    lines = csv_of(untyped(["a", "b"]), [(value, "") for value in values]).splitlines()[1:]
    assert [line.removesuffix(",") for line in lines] == [
        "1", "true", "1", "1", "", "0", "false", "2.5", "0", "-3", "'-3", "2026-03-01T12:30:00Z",
    ]  # fmt: skip


def test_a_table_without_rows_has_its_header() -> None:
    assert csv_of(untyped(["=a", "b"]), []) == "'=a,b\r\n"


@pytest.mark.parametrize("format", ["long-csv", "wide-csv", "long-parquet", "archive"])
def test_how_many_rows_are_written_at_a_time_changes_nothing(
    diqad: Work, written: Written, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    def content() -> Any:
        data = written(diqad.study, format)
        return pq.read_table(io.BytesIO(data)).to_pylist() if format == "long-parquet" else data

    whole = content()
    monkeypatch.setattr(tables, "ROWS_PER_BLOCK", 7)
    assert content() == whole


def test_parquet_holds_some_blocks_at_a_time(diqad: Work, written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROWS_PER_BLOCK", 5)
    monkeypatch.setattr(tables, "BLOCKS_PER_GROUP", 2)
    facts = pq.ParquetFile(io.BytesIO(written(diqad.study, "long-parquet"))).metadata
    sizes = [facts.row_group(at).num_rows for at in range(facts.num_row_groups)]
    assert len(sizes) > 2
    assert set(sizes[:-1]) == {10}


def test_progress_counts_rows() -> None:
    ticks: list[int] = []
    rows = [(number, "") for number in range(2 * tables.ROWS_PER_BLOCK + 1)]
    for _ in ticking(in_blocks(rows), ticks.append):
        pass
    assert ticks == [tables.ROWS_PER_BLOCK, 2 * tables.ROWS_PER_BLOCK, len(rows)]
