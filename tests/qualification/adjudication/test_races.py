"""Sweeps and trainers at once, on real threads: compared once, counted once, settled once."""

from functools import partial

import pytest

from annotation.models import ActivityLog, Batch
from annotation.services.refusals import Refused
from annotation.services.rounds import open_next_round
from protocols.models import Example, ProtocolVersion
from qualification.adjudication.services.cases import collect_disagreement, make_example, make_training_item
from qualification.adjudication.services.disagreements import compare_batch, sweep_disagreements
from qualification.adjudication.services.re_rating import settle
from qualification.models import Case, Comparison, Disagreement
from tests.clock import NOW
from tests.factories import MembershipFactory
from tests.qualification.adjudication.conftest import looks_of, make_adjudicated, states_of
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)


def errors_in(results: list) -> list[BaseException]:
    return [each for each in results if isinstance(each, BaseException) and not isinstance(each, Refused)]


def test_sweeps_at_once_compare_each_batch_once():
    adjudicated = make_adjudicated()
    batches = [adjudicated.finish(["1", "2"], ["2", "2"], key=key) for key in "abc"]
    results = run_together([partial(sweep_disagreements, now=NOW)] * 6)
    assert not errors_in(results)
    assert sum(n for n, _ in results) == Comparison.objects.count() == Disagreement.objects.count() == 3
    assert [len(looks_of(batch)) for batch in batches] == [2, 2, 2]


def test_one_batch_compared_by_many_at_once_is_compared_once():
    batch = make_adjudicated().finish(["1", "2"], ["2", "2"])
    results = run_together([partial(compare_batch, batch.pk, now=NOW)] * 8)
    assert not errors_in(results)
    assert len([each for each in results if each is not None]) == 1
    assert Batch.objects.filter(kind="re_rating").count() == 2


def test_sweeps_at_once_count_re_ratings_once():
    adjudicated = make_adjudicated()
    batch = adjudicated.finish(["1", "2"], ["2", "0"])
    sweep_disagreements(now=NOW)
    adjudicated.look(batch, 0, {0: "1", 1: "0"})
    adjudicated.look(batch, 1, {0: "1", 1: "1"})
    results = run_together([partial(sweep_disagreements, now=NOW)] * 6)
    assert not errors_in(results)
    assert sum(n for _, n in results) == ActivityLog.objects.filter(verb="re_rating").count() == 1
    assert states_of(batch) == [(0, "settled", "re_rating", "1"), (1, "adjudication", "", "")]


def test_of_two_trainers_at_once_one_settles_and_the_others_are_told():
    adjudicated = make_adjudicated()
    found = adjudicated.disagreed()
    trainers = [MembershipFactory(study=adjudicated.cast.study, role="trainer").user for _ in range(4)]
    calls = [
        partial(settle, found, option=adjudicated.option(key), note="", by=by, now=NOW)
        for by, key in zip(trainers, "0121", strict=True)
    ]
    results = run_together(calls * 2)
    assert not errors_in(results)
    assert sorted(getattr(each, "code", "done") for each in results) == ["done", *["settled"] * 7]
    assert ActivityLog.objects.filter(verb="adjudicated").count() == 1


def test_a_trainer_and_the_re_ratings_at_once_settle_once():
    adjudicated = make_adjudicated()
    batch = adjudicated.finish(["1", "2"], ["2", "2"])
    sweep_disagreements(now=NOW)
    for number in (0, 1):
        adjudicated.look(batch, number, {0: "1"})
    found = Disagreement.objects.get()
    by_hand = partial(settle, found, option=adjudicated.option("0"), note="", by=adjudicated.trainer, now=NOW)
    results = run_together([by_hand, partial(sweep_disagreements, now=NOW)] * 3)
    assert not errors_in(results)
    found.refresh_from_db()
    assert (found.state, found.how, found.option.key) in {
        ("settled", "adjudicated", "0"),
        ("settled", "re_rating", "1"),
    }


def test_a_round_opened_while_sweeps_run_leaves_no_re_rating_of_the_old_one():
    adjudicated = make_adjudicated()
    batch = adjudicated.finish(["1", "2"], ["2", "2"])
    results = run_together([partial(sweep_disagreements, now=NOW)] * 3 + [partial(open_next_round, batch, now=NOW)])
    assert not errors_in(results)
    sweep_disagreements(now=NOW)
    assert not Batch.objects.filter(kind="re_rating", status="open").exists()


def test_trainers_at_once_make_one_case_one_example_and_one_training_item():
    adjudicated = make_adjudicated()
    found = adjudicated.disagreed()
    settle(found, option=adjudicated.option("1"), note="Why.", by=adjudicated.trainer, now=NOW)
    found.refresh_from_db()
    run_together([partial(collect_disagreement, found, by=adjudicated.trainer, now=NOW)] * 4)
    case = Case.objects.get()
    results = run_together([partial(make_example, case, by=adjudicated.trainer, now=NOW)] * 4)
    assert not errors_in(results)
    assert ProtocolVersion.objects.filter(status="draft").count() == Example.objects.count() == 1
    results = run_together([partial(make_training_item, case, by=adjudicated.trainer, now=NOW)] * 4)
    assert not errors_in(results)
    assert ActivityLog.objects.filter(verb="case_training").count() == 1
