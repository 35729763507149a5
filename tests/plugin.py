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
from collections.abc import Generator
from pathlib import Path

import pytest

from parley import embedded

gc.disable()  # until everything is read: nothing of it can be thrown away
_stack = contextlib.ExitStack()
atexit.register(_stack.close)  # for an interrupt so early that pytest has nothing to unconfigure
# What a developer's shell may still decide. Everything else of Parley's is unset: tests see the defaults.
KEPT = ("PARLEY_BROWSER", "PARLEY_POSTGRES_BIN", "PARLEY_VALKEY_SERVER")
HERE = Path(__file__).parent
NO_TESTS = frozenset({"-h", "--help", "-V", "--version", "--markers", "--fixtures"})


def _isolate() -> None:
    for name in [name for name in os.environ if name.startswith("PARLEY_") and name not in KEPT]:
        del os.environ[name]
    os.environ["PARLEY_DATA"] = _stack.enter_context(tempfile.TemporaryDirectory(prefix="parley-tests-"))


def _addresses() -> dict[str, str]:
    named = {name: os.environ[f"TEST_{name}"] for name in embedded.URL_NAMES if os.environ.get(f"TEST_{name}")}
    if len(named) == len(embedded.URL_NAMES):
        return named
    return _stack.enter_context(embedded.throw_away()).urls | named


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
    parser.addoption("--pictures", action="store_true", help="keep pictures of the pages that browser tests open")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --quick: no test marked `slow`, and of those with a browser or killed processes one `journey` a page."""
    if not config.getoption("quick"):
        return
    kept = [item for item in items if _is_quick(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def _is_quick(item: pytest.Item) -> bool:
    if item.path.is_relative_to(HERE / "browser") or item.path.is_relative_to(HERE / "faults"):
        return item.get_closest_marker("journey") is not None
    return item.get_closest_marker("slow") is None


def pytest_collection_finish() -> None:
    """Thousands of tests and their modules stay to the end: no collection has to look through them."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    _stack.close()
