"""Odds ratios of sources: how many times as high the odds of a better answer are."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from measures.arrays import FloatArray
from measures.comparison import holm
from measures.intervals import special
from measures.mixed.annotators import TooLarge
from measures.mixed.design import LeftOut, Ratings, told_apart
from measures.ordinal.model import CumulativeModel

FEWEST_ANSWERS = 2  # different ones
NOT_CONVERGED, TOO_LARGE, NO_VARIATION, SEPARATED = "not_converged", "too_large", "no_variation", "separated"
GRADIENT, STEP, SMALLEST_SD, LARGEST_LOG_ODDS = 1e-6, 1e-4, 1e-3, 12.0


@dataclass(frozen=True, slots=True)
class OddsRatio:
    """The odds that `first` has an answer above any place of the scale, over those of `second`, with a 95 % interval.

    `p_value` is Wald's, `adjusted_p` Holm's over all pairs.
    """

    first: int
    second: int
    ratio: float
    low: float
    high: float
    p_value: float
    adjusted_p: float


@dataclass(frozen=True, slots=True, eq=False)
class CumulativeFit:
    """The model of one criterion.

    Attributes
    ----------
    pairs : tuple of OddsRatio
        Empty if there is no model.
    effects : dict of str to float
        Standard deviation of each random effect, in log odds.
    left_out : tuple of LeftOut
        Effects that the design cannot tell apart.
    log_odds, errors : (S,) float arrays
        Of the sources beside the first, with their standard errors; the first is 0.
    log_likelihood : float or None
    reason : str or None
        Why there is no model: 'no_variation' (one answer only), 'too_large', 'not_converged', or 'separated' (a
        source has only the highest or the lowest answer, so that its odds have no bound).
    """

    pairs: tuple[OddsRatio, ...] = ()
    effects: dict[str, float] | None = None
    left_out: tuple[LeftOut, ...] = ()
    log_odds: FloatArray | None = None
    errors: FloatArray | None = None
    log_likelihood: float | None = None
    reason: str | None = None


def odds_ratios(ratings: Ratings, *, level: float = 0.95, effects: tuple[str, ...] | None = None) -> CumulativeFit:
    """Return the odds ratios of all pairs of sources, from ratings whose values are answers on an ordered scale.

    Parameters
    ----------
    ratings : Ratings
        Only the order of `value` counts. Sources are codes from 0, each with ratings.
    effects : tuple of str, optional
        Random effects; by default those that the design can tell apart.
    """
    answer = np.unique(ratings.value, return_inverse=True)[1].ravel().astype(np.int64)
    known, left_out = told_apart(ratings)
    effects = known if effects is None else effects
    if answer.max(initial=0) + 1 < FEWEST_ANSWERS:
        return CumulativeFit(reason=NO_VARIATION)
    try:
        model = CumulativeModel(ratings, answer, effects)
    except TooLarge:
        return CumulativeFit(left_out=left_out, reason=TOO_LARGE)
    return replace(_fitted(model, effects, level), left_out=left_out)


def _fitted(model: CumulativeModel, effects: tuple[str, ...], level: float) -> CumulativeFit:
    from scipy.optimize import minimize  # 0.3 s to import

    n = len(model.answer)

    def scaled(vector: FloatArray) -> tuple[float, FloatArray]:
        found = model(vector)
        return found.deviance / n, found.gradient / n

    best = minimize(scaled, model.start(), jac=True, method="BFGS", options={"gtol": GRADIENT})
    first, k = model.n_thresholds, model.n_sources - 1
    log_odds = np.append(0.0, best.x[first : first + k])
    if np.ptp(log_odds) > LARGEST_LOG_ODDS:
        return CumulativeFit(reason=SEPARATED)
    covariance = _covariance(model, best.x)
    if not np.isfinite(best.fun) or np.abs(best.jac).max() > 100 * GRADIENT or covariance is None:
        return CumulativeFit(reason=NOT_CONVERGED)
    of_sources = np.zeros((k + 1, k + 1))
    of_sources[1:, 1:] = covariance[first : first + k, first : first + k]
    sds = np.abs(best.x[first + k :])[np.argsort(model.levels.order)]
    return CumulativeFit(
        pairs=_pairs(log_odds, of_sources, level),
        effects=dict(zip(effects, sds.tolist(), strict=True)),
        log_odds=log_odds,
        errors=np.sqrt(np.diag(of_sources)),
        log_likelihood=-best.fun * n / 2,
    )


def _covariance(model: CumulativeModel, vector: FloatArray) -> FloatArray | None:
    """Return the parameters' covariance by differences of the gradient; 0 for standard deviations of 0."""
    n_fixed = model.n_thresholds + model.n_sources - 1
    kept = (np.arange(len(vector)) < n_fixed) | (np.abs(vector) > SMALLEST_SD)
    places = np.flatnonzero(kept)
    rows = []
    for place in places:
        step = np.zeros(len(vector))
        step[place] = STEP
        rows.append((model(vector + step).gradient - model(vector - step).gradient)[places] / (2 * STEP))
    hessian = (np.array(rows) + np.array(rows).T) / 2
    if not np.isfinite(hessian).all() or np.linalg.eigvalsh(hessian).min() <= 0:
        return None
    found = np.zeros((len(vector), len(vector)))
    found[np.ix_(places, places)] = 2 * np.linalg.inv(hessian)
    return found


def _pairs(log_odds: FloatArray, covariance: FloatArray, level: float) -> tuple[OddsRatio, ...]:
    width = float(special().ndtri((1 + level) / 2))
    found = []
    for a, b in combinations(range(len(log_odds)), 2):
        difference = float(log_odds[a] - log_odds[b])
        error = float(np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]))
        low, high = np.exp([difference - width * error, difference + width * error]).tolist()
        p = 2 * float(special().ndtr(-abs(difference) / error))
        found.append(OddsRatio(a, b, float(np.exp(difference)), low, high, p, p))
    adjusted = holm([each.p_value for each in found]).tolist()
    return tuple(replace(each, adjusted_p=p) for each, p in zip(found, adjusted, strict=True))
