"""What an hour is paid: offered and measured, to the cent and against the floor."""

from decimal import Decimal

import pytest

from annotation.models import Study
from qualification.models import PayPlan
from qualification.selectors.pay import Offer, cents, measured_rates, offers_of, plan_of, rates_from
from qualification.services.ledger import sweep_pay
from tests.cast import Cast
from tests.factories import NOW
from tests.qualification.factories_pay import earned, finish

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
