r"""The mixed model's equations, with everything inside of conversations eliminated in advance.

The model is y = X b + Z u + e, with a mean for each source (X) and independent normal effects u of variance
lambda_k sigma^2. Everything but annotators is nested in conversations, so V = W^-1 + N G N', where W^-1 (residual,
items, conversations) is block-diagonal and N are the cells annotator x source. With M = N'WN,

    log|V| = log|W^-1| + log|I + T M T|,    T = G^(1/2),

a dense system of the size of N, and X = N E. W comes from three eliminations in turn, each of which subtracts products
of sums over groups: item x source (a number for each), item (a number), conversation with conversation x source (a
small matrix).

Sources: Bates, Maechler, Bolker & Walker 2015, J. Stat. Softw. 67(1), sec. 3 (profiled REML deviance); Searle, Casella
& McCulloch 1992, Variance Components, ch. 6; Henderson & Searle 1981, SIAM Review 23:53 (inverse of a sum).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.mixed.annotators import System, solver_for
from measures.mixed.design import (
    ANNOTATOR,
    ANNOTATOR_SOURCE,
    CONVERSATION,
    CONVERSATION_SOURCE,
    ITEM,
    ITEM_SOURCE,
    Ratings,
)
from measures.mixed.sums import Cells, Products, Rows, nested_sums

# Variances of the effects, relative to the residual variance.
Lambdas = dict[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What one set of variances gives, in units of the residual variance.

    Attributes
    ----------
    log_determinants : float
        log|V| + log|X'V^-1 X|.
    rss : float
        y'Py, the residual sum of squares that generalised least squares leave.
    means : (S,) float array
    covariance : (S, S) float array
        (X'V^-1 X)^-1.
    """

    log_determinants: float
    rss: float
    means: FloatArray
    covariance: FloatArray


class Equations:
    """The pieces of the deviance for any variances, from sums that are made once.

    Values are centred at the mean of their source, which is in `centre`. Raises TooLarge with too many annotators.
    """

    def __init__(self, ratings: Ratings, effects: tuple[str, ...]) -> None:
        self.n, self.effects = len(ratings), effects
        counts = np.bincount(ratings.source)
        self.n_sources = len(counts)
        self.centre = np.bincount(ratings.source, ratings.value) / counts
        y = ratings.value - self.centre[ratings.source]
        self.cells = Cells.of(ratings, effects)
        self.nested = nested_sums(ratings, effects, self.cells, y)
        sums = (self.nested.pairs, self.nested.items, self.nested.conversations)
        wide = self.cells.size + 1
        own = np.arange(wide) * (wide + 1)
        answers = np.arange(self.cells.size) * wide + self.cells.size
        products = [each for each in sums if isinstance(each, Products)]
        places = np.concatenate([own, answers, *(each.place for each in products), *self._places_of_rows()])
        self.solver = solver_for(self.cells, places)
        self._at = {id(each): self.solver.index(each.place) for each in products}
        plain = np.zeros(self.solver.n_places)
        plain[self.solver.index(own)] = [*np.bincount(self.cells.cell), float(y @ y)]
        plain[self.solver.index(answers)] = np.bincount(self.cells.cell, y)
        self._plain = plain
        self._known: tuple[tuple[float, ...], tuple[float, System]] | None = None

    def _places_of_rows(self) -> list[IntArray]:
        """Return the places of sums that are made at each evaluation."""
        rows = self.nested.conversations
        if not isinstance(rows, Rows):
            return []
        of_conversation = np.ones((len(self.nested.make_of), self.n_sources, self.n_sources))
        found = rows.product(np.ones((len(self.nested.slot), self.n_sources)), of_conversation).tocoo()
        upper = found.row <= found.col
        return [found.row[upper].astype(np.int64) * (self.cells.size + 1) + found.col[upper]]

    def pieces(self, lambdas: Lambdas) -> Pieces:
        """Return the pieces at these variances; effects that are not named have none."""
        log_v, system = self._without_conversations(lambdas)
        whole, n_sources = system.whole, self.n_sources
        both, single = lambdas.get(ANNOTATOR, 0.0), lambdas.get(ANNOTATOR_SOURCE, 0.0)
        if both or single:
            log_inner, explained = self.solver.solve(system, both, single)
            log_v, whole = log_v + log_inner, whole - explained
        x, xy = whole[:n_sources, :n_sources], whole[:n_sources, n_sources]
        covariance = np.linalg.inv(x)
        means = covariance @ xy
        rss = float(whole[n_sources, n_sources] - xy @ means)
        return Pieces(log_v + float(np.linalg.slogdet(x)[1]), rss, means, (covariance + covariance.T) / 2)

    def _without_conversations(self, lambdas: Lambdas) -> tuple[float, System]:
        """Return log|W^-1| and the system of N; the last one is kept, as many steps change an annotator's variance."""
        key = tuple(lambdas.get(name, 0.0) for name in (CONVERSATION, CONVERSATION_SOURCE, ITEM, ITEM_SOURCE))
        if self._known is None or self._known[0] != key:
            log_w, upper = self._eliminate(*key)
            self._known = key, (log_w, self.solver.system(upper))
        return self._known[1]

    def _eliminate(self, conv: float, conv_source: float, item: float, item_source: float) -> tuple[float, FloatArray]:
        """Return log|W^-1| and the upper triangle of [N y]'W [N y], by its places."""
        sums, n_sources = self.nested, self.n_sources
        # Of one item of each type: what is left of a rating, of a source and of the whole item.
        d = 1 / (1 + item_source * sums.type_counts)
        m = sums.type_counts * d
        b = item / (1 + item * m.sum(axis=1))
        log_w = float(sums.n_of_type @ (np.log1p(item * m.sum(axis=1)) - np.log(d).sum(axis=1)))
        found = self._plain.copy()
        if sums.pairs is not None:
            self._subtract(found, sums.pairs, item_source / (1 + item_source * sums.pairs.first))
        if sums.items is not None:
            first, second = sums.items.first, sums.items.second
            self._subtract(found, sums.items, b[first // n_sources] * d.ravel()[first] * d.ravel()[second])
        if sums.conversations is None:
            return log_w, found
        one = np.eye(n_sources)
        of_type = m[:, :, None] * (one - b[:, None, None] * m[:, None, :])
        h = np.zeros((len(sums.n_of_make), n_sources, n_sources))
        np.add.at(h, sums.make, sums.n[:, None, None] * of_type[sums.type])
        prior = conv + conv_source * one
        inner = one + prior @ h
        log_w += float(sums.n_of_make @ np.linalg.slogdet(inner)[1])
        k = np.linalg.solve(inner, np.broadcast_to(prior, inner.shape))
        kind, source = sums.slot // n_sources, sums.slot % n_sources
        a = d[kind, source][:, None] * (one[source] - (b[:, None] * m)[kind])
        if isinstance(sums.conversations, Rows):
            return log_w, found - self.solver.upper(sums.conversations.product(a, k[sums.make_of]))
        ka = np.einsum("ls,lst->lt", a, k[sums.slot_make])
        first, second = sums.conversations.first, sums.conversations.second
        self._subtract(found, sums.conversations, np.einsum("ls,ls->l", ka[first], a[second]))
        return log_w, found

    def _subtract(self, found: FloatArray, products: Products, coefficients: Any) -> None:
        found -= np.bincount(self._at[id(products)], coefficients[products.kind] * products.value, len(found))
