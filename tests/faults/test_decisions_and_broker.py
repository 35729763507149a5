"""The broker dies while work is finished: all is acknowledged, and each decision is made once the broker is back."""

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.urls import reverse

from annotation.models import Assignment, Heartbeat, Rating
from annotation.tasks import sweep
from parley.embedded import start_valkey
from parley.processes import Child
from parley.supervisor import BEAT
from protocols.specs import spec_of
from qualification.tasks import sweep_signals
from tests.faults.crew import Crew
from tests.faults.decisions import DECISIONS, decided, stored
from tests.faults.processes import Process, free_port, killed_at_the_end, request, session_of, start_web
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Child]:
    """One of this test alone, which remembers nothing."""
    sockets = Path(tempfile.mkdtemp(dir="/tmp"))  # the path of a socket has to be short
    monkeypatch.setenv("REDIS_URL", f"redis+socket://{sockets}/valkey.sock?virtual_host=0")
    child = start_valkey(tmp_path, sockets, durable=False)
    try:
        yield child
    finally:
        child.kill()
        shutil.rmtree(sockets)


def test_work_finished_while_the_broker_is_away_is_kept_and_decided_once_when_it_is_back(broker: Child):
    works = {decision.name: decision.stage() for decision in DECISIONS}
    wanted = {decision.name: decision.decides for decision in DECISIONS}
    port = free_port()
    crew = Crew(1)
    try:
        with killed_at_the_end(Process([sys.executable, *BEAT], 0)), killed_at_the_end(start_web(port)):
            wait_until(Heartbeat.objects.exists, 60, "beat and worker at work")
            broker.kill()
            said = {name: _finish_over_http(port, work) for name, work in works.items()}
            assert said == dict.fromkeys(works, (200, 302))
            before = {name: stored(work.batch.study) for name, work in works.items()}
            broker.start()
            soon = {decision.name: decision.decides for decision in DECISIONS if decision.task != sweep_signals.name}
            wait_until(lambda: soon.items() <= _decisions(works, before).items(), 60, "what beat has swept")
            crew.send(sweep.name, sweep_signals.name)  # beat's own would be waited for too long
        wait_until(lambda: _decisions(works, before) == wanted, 30, "all decisions")
        crew.send(*{decision.task for decision in DECISIONS})
        crew.wait_until_idle()
        assert _decisions(works, before) == wanted
    finally:
        crew.stop()


def _decisions(works: dict[str, Assignment], before: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
    return {name: decided(work.batch.study, before[name]) for name, work in works.items()}


def _finish_over_http(port: int, work: Assignment) -> tuple[int, int]:
    """The last answer is given once more, and the batch submitted. Returns what the server said to both."""
    session = session_of(work.participant.user)
    answered = request(port, "POST", "/api/v1/answers/", _last_answer(work), session)[0]
    return answered, request(port, "POST", reverse("submit", args=[work.token]), session=session)[0]


def _last_answer(work: Assignment) -> dict[str, str]:
    last = Rating.objects.filter(assignment=work).select_related("item", "criterion", "option").latest("pk")
    criterion = spec_of(work.batch.study.protocol_version).by_key[last.criterion.key]
    return {
        "assignment": str(work.token),
        "item": str(last.item.token),
        "criterion": criterion.key,
        "option": next(option.code for option in criterion.options if option.id == last.option_id),
        "client_key": str(uuid4()),
    }
