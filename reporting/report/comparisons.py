"""Compare the sources of each criterion on all ratings, whatever the design: means, differences, and what is behind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from annotation.agreement_cells import NO_SOURCE
from measures.comparison import holm
from measures.estimate import Estimate
from measures.mixed.design import ANNOTATOR, RESIDUAL, LeftOut
from measures.mixed.equivalence import equivalence_p
from measures.mixed.letters import compact_letters
from measures.mixed.shared import SharedAnnotators
from measures.mixed.sources import RandomEffect, SourceDifference, SourceMean
from measures.mixed.sources import SourceComparison as Compared
from protocols.models import ProtocolVersion
from reporting.report.unused import Unused, n_unsure_not_positive, unused_answers
from reporting.study.cells import StudyCells
from reporting.study.comparing import compared
from reporting.study.plain import spread
from reporting.study.scores import ratings_of, scale_of
from reporting.study.votes import CriterionVotes, StudyVotes

NO_SCORES = "no_scores"
ANSWERS_UNUSED, ANNOTATORS_UNKNOWN, NO_TASTE = "answers_unused", "annotators_unknown", "annotator_source_zero"
UNEQUAL_VARIANCES, FEW_SHARED = "unequal_variances", "few_shared_annotators"
LEVEL = 0.05
SHARE_TO_WARN = 0.01


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """A 95 % interval for new annotators and new conversations, and the ratings behind it.

    Without an interval, `interval_note` says why.
    """

    low: float | None
    high: float | None
    interval_note: str | None
    standard_error: float | None
    degrees_of_freedom: float | None
    n_ratings: int
    n_conversations: int


@dataclass(frozen=True, slots=True)
class SourceScore:
    """The mean score of a source, in points of the scale or as a share from 0 to 1; see `score`.

    The source of whole dialogues is None. Sources that share a letter of `letters` do not differ significantly after
    Holm's correction; None if not all pairs were tested.
    """

    criterion: str
    source: str | None
    score: str
    mean: float | None
    limits: ModelLimits = field(metadata=spread())
    letters: str | None


@dataclass(frozen=True, slots=True)
class Check:
    """The difference of plain means, with errors clustered by annotator and by conversation.

    None with fewer than 20 of either.
    """

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided tests against the study's margin, which is in units of the score here.

    None without a margin, and p values also where the interval is withheld; `p_holm` is corrected over the pairs.
    """

    margin: float | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class SourcePair:
    """The mean of source a minus that of source b, in units of `score`.

    Wherever the interval is withheld, so are p values, `effect` and degrees of freedom. `p_holm` is corrected over the
    pairs of the criterion. `effect` is the difference in standard deviations of one rating. `shared` has the annotators
    of either source and of both; None if they are unknown.
    """

    criterion: str
    source_a: str | None
    source_b: str | None
    score: str
    difference: float | None
    limits: ModelLimits = field(metadata=spread())
    p: float | None
    p_holm: float | None
    effect: float | None
    shared: SharedAnnotators | None = field(metadata=spread("annotators"))
    check: Check = field(metadata=spread("check"))
    equivalence: Equivalence = field(metadata=spread("equivalence"))

    @property
    def is_significant(self) -> bool:
        return self.p_holm is not None and self.p_holm <= LEVEL

    @property
    def is_equivalent(self) -> bool:
        return self.equivalence.p_holm is not None and self.equivalence.p_holm <= LEVEL


@dataclass(frozen=True, slots=True)
class Variance:
    """A random effect of the model, or 'residual': its groups, and its variance in squared units of the score.

    An effect that the design cannot tell apart has no number: `left_out` says why, and `beside` names the effect that
    stands for both if their groups are the same.
    """

    criterion: str
    effect: str
    n_groups: int | None
    sd: float | None
    variance: float | None
    left_out: str | None
    beside: str


@dataclass(frozen=True, slots=True)
class Unequal:
    """Variances so different that one does not suit all sources: the largest is `ratio` times the smallest.

    The others are the names of the sources whose intervals are too narrow, and too wide.
    """

    ratio: float
    too_narrow: list[str]
    too_wide: list[str]


