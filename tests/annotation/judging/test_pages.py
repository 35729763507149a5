"""The pages of judges: off unless configured, an estimate before the start, and no key anywhere."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import JudgeRun
from annotation.services.refusals import Refused
from protocols.services import store_bundle
from tests.annotation.judging.conftest import begin, work
from tests.annotation.judging.test_judge import honest
from tests.comparing import COMPARED
from tests.factories import JudgeRunFactory, MembershipFactory
from tests.stub_endpoint import KEY

pytestmark = pytest.mark.django_db


@pytest.fixture
def maker(client, study):
    client.force_login(MembershipFactory(study=study, role="researcher").user)
    return client


def form(stub, **more):
    return {
        "name": "gpt", "criteria": ["appropriateness"], "endpoint": stub.url, "model": "stub-1", "n_shots": 0,
        "temperature": 0, "requests_per_minute": 600, "price_prompt": "2", "price_answer": "10", "currency": "USD",
    } | more  # fmt: skip


def test_it_is_off_unless_an_endpoint_is_named(maker):
    page = maker.get(reverse("judge_runs", args=["judged"])).content.decode()
    assert "No endpoint is configured" in page
    assert '<form method="post" class="card">' not in page


def test_a_protocol_that_compares_is_told_that_no_judge_can_and_what_to_do(maker, study, endpoint, sent):
    study.protocol_version, _is_new = store_bundle(COMPARED, publish=True, now=timezone.now())
    study.save()
    stub, said = endpoint(honest), "A model judge cannot compare: it is asked about one response, or one dialogue"
    page = maker.get(reverse("judge_runs", args=["judged"])).content.decode()
    assert said in page
    assert "rank the sources from the file of its preferences" in page
    assert '<form method="post" class="card">' not in page
    assert maker.post(reverse("judge_runs", args=["judged"]), form(stub, do="start")).status_code == 422
    with pytest.raises(Refused, match=said):
        begin(study, stub)
    assert not stub.requests


def test_the_estimate_comes_before_the_start_and_asks_nothing(maker, endpoint, sent):
    stub = endpoint(honest)
    page = maker.post(reverse("judge_runs", args=["judged"]), form(stub, do="estimate")).content.decode()
    assert "Estimate" in page
    assert 'value="start"' in page
    assert "USD" in page
    assert not JudgeRun.objects.exists()
    assert not stub.requests


def test_start_queues_a_run_and_shows_it(maker, endpoint, sent):
    stub = endpoint(honest)
    answer = maker.post(reverse("judge_runs", args=["judged"]), form(stub, do="start"), follow=True)
    run = JudgeRun.objects.get()
    assert answer.redirect_chain[0][0] == reverse("judge_run", args=["judged", run.token])
    assert (run.status, run.n_total, run.seed) == ("queued", 6, run.study.seed)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"endpoint": "http://evil.example/v1"}, "is not one of the available choices"),
        ({"n_shots": 3}, "Choose at most 0: some criteria have no more examples"),
        ({"criteria": []}, "required"),
        ({"temperature": -1}, "greater than or equal to 0"),
    ],
)
def test_a_wrong_form_is_explained(maker, endpoint, sent, change, said):
    answer = maker.post(reverse("judge_runs", args=["judged"]), form(endpoint(honest), do="start") | change)
    assert answer.status_code == 422
    assert said in answer.content.decode()


def test_every_prompt_and_answer_can_be_read_and_the_key_cannot(maker, study, endpoint, sent):
    run = work(begin(study, endpoint(honest)))
    page = maker.get(reverse("judge_run", args=["judged", run.token])).content.decode()
    assert "You told me about the exam in June." in page
    assert "{&quot;answer&quot;: &quot;appropriate&quot;}" in page
    assert KEY not in page
    assert (
        "No requests."
        in maker.get(reverse("judge_run", args=["judged", run.token]) + "?status=refused").content.decode()
    )


def test_stop_and_go_on(maker, study, endpoint, sent):
    run = begin(study, endpoint(honest))
    act = reverse("judge_run_act", args=["judged", run.token])
    assert "stops after the current request" in maker.post(act, {"do": "stop"}, follow=True).content.decode()
    assert "This judge is not running" in maker.post(act, {"do": "stop"}, follow=True).content.decode()
    assert "The judge has resumed." in maker.post(act, {"do": "resume"}, follow=True).content.decode()
    run.refresh_from_db()
    assert run.status == "queued"


def test_the_progress_ends_its_polling(maker, study):
    run = JudgeRunFactory(study=study, status="done")
    assert maker.get(reverse("judge_run_status", args=["judged", run.token])).status_code == 286
    JudgeRun.objects.update(status="running")
    assert maker.get(reverse("judge_run_status", args=["judged", run.token])).status_code == 200


def test_a_run_of_another_study_is_not_found(maker):
    other = JudgeRunFactory()
    assert maker.get(reverse("judge_run", args=["judged", other.token])).status_code == 404


def test_without_an_endpoint_the_page_says_in_steps_how_to_name_one(maker):
    page = maker.get(reverse("judge_runs", args=["judged"])).content.decode()
    assert "PARLEY_JUDGE_URL=http://127.0.0.1:11434/v1 ./dev run" in page
    assert "try one item" in page


def test_a_trial_asks_about_one_item_and_waits_until_somebody_has_read_it(maker, study, endpoint, sent):
    stub = endpoint(honest)
    two = form(stub, criteria=["appropriateness", "contextualization"])
    page = maker.post(reverse("judge_runs", args=["judged"]), two | {"do": "estimate"}).content.decode()
    assert not stub.requests
    assert 'value="try"' in page
    maker.post(reverse("judge_runs", args=["judged"]), two | {"do": "try"})
    run = work(JudgeRun.objects.get())
    assert (run.status, run.n_answered, run.n_total) == ("stopped", 2, 12)
    assert len(stub.requests) == 2
    address = reverse("judge_run", args=["judged", run.token])
    page = maker.get(address).content.decode()
    assert "One item is tried: 2 questions are asked, and 10 are left." in page
    assert page.count("<details open>") == 2
    assert '<span class="badge">Tried</span>' in page
    assert "Ask about all items" in page
    cost = (2 * run.tokens_prompt + 10 * run.tokens_answer) / 1e6
    assert f"At this rate, all of them cost about {cost * 6:.2f} USD." in page
    maker.post(reverse("judge_run_act", args=["judged", run.token]), {"do": "resume"})
    run = work(run)
    assert (run.status, run.n_answered) == ("done", 12)
    assert "One item is tried" not in maker.get(address).content.decode()
