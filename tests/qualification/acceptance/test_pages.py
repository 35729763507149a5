"""The pages of batch control, from the plan to the decision, and the groups."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import ActivityLog, Batch, Group, Rating, Study
from qualification.acceptance.services.reviewing import take_second_check
from qualification.acceptance.services.sweeping import sweep_control
from qualification.models import Check, ControlPlan, Inspection
from tests.clock import NOW
from tests.factories import make_annotator
from tests.qualification.acceptance.conftest import Control, make_control
from tests.qualification.acceptance.factories import check_draws, items_of, options_of

LABELS, WORSE = ["0", "1", "2"] * 40, ["1", "2", "0"] * 40
PLAN = {
    "is_on": "on", "kind": "shares", "n_sample": 80, "least_overall": 0.9, "least_of_class": 0.85, "fewest_of_class": 8,
    "top_up_to": 20, "most_errors": 17, "good": 0.95, "bad": 0.9, "producer_risk": 0.05, "consumer_risk": 0.1,
    "most_sampled": 400, "is_blind": "on", "is_returned_by_itself": "on",
}  # fmt: skip


def url(name: str, *args: object) -> str:
    return reverse(name, args=["wellbeing", *args])


def text_of(page) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


def decided(control: Control, key: str, truth: list[str]) -> Inspection:
    return control.check(control.draw(control.finish(key, LABELS, active_ms=60_000)), truth)


# --- the overview ------------------------------------------------------------------------------------
def test_the_overview_shows_states_and_what_rounds_have_cost(client: Client, control: Control):
    decided(control, "good", LABELS)
    bad = decided(control, "bad", WORSE)
    control.again(bad.batch, LABELS)
    control.check(control.draw(bad.batch), LABELS)
    control.draw(control.finish("third", LABELS))
    client.force_login(control.cast.observer)
    text = text_of(client.get(url("control")))
    assert "First-pass yield 50.0 % 1 of 2 batches" in text
    assert "Rounds per accepted batch 1.50" in text
    assert "Needed more than one round 50.0 %" in text
    assert "Rework 4.0 h" in text  # two annotators, 120 items of a minute
    assert "third – Round 1 waits for a controller" in text
    assert "1: returned" in text


def test_the_overview_asks_as_often_for_many_batches_as_for_few(client: Client, control: Control):
    client.force_login(control.cast.lead)
    decided(control, "first", LABELS)
    n_rows = len(client.get(url("control")).context["rows"])
    before = n_queries(client)
    for key in "abcd":
        decided(control, key, LABELS)
    assert n_queries(client) == before
    assert len(client.get(url("control")).context["rows"]) == n_rows + 4


def n_queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as queries:
        client.get(url("control"))
    return len(queries)


def test_controllers_who_check_twice_have_a_kappa(client: Client, control: Control):
    found = decided(control, "a", LABELS)
    check = take_second_check(found, user=control.second, now=NOW)
    check_draws(check, control.truth_of(found.batch, ["0", "1", "2"] * 40))
    sweep_control(now=NOW)
    client.force_login(control.cast.lead)
    assert "Controllers agree 1.00 Cohen's kappa, 100 items checked twice" in text_of(
        client.get(url("control"))
    ).replace("&#x27;", "'")


# --- the plan ----------------------------------------------------------------------------------------
def test_a_researcher_makes_a_plan(client: Client, control: Control):
    ControlPlan.objects.all().delete()
    client.force_login(control.cast.researcher)
    criterion = control.cast.study.protocol_version.criteria.get()
    answer = client.post(url("control_plan"), PLAN | {"criterion": criterion.pk})
    assert answer.status_code == 302
    plan = ControlPlan.objects.get()
    assert (plan.study, plan.criterion, plan.n_sample, plan.top_up_to) == (control.cast.study, criterion, 80, 20)
    assert ActivityLog.objects.filter(verb="control_plan", actor=control.cast.researcher).exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"criterion": ""}, "This field is required"),
        ({"least_overall": 1.2}, "less than or equal to 1"),
        ({"top_up_to": 3}, "must reach what a class needs"),
        ({"good": 0.8}, "above the bad one"),
        ({"good": 1}, "above the bad one"),
        ({"consumer_risk": 0}, "between 0 and 0.5"),
        ({"kind": "fixed", "most_errors": 80}, "no batch could fail"),
        ({"n_sample": 5000}, "less than or equal to 1000"),
    ],
)
def test_a_plan_that_is_none_is_refused_with_a_sentence(client: Client, control: Control, wrong: dict, said: str):
    client.force_login(control.cast.researcher)
    criterion = control.cast.study.protocol_version.criteria.get()
    answer = client.post(url("control_plan"), PLAN | {"criterion": criterion.pk} | wrong)
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert ControlPlan.objects.get().n_sample == 100


@pytest.mark.parametrize("kind", ["shares", "fixed", "sequential"])
def test_the_curve_follows_the_form_without_saving_it(client: Client, control: Control, kind: str):
    client.force_login(control.cast.researcher)
    criterion = control.cast.study.protocol_version.criteria.get()
    form = PLAN | {"criterion": criterion.pk, "kind": kind, "n_sample": 100, "least_overall": 0.92, "top_up_to": 30,
                   "least_of_class": 0.9, "fewest_of_class": 10}  # fmt: skip
    control.cast.batch.delete()
    page = text_of(client.get(url("control_plan_curve"), form))
    if kind == "shares":
        assert "For a batch of 2,000 items in 3 classes" in page
        assert "95.0 % 72.0 % 94.2 %" in page  # overall and every class, and overall alone
    if kind == "sequential":
        assert "Items checked, on average" in page
    assert ControlPlan.objects.get().kind == "shares"


def test_a_form_that_is_not_finished_has_no_curve(client: Client, control: Control):
    client.force_login(control.cast.researcher)
    assert "fit together" in text_of(client.get(url("control_plan_curve"), {"kind": "shares"}))


# --- an inspection -----------------------------------------------------------------------------------
def test_a_controller_takes_a_sample_and_rates_it_on_the_screen_of_annotators(client: Client, control: Control):
    inspection = control.draw(control.finish("a", LABELS))
    client.force_login(control.cast.controller)
    assert "Check this sample" in text_of(client.get(url("control_inspection", inspection.pk)))
    answer = client.post(url("control_take", inspection.pk), follow=True)
    assert answer.resolver_match.url_name == "rate"
    check = Check.objects.get()
    assert (check.batch.kind, check.batch.reserved_for) == ("control", check.participant)
    assert check.batch.n_items == 100


def test_the_browser_of_a_blind_controller_gets_no_label(client: Client, control: Control):
    inspection = control.draw(control.finish("a", ["0"] * 60 + ["1"] * 60))
    client.force_login(control.cast.controller)
    page = client.post(url("control_take", inspection.pk), follow=True)
    answers = re.findall(r"<input type=\"radio\" name=\"[^\"]*-option\"[^>]*>", page.content.decode())
    assert answers
    assert "checked" not in repr(answers)
    draw = inspection.draws.select_related("item").first()
    assert str(draw.item.token) not in page.content.decode()
    assert client.get(url("control_check", inspection.pk)).status_code == 404


def test_a_decision_shows_counts_intervals_and_the_curve(client: Client, control: Control):
    found = decided(control, "a", [*LABELS[:-6], *WORSE[-6:]])
    client.force_login(control.cast.observer)
    text = text_of(client.get(url("control_inspection", found.pk)))
    overall = found.figures["overall"]
    assert (
        f"{100 * overall['share']:.1f} % Wilson interval {100 * overall['low']:.1f} to {100 * overall['high']:.1f}"
        in text
    )
    first = found.figures["classes"][0]["accuracy"]
    assert f"Score 0 40 {first['n_right']} / {first['n']}" in text
    assert "How often the plan accepts a batch" in text
    assert "Decide otherwise" not in text


def test_a_lead_overrides_with_a_reason(client: Client, control: Control):
    found = decided(control, "a", LABELS)
    client.force_login(control.cast.lead)
    address = url("control_decide", found.pk)
    refused = client.post(address, {"to": "return", "reason": ""})
    assert (refused.status_code, "This field is required" in text_of(refused)) == (422, True)
    group = Group.objects.create(study=control.cast.study, name="North")
    answer = client.post(address, {"to": "return", "reason": "The guide was wrong.", "group": group.pk}, follow=True)
    assert "The guide was wrong." in text_of(answer)
    batch = Batch.objects.get(pk=found.batch_id)
    assert (batch.round, batch.group) == (2, group)
    assert client.post(address, {"to": "nonsense"}).status_code == 422


def test_a_lead_confirms_a_return(client: Client, db: None):
    control = make_control(is_returned_by_itself=False)
    found = decided(control, "a", WORSE)
    client.force_login(control.cast.lead)
    assert "a lead is asked" in text_of(client.get(url("control")))
    client.post(url("control_decide", found.pk), {"to": "confirm"})
    assert Batch.objects.get(pk=found.batch_id).round == 2


def test_a_sample_is_given_back(client: Client, control: Control):
    inspection = control.draw(control.finish("a", LABELS))
    control.take(inspection)
    client.force_login(control.cast.lead)
    assert "can take the sample now" in text_of(client.post(url("control_give_back", inspection.pk), follow=True))
    inspection.refresh_from_db()
    assert inspection.state == "waiting"


# --- with the label shown ----------------------------------------------------------------------------
def test_a_check_with_labels_shown_is_stored_as_ratings_and_decides(client: Client, db: None):
    control = make_control(is_blind=False, n_sample=3, kind="fixed", most_errors=1)
    batch = control.finish("a", ["1"] * 5)
    inspection = control.draw(batch)
    client.force_login(control.cast.controller)
    page = client.post(url("control_take", inspection.pk), follow=True)
    codes = {option.key: str(at) for at, option in enumerate(options_of(control.cast.study).values(), start=1)}
    for key in ("1", "2", "1"):
        assert page.resolver_match.url_name == "control_check_item"
        assert "annotators' label: Score 1" in text_of(page)
        assert re.search(rf'value="{codes["1"]}"[^>]*checked', page.content.decode())
        page = client.post(page.request["PATH_INFO"], {"score-1-option": codes[key], "form_key": "x"}, follow=True)
    assert "Every item is checked" in text_of(page)
    assert Rating.objects.filter(batch__kind="control").count() == 3
    sweep_control(now=NOW)
    inspection.refresh_from_db()
    assert (inspection.verdict, inspection.figures["overall"]["n_right"]) == ("accept", 2)


def test_nobody_else_opens_a_check(client: Client, db: None):
    control = make_control(is_blind=False)
    inspection = control.draw(control.finish("a", LABELS))
    control.take(inspection)
    client.force_login(control.second)
    assert client.get(url("control_check", inspection.pk)).status_code == 404
    assert client.get(url("control_check_item", inspection.pk, 1)).status_code == 404


# --- groups ------------------------------------------------------------------------------------------
def test_a_lead_makes_a_group_and_gives_it_annotators_and_batches(client: Client, control: Control):
    client.force_login(control.cast.lead)
    batch, person = control.cast.batch, make_annotator(control.cast.study, "someone")
    client.post(url("control_groups"), {"name": "North"})
    group = Group.objects.get()
    client.post(url("control_groups_move"), {"group": group.pk, "person": [person.token, "x"], "batch": [batch.key]})
    client.post(url("control_groups_dealing"), {"is_dealt_to_groups": "on"})
    person.refresh_from_db()
    batch.refresh_from_db()
    assert (person.group, batch.group) == (group, group)
    assert Study.objects.get().is_dealt_to_groups
    verbs = set(ActivityLog.objects.values_list("verb", flat=True))
    assert {"group_made", "group_changed", "batch_given", "groups_dealt"} <= verbs
    assert client.post(url("control_groups"), {"name": "North"}).status_code == 422
    client.post(url("control_group_remove"), {"group": group.pk})
    person.refresh_from_db()
    assert (person.group, Group.objects.count()) == (None, 0)


def test_a_group_of_another_study_is_none(client: Client, control: Control):
    client.force_login(control.cast.lead)
    other = Group.objects.create(study=Study.objects.create(
        slug="other", name="Other", protocol_version=control.cast.study.protocol_version), name="Theirs")  # fmt: skip
    for name in ("control_groups_move", "control_group_remove"):
        page = client.post(url(name), {"group": other.pk, "batch": [control.cast.batch.key]}, follow=True)
        assert "There is no such group" in text_of(page)
    control.cast.batch.refresh_from_db()
    assert control.cast.batch.group is None
    assert Group.objects.filter(pk=other.pk).exists()


def test_an_item_of_the_batch_is_never_shown_twice_to_a_controller(control: Control):
    batch = control.finish("a", LABELS)
    check = control.take(control.draw(batch))
    copies = items_of(check.batch)
    assert len(copies) == len(set(check.batch.items.values_list("dialogue", flat=True))) == 100


def test_what_was_done_with_batches_stands_in_the_log(client: Client, control: Control):
    found = decided(control, "a", LABELS)
    client.force_login(control.cast.owner)
    client.post(url("control_decide", found.pk), {"to": "return", "reason": "The guide was wrong."})
    text = text_of(client.get(url("activity")))
    assert "Of batch a, 100 of 120 items were drawn." in text
    assert "Batch a, round 1: accepted." in text
    assert "Batch a, round 1: returned, not accepted. The guide was wrong." in text


def test_a_controller_without_a_sample_is_led_to_the_batches_and_not_told_to_wait(client: Client, control: Control):
    decided(control, "a", LABELS)
    client.force_login(control.cast.controller)
    said = text_of(client.get(reverse("work")))
    assert "You have checked everything you took." in said
    assert "A team lead has to clear you" not in said


def test_one_error_is_one_error(client: Client, control: Control):
    ControlPlan.objects.update(kind="fixed", most_errors=1)
    client.force_login(control.cast.lead)
    assert "Accepted with at most 1 error." in text_of(client.get(url("control")))


# --- what waits --------------------------------------------------------------------------------------
def test_the_hub_says_that_a_sample_is_to_be_checked_or_a_decision_to_be_made(client: Client, db: None):
    control = make_control(is_returned_by_itself=False)
    inspection = control.draw(control.finish("b", LABELS))
    client.force_login(control.cast.lead)
    assert "Check a sample : Batch control" in text_of(client.get(url("quality")))
    assert "1 inspection is open." in text_of(client.get(url("study")))

    control.check(inspection, WORSE)
    assert "Decide : Batch control" in text_of(client.get(url("quality")))


# --- blind ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("is_blind", [True, False])
def test_how_many_items_have_which_label_is_hidden_from_a_blind_check_until_it_is_decided(
    client: Client, control: Control, is_blind: bool
):
    control.plan.is_blind = is_blind
    control.plan.save()
    labels = ["0"] * 10 + ["1"] * 37 + ["2"] * 73
    waiting = control.draw(control.finish("a", labels))
    client.force_login(control.cast.controller)
    sizes = {"Score 0 10", "Score 1 37", "Score 2 73"}
    text = text_of(client.get(url("control_inspection", waiting.pk)))
    assert {each for each in sizes if each in text} == (set() if is_blind else sizes)
    if is_blind:
        found = control.check(waiting, labels)
        assert {each for each in sizes if each in text_of(client.get(url("control_inspection", found.pk)))} == sizes
