"""The API: the same doors and services as the pages, for programs."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation.api.imports import ImportSerializer
from annotation.forms_import import ImportForm
from annotation.models import Candidate, ImportJob, Participant, Study
from annotation.services.uploads import run_import_job
from tests.api import Api, error
from tests.cast import Cast
from tests.factories import ImportJobFactory, MembershipFactory, UserFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import HIDDEN_WORDS
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
SLUG = "wellbeing"


# --- studies --------------------------------------------------------------------------------------
def new_study(cast: Cast, **changes):
    protocol = f"{cast.version.protocol.slug}@{cast.version.version}"
    return {"slug": "talks", "name": "Talks", "protocol": protocol} | changes


def test_a_study_is_created_and_owned(cast: Cast):
    staff = UserFactory(is_staff=True)

    answer = Api(staff).ask("POST", "api_studies", data=new_study(cast, seats=7, pay_amount="4.67", pay_currency="GBP"))

    assert answer.status_code == 201
    assert answer.json()["protocol"] == new_study(cast)["protocol"]
    assert (answer.json()["role"], answer.json()["status"], answer.json()["seats"]) == ("owner", "draft", 7)
    assert Study.objects.get(slug="talks").memberships.get().user == staff


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"slug": SLUG}, "slug"),
        ({"slug": "new"}, "slug"),
        ({"slug": "two words"}, "slug"),
        ({"name": ""}, "name"),
        ({"name": "\x00"}, "name"),
        ({"name": None}, "name"),
        ({"name": ["list"]}, "name"),
        ({"protocol": "nothing@9"}, "protocol"),
        ({"protocol": "\x00"}, "protocol"),
        ({"seats": 0}, "seats"),
        ({"seats": 10**30}, "seats"),
        ({"seats": "many"}, "seats"),
        ({"pay_amount": "1e400"}, "pay_amount"),
        ({"pay_amount": "NaN"}, "pay_amount"),
        ({"majority_rule": {"a": 1}}, "majority_rule"),
        ({"kappa_floor": 1.5}, "kappa_floor"),
        ({"kappa_floor": "NaN"}, "kappa_floor"),
        ({"is_joinable": [1]}, "is_joinable"),
    ],
)
def test_a_wrong_value_is_named_by_its_field(cast: Cast, changes, field):
    answer = Api(UserFactory(is_staff=True)).ask("POST", "api_studies", data=new_study(cast, **changes))

    assert answer.status_code == 400
    assert field in error(answer)["fields"]


def test_pay_names_its_currency(cast: Cast):
    answer = Api(UserFactory(is_staff=True)).ask("POST", "api_studies", data=new_study(cast, pay_amount="3.00"))

    assert answer.status_code == 400
    error(answer)


def test_settings_are_changed_one_by_one(cast: Cast):
    answer = Api(cast.researcher).ask("PATCH", "api_study", SLUG, data={"name": "Calm"})

    assert (answer.status_code, answer.json()["name"], answer.json()["seats"]) == (200, "Calm", 3)


def test_slug_and_status_are_not_changed_that_way(cast: Cast):
    Api(cast.owner).ask("PATCH", "api_study", SLUG, data={"slug": "other", "status": "closed"})

    cast.study.refresh_from_db()
    assert (cast.study.slug, cast.study.status) == (SLUG, "open")


def test_a_study_is_closed_and_opened(cast: Cast):
    for status in ("closed", "open"):
        answer = Api(cast.owner).ask("PUT", "api_study_status", SLUG, data={"status": status})
        assert answer.json()["status"] == status


def test_a_refusal_of_a_service_is_a_409_with_its_code(cast: Cast):
    empty = MembershipFactory(user=cast.owner, role="owner", study__status="draft").study

    answer = Api(cast.owner).ask("PUT", "api_study_status", empty.slug, data={"status": "open"})

    assert (answer.status_code, error(answer)["code"]) == (409, "no_batches")


# --- blindness ------------------------------------------------------------------------------------
def test_an_annotator_learns_the_name_and_status_of_a_study_and_no_more(cast: Cast):
    listed = Api(cast.annotator.user).get("api_studies").json()["results"]

    assert listed == [{"slug": SLUG, "name": "Wellbeing dialogues", "status": "open"}]


def test_no_answer_of_the_api_tells_an_annotator_a_source_or_a_hidden_word(cast: Cast):
    rate_everything(take_seat(cast.annotators[1], cast.batch), now=timezone.now())
    api = Api(cast.annotator.user)

    for name in ("api_study", "api_batches", "api_ratings", "api_participants", "api_members", "api_imports"):
        answer = api.get(name, SLUG)
        assert answer.status_code == 403
        assert not [word for word in ("model_a", "ground_truth", *HIDDEN_WORDS) if word in answer.content.decode()]


# --- people ---------------------------------------------------------------------------------------
def test_members_are_added_promoted_and_removed(cast: Cast):
    api = Api(cast.owner)

    added = api.ask("POST", "api_members", SLUG, data={"account": "stranger", "role": "observer"})
    pk = added.json()["id"]
    promoted = api.ask("PATCH", "api_member", SLUG, pk, data={"role": "lead"})
    removed = api.ask("DELETE", "api_member", SLUG, pk)

    assert (added.status_code, promoted.json()["role"], removed.status_code) == (201, "lead", 204)
    assert not cast.study.memberships.filter(user=cast.stranger).exists()


def test_the_last_owner_stays(cast: Cast):
    mine = cast.study.memberships.get(user=cast.owner)

    answer = Api(cast.owner).ask("DELETE", "api_member", SLUG, mine.pk)

    assert error(answer)["code"] == "last_owner"


@pytest.mark.parametrize("account", ["nobody", "", "\x00", 7, None, ["a"]])
def test_an_account_that_is_none_is_named(cast: Cast, account):
    answer = Api(cast.owner).ask("POST", "api_members", SLUG, data={"account": account, "role": "observer"})

    assert answer.status_code == 400
    assert "account" in error(answer)["fields"]


def test_a_lead_clears_an_annotator(cast: Cast):
    Participant.objects.update(status="pending")
    token = cast.annotator.token

    answer = Api(cast.lead).ask("PATCH", "api_participant", SLUG, token, data={"status": "cleared"})

    assert answer.json()["status"] == "cleared"
    assert answer.json()["pseudonym"] == cast.annotator.pseudonym


@pytest.mark.parametrize("body", [{}, {"status": "king"}, {"status": None}, [], "text", 7, None])
def test_a_status_that_is_none_is_refused(cast: Cast, body):
    assert Api(cast.lead).ask("PATCH", "api_participant", SLUG, cast.annotator.token, data=body).status_code == 400


# --- imports --------------------------------------------------------------------------------------
HISTORY = b'"history": [{"speaker": "A", "text": "Hi"}]'
LINE = b'{"dialogue_id": "d1", %b, "candidates": [{"source": "m", "text": "Yo"}]}\n' % HISTORY


def test_an_import_is_taken_queued_and_watched(cast: Cast):
    api = Api(cast.researcher)

    taken = api.upload("api_imports", SLUG, kind="dialogues", file=SimpleUploadedFile("d.jsonl", LINE))
    assert taken.status_code == 202
    assert taken.json()["status"] == "queued"
    run_import_job(ImportJob.objects.get().pk, now=timezone.now())

    job = Client().get(taken["Location"], headers=api.headers).json()
    assert (job["status"], job["summary"]["counts"]["dialogues_new"], job["errors"]) == ("done", 1, [])


def test_errors_of_an_import_come_by_line(cast: Cast):
    api = Api(cast.researcher)
    token = api.upload("api_imports", SLUG, file=SimpleUploadedFile("d.jsonl", LINE + b"{}\n")).json()["token"]
    run_import_job(ImportJob.objects.get().pk, now=timezone.now())

    job = api.get("api_import", SLUG, token).json()

    assert (job["status"], job["n_errors"]) == ("failed", 1)
    assert job["errors"][0]["line"] == 2


def test_predictions_are_imported_over_the_api(cast: Cast):
    """One score and one label, by the file's own names of columns."""
    api = Api(cast.researcher)
    candidates = Candidate.objects.filter(dialogue__study=cast.study).order_by("pk")
    rows = "".join(f"{each.dialogue.key},{each.key},{each.pk / 10},Appropriate\n" for each in candidates)
    file = SimpleUploadedFile("p.csv", f"talk,candidate,nll,verdict\n{rows}".encode())
    form = {"kind": "predictions", "metrics": "nll, verdict=appropriateness", "lower_is_better": "nll",
            "note": "Model 1, no examples", "map_dialogue": "talk"}  # fmt: skip

    assert api.upload("api_imports", SLUG, file=file, **form).status_code == 202
    run_import_job(ImportJob.objects.get().pk, now=timezone.now())

    counts = api.get("api_imports", SLUG).json()["results"][0]["summary"]["counts"]
    assert counts == {"metrics_new": 2, "predictions_new": 2 * candidates.count(), "predictions_unchanged": 0}
    nll, verdict = cast.study.metrics.order_by("key")
    assert (nll.kind, nll.higher_is_better, nll.note) == ("score", False, "Model 1, no examples")
    assert (verdict.kind, verdict.criterion.key) == ("label", "appropriateness")


