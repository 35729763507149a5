"""Two studies with ratings: the reference study, and a small one on scales."""

import copy
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from annotation.models import Batch, Study
from annotation.services.agreement import sweep
from annotation.services.claiming import submit_assignment
from reporting.report.build import Report, build_report
from tests.cast import Cast
from tests.factories import StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import make_scale_version
from tests.he_study import DATA, load_he_study
from tests.working import rate_everything

NOW = timezone.now()


def make_he_study() -> Study:
    """The reference study as a researcher brings it: by the commands, under the protocol that ships."""
    call_command("load_protocols")
    call_command("create_study", "he", "--protocol", "he-protocol")
    call_command("import_dialogues", "he", str(DATA / "dialogues.jsonl"))
    call_command("import_ratings", "he", str(DATA / "ratings.csv.gz"))
    return Study.objects.get(slug="he")


@pytest.fixture(scope="module")
def make_shared_he_study(shared) -> Callable[[], Study]:
    return shared(make_he_study)


@pytest.fixture
def he_study(make_shared_he_study: Callable[[], Study], db) -> Study:
    return make_shared_he_study()


@pytest.fixture(scope="module")
def make_measured_he_study(shared) -> Callable[[], Study]:
    return shared(make_measured)


@pytest.fixture
def measured_he_study(make_measured_he_study: Callable[[], Study], db) -> Study:
    """The reference study by rows, and its agreement."""
    return make_measured_he_study()


def make_measured() -> Study:
    study = load_he_study(now=NOW)
    sweep(now=NOW)
    return study


@pytest.fixture(scope="module")
def kept_he_report(make_shared_he_study: Callable[[], Study], django_db_blocker: DjangoDbBlocker) -> Report:
    with django_db_blocker.unblock():
        return build_report(make_shared_he_study(), now=NOW)


@pytest.fixture
def he_report(kept_he_report: Report) -> Report:
    return copy.deepcopy(kept_he_report)


def make_scale_study() -> Study:
    """Three people, four dialogues and two sources on a scale from 5 down to 1."""
    study = StudyFactory(slug="scales", protocol_version=make_scale_version(), pay_amount="5.00", pay_currency="GBP")
    batch = make_batch(study, n_dialogues=4, n_sources=2)
    rng = np.random.default_rng(3)
    for number in range(3):
        assignment = take_seat(make_annotator(study, f"scaler-{number}"), batch)
        rate_everything(assignment, now=NOW)
        for rating in assignment.ratings.all():
            options = list(rating.criterion.options.all())
            rating.option = options[int(rng.integers(0, 5))]
            rating.active_ms = int(rng.integers(1000, 9000))
            rating.save()
        submit_assignment(assignment, feedback="", now=NOW + timedelta(minutes=40))
    Batch.objects.filter(pk=batch.pk).update(ratings_version=F("ratings_version") + 1)
    study.refresh_from_db()
    return study


@pytest.fixture(scope="module")
def make_shared_scale_study(shared) -> Callable[[], Study]:
    return shared(make_scale_study)


@pytest.fixture
def scale_study(make_shared_scale_study: Callable[[], Study], db) -> Study:
    return make_shared_scale_study()


@pytest.fixture
def drifting(measured: Cast) -> Cast:
    """A copy of what the module has `measured` once: tests change it."""
    cache.clear()  # the same study has other figures in another test, under the same number of its version
    return copy.deepcopy(measured)


@pytest.fixture
def ratings(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of ratings for a command."""

    def write(text: str, name: str = "ratings.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
