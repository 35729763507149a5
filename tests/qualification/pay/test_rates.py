"""What an hour is paid: offered and measured, to the cent and against the floor."""

from decimal import Decimal

import pytest

from annotation.models import Study
from qualification.models import PayPlan
from qualification.pay.selectors.rates import (
    Offer,
    cents,
    measured_rates,
    offers_of,
    plan_of,
    rates_from,
    slow_work,
)
from qualification.pay.services.ledger import sweep_pay
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import make_annotator, make_batch
from tests.qualification.pay.factories import earned, finish

SIX = Decimal("6.00")


def offer(amount: str, minutes: int, floor: Decimal | None = SIX) -> Offer:
    return Offer("batch", Decimal(amount), "GBP", minutes, floor)


def test_four_pounds_67_for_35_minutes_are_8_pounds_01_an_hour():
    assert (offer("4.67", 35).rate, offer("4.67", 35).is_below) == (Decimal("8.01"), False)


@pytest.mark.parametrize(("value", "rounded"), [("0.005", "0.01"), ("0.0149", "0.01"), ("-0.005", "-0.01")])
def test_rates_are_rounded_half_up(value: str, rounded: str):
    assert cents(Decimal(value)) == Decimal(rounded)


@pytest.mark.parametrize(
    ("amount", "minutes", "is_below"), [("3.50", 35, False), ("3.49", 35, True), ("6.99", 70, True)]
)
def test_pay_is_held_against_the_floor_unrounded(amount: str, minutes: int, is_below: bool):
    assert offer(amount, minutes).is_below is is_below


def test_the_floor_of_pounds_says_nothing_of_other_currencies_until_a_study_sets_its_own(cast: Cast):
    PayPlan.objects.all().delete()
    Study.objects.update(pay_currency="CNY", pay_amount="1.00")
    study = Study.objects.select_related("protocol_version").get()
    assert [each.is_below for each in offers_of(study, plan_of(study))] == [False]
    PayPlan.objects.create(study=study, floor_per_hour=Decimal("30"))
    assert [each.is_below for each in offers_of(study, plan_of(study))] == [True]


def test_medians_are_of_batches_and_count_what_has_no_time():
    minute = 60_000
    rows = [(Decimal("4.67"), ms, 40 * minute) for ms in (20 * minute, 35 * minute, 60 * minute, None)]
    rates = rates_from(rows, SIX)
    assert (rates.active, rates.elapsed) == (Decimal("8.01"), Decimal("7.01"))
    assert (rates.n, rates.n_untimed, rates.n_below, rates.is_below) == (3, 1, 1, False)


def test_without_batches_there_is_no_rate():
    rates = rates_from([], SIX)
    assert (rates.active, rates.elapsed, rates.n, rates.is_below) == (None, None, 0, False)


def test_rates_are_measured_from_the_work_itself_for_all_and_for_each(cast: Cast):
    finish(cast.annotators[0], cast.batch, active_minutes=35, elapsed_minutes=70)
    finish(cast.annotators[1], cast.batch, active_minutes=70, elapsed_minutes=140)
    sweep_pay(now=NOW)
    earned(cast.annotators[2], "EUR", active_ms=60_000)  # in a currency of before: it cannot be put in order

    found = measured_rates(cast.study, plan_of(cast.study))

    assert (found.all.n, found.all.active, found.all.n_below) == (2, Decimal("6.00"), 1)
    assert found.by_participant[cast.annotators[0].pk].active == Decimal("8.01")
    assert found.by_participant[cast.annotators[1].pk].is_below
    assert cast.annotators[2].pk not in found.by_participant


def test_a_qualification_is_measured_against_its_own_amount_beside_the_batches(cast: Cast):
    qualification = make_batch(cast.study, position=7, kind="qualification", key="q")
    finish(cast.annotators[0], cast.batch, active_minutes=35)
    finish(cast.annotators[0], qualification, active_minutes=30, elapsed_minutes=50)
    finish(cast.annotators[1], qualification, active_minutes=10, elapsed_minutes=20)
    finish(make_annotator(cast.study, "expert", panel="expert"), qualification, active_minutes=600)  # earns nothing
    sweep_pay(now=NOW)

    found = measured_rates(cast.study, plan_of(cast.study))

    assert (found.all.n, found.all.active) == (1, Decimal("8.01"))
    assert (found.qualification.n, found.qualification.n_below) == (2, 1)
    assert (found.qualification.active, found.qualification.elapsed) == (Decimal("10.00"), Decimal("5.25"))
    assert found.by_participant[cast.annotators[0].pk].n == 1


@pytest.mark.parametrize("minutes", [[35], [60], [46, 47], [40, 60], [20, 35, 60], [20, 47, 60], [10, 46, 47, 90]])
def test_work_below_the_floor_is_what_the_median_of_all_lines_says(cast: Cast, minutes: list[int]):
    for place, each in enumerate(minutes):
        earned(cast.annotators[place % 3], active_ms=each * 60_000)
    earned(cast.annotators[0], active_ms=None)
    earned(cast.annotators[0], "EUR", active_ms=90 * 60_000_000)
    rates = measured_rates(cast.study, plan_of(cast.study)).all
    found = slow_work(cast.study)
    assert bool(found) is rates.is_below
    assert [(each.kind, each.rate, each.floor) for each in found] == [("batch", rates.active, SIX)] * rates.is_below


def test_a_median_at_the_floor_is_not_below_it(cast: Cast):
    earned(cast.annotator, amount=Decimal("3.50"), active_ms=35 * 60_000)
    assert slow_work(cast.study) == []
    earned(cast.annotator, amount=Decimal("3.50"), active_ms=35 * 60_000 + 1)
    assert [each.rate for each in slow_work(cast.study)] == [SIX]


def test_the_floor_of_slow_work_is_the_studys_own_or_that_of_pounds(cast: Cast):
    earned(cast.annotator, active_ms=40 * 60_000)  # 7.01 an hour
    assert slow_work(cast.study) == []
    PayPlan.objects.update(floor_per_hour=Decimal("8"))
    assert [each.floor for each in slow_work(cast.study)] == [Decimal("8.00")]
    PayPlan.objects.all().delete()
    earned(cast.annotator, "CNY", active_ms=3_600_000_000)
    Study.objects.update(pay_currency="CNY")
    assert slow_work(Study.objects.get()) == []
