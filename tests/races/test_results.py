"""Each qualification is decided once, by the rule, however many workers look at once."""

from functools import partial

import pytest
from django.utils import timezone

from annotation.models import ActivityLog, Participant, StatusChange
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from qualification.models import Attempt, ComprehensionTry
from qualification.qualifying.services.comprehension import asked_of, submit_try
from qualification.qualifying.services.results import override, sweep_attempts
from tests.factories import UserFactory, make_batch
from tests.qualification.qualifying.factories import (
    QuestionFactory,
    finish,
    like,
    make_candidate,
    make_qualifying_study,
    mostly,
)
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()


def test_workers_who_sweep_at_once_decide_each_candidate_once():
    study, batch = make_qualifying_study()
    people = [make_candidate(study, f"candidate-{at}") for at in range(6)]
    for at, candidate in enumerate(people):
        finish(candidate, batch, mostly(like(at % 2), 6))
    results = run_together([partial(sweep_attempts, now=NOW)] * 6)
    assert sum(results) == 6
    assert Attempt.objects.count() == 6
    assert StatusChange.objects.count() == 6
    assert ActivityLog.objects.filter(verb="qualification_result").count() == 6
    statuses = Participant.objects.filter(pk__in=[each.pk for each in people]).order_by("pk")
    assert list(statuses.values_list("status", flat=True)) == ["cleared", "failed"] * 3


def test_a_lead_and_the_sweep_at_once_leave_one_clear_outcome():
    study, batch = make_qualifying_study()
    candidate, lead = make_candidate(study), UserFactory()
    Participant.objects.filter(study=study, panel="non_expert").update(panel="")
    finish(candidate, batch, like(0))
    sweep_attempts(now=NOW)  # no panel: it waits
    Participant.objects.filter(study=study, user__username__startswith="panel").update(panel="non_expert")
    attempt = candidate.attempts.get()
    calls = [
        partial(override, attempt, to="failed", reason="Seen.", by=lead, now=NOW),
        partial(sweep_attempts, now=NOW),
    ]
    run_together(calls)
    attempt.refresh_from_db()
    assert attempt.overridden_to == "failed"
    assert Participant.objects.get(pk=candidate.pk).status == "failed"  # a person has the last word in any order


def test_two_tabs_use_one_try_each_and_never_more_than_there_are():
    study, _batch = make_qualifying_study(has_comprehension_check=True)
    QuestionFactory(qualification=study.qualification)
    candidate = make_candidate(study)
    wrong = {each.pk: (each.options.index("The response") + 1) % 3 for each in asked_of(candidate)}
    results = run_together([partial(submit_try, candidate, wrong, now=NOW)] * 6)
    assert len([each for each in results if isinstance(each, Refused)]) == 4
    assert list(ComprehensionTry.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_a_candidate_who_claims_again_while_being_decided_gets_no_second_batch():
    study, batch = make_qualifying_study(most_attempts=1)
    second = make_batch(study, position=2, kind="qualification", key="q2")
    candidate = make_candidate(study)
    finish(candidate, batch, mostly(like(0), 6))
    claims = [partial(claim_seat, candidate, second, now=NOW)] * 3
    results = run_together([*claims, partial(sweep_attempts, now=NOW)])
    assert all(isinstance(each, Refused) for each in results[:3])
