"""An annotator of the cast in front of their work."""

import pytest
from django.test import Client

from annotation.models import Assignment
from tests.annotation.work_pages import sign_in
from tests.cast import Cast
from tests.factories import take_seat


@pytest.fixture
def annotator(cast: Cast) -> Client:
    return sign_in(cast.annotator.user)


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return take_seat(cast.annotator, cast.batch)
