"""Means of people's scores that a judge sharpens: the judge on all items, people on a part (PPI++).

Let L be the n items with scores y of people (the mean of their votes), U the N items with an answer f of the judge
only, and bars means. The estimate is

    theta = y_L + lambda (f_U - f_L)

so the judge's bias drops out, whatever it is, if the items in L are a random part. What conversation c contributes is

    psi_c = sum over L in c of (e_i - mean of e) / n + lambda * sum over U in c of (f_i - f_U) / N,  e = y - lambda f

and the variance C_L / (C_L - 1) * sum of psi_c^2 over all conversations, where C_L of them have items in L. A
conversation with items in both parts has one psi, so their covariance is in the variance. Power tuning takes the lambda
between 0 and 1 with the least variance,

    lambda = sum of a_c (-b_c) / D,   a_c = sum over L in c of (y_i - y_L) / n,
    b_c = sum over U in c of (f_i - f_U) / N - sum over L in c of (f_i - f_L) / n

where D, the variance of f_U - f_L, has the variance of f in all items, s^2 (1 / n + 1 / N), and the products of
different items of one conversation. If each item is a conversation of its own, lambda and theta are those of PPI++.

Sources: Angelopoulos, Duchi & Zrnic 2023, PPI++: Efficient Prediction-Powered Inference, arXiv:2311.01453; Liang &
Zeger 1986, Biometrika 73:13 (sums over clusters).
"""

import math
from dataclasses import dataclass

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.estimate import Estimate
from measures.intervals import t_interval
from measures.machines.jackknife import guarded_by_clusters

NO_LABELS = "no_labels"
NO_JUDGE = "no_judge"
JUDGE_IS_THE_LIMIT = "judge_is_the_limit"
TOO_FEW_JUDGED = "too_few_judged_items"
HALF = 0.5
ANYWHERE = (-math.inf, math.inf)


@dataclass(frozen=True, eq=False)
class Part:
    """Items of a source with an answer of the judge.

    Attributes
    ----------
    human : (I,) float array
        People's score, NaN where nobody rated.
    judge : (I,) float array
        None missing.
    cluster : (I,) int array
        Conversations, numbered alike in all parts.
    """

    human: FloatArray
    judge: FloatArray
    cluster: IntArray

    @property
    def labelled(self) -> BoolArray:
        return ~np.isnan(self.human)

    def some(self, chosen: BoolArray) -> "Part":
        return Part(self.human[chosen], self.judge[chosen], self.cluster[chosen])

    def by_cluster(self, values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(self.cluster, values), float)


@dataclass(frozen=True, slots=True)
class Further:
    """The number of items that people must still rate to halve the interval, or why no number is enough."""

    n: int | None
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Powered:
    """A mean with its parts.

    Attributes
    ----------
    estimate : Estimate
        `n_items` are the labelled items, `n_ratings` all of them.
    people : Estimate
        The mean of people's scores alone, with its interval in the same way.
    power : float or None
        lambda.
    parts : (C,) float array
        psi of each conversation, with the factor C_L / (C_L - 1) in it.
    n_clusters : int
        Conversations with labelled items.
    further : Further
    """

    estimate: Estimate
    people: Estimate
    power: float | None
    parts: FloatArray
    n_clusters: int
    further: Further


def powered_mean(part: Part, *, power: float | None = None, bounds: tuple[float, float] = ANYWHERE) -> Powered:
    """Return the mean of a source; `power` fixes lambda, which is otherwise tuned. Intervals stop at `bounds`.

    Undefined: 'no_labels' without any item that people rated. If they rated all items the judge adds nothing, and
    lambda is 0. Intervals: t with C_L - 1 degrees of freedom; none with fewer than 10 labelled conversations.
    """
    labelled = part.labelled
    n, n_all = int(labelled.sum()), len(labelled)
    if not n:
        nothing = Estimate(None, NO_LABELS, n_ratings=n_all)
        return Powered(nothing, nothing, None, np.zeros(0), 0, Further(None, NO_LABELS))
    if n == n_all:
        power = 0.0
    elif power is None:
        power = _tuned(part)
    found, parts = _mean(part, power, bounds)
    people, _ = _mean(part, 0.0, bounds)
    n_clusters = len(np.unique(part.cluster[labelled]))
    return Powered(found, people, power, parts, n_clusters, _further(part, power, found))


