"""The version of a study's data changes with everything that its report is made of, and with nothing else."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import AgreementCell, Dialogue, Participant, Rating, Source, Study
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from reporting.report.build import build_report
from reporting.study.data_version import DERIVED, data_version, tables
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import ExportJobFactory, StudyFactory, UserFactory
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
TABLE = re.compile(r'(?:FROM|JOIN) "?((?:annotation|qualification)_\w+)"?')


@pytest.fixture
def rated(cast: Cast) -> Cast:
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW, n=3)
    sweep(now=NOW)
    return cast


CHANGES: dict[str, Callable[[Cast], object]] = {
    "an answer": lambda cast: rate_everything(cast.batch.assignments.get(), now=NOW, n=4),
    "another answer in its place": lambda cast: rate_everything(cast.batch.assignments.get(), now=NOW, option=1, n=1),
    "the time of an answer": lambda _: Rating.objects.order_by("pk").last().save(),
    "a name": lambda _: Source.objects.order_by("pk").first().save(),
    "a setting": lambda cast: Study.objects.filter(pk=cast.study.pk).update(majority_rule="strict"),
    "metadata of a dialogue": lambda _: Dialogue.objects.update(metadata={"topic": "sleep"}),
    "an annotator less": lambda cast: Participant.objects.filter(pk=cast.annotators[2].pk).delete(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_makes_another_version(rated: Cast, name: str):
    before = data_version(rated.study)
    CHANGES[name](rated)
    assert data_version(rated.study) != before


def test_results_files_and_other_studies_make_none(rated: Cast):
    before = data_version(rated.study)
    build_report(rated.study, now=NOW)
    AgreementCell.objects.update(estimates={})
    ExportJobFactory(study=rated.study, user=rated.lead)
    StudyFactory(protocol_version=rated.version)
    UserFactory()
    assert data_version(rated.study) == before


def test_it_is_one_query(rated: Cast, django_assert_num_queries):
    with django_assert_num_queries(1):
        data_version(rated.study)


def test_no_table_is_read_for_a_report_that_the_version_leaves_out(measured_he_study: Study):
    with CaptureQueriesContext(connection) as queries:
        build_report(measured_he_study, now=NOW)
    read = {name for query in queries for name in TABLE.findall(query["sql"])}
    known = {*tables(), *DERIVED}
    assert len(read) > 30
    assert read <= {model._meta.db_table for model in known}


def test_a_table_belongs_to_the_study_by_the_foreign_keys_that_it_must_have():
    assert [column for column, _parent in tables()[Rating]] == ["batch_id", "study_id"]