def test_the_threshold_of_kappa_is_a_setting_like_the_others(cast: Cast):
    api = Api(cast.researcher)

    assert api.ask("PATCH", "api_study", SLUG, data={"kappa_floor": 0.2}).json()["kappa_floor"] == 0.2
    assert "kappa_floor" in error(api.ask("PATCH", "api_study", SLUG, data={"kappa_floor": 1.5}))["fields"]
    assert api.ask("PATCH", "api_study", SLUG, data={"kappa_floor": None}).json()["kappa_floor"] is None


def test_columns_of_a_table_and_of_criteria_are_mapped(cast: Cast):
    api = Api(cast.researcher)
    table = SimpleUploadedFile("d.csv", b"case;said;gpt;human\nx1;Hi;Ho;Hey\n")
    columns = {"map_dialogue": "case", "map_prompt": "said", "map_response": "gpt|human"}
    assert api.upload("api_imports", SLUG, file=table, **columns).status_code == 202
    ratings = SimpleUploadedFile("r.csv", b"case,model,rater,q1\nx1,gpt,r1,Appropriate\n")
    columns = {"map_dialogue": "case", "map_appropriateness": "q1"}
    assert api.upload("api_imports", SLUG, kind="ratings", file=ratings, **columns).status_code == 202
    for job in ImportJob.objects.order_by("pk"):
        assert run_import_job(job.pk, now=timezone.now()) == "done"
    assert cast.study.dialogues.get(key="x1").candidates.count() == 2


