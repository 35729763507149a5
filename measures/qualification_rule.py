"""Decide whether a candidate qualifies, by comparing their answers with those of a panel.

Every judged answer is a cell: how the panel voted on it, what the candidate answered, and whether that is known to be
right. A candidate is a histogram of cells, and so is each of thousands of simulated ones
(:mod:`measures.qualification_curve`), so one kernel decides about both.

Sources: Mousavi et al. 2022, GEM (the rule); Fleiss kappa and its standard error as in :mod:`measures.agreement` (Gwet
2008, 2014), Cohen's kappa as in :mod:`measures.cohen`, Wilson 1927.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray, divide_or_nan, mean_of_orders, unless_rounding
from measures.difficulty import unique_modes
from measures.estimate import NO_PAIRS, NO_VARIATION, TOO_FEW_ITEMS
from measures.intervals import FEWEST_ITEMS, special

PANEL_KAPPA, MAJORITY_KAPPA, GOLD = "panel_kappa", "majority_kappa", "gold"
POINT, INTERVAL = "point", "interval"
PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
NO_ITEMS = "no_items"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. With `threshold` None, the threshold is the panel's own value on the same items.

    A kappa passes strictly above the threshold, an accuracy also at the threshold.
    """

    method: str = PANEL_KAPPA
    threshold: float | None = None
    decision: str = POINT
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Cells:
    """The kinds of judged answers.

    Attributes
    ----------
    panel : (C, K) int array
        Votes of the panel per category.
    candidate : (C,) int array
        The candidate's category.
    is_right : (C,) int array
        1 (right) or 0 if the right answer is known, -1 if it is not.
    members : (C, M) int array
        Category of each member of the panel, -1 for none; needed for the panel's own kappa with its majority.
    mirror : sequence of int, optional
        Chance is that of the answers in both orders, see :meth:`Histogram.in_both_orders`.
    """

    panel: IntArray
    candidate: IntArray
    is_right: IntArray
    members: IntArray
    mirror: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a rule. A missing `value` or `threshold` has a `reason` and is never a pass."""

    state: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    threshold: float | None = None
    n_items: int = 0
    reason: str = ""


def cells_of(
    members: npt.ArrayLike,
    candidate: npt.ArrayLike,
    n_categories: int,
    is_right: npt.ArrayLike | None = None,
    mirror: Sequence[int] | None = None,
) -> Cells:
    """Make cells from an (items, M) table of the panel's codes and (items,) codes of the candidate; -1: no answer.

    Items that the candidate has not answered are left out.
    """
    rows, mine = np.asarray(members, np.int64), np.asarray(candidate, np.int64)
    known = np.full(len(mine), -1) if is_right is None else np.asarray(is_right, np.int64)
    kept = mine >= 0
    rows = rows[kept]
    panel = (rows[:, :, None] == np.arange(n_categories)).sum(axis=1)
    return Cells(panel, mine[kept], known[kept], rows, mirror)


def judge(rule: Rule, cells: Cells) -> Result:
    """Decide about one candidate; every cell is one judged answer.

    Returns
    -------
    Result
        By the point: passed strictly above the threshold, otherwise failed. By the interval: passed if all of it is
        above, failed if none of it is, otherwise undecided. Accuracy against known answers also passes at the
        threshold: passed if its lower limit reaches it, failed if its upper limit does not (project statistics,
        section 4.1). It is also undecided if the value or the panel's own is undefined ('no_items', 'no_pairs',
        'no_variation'), or if the rule needs an interval and there are fewer than 10 items ('too_few_items').
    """
    n = len(cells.candidate)
    found = measure(rule, cells, np.ones((1, n)), has_interval=True)
    figures = found.value, found.threshold, found.low, found.high
    value, threshold, low, high = (None if np.isnan(each[0]) else float(each[0]) for each in figures)
    n_items = int(found.n_items[0])
    result = Result(UNDECIDED, value, low, high, threshold, n_items)
    if value is None or threshold is None:
        return replace(result, reason=_why_undefined(rule, cells, n_items), low=None, high=None)
    if low is None and rule.decision == INTERVAL:
        return replace(result, reason=TOO_FEW_ITEMS)
    return replace(result, state=(PASSED, FAILED, UNDECIDED)[int(np.argmax(outcomes(rule, found)[:, 0]))])


def panels_own(
    method: str, members: npt.ArrayLike, n_categories: int, mirror: Sequence[int] | None = None
) -> float | None:
    """Return the panel's own value of the coefficient that measures candidates.

    Parameters
    ----------
    members : (items, M) int array
        The panel's codes, -1 for no answer.
    mirror : sequence of int, optional
        Chance is that of the answers in both orders, see :meth:`Histogram.in_both_orders`.

    Returns
    -------
    float or None
        Fleiss kappa of all members, or the mean over members of Cohen's kappa with the majority of the others. None
        if it is undefined, and for accuracy, which a panel does not have.
    """
    rows = np.asarray(members, np.int64)
    cells = cells_of(rows, np.zeros(len(rows)), n_categories, mirror=mirror)
    own = float(measure(Rule(method), cells, np.ones((1, len(rows)))).threshold[0])
    return None if np.isnan(own) else own


def weakest(parts: Sequence[Result]) -> Result:
    """Return the result of a rule that every criterion must meet: all must pass, and one that fails decides.

    The numbers are those of the deciding criterion, the one furthest below its threshold.
    """
    for state in (FAILED, UNDECIDED, PASSED):
        found = [part for part in parts if part.state == state]
        if found:
            return min(found, key=_margin)
    return Result(UNDECIDED, reason=NO_ITEMS)


def _margin(result: Result) -> float:
    if result.value is None or result.threshold is None:
        return -2.0
    return result.value - result.threshold


def _why_undefined(rule: Rule, cells: Cells, n_items: int) -> str:
    if len(cells.candidate) == 0 or (rule.method == GOLD and n_items == 0):
        return NO_ITEMS
    votes = cells.panel.sum(axis=1)
    least = 2 if rule.threshold is None else 1
    return NO_PAIRS if n_items == 0 or votes.max(initial=0) < least else NO_VARIATION


# --- results of many candidates at once ------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Found:
    """Results of many candidates at once: (B,) arrays, NaN where undefined."""

    value: FloatArray
    threshold: FloatArray
    low: FloatArray
    high: FloatArray
    n_items: FloatArray


def measure(rule: Rule, cells: Cells, counts: FloatArray, *, has_interval: bool | None = None) -> Found:
    """Measure B candidates; `counts` (B, C) is the number of each cell in each candidate.

    The interval takes most of the time, so it is computed only if it decides or `has_interval` is set.
    """
    has_interval = rule.decision == INTERVAL if has_interval is None else has_interval
    if rule.method == GOLD:
        return _measure_gold(rule, cells, counts)
    if rule.method == MAJORITY_KAPPA:
        value, spread, n = _cohen(unique_modes(cells.panel), cells.candidate, cells, counts, has_interval)
        panel, panel_spread = _members_with_others(cells, counts, has_interval)
    else:
        together = cells.panel + np.eye(cells.panel.shape[1], dtype=np.int64)[cells.candidate]
        value, spread, n = fleiss(together, counts, has_interval, cells.mirror)
        panel, panel_spread, _ = fleiss(cells.panel, counts, has_interval, cells.mirror)
    threshold = panel if rule.threshold is None else np.full(len(counts), float(rule.threshold))
    if not has_interval:
        nothing = np.full(len(counts), np.nan)
        return Found(value, threshold, nothing, nothing, n)
    if rule.threshold is None:
        # Both values come from the same items, so their difference is far more certain than either.
        spread = spread - panel_spread
    # t(N - 1) times the standard error of a mean with these deviations (B, C) of its items.
    size = counts.sum(axis=1)
    error = np.sqrt(divide_or_nan((counts * spread**2).sum(axis=1), size * (size - 1)))
    half = special().stdtrit(np.maximum(size - 1, 1), (1 + rule.level) / 2) * error
    half = np.where(n < FEWEST_ITEMS, np.nan, half)
    return Found(value, threshold, value - half, value + half, n)


def _measure_gold(rule: Rule, cells: Cells, counts: FloatArray) -> Found:
    """Return the share of right answers with Wilson's interval."""
    n = counts @ (cells.is_right >= 0).astype(float)
    right = counts @ (cells.is_right == 1).astype(float)
    z = float(special().ndtri((1 + rule.level) / 2))
    share = divide_or_nan(right, n)
    scale = 1 + divide_or_nan(z * z, n)
    centre = (share + divide_or_nan(z * z / 2, n)) / scale
    half = z / scale * np.sqrt(divide_or_nan(share * (1 - share), n) + divide_or_nan(z * z / 4, n * n))
    threshold = np.full(len(n), np.nan if rule.threshold is None else float(rule.threshold))
    # Exact at the ends: a rounding error would make a candidate with only right answers miss an accuracy of 1.
    low, high = np.where(right == 0, share, centre - half), np.where(right == n, share, centre + half)
    return Found(share, threshold, low, high, n)


