"""What the clock asks every few seconds, of installations that use no part and of a study that has paid for years."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection

from annotation.models import Assignment, Study
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.adjudication.services.disagreements import sweep_disagreements
from qualification.checks.services.signals import sweep_signals
from qualification.models import PayEntry, PayMark, PayPlan
from qualification.pay.services import ledger
from qualification.pay.services.ledger import sweep_pay
from qualification.qualifying.services.results import sweep_attempts
from qualification.recruitment.services.consent_texts import keep_consent_texts
from tests.cast import Cast, make_cast
from tests.clock import NOW
from tests.factories import make_batch
from tests.qualification.pay.factories import finish

pytestmark = pytest.mark.django_db
SOON, LATER = NOW + timedelta(minutes=41), NOW + timedelta(hours=3)


@pytest.fixture
def cast() -> Cast:
    return make_cast(pay_amount=Decimal("4.67"), pay_currency="GBP")


@pytest.mark.parametrize(
    ("sweep", "n"),
    [
        (sweep_attempts, 1),
        (sweep_disagreements, 3),
        (sweep_acceptance, 2),
        (sweep_pay, 1),
        (sweep_signals, 2),
        (keep_consent_texts, 1),
    ],
)
def test_where_no_study_has_the_part_a_sweep_asks_for_it_and_no_more(
    sweep: Callable[..., object], n: int, django_assert_num_queries
):
    finish(make_cast().annotator, Study.objects.get().batches.get())
    with django_assert_num_queries(n) as asked:
        sweep(now=NOW)
    assert all(query["sql"].startswith("SELECT") for query in asked)


# --- pay -------------------------------------------------------------------------------------------
def test_work_that_is_in_the_ledger_is_not_looked_at_again_every_few_seconds(cast: Cast):
    finish(cast.annotator, cast.batch)
    assert sweep_pay(now=SOON) == 1
    PayEntry.objects.all().delete()

    Assignment.objects.update(submitted_at=NOW - timedelta(days=1))
    assert sweep_pay(now=SOON + timedelta(seconds=5)) == 0
    assert sweep_pay(now=SOON + timedelta(hours=1)) == 1


def test_what_came_since_is_paid_though_its_clock_was_an_hour_behind(cast: Cast):
    assert sweep_pay(now=LATER) == 0
    assert PayMark.objects.get().looked_at == LATER
    finish(cast.annotator, cast.batch, elapsed_minutes=120)
    assert sweep_pay(now=LATER + timedelta(seconds=5)) == 1


@pytest.mark.parametrize("by", [timedelta(hours=-5), timedelta(days=40)])
def test_after_a_jump_of_the_clock_all_work_is_looked_at(cast: Cast, by: timedelta):
    sweep_pay(now=LATER)
    finish(cast.annotator, cast.batch, elapsed_minutes=-300)
    assert sweep_pay(now=LATER + by) == 1


@pytest.mark.parametrize("kind", ["main", "qualification"])
def test_after_a_change_of_pay_all_work_is_looked_at_at_once(cast: Cast, kind: str):
    """Before it, the one kind of work earned something and the other nothing."""
    plan, study = PayPlan.objects.create(study=cast.study), Study.objects.filter(pk=cast.study.pk)
    if kind == "main":
        study.update(pay_amount=None)
        PayPlan.objects.update(qualification_amount=Decimal("2.50"))
    finish(cast.annotator, make_batch(cast.study, position=1, kind=kind), elapsed_minutes=-3000)
    assert sweep_pay(now=NOW) == 0
    assert PayMark.objects.exists()

    study.update(pay_amount=Decimal("4.67"))
    PayPlan.objects.filter(pk=plan.pk).update(qualification_amount=Decimal("2.50"))
    assert sweep_pay(now=NOW + timedelta(seconds=5)) == 1


def test_years_of_work_are_paid_part_by_part_before_only_new_work_is_looked_at(cast: Cast, monkeypatch):
    monkeypatch.setattr(ledger, "AT_ONCE", 2)
    for annotator in cast.annotators:
        finish(annotator, cast.batch, elapsed_minutes=-3000)
    sweeps = [sweep_pay(now=NOW + timedelta(seconds=5 * n)) for n in range(3)]
    assert sweeps == [2, 1, 0]


def test_recent_work_is_found_by_its_time():
    """By the index that the migration adds: it is no part of a model, so nothing else would miss it."""
    recent = Assignment.objects.filter(submitted_at__gte=NOW, is_imported=False).order_by("submitted_at")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert "pay_of_finished_work" in recent.explain()
