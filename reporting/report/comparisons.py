"""Compare every pair of sources by criterion: which is better, by how much, and to whom the result generalises."""

from typing import Any

import numpy as np

from annotation.agreement_cells import on_scale, tallies_on_scale
from measures.arrays import BoolArray, FloatArray
from measures.comparison import benjamini_hochberg, holm
from measures.systems import AllPairs, Difference, all_pairs, dialogue_t, mcnemar_mid_p
from protocols.specs import CriterionSpec
from reporting.study.cells import StudyCells
from reporting.study.rules import places, positive_rows
from reporting.study.scores import Blocks, blocks_of, scale_of
from reporting.study.votes import CriterionVotes, StudyVotes

Row = dict[str, Any]
CROSSED, OF_DIALOGUES = "crossed_variance_t", "dialogue_t"
NO_SCORES, NO_PAIRS = "no_scores", "no_pairs"


def comparisons(study: StudyCells, votes: StudyVotes) -> list[Row]:
    """Return a row for each criterion on which several sources were rated, with the pairs of sources."""
    found = []
    for criterion in study.spec.voted:
        mine = votes.by_criterion[criterion.id]
        rated = np.unique(mine.items.source[mine.item])
        sources = [source for source in study.sources if source.pk in rated]
        if len(sources) > 1:
            found.append(_compared(study, criterion, mine, {source.pk: source.key for source in sources}))
    return found


def _compared(study: StudyCells, criterion: CriterionSpec, votes: CriterionVotes, sources: dict[int, str]) -> Row:
    scale = scale_of(criterion)
    row: Row = {"criterion": criterion.key, "score": scale.score if scale else None, "sources": list(sources.values())}
    if scale is None:
        return row | {"reason": NO_SCORES, "pairs": []}
    blocks = blocks_of(votes, scale, list(sources))
    if not blocks.arrays:
        return row | {"reason": NO_PAIRS, "pairs": []}
    whole = all_pairs(blocks.arrays)
    majority = _majorities(votes, list(sources), study.study.majority_rule)
    return row | _any_difference(whole, blocks) | {"pairs": _pairs(criterion, whole, blocks, majority, row)}


def _any_difference(whole: AllPairs, blocks: Blocks) -> Row:
    return {
        "reason": None,
        "means": list(whole.means),
        "n_dialogues": whole.n_dialogues,
        "friedman_chi2": whole.friedman.statistic,
        "friedman_p": whole.friedman.p_value,
        "friedman_reason": whole.friedman.reason,
        "n_blocks": len(blocks.arrays),
        "n_shared_annotators": blocks.n_shared,
    }


def _pairs(
    criterion: CriterionSpec, whole: AllPairs, blocks: Blocks, majority: list[tuple[BoolArray, BoolArray]], head: Row
) -> list[Row]:
    rows = []
    for pair in whole.pairs:
        test, found = _tested(pair.difference, blocks.arrays, pair.first, pair.second)
        names = {"source_a": head["sources"][pair.first], "source_b": head["sources"][pair.second]}
        row = {"criterion": criterion.key, **names, "score": head["score"], "test": test, **_difference(found)}
        rows.append(row | _secondary(criterion, majority[pair.first], majority[pair.second]))
    return _corrected(rows)


def _tested(found: Difference, arrays: list[FloatArray], first: int, second: int) -> tuple[str, Difference]:
    """Return the name of a test and its result: the crossed test or, if no cells are crossed, the test over dialogues.

    The test over dialogues holds for these annotators only.
    """
    if found.p_value is not None or found.estimate.value is None:
        return CROSSED, found
    fallback = dialogue_t([array[:, :, first] - array[:, :, second] for array in arrays])
    return (CROSSED, found) if fallback.p_value is None else (OF_DIALOGUES, fallback)


def _difference(found: Difference) -> Row:
    estimate = found.estimate
    return {
        "difference": estimate.value,
        "reason": estimate.reason,
        "low": estimate.low,
        "high": estimate.high,
        "interval_note": estimate.interval_note,
        "standard_error": estimate.standard_error,
        "degrees_of_freedom": found.degrees_of_freedom,
        "p": found.p_value,
        "effect": found.effect,
        "population": found.population,
        "n_dialogues": estimate.n_items,
        "n_differences": estimate.n_ratings,
        "n_dialogues_left_out": estimate.n_left_out,
        "n_annotators_left_out": found.n_annotators_left_out,
        "n_blocks_left_out": found.n_batches_left_out,
    }


def _corrected(rows: list[Row]) -> list[Row]:
    """Add p values corrected over the pairs of the criterion that could be tested."""
    tested = [row["p"] for row in rows if row["p"] is not None]
    by_holm, by_bh = iter(holm(tested).tolist()), iter(benjamini_hochberg(tested).tolist())
    for row in rows:
        is_tested = row["p"] is not None
        row["p_holm"] = next(by_holm) if is_tested else None
        row["p_bh"] = next(by_bh) if is_tested else None
    return rows


def _majorities(votes: CriterionVotes, sources: list[int], rule: str) -> list[tuple[BoolArray, BoolArray]]:
    """Return for each source, by dialogue: whether it was rated, and whether the majority of its votes is positive."""
    of = votes.items
    dialogues, row = np.unique(of.dialogue, return_inverse=True)
    found = []
    for source in sources:
        mine = (of.source == source) & (of.dialogue > 0)
        tallies = np.zeros((len(dialogues), votes.tallies.shape[1]), np.int64)
        np.add.at(tallies, row[mine], votes.tallies[mine])
        kept = tallies_on_scale(tallies, votes.criterion)
        found.append((kept.sum(axis=1) > 0, positive_rows(kept, on_scale(votes.criterion), rule)))
    return found


def _secondary(
    criterion: CriterionSpec, first: tuple[BoolArray, BoolArray], second: tuple[BoolArray, BoolArray]
) -> Row:
    """Return McNemar's mid-p test of the majorities, with the counts behind it."""
    if not places(criterion, "positive"):
        return dict.fromkeys(("majority_only_a", "majority_only_b", "majority_p"), None) | {
            "majority_reason": NO_SCORES
        }
    both = first[0] & second[0]
    only_a, only_b = int((both & first[1] & ~second[1]).sum()), int((both & ~first[1] & second[1]).sum())
    test = mcnemar_mid_p(only_a, only_b)
    counts = {"majority_only_a": only_a, "majority_only_b": only_b}
    return counts | {"majority_p": test.p_value, "majority_reason": test.reason}
