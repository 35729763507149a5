"""The likelihood of single answers on an ordered scale, with its derivatives, by the logistic distribution.

An answer y has the probability F(a) - F(c), with a = threshold(y) - eta and c = threshold(y - 1) - eta; the outer
thresholds are infinite. The letters behind an underscore say by what something is differentiated.

Source: McCullagh 1980, J. R. Stat. Soc. B 42:109 (proportional odds).
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """(n,) arrays: the log-likelihood and its derivatives by a, c and eta. `w` is minus the second one by eta."""

    log: FloatArray
    by_a: FloatArray
    by_c: FloatArray
    eta_a: FloatArray
    eta_c: FloatArray
    w_a: FloatArray
    w_c: FloatArray

    @property
    def by_eta(self) -> FloatArray:
        return -(self.by_a + self.by_c)

    @property
    def w(self) -> FloatArray:
        return self.eta_a + self.eta_c

    @property
    def w_eta(self) -> FloatArray:
        return -(self.w_a + self.w_c)


def likelihood(answer: IntArray, eta: FloatArray, thresholds: FloatArray) -> Likelihood:
    """Return the likelihood of answers 0..K-1 at the predictors `eta`, with K-1 ascending thresholds."""
    ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
    a, c = ends[answer + 1] - eta, ends[answer] - eta
    upper, lower = _logistic(a), _logistic(c)
    f_a, f_c = upper * (1 - upper), lower * (1 - lower)
    # F(a) - F(c) loses its digits where both are near 1; this form does not.
    p = np.where(c > 0, _logistic(-c) - _logistic(-a), upper - lower)
    p = np.maximum(p, 1e-300)
    l_a, l_c = f_a / p, -f_c / p
    l_aa = f_a * (1 - 2 * upper) / p - l_a**2
    l_cc = -f_c * (1 - 2 * lower) / p - l_c**2
    l_ac = -l_a * l_c
    l_aaa = f_a * (1 - 6 * f_a) / p - 3 * l_a * l_aa - l_a**3
    l_ccc = -f_c * (1 - 6 * f_c) / p - 3 * l_c * l_cc - l_c**3
    l_aac = (l_a**2 - l_aa) * l_c
    l_acc = (l_c**2 - l_cc) * l_a
    return Likelihood(
        log=np.log(p),
        by_a=l_a,
        by_c=l_c,
        eta_a=-(l_aa + l_ac),
        eta_c=-(l_ac + l_cc),
        w_a=-(l_aaa + 2 * l_aac + l_acc),
        w_c=-(l_aac + 2 * l_acc + l_ccc),
    )


def _logistic(x: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-x)))
