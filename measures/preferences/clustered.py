"""Variances of estimates from comparisons that share conversations and annotators.

Answers about one conversation are alike, and so are those of one annotator: the variance of a model that takes answers
for independent is too small. The variance here adds up what the estimates change without each conversation and
without each annotator, less what the two count twice, and is at least the larger of the two. The degrees of freedom
of each part fall with unequal loads, and Satterthwaite's approximation joins them.

Sources: Cameron, Gelbach & Miller 2011, JBES 29:238; MacKinnon, Nielsen & Webb 2024, Jackknife inference with two-way
clustering, arXiv:2406.08880; Carter, Schnepel & Steigerwald 2017, REStat 99:698; Satterthwaite 1946, Biom. Bull. 2:110.
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.estimate import NO_STANDARD_ERROR
from measures.preferences.davidson import Fit
from measures.two_way import joined

SINGLE_ANNOTATOR, SINGLE_CONVERSATION, SINGLE_CLUSTER = "single_annotator", "single_conversation", "single_cluster"
# Leaving out a cluster that holds less than this of what is known of one parameter moves the estimates by its score
# alone, within this share.
SMALL_SHARE = 1e-2
# An eigenvalue so near to 1: without this cluster nothing is known about a parameter.
ALL_OF_IT = 1 - 1e-6
CELLS_PER_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Weighted sums of parameters, and whose degrees of freedom each has.

    Attributes
    ----------
    weights : (K, P) float array
    basis : (K, m) int array
        The contrasts of :func:`spread`, the least of whose degrees of freedom counts: a difference of two sources is
        not better known than the strength of either.
    """

    weights: FloatArray
    basis: IntArray


@dataclass(frozen=True, eq=False)
class _Part:
    """Clusters of one kind.

    Attributes
    ----------
    covariance : (P, P) float array
        The jackknife covariance of the parameters.
    df : (B,) float array
        Degrees of freedom of the contrasts of :func:`spread`.
    unknown : (P, U) float array
        Directions about which one cluster alone tells.
    """

    covariance: FloatArray
    df: FloatArray
    unknown: FloatArray


@dataclass(frozen=True, eq=False)
class Spread:
    """The variance of the parameters.

    Attributes
    ----------
    parts : list
        Annotators and conversations, without those of which there is only one.
    both : (P, P) float array
        What two parts count twice.
    note : str or None
        'single_annotator' or 'single_conversation': the variance is over the other one only; 'single_cluster': there
        is no variance at all.
    """

    parts: list[_Part]
    both: FloatArray
    note: str | None
    n_annotators: int
    n_clusters: int

    def of(self, contrasts: Contrasts) -> tuple[FloatArray, FloatArray]:
        """Return (K,) variances and degrees of freedom, NaN where one cluster alone tells about a contrast."""
        if not self.parts:
            return np.full((2, len(contrasts.weights)), np.nan)[0], np.full(len(contrasts.weights), np.nan)
        c = contrasts.weights
        each = np.stack([_quadratic(c, part.covariance) for part in self.parts])
        df = np.stack([part.df[contrasts.basis].min(axis=1) for part in self.parts])
        both = -_quadratic(c, self.both)
        variance, freedom = joined(np.vstack([each, both]), np.vstack([df, np.full(len(c), np.inf)]))
        unknown = [(np.abs(c @ part.unknown) > 1e-6).any(axis=1) for part in self.parts]
        is_unknown = np.any(unknown, axis=0)
        # With less than one degree of freedom no t has a spread that means anything.
        return np.where(is_unknown, np.nan, variance), np.maximum(freedom, 1)

    @property
    def joint(self) -> FloatArray:
        """Return (P, P) covariances without the negative eigenvalues that a difference of covariances may have."""
        values, vectors = np.linalg.eigh(sum((part.covariance for part in self.parts), -self.both))
        found: FloatArray = (vectors * np.maximum(values, 0)) @ vectors.T
        return found

    def note_of(self, variance: float) -> str | None:
        return self.note or (NO_STANDARD_ERROR if np.isnan(variance) else None)


