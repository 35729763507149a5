"""The pages of batch acceptance, from the plan to the decision, and the groups."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import ActivityLog, Batch, Group, Rating, Study
from qualification.acceptance.services.reviewing import take_second_review
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import AcceptancePlan, Review, Sample
from tests.clock import NOW
from tests.factories import make_annotator
from tests.qualification.acceptance.conftest import AcceptanceStudy, make_acceptance
from tests.qualification.acceptance.factories import items_of, options_of, review_items

LABELS, WORSE = ["0", "1", "2"] * 40, ["1", "2", "0"] * 40
PLAN = {
    "is_on": "on", "kind": "shares", "n_sample": 80, "least_overall": 0.9, "least_of_class": 0.85, "fewest_of_class": 8,
    "top_up_to": 20, "most_errors": 17, "good": 0.95, "bad": 0.9, "producer_risk": 0.05, "consumer_risk": 0.1,
    "most_sampled": 400, "is_blind": "on", "is_returned_automatically": "on",
}  # fmt: skip


def url(name: str, *args: object) -> str:
    return reverse(name, args=["wellbeing", *args])


def text_of(page) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


def decided(acceptance: AcceptanceStudy, key: str, truth: list[str]) -> Sample:
    return acceptance.review(acceptance.draw(acceptance.finish(key, LABELS, active_ms=60_000)), truth)


# --- the overview ------------------------------------------------------------------------------------
def test_the_overview_shows_states_and_what_rounds_have_cost(client: Client, acceptance: AcceptanceStudy):
    decided(acceptance, "good", LABELS)
    bad = decided(acceptance, "bad", WORSE)
    acceptance.again(bad.batch, LABELS)
    acceptance.review(acceptance.draw(bad.batch), LABELS)
    acceptance.draw(acceptance.finish("third", LABELS))
    client.force_login(acceptance.cast.observer)
    text = text_of(client.get(url("acceptance")))
    assert "First-pass yield 50.0 % 1 of 2 batches" in text
    assert "Rounds per accepted batch 1.50" in text
    assert "Needed more than one round 50.0 %" in text
    assert "Rework 4.0 h" in text  # two annotators, 120 items of a minute
    assert "third – Round 1 waiting for a controller" in text
    assert "1: returned" in text


def test_the_overview_asks_as_often_for_many_batches_as_for_few(client: Client, acceptance: AcceptanceStudy):
    client.force_login(acceptance.cast.lead)
    decided(acceptance, "first", LABELS)
    n_rows = len(client.get(url("acceptance")).context["rows"])
    before = n_queries(client)
    for key in "abcd":
        decided(acceptance, key, LABELS)
    assert n_queries(client) == before
    assert len(client.get(url("acceptance")).context["rows"]) == n_rows + 4


def n_queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as queries:
        client.get(url("acceptance"))
    return len(queries)


def test_controllers_who_review_twice_have_a_kappa(client: Client, acceptance: AcceptanceStudy):
    found = decided(acceptance, "a", LABELS)
    review = take_second_review(found, user=acceptance.second, now=NOW)
    review_items(review, acceptance.truth_of(found.batch, ["0", "1", "2"] * 40))
    sweep_acceptance(now=NOW)
    client.force_login(acceptance.cast.lead)
    assert "Controller agreement 1.00 Cohen's kappa, 100 items reviewed twice" in text_of(
        client.get(url("acceptance"))
    ).replace("&#x27;", "'")


# --- the plan ----------------------------------------------------------------------------------------
def test_a_researcher_makes_a_plan(client: Client, acceptance: AcceptanceStudy):
    AcceptancePlan.objects.all().delete()
    client.force_login(acceptance.cast.researcher)
    criterion = acceptance.cast.study.protocol_version.criteria.get()
    answer = client.post(url("acceptance_plan"), PLAN | {"criterion": criterion.pk})
    assert answer.status_code == 302
    plan = AcceptancePlan.objects.get()
    assert (plan.study, plan.criterion, plan.n_sample, plan.top_up_to) == (acceptance.cast.study, criterion, 80, 20)
    assert ActivityLog.objects.filter(verb="acceptance_plan", actor=acceptance.cast.researcher).exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"criterion": ""}, "This field is required"),
        ({"least_overall": 1.2}, "less than or equal to 1"),
        ({"top_up_to": 3}, "must reach the minimum items per class"),
        ({"good": 0.8}, "good accuracy must be above bad accuracy"),
        ({"good": 1}, "good accuracy must be above bad accuracy"),
        ({"consumer_risk": 0}, "between 0 and 0.5"),
        ({"kind": "fixed", "most_errors": 80}, "no batch could fail"),
        ({"n_sample": 5000}, "less than or equal to 1000"),
    ],
)
def test_a_plan_that_is_none_is_refused_with_a_sentence(
    client: Client, acceptance: AcceptanceStudy, wrong: dict, said: str
):
    client.force_login(acceptance.cast.researcher)
    criterion = acceptance.cast.study.protocol_version.criteria.get()
    answer = client.post(url("acceptance_plan"), PLAN | {"criterion": criterion.pk} | wrong)
    assert answer.status_code == 422
    assert said in text_of(answer)
    assert AcceptancePlan.objects.get().n_sample == 100


@pytest.mark.parametrize("kind", ["shares", "fixed", "sequential"])
def test_the_curve_follows_the_form_without_saving_it(client: Client, acceptance: AcceptanceStudy, kind: str):
    client.force_login(acceptance.cast.researcher)
    criterion = acceptance.cast.study.protocol_version.criteria.get()
    form = PLAN | {"criterion": criterion.pk, "kind": kind, "n_sample": 100, "least_overall": 0.92, "top_up_to": 30,
                   "least_of_class": 0.9, "fewest_of_class": 10}  # fmt: skip
    acceptance.cast.batch.delete()
    page = text_of(client.get(url("acceptance_plan_curve"), form))
    if kind == "shares":
        assert "For a batch of 2,000 items in 3 classes" in page
        assert "95.0 % 72.0 % 94.2 %" in page  # overall and every class, and overall alone
    if kind == "sequential":
        assert "Items reviewed, on average" in page
    assert AcceptancePlan.objects.get().kind == "shares"


def test_a_form_that_is_not_finished_has_no_curve(client: Client, acceptance: AcceptanceStudy):
    client.force_login(acceptance.cast.researcher)
    assert "numbers of the plan are consistent" in text_of(client.get(url("acceptance_plan_curve"), {"kind": "shares"}))


# --- a sample -----------------------------------------------------------------------------------
def test_a_controller_takes_a_sample_and_rates_it_on_the_screen_of_annotators(
    client: Client, acceptance: AcceptanceStudy
):
    sample = acceptance.draw(acceptance.finish("a", LABELS))
    client.force_login(acceptance.cast.controller)
    assert "Review this sample" in text_of(client.get(url("sample", sample.pk)))
    answer = client.post(url("sample_take", sample.pk), follow=True)
    assert answer.resolver_match.url_name == "rate"
    review = Review.objects.get()
    assert (review.batch.kind, review.batch.reserved_for) == ("review", review.participant)
    assert review.batch.n_items == 100


def test_the_browser_of_a_blind_controller_gets_no_label(client: Client, acceptance: AcceptanceStudy):
    sample = acceptance.draw(acceptance.finish("a", ["0"] * 60 + ["1"] * 60))
    client.force_login(acceptance.cast.controller)
    page = client.post(url("sample_take", sample.pk), follow=True)
    answers = re.findall(r"<input type=\"radio\" name=\"[^\"]*-option\"[^>]*>", page.content.decode())
    assert answers
    assert "reviewed" not in repr(answers)
    draw = sample.sampled_items.select_related("item").first()
    assert str(draw.item.token) not in page.content.decode()
    assert client.get(url("sample_review", sample.pk)).status_code == 404


def test_a_decision_shows_counts_intervals_and_the_curve(client: Client, acceptance: AcceptanceStudy):
    found = decided(acceptance, "a", [*LABELS[:-6], *WORSE[-6:]])
    client.force_login(acceptance.cast.observer)
    text = text_of(client.get(url("sample", found.pk)))
    overall = found.results["overall"]
    assert (
        f"{100 * overall['share']:.1f} % Wilson interval {100 * overall['low']:.1f} to {100 * overall['high']:.1f}"
        in text
    )
    first = found.results["classes"][0]["accuracy"]
    assert f"Score 0 40 {first['n_right']} / {first['n']}" in text
    assert "How often the plan accepts a batch" in text
    assert "Override the decision" not in text


def test_a_lead_overrides_with_a_reason(client: Client, acceptance: AcceptanceStudy):
    found = decided(acceptance, "a", LABELS)
    client.force_login(acceptance.cast.lead)
    address = url("sample_decide", found.pk)
    refused = client.post(address, {"to": "return", "reason": ""})
    assert (refused.status_code, "This field is required" in text_of(refused)) == (422, True)
    group = Group.objects.create(study=acceptance.cast.study, name="North")
    answer = client.post(address, {"to": "return", "reason": "The guide was wrong.", "group": group.pk}, follow=True)
    assert "The guide was wrong." in text_of(answer)
    batch = Batch.objects.get(pk=found.batch_id)
    assert (batch.round, batch.group) == (2, group)
    assert client.post(address, {"to": "nonsense"}).status_code == 422


def test_a_lead_confirms_a_return(client: Client, db: None):
    acceptance = make_acceptance(is_returned_automatically=False)
    found = decided(acceptance, "a", WORSE)
    client.force_login(acceptance.cast.lead)
    assert "waiting for a lead" in text_of(client.get(url("acceptance")))
    client.post(url("sample_decide", found.pk), {"to": "confirm"})
    assert Batch.objects.get(pk=found.batch_id).round == 2


def test_a_sample_is_given_back(client: Client, acceptance: AcceptanceStudy):
    sample = acceptance.draw(acceptance.finish("a", LABELS))
    acceptance.take(sample)
    client.force_login(acceptance.cast.lead)
    assert "can take the sample now" in text_of(client.post(url("sample_give_back", sample.pk), follow=True))
    sample.refresh_from_db()
    assert sample.state == "waiting"


# --- with the label shown ----------------------------------------------------------------------------
def test_a_review_with_labels_shown_is_stored_as_ratings_and_decides(client: Client, db: None):
    acceptance = make_acceptance(is_blind=False, n_sample=3, kind="fixed", most_errors=1)
    batch = acceptance.finish("a", ["1"] * 5)
    sample = acceptance.draw(batch)
    client.force_login(acceptance.cast.controller)
    page = client.post(url("sample_take", sample.pk), follow=True)
    codes = {option.key: str(at) for at, option in enumerate(options_of(acceptance.cast.study).values(), start=1)}
    for key in ("1", "2", "1"):
        assert page.resolver_match.url_name == "sample_review_item"
        assert "annotators' label: Score 1" in text_of(page)
        assert re.search(rf'value="{codes["1"]}"[^>]*checked', page.content.decode())
        page = client.post(page.request["PATH_INFO"], {"score-1-option": codes[key], "form_key": "x"}, follow=True)
    assert "Every item is reviewed" in text_of(page)
    assert Rating.objects.filter(batch__kind="review").count() == 3
    sweep_acceptance(now=NOW)
    sample.refresh_from_db()
    assert (sample.decision, sample.results["overall"]["n_right"]) == ("accept", 2)


def test_nobody_else_opens_a_review(client: Client, db: None):
    acceptance = make_acceptance(is_blind=False)
    sample = acceptance.draw(acceptance.finish("a", LABELS))
    acceptance.take(sample)
    client.force_login(acceptance.second)
    assert client.get(url("sample_review", sample.pk)).status_code == 404
    assert client.get(url("sample_review_item", sample.pk, 1)).status_code == 404


# --- groups ------------------------------------------------------------------------------------------
def test_a_lead_makes_a_group_and_gives_it_annotators_and_batches(client: Client, acceptance: AcceptanceStudy):
    client.force_login(acceptance.cast.lead)
    batch, person = acceptance.cast.batch, make_annotator(acceptance.cast.study, "someone")
    client.post(url("acceptance_groups"), {"name": "North"})
    group = Group.objects.get()
    client.post(url("acceptance_groups_move"), {"group": group.pk, "person": [person.token, "x"], "batch": [batch.key]})
    client.post(url("acceptance_groups_dealing"), {"is_dealt_to_groups": "on"})
    person.refresh_from_db()
    batch.refresh_from_db()
    assert (person.group, batch.group) == (group, group)
    assert Study.objects.get().is_dealt_to_groups
    verbs = set(ActivityLog.objects.values_list("verb", flat=True))
    assert {"group_made", "group_changed", "batch_given", "groups_dealt"} <= verbs
    assert client.post(url("acceptance_groups"), {"name": "North"}).status_code == 422
    client.post(url("acceptance_group_remove"), {"group": group.pk})
    person.refresh_from_db()
    assert (person.group, Group.objects.count()) == (None, 0)


def test_a_group_of_another_study_is_none(client: Client, acceptance: AcceptanceStudy):
    client.force_login(acceptance.cast.lead)
    other = Group.objects.create(study=Study.objects.create(
        slug="other", name="Other", protocol_version=acceptance.cast.study.protocol_version), name="Theirs"
    )  # fmt: skip
    for name in ("acceptance_groups_move", "acceptance_group_remove"):
        page = client.post(url(name), {"group": other.pk, "batch": [acceptance.cast.batch.key]}, follow=True)
        assert "There is no such group" in text_of(page)
    acceptance.cast.batch.refresh_from_db()
    assert acceptance.cast.batch.group is None
    assert Group.objects.filter(pk=other.pk).exists()


def test_an_item_of_the_batch_is_never_shown_twice_to_a_controller(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", LABELS)
    review = acceptance.take(acceptance.draw(batch))
    copies = items_of(review.batch)
    assert len(copies) == len(set(review.batch.items.values_list("dialogue", flat=True))) == 100


def test_what_was_done_with_batches_stands_in_the_log(client: Client, acceptance: AcceptanceStudy):
    found = decided(acceptance, "a", LABELS)
    client.force_login(acceptance.cast.owner)
    client.post(url("sample_decide", found.pk), {"to": "return", "reason": "The guide was wrong."})
    text = text_of(client.get(url("activity")))
    assert "A sample was drawn from batch a: 100 of 120 items." in text
    assert "Batch a, round 1: accepted." in text
    assert "Batch a, round 1: returned, not accepted. The guide was wrong." in text


def test_a_controller_without_a_sample_is_led_to_the_batches_and_not_told_to_wait(
    client: Client, acceptance: AcceptanceStudy
):
    decided(acceptance, "a", LABELS)
    client.force_login(acceptance.cast.controller)
    said = text_of(client.get(reverse("work")))
    assert "You have reviewed everything you took." in said
    assert "A team lead must clear you" not in said


def test_one_error_is_one_error(client: Client, acceptance: AcceptanceStudy):
    AcceptancePlan.objects.update(kind="fixed", most_errors=1)
    client.force_login(acceptance.cast.lead)
    assert "accepted with at most 1 error." in text_of(client.get(url("acceptance")))


# --- what waits --------------------------------------------------------------------------------------
def test_the_hub_says_that_a_sample_is_to_be_reviewed_or_a_decision_to_be_made(client: Client, db: None):
    acceptance = make_acceptance(is_returned_automatically=False)
    sample = acceptance.draw(acceptance.finish("b", LABELS))
    client.force_login(acceptance.cast.lead)
    assert "Review a sample : Batch acceptance" in text_of(client.get(url("quality")))
    assert "1 sample is open." in text_of(client.get(url("study")))

    acceptance.review(sample, WORSE)
    assert "Decide : Batch acceptance" in text_of(client.get(url("quality")))


# --- blind ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("is_blind", [True, False])
def test_how_many_items_have_which_label_is_hidden_from_a_blind_review_until_it_is_decided(
    client: Client, acceptance: AcceptanceStudy, is_blind: bool
):
    acceptance.plan.is_blind = is_blind
    acceptance.plan.save()
    labels = ["0"] * 10 + ["1"] * 37 + ["2"] * 73
    waiting = acceptance.draw(acceptance.finish("a", labels))
    client.force_login(acceptance.cast.controller)
    sizes = {"Score 0 10", "Score 1 37", "Score 2 73"}
    text = text_of(client.get(url("sample", waiting.pk)))
    assert {each for each in sizes if each in text} == (set() if is_blind else sizes)
    if is_blind:
        found = acceptance.review(waiting, labels)
        assert {each for each in sizes if each in text_of(client.get(url("sample", found.pk)))} == sizes
