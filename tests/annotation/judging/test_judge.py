"""A judge that asks a stub over real HTTP: whatever the endpoint does, nothing is guessed and nothing is lost."""

import json
import logging
import time
from datetime import timedelta
from itertools import pairwise

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from annotation.judges import worker as judge_worker
from annotation.judges.chat import complete
from annotation.judges.runs import needs_of, planned_run, resume_run, start_run, stop_run, tend_judges
from annotation.models import JudgeCall, JudgeRun, Metric, Prediction
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from parley.environment import env_addresses
from tests.annotation.judging.conftest import begin, work
from tests.factories import UserFactory, make_annotator, make_batch
from tests.stub_endpoint import KEY, Said, completion, error, say
from tests.working import rate_everything

pytestmark = pytest.mark.django_db


def right_key(body: dict) -> str:
    """The first answer that the prompt offers."""
    return json.loads(body["messages"][-1]["content"].rsplit("exactly one of: ", 1)[1].split(" | ")[0])["answer"]


def honest(stub, body, number) -> Said:
    return say(right_key(body))


def test_every_item_and_criterion_is_asked_once_and_becomes_a_metric(study, endpoint, sent):
    stub = endpoint(honest)
    run = work(begin(study, stub, price_prompt="2.5", price_answer="10", currency="USD"))
    assert (run.status, run.n_total, run.n_answered, run.n_requests) == ("done", 12, 12, 12)
    assert (run.tokens_prompt, run.tokens_answer) == (12 * 120, 12 * 8)
    assert JudgeCall.objects.count() == len(stub.requests) == 12
    metrics = study.metrics.order_by("pk")
    assert [(each.key, each.kind, each.origin, each.run) for each in metrics] == [
        ("stub-judge:appropriateness", "label", "judge", run), ("stub-judge:contextualization", "label", "judge", run),
    ]  # fmt: skip
    assert set(Prediction.objects.values_list("option__key", flat=True)) == {"appropriate", "contextualized"}
    assert Prediction.objects.count() == 12


def test_the_request_is_that_of_the_wire_format_and_every_prompt_is_kept(study, endpoint, sent):
    stub = endpoint(honest)
    run = work(begin(study, stub, temperature=0.5))
    assert {header["path"] for header in stub.headers} == {"/v1/chat/completions"}
    assert {header["Content-Type"] for header in stub.headers} == {"application/json"}
    assert list(run.calls.order_by("pk").values_list("prompt", flat=True)) == stub.requests
    body = stub.requests[0]
    assert (body["model"], body["temperature"], body["seed"]) == ("stub-1", 0.5, study.seed)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]


def test_the_prompt_holds_protocol_and_item_and_nothing_that_people_or_sources_said(exemplified, endpoint, sent):
    study = exemplified
    annotator = make_annotator(study, "secret-annotator")
    rate_everything(claim_seat(annotator, study.batches.get(), now=timezone.now()), now=timezone.now(), option=2)
    stub = endpoint(honest)
    work(begin(study, stub, n_shots=2))
    said = json.dumps(stub.requests)
    first = stub.requests[0]["messages"][-1]["content"]
    for wanted in ("You told me about the exam", "Is the response a fitting thing", "It makes sense as the next turn."):
        assert wanted in first
    assert "Read the dialogue, then judge" in stub.requests[0]["messages"][0]["content"]
    hidden = (
        "I really cannot say",
        "secret-annotator",
        "model_a",
        "Model A",
        "Ground truth",
        "Coherence",
        "candidate-",
    )
    assert not [word for word in hidden if word in said]


def test_examples_are_shots_of_their_criterion_and_the_same_for_every_item(exemplified, endpoint, sent):
    study = exemplified
    stub = endpoint(honest)
    work(begin(study, stub, n_shots=2))
    for body in stub.requests:
        assert [message["role"] for message in body["messages"]] == ["system", *["user", "assistant"] * 2, "user"]
    shots = {json.dumps(body["messages"][1:-1]) for body in stub.requests}
    assert len(shots) == 2  # one set for each criterion
    assert all("Example response" in each and "1. I keep bees." in each for each in shots)


