"""A report says of a margin of equivalence only what Parley knows: when it was named, and before which answers."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Study
from annotation.services.studies import update_study
from annotation.services.taking_back import take_back
from reporting.report.build import build_report, plain_report
from reporting.report.latex import as_latex
from reporting.study.margins import AFTER_ANSWERS, BEFORE_ANSWERS, NOT_KNOWN, margin_named
from tests.annotation.importing.conftest import Write, builtin, dialogue, load, write  # noqa: F401 - a fixture
from tests.annotation.importing.test_taking_back import FALCON, brought
from tests.factories import MembershipFactory, StudyFactory, UserFactory
from tests.he_study import load_he_study

pytestmark = pytest.mark.django_db
BEFORE = "The margin was named before the first answer was given here."
AFTER = "The margin was set when the study had received answers of a pilot, or of an import that was taken back."
IMPORTED = "Answers were imported, so Parley cannot tell whether the margin was named before they were known."


@pytest.fixture
def imported() -> Study:
    return load_he_study(now=timezone.now(), equivalence_margin=30)


@pytest.fixture
def answered(imported: Study) -> Study:
    """A study whose people answered in Parley, after the margin was set."""
    for person in imported.participants.all():
        person.user, person.is_imported = UserFactory(), False
        person.save()
    return imported


def set_margin(study: Study, percent: float) -> None:
    """Change the margin while there are no main answers, as the settings allow."""
    study.batches.update(kind=Batch.Kind.PILOT)
    update_study(study, equivalence_margin=percent, now=timezone.now() + timedelta(seconds=1))
    study.batches.update(kind=Batch.Kind.MAIN)
    study.refresh_from_db()


def say(study: Study) -> str:
    """The one sentence that the page, the methods, LaTeX and JSON have of the margin."""
    report = build_report(study, now=timezone.now())
    (found,) = [each for each in (BEFORE, AFTER, IMPORTED) if each in " ".join(report.methods)]
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    page = " ".join(client.get(reverse("report", args=[study.slug])).text.split())
    assert found in page
    assert found in " ".join(as_latex(report).split())
    assert found in " ".join(json.loads(json.dumps(plain_report(report)))["methods"])
    assert "before its first answer" not in page
    return found


def test_a_margin_of_answers_given_here_was_named_before_the_first(answered: Study) -> None:
    assert say(answered) == BEFORE
    facts = plain_report(build_report(answered, now=timezone.now()))["study"]
    assert (facts["equivalence_margin"], facts["margin_named"]) == (30.0, BEFORE_ANSWERS)


def test_a_margin_that_was_set_after_the_pilot_is_said_to_be(answered: Study) -> None:
    set_margin(answered, 20)
    assert say(answered) == AFTER


def test_of_imported_answers_nobody_can_tell(imported: Study) -> None:
    assert say(imported) == IMPORTED


def test_an_import_that_was_taken_back_had_results(write: Write) -> None:  # noqa: F811
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"), equivalence_margin=10)
    load(study, write(dialogue("d1"), dialogue("d2")))
    job = brought(study, FALCON, create_missing=True)
    take_back(job, by=None, now=timezone.now())
    assert margin_named(study) == BEFORE_ANSWERS
    update_study(study, equivalence_margin=22, now=timezone.now())
    study.refresh_from_db()
    assert margin_named(study) == AFTER_ANSWERS
    brought(study, FALCON, create_missing=True)
    assert margin_named(study) == NOT_KNOWN


def test_practice_and_other_settings_do_not_count(answered: Study) -> None:
    answered.batches.update(kind=Batch.Kind.TRAINING)
    update_study(answered, equivalence_margin=20, now=timezone.now() + timedelta(seconds=1))
    update_study(answered, name="Other", now=timezone.now() + timedelta(seconds=2))
    answered.refresh_from_db()
    assert margin_named(answered) == BEFORE_ANSWERS


def test_without_a_margin_there_is_nothing_to_say(db: None) -> None:
    assert margin_named(StudyFactory()) is None
