"""Rank sources by comparisons: strengths, expected win rates and ranks, with intervals over conversations and people.

Sources: Davidson 1970, JASA 65:317; Al Mohamad, Goeman & van Zwet 2022, Biometrics 78:238, and Klein, Wright
& Wieczorek 2020, JRSS C 69:589 (ranks from simultaneous intervals); :mod:`measures.preferences.clustered`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.estimate import Estimate
from measures.intervals import special, t_interval
from measures.preferences.clustered import Contrasts, Spread, spread
from measures.preferences.comparisons import BOTH_BAD, TIE, Comparisons, PairCounts
from measures.preferences.consistency import Consistency, consistency
from measures.preferences.davidson import Fit, fit
from measures.preferences.ranks import chains, rank_limits
from measures.preferences.simultaneous import largest

DAVIDSON, BRADLEY_TERRY = "davidson", "bradley_terry"
ELO = 400 / math.log(10)
NEVER_LOST, NEVER_WON, ONE_SIDED = "never_lost", "never_won", "one_sided"
NOT_CONNECTED, NO_COMPARISONS, SEPARATED = "not_connected", "no_comparisons", "separated"
NO_PREFERENCE, NO_RANKING = "no_preference", "no_ranking"
NOT_TOLD_APART, NO_SIDES, NO_TIES = "not_told_apart", "no_sides", "no_ties"
# All answers about these sources went one way, so they have a rank without a strength.
PLACED = (NEVER_LOST, NEVER_WON, ONE_SIDED)


@dataclass(frozen=True, slots=True)
class SourceRank:
    """A source.

    Attributes
    ----------
    strength : Estimate
        On the log scale, mean 0 over the ranked sources; times :data:`ELO` it is on the Elo scale. Reasons:
        'never_lost', 'never_won', 'one_sided' (its group never lost to the ranked sources, or never won),
        'not_connected', 'no_comparisons', 'separated' (another effect has no finite estimate), 'no_preference'
        (all answers are ties).
    win_rate : Estimate
        The mean expected score against each of the other ranked sources with the side and the covariates 0:
        the chance of a preference plus half the chance of a tie.
    best_rank, worst_rank : int or None
        With 95 % confidence, the ranks of all sources lie within these at once, see :func:`rank_limits`.
    """

    source: int
    strength: Estimate
    win_rate: Estimate
    best_rank: int | None = None
    worst_rank: int | None = None


@dataclass(frozen=True, slots=True)
class PairRate:
    """Two sources: strength of the first minus that of the second, and the expected score of the first against it."""

    first: int
    second: int
    difference: Estimate
    win_rate: Estimate
    differs: bool | None


@dataclass(frozen=True, eq=False)
class Ranking:
    """The ranking.

    Attributes
    ----------
    model : 'davidson' or 'bradley_terry'
        Their strengths are on different scales if ties are counted as half a preference each; here ties have a
        parameter, and without ties the two are the same.
    tie : Estimate
        Davidson's nu: against an equal source, a tie is nu times as likely as either preference. 'no_ties'.
    side_bias : Estimate
        The log odds that the left one of two equal sources is preferred; 'no_sides' if nobody knows the sides, and
        'not_told_apart' if each pair was always shown with the same sides; 'separated' if it explains all answers.
    covariates : tuple of Estimate
        Log odds per unit of left minus right; 'not_told_apart' if the data cannot tell one from the others.
    counts : PairCounts
        All answers.
    n : int
        Answers that the model uses.
    n_both_bad, n_left_out : int
        Answers that call both bad, and the other answers about sources without a strength.
    n_by_side : int
        Answers that say nothing of strengths: everybody who saw the sides preferred the same one.
    n_unsided : int
        Of the `n`, those whose sides nobody knows: the model takes them as free of a side bias.
    note : str or None
        'single_annotator', 'single_conversation' or 'single_cluster', see :class:`Spread`.
    triads : list of (int, int, int)
        Circular triads, see :meth:`PairCounts.circular_triads`.
    """

    model: str
    sources: list[SourceRank]
    pairs: list[PairRate]
    tie: Estimate
    side_bias: Estimate
    covariates: tuple[Estimate, ...]
    counts: PairCounts
    consistency: Consistency
    triads: list[tuple[int, int, int]]
    n: int
    n_both_bad: int
    n_left_out: int
    n_annotators: int
    n_clusters: int
    note: str | None
    n_by_side: int = 0
    n_unsided: int = 0

    @property
    def in_order(self) -> list[SourceRank]:
        """Return the sources from the best to the worst, those that no chain of answers places last.

        A source whose answers all went one way stands above or below all those that they lead to. Strengths that differ
        by rounding errors only are equal, and these sources keep their order.
        """
        leads = chains(self.counts.preferred + self.counts.tied > 0)
        lead = leads.sum(axis=1) - leads.sum(axis=0)

        def key(each: SourceRank) -> tuple[bool, int, float]:
            is_placed = each.strength.reason is None or each.strength.reason in PLACED
            return not is_placed, -int(lead[each.source]), -round(each.strength.value or 0, 9)

        return sorted(self.sources, key=key)


def rank(answers: Comparisons, *, level: float = 0.95, seed: int = 0) -> Ranking:
    """Fit Davidson's model to the comparisons, and the intervals that two-way clustering gives."""
    counts, used = answers.counts(), answers.where(answers.outcome != BOTH_BAD)
    reasons = _reasons(counts)
    ranked = np.flatnonzero([reason is None for reason in reasons])
    mine = used.among(ranked)
    found = fit(mine) if len(ranked) else None
    if found is not None and found.is_extrapolated:
        mine = replace(mine, covariates=np.zeros_like(mine.covariates))
        found = fit(mine)
    if found is None:
        if len(ranked) and (by_side := _decided_by_side(used)).any() and not by_side.all():
            return _without(by_side, used, counts, level, seed)
        unfit = [reason or SEPARATED for reason in reasons]
        return _unranked(answers, counts, unfit, used)
    return _Ranked(mine, found, level).ranking(answers, counts, ranked, reasons, seed, used)


