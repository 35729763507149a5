"""Studies that leave as an archive and come back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.models import Study
from archive.reader import import_archive
from tests.archive.round_trip import empty_the_database
from tests.factories import UserFactory
from tests.reporting.exports.conftest import (  # noqa: F401 - fixtures
    diqad,
    he_study,
    make_shared_diqad,
    make_shared_he_study,
    rated,
    written,
)


@pytest.fixture
def come_back(written: Callable[..., bytes], tmp_path: Path) -> Callable[..., Study]:  # noqa: F811
    """The study of the same slug in a database that had nothing, but for an owner if one is wanted."""

    def come_back(study: Study, *, has_owner: bool = False) -> Study:
        path = tmp_path / "archive.zip"
        path.write_bytes(written(study, "archive"))
        empty_the_database()
        owner = UserFactory() if has_owner else None
        return import_archive(path, owner=owner, now=timezone.now())[0]

    return come_back
