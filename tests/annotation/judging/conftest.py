import contextlib
from collections.abc import Callable, Iterator

import pytest
from django.utils import timezone

from annotation.judges import worker as judge_worker
from annotation.judges.runs import start_run
from annotation.models import JudgeRun, Study
from tests import factories_protocols as protocols
from tests.factories import StudyFactory, UserFactory, make_batch
from tests.factories_protocols import make_he_version
from tests.stub_endpoint import KEY, Answer, StubEndpoint, stub_endpoint


@pytest.fixture
def study(db: None) -> Study:
    """3 dialogues x 2 sources, two criteria: 12 questions."""
    study = StudyFactory(slug="judged", protocol_version=make_he_version(2))
    make_batch(study, 3, 2)
    return study


@pytest.fixture
def endpoint(settings) -> Iterator[Callable[[Answer], StubEndpoint]]:
    """Opens a stub that is the configured endpoint of the test."""
    settings.JUDGE_API_KEY, settings.JUDGE_TIMEOUT_SECONDS = KEY, 5
    with contextlib.ExitStack() as stack:

        def open_stub(answer: Answer) -> StubEndpoint:
            stub = stack.enter_context(stub_endpoint(answer))
            settings.JUDGE_ENDPOINTS = [stub.url]
            return stub

        yield open_stub


@pytest.fixture
def sent(monkeypatch) -> list[tuple[int, float]]:
    """What went to the queue, which no worker reads here."""
    found: list[tuple[int, float]] = []
    for module in ("runs", "worker"):
        monkeypatch.setattr(f"annotation.judges.{module}.send", lambda pk, wait=0: found.append((pk, wait)))
    return found


def begin(study: Study, stub: StubEndpoint, **values: object) -> JudgeRun:
    given = {
        "name": "stub-judge", "criteria": ["appropriateness", "contextualization"], "endpoint": stub.url,
        "model": "stub-1", "requests_per_minute": 60_000,
    } | values  # fmt: skip
    return start_run(study, UserFactory(), given, now=timezone.now())


def work(run: JudgeRun, sent: list[tuple[int, float]] | None = None, **how: object) -> JudgeRun:
    """Until nothing is sent again; waits are passed over."""
    for _ in range(100):
        before = len(sent) if sent is not None else 0
        judge_worker.run_judge(run.pk, now=timezone.now(), **{"sleep": lambda seconds: None} | how)
        if sent is None or len(sent) == before:
            break
    run.refresh_from_db()
    return run


@pytest.fixture
def exemplified(db: None, monkeypatch) -> Study:
    """The same, with three worked examples of each criterion."""
    with monkeypatch.context() as patch:
        patch.setattr(protocols, "publish", lambda version: version)
        version = protocols.make_he_version(2)
    for criterion in version.criteria.all():
        keys = [option.key for option in criterion.options.all()]
        for at in range(3):
            candidate = {"text": f"Example response {at} of {criterion.key}", "option": keys[at % 2], "why": "because"}
            protocols.ExampleFactory(criterion=criterion, position=at, facts=["I keep bees."], candidates=[candidate])
    study = StudyFactory(slug="judged", protocol_version=protocols.publish(version))
    make_batch(study, 3, 2)
    return study