def test_what_the_model_does_not_answer_is_counted_and_never_guessed(study, endpoint, sent):
    replies = [
        Said(completion(None, refusal="I cannot help with that.")),
        Said(completion("", finish_reason="content_filter")),
        Said(completion("I think it is somewhere between appropriate and not appropriate.")),
        Said(completion("maybe")),
        Said(completion('{"answer": "wonderful"}')),
    ]
    stub = endpoint(lambda stub, body, number: replies[number - 1] if number <= 5 else honest(stub, body, number))
    run = work(begin(study, stub))
    assert (run.status, run.n_refused, run.n_malformed, run.n_answered) == ("done", 2, 1, 9)
    assert run.n_requests == 14
    assert Prediction.objects.count() == 9
    last = run.calls.filter(status="malformed", is_last=True).get()
    assert (last.attempt, last.answer, last.option) == (3, '{"answer": "wonderful"}', None)
    assert len({body["seed"] for body in stub.requests[2:5]}) == 3


@pytest.mark.parametrize(
    "trouble",
    [
        Said(error("Rate limit reached", "requests"), 429, {"Retry-After": "0"}),
        Said(error("overloaded"), 500),
        Said(b"<html>Bad gateway</html>", 502),
        Said(error("try later"), 503),
        Said(b"not json at all"),
        Said({"choices": []}),
        Said({"choices": [{"message": None}]}),
        Said(["a", "list"]),
        Said(completion("x" * 500), cut=True),
        Said(b"[" * 50_000),
    ],
    ids=lambda said: f"{said.status}-{str(said.body)[:20]}",
)
def test_trouble_is_kept_and_asked_again(study, endpoint, sent, trouble):
    stub = endpoint(lambda stub, body, number: trouble if number in (2, 3) else honest(stub, body, number))
    run = work(begin(study, stub), sent)
    assert (run.status, run.n_answered, run.n_requests) == ("done", 12, 14)
    assert run.calls.filter(status="failed", is_last=False).count() == 2
    assert stub.requests[1] == stub.requests[2] == stub.requests[3]


def test_a_slow_answer_is_given_up_and_asked_again(study, endpoint, sent, settings):
    settings.JUDGE_TIMEOUT_SECONDS = 0.4
    slow = {2: Said(completion("late"), delay=1.5), 4: Said(completion("drip " * 50), drip=0.15)}
    stub = endpoint(lambda stub, body, number: slow.get(number) or honest(stub, body, number))
    run = work(begin(study, stub), sent)
    failed = run.calls.filter(status="failed")
    assert (run.status, run.n_answered) == ("done", 12)
    assert {(call.http_status, call.note) for call in failed} == {(None, "no answer in time")}
    assert failed.count() == 2


def test_the_endpoint_says_when_to_come_back(study, endpoint, sent):
    stub = endpoint(lambda *_: Said(error("slow down"), 429, {"Retry-After": "120"}))
    run = begin(study, stub)
    judge_worker.run_judge(run.pk, now=timezone.now())
    run.refresh_from_db()
    assert run.status == "running"
    assert len(stub.requests) == 1
    assert [(pk, 110 < wait <= 120) for pk, wait in sent] == [(run.pk, True)]


def test_waits_grow_and_end(study, endpoint, sent):
    stub = endpoint(lambda *_: Said(error("down"), 503))
    run = begin(study, stub)
    waits: list[float] = []
    run = work(run, sent, sleep=waits.append)
    assert (run.status, run.error, len(stub.requests)) == ("failed", judge_worker.NO_ANSWER, 6)
    assert all(4 < wait < 20 for _, wait in sent if wait > 5)
    assert not Metric.objects.exists()


@pytest.mark.parametrize(("status", "said"), [(401, "key"), (403, "key"), (404, "address"), (302, "elsewhere")])
def test_what_will_never_work_ends_the_run_at_once(study, endpoint, sent, status, said):
    stub = endpoint(lambda *_: Said(error("no"), status, {"Location": "http://127.0.0.1:1/steal"}))
    run = work(begin(study, stub), sent)
    assert (run.status, len(stub.requests)) == ("failed", 1)
    assert said in run.error


def test_one_prompt_that_is_not_taken_is_left_out_and_many_end_the_run(study, endpoint, sent):
    too_long = Said(error("This model's maximum context length is 10 tokens", "invalid_request_error"), 400)
    stub = endpoint(lambda stub, body, number: too_long if number == 2 else honest(stub, body, number))
    run = work(begin(study, stub))
    assert (run.status, run.n_rejected, run.n_answered) == ("done", 1, 11)
    assert "maximum context length" in run.calls.get(status="rejected").answer

    stub = endpoint(lambda *_: too_long)
    other = work(begin(study, stub, name="other"))
    assert (other.status, len(stub.requests), other.error) == ("failed", 5, judge_worker.ALL_REJECTED)


