"""Sweeps and controllers at once, on real threads: drawn once, taken once, decided once."""

from functools import partial

import pytest

from annotation.models import ActivityLog, Assignment, Batch
from annotation.services.refusals import Refused
from qualification.acceptance.services.deciding import confirm_return, count_review, override
from qualification.acceptance.services.drawing import make_sample
from qualification.acceptance.services.reviewing import give_back, take_sample, take_second_review
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import Review, Sample, SampledItem
from tests.clock import NOW
from tests.factories import MembershipFactory
from tests.qualification.acceptance.conftest import make_acceptance
from tests.qualification.acceptance.factories import review_items
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)
LABELS, WORSE = ["0", "1", "2"] * 40, ["1", "2", "0"] * 40


def errors_in(results: list) -> list[BaseException]:
    return [each for each in results if isinstance(each, BaseException) and not isinstance(each, Refused)]


def test_sweeps_at_once_draw_each_sample_once():
    acceptance = make_acceptance()
    for key in "abc":
        acceptance.finish(key, LABELS)
    results = run_together([partial(sweep_acceptance, now=NOW)] * 8)
    assert not errors_in(results)
    assert sum(drawn for drawn, _ in results) == Sample.objects.count() == 3
    assert SampledItem.objects.count() == 300


def test_one_batch_drawn_by_many_at_once_has_one_sample():
    batch = make_acceptance().finish("a", LABELS)
    results = run_together([partial(make_sample, batch.pk, now=NOW)] * 10)
    assert not errors_in(results)
    assert len([each for each in results if each is not None]) == 1
    assert SampledItem.objects.count() == 100


def test_controllers_at_once_one_takes_the_sample():
    acceptance = make_acceptance()
    sample = acceptance.draw(acceptance.finish("a", LABELS))
    members = [MembershipFactory(study=acceptance.cast.study, role="controller").user for _ in range(8)]
    results = run_together([partial(take_sample, sample, user=user, now=NOW) for user in members * 2])
    assert not errors_in(results)
    assert len({each.pk for each in results if isinstance(each, Review)}) == 1
    assert Review.objects.count() == 1
    assert Batch.objects.filter(kind="review").count() == 1


def test_one_controller_who_takes_two_samples_at_once_becomes_one_participant():
    acceptance = make_acceptance()
    samples = [acceptance.draw(acceptance.finish(key, LABELS)) for key in "ab"]
    results = run_together(
        [partial(take_sample, each, user=acceptance.cast.controller, now=NOW) for each in samples * 4]
    )
    assert not errors_in(results)
    assert Review.objects.count() == 2
    assert acceptance.cast.study.participants.filter(user=acceptance.cast.controller).count() == 1


@pytest.mark.parametrize(("truth", "decision", "batch_round"), [(LABELS, "accept", 1), (WORSE, "return", 2)])
def test_sweeps_at_once_decide_once(truth: list[str], decision: str, batch_round: int):
    acceptance = make_acceptance()
    batch = acceptance.finish("a", LABELS)
    review = acceptance.take(acceptance.draw(batch))
    review_items(review, acceptance.truth_of(batch, truth))
    results = run_together([partial(count_review, review.pk, now=NOW)] * 6 + [partial(sweep_acceptance, now=NOW)] * 4)
    assert not errors_in(results)
    sample = Sample.objects.get(batch=batch, round=1)
    batch.refresh_from_db()
    assert (sample.decision, batch.round) == (decision, batch_round)
    assert ActivityLog.objects.filter(verb="acceptance_decided").count() == 1


def test_a_sequential_sample_gets_its_next_portion_once():
    acceptance = make_acceptance(kind="sequential")
    batch = acceptance.finish("a", LABELS)
    review = acceptance.take(acceptance.draw(batch))
    review_items(review, acceptance.truth_of(batch, LABELS))
    results = run_together([partial(sweep_acceptance, now=NOW)] * 8)
    assert not errors_in(results)
    assert list(Review.objects.values_list("number", flat=True)) == [1, 2]


def test_leads_who_confirm_and_override_at_once_open_one_round():
    acceptance = make_acceptance(is_returned_automatically=False)
    batch = acceptance.finish("a", LABELS)
    found = acceptance.review(acceptance.draw(batch), WORSE)
    accept = partial(override, found, to="accept", reason="It is right.", by=acceptance.cast.lead, now=NOW)
    back = partial(confirm_return, found, group=None, by=acceptance.cast.owner, now=NOW)
    results = run_together([accept, back] * 4)
    assert not errors_in(results)
    assert len([each for each in results if isinstance(each, Sample)]) == 1
    batch.refresh_from_db()
    found.refresh_from_db()
    assert (batch.round, batch.status) == ((1, "closed") if found.overridden_to else (2, "open"))


def test_a_review_given_back_while_it_is_counted_is_one_or_the_other():
    acceptance = make_acceptance()
    batch = acceptance.finish("a", LABELS)
    review = acceptance.take(acceptance.draw(batch))
    review_items(review, acceptance.truth_of(batch, LABELS))
    back = partial(give_back, review, by=acceptance.cast.lead, now=NOW)
    results = run_together([back, partial(count_review, review.pk, now=NOW)] * 4)
    assert not errors_in(results)
    sample = Sample.objects.get(batch=batch)
    assert (sample.decision, Assignment.objects.get(batch=review.batch).status) == ("accept", "submitted")


def test_one_second_controller_at_a_time():
    acceptance = make_acceptance()
    found = acceptance.review(acceptance.draw(acceptance.finish("a", LABELS)), LABELS)
    members = [MembershipFactory(study=acceptance.cast.study, role="controller").user for _ in range(6)]
    results = run_together([partial(take_second_review, found, user=user, now=NOW) for user in members])
    assert not errors_in(results)
    assert Review.objects.filter(is_second=True).count() == 1