def _decided_by_side(used: Comparisons) -> BoolArray:
    """Return (n,) which answers the side explains without exception: all with known sides if each prefers the same."""
    sided = used.is_sided.astype(bool)
    is_same = len(np.unique(used.outcome[sided])) == 1 and TIE not in used.outcome[sided]
    return sided if is_same else np.zeros(len(used), bool)


def _without(by_side: BoolArray, used: Comparisons, counts: PairCounts, level: float, seed: int) -> Ranking:
    """Rank by the answers that the side does not explain.

    As its effect grows without bound, the chance of the others becomes 1 whatever the strengths are: the likelihood
    is that of the rest.
    """
    found = rank(used.where(~by_side), level=level, seed=seed)
    return replace(
        found,
        side_bias=Estimate(None, SEPARATED),
        counts=counts,
        triads=counts.circular_triads(),
        n_both_bad=int(counts.both_bad.sum()) // 2,
        n_by_side=int(by_side.sum()),
    )


def _reasons(counts: PairCounts) -> list[str | None]:
    """Return for each source why it has no strength; None for those of the largest group that has strengths."""
    compared, groups = counts.compared, counts.components()
    if not counts.preferred.any():
        return [NO_PREFERENCE if row.any() else NO_COMPARISONS for row in compared]
    sizes = np.bincount(groups)
    inside = np.array([compared[np.ix_(groups == g, groups == g)].sum() for g in range(len(sizes))])
    best = int(np.lexsort((inside, sizes))[-1])
    is_ranked = (groups == best) & (sizes[best] > 1)
    start = is_ranked if is_ranked.any() else np.ones(len(compared), bool)
    reach = start | chains(compared > 0)[start].any(axis=0)
    return [
        None if is_ranked[source] else _reason(counts, source, is_linked=bool(reach[source]))
        for source in range(len(compared))
    ]


def _reason(counts: PairCounts, source: int, *, is_linked: bool) -> str:
    if not counts.compared[source].any():
        return NO_COMPARISONS
    if not is_linked:
        return NOT_CONNECTED
    if counts.tied[source].any():
        return ONE_SIDED
    if not counts.preferred[:, source].any():
        return NEVER_LOST
    return ONE_SIDED if counts.preferred[source].any() else NEVER_WON


