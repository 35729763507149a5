"""A judge killed with -9 in the middle of a request: what was answered stays, and is not asked again."""

import sys

import pytest

from annotation.judges.runs import LOCK_SPACE
from annotation.models import JudgeCall, JudgeRun, Prediction
from parley.advisory import is_locked
from tests.annotation.judging.conftest import begin, work
from tests.annotation.judging.test_judge import honest
from tests.factories import StudyFactory, make_batch
from tests.factories_protocols import make_he_version
from tests.faults.processes import Process, killed_at_the_end
from tests.stub_endpoint import KEY, Said, completion, stub_endpoint
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
CODE = (
    "from django.utils import timezone; from annotation.judges.worker import run_judge; "
    "run_judge({pk}, now=timezone.now())"
)


def test_a_killed_judge_is_taken_over(settings, monkeypatch):
    study = StudyFactory(protocol_version=make_he_version(2))
    make_batch(study, 3, 2)
    hanging = Said(completion("never read"), delay=30)
    with stub_endpoint(lambda stub, body, n: hanging if n == 6 else honest(stub, body, n)) as stub:
        settings.JUDGE_ENDPOINTS, settings.JUDGE_API_KEY = [stub.url], KEY
        monkeypatch.setenv("PARLEY_JUDGE_URL", stub.url)
        monkeypatch.setenv("PARLEY_JUDGE_API_KEY", KEY)
        monkeypatch.setattr("annotation.judges.runs.send", lambda *_: None)
        run = begin(study, stub)
        process = Process([sys.executable, "manage.py", "shell", "-c", CODE.format(pk=run.pk)], 0)
        with killed_at_the_end(process):
            wait_until(lambda: len(stub.requests) == 6, 60, "the sixth request")
            process.kill()
        assert JudgeRun.objects.get().status == "running"
        assert JudgeCall.objects.count() == 5
        wait_until(lambda: _is_free(run), 10, "the lock of the killed process")
        run = work(run)
        assert (run.status, run.n_answered, len(stub.requests)) == ("done", 12, 13)
    assert Prediction.objects.count() == 12


def _is_free(run: JudgeRun) -> bool:
    return not is_locked(LOCK_SPACE, run.pk)
