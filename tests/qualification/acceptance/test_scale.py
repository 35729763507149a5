"""DiQAD in small: ten batches of 200, returned until they pass. The whole of it is `bench acceptance`."""

from collections import Counter

import numpy as np
import pytest

from annotation.models import Batch, Rating
from annotation.selectors.cells import measure_batch
from qualification.acceptance.selectors.batches import rework_hours, rounds_of
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import Sample
from tests.clock import NOW
from tests.qualification.acceptance.conftest import AcceptanceStudy
from tests.qualification.acceptance.factories import items_of, make_dialogue_batch, rate_batch, review_items

N_BATCHES, N_ITEMS, N_SEATS, MOST_ROUNDS = 10, 200, 2, 6
MIX = (0.196, 0.363, 0.441)
SECONDS = 30


def labels_of(truth: list[str], accuracy: float, rng: np.random.Generator) -> list[str]:
    wrong = rng.random(len(truth)) >= accuracy
    return [str((int(key) + 1) % 3) if bad else key for key, bad in zip(truth, wrong, strict=True)]


def decision_by_hand(pairs: list[tuple[str, str]], sizes: Counter, n_top_up: int) -> str:
    """The rule in whole numbers: of (label, the controller's answer), with classes weighted when one was topped up."""
    n, right = Counter(label for label, _ in pairs), Counter(label for label, said in pairs if label == said)
    if n_top_up:
        share = sum(sizes[key] * right[key] / n[key] for key in n) / sum(sizes.values())
        is_reached = share >= 0.92 - 1e-12
    else:
        is_reached = 100 * sum(right.values()) >= 92 * len(pairs)
    passes = [10 * right[key] >= 9 * n[key] for key in n if n[key] >= 10]
    return "not_assessable" if not passes else "accept" if is_reached and all(passes) else "return"


@pytest.fixture
def batches(acceptance: AcceptanceStudy) -> dict[int, list[str]]:
    """{batch: what its items truly are}"""
    rng = np.random.default_rng(11)
    made = [make_dialogue_batch(acceptance.cast.study, f"b{at}", N_ITEMS, n_seats=N_SEATS) for at in range(N_BATCHES)]
    return {batch.pk: rng.choice(list("012"), N_ITEMS, p=MIX).tolist() for batch in made}


def test_ten_batches_go_round_until_they_pass(acceptance: AcceptanceStudy, batches: dict[int, list[str]]):
    rng, n_rated, labels = np.random.default_rng(12), Counter[int](), {}
    people = acceptance.cast.annotators[:N_SEATS]
    for number in range(1, MOST_ROUNDS + 1):
        open_ = list(Batch.objects.filter(pk__in=batches, status="open"))
        for batch in open_:
            assert batch.round == number
            labels[batch.pk] = labels_of(batches[batch.pk], 0.90 + 0.02 * number, rng)
            rate_batch(batch, people, labels[batch.pk], active_ms=SECONDS * 1000)
            n_rated[batch.pk] += 1
        assert sweep_acceptance(now=NOW) == (len(open_), 0)
        for sample in Sample.objects.filter(state="waiting"):
            review_items(acceptance.take(sample), acceptance.truth_of(sample.batch, batches[sample.batch_id]))
        assert sweep_acceptance(now=NOW) == (0, len(open_))
        for sample in Sample.objects.filter(round=number):
            assert sample.decision == expected(sample, batches[sample.batch_id], labels[sample.batch_id])
    assert_nothing_is_lost_or_counted_twice(acceptance, batches, n_rated, labels)


def expected(sample: Sample, truth: list[str], labels: list[str]) -> str:
    place = {item: at for at, item in enumerate(items_of(sample.batch))}
    drawn = [place[item] for item in sample.sampled_items.values_list("item", flat=True)]
    n_top_up = sample.sampled_items.filter(is_top_up=True).count()
    return decision_by_hand([(labels[at], truth[at]) for at in drawn], Counter(labels), n_top_up)


def assert_nothing_is_lost_or_counted_twice(acceptance, batches, n_rated, labels) -> None:
    accepted = Batch.objects.filter(pk__in=batches, status="closed")
    assert accepted.count() == N_BATCHES
    assert max(n_rated.values()) > 1
    for batch in accepted:
        measured = measure_batch(batch)
        assert measured.n_ratings == N_ITEMS * N_SEATS  # of the accepted round alone
        counts = Counter[str]()
        for cell in measured.cells.values():
            votes = cell.histogram.counts @ cell.histogram.patterns
            counts.update({str(at): int(n) for at, n in enumerate(votes) if n})
        assert counts == {key: N_SEATS * n for key, n in Counter(labels[batch.pk]).items()}
    stored = Rating.objects.filter(batch__in=batches).count()
    assert stored == sum(n_rated.values()) * N_ITEMS * N_SEATS
    n_superseded = sum(n_rated.values()) - N_BATCHES
    assert rework_hours(acceptance.cast.study) == pytest.approx(n_superseded * N_ITEMS * N_SEATS * SECONDS / 3600)
    rounds = rounds_of(acceptance.cast.study)
    assert dict(rounds.by_rounds) == Counter(n_rated.values())
    assert (rounds.n_first, rounds.n_first_pass) == (N_BATCHES, Counter(n_rated.values())[1])