def _quadratic(contrasts: FloatArray, matrix: FloatArray) -> FloatArray:
    found: FloatArray = np.einsum("kp,pq,kq->k", contrasts, matrix, contrasts, optimize=True)
    return found


def spread(fit: Fit, annotator: IntArray, cluster: IntArray, basis: FloatArray) -> Spread:
    """Return the variance of a fit over annotators and conversations, with degrees of freedom of (B, P) contrasts."""
    annotators, clusters = (np.unique(each, return_inverse=True)[1] for each in (annotator, cluster))
    n_annotators, n_clusters = int(annotators.max()) + 1, int(clusters.max()) + 1
    parts = [_part(fit, each, basis) for each in (annotators, clusters) if each.max() > 0]
    both, note = np.zeros_like(fit.inverse), None
    if len(parts) == 2:
        both = _within(fit, annotators * n_clusters + clusters)
    else:
        note = SINGLE_CLUSTER if not parts else SINGLE_ANNOTATOR if n_annotators == 1 else SINGLE_CONVERSATION
    return Spread(parts, both, note, n_annotators, n_clusters)


def _within(fit: Fit, group: IntArray) -> FloatArray:
    """Return the covariance over the answers of one annotator about one conversation: too few for a jackknife."""
    groups, place = np.unique(group, return_inverse=True)
    influence = fit.design.sums(fit.scores, place, len(groups)) @ fit.inverse
    found: FloatArray = influence.T @ influence
    return found


def _part(fit: Fit, group: IntArray, basis: FloatArray) -> _Part:
    """Leave out each cluster, and let the estimates follow by one step of Newton."""
    n = int(group.max()) + 1
    scores = fit.design.sums(fit.scores, group, n)
    influence, unknown = scores @ fit.inverse, [np.zeros((len(fit.inverse), 0))]
    whitening = np.linalg.inv(np.linalg.cholesky(fit.information))
    share = np.bincount(group, fit.design.traces(fit.weights, fit.inverse), n)
    size = max(1, CELLS_PER_BLOCK // (fit.design.n_parameters + 1) ** 2)
    large = np.flatnonzero(share > SMALL_SHARE)
    for start in range(0, len(large), size):
        mine = large[start : start + size]
        place = np.full(n, -1)
        place[mine] = np.arange(len(mine))
        rows = np.flatnonzero(place[group] >= 0)
        squares = fit.design.rows(rows).squares(fit.weights[rows], place[group[rows]], len(mine))
        values, vectors = np.linalg.eigh(whitening @ squares @ whitening.T)
        back = np.einsum("qp,gqv->gpv", whitening, vectors, optimize=True)
        is_all = values > ALL_OF_IT
        unknown.append(back.transpose(0, 2, 1)[is_all].T)
        moved = np.einsum("gpv,gp->gv", back, scores[mine], optimize=True) / np.where(is_all, np.inf, 1 - values)
        influence[mine] = np.einsum("gpv,gv->gp", back, moved, optimize=True)
    covariance = influence.T @ influence * (n - 1) / n
    return _Part(covariance, _degrees(fit, group, n, basis), np.concatenate(unknown, axis=1))


def _degrees(fit: Fit, group: IntArray, n: int, basis: FloatArray) -> FloatArray:
    """Return for each contrast how many clusters of equal size would know as much, less one.

    A cluster g tells w_g = b' I^-1 I_g I^-1 b about a contrast b, where I_g is minus the sum of the second derivatives
    of its answers and I that of all answers: (sum w)^2 / sum w^2 - 1, after Carter, Schnepel & Steigerwald 2017 with
    the model's own variance of an answer. :class:`Contrasts` says whose degrees of freedom a difference has.
    """
    found = np.zeros(len(basis))
    for at, contrast in enumerate(basis @ fit.inverse):
        share = np.bincount(group, fit.design.squared(fit.weights, contrast), n)
        found[at] = share.sum() ** 2 / (share**2).sum() - 1
    return np.maximum(found, 1e-9)
