"""Rows that were stored in the words of before are found under those of today."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from annotation.models import ActivityLog, Batch, Study
from qualification.models import Disagreement, Sample
from tests.cast import Cast
from tests.clock import NOW
from tests.migrating import run_sql
from tests.qualification.acceptance.conftest import make_acceptance

pytestmark = [pytest.mark.django_db, pytest.mark.own_cast]
ANNOTATION = import_module("annotation.migrations.0026_words_in_rows")
QUALIFICATION = import_module("qualification.migrations.0008_words_in_rows")
BEFORE = {
    "recruitment": {}, "feedback": [], "pay": {},
    "acceptance": {"by": "gate", "panel_size": 3},
    "confirmed": {"items": 4, "by_criterion": [{"criterion": "score", "second_look": 2}]},
    "control": {"is_on": True},
}  # fmt: skip


def test_private_batches_have_todays_kinds(cast: Cast):
    for kind, now in (("control", "review"), ("second_look", "re_rating"), ("main", "main")):
        Batch.objects.update(kind=kind)
        run_sql(ANNOTATION.KINDS)
        assert Batch.objects.get().kind == now


def test_the_log_has_todays_names_and_keeps_everything_else(cast: Cast):
    details = {"verdict": "accept", "round": 1}
    before = ActivityLog.objects.create(study=cast.study, verb="control_decided", object="1", details=details, at=NOW)
    run_sql(ANNOTATION.LOG)
    after = ActivityLog.objects.get(pk=before.pk)
    assert (after.verb, after.details) == ("acceptance_decided", {"decision": "accept", "round": 1})
    assert (after.object, after.at) == (before.object, before.at)


def test_the_log_is_append_only_again(cast: Cast):
    run_sql(ANNOTATION.LOG)
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgenabled FROM pg_trigger WHERE tgname = 'annotation_append_only'")
        assert cursor.fetchall() == [("O",)]


@pytest.mark.parametrize("n_times", [1, 2])
def test_a_record_from_an_archive_has_todays_parts(cast: Cast, n_times: int):
    Study.objects.update(imported_record=BEFORE)
    for _ in range(n_times):
        ANNOTATION.rename_parts(apps, None)
    found = Study.objects.get().imported_record
    assert found == {
        "recruitment": {}, "feedback": [], "pay": {},
        "qualification": {"by": "qualification", "panel_size": 3},
        "adjudication": {"items": 4, "by_criterion": [{"criterion": "score", "re_rating": 2}]},
        "acceptance": {"is_on": True},
    }  # fmt: skip


def test_a_decided_sample_keeps_its_results(db: None):
    acceptance = make_acceptance(n_sample=4, top_up_to=0, fewest_of_class=1)
    sample = acceptance.draw(acceptance.finish("a", "0011"))
    now = acceptance.review(sample, "0011").results
    assert now["outcome"] == "accept"
    before = {name: value for name, value in now.items() if name != "outcome"} | {"verdict": now["outcome"]}
    before["classes"] = [
        {name: value for name, value in each.items() if name != "outcome"} | {"verdict": each["outcome"]}
        for each in now["classes"]
    ]
    Sample.objects.update(results=before)
    run_sql(QUALIFICATION.WORDS)
    assert Sample.objects.get(pk=sample.pk).results == now


def test_a_disagreement_has_todays_state(cast: Cast):
    item = cast.batch.items.first()
    row = Disagreement.objects.create(
        item=item, criterion_id=cast.version.criteria.first().pk, round=1, state="second_look", found_at=NOW
    )
    run_sql(QUALIFICATION.WORDS)
    assert Disagreement.objects.get(pk=row.pk).state == Disagreement.State.RE_RATING
