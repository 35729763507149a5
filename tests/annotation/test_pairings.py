"""Agreement is computed in both orders of a pair where more than two sources are compared, and only there."""

import pytest

from annotation.agreement_cells import CellFigures, batch_estimates
from annotation.pairings import in_orders_of, repetition_key, vote_key
from measures.histograms import Histogram
from measures.pairs import PairTable
from protocols.bundles import complete_bundle
from protocols.specs import CriterionSpec, spec_of_document
from tests.comparing import COMPARED

ONE_PAIR = {vote_key(1, 2, 3, False): 4, vote_key(1, 2, 5, None): 1, repetition_key(3, 5): 2}
TURNED = {vote_key(2, 1, 3, None): 1}
TWO_PAIRS = ONE_PAIR | {vote_key(1, 7, 3, True): 2}


@pytest.fixture
def criterion() -> CriterionSpec:
    return spec_of_document(complete_bundle(COMPARED)).criteria[0]


def test_two_sources_have_one_order(criterion: CriterionSpec):
    assert in_orders_of(criterion, [{}]).mirror is None
    assert in_orders_of(criterion, [ONE_PAIR, ONE_PAIR, TURNED]).mirror is None


def test_three_sources_have_both(criterion: CriterionSpec):
    """Much better, better, equal, better, much better, both bad, unsure."""
    assert in_orders_of(criterion, [TWO_PAIRS]).mirror == (4, 3, 2, 1, 0, 5, 6)
    assert in_orders_of(criterion, [ONE_PAIR, {vote_key(2, 7, 3, None): 1}]).mirror == (4, 3, 2, 1, 0, 5, 6)


def test_a_cell_knows_its_own_orders(criterion: CriterionSpec):
    """Of ten items, all are answered with the first source: with one pair that is no variation, with two it is."""
    k = len(criterion.options)
    items, people, answers = [at // 2 for at in range(20)], [0, 1] * 10, [0] * 20
    histogram = Histogram.from_votes(items, answers, k)
    pairs = PairTable.from_votes(items, people, answers, k)

    def alpha(pairings: dict[str, int]) -> float | None:
        return batch_estimates(CellFigures(histogram, pairs, pairs, pairings=pairings), criterion)["alpha"]["value"]

    assert alpha(ONE_PAIR) is None
    assert alpha(TWO_PAIRS) == 1
