"""The alternative annotator test: may a judge take the place of one of the annotators?

Each annotator j is left out in turn. On each item the judge and j are scored against the other votes of the item: by
the share of equal labels (nominal), or by the negative root mean square error (interval). The judge's advantage
probability is the share of the items of j on which it scores at least as well, that of j likewise, so a tie counts for
both. The judge wins against j if the null hypothesis "the judge's advantage is at most that of j less epsilon" is
rejected; epsilon is what a judge may be worse because it costs less. With d = 1 where only j is better, -1 where only
the judge is, and otherwise 0, the test asks whether the mean of d is below epsilon: by t from 30 items on, below by
Wilcoxon's signed ranks. The p values of the annotators are corrected for any dependence. A label that nobody gave is
an answer like any other: it equals no vote.

Sources: Calderon, Reichart & Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge, ACL 2025:16051; Benjamini &
Yekutieli 2001, Ann. Stat. 29:1165; Wilcoxon 1945, Biometrics Bull. 1:80.
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.comparison import benjamini_yekutieli, stats
from measures.estimate import TOO_FEW_ITEMS, Estimate
from measures.intervals import FEWEST_ITEMS, t_interval
from measures.machines.ceiling import NOMINAL
from measures.machines.jackknife import cluster_sums, guarded_by_clusters
from measures.machines.judged import Judged
from measures.prediction import mid_ranks

EPSILON = 0.15
LEVEL = 0.05
WON = 0.5
# With two, one annotator would be scored against a single other one.
FEWEST_ANNOTATORS = 3
FEWEST_ITEMS_FOR_T = 30
T_TEST, WILCOXON = "t", "wilcoxon"
TOO_FEW_ANNOTATORS = "too_few_annotators"
# Ties make Wilcoxon's test reject far too often, as the differences are not symmetrical.
SMALL_SAMPLE = "small_sample"


@dataclass(frozen=True, slots=True)
class AnnotatorTest:
    """The judge against one annotator.

    `advantage` is the judge's advantage probability, `own` that of the annotator. With fewer than 10 items both are
    undefined ('too_few_items'), there is no test, and the annotator does not enter the winning rate.
    """

    annotator: int
    advantage: Estimate
    own: float | None = None
    test: str | None = None
    p_value: float | None = None
    adjusted_p: float | None = None

    @property
    def is_won(self) -> bool | None:
        return None if self.adjusted_p is None else self.adjusted_p <= LEVEL


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """The winning rate: against how many of the annotators the judge wins. It passes from one half on."""

    epsilon: float
    winning_rate: Estimate
    advantage: Estimate
    annotators: tuple[AnnotatorTest, ...]

    @property
    def passes(self) -> bool | None:
        return None if self.winning_rate.value is None else self.winning_rate.value >= WON


def alternative_test(judged: Judged, scale: str, *, epsilon: float = EPSILON) -> AlternativeTest:
    """Test whether the judge may replace an annotator.

    Parameters
    ----------
    judged : Judged
    scale : {'nominal', 'interval'}
    epsilon : float
        0 to 1; .2 for experts, .15 for trained annotators and .1 for crowd workers, as the authors advise.

    Returns
    -------
    AlternativeTest
        Items need three votes and an answer of the judge. Undefined: 'too_few_annotators' if no item has three votes,
        'too_few_items' if no annotator has 10 such items. The average advantage probability has the mean over
        annotators, with an interval for these annotators over conversations: the variance is C / (C - 1) times the sum
        over conversations of the squares of sums of (w - rho_j) / (n_j m), with m annotators, n_j items of annotator j,
        rho_j their advantage and w = 1 where the judge is at least as good; t with C - 1 degrees of freedom.
        The tests take items for independent, as the authors do. The winning rate has the warning 'small_sample' if an
        annotator has fewer than 30 items: Wilcoxon's test wins too easily where ties are many.
    """
    used = judged.rated_by(FEWEST_ANNOTATORS)
    judge_at_least, own_at_least = _compared(used, scale)
    tests = _corrected(_each(judged, used, judge_at_least, own_at_least, epsilon))
    won = [each.is_won for each in tests if each.is_won is not None]
    if not won:
        reason = TOO_FEW_ITEMS if used.n_items else TOO_FEW_ANNOTATORS
        return AlternativeTest(epsilon, Estimate(None, reason), Estimate(None, reason), tuple(tests))
    is_small = any(each.test == WILCOXON for each in tests)
    rate = Estimate(
        sum(won) / len(won),
        n_items=used.n_items,
        n_pairs=len(won),
        n_undefined=len(tests) - len(won),
        warnings=(SMALL_SAMPLE,) if is_small else (),
    )
    kept = np.isin(used.annotator, [each.annotator for each in tests if each.own is not None])
    advantage = _average(judge_at_least[kept], used.annotator[kept], used.cluster[used.item[kept]])
    return AlternativeTest(epsilon, rate, advantage, tuple(tests))


def _compared(used: Judged, scale: str) -> tuple[BoolArray, BoolArray]:
    """Return for each vote whether the judge scores at least as well as it, and whether it does as the judge."""
    judge, own = (_equal if scale == NOMINAL else _near)(used)
    # Sums of the same numbers in another order may differ by a rounding error, which is a tie.
    slack = 1e-9 * (np.abs(judge) + np.abs(own))
    return judge >= own - slack, own >= judge - slack


def _equal(used: Judged) -> tuple[FloatArray, FloatArray]:
    """Return for each vote how many other votes of the item the judge equals, and how many the vote does."""
    same = used.value == used.judge[used.item]
    _, label = np.unique(np.column_stack([used.item, used.value]), axis=0, return_inverse=True)
    alike = np.bincount(label.ravel())[label.ravel()] - 1
    return used.per_item(same)[used.item] - same, alike.astype(float)


def _near(used: Judged) -> tuple[FloatArray, FloatArray]:
    """Return negative sums of squares to the other votes: for one item they order as root mean squares do."""
    x, judge, n = used.value, used.judge[used.item], used.votes_per_item[used.item]
    to_judge = (x - judge) ** 2
    # About the judge's answer, so that squares of large numbers do not cancel.
    shifted = x - judge
    own = n * shifted**2 - 2 * shifted * used.per_item(shifted)[used.item] + used.per_item(shifted**2)[used.item]
    return -(used.per_item(to_judge)[used.item] - to_judge), -own


def _each(judged: Judged, used: Judged, judge: BoolArray, own: BoolArray, epsilon: float) -> list[AnnotatorTest]:
    """Test every annotator who has a vote, also on items that are not used."""
    everyone = np.unique(judged.annotator)
    order = np.argsort(used.annotator, kind="stable")
    ends = np.searchsorted(used.annotator[order], everyone, side="right")[:-1]
    rows = np.split(order, ends) if len(everyone) else []
    return [_tested(int(name), judge[at], own[at], epsilon) for name, at in zip(everyone, rows, strict=True)]


def _tested(name: int, judge: BoolArray, own: BoolArray, epsilon: float) -> AnnotatorTest:
    n = len(judge)
    if n < FEWEST_ITEMS:
        return AnnotatorTest(name, Estimate(None, TOO_FEW_ITEMS, n_items=n))
    difference = own.astype(float) - judge
    test = T_TEST if n >= FEWEST_ITEMS_FOR_T else WILCOXON
    p = (t_below if test == T_TEST else signed_ranks_below)(difference, epsilon)
    return AnnotatorTest(name, Estimate(float(judge.mean()), n_items=n), float(own.mean()), test, p)


def t_below(difference: FloatArray, limit: float) -> float:
    """Return the p value of "the mean is at least `limit`"; without any spread it is 0 or 1, the limits of t."""
    mean, n = float(difference.mean()), len(difference)
    error = float(difference.std(ddof=1)) / np.sqrt(n)
    if error < 1e-12:
        return float(mean >= limit)
    return float(stats().t.cdf((mean - limit) / error, n - 1))


def signed_ranks_below(difference: FloatArray, limit: float) -> float:
    """Return the exact p value of "the differences lie symmetrically about `limit` or above" by Wilcoxon's test.

    Differences that equal the limit are left out; tied ranks are means. The distribution of the sum of positive ranks
    counts all choices of signs, so that ties need no approximation.
    """
    moved = difference - limit
    moved = moved[np.abs(moved) > 1e-12]
    twice = np.round(2 * mid_ranks(np.round(np.abs(moved), 12))).astype(np.int64)
    ways = np.zeros(int(twice.sum()) + 1)
    ways[0] = 1.0
    for rank in twice:
        ways[rank:] += ways[:-rank].copy()
    return float(ways[: int(twice[moved > 0].sum()) + 1].sum() / ways.sum())


def _corrected(tests: list[AnnotatorTest]) -> list[AnnotatorTest]:
    """Add adjusted p values to those that were tested."""
    p_values = [each.p_value for each in tests if each.p_value is not None]
    adjusted = iter(benjamini_yekutieli(p_values).tolist())
    return [
        each if each.p_value is None
        else AnnotatorTest(each.annotator, each.advantage, each.own, each.test, each.p_value, next(adjusted))
        for each in tests
    ]  # fmt: skip


def _average(judge: BoolArray, annotator: IntArray, cluster: IntArray) -> Estimate:
    """Return the mean over annotators of the judge's advantage, with its interval over conversations."""
    place = np.unique(annotator, return_inverse=True)[1]
    n = np.bincount(place)
    rho = np.bincount(place, judge) / n
    parts = cluster_sums(((judge - rho[place]) / (n[place] * len(n)))[:, None], cluster)
    n_clusters = len(parts)
    error = float(np.sqrt(n_clusters / (n_clusters - 1) * (parts**2).sum())) if n_clusters > 1 else None
    found = Estimate(float(rho.mean()), standard_error=error, n_ratings=len(judge), n_pairs=len(n))
    return guarded_by_clusters(t_interval(found, n_clusters - 1, bounds=(0.0, 1.0)), n_clusters)