def test_the_document_has_every_field_that_an_import_takes(cast: Cast):
    form = ImportForm(study=cast.study)
    of_criteria = {f"map_{key}" for key in form.criteria}
    assert of_criteria
    assert set(ImportSerializer().fields) == set(form.fields) - of_criteria


@pytest.mark.parametrize(
    ("form", "field"), [({"kind": "cats"}, "kind"), ({"format": "xml"}, "format"), ({"reference": "\x00"}, "reference")]
)
def test_a_wrong_option_of_an_import_is_named(cast: Cast, form, field):
    answer = Api(cast.researcher).upload("api_imports", SLUG, file=SimpleUploadedFile("d.jsonl", LINE), **form)

    assert answer.status_code == 400
    assert field in error(answer)["fields"]
    assert not ImportJob.objects.exists()


@pytest.mark.parametrize("body", [{}, [], "file", None, {"file": "text"}])
def test_an_import_needs_a_file(cast: Cast, body):
    answer = Api(cast.researcher).ask("POST", "api_imports", SLUG, data=body)

    assert answer.status_code == 400
    error(answer)


# --- batches --------------------------------------------------------------------------------------
def test_batches_are_made_and_opened(cast: Cast):
    dialogue = cast.study.dialogues.create(key="new", position=9, digest="0" * 64)
    dialogue.candidates.create(source=cast.study.sources.first(), key="c", text="Yes.")
    api = Api(cast.researcher)

    made = api.ask("POST", "api_batches", SLUG, data={"by": "size", "size": 5})
    batch = made.json()["results"][0]
    opened = api.ask("PATCH", "api_batch", SLUG, batch["key"], data={"status": "open"})

    assert (made.status_code, batch["n_items"], batch["n_seats"]) == (201, 1, 3)
    assert opened.json()["status"] == "open"


