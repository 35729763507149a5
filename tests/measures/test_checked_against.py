"""Every figure beside an independent implementation, and the table of docs/statistics.md that says so.

`.venv/bin/python -m tests.measures.checks` measures again and writes the table.
"""

import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

from tests.measures.checks import Check, difference
from tests.measures.checks.reference import CHECKS as REFERENCE_CHECKS
from tests.measures.checks.reference import COMPARED
from tests.measures.checks.table import CHECKS, PROOFS, ROOT, Line, figures, in_brackets, line_of, printed, rounded_up

# What a rounding error is: another processor adds up in another order.
ROUNDING = 1e-12


@cache
def on_page() -> dict[tuple[str, str], Line]:
    return {(line.functions, line.beside): line for line in printed()}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_figure_is_that_of_another_program(check: Check) -> None:
    """The page has the number of cases, and a difference of the size that is measured here."""
    cases, largest = check.measured()
    assert largest <= check.within
    now = line_of(check, cases, largest)
    line = on_page().get((now.functions, now.beside))
    assert line is not None, f"the page lacks: {now}"
    assert (line.cases, line.test) == (now.cases, now.test)
    assert float(line.largest) <= check.within
    assert largest <= max(10 * float(line.largest), ROUNDING), f"the page says {line.largest}, measured: {now.largest}"


def test_the_table_has_every_check_and_nothing_else() -> None:
    known = [line_of(row) for row in [*CHECKS, *PROOFS]]
    assert len({check.name for check in CHECKS}) == len(CHECKS)
    assert [(line.functions, line.beside) for line in printed()] == [(line.functions, line.beside) for line in known]


def test_every_test_that_the_table_names_exists() -> None:
    named = [line.test for line in printed()]
    ids = {in_brackets(check) for check in CHECKS}
    for test in named:
        path, _, function = test.strip("`").partition("::")
        assert test in ids or function in functions_of(ROOT / "tests" / path), test


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_figure_of_measures_is_in_the_table() -> None:
    named = {name.strip("`") for line in printed() for name in line.functions.split(", ")}
    assert sorted(set(figures()) - named) == []
    for name in named:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(f"measures.{module}"), function))


def test_every_reference_case_is_in_one_check() -> None:
    assert sum(check.measured()[0] for check in REFERENCE_CHECKS) == COMPARED


def test_a_difference_is_the_largest_and_undefined_equals_undefined_only() -> None:
    assert difference([1, 2, 3], [1, 2.5, 2.9]) == 0.5
    assert difference(None, None) == 0.0
    assert difference(None, 1.0) == difference(1.0, None) == difference([1, 2], [1]) == float("inf")
    assert [rounded_up(each) for each in (0.0, 2.2e-16, 9.3e-16, 0.00538)] == ["0", "3e-16", "1e-15", "0.006"]
