"""Answers given at the same moment: none lost, none doubled, versions without gaps."""

from functools import partial
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import Batch, Rating, RatingRevision
from annotation.selectors.cells import measure_batch
from annotation.services.agreement import refresh_batch, sweep
from annotation.services.claiming import claim_seat
from annotation.services.rating import Acknowledgement, Submission
from protocols.answers import Given
from tests.cast import make_cast
from tests.races.threads import run_together
from tests.working import record

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()


def answer(item, option="1", client_key=None):
    return Submission(item.token, "listening", Given(option), client_key or uuid4())


def test_the_same_answer_sent_by_twenty_requests_is_one_answer():
    cast = make_cast()
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    same = answer(cast.batch.items.all()[0])
    results = run_together([partial(record, assignment, same, now=NOW)] * 20)
    assert all(isinstance(result, Acknowledgement) for result in results)
    assert sorted(result.is_repeat for result in results) == [False] + [True] * 19
    assert (Rating.objects.count(), RatingRevision.objects.count()) == (1, 1)


def test_different_answers_to_one_question_at_once_are_all_kept_as_revisions():
    cast = make_cast()
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    item = cast.batch.items.all()[0]
    results = run_together([partial(record, assignment, answer(item, str(n % 3 + 1)), now=NOW) for n in range(20)])
    assert sorted(result.revision for result in results) == list(range(1, 21))
    assert sorted(RatingRevision.objects.values_list("number", flat=True)) == list(range(1, 21))
    assert Rating.objects.get().revision == 20


def test_a_whole_batch_rated_by_everybody_at_once_ends_with_the_figures_of_its_ratings():
    cast = make_cast()
    assignments = [claim_seat(annotator, cast.batch, now=NOW) for annotator in cast.annotators]
    items = list(cast.batch.items.all())
    saves = [
        partial(record, assignment, answer(item, str((n + at) % 3 + 1)), now=NOW)
        for n, assignment in enumerate(assignments)
        for at, item in enumerate(items)
    ]
    refreshes = [partial(refresh_batch, cast.batch.pk, now=NOW)] * 4
    results = run_together([*saves, *refreshes])
    assert not [result for result in results if isinstance(result, Exception)]
    sweep(now=NOW)
    batch = Batch.objects.select_related("snapshot", "study__protocol_version").get(pk=cast.batch.pk)
    assert batch.ratings_version == batch.snapshot.version == 3 + len(saves)
    stored = {(cell.criterion_id, cell.source_id): cell.histogram for cell in batch.snapshot.cells.all()}
    fresh = {key: cell.histogram.to_json() for key, cell in measure_batch(batch).cells.items()}
    assert stored == fresh