@pytest.mark.parametrize(
    "body",
    [
        {"by": "luck"}, {"by": "size"}, {"by": "size", "size": 0}, {"by": "size", "size": 2**70}, {"by": None},
        {"by": "stratified", "size": 2}, {"by": "stratified", "size": 2, "field": "\x00"}, {"by": ["size"]}, [], "x",
    ],
)  # fmt: skip
def test_a_deal_that_makes_no_sense_is_refused(cast: Cast, body):
    answer = Api(cast.researcher).ask("POST", "api_batches", SLUG, data=body)

    assert answer.status_code == 400
    error(answer)


def test_nothing_to_deal_is_refused_with_what_to_do(cast: Cast):
    n_batches = cast.study.batches.count()
    answer = Api(cast.researcher).ask("POST", "api_batches", SLUG, data={"by": "size", "size": 5})
    assert (answer.status_code, error(answer)["code"]) == (409, "nothing_to_deal")
    assert error(answer)["message"].startswith(
        "No batch was made: every dialogue that this protocol asks about is already"
    )
    assert "Import more dialogues, or discard a draft whose dialogues you want to use." in error(answer)["message"]
    assert cast.study.batches.count() == n_batches


def test_a_key_with_slashes_and_letters_of_the_world_finds_its_batch(cast: Cast):
    make_batch(cast.study, position=3, key="a/b ü 你")

    assert Api(cast.observer).get("api_batch", SLUG, "a/b ü 你").json()["key"] == "a/b ü 你"


# --- ratings --------------------------------------------------------------------------------------
def test_ratings_come_under_pseudonyms_with_sources_for_those_who_watch(cast: Cast):
    rate_everything(take_seat(cast.annotator, cast.batch), now=timezone.now())

    rows = Api(cast.observer).get("api_ratings", SLUG).json()["results"]

    assert len(rows) == 24
    assert {row["annotator"] for row in rows} == {cast.annotator.pseudonym}
    assert {row["source"] for row in rows} == {"ground_truth", "model_a", "model_b"}
    assert {row["is_counted"] for row in rows} == {True}
    assert "annotator-1" not in json.dumps(rows)


def test_ratings_are_filtered_by_batch_and_criterion(cast: Cast):
    rate_everything(take_seat(cast.annotator, cast.batch), now=timezone.now())
    api = Api(cast.observer)

    def count(**query):
        return len(api.get("api_ratings", SLUG, **query).json()["results"])

    assert count(criterion="listening") == 6
    assert count(batch=cast.batch.key, criterion="listening") == 6
    assert count(batch="other") == 0


def test_every_rating_comes_once_over_the_pages(cast: Cast):
    rate_everything(take_seat(cast.annotator, cast.batch), now=timezone.now())
    api = Api(cast.observer)
    page = api.get("api_ratings", SLUG, page_size=10).json()
    seen = [row["id"] for row in page["results"]]

    while page["next"]:
        page = Client().get(page["next"], headers=api.headers).json()
        seen += [row["id"] for row in page["results"]]

    assert len(seen) == len(set(seen)) == 24


def test_a_page_of_ratings_takes_the_same_queries_however_many_there_are(cast: Cast, django_assert_max_num_queries):
    for annotator in cast.annotators:
        rate_everything(take_seat(annotator, cast.batch), now=timezone.now())

    with django_assert_max_num_queries(10):
        rows = Api(cast.observer).get("api_ratings", SLUG, page_size=500).json()["results"]
    assert len(rows) == 72


@pytest.mark.parametrize("name", ["api_batches", "api_participants", "api_members", "api_imports"])
def test_a_list_takes_the_same_queries_however_long_it_is(cast: Cast, name, django_assert_max_num_queries):
    for number in range(20):
        make_batch(cast.study, 1, 1, position=number + 1)
        make_annotator(cast.study, f"many-{number}")
        ImportJobFactory(study=cast.study)

    with django_assert_max_num_queries(10):
        assert len(Api(cast.owner).get(name, SLUG).json()["results"]) >= 20
