"""Compare sources in any design: a mean for each with its interval, and all differences, on all ratings.

Ratings of a source are a sample from populations of annotators and of conversations, and intervals are for those: new
annotators, new conversations. What a design cannot tell apart is left out of the model and named; where the design says
nothing of a population (one annotator, one conversation), there are means and no intervals.

Sources: Baayen, Davidson & Bates 2008, J. Mem. Lang. 59:390 (crossed random effects); Barr, Levy, Scheepers & Tily
2013, J. Mem. Lang. 68:255 (effects by source belong into the model); Westfall, Kenny & Judd 2014, J. Exp. Psychol. Gen.
143:2020 (the effect size: the difference in standard deviations of one rating); the model's in
:mod:`measures.mixed.fitting`.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.comparison import holm
from measures.estimate import NO_SPREAD, TOO_FEW_ITEMS, Estimate
from measures.intervals import UNRELIABLE, special, t_interval
from measures.mixed.annotators import TooLarge
from measures.mixed.design import (
    ALWAYS_AGREE,
    ANNOTATOR,
    ANNOTATOR_SOURCE,
    CONFOUNDED,
    CONVERSATION,
    ITEM_SOURCE,
    NOT_IDENTIFIED,
    SINGLE_GROUP,
    LeftOut,
    Ratings,
    told_apart,
)
from measures.mixed.equations import Equations
from measures.mixed.fitting import MANY_RATINGS, SMALLEST, Fit, fit
from measures.mixed.robust import UNBOUNDED, PlainDifference, plain_differences
from measures.mixed.shared import SharedAnnotators, shared_annotators
from measures.mixed.spread import Spread, UnequalVariances, spreads_of, unequal_variances

NO_RATINGS = "no_ratings"
SINGLE_ANNOTATOR = "single_annotator"
SINGLE_CONVERSATION = "single_conversation"
TOO_MANY_ANNOTATORS = "too_many_annotators"
NOT_CONVERGED = "not_converged"
NO_RESIDUAL = "no_residual"
BEYOND_SCALE, RARE_ANSWER = "beyond_scale", "rare_answer"
# Of the scale's width: a mean that is further beyond its end than this is marked.
NOISE = 1e-4
# A source with fewer answers of the rarer kind, 0 or 1, is marked.
FEWEST_OF_RARER_ANSWER = 5
BY_MODEL, PLAIN = "model", "plain"
# Below these an interval holds if answers are about normal, and is marked.
FEWEST_RELIABLE_ANNOTATORS, FEWEST_RELIABLE_CONVERSATIONS = 3, 10
# From here on the variances of a part of the ratings are where the search begins.
ANNOTATORS_TO_START, CONVERSATIONS_TO_START, SEED = 0.3, 0.5, 0


@dataclass(frozen=True, slots=True)
class SourceMean:
    """The mean of a source; `estimate.n_items` conversations and `estimate.n_ratings` ratings of it."""

    source: int
    estimate: Estimate
    degrees_of_freedom: float | None


@dataclass(frozen=True, slots=True)
class SourceDifference:
    """The first source less the second.

    Attributes
    ----------
    estimate : Estimate
        In points of the scale; `n_ratings` of both sources.
    p_value, adjusted_p : float or None
        Two-sided, and after Holm over all differences that have one; None wherever the interval is withheld.
    effect : float or None
        The difference in standard deviations of one rating, of all random effects together; None as p is.
    degrees_of_freedom : float or None
    shared : SharedAnnotators or None
        None where annotators are unknown.
    """

    first: int
    second: int
    estimate: Estimate
    p_value: float | None = None
    adjusted_p: float | None = None
    effect: float | None = None
    degrees_of_freedom: float | None = None
    shared: SharedAnnotators | None = None


@dataclass(frozen=True, slots=True)
class RandomEffect:
    """An effect of the model (or 'residual'), its groups, and its standard deviation in points of the scale."""

    effect: str
    n_groups: int
    sd: float


@dataclass(frozen=True, slots=True)
class SourceComparison:
    """All sources of one criterion.

    Attributes
    ----------
    means : tuple of SourceMean
        One for each source, also for one without ratings.
    differences : tuple of SourceDifference
    effects : tuple of RandomEffect
        What the model has, the residual last; empty without a model.
    left_out : tuple of LeftOut
        Effects that the design cannot tell apart.
    checks : tuple of PlainDifference
        Differences of plain means with two-way clustered intervals; empty with fewer than 20 annotators. They are there
        also where annotators are too many for the model.
    weighting : 'model' or 'plain'
        'model': generalised least squares, in which ratings count less the more they share with others. 'plain': every
        rating counts alike, where there is no model.
    n_ratings, n_annotators, n_conversations : int
        Annotators are 0 if they are not identified.
    is_binary : bool
        Only two answers occur, 0 and 1: means are shares and the model is one of linear probability.
    spreads : tuple of Spread
        How much the answers about each source with ratings vary.
    """

    means: tuple[SourceMean, ...]
    differences: tuple[SourceDifference, ...]
    effects: tuple[RandomEffect, ...]
    left_out: tuple[LeftOut, ...]
    checks: tuple[PlainDifference, ...]
    weighting: str
    n_ratings: int
    n_annotators: int
    n_conversations: int
    is_binary: bool
    spreads: tuple[Spread, ...]

    @property
    def unequal_variances(self) -> UnequalVariances | None:
        """Return how unequal the variances of answers are that the model takes for equal; None if hardly."""
        has_intervals = any(each.estimate.low is not None for each in self.means)
        return unequal_variances(self.spreads) if has_intervals else None

    @property
    def has_no_taste(self) -> bool:
        """Return whether the model estimates that annotators agree in which source they prefer."""
        known = {each.effect: each.sd for each in self.effects}
        known |= {each.effect: known[each.beside] for each in self.left_out if each.beside in known}
        return known.get(ANNOTATOR_SOURCE) == 0


def compare_sources(
    ratings: Ratings, n_sources: int, *, level: float = 0.95, bounds: tuple[float, float] = UNBOUNDED
) -> SourceComparison:
    """Fit the mixed model and return means and all differences.

    Parameters
    ----------
    n_sources : int
        A source without ratings has no mean, 'no_ratings'.
    bounds : pair of float
        Ends of the scale: intervals of means end there, and those of differences at the largest possible difference.

    Notes
    -----
    Intervals are withheld, with p values and effect sizes, if the answers do not vary within any source ('no_spread'),
    if there is one annotator or one conversation, or one for each source ('single_annotator', 'single_conversation'),
    if the effects explain every answer ('no_residual'), and where less than one degree of freedom is left
    ('too_few_items'). Where that leaves no interval at all there is no model either: its variances would move means
    away from the ratings, and nobody could say how far. With fewer than 3 annotators or 10 conversations they are
    marked 'unreliable'. If all answers are 0 or 1, and fewer than 5 of a source are 0, or 1, its intervals are marked
    'rare_answer'. The model may place a mean outside of the scale: it is set to the end of the scale and marked
    'beyond_scale', unless that is by less than a ten-thousandth of the scale, or all ratings of the source are at that
    end. Differences stay those of the model.

    Where all annotators of an item always agree, each item of a source counts once, and annotators have no effect.
    """
    present, source = np.unique(ratings.source, return_inverse=True)
    here = replace(ratings, source=source.ravel())
    effects, left_out = told_apart(here) if len(here) else ((), ())
    note = _why_no_interval(here, left_out)
    basis = here
    if not note and _always_agree(here):
        basis = _one_each(here)
        effects, left_out = told_apart(basis)
        left_out = tuple(
            replace(each, reason=ALWAYS_AGREE) if each.reason == NOT_IDENTIFIED else each for each in left_out
        )
    model = None if note else _fitted(basis, effects)
    if isinstance(model, str):
        model, note = None, model
    is_few = 0 < here.n_groups(ANNOTATOR) < FEWEST_RELIABLE_ANNOTATORS
    is_few = is_few or here.n_groups(CONVERSATION) < FEWEST_RELIABLE_CONVERSATIONS
    is_binary = bool(np.isin(here.value, (0.0, 1.0)).all()) and len(here) > 0
    ones = _ones(here) if is_binary else None
    contrasts = _Contrasts(here, present, model, note, UNRELIABLE if is_few else None, level, _rare(here, ones))
    if model is not None and not contrasts.has_intervals:
        model, note = None, TOO_FEW_ITEMS
        contrasts = replace(contrasts, model=model, note=note)
    pairs = list(combinations(range(len(present)), 2))
    return SourceComparison(
        means=tuple(contrasts.mean(source, bounds) for source in range(n_sources)),
        differences=_corrected([contrasts.difference(*pair, bounds) for pair in pairs]),
        effects=() if model is None else _effects(basis, model),
        left_out=left_out,
        checks=()
        if note and note != TOO_MANY_ANNOTATORS
        else _named(plain_differences(here, level=level, bounds=bounds), present),
        weighting=PLAIN if model is None else BY_MODEL,
        n_ratings=len(here),
        n_annotators=here.n_groups(ANNOTATOR),
        n_conversations=here.n_groups(CONVERSATION),
        is_binary=is_binary,
        spreads=spreads_of(here.source, here.value, present, is_binary=is_binary),
    )


def _ones(ratings: Ratings) -> IntArray:
    """Return (S,) how many answers of each source are 1."""
    return np.bincount(ratings.source, ratings.value).astype(np.int64)


def _rare(ratings: Ratings, ones: IntArray | None) -> BoolArray:
    """Return (S,) which sources have hardly any answers of one of two kinds."""
    counts = np.bincount(ratings.source)
    if ones is None:
        return np.zeros(len(counts), bool)
    return np.asarray(np.minimum(ones, counts - ones) < FEWEST_OF_RARER_ANSWER, bool)


def _why_no_interval(ratings: Ratings, left_out: tuple[LeftOut, ...]) -> str | None:
    if not len(ratings):
        return NO_RATINGS
    counts = np.bincount(ratings.source)
    if len(ratings) <= len(counts):
        return TOO_FEW_ITEMS
    spread = ratings.value - (np.bincount(ratings.source, ratings.value) / counts)[ratings.source]
    if np.abs(spread).max() <= 1e-12 * max(1.0, float(np.abs(ratings.value).max())):
        return NO_SPREAD
    alone = {each.effect for each in left_out if each.reason in (SINGLE_GROUP, CONFOUNDED)}
    if ANNOTATOR in alone:
        return SINGLE_ANNOTATOR
    return SINGLE_CONVERSATION if CONVERSATION in alone else None


def _always_agree(ratings: Ratings) -> bool:
    """Whether all ratings of an item of a source are the same, of several: annotators then have no variance."""
    groups = ratings.groups[ITEM_SOURCE]
    first = np.zeros(ratings.n_groups(ITEM_SOURCE))
    first[groups] = ratings.value
    return len(first) < len(ratings) and bool((first[groups] == ratings.value).all())


def _one_each(ratings: Ratings) -> Ratings:
    """Return one rating of each item of a source: with more of the same, the model would have no residual."""
    chosen = np.zeros(len(ratings), bool)
    chosen[np.unique(ratings.groups[ITEM_SOURCE], return_index=True)[1]] = True
    return replace(ratings.some(chosen), annotator=None)


def _fitted(ratings: Ratings, effects: tuple[str, ...]) -> Fit | str:
    """Return the model, or why there is none."""
    try:
        equations = Equations(ratings, effects)
        found = fit(equations, _start(ratings, effects))
    except TooLarge:
        return TOO_MANY_ANNOTATORS
    if found.residual_sd < 10 * SMALLEST * found.total_sd:
        return NO_RESIDUAL
    return found if found.is_converged else NOT_CONVERGED


def _start(ratings: Ratings, effects: tuple[str, ...]) -> FloatArray | None:
    """Return relative standard deviations from some of the annotators and conversations, which cost little time."""
    if len(ratings) < MANY_RATINGS:
        return None
    rng = np.random.default_rng(SEED)
    chosen = np.ones(len(ratings), bool)
    for effect, share in ((ANNOTATOR, ANNOTATORS_TO_START), (CONVERSATION, CONVERSATIONS_TO_START)):
        if ratings.n_groups(effect):
            chosen &= (rng.random(ratings.n_groups(effect)) < share)[ratings.groups[effect]]
    part = ratings.some(chosen)
    if len(np.unique(part.source)) < len(np.unique(ratings.source)):
        return None
    found = fit(Equations(part, effects))
    return np.clip(found.sds / found.residual_sd, 0.01, 10.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Contrasts:
    """Estimates of means and differences, with or without a model."""

    ratings: Ratings
    present: IntArray
    model: Fit | None
    note: str | None
    mark: str | None
    level: float
    is_rare: BoolArray

    @property
    def has_intervals(self) -> bool:
        """Return whether a mean or a difference has one, so that the model says more than plain means."""
        one = np.eye(len(self.present))
        contrasts = [*one, *(one[first] - one[second] for first, second in combinations(range(len(one)), 2))]
        found = (self._estimate(each) for each in contrasts)
        return any(df is not None and t_interval(each, df, self.level).low is not None for each, df in found)

    def mean(self, source: int, bounds: tuple[float, float]) -> SourceMean:
        place = np.searchsorted(self.present, source)
        if place == len(self.present) or self.present[place] != source:
            return SourceMean(source, Estimate(None, NO_RATINGS), None)
        contrast = np.zeros(len(self.present))
        contrast[place] = 1.0
        estimate, df = self._estimate(contrast)
        estimate = t_interval(estimate, df, self.level, bounds) if df is not None else estimate
        values = self.ratings.value[self.ratings.source == place]
        return SourceMean(source, _within(self._marked(estimate, contrast), values, bounds), df)

    def difference(self, first: int, second: int, bounds: tuple[float, float]) -> SourceDifference:
        contrast = np.zeros(len(self.present))
        contrast[first], contrast[second] = 1.0, -1.0
        estimate, df = self._estimate(contrast)
        widest = (bounds[0] - bounds[1], bounds[1] - bounds[0])
        estimate = t_interval(estimate, df, self.level, widest) if df is not None else estimate
        marked = self._marked(estimate, contrast)
        people = shared_annotators(self.ratings, first, second)
        found = SourceDifference(int(self.present[first]), int(self.present[second]), marked, shared=people)
        if self.model is None or estimate.low is None or estimate.value is None or not estimate.standard_error:
            return found
        p = 2 * float(special().stdtr(df, -abs(estimate.value) / estimate.standard_error))
        return replace(found, p_value=p, effect=estimate.value / self.model.total_sd, degrees_of_freedom=df)

    def _estimate(self, contrast: FloatArray) -> tuple[Estimate, float | None]:
        counts = np.bincount(self.ratings.source)
        chosen = contrast != 0
        of_these = chosen[self.ratings.source]
        sizes: dict[str, Any] = {
            "n_ratings": int(counts[chosen].sum()),
            "n_items": len(np.unique(self.ratings.conversation[of_these])),
        }
        if self.model is None:
            means = np.bincount(self.ratings.source, self.ratings.value) / counts
            return Estimate(float(contrast @ means), interval_note=self.note, **sizes), None
        error = float(np.sqrt(max(self.model.variance(contrast), 0.0)))
        df = min(self.model.degrees_of_freedom(contrast), float(len(self.ratings) - len(counts)))
        return Estimate(float(contrast @ self.model.means), standard_error=error, **sizes), df

    def _marked(self, estimate: Estimate, contrast: FloatArray) -> Estimate:
        if estimate.low is None:
            return estimate
        is_rare = self.is_rare[contrast != 0].any()
        return replace(estimate, interval_note=RARE_ANSWER if is_rare else self.mark)


def _within(estimate: Estimate, values: FloatArray, bounds: tuple[float, float]) -> Estimate:
    """Return the estimate with the end of the scale in place of what lies beyond it.

    It is marked if that is not noise, and if the end is not the mean of the values anyway.
    """
    value = estimate.value
    if value is None or bounds[0] <= value <= bounds[1]:
        return estimate
    inside = [
        None if each is None else min(max(each, bounds[0]), bounds[1]) for each in (value, estimate.low, estimate.high)
    ]
    noise = NOISE * (bounds[1] - bounds[0]) if np.isfinite(bounds).all() else NOISE
    is_noise = bounds[0] - noise <= value <= bounds[1] + noise or bool((values == inside[0]).all())
    note = estimate.interval_note if is_noise else BEYOND_SCALE
    return replace(estimate, value=inside[0], low=inside[1], high=inside[2], interval_note=note)


def _corrected(found: list[SourceDifference]) -> tuple[SourceDifference, ...]:
    adjusted = iter(holm([each.p_value for each in found if each.p_value is not None]).tolist())
    return tuple(each if each.p_value is None else replace(each, adjusted_p=next(adjusted)) for each in found)


def _effects(ratings: Ratings, model: Fit) -> tuple[RandomEffect, ...]:
    found = [
        RandomEffect(effect, ratings.n_groups(effect), float(sd))
        for effect, sd in zip(model.effects, model.sds, strict=True)
    ]
    return (*found, RandomEffect("residual", len(ratings), model.residual_sd))


def _named(checks: tuple[PlainDifference, ...], present: IntArray) -> tuple[PlainDifference, ...]:
    return tuple(replace(each, first=int(present[each.first]), second=int(present[each.second])) for each in checks)
