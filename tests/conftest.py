from pathlib import Path

import pytest

from tests.cast import Cast, make_cast
from tests.pseudo import LANGUAGE, write_catalogues


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture(scope="session")
def pseudo_catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_catalogues(tmp_path_factory.mktemp("locale"))


@pytest.fixture
def right_to_left(settings, pseudo_catalogues: Path) -> str:
    """The code of a language that is offered while the test runs, and is written from right to left."""
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, pseudo_catalogues]
    settings.LANGUAGES = [*settings.LANGUAGES, (LANGUAGE, "Mirrored")]
    return LANGUAGE