def _unranked(answers: Comparisons, counts: PairCounts, reasons: Sequence[str], used: Comparisons) -> Ranking:
    others, nobody = _placed(reasons), np.zeros(0, np.int64)
    limits = rank_limits(used, counts, np.zeros((0, 0), bool), nobody, others)
    sources = _without_strength(reasons, limits)
    shared = next((reason for reason in (NO_PREFERENCE, SEPARATED) if reason in reasons), NO_RANKING)
    nothing = Estimate(None, shared)
    return Ranking(
        model=DAVIDSON if (used.outcome == TIE).any() else BRADLEY_TERRY,
        sources=sources,
        pairs=[],
        tie=nothing,
        side_bias=nothing,
        covariates=(nothing,) * answers.covariates.shape[1],
        counts=counts,
        consistency=Consistency.undefined(shared),
        triads=counts.circular_triads(),
        n=0,
        n_both_bad=len(answers) - len(used),
        n_left_out=len(used),
        n_annotators=len(np.unique(answers.annotator)),
        n_clusters=len(np.unique(answers.cluster)),
        note=None,
    )


def _placed(reasons: Sequence[str | None]) -> IntArray:
    return np.flatnonzero(np.isin([reason or "" for reason in reasons], PLACED))


def _without_strength(reasons: Sequence[str | None], limits: Sequence[tuple[int, int] | None]) -> list[SourceRank]:
    rows = zip(reasons, limits, strict=True)
    return [
        SourceRank(at, Estimate(None, why), Estimate(None, why), *(ends or (None, None)))
        for at, (why, ends) in enumerate(rows)
        if why is not None
    ]


