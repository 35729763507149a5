"""What finished work earns, exactly once each, and what is added, put right and paid out by hand."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from annotation.models import ActivityLog, Participant, Study
from annotation.services.refusals import Refused
from annotation.services.rounds import open_next_round
from annotation.services.status import set_status
from qualification.models import PayEntry, PayPlan
from qualification.pay.selectors.ledger import note_of, open_lines, sums_by_participant
from qualification.pay.services.ledger import correct, give_bonus, mark_paid_out, sweep_pay
from qualification.tasks import sweep_pay as sweep_task
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import make_annotator, make_batch
from tests.qualification.pay.factories import earned, finish

LATER = NOW + timedelta(hours=1)


def test_finished_work_is_earned_once_however_often_the_sweep_comes(cast: Cast):
    work = finish(cast.annotator, cast.batch, active_minutes=35, elapsed_minutes=41)

    assert [sweep_pay(now=LATER), sweep_pay(now=LATER), sweep_pay(now=LATER - timedelta(days=900))] == [1, 0, 0]

    entry = PayEntry.objects.get()
    assert (entry.participant, entry.assignment, entry.kind) == (cast.annotator, work, "batch")
    assert (entry.amount, entry.currency, entry.at) == (Decimal("4.67"), "GBP", LATER)
    assert (entry.active_ms, entry.elapsed_ms, entry.paid_out_at) == (35 * 60_000, 41 * 60_000, None)


def test_the_task_of_the_clock_pays(cast: Cast):
    finish(cast.annotator, cast.batch)
    sweep_task()
    assert PayEntry.objects.count() == 1


def test_work_under_way_imported_work_and_other_kinds_earn_nothing(cast: Cast):
    finish(cast.annotators[0], cast.batch, status="active", submitted_at=None)
    finish(cast.annotators[1], cast.batch, is_imported=True)
    finish(make_annotator(cast.study, "archived", is_imported=True), cast.batch)
    for place, kind in enumerate(("pilot", "training", "review", "re_rating", "adjudication"), start=1):
        finish(cast.annotators[2], make_batch(cast.study, position=place, kind=kind))
    assert sweep_pay(now=LATER) == 0


@pytest.mark.parametrize("status", ["cleared", "failed", "qualifying", "excluded"])
def test_the_qualification_is_paid_whether_passed_or_not(cast: Cast, status: str):
    candidate = make_annotator(cast.study, "candidate", status=status)
    finish(candidate, make_batch(cast.study, position=1, kind="qualification"))

    sweep_pay(now=LATER)

    assert [(each.kind, each.amount) for each in candidate.pay_entries.all()] == [("qualification", Decimal("2.50"))]


def test_the_panels_own_qualification_is_no_attempt_and_earns_nothing(cast: Cast):
    member = make_annotator(cast.study, "member", panel="expert")
    finish(member, make_batch(cast.study, position=1, kind="qualification"))
    finish(member, cast.batch)
    assert sweep_pay(now=LATER) == 1
    assert member.pay_entries.get().kind == "batch"


def test_a_returned_round_stays_paid_and_the_next_one_is_paid_too(cast: Cast):
    first = finish(cast.annotator, cast.batch)
    open_next_round(cast.batch, now=NOW)
    finish(cast.annotator, cast.batch, round=2)

    assert sweep_pay(now=LATER) == 2

    notes = {entry.assignment_id == first.pk: note_of(entry) for entry in PayEntry.objects.all()}
    assert notes == {True: "Round 1 was returned: finished work stays paid.", False: ""}


def test_finished_work_of_somebody_excluded_stays_payable_with_a_note(cast: Cast):
    finish(cast.annotator, cast.batch)
    set_status(cast.annotator, status="excluded", by=cast.lead, now=NOW)

    assert sweep_pay(now=LATER) == 1

    assert note_of(PayEntry.objects.get()) == "Excluded later: finished work stays paid."


def test_pay_that_is_named_later_is_paid_for_earlier_work_and_a_new_amount_for_new_work_only(cast: Cast):
    Study.objects.update(pay_amount=None)
    PayPlan.objects.update(qualification_amount=None)
    finish(cast.annotators[0], cast.batch)
    finish(make_annotator(cast.study, "new"), make_batch(cast.study, position=1, kind="qualification"))
    assert sweep_pay(now=NOW) == 0

    Study.objects.update(pay_amount="4.00")
    assert sweep_pay(now=LATER) == 1
    Study.objects.update(pay_amount="5.00")
    finish(cast.annotators[1], cast.batch)
    assert sweep_pay(now=LATER) == 1

    assert list(PayEntry.objects.order_by("pk").values_list("amount", flat=True)) == [Decimal("4.00"), Decimal("5.00")]


def test_work_without_a_time_is_paid_and_says_so(cast: Cast):
    finish(cast.annotator, cast.batch, active_minutes=0)
    sweep_pay(now=LATER)
    assert PayEntry.objects.get().active_ms is None


# --- by hand -------------------------------------------------------------------------------------
def test_a_bonus_has_a_reason_and_is_logged(cast: Cast):
    entry = give_bonus(cast.annotator, amount=Decimal("1.50"), reason="Careful comments", by=cast.owner, now=NOW)

    line = ActivityLog.objects.get(verb="bonus")
    assert (entry.currency, entry.actor) == ("GBP", cast.owner)
    assert (line.actor, line.object) == (cast.owner, cast.annotator.pseudonym)
    assert line.details == {"amount": "1.50", "currency": "GBP", "reason": "Careful comments"}


def test_a_bonus_needs_a_currency(cast: Cast):
    Study.objects.update(pay_amount=None, pay_currency="")
    nameless = Participant.objects.select_related("study").get(pk=cast.annotator.pk)
    with pytest.raises(Refused, match="currency"):
        give_bonus(nameless, amount=Decimal(1), reason="Thanks", by=cast.owner, now=NOW)


def test_a_button_pressed_twice_gives_one_bonus(cast: Cast):
    def give(now):
        return give_bonus(cast.annotator, amount=Decimal(1), reason="Thanks", by=cast.owner, now=now)

    give(NOW)
    with pytest.raises(Refused, match="a moment ago"):
        give(NOW + timedelta(seconds=20))
    give(NOW + timedelta(minutes=2))
    assert PayEntry.objects.count() == 2


def test_a_correction_puts_right_and_never_takes_more_than_there_is(cast: Cast):
    earned(cast.annotator)
    earned(cast.annotator, "EUR", amount=Decimal(100))

    def take(amount: str, currency: str = "GBP") -> PayEntry:
        amounts = {"amount": Decimal(amount), "currency": currency}
        return correct(cast.annotator, **amounts, reason="Paid twice", by=cast.owner, now=NOW)

    with pytest.raises(Refused, match=r"4\.67 GBP"):
        take("-4.68")
    with pytest.raises(Refused, match="nothing in USD"):
        take("1.00", "USD")
    assert take("-4.67").amount == Decimal("-4.67")
    with pytest.raises(Refused, match=r"0\.00 GBP"):
        take("-0.01")
    assert ActivityLog.objects.filter(verb="correction").count() == 1


def test_what_was_seen_is_ticked_off_and_no_other_line(cast: Cast):
    earned(cast.annotators[0])
    earned(cast.annotators[1], amount=Decimal("1.33"))
    seen = open_lines(cast.study)
    late = earned(cast.annotators[2])

    n = mark_paid_out(cast.study, up_to=seen.up_to, n_lines=seen.n_lines, by=cast.owner, now=LATER)

    assert n == 2
    assert list(PayEntry.objects.filter(paid_out_at=None)) == [late]
    assert ActivityLog.objects.get(verb="paid_out").details == {"n": 2, "sums": {"GBP": "6.00"}}
    assert mark_paid_out(cast.study, up_to=seen.up_to, n_lines=seen.n_lines, by=cast.owner, now=LATER) == 0


def test_a_ledger_that_has_changed_meanwhile_is_not_ticked_off(cast: Cast):
    first, second = earned(cast.annotators[0]), earned(cast.annotators[1])
    with pytest.raises(Refused, match="changed"):
        mark_paid_out(cast.study, up_to=second.pk, n_lines=1, by=cast.owner, now=LATER)
    assert PayEntry.objects.filter(pk=first.pk, paid_out_at=None).exists()


def test_the_database_itself_keeps_the_rules(cast: Cast):
    work = finish(cast.annotator, cast.batch)
    sweep_pay(now=NOW)
    for wrong in (
        {"kind": "batch", "assignment": work, "reason": ""},
        {"kind": "bonus", "amount": Decimal("-1"), "reason": "Less"},
        {"kind": "bonus", "reason": ""},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            earned(cast.annotator, **wrong)


# --- what an hour has earned -----------------------------------------------------------------------------
def test_an_hour_of_measured_work_leaves_out_bonuses_and_work_without_a_time(cast: Cast):
    finish(cast.annotator, cast.batch, active_minutes=30)
    finish(cast.annotator, make_batch(cast.study, position=1), active_minutes=0)
    sweep_pay(now=LATER)
    give_bonus(cast.annotator, amount=Decimal("5.00"), reason="Careful comments.", by=cast.owner, now=LATER)

    sums = sums_by_participant([cast.annotator])[cast.annotator.pk][0]
    assert sums.total == Decimal("14.34")
    assert sums.hourly == Decimal("9.34")


def test_before_any_work_is_measured_there_is_no_hourly_rate(cast: Cast):
    finish(cast.annotator, cast.batch, active_minutes=0)
    sweep_pay(now=LATER)
    assert sums_by_participant([cast.annotator])[cast.annotator.pk][0].hourly is None
