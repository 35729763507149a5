from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.db.backends.base.creation import TEST_DATABASE_PREFIX
from django.test import override_settings
from django.utils import translation
from hypothesis import settings as how_much
from pytest_django import DjangoDbBlocker
from whitenoise.middleware import WhiteNoiseMiddleware

from parley.pdf import make_pdf
from tests.cast import Cast, make_cast
from tests.emptying import clear_away, use_instead_of_flush
from tests.pseudo import LANGUAGE, write_catalogues

# Without a deadline: another process beside the tests would make one of them fail.
how_much.register_profile("parley", max_examples=60, deadline=None)
how_much.load_profile("parley")

COMMITTING = frozenset({"transactional_db", "live_server", "django_db_reset_sequences"})


@pytest.fixture(scope="session", autouse=True)
def emptying() -> None:
    use_instead_of_flush()


@pytest.fixture(scope="session", autouse=True)
def reports_at_once() -> Iterator[None]:
    """No worker runs beside a test, so pages of reports do not wait for one; tests of kept reports have their own."""
    with override_settings(REPORT_AT_ONCE=10_000_000):
        yield


@pytest.fixture(scope="session", autouse=True)
def static_files_found_once() -> Iterator[None]:
    """Every test client makes the middleware anew, which would look through all folders of static files each time."""
    found: dict[str, Any] = {}
    find = WhiteNoiseMiddleware.add_files_from_finders

    def found_once(middleware: WhiteNoiseMiddleware) -> None:
        if not found:
            find(middleware)
            found.update(middleware.files)
        middleware.files = dict(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", found_once)
        yield


@pytest.fixture(scope="module", autouse=True)
def cleared_away(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    yield
    if connection.settings_dict["NAME"].startswith(TEST_DATABASE_PREFIX):  # else no test has asked for it yet
        with django_db_blocker.unblock():
            clear_away()


@pytest.fixture(scope="module")
def keep(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Callable[[Callable[[], Any]], Any]]:
    """`keep(make)`: what `make` writes is there for every test of the module, and gone after the last one.

    For modules none of whose tests commits. What it returns is shared: give each test a copy.
    """
    block = transaction.atomic()
    block._from_testcase = True  # as the block around a test: durable ones may stand within
    with django_db_blocker.unblock():
        assert not connection.in_atomic_block, "asked for in the middle of a test: name the fixture in its arguments"
        block.__enter__()

    def kept(make: Callable[[], Any]) -> Any:
        with django_db_blocker.unblock():
            made = make()
            connection.check_constraints()  # once, or else at the end of each test: its rollback makes them due again
            return made

    yield kept
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        block.__exit__(None, None, None)


@pytest.fixture(autouse=True)
def in_the_default_language() -> Iterator[None]:
    """A page in another language leaves it active in its thread, which is that of the next test."""
    yield
    translation.deactivate()


@pytest.fixture(scope="module")
def kept_cast(request: pytest.FixtureRequest) -> Cast | None:
    """None where each test has a cast of its own."""
    has_own = _commits(request) or request.node.get_closest_marker("own_cast")
    return None if has_own else request.getfixturevalue("keep")(make_cast)


def _commits(request: pytest.FixtureRequest) -> bool:
    """Whether a test of the module needs rows that others see, and clears all of them away."""
    return any(_is_committing(item) for item in request.session.items if item.path == request.node.path)


def _is_committing(item: pytest.Item) -> bool:
    marker = item.get_closest_marker("django_db")
    is_marked = marker is not None and (marker.kwargs.get("transaction") or any(marker.args))
    return bool(is_marked) or not COMMITTING.isdisjoint(item.fixturenames)


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """`shared(make)` returns a maker for tests. Its rows are those of the module, if no test of the module commits."""
    if _commits(request):
        return lambda make: make
    keep = request.getfixturevalue("keep")

    def shared(make: Callable[[], Any]) -> Callable[[], Any]:
        kept = keep(make)
        return lambda: _as_new(kept)

    return shared


def _as_new(kept: Any) -> Any:
    cache.clear()  # what another test's page kept of the same study
    return deepcopy(kept)


@pytest.fixture
def cast(kept_cast: Cast | None, db: None) -> Cast:
    """A study and its people as new: rows of the module, objects of the test."""
    return _as_new(kept_cast) or make_cast()


@pytest.fixture(scope="session")
def pseudo_catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_catalogues(tmp_path_factory.mktemp("locale"))


@pytest.fixture
def right_to_left(settings, pseudo_catalogues: Path) -> str:
    """The code of a language that is offered while the test runs, and is written from right to left."""
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, pseudo_catalogues]
    settings.LANGUAGES = [*settings.LANGUAGES, (LANGUAGE, "Mirrored")]
    return LANGUAGE


@pytest.fixture(scope="session")
def empty_pdf() -> bytes:
    return make_pdf("<p></p>")


@pytest.fixture
def unprinted(monkeypatch: pytest.MonkeyPatch, empty_pdf: bytes) -> None:
    """Every PDF is an empty one: who gets it is asked here, and printing takes seconds."""
    monkeypatch.setattr("weasyprint.HTML.write_pdf", lambda *_args, **_options: empty_pdf)
