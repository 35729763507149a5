"""Every acknowledged answer survives kill -9 of any process, and an answer sent again is one answer."""

import http.client
import threading
from itertools import product
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from annotation.models import AgreementSnapshot, Assignment, Batch, Rating, RatingRevision
from annotation.selectors.cells import measure_batch
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from protocols.specs import spec_of
from tests.cast import make_cast
from tests.factories import make_batch
from tests.faults.processes import free_port, killed_at_the_end, request, session_of, start_web, start_worker, tick
from tests.wait import wait_until
from tests.working import submission

pytestmark = pytest.mark.django_db(transaction=True)
GONE = (OSError, http.client.HTTPException)


class Annotator(threading.Thread):
    """Sends one answer after another as the outbox does: again and again, until it is acknowledged."""

    def __init__(self, assignment: Assignment, port: int) -> None:
        super().__init__(daemon=True)
        self.port = port
        self.session = session_of(assignment.participant.user)
        self.answers = [_body(assignment, criterion, item) for criterion, item in _steps(assignment)]
        self.acknowledged: list[str] = []
        self.statuses: set[int] = set()
        self.stopped = threading.Event()

    def run(self) -> None:
        for body in self.answers:
            while not self._send(body):
                if self.stopped.wait(0.02):
                    return
            self.acknowledged.append(body["client_key"])

    def _send(self, body: dict) -> bool:
        try:
            status, _ = request(self.port, "POST", "/api/v1/answers/", body, self.session)
        except GONE:
            return False
        self.statuses.add(status)
        return status == 200


def _steps(assignment: Assignment):
    criteria = spec_of(assignment.batch.study.protocol_version).criteria
    return product(criteria, assignment.batch.items.order_by("pk"))


def _body(assignment: Assignment, criterion, item) -> dict:
    sent = submission(item.token, criterion.key, criterion.options[hash(item.token) % 2])
    return {
        "assignment": str(assignment.token),
        "item": str(item.token),
        "criterion": criterion.key,
        "option": sent.given.option,
        "free_text": sent.given.free_text,
        "client_key": str(uuid4()),
    }


def _working(n_dialogues: int, port: int) -> tuple[Batch, list[Annotator]]:
    cast = make_cast()
    batch = make_batch(cast.study, n_dialogues, key="long", position=1)
    claims = [claim_seat(annotator, batch, now=timezone.now()) for annotator in cast.annotators]
    return batch, [Annotator(assignment, port) for assignment in claims]


def _stored_keys() -> set[str]:
    return {str(key) for key in RatingRevision.objects.values_list("client_key", flat=True)}


def test_no_acknowledged_answer_is_lost_and_none_doubled_when_the_web_server_is_killed():
    port = free_port()
    _, annotators = _working(8, port)
    n_answers = sum(len(annotator.answers) for annotator in annotators)
    for annotator in annotators:
        annotator.start()
    for share in (0.2, 0.5):
        with killed_at_the_end(start_web(port)) as web:
            wait_until(lambda: sum(len(a.acknowledged) for a in annotators) > share * n_answers, 60, "answers")  # noqa: B023
            web.kill()
            assert {key for annotator in annotators for key in annotator.acknowledged} <= _stored_keys()
    with killed_at_the_end(start_web(port)):
        for annotator in annotators:
            annotator.join(60)
    assert {status for annotator in annotators for status in annotator.statuses} == {200}
    assert {key for annotator in annotators for key in annotator.acknowledged} == _stored_keys()
    assert (Rating.objects.count(), RatingRevision.objects.count()) == (n_answers, n_answers)


def test_figures_catch_up_after_the_worker_is_killed_in_the_middle():
    port = free_port()
    batch, annotators = _working(5, port)
    sweep(now=timezone.now())  # the claims were nudged to this process's broker, not to the worker's
    with killed_at_the_end(start_web(port)), killed_at_the_end(start_worker()) as worker:
        for annotator in annotators:
            annotator.start()
        wait_until(lambda: AgreementSnapshot.objects.filter(batch=batch, n_ratings__gt=10).exists(), 60, "figures")
        worker.kill()
        for annotator in annotators:
            annotator.join(60)
        with killed_at_the_end(start_worker()):
            tick()  # what the dead worker left is found by its version
            wait_until(lambda: _is_up_to_date(batch), 30, "figures as new as the ratings")
    connection.close()
    snapshot = AgreementSnapshot.objects.get(batch=batch)
    fresh = measure_batch(Batch.objects.select_related("study__protocol_version").get(pk=batch.pk))
    assert snapshot.n_ratings == fresh.n_ratings == sum(len(annotator.answers) for annotator in annotators)
    stored = {(cell.criterion_id, cell.source_id): cell.histogram for cell in snapshot.cells.all()}
    assert stored == {key: cell.histogram.to_json() for key, cell in fresh.cells.items()}


def _is_up_to_date(batch: Batch) -> bool:
    version = Batch.objects.values_list("ratings_version", flat=True).get(pk=batch.pk)
    return AgreementSnapshot.objects.filter(batch=batch, version=version).exists()
