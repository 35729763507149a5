"""Run a judge: one request after another, never two at once. Each reply is stored as soon as it arrives.

A task works for a minute and then queues itself again, so that imports get their turn on the long queue. If a worker
dies, another takes over and does not repeat questions that had their last call. No transaction is open during requests.
"""

import itertools
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_noop

from annotation.importing.shapes import free_key
from annotation.judges.chat import Reply, address_of, complete
from annotation.judges.prompts import Prompter, Target, parse_answer
from annotation.judges.runs import LOCK_SPACE, UNDER_WAY, send, target_ids, targets_of
from annotation.models import JudgeCall, JudgeRun, Metric, Prediction
from parley.advisory import locked
from protocols.specs import CriterionSpec, OptionSpec

SLICE = 60.0  # seconds that one task works
LONGEST_WAIT = 5.0  # a longer wait is spent in the queue, not in the worker
LONGEST_DELAY = 900.0
MOST_FAILURES = 6
MOST_MALFORMED = 3
MOST_REJECTED_AT_FIRST = 5
TARGETS_AT_ONCE = 200
LOST_HOPE = {
    401: gettext_noop("The endpoint rejects the key."),
    403: gettext_noop("The endpoint rejects the key."),
    404: gettext_noop("The endpoint does not know the address or the model."),
    405: gettext_noop("The endpoint does not know the address or the model."),
}
NO_ANSWER = gettext_noop("The endpoint has stopped responding.")
ALL_REJECTED = gettext_noop("The endpoint rejects the requests.")
MOVED = gettext_noop(
    "The endpoint redirects elsewhere. The redirect is not followed, because it would pass on the key."
)
Status = JudgeCall.Status
Run = JudgeRun.Status


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """The meaning of a reply for its question and for the run. An `error` ends the run."""

    status: str
    is_last: bool
    option: OptionSpec | None = None
    note: str = ""
    delay: float = 0.0
    error: str = ""


@dataclass(slots=True)
class JudgeQuestion:
    """A target and a criterion, with counts of its calls; `n_failed` since the run was started or resumed."""

    target: int
    criterion: int
    n_calls: int = 0
    n_failed: int = 0
    n_malformed: int = 0


def judge_reply(reply: Reply, criterion: CriterionSpec, question: JudgeQuestion) -> JudgeReply:
    if reply.is_refusal:
        return JudgeReply(Status.REFUSED, is_last=True, note="refused")
    if reply.is_completion:
        option = parse_answer(reply.text, criterion)
        if option:
            return JudgeReply(Status.ANSWERED, is_last=True, option=option)
        return JudgeReply(Status.MALFORMED, is_last=question.n_malformed + 1 >= MOST_MALFORMED, note="names no answer")
    code = reply.http_status
    if code is not None and 400 <= code < 500 and code not in (408, 409, 425, 429, *LOST_HOPE):
        return JudgeReply(Status.REJECTED, is_last=True, note=f"HTTP {code}")
    # It is asked again: later each time, or when the endpoint says; with an error if it is hopeless.
    note = "is no completion" if code == 200 else f"HTTP {code}" if code else reply.text[:300]
    error = LOST_HOPE.get(code or 0, MOVED if code and 300 <= code < 400 else "")
    asked = reply.retry_after if reply.retry_after is not None else float(2**question.n_failed)
    if not error and (question.n_failed + 1 >= MOST_FAILURES or asked > LONGEST_DELAY):
        error = NO_ANSWER
    return JudgeReply(Status.FAILED, is_last=False, note=note, delay=asked, error=error)


def run_judge(
    run_id: int, *, now: datetime, seconds: float = SLICE, sleep: Callable[[float], None] = time.sleep
) -> None:
    """Work for a while, unless another worker is at it or the run is over."""
    with locked(LOCK_SPACE, run_id) as is_mine:
        started = is_mine and JudgeRun.objects.filter(pk=run_id, status__in=UNDER_WAY).update(
            status=Run.RUNNING, beaten_at=now
        )
        if not started:
            return
        run = JudgeRun.objects.select_related("study", "protocol_version__protocol").get(pk=run_id)
        wait = Worker(run, now, seconds, sleep).work()
    if wait is not None:
        send(run_id, wait)


