"""The page of the pilot: its panel, what is taken over, who may, and what it costs."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, Assignment, Participant, Rating, Study
from annotation.services.repeating import repeat_pilot
from qualification.models import Qualification
from tests.factories import MembershipFactory, make_batch

ASKED = {"n_items": "26", "hourly": "8.00"}


@pytest.fixture
def owner(study: Study, client: Client) -> Client:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return client


def read(client: Client, **query: str) -> str:
    answer = client.get(reverse("pilot", args=["he"]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def take(client: Client, setting: str, **values: str) -> str:
    answer = client.post(reverse("pilot_take", args=["he"]), ASKED | {"setting": setting} | values, follow=True)
    return answer.content.decode()


def test_the_page_shows_the_panel_its_kappa_and_what_follows(owner: Client):
    html = read(owner)
    for said in (
        "expert1",
        "1 of 1",
        "0.350 [",
        "0.206",
        "<strong>0.21</strong> as the qualification threshold",
        "17.5",
    ):
        assert said in html


def test_the_texts_of_hard_items_are_shown_and_no_source(study: Study, owner: Client):
    html = read(owner)
    assert html.count("<summary>Dialogue q") == 10
    for source in study.sources.all():
        assert source.key not in html


def test_every_item_is_in_the_table_and_in_the_file(study: Study, owner: Client):
    html = read(owner)
    table = html[html.index("Difficulty of every item") :]
    assert table.count('<th scope="row">') == 25
    answer = owner.get(reverse("pilot_items", args=["he"]))
    assert "he-pilot-difficulty.csv" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert len(rows) == 25
    assert {row["item"] for row in rows} == {str(item.token) for item in study.batches.get().items.all()}
    shares = [
        float(rows[0][f"{key}_disagreeing"])
        for key in ("appropriateness", "contextualization", "listening", "correctness")
    ]
    assert float(rows[0]["all_disagreeing"]) == pytest.approx(sum(shares) / 4, abs=1e-5)
    for source in study.sources.all():
        assert source.key not in answer.content.decode()


def test_more_items_than_a_page_holds_follow_on_the_next(study: Study, owner: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("qualification.pilot.views.ROWS", 20)
    first, second = (read(owner, page=page, n_items="7") for page in ("1", "2"))
    assert "?page=2&amp;n_items=7&amp;hourly=8.00&amp;pilot=pilot-1#pilot-difficulty" in first
    assert second[second.index("Difficulty of every item") :].count('<th scope="row">') == 5


def test_without_answers_of_the_panel_there_is_no_file(study: Study, owner: Client):
    Participant.objects.update(panel="")
    answer = owner.get(reverse("pilot_items", args=["he"]), follow=True)
    assert "The panel has not rated anything in the pilots yet." in answer.content.decode()


def test_the_threshold_is_suggested_by_the_method_of_the_qualification(study: Study, owner: Client):
    qualification = Qualification.objects.create(study=study, method="majority_kappa")
    assert "each with the majority of the others" in read(owner)
    qualification.method, qualification.threshold_from, qualification.threshold = "gold", "fixed", 0.8
    qualification.save()
    html = read(owner)
    assert "A pilot cannot say how much accuracy to require" in html
    assert "Use this threshold" not in html
    assert "The pilot gives no value for this." in take(owner, "threshold")
    assert Qualification.objects.get().threshold == 0.8


def test_a_panel_that_agrees_on_everything_suggests_no_threshold_that_nobody_passes(study: Study, owner: Client):
    for rating in Rating.objects.filter(assignment__participant__pseudonym="expert1"):
        Rating.objects.filter(item=rating.item_id, criterion=rating.criterion_id).update(option=rating.option_id)
    html = read(owner)
    assert "its kappa is 1.000. Candidates must be above the threshold" in html
    assert "Use this threshold" not in html
    assert "The pilot gives no value for this." in take(owner, "threshold")
    assert not Qualification.objects.filter(threshold=1).exists()


def test_comments_and_the_reasons_of_unsure_answers_are_there(study: Study, owner: Client):
    Assignment.objects.filter(participant__pseudonym="expert1").update(feedback="Question 3 is unclear.")
    unsure = Rating.objects.filter(option__role="unsure").first()
    Rating.objects.filter(pk=unsure.pk).update(free_text="No idea what is meant.")
    sure = Rating.objects.exclude(option__role="unsure").first()
    Rating.objects.filter(pk=sure.pk).update(free_text="Not a reason to be unsure.")
    html = read(owner)
    assert "Question 3 is unclear." in html
    assert "No idea what is meant." in html
    assert "Not a reason to be unsure." not in html


def test_suggestions_are_taken_over_each_by_its_button(study: Study, owner: Client):
    Study.objects.update(pay_currency="GBP")
    for setting in ("minutes", "pay", "threshold"):
        assert "The setting is applied." in take(owner, setting)
    study.refresh_from_db()
    qualification = Qualification.objects.get()
    assert (study.expected_minutes, str(study.pay_amount)) == (35, "4.67")
    assert (qualification.threshold_from, qualification.threshold) == ("fixed", 0.21)
    assert ActivityLog.objects.filter(verb__in=("settings", "qualification")).count() == 3


def test_pay_without_a_currency_and_minutes_beyond_the_lease_are_refused(study: Study, owner: Client):
    assert "with its currency" in take(owner, "pay")
    assert "cannot exceed its maximum time" in take(owner, "minutes", n_items="5000")
    study.refresh_from_db()
    assert (study.pay_amount, study.expected_minutes) == (None, None)


@pytest.mark.parametrize("wrong", [{"n_items": "0"}, {"hourly": "free"}, {"setting": "seats"}])
def test_what_cannot_be_computed_is_not_taken_over(owner: Client, wrong: dict[str, str]):
    assert "The pilot gives no value for this." in take(owner, **{"setting": "threshold", **wrong})
    assert not Qualification.objects.exists()
    if "setting" not in wrong:
        read(owner, **wrong)


def test_members_of_the_panel_are_marked_here(study: Study, owner: Client):
    lead = MembershipFactory(study=study, role="lead", user__username="ada").user
    answer = owner.post(reverse("pilot_panel", args=["he"]), {"name": "ada", "panel": "expert"})
    assert answer.status_code == 302
    assert Participant.objects.get(user=lead).panel == "expert"
    assert owner.post(reverse("pilot_panel", args=["he"]), {"name": "nobody", "panel": "expert"}).status_code == 422


def test_a_lead_reads_and_marks_but_takes_nothing_over(study: Study, client: Client):
    client.force_login(MembershipFactory(study=study, role="lead").user)
    assert "Use this" not in read(client)
    assert client.post(reverse("pilot_take", args=["he"]), ASKED | {"setting": "threshold"}).status_code == 403


def test_a_study_without_a_pilot_says_how_to_make_one(study: Study, owner: Client):
    study.batches.update(kind="main")
    assert "The study has no pilot." in read(owner)
    study.batches.update(kind="pilot")
    Participant.objects.update(panel="")
    html = read(owner)
    assert "Nobody is in the panel yet." in html
    assert "The panel has not answered anything in pilot-1 yet." in html


def test_the_page_takes_the_same_number_of_queries_for_more_pilots(
    study: Study, owner: Client, django_assert_max_num_queries
):
    def queries() -> int:
        with django_assert_max_num_queries(40) as captured:
            read(owner)
        return len(captured)

    make_batch(study, position=4, kind="pilot", key="second")
    few = queries()
    for place in range(5):
        batch = make_batch(study, position=place + 5, kind="pilot", key=f"more-{place}")
        for member in study.participants.exclude(panel="")[:3]:
            work = Assignment.objects.create(
                batch=batch, participant=member, status="submitted", feedback=f"Comment {place}",
                claimed_at="2026-03-02T09:00Z", submitted_at="2026-03-02T10:00Z",
            )  # fmt: skip
            seat = batch.seats.filter(assignment=None).first()
            seat.assignment = work
            seat.save()
    assert queries() == few


def test_a_pilot_with_fewer_seats_than_the_panel_has_members_is_warned_of(study: Study, owner: Client):
    warned = "only 2 seats for the panel"
    assert warned not in read(owner)
    make_batch(study, 1, 1, position=7, kind="pilot", key="small").seats.filter(number__gt=2).delete()
    assert warned in read(owner)


def test_two_pilots_stand_side_by_side_and_each_has_a_page(study: Study, owner: Client):
    assert "Pilots side by side" not in read(owner)
    repeat_pilot(study, pilot="pilot-1", kind="pilot", now=timezone.now())
    html = read(owner)
    table = html[html.index("Pilots side by side") : html.index("Each pilot has its own results")]
    for said in ("?pilot=pilot-1", "?pilot=pilot-2", "same as pilot-1", "0.350 [", "17.5", "0.21"):
        assert said in table
    assert "What pilot-1 suggests" in html
    assert "The panel has not answered anything in pilot-2 yet." in read(owner, pilot="pilot-2")
    assert "The pilot gives no value for this." in take(owner, "threshold", pilot="pilot-2")
    assert "The setting is applied." in take(owner, "threshold", pilot="pilot-1")


def test_the_way_to_a_further_pilot_and_to_the_qualification_is_linked(study: Study, owner: Client):
    html = read(owner)
    for kind in ("pilot", "qualification"):
        assert f'{reverse("study_batches", args=["he"])}?kind={kind}"' in html
