"""The pay page, an annotator's page of it, the file, and what annotators see of their own earnings."""

import csv
import io
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ActivityLog, Study
from qualification.models import PayEntry, PayPlan
from qualification.pay.services.ledger import sweep_pay
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import make_annotator, make_batch
from tests.qualification.pay.factories import PayEntryFactory, earned, finish

NBSP = "\u00a0"


@pytest.fixture
def owner(cast: Cast, client: Client) -> Client:
    client.force_login(cast.owner)
    return client


def page(client: Client, name: str, *args: object, status: int = 200) -> str:
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == status
    return answer.content.decode()


def test_the_page_shows_the_offer_exactly(owner: Client):
    html = page(owner, "pay", "wellbeing")
    assert f"4.67{NBSP}GBP for 35 minutes, <strong>8.01{NBSP}GBP</strong> per hour" in html
    assert f"2.50{NBSP}GBP for 15 minutes, <strong>10.00{NBSP}GBP</strong> per hour" in html


@pytest.mark.parametrize(("name", "status"), [("pay", "open"), ("study_settings", "open"), ("study", "draft")])
def test_pay_below_the_floor_is_warned_of_where_it_is_set_and_before_the_study_opens(owner: Client, name, status):
    assert "below the" not in page(owner, name, "wellbeing")
    Study.objects.update(pay_amount="3.00", status=status)
    assert f"is 5.14{NBSP}GBP per hour, below the minimum of 6.00{NBSP}GBP" in page(owner, name, "wellbeing")


def test_an_open_study_is_not_warned_on_every_page(owner: Client):
    Study.objects.update(pay_amount="3.00")
    assert "below the" not in page(owner, "study", "wellbeing")


def test_the_plan_is_saved_with_old_and_new_amounts_in_the_log(owner: Client, cast: Cast):
    values = {"qualification_amount": "3.00", "qualification_minutes": "15", "floor_per_hour": "8"}
    assert owner.post(reverse("pay", args=["wellbeing"]), values).status_code == 302
    assert PayPlan.objects.get().floor_per_hour == 8
    changed = ActivityLog.objects.get(verb="pay_plan").details["changed"]
    assert changed == {"qualification_amount": ["2.50", "3.00"], "floor_per_hour": ["6.00", "8"]}


def test_a_plan_that_cannot_be_is_said_beside_its_field(owner: Client):
    values = {"qualification_amount": "-1", "floor_per_hour": "6"}
    assert owner.post(reverse("pay", args=["wellbeing"]), values).status_code == 422
    Study.objects.update(pay_currency="", pay_amount=None)
    answer = owner.post(reverse("pay", args=["wellbeing"]), values | {"qualification_amount": "2"})
    assert "set the pay currency" in answer.content.decode()


def test_slow_work_is_warned_of_during_the_study(owner: Client, cast: Cast):
    finish(cast.annotator, cast.batch, active_minutes=60)
    sweep_pay(now=NOW)
    html = page(owner, "pay", "wellbeing")
    assert "1 of 1 batches was paid less" in html
    assert "So was the median." in html


@pytest.mark.parametrize("name", ["study", "quality"])
def test_slow_work_is_warned_of_on_overview_and_quality_while_the_study_is_open(
    owner: Client, cast: Cast, client: Client, name: str
):
    finish(cast.annotator, cast.batch, active_minutes=60)
    qualification = make_batch(cast.study, position=7, kind="qualification", key="q")
    finish(cast.annotator, qualification, active_minutes=10)
    sweep_pay(now=NOW)
    html = page(owner, name, "wellbeing")
    assert f"pay for batches is 4.67{NBSP}GBP per active hour, less than the minimum of 6.00{NBSP}GBP" in html
    assert "pay for the qualification is" not in html
    Study.objects.update(status="closed")
    assert "pay for batches is" not in page(owner, name, "wellbeing")
    Study.objects.update(status="open")
    client.force_login(cast.observer)
    assert "pay for batches is" not in page(client, name, "wellbeing")


def test_a_qualification_that_takes_too_long_is_warned_of(owner: Client, cast: Cast):
    qualification = make_batch(cast.study, position=7, kind="qualification", key="q")
    finish(cast.annotator, qualification, active_minutes=30)
    sweep_pay(now=NOW)
    html = page(owner, "pay", "wellbeing")
    assert "1 of 1 qualifications was paid less" in html
    assert "So was the median." in html
    warned = f"median pay for the qualification is 5.00{NBSP}GBP per active hour"
    assert warned in page(owner, "study", "wellbeing")
    assert warned in page(owner, "quality", "wellbeing")


