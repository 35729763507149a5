"""Find sudden drops of one annotator: Bernoulli CUSUM and one-sided EWMA of agreement with the majority.

Both watch y = [answer = majority of the others] in the order of answering and assume independent items, so
the order of items should be shuffled or stratified.

Sources: project statistics, section 4.2; Reynolds & Stoumbos 1999, J. Qual. Technol. 31:87 (Bernoulli
CUSUM); Roberts 1959, Technometrics 1:239 (EWMA); Brook & Evans 1972, Biometrika 59:539 (run lengths by a
Markov chain).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.estimate import TOO_FEW_ITEMS

BASELINE_TOO_LOW = "baseline_too_low"
BASELINE_ITEMS = 50
IN_CONTROL_RUN = 1000
DROP = 0.15
EWMA_WEIGHT = 0.05
# An annotator who agreed on all of the first 50 items may still disagree on the next.
HIGHEST_BASELINE = 0.98

# {(p0, p1): h} with an in-control run length of about 1,000 (statistics 4.2).
_CUSUM_LIMITS = {(0.85, 0.70): 3.83, (0.80, 0.65): 3.77, (0.70, 0.55): 3.69}
_EWMA_LIMITS = {0.85: 3.00, 0.80: 2.90, 0.70: 2.78}
_NODES = 200
_HALVINGS = 13


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """The path of a control chart over one annotator's items.

    Attributes
    ----------
    path : (n,) float array
        The value after each answer in the order given. It does not change on an answer without majority (-1) or
        during the items of the baseline, and continues after an alarm.
    limit : float or None
        CUSUM: alarm at or above it. EWMA: alarm at or below it.
    alarm : int or None
        Place (from 0) of the first answer with an alarm.
    p0, p1 : float or None
        Agreement in control, and the lower agreement to find (CUSUM only).
    reason : str or None
        'too_few_items' or 'baseline_too_low' if nothing can be watched.
    """

    path: FloatArray
    limit: float | None
    alarm: int | None
    p0: float | None
    p1: float | None
    reason: str | None = None


def cusum(
    agrees: npt.ArrayLike,
    *,
    p0: float | None = None,
    p1: float | None = None,
    limit: float | None = None,
    run_length: float = IN_CONTROL_RUN,
    baseline_items: int = BASELINE_ITEMS,
) -> Chart:
    """Bernoulli CUSUM: S <- max(0, S + (y ? ln(p1/p0) : ln((1-p1)/(1-p0)))), alarm at S >= limit.

    Parameters
    ----------
    agrees : (n,) int array
        1: agrees with the majority of the others; 0: does not; -1: no majority. In the order of answering.
    p0 : float, optional
        Agreement in control, for example the study's median. By default the annotator's share in the first
        `baseline_items` with a majority, which are then not watched.
    p1 : float, optional
        The agreement to find; p0 - .15 by default. 0 < p1 < p0 < 1.
    limit : float, optional
        h; by default that of :func:`cusum_limit` for `run_length` items between false alarms.
    """
    values, watched, p0, reason = _baseline(agrees, p0, baseline_items)
    if p0 is None or reason:
        return Chart(np.zeros(len(values)), None, None, p0, None, reason)
    p1 = p0 - DROP if p1 is None else p1
    _check_shares(p0, p1)
    limit = cusum_limit(p0, p1, run_length) if limit is None else limit
    steps = np.where(values == 1, np.log(p1 / p0), np.log((1 - p1) / (1 - p0)))
    walk = np.cumsum(np.where(watched, steps, 0.0))
    # The walk above its lowest point so far (0 at the start) is the sum that never falls below 0.
    path = walk - np.minimum(np.minimum.accumulate(walk), 0.0)
    return Chart(path, limit, _first(path >= limit), p0, p1)


def ewma(
    agrees: npt.ArrayLike,
    *,
    p0: float | None = None,
    width: float | None = None,
    weight: float = EWMA_WEIGHT,
    run_length: float = IN_CONTROL_RUN,
    baseline_items: int = BASELINE_ITEMS,
) -> Chart:
    """One-sided EWMA: Z <- (1 - weight) Z + weight y from p0; alarm at p0 - width * its asymptotic SD.

    `width` is L, by default that of :func:`ewma_width`; the other parameters are those of :func:`cusum`. It is
    slightly faster than the CUSUM and easier to draw: Z is a moving share of agreement.
    """
    values, watched, p0, reason = _baseline(agrees, p0, baseline_items)
    if p0 is None or reason:
        return Chart(np.zeros(len(values)), None, None, p0, None, reason)
    _check_shares(p0, p0 / 2)
    width = ewma_width(p0, weight, run_length) if width is None else width
    limit = _ewma_limit(p0, width, weight)
    path = np.empty(len(values))
    level = p0
    for place, (value, is_watched) in enumerate(zip(values.tolist(), watched.tolist(), strict=True)):
        level = (1 - weight) * level + weight * value if is_watched else level
        path[place] = level
    return Chart(path, limit, _first(path <= limit), p0, None)


def _baseline(
    agrees: npt.ArrayLike, p0: float | None, baseline_items: int
) -> tuple[IntArray, BoolArray, float | None, str | None]:
    """Return the answers, whether each is watched, p0, and the reason why nothing can be watched."""
    values = np.asarray(agrees, np.int64)
    if values.ndim != 1 or (values.size and (values.min() < -1 or values.max() > 1)):
        raise ValueError("agreement is a one-dimensional array of 1, 0 and -1 for no majority")
    if p0 is not None:
        return values, values >= 0, p0, None
    known = np.flatnonzero(values >= 0)
    if len(known) < baseline_items:
        return values, np.zeros(len(values), bool), None, TOO_FEW_ITEMS
    share = min(HIGHEST_BASELINE, float(values[known[:baseline_items]].mean()))
    reason = BASELINE_TOO_LOW if share <= 2 * DROP else None
    return values, (values >= 0) & (np.arange(len(values)) > known[baseline_items - 1]), share, reason


def _check_shares(p0: float, p1: float) -> None:
    if not 0 < p1 < p0 < 1:
        raise ValueError(f"a drop needs 0 < p1 < p0 < 1, not p0 = {p0} and p1 = {p1}")


def _first(alarms: BoolArray) -> int | None:
    return int(np.argmax(alarms)) if alarms.any() else None


def _ewma_limit(p0: float, width: float, weight: float) -> float:
    return float(p0 - width * np.sqrt(p0 * (1 - p0) * weight / (2 - weight)))


def cusum_run_length(p0: float, p1: float, limit: float, true_share: float | None = None) -> float:
    """Return the mean number of items up to an alarm if the annotator agrees with probability `true_share`.

    The default is p0: in control. The value comes from a Markov chain of 200 states, within about 3%.
    """
    _check_shares(p0, p1)
    down, up = float(np.log(p1 / p0)), float(np.log((1 - p1) / (1 - p0)))
    return _run_length(lambda s: s + down, lambda s: s + up, limit, 0.0, p0 if true_share is None else true_share)


def ewma_run_length(p0: float, width: float, weight: float = EWMA_WEIGHT, true_share: float | None = None) -> float:
    """Return :func:`cusum_run_length` for the EWMA."""
    keep = 1 - weight
    alarm = 1 - _ewma_limit(p0, width, weight)
    share = p0 if true_share is None else true_share
    # In terms of 1 - Z, which rises to the alarm.
    return _run_length(lambda s: keep * s, lambda s: keep * s + weight, alarm, 1 - p0, share)


@lru_cache(maxsize=256)
def cusum_limit(p0: float, p1: float, run_length: float = IN_CONTROL_RUN) -> float:
    """Return h with about `run_length` items between false alarms.

    It is the measured value if there is one, otherwise found by bisection on :func:`cusum_run_length`.
    """
    known = _CUSUM_LIMITS.get((round(p0, 4), round(p1, 4)))
    if known is not None and run_length == IN_CONTROL_RUN:
        return known
    return _halved(lambda h: cusum_run_length(p0, p1, h), run_length, 0.1, 12.0)


@lru_cache(maxsize=256)
def ewma_width(p0: float, weight: float = EWMA_WEIGHT, run_length: float = IN_CONTROL_RUN) -> float:
    """Return L with about `run_length` items between false alarms, found as in :func:`cusum_limit`."""
    known = _EWMA_LIMITS.get(round(p0, 4))
    if known is not None and (weight, run_length) == (EWMA_WEIGHT, IN_CONTROL_RUN):
        return known
    return _halved(lambda width: ewma_run_length(p0, width, weight), run_length, 0.5, 6.0)


def _halved(run: Callable[[float], float], wanted: float, low: float, high: float) -> float:
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if run(middle) < wanted else (low, middle)
    return round(high, 3)


def _run_length(
    agreed: Callable[[FloatArray], FloatArray],
    differed: Callable[[FloatArray], FloatArray],
    limit: float,
    start: float,
    share: float,
) -> float:
    """Return the mean steps from `start` until `limit` is reached; a step that ends between two states is split."""
    width = limit / _NODES
    state: FloatArray = np.arange(_NODES, dtype=float) * width
    system = np.eye(_NODES)
    for move, probability in ((agreed, share), (differed, 1 - share)):
        target = np.maximum(0.0, move(state))
        rows = np.flatnonzero(target < limit - 1e-12)
        below = np.floor(target[rows] / width).astype(np.int64)
        part = target[rows] / width - below
        system[rows, below] -= probability * (1 - part)
        # There is no state between the last one and the limit.
        system[rows, np.minimum(below + 1, _NODES - 1)] -= probability * part
    steps = np.linalg.solve(system, np.ones(_NODES))
    return float(np.interp(start, state, steps))
