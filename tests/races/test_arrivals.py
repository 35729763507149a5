"""One person who comes ten times at once takes part once, and ends as was decided."""

from functools import partial

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Participant
from annotation.services.agreement import sweep
from annotation.services.refusals import Refused
from qualification.checks.services.flags import decide_flag
from qualification.checks.services.inserting import insert_checks
from qualification.checks.services.signals import sweep_signals
from qualification.models import ConsentText, Entry, Flag
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.services.arrival import enter
from qualification.recruitment.services.completion import end_entry
from qualification.recruitment.services.consent_texts import fingerprint_of
from tests.factories import StudyFactory, UserFactory, make_batch
from tests.qualification.checks.factories import CheckPlanFactory, FlagFactory, make_checks
from tests.qualification.recruitment.factories import finish_batch, open_for, prolific_query
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


# --- missed checks: no end between a look and its decision ---------------------------------------------------
def people_who_missed_a_check(n: int) -> list[Entry]:
    study = StudyFactory(seats=n)
    batch = make_batch(study, 1, 1)
    CheckPlanFactory(study=study, attention_percent=50, most_attention_missed=0)
    make_checks(study, 1, kind="attention", option=1)
    insert_checks(study, by=None, now=timezone.now())
    entries = run_together(coming(open_for(study), [f"{number:024x}" for number in range(n)]))
    for entry in entries:
        finish_batch(entry.participant, batch)
    return entries


def test_who_finishes_while_the_sweep_looks_is_held_by_one_flag():
    entries = people_who_missed_a_check(4)
    sweep(now=timezone.now())
    endings = [partial(end_entry, entry, now=timezone.now()) for entry in entries]
    *ended, swept = run_together([*endings, partial(sweep_signals, now=timezone.now())])

    assert [result.code for result in ended] == ["looked_at"] * 4
    assert swept[0] == 1
    assert Flag.objects.filter(kind="attention").count() == 4


@pytest.mark.parametrize(("decision", "state"), [("excluded", "failed_attention"), ("dismissed", "done")])
def test_who_finishes_while_a_lead_decides_gets_the_code_of_the_decision_or_none(decision, state):
    by = UserFactory()
    for entry in people_who_missed_a_check(4):
        flag = FlagFactory(participant=entry.participant, evidence={"n": 1, "value": 1, "threshold": 0})
        deciding = partial(decide_flag, flag, decision=decision, reason="Seen.", by=by, now=timezone.now())
        ended, decided = run_together([partial(end_entry, entry, now=timezone.now()), deciding])

        assert isinstance(decided, Flag)
        assert ended.code == "looked_at" if isinstance(ended, Refused) else ended.state == state
        assert end_entry(entry, now=timezone.now()).state == state
