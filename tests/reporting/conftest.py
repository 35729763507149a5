"""Two studies with ratings: the reference study, and a small one on scales."""

import copy
from datetime import timedelta

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from annotation.models import Batch, Study
from annotation.services.claiming import submit_assignment
from reporting.report.build import Report, build_report
from tests.cast import Cast
from tests.factories import StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import make_scale_version
from tests.he_study import DATA
from tests.working import rate_everything

NOW = timezone.now()


@pytest.fixture
def he_study(db) -> Study:
    """The reference study as a researcher brings it: by the commands, under the protocol that ships."""
    call_command("load_protocols")
    call_command("create_study", "he", "--protocol", "he-protocol")
    call_command("import_dialogues", "he", str(DATA / "dialogues.jsonl"))
    call_command("import_ratings", "he", str(DATA / "ratings.csv.gz"))
    return Study.objects.get(slug="he")


@pytest.fixture(scope="module")
def read_once() -> dict:
    return {}


@pytest.fixture
def he_report(read_once: dict, request: pytest.FixtureRequest) -> Report:
    """Imported and built by the first test that asks: the report is plain values, which outlive the database's rows."""
    if not read_once:
        read_once["report"] = build_report(request.getfixturevalue("he_study"), now=NOW)
    return copy.deepcopy(read_once["report"])


@pytest.fixture
def scale_study(db) -> Study:
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


@pytest.fixture
def drifting(measured: Cast) -> Cast:
    """A copy of what the module has `measured` once: tests change it."""
    cache.clear()  # the same study has other figures in another test, under the same number of its version
    return copy.deepcopy(measured)