class _Ranked:
    """The estimates of a fit with their intervals. Sources are numbered from 0 among those that are ranked."""

    def __init__(self, answers: Comparisons, found: Fit, level: float) -> None:
        self.answers, self.fit, self.level = answers, found, level
        design = found.design
        self.strengths = design.contrasts
        others = np.eye(design.n_parameters)[design.n_sources - 1 :]
        self.basis = np.vstack([self.strengths, others])
        self.spread: Spread = spread(found, answers.annotator, answers.cluster, self.basis)
        first, second = np.triu_indices(design.n_sources, 1)
        self.pairs: IntArray = np.stack([first, second], axis=1)
        self.differences = Contrasts(self.strengths[first] - self.strengths[second], self.pairs)

    def ranking(
        self,
        answers: Comparisons,
        counts: PairCounts,
        ranked: IntArray,
        reasons: Sequence[str | None],
        seed: int,
        used: Comparisons,
    ) -> Ranking:
        design = self.fit.design
        single = self._estimates(Contrasts(self.basis, np.arange(len(self.basis))[:, None]))
        better = self._is_better(seed)
        limits = rank_limits(used, counts, better, ranked, _placed(reasons))
        sources = self._sources(single, ranked, limits)
        left_out = _without_strength(reasons, limits)
        tie = _through(np.exp, single[design.n_sources]) if design.has_ties else Estimate(0.0, interval_note=NO_TIES)
        after = design.n_sources + design.has_ties
        side = single[after] if design.has_side else Estimate(None, self._why_no_side())
        covariates = dict(zip(design.covariates.tolist(), single[after + design.has_side :], strict=True))
        unknown = Estimate(None, NOT_TOLD_APART)
        return Ranking(
            model=DAVIDSON if design.has_ties else BRADLEY_TERRY,
            sources=sorted([*sources, *left_out], key=lambda each: each.source),
            pairs=self._pair_rates(ranked, better),
            tie=tie,
            side_bias=side,
            covariates=tuple(covariates.get(at, unknown) for at in range(answers.covariates.shape[1])),
            counts=counts,
            consistency=self._consistency(ranked, seed),
            triads=counts.circular_triads(),
            n=len(self.answers),
            n_unsided=int((~self.answers.is_sided).sum()),
            n_both_bad=len(answers) - len(used),
            n_left_out=len(used) - len(self.answers),
            n_annotators=self.spread.n_annotators,
            n_clusters=self.spread.n_clusters,
            note=self.spread.note,
        )

    def _why_no_side(self) -> str:
        return NOT_TOLD_APART if self.answers.is_sided.any() else NO_SIDES

    def _estimates(self, contrasts: Contrasts, values: FloatArray | None = None) -> list[Estimate]:
        """Return estimates with t intervals; `values` if they are not the contrasts of the parameters themselves."""
        variance, df = self.spread.of(contrasts)
        middle = contrasts.weights @ self.fit.parameters if values is None else values
        rows = zip(middle.tolist(), variance.tolist(), df.tolist(), strict=True)
        return [self._estimate(*row) for row in rows]

    def _estimate(self, value: float, variance: float, df: float) -> Estimate:
        if math.isnan(variance):
            return Estimate(value, interval_note=self.spread.note_of(variance))
        found = Estimate(value, standard_error=math.sqrt(max(variance, 0.0)))
        return t_interval(found, df, self.level, bounds=(-math.inf, math.inf))

    def _sources(
        self, single: list[Estimate], ranked: IntArray, limits: Sequence[tuple[int, int] | None]
    ) -> list[SourceRank]:
        rates, slopes = self._expected_scores()
        n = len(ranked)
        mean, slope = rates.sum(axis=1) / (n - 1), slopes.sum(axis=1) / (n - 1)
        win_rates = self._rates(mean, slope, np.arange(n)[:, None])
        return [
            SourceRank(int(source), single[at], win_rates[at], *(limits[source] or (None, None)))
            for at, source in enumerate(ranked)
        ]

    def _pair_rates(self, ranked: IntArray, better: BoolArray | None) -> list[PairRate]:
        rates, slopes = self._expected_scores()
        at = tuple(self.pairs.T)
        differences = self._estimates(self.differences)
        win_rates = self._rates(rates[at], slopes[at], self.pairs)
        return [
            PairRate(
                int(ranked[a]),
                int(ranked[b]),
                difference,
                rate,
                None if better is None else bool(better[a, b] or better[b, a]),
            )
            for (a, b), difference, rate in zip(self.pairs.tolist(), differences, win_rates, strict=True)
        ]

    def _expected_scores(self) -> tuple[FloatArray, FloatArray]:
        """Return (S, S) expected scores of the row against the column and their (S, S, P) slopes; 0 on the diagonal."""
        design, parameters = self.fit.design, self.fit.parameters
        strengths = self.strengths @ parameters
        eta = strengths[:, None] - strengths
        nu = math.exp(parameters[design.tie_at]) if design.has_ties else 0.0
        total = 2 * np.cosh(eta / 2) + nu
        lead, tie = 2 * np.sinh(eta / 2) / total, nu / total
        slopes = (self.strengths[:, None] - self.strengths) * ((1 - tie - lead**2) / 4)[:, :, None]
        if design.has_ties:
            slopes[:, :, design.tie_at] -= lead * tie / 2
        is_other = ~np.eye(len(strengths), dtype=bool)
        return (1 + lead) / 2 * is_other, slopes * is_other[:, :, None]

    def _rates(self, rates: FloatArray, slopes: FloatArray, basis: IntArray) -> list[Estimate]:
        """Return rates with intervals that are symmetric on the scale of log odds."""
        logits, scale = np.log(rates / (1 - rates)), rates * (1 - rates)
        found = self._estimates(Contrasts(slopes / scale[:, None], basis), logits)
        return [_through(special().expit, each) for each in found]

    def _is_better(self, seed: int) -> BoolArray | None:
        """Return (S, S) whether the row is better than the column, all at once with the confidence asked for.

        The largest of all standardised differences is drawn from the joint normal distribution of the strengths; the
        p value that it has with the chance that is left is then each difference's own, by its degrees of freedom.
        """
        if not self.spread.parts:
            return None
        variance, df = self.spread.of(self.differences)
        draws = largest(self.spread.joint, self.differences.weights, seed)
        smallest = special().ndtr(-np.quantile(draws, self.level))
        margin = -special().stdtrit(df, smallest) * np.sqrt(np.nan_to_num(variance, nan=np.inf))
        difference = self.differences.weights @ self.fit.parameters
        first, second = self.pairs.T
        found = np.zeros((self.fit.design.n_sources,) * 2, bool)
        found[first, second] = difference > margin
        found[second, first] = -difference > margin
        return found

    def _consistency(self, ranked: IntArray, seed: int) -> Consistency:
        found = consistency(self.answers, self.fit, seed)
        if found.triad is None:
            return found
        a, b, c = found.triad
        return replace(found, triad=(int(ranked[a]), int(ranked[b]), int(ranked[c])))


def _through(function: Callable[[FloatArray], FloatArray], found: Estimate) -> Estimate:
    """Return an estimate and its limits after a function that rises."""
    value = float(function(np.asarray(found.value, float)))
    if found.low is None or found.high is None:
        return Estimate(value, interval_note=found.interval_note)
    low, high = function(np.array([found.low, found.high])).tolist()
    return Estimate(value, low=low, high=high, interval_note=found.interval_note)
