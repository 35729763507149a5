"""Sweeps and controllers at once, on real threads: drawn once, taken once, decided once."""

from functools import partial

import pytest

from annotation.models import ActivityLog, Assignment, Batch
from annotation.services.refusals import Refused
from qualification.acceptance.services.deciding import confirm_return, count_check, override
from qualification.acceptance.services.drawing import draw_inspection
from qualification.acceptance.services.reviewing import give_back, take_inspection, take_second_check
from qualification.acceptance.services.sweeping import sweep_control
from qualification.models import Check, Draw, Inspection
from tests.clock import NOW
from tests.factories import MembershipFactory
from tests.qualification.acceptance.conftest import make_control
from tests.qualification.acceptance.factories import check_draws
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)
LABELS, WORSE = ["0", "1", "2"] * 40, ["1", "2", "0"] * 40


def errors_in(results: list) -> list[BaseException]:
    return [each for each in results if isinstance(each, BaseException) and not isinstance(each, Refused)]


def test_sweeps_at_once_draw_each_sample_once():
    control = make_control()
    for key in "abc":
        control.finish(key, LABELS)
    results = run_together([partial(sweep_control, now=NOW)] * 8)
    assert not errors_in(results)
    assert sum(drawn for drawn, _ in results) == Inspection.objects.count() == 3
    assert Draw.objects.count() == 300


def test_one_batch_drawn_by_many_at_once_has_one_sample():
    batch = make_control().finish("a", LABELS)
    results = run_together([partial(draw_inspection, batch.pk, now=NOW)] * 10)
    assert not errors_in(results)
    assert len([each for each in results if each is not None]) == 1
    assert Draw.objects.count() == 100


def test_controllers_at_once_one_takes_the_sample():
    control = make_control()
    inspection = control.draw(control.finish("a", LABELS))
    members = [MembershipFactory(study=control.cast.study, role="controller").user for _ in range(8)]
    results = run_together([partial(take_inspection, inspection, user=user, now=NOW) for user in members * 2])
    assert not errors_in(results)
    assert len({each.pk for each in results if isinstance(each, Check)}) == 1
    assert Check.objects.count() == 1
    assert Batch.objects.filter(kind="control").count() == 1


def test_one_controller_who_takes_two_samples_at_once_becomes_one_participant():
    control = make_control()
    samples = [control.draw(control.finish(key, LABELS)) for key in "ab"]
    results = run_together(
        [partial(take_inspection, each, user=control.cast.controller, now=NOW) for each in samples * 4]
    )
    assert not errors_in(results)
    assert Check.objects.count() == 2
    assert control.cast.study.participants.filter(user=control.cast.controller).count() == 1


@pytest.mark.parametrize(("truth", "verdict", "batch_round"), [(LABELS, "accept", 1), (WORSE, "return", 2)])
def test_sweeps_at_once_decide_once(truth: list[str], verdict: str, batch_round: int):
    control = make_control()
    batch = control.finish("a", LABELS)
    check = control.take(control.draw(batch))
    check_draws(check, control.truth_of(batch, truth))
    results = run_together([partial(count_check, check.pk, now=NOW)] * 6 + [partial(sweep_control, now=NOW)] * 4)
    assert not errors_in(results)
    inspection = Inspection.objects.get(batch=batch, round=1)
    batch.refresh_from_db()
    assert (inspection.verdict, batch.round) == (verdict, batch_round)
    assert ActivityLog.objects.filter(verb="control_decided").count() == 1


def test_a_sequential_sample_gets_its_next_portion_once():
    control = make_control(kind="sequential")
    batch = control.finish("a", LABELS)
    check = control.take(control.draw(batch))
    check_draws(check, control.truth_of(batch, LABELS))
    results = run_together([partial(sweep_control, now=NOW)] * 8)
    assert not errors_in(results)
    assert list(Check.objects.values_list("number", flat=True)) == [1, 2]


def test_leads_who_confirm_and_override_at_once_open_one_round():
    control = make_control(is_returned_by_itself=False)
    batch = control.finish("a", LABELS)
    found = control.check(control.draw(batch), WORSE)
    accept = partial(override, found, to="accept", reason="It is right.", by=control.cast.lead, now=NOW)
    back = partial(confirm_return, found, group=None, by=control.cast.owner, now=NOW)
    results = run_together([accept, back] * 4)
    assert not errors_in(results)
    assert len([each for each in results if isinstance(each, Inspection)]) == 1
    batch.refresh_from_db()
    found.refresh_from_db()
    assert (batch.round, batch.status) == ((1, "closed") if found.overridden_to else (2, "open"))


def test_a_check_given_back_while_it_is_counted_is_one_or_the_other():
    control = make_control()
    batch = control.finish("a", LABELS)
    check = control.take(control.draw(batch))
    check_draws(check, control.truth_of(batch, LABELS))
    back = partial(give_back, check, by=control.cast.lead, now=NOW)
    results = run_together([back, partial(count_check, check.pk, now=NOW)] * 4)
    assert not errors_in(results)
    inspection = Inspection.objects.get(batch=batch)
    assert (inspection.verdict, Assignment.objects.get(batch=check.batch).status) == ("accept", "submitted")


def test_one_second_controller_at_a_time():
    control = make_control()
    found = control.check(control.draw(control.finish("a", LABELS)), LABELS)
    members = [MembershipFactory(study=control.cast.study, role="controller").user for _ in range(6)]
    results = run_together([partial(take_second_check, found, user=user, now=NOW) for user in members])
    assert not errors_in(results)
    assert Check.objects.filter(is_second=True).count() == 1
