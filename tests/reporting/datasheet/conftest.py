"""A study that people rated, and its datasheet."""

import pytest
from django.utils import timezone

from annotation.models import Study
from annotation.services.claiming import claim_seat
from reporting.datasheet.build import Answer, datasheet
from reporting.datasheet.question import Standard
from reporting.datasheet.standards import HEDS2
from reporting.report.build import open_report
from reporting.study.facts import people_of
from tests.cast import Cast
from tests.working import rate_everything

NOW = timezone.now()


def sheet_of(study: Study, standard: Standard = HEDS2) -> dict[str, Answer]:
    study.refresh_from_db()
    return {each.number: each for each in datasheet(study, open_report(study, now=NOW), people_of(study), standard)}


@pytest.fixture
def rated(cast: Cast) -> Study:
    """Three people who rate everything, of whom the second answers otherwise."""
    for at, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=at % 2)
    return cast.study