def test_a_bonus_and_a_correction_are_entered_on_the_annotators_page(owner: Client, cast: Cast):
    earned(cast.annotator)
    token = cast.annotator.token
    owner.post(reverse("pay_bonus", args=["wellbeing", token]), {"amount": "1.5", "reason": "Careful comments"})
    correction = {"amount": "-0.67", "currency": "GBP", "reason": "A cent too much"}
    owner.post(reverse("pay_correction", args=["wellbeing", token]), correction)
    html = page(owner, "pay_annotator", "wellbeing", token)
    assert list(PayEntry.objects.order_by("pk").values_list("kind", flat=True)) == ["batch", "bonus", "correction"]
    assert f"5.50{NBSP}GBP" in html
    assert "Careful comments" in html


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("pay_bonus", {"amount": "0", "reason": "Nothing"}),
        ("pay_bonus", {"amount": "1", "reason": ""}),
        ("pay_bonus", {"amount": "1.234", "reason": "Too fine"}),
        ("pay_correction", {"amount": "0", "currency": "GBP", "reason": "Nothing"}),
        ("pay_correction", {"amount": "-5", "currency": "GBP", "reason": "More than there is"}),
        ("pay_correction", {"amount": "1", "currency": "XXX", "reason": "No such currency"}),
    ],
)
def test_a_line_that_cannot_be_is_refused_with_422(owner: Client, cast: Cast, name: str, values: dict[str, str]):
    earned(cast.annotator)
    answer = owner.post(reverse(name, args=["wellbeing", cast.annotator.token]), values)
    assert (answer.status_code, PayEntry.objects.count()) == (422, 1)


def test_the_file_has_the_whole_ledger_and_is_itself_logged(owner: Client, cast: Cast):
    finish(cast.annotator, cast.batch, active_minutes=30)
    sweep_pay(now=NOW)
    PayEntryFactory(participant=cast.annotators[1], reason="=1+1", actor=cast.owner)

    answer = owner.post(reverse("pay_csv", args=["wellbeing"]))

    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [(row["annotator"], row["kind"], row["amount"], row["currency"]) for row in rows] == [
        (cast.annotators[0].pseudonym, "batch", "4.67", "GBP"),
        (cast.annotators[1].pseudonym, "bonus", "1.00", "GBP"),
    ]
    assert (rows[0]["active_minutes"], rows[0]["batch"]) == ("30.00", cast.batch.key)
    assert rows[1]["reason"] == "'=1+1"
    assert ActivityLog.objects.get(verb="ledger_file").details == {"lines": 2}


def test_lines_are_ticked_off_as_paid(owner: Client, cast: Cast):
    entry = earned(cast.annotator)
    owner.post(reverse("pay_paid", args=["wellbeing"]), {"up_to": entry.pk, "n_lines": 1})
    entry.refresh_from_db()
    assert entry.paid_out_at is not None


def test_annotators_see_what_they_earned_and_nothing_of_others(cast: Cast, client: Client):
    earned(cast.annotators[0])
    PayEntryFactory(participant=cast.annotators[0], amount=Decimal("1.00"))
    earned(cast.annotators[1], amount=Decimal("77.77"))
    client.force_login(cast.annotators[0].user)
    html = page(client, "work")
    assert f"You have earned <strong>5.67{NBSP}GBP</strong> here." in html
    assert "Careful comments." in html  # the reason of the bonus
    assert "77.77" not in html


def test_the_pages_take_the_same_number_of_queries_for_many_annotators_and_lines(
    owner: Client, cast: Cast, django_assert_max_num_queries
):
    earned(cast.annotator)
    paths = [reverse(name, args=["wellbeing"]) for name in ("pay", "study", "quality")]
    paths.append(reverse("pay_annotator", args=["wellbeing", cast.annotator.token]))
    for path in paths:
        owner.get(path)  # the frozen version is read once in a process
    few = [count(owner, path, django_assert_max_num_queries) for path in paths]
    for number in range(20):
        person = make_annotator(cast.study, f"more-{number}")
        finish(person, make_batch(cast.study, position=number + 5, n_dialogues=1, n_sources=1))
        earned(person, "EUR")
        earned(cast.annotator)
    sweep_pay(now=NOW)
    assert [count(owner, path, django_assert_max_num_queries) for path in paths] == few


def count(client: Client, path: str, django_assert_max_num_queries) -> int:
    with django_assert_max_num_queries(40) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def test_who_has_no_time_yet_has_no_rate(owner: Client, cast: Cast):
    earned(cast.annotator)
    assert f"{NBSP}GBP <span" not in page(owner, "pay", "wellbeing").split("Per active hour")[1]
