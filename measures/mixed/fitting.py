"""Find the variances that minimise the REML deviance, and what they say of a contrast of means.

Variances are looked for as standard deviations relative to the residual's, of which the deviance is an even and smooth
function, so that a variance of 0 is an ordinary minimum. Derivatives are central differences.

Sources: Bates et al. 2015 (as in :mod:`measures.mixed.equations`); Giesbrecht & Burns 1985, Biometrics 41:477, and Fai
& Cornelius 1996, J. Stat. Comput. Simul. 54:363 (Satterthwaite's degrees of freedom); Kuznetsova, Brockhoff &
Christensen 2017, J. Stat. Softw. 82(13) (lmerTest, whose treatment of variances of 0 is the same: they are taken as
known).
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray
from measures.mixed.design import ANNOTATOR, ANNOTATOR_SOURCE
from measures.mixed.equations import Equations, Pieces

Place = tuple[int, ...]

MOST_STEPS, MOST_HALVINGS, MOST_KICKS = 60, 20, 2
START, KICK, WIDTH = 0.5, 0.1, 5e-4
# Relative standard deviations: below the first one a variance is 0, above the second the residual is.
SMALLEST, LARGEST = 1e-4, 1e4
# How much the deviance may rise when a small variance becomes 0.
TRACE = 1e-6
# What a last step may promise before it is taken: after it, the promise is about its square.
PRECISION, PRECISION_OF_MANY, MANY_RATINGS = 1e-6, 1e-3, 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """The parts of the deviance at one place, with their derivatives by the relative standard deviations.

    Attributes
    ----------
    pieces : Pieces
    gradient : (2, k) float array
        Of log-determinants and rss.
    hessian : (2, k, k) float array
        Of the same.
    slopes : (k, S, S) float array
        First derivatives of the means' covariance.
    free : int
        Ratings less sources.
    """

    pieces: Pieces
    gradient: FloatArray
    hessian: FloatArray
    slopes: FloatArray
    free: int

    def of_deviance(self) -> tuple[FloatArray, FloatArray]:
        """Return gradient and Hessian of the deviance at the best residual variance."""
        logs, share = self.gradient[0], self.gradient[1] / self.pieces.rss
        hessian = self.hessian[1] / self.pieces.rss - np.outer(share, share)
        return logs + self.free * share, self.hessian[0] + self.free * hessian

    def of_full_deviance(self) -> FloatArray:
        """Return the Hessian by the relative standard deviations and log sigma^2, at the best sigma^2."""
        k = len(self.slopes)
        found = np.zeros((k + 1, k + 1))
        found[:k, :k] = self.hessian[0] + self.hessian[1] * self.free / self.pieces.rss
        found[:k, k] = found[k, :k] = -self.gradient[1] * self.free / self.pieces.rss
        found[k, k] = self.free
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The model at its best variances.

    Attributes
    ----------
    effects : tuple of str
    sds : (k,) float array
        Standard deviation of each effect, in points of the scale.
    residual_sd : float
    means : (S,) float array
    covariance : (S, S) float array
        Of the means.
    slopes : (k + 1, S, S) float array
        Derivatives of `covariance` by the relative standard deviations and log sigma^2.
    spread : (k + 1, k + 1) float array
        Covariance matrix of these parameters; 0 for variances of 0.
    is_converged : bool
    """

    effects: tuple[str, ...]
    sds: FloatArray
    residual_sd: float
    means: FloatArray
    covariance: FloatArray
    slopes: FloatArray
    spread: FloatArray
    is_converged: bool

    @property
    def total_sd(self) -> float:
        """Return the standard deviation of one rating of a source."""
        return float(np.sqrt((self.sds**2).sum() + self.residual_sd**2))

    def variance(self, contrast: npt.ArrayLike) -> float:
        c = np.asarray(contrast, float)
        return float(c @ self.covariance @ c)

    def degrees_of_freedom(self, contrast: npt.ArrayLike) -> float:
        """Satterthwaite's: 2 v^2 / Var(v), with Var(v) by the delta method; infinite if v is known."""
        c = np.asarray(contrast, float)
        slopes = np.einsum("s,kst,t->k", c, self.slopes, c)
        spread = float(slopes @ self.spread @ slopes)
        return 2 * self.variance(c) ** 2 / spread if spread > 0 else np.inf