@dataclass(frozen=True, slots=True)
class SourceComparison:
    """The sources of a criterion.

    `score` is None if the criterion has neither numbers nor a positive option: then `reason` says so, and the tables
    are empty. Means lie between `scale_low` and `scale_high`. `weighting` is 'model' (generalised least squares) or
    'plain', where there is no model. `n_annotators` and `n_conversations` are those of the `n_ratings` that are used,
    of which `n_unsure_not_positive` are unsure and score 0. `unequal` is None unless the warnings name it.
    """

    criterion: str
    score: str | None
    sources: list[str | None]
    reason: str | None
    weighting: str | None
    is_binary: bool
    scale_low: float | None
    scale_high: float | None
    n_ratings: int
    n_annotators: int
    n_conversations: int
    n_unsure_not_positive: int
    unused: list[Unused]
    warnings: list[str]
    unequal: Unequal | None
    means: list[SourceScore]
    pairs: list[SourcePair]
    variances: list[Variance]

    @property
    def n_unused(self) -> int:
        return sum(each.n for each in self.unused)

    @property
    def margin(self) -> float | None:
        """Return the margin of equivalence in units of the score; None if the study names none."""
        return self.pairs[0].equivalence.margin if self.pairs else None

    @property
    def has_checks(self) -> bool:
        return any(each.check.value is not None for each in self.pairs)

    @property
    def withheld(self) -> str | None:
        """Return why there is no interval at all; None if any mean has one."""
        notes = {each.limits.interval_note if each.limits.low is None else None for each in self.means}
        return notes.pop() if len(notes) == 1 else None

    @property
    def marks(self) -> list[str]:
        """Return the notes of intervals that are shown but marked, each once."""
        ends = [*(each.limits for each in self.means), *(each.limits for each in self.pairs)]
        return list(dict.fromkeys(each.interval_note for each in ends if each.low is not None and each.interval_note))

    @property
    def effects(self) -> list[Variance]:
        return [each for each in self.variances if each.left_out is None]

    @property
    def left_out(self) -> list[Variance]:
        return [each for each in self.variances if each.left_out is not None]


def comparisons(study: StudyCells, votes: StudyVotes) -> list[SourceComparison]:
    """Return a row for each rated criterion. Answers that compare sources directly are no ratings of a source."""
    found = []
    for criterion in study.spec.voted:
        mine = votes.by_criterion[criterion.id]
        if criterion.unit == ProtocolVersion.Unit.COMPARISON or not len(mine.item):
            continue
        found.append(comparison_of(study, mine, study.study.equivalence_margin))
    return found


def comparison_of(study: StudyCells, votes: CriterionVotes, percent: float | None) -> SourceComparison:
    """Compare the sources that have answers. `percent` is the margin of equivalence in per cent of the scale."""
    criterion, sources = votes.criterion, rated_sources(study, votes)
    scale, names = scale_of(criterion), list(sources.values())
    if scale is None:
        return SourceComparison(
            criterion.key, None, names, NO_SCORES, None, False, None, None, 0, 0, 0, 0, [], [], None, [], [], []
        )
    found = compared(ratings_of(votes, scale, list(sources)), len(sources), scale.ends)
    margin = None if percent is None else percent / 100 * (scale.ends[1] - scale.ends[0])
    unused = list(unused_answers(criterion, votes, scale, list(sources)))
    return SourceComparison(
        criterion=criterion.key,
        score=scale.score,
        sources=names,
        reason=None,
        weighting=found.weighting,
        is_binary=found.is_binary,
        scale_low=scale.ends[0],
        scale_high=scale.ends[1],
        n_ratings=found.n_ratings,
        n_annotators=found.n_annotators,
        n_conversations=found.n_conversations,
        n_unsure_not_positive=n_unsure_not_positive(criterion, votes, scale, list(sources)),
        unused=unused,
        warnings=list(_warnings(found, unused, len(votes.item))),
        unequal=_unequal(study, found, names),
        means=means_of(criterion.key, scale.score, names, found),
        pairs=pairs_of(criterion.key, scale.score, names, found, margin),
        variances=[
            *(_variance(criterion.key, each) for each in found.effects),
            *(_left_out(criterion.key, each) for each in found.left_out),
        ],
    )