def test_the_key_is_nowhere_but_in_its_header(study, endpoint, sent, settings, caplog):
    caplog.set_level(logging.DEBUG)
    echo = Said(error(f"your key {KEY} is rate limited"), 500)
    stub = endpoint(lambda stub, body, number: echo if number == 1 else honest(stub, body, number))
    work(begin(study, stub), sent)
    settings.JUDGE_API_KEY = KEY + "wrong"
    work(begin(study, stub, name="wrong"), sent)
    settings.JUDGE_API_KEY = KEY + "\nX: y"
    work(begin(study, stub, name="broken"), sent)
    assert stub.headers[0]["Authorization"] == f"Bearer {KEY}"
    with connection.cursor() as cursor:
        for table in ("judgerun", "judgecall", "metric"):
            cursor.execute(f"SELECT string_agg(t::text, ' ') FROM annotation_{table} t")
            assert "sk-stub" not in (cursor.fetchone()[0] or "")
    assert "sk-stub" not in caplog.text
    assert "[key]" in JudgeCall.objects.filter(status="failed").first().answer


def test_without_a_key_none_is_sent(endpoint, settings):
    stub = endpoint(honest)
    reply = complete(stub.url + "/chat/completions", "", {"messages": []}, timeout=5)
    assert (reply.http_status, "Authorization" in stub.headers[0]) == (401, False)


def test_nobody_there_is_a_failure_and_not_an_error(study, endpoint, sent, settings):
    run = begin(study, endpoint(honest))
    settings.JUDGE_ENDPOINTS = ["http://127.0.0.1:9/v1"]
    JudgeRun.objects.update(endpoint="http://127.0.0.1:9/v1")
    run = work(run, sent)
    assert (run.status, run.n_requests) == ("failed", 6)
    assert "ConnectionRefused" in run.calls.first().note


# --- rate, slices, stopping, dying ---------------------------------------------------------------
def test_requests_keep_their_distance(study, endpoint, sent):
    stub = endpoint(honest)
    run = work(begin(study, stub, requests_per_minute=600, criteria=["appropriateness"]), sent, sleep=time.sleep)
    times = list(run.calls.order_by("pk").values_list("sent_at", flat=True))
    gaps = [(after - before).total_seconds() for before, after in pairwise(times)]
    assert len(gaps) == 5
    assert min(gaps) >= 0.0999  # a tenth of a second but for microseconds


def test_a_delivery_works_for_a_while_and_sends_itself_again(study, endpoint, sent):
    stub = endpoint(honest)
    run = begin(study, stub)
    judge_worker.run_judge(run.pk, now=timezone.now(), seconds=0)
    run.refresh_from_db()
    assert (run.status, len(stub.requests), sent) == ("running", 0, [(run.pk, 0.0)])
    assert work(run, sent).status == "done"


def test_a_stopped_judge_asks_nothing_more_and_goes_on_where_it_was(study, endpoint, sent):
    stub = endpoint(honest)
    run = begin(study, stub)
    count = 0

    def stop_at_five(seconds: float) -> None:
        nonlocal count
        count += 1
        if count == 5:
            stop_run(run)

    run = work(run, sent, sleep=stop_at_five)
    assert (run.status, run.n_answered, len(stub.requests)) == ("stopped", 4, 4)
    assert not Metric.objects.exists()
    with pytest.raises(Refused):
        stop_run(run)
    resume_run(run, now=timezone.now())
    run = work(run, sent)
    assert (run.status, run.n_answered, len(stub.requests)) == ("done", 12, 12)
    with pytest.raises(Refused):
        resume_run(run, now=timezone.now())


def test_a_judge_whose_worker_died_goes_on_and_asks_nothing_twice(study, endpoint, sent):
    class Killed(BaseException):
        pass

    stub = endpoint(honest)
    run = begin(study, stub)
    count = 0

    def die(seconds: float) -> None:
        nonlocal count
        count += 1
        if count == 8:
            raise Killed

    with pytest.raises(Killed):
        work(run, sleep=die)
    run.refresh_from_db()
    assert (run.status, run.n_answered) == ("running", 7)
    assert tend_judges(now=timezone.now()) == 0
    assert tend_judges(now=timezone.now() + timedelta(minutes=3)) == 1
    assert sent == [(run.pk, 0)]
    run = work(run)
    assert (run.status, run.n_answered, len(stub.requests)) == ("done", 12, 12)
    questions = list(run.calls.values_list("candidate", "criterion"))
    assert len(set(questions)) == 12


