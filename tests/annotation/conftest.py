"""An annotator of the cast in front of their work; and everybody in front of every door."""

import re

import pytest
from django.test import Client

from annotation.models import Assignment
from tests.annotation.doors import acceptance_values, make_people, make_values
from tests.annotation.work_pages import sign_in
from tests.cast import Cast
from tests.factories import take_seat


@pytest.fixture
def annotator(cast: Cast) -> Client:
    return sign_in(cast.annotator.user)


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return take_seat(cast.annotator, cast.batch)


# --- made once for a module ------------------------------------------------------------------------
@pytest.fixture(scope="module")
def people(kept_cast: Cast, keep) -> dict[str, Client]:
    return keep(lambda: make_people(kept_cast))


@pytest.fixture(scope="module")
def known_values(kept_cast: Cast, keep) -> dict[str, dict[str, object]]:
    return keep(lambda: make_values(kept_cast))


@pytest.fixture
def values(kept_cast: Cast, known_values, request: pytest.FixtureRequest) -> dict[str, dict[str, object]]:
    of_acceptance = acceptance_values(kept_cast) if re.search("acceptance|sample", request.node.name) else {}
    return known_values | {name: known_values[name] | value for name, value in of_acceptance.items()}
