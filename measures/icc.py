"""Intraclass correlations of complete interval ratings (Shrout & Fleiss 1979, Psychol. Bull. 86:420)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray
from measures.estimate import NO_PAIRS, NO_VARIATION, Estimate

FORMS = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")


@dataclass(frozen=True, slots=True)
class _MeanSquares:
    between_items: float
    within_items: float
    between_raters: float
    residual: float


def icc(ratings: npt.ArrayLike) -> dict[str, Estimate]:
    """Return the six forms for an (items, raters) matrix of numbers without gaps.

    Undefined: 'no_pairs' with fewer than two items or two raters, 'no_variation' when a form is 0/0.
    """
    matrix = np.asarray(ratings, float)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ValueError("the intraclass correlation needs a complete (items, raters) matrix of numbers")
    n, k = matrix.shape
    if n < 2 or k < 2:
        return dict.fromkeys(FORMS, Estimate(None, NO_PAIRS))
    ms = _mean_squares(matrix)
    b, w, j, e = ms.between_items, ms.within_items, ms.between_raters, ms.residual
    fractions = (
        (b - w, b + (k - 1) * w),
        (b - e, b + (k - 1) * e + k * (j - e) / n),
        (b - e, b + (k - 1) * e),
        (b - w, b),
        (b - e, b + (j - e) / n),
        (b - e, b),
    )
    pairs = zip(FORMS, fractions, strict=True)
    return {form: _estimate(top, bottom, matrix) for form, (top, bottom) in pairs}


def _mean_squares(matrix: FloatArray) -> _MeanSquares:
    n, k = matrix.shape
    grand, items, raters = matrix.mean(), matrix.mean(axis=1), matrix.mean(axis=0)
    within = matrix - items[:, None]
    return _MeanSquares(
        between_items=float(k * ((items - grand) ** 2).sum() / (n - 1)),
        within_items=float((within**2).sum() / (n * (k - 1))),
        between_raters=float(n * ((raters - grand) ** 2).sum() / (k - 1)),
        residual=float(((within - raters + grand) ** 2).sum() / ((n - 1) * (k - 1))),
    )


def _estimate(top: float, bottom: float, matrix: FloatArray) -> Estimate:
    n_ratings = int(matrix.size)
    if abs(bottom) < 1e-12 * max(1.0, float(np.abs(matrix).max()) ** 2):
        return Estimate(None, NO_VARIATION, n_items=len(matrix), n_ratings=n_ratings)
    return Estimate(top / bottom, n_items=len(matrix), n_ratings=n_ratings)