def powered_difference(first: Powered, second: Powered) -> Estimate:
    """Return the first mean less the second; a conversation that both share adds one difference of its parts.

    Undefined as either of the two is. The degrees of freedom are the fewer ones.
    """
    for each in (first, second):
        if each.estimate.value is None:
            return each.estimate
    n = max(len(first.parts), len(second.parts))
    parts = np.zeros(n)
    parts[: len(first.parts)] += first.parts
    parts[: len(second.parts)] -= second.parts
    values = [float(each.estimate.value) for each in (first, second) if each.estimate.value is not None]
    fewest = min(first.n_clusters, second.n_clusters)
    found = Estimate(
        values[0] - values[1],
        standard_error=float(np.sqrt((parts**2).sum())) if fewest > 1 else None,
        n_items=first.estimate.n_items + second.estimate.n_items,
        n_ratings=first.estimate.n_ratings + second.estimate.n_ratings,
    )
    return _with_interval(found, fewest)


def _weights(part: Part) -> tuple[FloatArray, FloatArray]:
    """Return (I,) weights 1 / n of the labelled and 1 / N of the other items, 0 elsewhere."""
    labelled = part.labelled
    n = int(labelled.sum())
    rest = len(labelled) - n
    return labelled / n, ~labelled / rest if rest else np.zeros(len(labelled))


def _tuned(part: Part) -> float:
    if np.ptp(part.judge) == 0:
        return 0.0
    ours, others = _weights(part)
    y, f = np.where(part.labelled, part.human, 0.0), part.judge
    a = part.by_cluster(ours * (y - ours @ y))
    b = part.by_cluster(others * (f - others @ f) - ours * (f - ours @ f))
    products = (others - ours) * (f - f.mean())
    together = float((part.by_cluster(products) ** 2).sum() - (products**2).sum())
    alone = float(f.var(ddof=1)) * float((ours**2 + others**2).sum())
    # With products that cancel all of the variance, there is nothing to tune by.
    return float(np.clip(-(a @ b) / (alone + together), 0.0, 1.0)) if alone + together > 1e-9 * alone else 0.0


def _mean(part: Part, power: float, bounds: tuple[float, float]) -> tuple[Estimate, FloatArray]:
    ours, others = _weights(part)
    labelled = part.labelled
    f = part.judge
    rest = np.where(labelled, part.human - power * f, 0.0)
    value = float(rest[labelled].mean())
    if power:
        value += power * float(f[~labelled].mean())
    n_clusters = len(np.unique(part.cluster[labelled]))
    scores = ours * (rest - ours @ rest) + power * others * (f - others @ f)
    parts = part.by_cluster(scores) * _factor(n_clusters)
    error = float(np.sqrt((parts**2).sum())) if n_clusters > 1 else None
    found = Estimate(value, standard_error=error, n_items=int(labelled.sum()), n_ratings=len(f))
    return _with_interval(found, n_clusters, bounds), parts


def _factor(n_clusters: int) -> float:
    return math.sqrt(n_clusters / (n_clusters - 1)) if n_clusters > 1 else 1.0


def _with_interval(found: Estimate, n_clusters: int, bounds: tuple[float, float] = ANYWHERE) -> Estimate:
    return guarded_by_clusters(t_interval(found, n_clusters - 1, bounds=bounds), n_clusters)


def _further(part: Part, power: float, found: Estimate) -> Further:
    """Solve V(n') = V / 4, where the residuals' part of the variance falls with the number of labelled items.

    With M = n + N and beta = lambda M / N, theta = mean of (y - beta f) over L + beta * mean of f over all items. The
    first part has the variance V_e, that becomes V_e n / n' with n' labelled items in further conversations like
    these. The rest, V - V_e, is the judge's on all M items: people cannot make it smaller.
    """
    if not found.standard_error:
        return Further(None, found.interval_note or NO_LABELS)
    labelled = part.labelled
    n, n_all = found.n_items, len(labelled)
    beta = power * n_all / (n_all - n) if n < n_all else 0.0
    rest = np.where(labelled, part.human - beta * part.judge, 0.0)
    ours = _weights(part)[0]
    n_clusters = len(np.unique(part.cluster[labelled]))
    parts = part.by_cluster(ours * (rest - ours @ rest)) * _factor(n_clusters)
    people = float((parts**2).sum())
    variance = found.standard_error**2
    left = HALF**2 * variance - (variance - people)
    if left <= 0:
        return Further(None, JUDGE_IS_THE_LIMIT)
    wanted = math.ceil(n * people / left - 1e-9) - n
    return Further(wanted) if wanted <= n_all - n else Further(None, TOO_FEW_JUDGED)