# Each function returns a coefficient (B,), the deviation of each cell from it (B, C), and its number of items (B,).
# Without `has_spread`, the second is empty.
_Part = tuple[FloatArray, FloatArray, FloatArray]

NO_SPREAD = np.zeros((0, 0))


def fleiss(patterns: IntArray, counts: FloatArray, has_spread: bool, mirror: Sequence[int] | None = None) -> _Part:
    """Return Fleiss kappa, 'gwet' convention; the deviations are those of Gwet's linearised standard error."""
    tallies = patterns.astype(float)
    votes = tallies.sum(axis=1)
    paired = (votes >= 2).astype(float)
    agreeing = paired * divide_or_nan((tallies**2).sum(axis=1) - votes, np.where(paired > 0, votes * (votes - 1), 1.0))
    item_shares = mean_of_orders(tallies / np.maximum(votes, 1)[:, None], mirror)
    n, n_paired = counts @ (votes > 0).astype(float), counts @ paired
    shares = divide_or_nan(counts @ item_shares, n[:, None])
    expected = (shares**2).sum(axis=1)
    room = unless_rounding(1 - expected)[:, None]
    value = divide_or_nan(divide_or_nan(counts @ agreeing, n_paired) - expected, room[:, 0])
    if not has_spread:
        return value, NO_SPREAD, n_paired
    own = divide_or_nan(n, n_paired)[:, None] * paired * divide_or_nan(agreeing - expected[:, None], room)
    moved = divide_or_nan(shares @ item_shares.T - expected[:, None], room)
    return value, own - 2 * (1 - value)[:, None] * moved - value[:, None], n_paired