@dataclass
class Worker:
    run: JudgeRun
    now: datetime
    seconds: float
    sleep: Callable[[float], None]
    began: float = field(default_factory=time.monotonic)
    due: float = 0.0  # on the monotonic clock; no request is sent before it

    def clock(self) -> datetime:
        return self.now + timedelta(seconds=time.monotonic() - self.began)

    def work(self) -> float | None:
        """Ask open questions for a while. Return the seconds until the next one is due, or None if the run is over."""
        if not settings.JUDGE_ENDPOINTS or self.run.endpoint not in settings.JUDGE_ENDPOINTS:
            self._fail(gettext_noop("This endpoint is not allowed here."))
            return None
        questions = self._open_questions()
        prompter = Prompter(self.run)
        # A new task keeps its distance from the last request of the task before.
        last = self.run.calls.order_by("-pk").values_list("sent_at", flat=True).first()
        rest = self._interval - (self.now - last).total_seconds() if last else 0.0
        self.due = self.began + max(0.0, rest)
        texts: dict[int, Target] = {}
        while questions:
            wait = self.due - time.monotonic()
            if wait > LONGEST_WAIT or time.monotonic() - self.began > self.seconds:
                return max(0.0, wait)
            self.sleep(max(0.0, wait))
            mine = JudgeRun.objects.filter(pk=self.run.pk, status=Run.RUNNING)
            if not mine.update(beaten_at=self.clock()):
                return None
            if questions[0].target not in texts:
                following = itertools.islice(questions, TARGETS_AT_ONCE)
                ids = dict.fromkeys(abs(question.target) for question in following)
                texts = {target.key: target for target in targets_of(self.run, ids)}
            judged = self._ask(prompter, texts[questions[0].target], questions[0])
            if judged.error:
                self._fail(judged.error)
                return None
            if judged.is_last:
                tried = questions.popleft().target
                if self.run.is_trial and questions and questions[0].target != tried:
                    mine.update(status=Run.STOPPED)
                    return None
        finish(self.run, now=self.clock())
        return None

    @property
    def _interval(self) -> float:
        return 60 / self.run.requests_per_minute

    def _open_questions(self) -> deque[JudgeQuestion]:
        """Return the questions without a last call, in the order of targets, with the counts of their earlier calls."""
        sign = 1 if self.run.protocol_version.unit == "response" else -1
        rows = self.run.calls.order_by().values_list("criterion", Coalesce("candidate", -F("dialogue")))
        done = set(rows.filter(is_last=True))
        counts = rows.annotate(
            n=Count("pk"),
            failed=Count("pk", filter=Q(status=Status.FAILED, sent_at__gte=self.run.started_at)),
            malformed=Count("pk", filter=Q(status=Status.MALFORMED)),
        )
        tried = {(criterion, key): rest for criterion, key, *rest in counts.filter(is_last=False)}
        ids = target_ids(self.run)
        JudgeRun.objects.filter(pk=self.run.pk).update(n_total=len(ids) * len(self.run.criteria))
        return deque(
            JudgeQuestion(sign * pk, criterion, *tried.get((criterion, sign * pk), ()))
            for pk in ids
            for criterion in self.run.criteria
            if (criterion, sign * pk) not in done
        )

    def _ask(self, prompter: Prompter, target: Target, question: JudgeQuestion) -> JudgeReply:
        body = prompter.body(target, question.criterion)
        body["seed"] += question.n_malformed  # the same question with the same seed has the same answer
        sent_at = self.clock()
        self.due = time.monotonic() + self._interval
        reply = complete(
            address_of(self.run.endpoint), settings.JUDGE_API_KEY, body, timeout=settings.JUDGE_TIMEOUT_SECONDS
        )
        judged = judge_reply(reply, prompter.criterion(question.criterion), question)
        self.due = max(self.due, time.monotonic() + judged.delay)
        question.n_calls += 1
        question.n_failed += judged.status == Status.FAILED
        question.n_malformed += judged.status == Status.MALFORMED
        _keep(self.run, target, question, body, reply, judged, sent_at)
        if judged.status == Status.REJECTED:
            # One rejection is no reason to end the run: a prompt may be too long. If the first ones all are, it ends.
            self.run.refresh_from_db(fields=["n_rejected", "n_answered"])
            if not self.run.n_answered and self.run.n_rejected >= MOST_REJECTED_AT_FIRST:
                return JudgeReply(judged.status, is_last=True, error=ALL_REJECTED)
        return judged

    def _fail(self, error: str) -> None:
        JudgeRun.objects.filter(pk=self.run.pk, status=Run.RUNNING).update(
            status=Run.FAILED, error=error, finished_at=self.clock()
        )


