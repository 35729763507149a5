"""The pages of the case library, and that annotators get nothing of it."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Batch, Rating
from annotation.services.claiming import claim_seat
from protocols.models import Example
from qualification.adjudication.services.disagreements import sweep_disagreements
from qualification.adjudication.services.re_rating import settle
from qualification.models import AdjudicationPlan, Case, Disagreement
from tests.clock import NOW
from tests.qualification.acceptance.factories import PlanFactory
from tests.qualification.adjudication.conftest import AdjudicatedStudy, make_adjudicated
from tests.qualification.adjudication.factories import CaseFactory

pytestmark = pytest.mark.own_cast


def url(name: str, *args: object) -> str:
    return reverse(name, args=["wellbeing", *args])


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.content.decode()))


@pytest.fixture
def trainer(adjudicated: AdjudicatedStudy, client: Client) -> Client:
    client.force_login(adjudicated.trainer)
    return client


# --- the plan --------------------------------------------------------------------------------------
def test_a_researcher_switches_it_on_for_some_questions(adjudicated: AdjudicatedStudy, client: Client):
    client.force_login(adjudicated.cast.researcher)
    criterion = adjudicated.cast.study.protocol_version.criteria.get()
    client.post(url("adjudication_plan"), {"is_on": "on", "criteria": [criterion.pk]})
    plan = AdjudicationPlan.objects.get()
    assert (plan.is_on, list(plan.criteria.all())) == (True, [criterion])
    client.post(url("adjudication_plan"), {})
    plan.refresh_from_db()
    assert (plan.is_on, plan.criteria.count()) == (False, 0)


def test_batches_of_other_sizes_are_spoken_of(client: Client, db: None):
    adjudicated = make_adjudicated(seats=3)
    client.force_login(adjudicated.cast.researcher)
    answer = client.post(url("adjudication_plan"), {"is_on": "on"})
    assert answer.status_code == 422
    assert "exactly two seats" in text_of(answer)
    assert "1 main batch does not have exactly two seats" in text_of(client.get(url("adjudication")))


# --- disagreements ---------------------------------------------------------------------------------
def test_a_trainer_reads_both_looks_with_reasons_and_settles(adjudicated: AdjudicatedStudy, trainer: Client):
    found = adjudicated.disagreed()
    Rating.objects.filter(item=found.item, option__key="2").update(free_text="Because of the end.")
    page = text_of(trainer.get(url("adjudication")))
    assert "To settle (1)" in page
    for said in ("First rating", "Re-rating", "Because of the end.", *(each.pseudonym for each in adjudicated.pair)):
        assert said in page
    assert page.count("Score 1") == 3  # one vote in each look, and the option of the form
    answer = trainer.post(
        url("disagreement", found.pk), {"option": adjudicated.option("0").pk, "note": "Dull."}, follow=True
    )
    assert "Settled: Score 0." in text_of(answer)
    page = text_of(trainer.get(url("adjudication"), {"state": "settled"}))
    assert "settled by a trainer ( trainer )" in page
    assert "Dull." in page


def test_a_second_trainer_reads_that_it_is_settled(adjudicated: AdjudicatedStudy, trainer: Client):
    found = adjudicated.disagreed()
    settle(found, option=adjudicated.option("0"), note="", by=adjudicated.cast.lead, now=NOW)
    answer = trainer.post(url("disagreement", found.pk), {"option": adjudicated.option("1").pk})
    assert answer.status_code == 422
    assert "Already settled by lead: Score 0" in text_of(answer)


def test_the_form_asks_for_an_answer(adjudicated: AdjudicatedStudy, trainer: Client):
    found = adjudicated.disagreed()
    for posted in ({}, {"option": "0"}, {"option": "x"}):
        assert trainer.post(url("disagreement", found.pk), posted).status_code == 422
    assert Disagreement.objects.get().state == "adjudication"


def test_no_page_of_the_adjudication_names_a_source(client: Client, db: None):
    adjudicated = make_adjudicated()
    cast = adjudicated.cast
    CaseFactory(item=cast.batch.items.first(), criterion=cast.version.criteria.first())
    client.force_login(adjudicated.trainer)
    dialogue = cast.batch.items.first().dialogue.key
    for page in (client.get(url("cases")), client.get(url("case_new"), {"dialogue": dialogue})):
        assert not re.search(r"Ground truth|Model [AB]", text_of(page))


def test_what_is_being_looked_at_again_can_be_settled_without_it(adjudicated: AdjudicatedStudy, trainer: Client):
    batch = adjudicated.finish(["1", "0"], ["2", "0"])
    sweep_disagreements(now=NOW)
    adjudicated.look(batch, 0, {0: "1"})
    page = text_of(trainer.get(url("adjudication"), {"state": "re_rating"}))
    assert "Being re-rated (1)" in page
    assert "Settle without the re-rating" in page
    found = Disagreement.objects.get()
    trainer.post(url("disagreement", found.pk), {"option": adjudicated.option("2").pk})
    found.refresh_from_db()
    assert (found.how, found.option.key) == ("adjudicated", "2")


def test_the_pages_ask_the_database_as_often_for_ten_as_for_one(adjudicated: AdjudicatedStudy, trainer: Client):
    counts = []
    for key in "abcd":
        found = adjudicated.disagreed(key=key)
        CaseFactory(item=found.item, criterion=found.criterion)
        with CaptureQueriesContext(connection) as queries:
            assert trainer.get(url("adjudication")).status_code == 200
            assert trainer.get(url("cases")).status_code == 200
        counts.append(len(queries))
    assert len(set(counts)) == 1


# --- cases -----------------------------------------------------------------------------------------
def test_a_disagreement_is_collected_edited_made_an_example_and_put_away(
    adjudicated: AdjudicatedStudy, trainer: Client
):
    found = adjudicated.disagreed()
    page = text_of(trainer.post(url("case_collect", found.pk), follow=True))
    assert "Added to the case library." in page
    assert "no answer yet" in page
    case = Case.objects.get()
    posted = {"option": adjudicated.option("1").pk, "note": "It takes up the question."}
    assert "The case is saved." in text_of(trainer.post(url("case_edit", case.pk), posted, follow=True))
    page = text_of(trainer.post(url("case_example", case.pk), follow=True))
    draft = Example.objects.get().criterion.version
    assert f"example in the draft {draft}" in page
    assert "training item" in text_of(trainer.post(url("case_training", case.pk), follow=True))
    assert "in the case library" in text_of(trainer.get(url("adjudication")))
    trainer.post(url("case_shelf", case.pk))
    assert "The case library is empty" in text_of(trainer.get(url("cases")))
    assert "It takes up the question." in text_of(trainer.get(url("cases"), {"shelf": "away"}))
    trainer.post(url("case_shelf", case.pk), {"back": "1"})
    case.refresh_from_db()
    assert case.is_active


def test_any_item_is_collected_by_the_key_of_its_dialogue(client: Client, cast):
    client.force_login(cast.lead)
    item = cast.batch.items.order_by("candidate").first()
    address = url("case_new") + f"?dialogue={item.dialogue.key}"
    page = text_of(client.get(address))
    assert page.count("Look up") == 1
    assert all(each.text in page.replace("&#x27;", "'") for each in item.dialogue.candidates.all())
    answer = cast.version.criteria.first().options.first()
    assert client.post(address, {"item": item.token}).status_code == 422
    client.post(address, {"item": item.token, "answer": answer.pk, "note": "Look here."})
    case = Case.objects.get()
    assert (case.item, case.option, case.note, case.author) == (item, answer, "Look here.", cast.lead)
    again = client.post(address, {"item": item.token, "answer": answer.pk})
    assert again.status_code == 422
    assert "already has this item with this question" in text_of(again)
    assert "No batch contains" in text_of(client.get(url("case_new"), {"dialogue": "none"}))


# --- annotators ------------------------------------------------------------------------------------
def test_an_annotator_looks_again_without_a_word_of_what_anybody_answered(
    adjudicated: AdjudicatedStudy, client: Client
):
    batch = adjudicated.finish(["1", "0", "1"], ["2", "0", "2"])
    sweep_disagreements(now=NOW)
    Rating.objects.update(free_text="zzsecret")
    person = adjudicated.pair[0]
    client.force_login(person.user)
    private = Batch.objects.get(reserved_for=person)
    work = client.get("/work/").content.decode()
    assert reverse("claim", args=[private.token]) in work
    assignment = claim_seat(person, private, now=timezone.now())
    pages = [client.get(reverse("rate_start", args=[assignment.token]), follow=True)]
    pages += [
        client.get(f"/work/{assignment.token}/{at}/1/") for at in private.items.values_list("position", flat=True)
    ]
    for page in pages:
        assert page.status_code == 200
        body = page.content.decode()
        answers = re.findall(r"<input[^>]* name=\"[^\"]*-option\"[^>]*>", body)
        assert answers
        assert "checked" not in " ".join(answers)
        for secret in (
            "zzsecret",
            adjudicated.pair[1].pseudonym,
            *map(str, batch.items.values_list("token", flat=True)),
        ):
            assert secret not in body
    assert not Assignment.objects.filter(batch=private).exclude(participant=person).exists()


def test_nobody_else_takes_a_re_rating(adjudicated: AdjudicatedStudy, client: Client):
    adjudicated.finish(["1", "0"], ["2", "0"])
    sweep_disagreements(now=NOW)
    private = Batch.objects.get(reserved_for=adjudicated.pair[0])
    client.force_login(adjudicated.pair[1].user)
    client.post(reverse("claim", args=[private.token]))
    assert not Assignment.objects.filter(batch=private).exists()


def test_annotators_see_no_page_of_the_adjudication(adjudicated: AdjudicatedStudy, client: Client):
    found = adjudicated.disagreed()
    client.force_login(adjudicated.pair[0].user)
    for address in (url("adjudication"), url("cases"), url("case_new"), url("disagreement", found.pk)):
        assert client.get(address).status_code == 403
    assert "adjudication" not in client.get("/work/").content.decode().lower()


# --- what the two are told, and batch acceptance ----------------------------------------------------------
def test_a_re_rating_is_explained_and_said_to_earn_nothing_by_itself(client: Client, db: None):
    adjudicated = make_adjudicated(pay_amount="4.67", pay_currency="GBP")
    adjudicated.finish(["1"], ["2"])
    sweep_disagreements(now=NOW)
    client.force_login(adjudicated.pair[0].user)
    said = text_of(client.get(reverse("work")))
    assert "You and another annotator answered these items differently." in said
    assert "This batch is not paid separately" in said


def test_an_ordinary_batch_is_not_said_to_earn_nothing(client: Client, db: None):
    adjudicated = make_adjudicated(pay_amount="4.67", pay_currency="GBP")
    client.force_login(adjudicated.pair[0].user)
    said = text_of(client.get(reverse("work")))
    assert "is ready for you" in said
    assert "not paid separately" not in said


def test_batch_acceptance_says_that_labels_are_being_confirmed(adjudicated: AdjudicatedStudy, client: Client):
    PlanFactory(study=adjudicated.cast.study)
    adjudicated.finish(["1"], ["2"])
    sweep_disagreements(now=NOW)
    client.force_login(adjudicated.cast.lead)
    assert "finished, disagreements being settled" in text_of(client.get(url("acceptance")))