def fit(equations: Equations, start: npt.ArrayLike | None = None) -> Fit:
    """Fit by Newton's method, with steps that are shortened until the deviance falls."""
    theta = np.full(len(equations.effects), START) if start is None else np.asarray(start, float)
    enough = PRECISION if equations.n < MANY_RATINGS else PRECISION_OF_MANY
    kicks = MOST_KICKS
    for _ in range(MOST_STEPS):
        found = curvature(equations, theta)
        step, gain = newton_step(found, theta)
        stuck = (theta < SMALLEST) & (np.diag(found.of_deviance()[1]) < 0)
        if gain < enough and stuck.any() and kicks:
            # A variance of 0 is stationary, and yet no minimum where the deviance falls away from it.
            kicks -= 1
            theta = np.where(stuck, KICK, theta)
        elif gain < enough:
            return _fit_at(equations, *_settled(equations, moved(theta, step), found), True)
        else:
            before, theta = theta, _shortened(equations, found, theta, step)
            if (theta == before).all():
                break
    return _fit_at(equations, theta, found, False)


def _without_traces(equations: Equations, theta: FloatArray) -> FloatArray:
    """Return the place with 0 for each small variance that the deviance does not tell from 0.

    Where the deviance is flat at 0, as with two sources and balanced ratings, Newton's steps come near 0 and never
    there. The degrees of freedom would depend on where they end.
    """
    free = equations.n - equations.n_sources
    for k in np.flatnonzero((theta > 0) & (theta < KICK)):
        there = np.where(np.arange(len(theta)) == k, 0.0, theta)
        if deviance(pieces_at(equations, there), free) < deviance(pieces_at(equations, theta), free) + TRACE:
            theta = there
    return theta


def _settled(equations: Equations, theta: FloatArray, found: Curvature) -> tuple[FloatArray, Curvature]:
    """Return the place after a last step from near the minimum, and derivatives that are right to six digits.

    Of many ratings they cost too much, and those of the place before are taken.
    """
    within = _without_traces(equations, theta)
    if (within != theta).any():
        theta = moved(within, newton_step(curvature(equations, within), within)[0])
    if equations.n < MANY_RATINGS:
        return theta, curvature(equations, theta)
    return theta, replace(found, pieces=pieces_at(equations, theta))


def moved(theta: FloatArray, step: FloatArray) -> FloatArray:
    """Take a step. One that would cross 0 goes most of the way there, and to 0 from nearby."""
    found = theta + step
    toward = np.where(theta > KICK / 5, theta / 10, 0.0)
    return np.where(found < 0, toward, np.minimum(found, LARGEST))


def deviance(pieces: Pieces, free: int) -> float:
    """Return the REML deviance at the best residual variance, without its constant."""
    return pieces.log_determinants + free * float(np.log(max(pieces.rss, 1e-300)))


def pieces_at(equations: Equations, theta: FloatArray) -> Pieces:
    return equations.pieces(dict(zip(equations.effects, (theta**2).tolist(), strict=True)))


