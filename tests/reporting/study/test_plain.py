"""Results as plain values: columns in the order of the fields, and groups of columns among them."""

from dataclasses import dataclass, field

from reporting.study.plain import plain, spread


@dataclass(frozen=True, slots=True)
class Ends:
    value: float | None
    low: float | None


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    kappa: Ends = field(metadata=spread("kappa"))
    ends: Ends | None = field(metadata=spread())
    parts: list[Ends]
    n: int


def test_a_group_of_columns_stands_where_its_field_does_under_its_prefix():
    found = plain(Row("a", Ends(0.5, None), Ends(1.0, 2.0), [Ends(3.0, 4.0)], 7))
    assert list(found.items()) == [
        ("name", "a"), ("kappa", 0.5), ("kappa_low", None), ("value", 1.0), ("low", 2.0),
        ("parts", [{"value": 3.0, "low": 4.0}]), ("n", 7),
    ]  # fmt: skip


def test_a_group_that_is_none_has_no_columns():
    assert list(plain(Row("a", Ends(None, None), None, [], 0))) == ["name", "kappa", "kappa_low", "parts", "n"]


def test_rows_within_mappings_are_plain_too():
    assert plain({"rows": (Ends(1.0, 2.0),), "text": "b"}) == {"rows": [{"value": 1.0, "low": 2.0}], "text": "b"}