def rated_sources(study: StudyCells, votes: CriterionVotes) -> dict[int, str | None]:
    rated = set(np.unique(votes.items.source[votes.item]).tolist())
    sources = {pk: key for key, pk in study.source_ids.items() if pk in rated}
    if len(sources) > 1:
        sources.pop(NO_SOURCE, None)
    return sources


def _warnings(found: Compared, unused: list[Unused], n_answers: int) -> Iterable[str]:
    if sum(each.n for each in unused) > SHARE_TO_WARN * n_answers:
        yield ANSWERS_UNUSED
    if any(each.effect == ANNOTATOR and each.reason == RESIDUAL for each in found.left_out):
        yield ANNOTATORS_UNKNOWN
    if found.has_no_taste and found.differences:
        yield NO_TASTE
    if found.unequal_variances:
        yield UNEQUAL_VARIANCES
    if any(each.shared and each.shared.are_few for each in found.differences):
        yield FEW_SHARED


def _unequal(study: StudyCells, found: Compared, keys: list[str | None]) -> Unequal | None:
    uneven = found.unequal_variances
    if uneven is None:
        return None
    names = {each.key: each.name for each in study.sources}
    narrow, wide = ([names[keys[at] or ""] for at in each] for each in (uneven.too_narrow, uneven.too_wide))
    return Unequal(uneven.ratio, narrow, wide)


def means_of(criterion: str, score: str, names: Sequence[str | None], found: Compared) -> list[SourceScore]:
    letters = _letters(found.means, found.differences)
    return [
        SourceScore(
            criterion=criterion,
            source=names[each.source],
            score=score,
            mean=each.estimate.value,
            limits=_limits(each),
            letters=letters.get(each.source),
        )
        for each in found.means
    ]


def _letters(means: Iterable[SourceMean], differences: tuple[SourceDifference, ...]) -> dict[int, str]:
    """Return the letters of the sources, the highest mean first; none unless every pair was tested."""
    tested = {(each.first, each.second): each.adjusted_p for each in differences}
    if not tested or None in tested.values():
        return {}
    known = {each.source: each.estimate.value for each in means if each.estimate.value is not None}
    order = sorted(known, key=lambda source: -known[source])
    return compact_letters(order, [pair for pair, p in tested.items() if p is not None and p <= LEVEL]) or {}


def pairs_of(
    criterion: str, score: str, names: Sequence[str | None], found: Compared, margin: float | None
) -> list[SourcePair]:
    checks = {(each.first, each.second): _check(each.estimate) for each in found.checks}
    return [
        SourcePair(
            criterion=criterion,
            source_a=names[each.first],
            source_b=names[each.second],
            score=score,
            difference=each.estimate.value,
            limits=_limits(each),
            p=each.p_value,
            p_holm=each.adjusted_p,
            effect=each.effect,
            shared=each.shared,
            check=checks.get((each.first, each.second), Check(None, None, None)),
            equivalence=equivalence,
        )
        for each, equivalence in zip(found.differences, _equivalence(found.differences, margin), strict=True)
    ]


def _equivalence(differences: tuple[SourceDifference, ...], margin: float | None) -> list[Equivalence]:
    if margin is None:
        return [Equivalence(None, None, None)] * len(differences)
    tested = [equivalence_p(each.estimate, each.degrees_of_freedom, margin) for each in differences]
    adjusted = iter(holm([p for p in tested if p is not None]).tolist())
    return [Equivalence(margin, p, None if p is None else next(adjusted)) for p in tested]


def _check(estimate: Estimate) -> Check:
    return Check(estimate.value, estimate.low, estimate.high)


def _limits(found: SourceMean | SourceDifference) -> ModelLimits:
    estimate = found.estimate
    return ModelLimits(
        low=estimate.low,
        high=estimate.high,
        interval_note=estimate.reason or estimate.interval_note,
        standard_error=estimate.standard_error,
        degrees_of_freedom=found.degrees_of_freedom,
        n_ratings=estimate.n_ratings,
        n_conversations=estimate.n_items,
    )


def _variance(criterion: str, effect: RandomEffect) -> Variance:
    return Variance(criterion, effect.effect, effect.n_groups, effect.sd, effect.sd**2, None, "")


def _left_out(criterion: str, effect: LeftOut) -> Variance:
    return Variance(criterion, effect.effect, None, None, None, effect.reason, effect.beside)
