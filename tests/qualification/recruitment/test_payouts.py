"""Files for the platform: approvals, and bonuses from the ledger that are paid once."""

from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.models import Participant, Study
from annotation.services.refusals import Refused
from qualification.models import PayEntry, Recruitment
from qualification.recruitment.services.payouts import approvals_csv, bonuses_csv, bonuses_of, mark_bonuses_paid
from tests.cast import Cast
from tests.clock import NOW
from tests.qualification.recruitment.factories import EntryFactory, PayEntryFactory, open_for

pytestmark = pytest.mark.django_db
STATES = ("entered", "done", "screened_out", "failed_attention", "timed_out")


def came(study: Study, state: str = "done", **fields: object):
    ended_at = None if state == "entered" else NOW
    return EntryFactory(study=study, state=state, ended_at=ended_at, **fields)


@pytest.fixture
def prolific(cast: Cast) -> Study:
    open_for(cast.study)
    return cast.study


@pytest.fixture
def mturk(cast: Cast) -> Study:
    open_for(cast.study, provider="mturk")
    return cast.study


# --- approvals ------------------------------------------------------------------------------------------------
def test_prolific_gets_the_submissions_that_are_finished_one_a_line(prolific):
    finished = [came(prolific), came(prolific)]
    for state in STATES:
        if state != "done":
            came(prolific, state)

    assert approvals_csv(prolific) == "".join(f"{entry.session}\n" for entry in finished)


def test_mechanical_turk_gets_its_review_file(mturk):
    done, screened, failed, _late, _on_the_way = (
        came(mturk, state, person=f"W{n}", session=f"A{n}", platform_study="H1")
        for n, state in enumerate(("done", "screened_out", "failed_attention", "timed_out", "entered"))
    )

    assert approvals_csv(mturk) == (
        "HITId,AssignmentId,WorkerId,Approve,Reject\n"
        f"H1,{done.session},W0,x,\nH1,{screened.session},W1,x,\n"
        f"H1,{failed.session},W2,,The attention checks were missed.\n"
    )


def test_people_of_another_study_or_platform_are_in_no_file(prolific):
    came(prolific, provider="mturk")
    EntryFactory(state="done", ended_at=NOW)

    assert approvals_csv(prolific) == ""


# --- bonuses ----------------------------------------------------------------------------------------------------
def test_bonuses_are_summed_by_person(prolific):
    first, second = came(prolific), came(prolific)
    for amount in ("1.50", "0.25"):
        PayEntryFactory(participant=first.participant, amount=amount)
    PayEntryFactory(participant=second.participant, amount="2")
    PayEntryFactory(participant=second.participant, kind="batch", amount="9", reason="")

    assert bonuses_csv(prolific) == f"{first.person},1.75\n{second.person},2.00\n"


def test_a_bonus_that_was_taken_back_is_not_paid(prolific):
    entry, other = came(prolific), came(prolific)
    PayEntryFactory(participant=entry.participant, amount="5.00")
    PayEntryFactory(participant=entry.participant, kind="correction", amount="-5.00", reason="A mistake.")
    PayEntryFactory(participant=other.participant, amount="5.00")
    PayEntryFactory(participant=other.participant, kind="correction", amount="-1.01", reason="A mistake.")

    assert bonuses_csv(prolific) == f"{other.person},3.99\n"


def test_mechanical_turk_gets_the_reason_with_it(mturk):
    entry = came(mturk, person="W1", session="A1")
    PayEntryFactory(participant=entry.participant, amount="1.10", reason='=HYPERLINK("x"), good')

    assert bonuses_csv(mturk) == ('WorkerId,AssignmentId,BonusAmount,Reason\nW1,A1,1.10,"\'=HYPERLINK(""x""), good"\n')


def test_two_currencies_are_refused(prolific):
    entry = came(prolific)
    PayEntryFactory(participant=entry.participant)
    PayEntryFactory(participant=entry.participant, currency="EUR")

    with pytest.raises(Refused, match="EUR, GBP"):
        bonuses_csv(prolific)


