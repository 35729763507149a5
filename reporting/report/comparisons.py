"""Compare every pair of sources by criterion: which is better, by how much, and to whom the result generalises."""

from dataclasses import dataclass, field

import numpy as np

from annotation.agreement_cells import on_scale, places_of, tallies_on_scale
from measures.arrays import BoolArray, FloatArray, IntArray
from measures.comparison import benjamini_hochberg, holm
from measures.systems import AllPairs, Difference, all_pairs, dialogue_t, mcnemar_mid_p
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec
from reporting.study.cells import StudyCells
from reporting.study.plain import spread
from reporting.study.rules import positive_rows
from reporting.study.scores import Blocks, blocks_of, scale_of
from reporting.study.votes import CriterionVotes, StudyVotes

CROSSED, OF_DIALOGUES = "crossed_variance_t", "dialogue_t"
NO_SCORES, NO_PAIRS, DEPENDENT_TURNS = "no_scores", "no_pairs", "dependent_turns"
UNMATCHED = "unmatched_dialogues"


@dataclass(frozen=True, slots=True)
class McNemar:
    """The dialogues where only a or only b is positive by majority, with the mid-p of McNemar's test.

    Numbers are None if no option is positive, and the p value also if it is undefined; `majority_reason` says why.
    """

    majority_only_a: int | None
    majority_only_b: int | None
    majority_p: float | None
    majority_reason: str | None


@dataclass(frozen=True, slots=True)
class SourcePair:
    """The difference of two sources, a minus b, in units of `score`: points of the scale, or shares from 0 to 1.

    `difference` is None if it is undefined, and `reason` says why; its 95 % interval, `p` and `effect` (a multiple of
    the sd of the differences per dialogue) are None if there are none, and `interval_note` says why. `n_differences`
    counts cells of a dialogue and an annotator. `p_holm` and `p_bh` are corrected over the tested pairs of the
    criterion.
    """

    criterion: str
    source_a: str
    source_b: str
    score: str
    test: str
    difference: float | None
    reason: str | None
    low: float | None
    high: float | None
    interval_note: str | None
    standard_error: float | None
    degrees_of_freedom: float | None
    p: float | None
    effect: float | None
    population: str
    n_dialogues: int
    n_differences: int
    n_dialogues_left_out: int
    n_annotators_left_out: int
    n_blocks_left_out: int
    majority: McNemar = field(metadata=spread())
    p_holm: float | None
    p_bh: float | None


@dataclass(frozen=True, slots=True)
class AllSources:
    """The mean score of each source over the complete dialogues, and Friedman's test over them.

    A mean or a number of the test is None if it is undefined; `friedman_reason` says why. `n_shared_annotators` worked
    in several blocks, and are different people in each.
    """

    means: list[float | None]
    n_dialogues: int
    friedman_chi2: float | None
    friedman_p: float | None
    friedman_reason: str | None
    n_blocks: int
    n_shared_annotators: int


@dataclass(frozen=True, slots=True)
class SourceComparison:
    """The comparison of the sources on a criterion.

    If they cannot be compared, `reason` says why, `whole` is None, and there are no pairs. `score` is None if the
    criterion has neither numbers nor a positive option.
    """

    criterion: str
    score: str | None
    sources: list[str]
    reason: str | None
    whole: AllSources | None = field(metadata=spread())
    pairs: list[SourcePair]


def comparisons(study: StudyCells, votes: StudyVotes) -> list[SourceComparison]:
    """Return a row for each criterion on which several sources were rated, with the pairs of sources."""
    found = []
    for criterion in study.spec.voted:
        mine = votes.by_criterion[criterion.id]
        rated = np.unique(mine.items.source[mine.item])
        sources = {source.pk: source.key for source in study.sources if source.pk in rated}
        if len(sources) > 1:
            found.append(_compared(criterion, mine, sources, study.study.majority_rule))
    return found


def _compared(criterion: CriterionSpec, votes: CriterionVotes, sources: dict[int, str], rule: str) -> SourceComparison:
    scale, names = scale_of(criterion), list(sources.values())
    if scale is None:
        return SourceComparison(criterion.key, None, names, NO_SCORES, None, [])
    blocks = blocks_of(votes, scale, list(sources))
    if not blocks.arrays:
        return SourceComparison(criterion.key, scale.score, names, NO_PAIRS, None, [])
    if criterion.unit == ProtocolVersion.Unit.DIALOGUE and not _are_matched(blocks):
        return SourceComparison(criterion.key, scale.score, names, UNMATCHED, None, [])
    found = all_pairs(blocks.arrays)
    whole = AllSources(
        means=list(found.means),
        n_dialogues=found.n_dialogues,
        friedman_chi2=found.friedman.statistic,
        friedman_p=found.friedman.p_value,
        friedman_reason=found.friedman.reason,
        n_blocks=len(blocks.arrays),
        n_shared_annotators=blocks.n_shared,
    )
    majorities = _majorities(votes, list(sources), rule)
    pairs = _pairs(criterion, scale.score, names, found, blocks, majorities, is_dependent=_are_dependent(votes))
    return SourceComparison(criterion.key, scale.score, names, None, whole, pairs)


