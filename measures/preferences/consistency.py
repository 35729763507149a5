"""Test whether one strength for each source explains all pairs of sources.

If it does not, preferences need not be transitive: a may beat b and b beat c without a beating c. The model is fitted
again with a parameter for each pair that is not needed to link the sources. Round three sources, the log odds of the
three pairs then need not add up to 0; their sum is what transitivity on the log scale leaves over. All triads are
tested at once, with the variance over conversations and annotators of the strengths themselves. A pair that always went
one way has no finite parameter, and whatever its strengths are, it is explained: it is left out with its triads.

Sources: Kendall & Babington Smith 1940, Biometrika 31:324 (circular triads); Westfall & Young 1993 (the least p value).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.intervals import special
from measures.preferences.clustered import Contrasts, spread
from measures.preferences.comparisons import Comparisons
from measures.preferences.davidson import Fit, fit
from measures.preferences.simultaneous import largest

NO_TRIADS, TOO_MANY_PAIRS, SEPARATED_PAIRS, CONFOUNDED_PAIRS, NO_VARIANCE = (
    "no_triads",
    "too_many_pairs",
    "separated_pairs",
    "confounded_pairs",
    "no_variance",
)
MOST_PAIRS = 100  # each is a parameter
LARGEST_CONDITION = 1e12  # of the information: beyond it, a pair is nothing but a sum of other effects


@dataclass(frozen=True, slots=True)
class Consistency:
    """How far the triad that deviates most is from transitivity.

    Attributes
    ----------
    triad : (int, int, int) or None
        The sources a, b, c of that triad, of `n_triads` whose pairs were all compared and went both ways.
    surplus : float or None
        The sum of the log odds of a against b, b against c and c against a, positive.
    p_value : float or None
        The chance of a triad so far off, if none is; all triads are taken into account. With several triads it is
        simulated, so that another seed moves its third decimal.
    reason : str or None
        Why there is no p value: 'no_triads', 'too_many_pairs', 'separated_pairs' (each triad has a pair that always
        went one way), 'confounded_pairs' (a covariate is the same in all comparisons of each pair), 'no_variance' (a
        single annotator and conversation, or a triad about which one of them alone tells).
    """

    triad: tuple[int, int, int] | None
    surplus: float | None
    p_value: float | None
    n_triads: int
    reason: str | None = None

    @classmethod
    def undefined(cls, reason: str, n_triads: int = 0) -> "Consistency":
        return cls(None, None, None, n_triads, reason)


def consistency(answers: Comparisons, strengths: Fit, seed: int) -> Consistency:
    """Test all triads of the sources of a fit of Davidson's model."""
    if not _triads(answers, _further_pairs(answers)):
        return Consistency.undefined(NO_TRIADS)
    goes_both_ways = _goes_both_ways(answers)
    answers, design = answers.where(goes_both_ways), strengths.design.rows(np.flatnonzero(goes_both_ways))
    numbers = _further_pairs(answers)
    q, triads = sum(number >= 0 for number in numbers.values()), _triads(answers, numbers)
    if not triads or q > MOST_PAIRS:
        return Consistency.undefined(TOO_MANY_PAIRS if triads else SEPARATED_PAIRS, len(triads))
    table = np.full((answers.n_sources, answers.n_sources), -1)
    for (first, second), number in numbers.items():
        table[first, second] = table[second, first] = number
    pair = table[answers.left, answers.right]
    sign = np.where(answers.left < answers.right, 1.0, -1.0)
    found = fit(answers, design.with_pairs(pair, sign, q))
    if found is None:
        return Consistency.undefined(SEPARATED_PAIRS, len(triads))
    if np.linalg.cond(found.information) > LARGEST_CONDITION:
        return Consistency.undefined(CONFOUNDED_PAIRS, len(triads))
    contrasts = np.zeros((len(triads), found.design.n_parameters))
    for at, triad in enumerate(triads):
        for edge, direction in zip(_edges(triad), (1, 1, -1), strict=True):
            if numbers[edge] >= 0:
                contrasts[at, design.n_parameters + numbers[edge]] = direction
    return _tested(answers, found, triads, contrasts, seed)


def _goes_both_ways(answers: Comparisons) -> BoolArray:
    """Return (n,) whether an answer is about a pair with a tie, or with preferences for either source."""
    counts = answers.counts()
    is_mixed = (counts.tied > 0) | ((counts.preferred > 0) & (counts.preferred.T > 0))
    return np.asarray(is_mixed[answers.left, answers.right], bool)


def _triads(answers: Comparisons, numbers: Mapping[tuple[int, int], int]) -> list[tuple[int, int, int]]:
    """Return the triads whose pairs were all compared."""
    return [each for each in combinations(range(answers.n_sources), 3) if all(pair in numbers for pair in _edges(each))]


def _edges(triad: tuple[int, int, int]) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    a, b, c = triad
    return (a, b), (b, c), (a, c)


def _further_pairs(answers: Comparisons) -> dict[tuple[int, int], int]:
    """Return {pair that was compared: the number of its parameter}, -1 for the pairs that link the sources."""
    compared = np.zeros((answers.n_sources, answers.n_sources), bool)
    compared[answers.left, answers.right] = compared[answers.right, answers.left] = True
    linked, numbers, n = np.arange(answers.n_sources), {}, 0
    for a, b in np.argwhere(np.triu(compared)).tolist():
        is_link = linked[a] != linked[b]
        numbers[a, b] = -1 if is_link else n
        n += not is_link
        linked[linked == linked[b]] = linked[a]
    return numbers


def _tested(
    answers: Comparisons, found: Fit, triads: list[tuple[int, int, int]], contrasts: FloatArray, seed: int
) -> Consistency:
    over = spread(found, answers.annotator, answers.cluster, contrasts)
    own: IntArray = np.arange(len(triads))[:, None]
    variance, df = over.of(Contrasts(contrasts, own))
    surplus = contrasts @ found.parameters
    with np.errstate(invalid="ignore", divide="ignore"):
        p_values = 2 * special().stdtr(df, -np.abs(surplus) / np.sqrt(variance))
    if np.isnan(p_values).any():
        return Consistency.undefined(NO_VARIANCE, len(triads))
    at = int(p_values.argmin())
    reached = -special().ndtri(p_values[at] / 2)
    # One triad alone has its own p value: draws would only add their error.
    is_alone = len(triads) == 1
    p_value = float(p_values[at] if is_alone else (largest(over.joint, contrasts, seed) >= reached).mean())
    a, b, c = triads[at]
    triad = (a, b, c) if surplus[at] >= 0 else (a, c, b)
    return Consistency(triad, abs(float(surplus[at])), p_value, len(triads))