def curvature(equations: Equations, theta: FloatArray) -> Curvature:
    """Differentiate by central differences, with 1 + k + k^2 evaluations.

    Mixed derivatives of many ratings are taken on one side, for half of the time; they are right within 1 %.
    """
    k = len(theta)
    sides = (1, -1) if equations.n < MANY_RATINGS else (1,)
    h = WIDTH * np.maximum(np.abs(theta), 0.1)
    at: dict[Place, FloatArray] = {(): theta}
    for i in range(k):
        at |= {(i, sign): theta + sign * h * np.eye(k)[i] for sign in (1, -1)}
        at |= {(i, j, s): theta + s * h * (np.eye(k)[i] + np.eye(k)[j]) for j in range(i) for s in sides}
    found = _evaluated(equations, at)
    parts = {key: np.array([p.log_determinants, p.rss]) for key, p in found.items()}
    gradient, hessian, slopes = np.zeros((2, k)), np.zeros((2, k, k)), np.zeros((k, *found[()].covariance.shape))
    for i in range(k):
        gradient[:, i] = (parts[i, 1] - parts[i, -1]) / (2 * h[i])
        slopes[i] = (found[i, 1].covariance - found[i, -1].covariance) / (2 * h[i])
        hessian[:, i, i] = (parts[i, 1] + parts[i, -1] - 2 * parts[()]) / h[i] ** 2
        for j in range(i):
            corners = [parts[i, j, s] - parts[i, s] - parts[j, s] + parts[()] for s in sides]
            hessian[:, i, j] = hessian[:, j, i] = sum(corners) / (len(sides) * h[i] * h[j])
    return Curvature(found[()], gradient, hessian, slopes, equations.n - equations.n_sources)


def _evaluated(equations: Equations, at: dict[Place, FloatArray]) -> dict[Place, Pieces]:
    """Evaluate at all places, those with the same variances inside of conversations together: they share most work."""
    inside = [k for k, effect in enumerate(equations.effects) if effect not in (ANNOTATOR, ANNOTATOR_SOURCE)]
    order = sorted(at, key=lambda key: tuple(at[key][inside]))
    return {key: pieces_at(equations, at[key]) for key in order}


def newton_step(found: Curvature, theta: FloatArray) -> tuple[FloatArray, float]:
    """Return a step that goes down, also where the deviance is not convex, and the fall that it promises."""
    gradient, hessian = found.of_deviance()
    if not len(theta):
        return theta, 0.0
    values, vectors = np.linalg.eigh(hessian)
    values = np.maximum(np.abs(values), 1e-8 * max(1.0, float(np.abs(values).max())))
    step = -vectors @ ((vectors.T @ gradient) / values)
    gain = float(-gradient @ step) / 2
    limit = np.maximum(1.0, np.abs(theta))
    return step / max(1.0, float((np.abs(step) / limit).max())), gain


def _shortened(equations: Equations, found: Curvature, theta: FloatArray, step: FloatArray) -> FloatArray:
    now = deviance(found.pieces, found.free)
    for _ in range(MOST_HALVINGS):
        there = moved(theta, step)
        if deviance(pieces_at(equations, there), found.free) < now:
            return there
        step = step / 2
    return theta


def _fit_at(equations: Equations, theta: FloatArray, found: Curvature, is_converged: bool) -> Fit:
    sigma2 = found.pieces.rss / found.free
    free = np.append(theta >= SMALLEST, True)
    k = len(theta)
    spread = np.zeros((k + 1, k + 1))
    spread[np.ix_(free, free)] = 2 * _positive_inverse(found.of_full_deviance()[np.ix_(free, free)])
    covariance = sigma2 * found.pieces.covariance
    return Fit(
        effects=equations.effects,
        sds=np.where(free[:k], theta, 0.0) * np.sqrt(sigma2),
        residual_sd=float(np.sqrt(sigma2)),
        means=equations.centre + found.pieces.means,
        covariance=covariance,
        slopes=np.concatenate([sigma2 * found.slopes, covariance[None]]),
        spread=spread,
        is_converged=is_converged,
    )


def _positive_inverse(hessian: FloatArray) -> FloatArray:
    """Invert along the directions in which the deviance rises; variances that nothing tells apart have none."""
    values, vectors = np.linalg.eigh(hessian)
    rises = values > 1e-8 * float(values.max())
    chosen = vectors[:, rises]
    return chosen @ (chosen / values[rises]).T
