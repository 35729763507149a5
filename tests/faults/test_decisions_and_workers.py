"""A worker killed in the middle of a decision, and one message given to two: each decision is made exactly once."""

from collections.abc import Iterator

import pytest
from django.utils import timezone

from tests.faults.crew import Crew, held, is_over_for
from tests.faults.decisions import DECISIONS, Decision, decided, finish, stored
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def hired(django_db_setup: None, django_db_blocker) -> Iterator[Crew]:
    """To start a worker takes longer than a test: they stay for all of them."""
    with django_db_blocker.unblock():
        crew = Crew(2)
    yield crew
    crew.stop()


@pytest.fixture
def crew(hired: Crew, transactional_db: None) -> Iterator[Crew]:
    yield hired
    hired.wait_until_idle()  # or the tables would be emptied under a worker's hands


@pytest.mark.parametrize("decision", DECISIONS, ids=str)
def test_a_process_killed_in_the_middle_leaves_nothing_and_another_decides(crew: Crew, decision: Decision):
    work = decision.stage()
    finish(work, now=timezone.now())
    before = stored(work.batch.study)
    with held(decision.held):
        crew.send(decision.task)
        [victim] = wait_until(lambda: crew.who_waits(1), 60, "a process in the middle of the decision")
        crew.kill_at_work(victim)
        assert decided(work.batch.study, before) == {}
    wait_until(
        lambda: decided(work.batch.study, before) == decision.decides, 30, f"a decision of {decision}, given again"
    )

    crew.send(decision.task, decision.task)
    crew.wait_until_idle()
    assert decided(work.batch.study, before) == decision.decides


@pytest.mark.parametrize("decision", [each for each in DECISIONS if each.name in {"acceptance", "paying"}], ids=str)
def test_a_whole_worker_killed_in_the_middle_is_made_good_by_the_next_sweep(crew: Crew, decision: Decision):
    """Nobody gives its message again. A decision of one statement is the database's own by then, and may stand."""
    work = decision.stage()
    finish(work, now=timezone.now())
    before = stored(work.batch.study)
    with held(decision.held):
        crew.send(decision.task)
        [victim] = wait_until(lambda: crew.who_waits(1), 60, "a worker in the middle of the decision")
        crew.kill(victim)
    wait_until(lambda: is_over_for(victim), 30, "the end of the killed worker's transaction")
    assert decided(work.batch.study, before) in ({}, decision.decides)

    crew.hire()
    crew.send(decision.task, decision.task)
    crew.wait_until_idle()
    assert decided(work.batch.study, before) == decision.decides


@pytest.mark.parametrize("decision", DECISIONS, ids=str)
def test_two_workers_with_the_same_message_decide_once(crew: Crew, decision: Decision):
    work = decision.stage()
    finish(work, now=timezone.now())
    before = stored(work.batch.study)
    with held(decision.held):
        crew.send(decision.task, times=2)
        wait_until(lambda: crew.who_waits(2), 60, "two workers in the middle of the same decision")
        assert decided(work.batch.study, before) == {}
    crew.wait_until_idle()
    assert decided(work.batch.study, before) == decision.decides
