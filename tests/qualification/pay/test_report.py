"""The report says what was paid in fact, once there is a ledger."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Batch
from annotation.services.agreement import sweep
from qualification.models import PayPlan
from qualification.pay.services.ledger import sweep_pay
from reporting.report.build import build_report
from reporting.report.frames import TABLES
from reporting.report.time_and_pay import TimeAndPay
from tests.cast import Cast
from tests.clock import NOW
from tests.qualification.pay.factories import PayEntryFactory, finish


@pytest.fixture
def paid(cast: Cast) -> Cast:
    """Two batches of 35 and of 60 minutes, and a bonus."""
    finish(cast.annotators[0], cast.batch, active_minutes=35)
    finish(cast.annotators[1], cast.batch, active_minutes=60)
    sweep_pay(now=NOW)
    PayEntryFactory(participant=cast.annotators[0], amount=Decimal("1.50"))
    Batch.objects.update(ratings_version=1)
    sweep(now=NOW)
    return cast


def work_of(cast: Cast) -> TimeAndPay:
    return build_report(cast.study, now=NOW).time_and_pay


def test_amounts_bonuses_and_the_median_hour_come_from_the_ledger(paid: Cast):
    assert work_of(paid).ledger == {
        "paid": [
            {"currency": "GBP", "n_work": 2, "work": "9.34", "bonus": "1.50", "correction": "0", "total": "10.84"}
        ],
        "hourly_active": "6.34",
        "hourly_elapsed": "7.01",
        "batches_timed": 2,
        "batches_below_floor": 1,
        "is_below_floor": False,
    }


def test_the_floor_of_the_study_is_the_reports(paid: Cast):
    PayPlan.objects.update(floor_per_hour="7.50")
    work = work_of(paid)
    assert (work.floor, work.floor_currency, work.ledger["is_below_floor"]) == ("7.5", "GBP", True)


def test_without_a_ledger_there_is_none_in_the_report(cast: Cast):
    assert work_of(cast).ledger is None


def test_the_ledger_is_on_the_page_and_in_the_table(paid: Cast, client: Client):
    client.force_login(paid.observer)
    html = client.get(reverse("report", args=["wellbeing"])).content.decode()
    assert '<td class="number">10.84</td>' in html
    assert "the median batch was paid 6.34 GBP per hour" in html
    rows = TABLES["time_and_pay"].rows(build_report(paid.study, now=NOW))
    assert {"figure": "ledger", "part": "GBP total", "value": "10.84"} in list(rows)
