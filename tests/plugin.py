"""Gives every pytest run a PostgreSQL and a Valkey of its own, before Django reads its settings.

Loaded with `-p tests.plugin`. Under pytest-xdist the controller starts them once and the workers inherit the
addresses; pytest-django gives each worker its own database, and here it gets a database of the Valkey: a test that
empties its cache must not empty another's. TEST_DATABASE_URL and TEST_REDIS_URL name other servers.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

from parley import embedded
from tests.throwing_away import throw_away

gc.disable()  # until everything is read: nothing of it can be thrown away
_stack = contextlib.ExitStack()
atexit.register(_stack.close)  # for an interrupt so early that pytest has nothing to unconfigure
# What a developer's shell may still decide. Everything else of Parley's is unset: tests see the defaults.
KEPT = ("PARLEY_BROWSER", "PARLEY_POSTGRES_BIN", "PARLEY_VALKEY_SERVER")
SLOW = Path(__file__).with_name("slow.txt")  # written by --note-slow
SLOW_CASE, SLOW_FUNCTION = 0.4, 2.0  # seconds, of two cores with nothing else to do
JOURNEYS_ONLY = ("tests/browser/", "tests/faults/")
NO_TESTS = frozenset({"-h", "--help", "-V", "--version", "--markers", "--fixtures"})


def _isolate() -> None:
    for name in [name for name in os.environ if name.startswith("PARLEY_") and name not in KEPT]:
        del os.environ[name]
    os.environ["PARLEY_DATA"] = _stack.enter_context(tempfile.TemporaryDirectory(prefix="parley-tests-"))


def _addresses() -> dict[str, str]:
    named = {name: os.environ[f"TEST_{name}"] for name in embedded.URL_NAMES if os.environ.get(f"TEST_{name}")}
    if len(named) == len(embedded.URL_NAMES):
        return named
    return _stack.enter_context(throw_away()).urls | named


def worker_number() -> int:
    """From 1; 1 too where there is one process only."""
    return int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) + 1


def numbered(url: str, number: int) -> str:
    """The same server's database of this number, for both ways to name it."""
    return re.sub(r"(virtual_host=|/)0$", rf"\g<1>{number}", url)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """A wrapper, because pytest-django reads the settings in the very first plain hook."""
    is_text_only = NO_TESTS & set(early_config.invocation_params.args)
    if not is_text_only and "PYTEST_XDIST_WORKER" not in os.environ:
        _isolate()
        os.environ.update(_addresses())
    if not is_text_only and "PYTEST_XDIST_WORKER" in os.environ:
        os.environ["REDIS_URL"] = numbered(os.environ["REDIS_URL"], worker_number())
    return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out what takes seconds, for a look while you work")
    parser.addoption("--note-slow", action="store_true", help="after all tests: write which ones --quick leaves out")
    parser.addoption("--pictures", action="store_true", help="keep pictures of the pages that browser tests open")


def pytest_configure(config: pytest.Config) -> None:
    config.option.reuse_db |= "TEST_DATABASE_URL" not in os.environ  # no table is dropped before its server is
    if config.getoption("note_slow") and "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(_SlowNotes())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --quick: no test of slow.txt, and of those with a browser or killed processes one `journey` a page."""
    if not config.getoption("quick"):
        return
    slow = frozenset(SLOW.read_text(encoding="utf-8").split())
    kept = [item for item in items if _is_quick(item, slow)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def _is_quick(item: pytest.Item, slow: frozenset[str]) -> bool:
    if item.nodeid.startswith(JOURNEYS_ONLY):
        return item.get_closest_marker("journey") is not None
    return _function_of(item.nodeid) not in slow


def _function_of(nodeid: str) -> str:
    return nodeid.partition("[")[0]


class _SlowNotes:
    """Measures each test function with all its parameters, and writes the slow ones when all tests are over."""

    def __init__(self) -> None:
        self.longest: dict[str, float] = defaultdict(float)
        self.total: dict[str, float] = defaultdict(float)
        self.started: set[str] = set()  # workers: the first test of each has to wait for the tables of its database

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        worker = getattr(report, "worker_id", "")
        if worker in self.started and not report.nodeid.startswith(JOURNEYS_ONLY):
            name = _function_of(report.nodeid)
            self.longest[name] = max(self.longest[name], report.duration)
            self.total[name] += report.duration
        if report.when == "teardown":
            self.started.add(worker)

    def pytest_sessionfinish(self) -> None:
        slow = [name for name in self.total if self.longest[name] > SLOW_CASE or self.total[name] > SLOW_FUNCTION]
        SLOW.write_text("".join(f"{name}\n" for name in sorted(slow)), encoding="utf-8")


def pytest_collection_finish() -> None:
    """Thousands of tests and their modules stay to the end: no collection has to look through them."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # with Python's own, one second in twelve goes into looking for cycles


def pytest_unconfigure() -> None:
    _stack.close()