def _cohen(first: IntArray, second: IntArray, cells: Cells, counts: FloatArray, has_spread: bool) -> _Part:
    """Return Cohen's kappa over the items with both answers; a constant rater has exactly 0.

    The deviations are those of Fleiss, Cohen & Everitt 1969.
    """
    both = ((first >= 0) & (second >= 0)).astype(float)
    answers = np.eye(cells.panel.shape[1])
    rows, columns = (answers[np.maximum(codes, 0)] * both[:, None] for codes in (first, second))
    same = (rows * columns).sum(axis=1)
    rows, columns = (mean_of_orders(each, cells.mirror) for each in (rows, columns))
    n = counts @ both
    p, q = divide_or_nan(counts @ rows, n[:, None]), divide_or_nan(counts @ columns, n[:, None])
    expected = (p * q).sum(axis=1)
    room = unless_rounding(1 - expected)
    value = divide_or_nan(divide_or_nan(counts @ same, n) - expected, room)
    if not has_spread:
        return value, NO_SPREAD, n
    raw = divide_or_nan(same - (1 - value)[:, None] * (q @ rows.T + p @ columns.T), room[:, None])
    mean = divide_or_nan(value - expected * (1 - value), room)
    scale = divide_or_nan(counts.sum(axis=1), n)[:, None]
    return value, both * (raw - mean[:, None]) * scale, n


def _members_with_others(cells: Cells, counts: FloatArray, has_spread: bool) -> tuple[FloatArray, FloatArray]:
    """Return the mean over the panel's members of their kappa with the majority of the others, and its deviations.

    Members without a defined kappa are left out of the mean.
    """
    n_categories = cells.panel.shape[1]
    unit = np.vstack([np.eye(n_categories, dtype=np.int64), np.zeros(n_categories, np.int64)])  # -1: no vote
    found = [
        _cohen(member, unique_modes(cells.panel - unit[member]), cells, counts, has_spread)[:2]
        for member in cells.members.T
    ]
    if not found:
        return np.full(len(counts), np.nan), np.zeros_like(counts)
    values, spreads = (np.array(each) for each in zip(*found, strict=True))
    known = np.isfinite(values)
    n = known.sum(axis=0)
    mean = divide_or_nan(np.where(known, values, 0.0).sum(axis=0), n)
    if not has_spread:
        return mean, NO_SPREAD
    return mean, divide_or_nan(np.where(known[:, :, None], spreads, 0.0).sum(axis=0), n[:, None])


def outcomes(rule: Rule, found: Found) -> npt.NDArray[np.bool_]:
    """Return (3, B) whether each candidate passed, failed, is undecided; undefined values (NaN) are undecided."""
    is_interval = rule.decision == INTERVAL
    low, high = (found.low, found.high) if is_interval else (found.value, found.value)
    if rule.method == GOLD:
        passed, failed = low >= found.threshold, high < found.threshold
    else:
        passed, failed = low > found.threshold, high <= found.threshold
    return np.stack([passed, failed, ~(passed | failed)])
