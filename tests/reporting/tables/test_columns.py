"""The columns of a table are those of the dataclass of its rows, with types that know missing values."""

from dataclasses import dataclass, field

from reporting.study.plain import plain, spread
from reporting.tables.columns import ANY, Column, Format, of
from reporting.tables.files import as_csv
from reporting.tables.table import Table


@dataclass(frozen=True, slots=True)
class Ends:
    value: float | None
    low: float | None


@dataclass(frozen=True, slots=True)
class Part:
    key: str


@dataclass(frozen=True, slots=True)
class Result:
    name: str | None
    n: int
    is_sure: bool
    win_rate: Ends = field(metadata=spread("win_rate"))
    notes: list[str]
    parts: list[Part]
    per_batch: list[float | None]
    p_holm: float | None


ROWS = [Result("a", 2, True, Ends(0.5, None), ["x", "y"], [Part("q")], [1.0], 0.04)]
RESULTS: Table[list[Result]] = Table("results", of(Result), lambda rows: rows)


def test_columns_have_the_names_of_plain_values_and_the_types_of_the_fields():
    assert [(each.name, each.dtype) for each in of(Result)] == [
        ("name", "string"),
        ("n", "Int64"),
        ("is_sure", "boolean"),
        ("win_rate", "Float64"),
        ("win_rate_low", "Float64"),
        ("notes", "string"),
        ("p_holm", "Float64"),
    ]
    assert {each.name for each in of(Result)} < plain(ROWS[0]).keys()


def test_some_columns_are_chosen_or_left_out_by_name():
    assert [each.name for each in of(Result, "p_holm n")] == ["p_holm", "n"]
    assert [each.name for each in of(Ends, without="low")] == ["value"]


def test_the_name_of_a_column_says_how_it_is_written_and_otherwise_its_type():
    formats = {each.name: each.format for each in of(Result)}
    assert formats["p_holm"] == Format.P_VALUE
    assert formats["win_rate_low"] == Format.SHARE
    assert (formats["n"], formats["name"]) == (Format.COUNT, Format.TEXT)


def test_a_frame_has_its_types_with_and_without_rows():
    with_rows, without = RESULTS.frame(ROWS), RESULTS.frame([])
    assert with_rows.dtypes.to_dict() == without.dtypes.to_dict()
    assert (len(with_rows), len(without)) == (1, 0)
    assert with_rows["win_rate_low"].isna().all()


def test_a_file_joins_texts_by_bars_and_leaves_missing_values_empty():
    assert as_csv(RESULTS.frame(ROWS)).splitlines() == [
        "name,n,is_sure,win_rate,win_rate_low,notes,p_holm",
        "a,2,True,0.5,,x|y,0.04",
    ]


def test_a_column_of_numbers_and_texts_keeps_both():
    mixed: Table[list[object]] = Table("mixed", [Column("value", ANY)], lambda rows: ({"value": each} for each in rows))
    lines = as_csv(mixed.frame([1, 0.5, "GBP", None, True])).splitlines()
    assert lines == ["value", "1", "0.5", "GBP", '""', "True"]


def test_a_text_has_no_format_of_numbers_whatever_its_name():
    assert Column("effect", "Float64").format == Format.SIGNED
    assert Column("effect", "string").format == Format.TEXT