def _are_matched(blocks: Blocks) -> bool:
    """Return whether any scenario has answers about several sources."""
    return any((~np.isnan(array)).any(axis=1).sum(axis=1).max(initial=0) > 1 for array in blocks.arrays)


def _are_dependent(votes: CriterionVotes) -> bool:
    """Return whether a source has several majorities in one scenario or conversation: these are not independent."""
    rated = np.unique(votes.item)
    of = votes.items
    n_majorities, n_independent = (
        np.unique(np.stack([rows[rated], of.source[rated]]), axis=1).shape[1] for rows in (_rows(votes), of.groups)
    )
    return n_majorities > n_independent


def _rows(votes: CriterionVotes) -> IntArray:
    """Return what the majorities of each item are matched by: of a whole dialogue its scenario, else the dialogue."""
    return np.where(votes.items.is_whole > 0, votes.items.scenario, votes.items.dialogue)


def _pairs(
    criterion: CriterionSpec,
    score: str,
    names: list[str],
    whole: AllPairs,
    blocks: Blocks,
    majorities: list[tuple[BoolArray, BoolArray]],
    *,
    is_dependent: bool,
) -> list[SourcePair]:
    """Return the pairs with p values corrected over those that could be tested."""
    tests = [_tested(pair.difference, blocks.arrays, pair.first, pair.second) for pair in whole.pairs]
    p_values = [found.p_value for _, found in tests if found.p_value is not None]
    by_holm, by_bh = iter(holm(p_values).tolist()), iter(benjamini_hochberg(p_values).tolist())
    return [
        SourcePair(
            criterion=criterion.key,
            source_a=names[pair.first],
            source_b=names[pair.second],
            score=score,
            test=test,
            difference=found.estimate.value,
            reason=found.estimate.reason,
            low=found.estimate.low,
            high=found.estimate.high,
            interval_note=found.estimate.interval_note,
            standard_error=found.estimate.standard_error,
            degrees_of_freedom=found.degrees_of_freedom,
            p=found.p_value,
            effect=found.effect,
            population=found.population,
            n_dialogues=found.estimate.n_items,
            n_differences=found.estimate.n_ratings,
            n_dialogues_left_out=found.estimate.n_left_out,
            n_annotators_left_out=found.n_annotators_left_out,
            n_blocks_left_out=found.n_batches_left_out,
            majority=_mcnemar(criterion, majorities[pair.first], majorities[pair.second], is_dependent=is_dependent),
            p_holm=None if found.p_value is None else next(by_holm),
            p_bh=None if found.p_value is None else next(by_bh),
        )
        for pair, (test, found) in zip(whole.pairs, tests, strict=True)
    ]


def _tested(found: Difference, arrays: list[FloatArray], first: int, second: int) -> tuple[str, Difference]:
    """Return the name of a test and its result: the crossed test or, if no cells are crossed, the test over dialogues.

    The test over dialogues holds for these annotators only.
    """
    if found.p_value is not None or found.estimate.value is None:
        return CROSSED, found
    fallback = dialogue_t([array[:, :, first] - array[:, :, second] for array in arrays])
    return (CROSSED, found) if fallback.p_value is None else (OF_DIALOGUES, fallback)


def _majorities(votes: CriterionVotes, sources: list[int], rule: str) -> list[tuple[BoolArray, BoolArray]]:
    """Return for each source, by dialogue or scenario: whether it was rated, and whether its majority is positive."""
    of = votes.items
    dialogues, row = np.unique(_rows(votes), return_inverse=True)
    found = []
    for source in sources:
        mine = (of.source == source) & (of.dialogue > 0)
        tallies = np.zeros((len(dialogues), votes.tallies.shape[1]), np.int64)
        np.add.at(tallies, row[mine], votes.tallies[mine])
        kept = tallies_on_scale(tallies, votes.criterion)
        found.append((kept.sum(axis=1) > 0, positive_rows(kept, on_scale(votes.criterion), rule)))
    return found


def _mcnemar(
    criterion: CriterionSpec,
    first: tuple[BoolArray, BoolArray],
    second: tuple[BoolArray, BoolArray],
    *,
    is_dependent: bool,
) -> McNemar:
    if not places_of(criterion, "positive"):
        return McNemar(None, None, None, NO_SCORES)
    both = first[0] & second[0]
    only_a, only_b = int((both & first[1] & ~second[1]).sum()), int((both & ~first[1] & second[1]).sum())
    if is_dependent:  # the test is for independent pairs, and those of one conversation are not
        return McNemar(only_a, only_b, None, DEPENDENT_TURNS)
    test = mcnemar_mid_p(only_a, only_b)
    return McNemar(only_a, only_b, test.p_value, test.reason)