COUNTERS = {
    Status.ANSWERED: "n_answered",
    Status.REFUSED: "n_refused",
    Status.MALFORMED: "n_malformed",
    Status.REJECTED: "n_rejected",
}


@transaction.atomic
def _keep(
    run: JudgeRun,
    target: Target,
    question: JudgeQuestion,
    body: dict,
    reply: Reply,
    judged: JudgeReply,
    sent_at: datetime,
) -> None:
    JudgeCall.objects.create(
        run=run,
        candidate_id=target.candidate_id,
        dialogue_id=target.dialogue_id,
        criterion_id=question.criterion,
        attempt=question.n_calls,
        prompt=body,
        http_status=reply.http_status,
        answer=reply.text,
        option_id=judged.option.id if judged.option else None,
        status=judged.status,
        note=judged.note,
        is_last=judged.is_last,
        tokens_prompt=reply.tokens_prompt,
        tokens_answer=reply.tokens_answer,
        latency_ms=reply.latency_ms,
        sent_at=sent_at,
    )
    counts = {COUNTERS[Status(judged.status)]: 1} if judged.is_last else {}
    counts |= {"n_requests": 1, "tokens_prompt": reply.tokens_prompt, "tokens_answer": reply.tokens_answer}
    JudgeRun.objects.filter(pk=run.pk).update(**{name: F(name) + n for name, n in counts.items()})


@transaction.atomic
def finish(run: JudgeRun, *, now: datetime) -> None:
    """Store the labels of each criterion as a metric. Refused or malformed replies give no prediction."""
    mine = JudgeRun.objects.select_for_update().filter(pk=run.pk, status=Run.RUNNING)
    if not mine.exists():
        return
    taken = set(run.study.metrics.filter(is_active=True).values_list("key", flat=True))
    keys = run.protocol_version.criteria.in_bulk(run.criteria)
    for criterion in run.criteria:
        calls = run.calls.filter(criterion=criterion, is_last=True, status=Status.ANSWERED).order_by("pk")
        name = run.name if len(run.criteria) == 1 else f"{run.name}:{keys[criterion].key}"[:90]
        key = free_key(name, taken, itertools.count(1))
        taken.add(key)
        metric = Metric.objects.create(
            study=run.study,
            key=key,
            name=key,
            criterion_id=criterion,
            kind=Metric.Kind.LABEL,
            origin=Metric.Origin.JUDGE,
            run=run,
            note=f"{run.model}, {run.n_shots} examples, temperature {run.temperature:g}, seed {run.seed}",
            created_by_id=run.user_id,
            created_at=now,
        )
        rows = calls.values_list("candidate", "dialogue", "option")
        Prediction.objects.bulk_create(
            (
                Prediction(metric=metric, candidate_id=candidate, dialogue_id=dialogue, option_id=option)
                for candidate, dialogue, option in rows.iterator(chunk_size=2000)
            ),
            batch_size=2000,
        )
    mine.update(status=Run.DONE, finished_at=now)
