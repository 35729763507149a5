"""One person who comes ten times at once takes part once."""

from functools import partial

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Participant
from qualification.models import ConsentText, Entry
from qualification.providers import PROVIDERS
from qualification.services.consent_texts import fingerprint_of
from qualification.services.ending import end_entry
from qualification.services.entering import enter
from tests.factories import StudyFactory, make_batch
from tests.qualification.factories_recruitment import finish_batch, open_for, prolific_query
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)
PROLIFIC = PROVIDERS["prolific"]


def coming(recruitment, people):
    arrivals = [PROLIFIC.arrival(prolific_query(person=person)) for person in people]
    agreed, now = fingerprint_of(recruitment.study), timezone.now()
    return [partial(enter, recruitment, each, agreed=agreed, user=None, now=now) for each in arrivals]


def test_ten_tabs_of_one_person_make_one_participation():
    recruitment = open_for(StudyFactory())
    results = run_together(coming(recruitment, ["a" * 24] * 10))

    assert {type(result) for result in results} == {Entry}
    assert len({result.participant_id for result in results}) == 1
    assert (Entry.objects.count(), Participant.objects.count(), User.objects.count()) == (1, 1, 1)
    assert ConsentText.objects.count() == 1


def test_ten_people_at_once_all_come_in():
    recruitment = open_for(StudyFactory())
    results = run_together(coming(recruitment, [f"{n:024x}" for n in range(10)]))

    assert len({result.participant_id for result in results}) == 10
    assert ConsentText.objects.count() == 1


def test_ending_in_ten_tabs_at_once_ends_once():
    study = StudyFactory(seats=1)
    batch = make_batch(study, 1, 1)
    recruitment = open_for(study)
    entry = run_together(coming(recruitment, ["a" * 24]))[0]
    finish_batch(entry.participant, batch)
    results = run_together([partial(end_entry, entry, now=timezone.now()) for _ in range(10)])

    assert {result.state for result in results} == {"done"}
    assert len({result.ended_at for result in results}) == 1
    assert study.activities.filter(verb="left").count() == 1