def seen_of(study: Study) -> dict[str, int]:
    """What a page passes on to the file and to the tick."""
    bonuses = bonuses_of(study)
    return {"up_to": bonuses.up_to, "n_lines": bonuses.n_lines}


def comes_late(participant: Participant) -> None:
    """A line that got its number before others, and is stored after them."""
    line = PayEntryFactory(participant=participant, amount="9.00", reason="late")
    PayEntry.objects.filter(pk=line.pk).update(id=1)


def test_a_line_that_comes_late_with_a_lower_number_is_not_ticked_off(prolific, cast):
    entry = came(prolific)
    PayEntryFactory(participant=entry.participant)
    seen = seen_of(prolific)
    comes_late(entry.participant)

    with pytest.raises(Refused, match="has changed since you looked"):
        mark_bonuses_paid(prolific, **seen, by=cast.owner, now=NOW)
    with pytest.raises(Refused, match="has changed since you looked"):
        bonuses_csv(prolific, **seen)
    assert not PayEntry.objects.exclude(paid_out_at=None).exists()
    assert mark_bonuses_paid(prolific, **seen_of(prolific), by=cast.owner, now=NOW) == 1


def test_what_is_paid_is_listed_once_and_what_came_later_stays(prolific, cast):
    entry = came(prolific)
    PayEntryFactory(participant=entry.participant)
    seen = seen_of(prolific)
    PayEntryFactory(participant=entry.participant, amount="0.70")
    assert bonuses_csv(prolific, **seen) == f"{entry.person},1.50\n"

    assert mark_bonuses_paid(prolific, **seen, by=cast.owner, now=NOW) == 1
    assert mark_bonuses_paid(prolific, **seen, by=cast.owner, now=NOW) == 0
    assert bonuses_csv(prolific) == f"{entry.person},0.70\n"
    logged = prolific.activities.get(verb="bonuses_paid")
    assert logged.details == {"people": 1, "amount": "1.50", "currency": "GBP"}


def test_the_sum_has_no_rounding_of_its_own(prolific):
    entry = came(prolific)
    for _ in range(10):
        PayEntryFactory(participant=entry.participant, amount="0.10")

    assert bonuses_of(prolific).total == Decimal("1.00")


def test_without_a_platform_there_is_no_file(prolific):
    Recruitment.objects.update(provider="", is_open=False)

    for file in (approvals_csv, bonuses_csv):
        with pytest.raises(Refused, match="Choose the recruitment platform"):
            file(prolific)


def test_the_page_offers_both_files_and_ticks_them_off(client, cast, prolific):
    entry = came(prolific)
    PayEntryFactory(participant=entry.participant)
    client.force_login(cast.researcher)
    page = client.get(reverse("recruitment", args=["wellbeing"]))
    seen = seen_of(prolific)
    link = reverse("recruitment_bonuses", args=["wellbeing"]) + "?up_to={up_to}&amp;n_lines={n_lines}".format(**seen)
    assert link in page.content.decode()
    assert "1 person, 1.50 GBP" in page.content.decode()

    file = client.get(reverse("recruitment_bonuses", args=["wellbeing"]), seen)
    assert (file["Content-Type"], file.content.decode()) == ("text/csv; charset=utf-8", f"{entry.person},1.50\n")
    assert client.get(reverse("recruitment_approvals", args=["wellbeing"])).content.decode() == f"{entry.session}\n"
    client.post(reverse("recruitment_paid", args=["wellbeing"]), seen)
    assert PayEntry.objects.get().paid_out_at is not None


@pytest.mark.parametrize("wrong", ["", "x", "-1", "9" * 40])
@pytest.mark.parametrize("name", ["up_to", "n_lines"])
def test_a_mark_that_is_none_pays_nothing(client, cast, prolific, name, wrong):
    PayEntryFactory(participant=came(prolific).participant)
    client.force_login(cast.researcher)
    client.post(reverse("recruitment_paid", args=["wellbeing"]), seen_of(prolific) | {name: wrong})

    assert PayEntry.objects.get().paid_out_at is None
