import pytest
from django.core.cache import caches

from annotation.models import Study
from qualification.models import Entry, Recruitment
from tests.clock import NOW
from tests.factories import StudyFactory, make_annotator, make_batch
from tests.qualification.recruitment.factories import EntryFactory, open_for


@pytest.fixture
def study(db: None) -> Study:
    """Open, with two batches of one seat each: a person has two to do."""
    study = StudyFactory(slug="crowd", name="Crowd study", seats=1)
    make_batch(study, 1, 1, position=0)
    make_batch(study, 1, 1, position=1)
    return study


@pytest.fixture
def recruitment(study: Study) -> Recruitment:
    return open_for(study)


@pytest.fixture
def entry(recruitment: Recruitment) -> Entry:
    """Of somebody who agreed and may rate."""
    participant = make_annotator(recruitment.study, "annotator-crowd", consent_version="1", consented_at=NOW)
    return EntryFactory(study=recruitment.study, participant=participant)


@pytest.fixture(autouse=True)
def fresh_hour() -> None:
    """How often an address came is counted beside the database, which tests do not share."""
    caches["default"].clear()