def test_a_failed_judge_can_go_on_when_the_endpoint_is_back(study, endpoint, sent):
    stub = endpoint(
        lambda stub, body, number: Said(error("down"), 503) if 3 < number < 10 else honest(stub, body, number)
    )
    run = work(begin(study, stub), sent)
    assert (run.status, run.n_answered) == ("failed", 3)
    resume_run(run, now=timezone.now())
    run = work(run, sent)
    assert (run.status, run.n_answered, run.error) == ("done", 12, "")


def test_calls_cannot_be_changed_or_deleted(study, endpoint, sent):
    run = work(begin(study, endpoint(honest)))
    for change in (lambda: run.calls.update(answer="x"), lambda: run.calls.all().delete()):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()


# --- before -----------------------------------------------------------------------------------------
def values(stub, **more):
    return {"name": "n", "criteria": ["appropriateness"], "endpoint": stub.url, "model": "m",
            "requests_per_minute": 60} | more  # fmt: skip


def test_the_estimate_is_near_what_is_sent(study, endpoint, sent):
    stub = endpoint(honest)
    plan = planned_run(study, UserFactory(), values(stub, price_prompt=2, price_answer=10), now=timezone.now())
    needs = needs_of(plan)
    assert (needs.n_targets, needs.n_calls, needs.minutes) == (6, 6, 1)
    work(begin(study, stub, criteria=["appropriateness"]), sent)
    letters = sum(len(message["content"]) for body in stub.requests for message in body["messages"])
    assert needs.tokens_prompt == pytest.approx(letters / 4, rel=0.02)
    assert float(needs.cost) == pytest.approx((2 * needs.tokens_prompt + 10 * needs.tokens_answer) / 1e6)
    assert not JudgeRun.objects.filter(name="n").exists()


def test_a_part_is_drawn_with_the_seed_and_stays_when_material_is_added(study, endpoint, sent):
    stub = endpoint(honest)
    run = work(begin(study, stub, criteria=["appropriateness"], most_targets=3), sent)
    assert run.n_answered == 3
    first = set(run.calls.values_list("candidate", flat=True))
    again = work(begin(study, stub, name="again", criteria=["appropriateness"], most_targets=3), sent)
    assert set(again.calls.values_list("candidate", flat=True)) == first


def test_what_cannot_be_run_is_refused(study, endpoint, sent, settings):
    stub, user, now = endpoint(honest), UserFactory(), timezone.now()

    def code(**more) -> str:
        with pytest.raises(Refused) as refused:
            start_run(study, user, values(stub, **more), now=now)
        return refused.value.code

    assert code(endpoint="http://evil.example/v1") == "endpoint"
    assert code(criteria=[]) == "criteria"
    assert code(criteria=["beauty"]) == "criteria"
    start_run(study, user, values(stub), now=now)
    assert code(name="other") == "busy"
    JudgeRun.objects.update(status="done")
    assert code() == "name"
    settings.JUDGE_ENDPOINTS = []
    assert code(name="third") == "off"
    assert not stub.requests


def test_pilots_and_items_without_a_text_are_not_judged(study, endpoint, sent):
    make_batch(study, 1, 2, kind="pilot", position=1)
    textless = study.dialogues.first()
    textless.is_textless = True
    textless.save()
    run = begin(study, endpoint(honest), criteria=["appropriateness"])
    assert run.n_total == 4


@pytest.mark.parametrize("address", ["https://me:secret@h/v1", "ftp://h/v1", "https://h:port/v1", "h", "https:///v1"])
def test_a_malformed_address_stops_the_start_and_is_not_repeated(monkeypatch, address):
    monkeypatch.setenv("PARLEY_JUDGE_URL", address)
    with pytest.raises(ImproperlyConfigured, match="PARLEY_JUDGE_URL") as refused:
        env_addresses("PARLEY_JUDGE_URL")
    assert "secret" not in str(refused.value)


def test_judges_work_on_the_long_queue(settings):
    assert settings.CELERY_TASK_ROUTES["annotation.tasks.run_judge"] == {"queue": "long"}
    assert settings.JUDGE_ENDPOINTS == []
