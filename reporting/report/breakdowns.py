"""Results and agreement for parts of the material, by the dialogue fields that have few values."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from annotation.agreement_cells import alpha_of, counted, n_excluding, tallies_on_scale
from measures.agreement import fleiss_kappa
from measures.arrays import BoolArray, IntArray
from measures.histograms import Histogram
from measures.intervals import guarded
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.explained import DEPENDENT_ITEMS
from reporting.study.cells import StudyCells
from reporting.study.facts import Field, OtherBatches
from reporting.study.rules import places, positive_patterns
from reporting.study.scores import moments, percent
from reporting.study.votes import CriterionVotes, StudyVotes

Row = dict[str, Any]


def breakdowns(study: StudyCells, votes: StudyVotes, fields: list[Field]) -> list[Row]:
    """Return a row per field, value and criterion: for all sources, then for each.

    The value None stands for dialogues without the field.
    """
    rows = []
    for field in fields:
        for value, chosen in _parts(field, votes.items.dialogue):
            for criterion in study.spec.voted:
                head = {"field": field.name, "value": value, "criterion": criterion.key}
                mine = votes.by_criterion[criterion.id]
                rows += [head | row for row in _rows(study, mine, chosen)]
    return rows


def _parts(field: Field, dialogue: IntArray) -> Iterable[tuple[str | None, BoolArray]]:
    rest = dialogue > 0
    for value, ids in field.dialogues.items():
        chosen = np.isin(dialogue, ids)
        rest &= ~chosen
        yield value, chosen
    yield None, rest


def _rows(study: StudyCells, votes: CriterionVotes, chosen: BoolArray) -> Iterable[Row]:
    """Yield the rows of a part; none if nobody rated it."""
    sources: list[tuple[str | None, BoolArray]] = [
        (source.key, chosen & (votes.items.source == source.pk)) for source in study.sources
    ]
    present = [(key, part) for key, part in sources if votes.tallies[part].any()]
    if votes.tallies[chosen].any():
        yield _row(None, votes, chosen, study.study.majority_rule, is_pooled=len(present) > 1)
    if len(present) > 1:
        for key, part in present:
            yield _row(key, votes, part, study.study.majority_rule)


def _row(source: str | None, votes: CriterionVotes, chosen: BoolArray, rule: str, *, is_pooled: bool = False) -> Row:
    whole = histogram_of(votes, chosen)
    histogram, criterion = counted(whole, votes.criterion)
    found = moments(criterion, histogram.category_votes)
    is_rated = tallies_on_scale(votes.tallies, votes.criterion).any(axis=1)
    return {
        "source": source,
        "n_dialogues": len(np.unique(votes.items.groups[chosen & is_rated])),
        "n_items": histogram.n_items,
        "n_votes": histogram.n_votes,
        "excluding_votes": n_excluding(whole, votes.criterion),
        **_majority(histogram, criterion, rule),
        "mean": found["mean"],
        "sd": found["sd"],
        **_agreement(histogram, criterion, is_pooled=is_pooled),
    }


def histogram_of(votes: CriterionVotes, chosen: BoolArray) -> Histogram:
    mine = chosen[votes.item]
    return Histogram.from_votes(votes.item[mine], votes.code[mine], len(votes.criterion.options))


def _majority(histogram: Histogram, criterion: CriterionSpec, rule: str) -> Row:
    if not places(criterion, Option.Role.POSITIVE):
        return {"positive_items": None, "percent": None}
    positive = int(histogram.counts @ positive_patterns(histogram, criterion, rule))
    return {"positive_items": positive, "percent": percent(positive, histogram.n_items)}


def _agreement(histogram: Histogram, criterion: CriterionSpec, *, is_pooled: bool) -> Row:
    kappa, alpha = guarded(fleiss_kappa(histogram), histogram), alpha_of(histogram, criterion)
    if is_pooled and kappa.value is not None:
        kappa = kappa.with_interval(None, None, DEPENDENT_ITEMS)
    return {
        "fleiss_kappa": kappa.value,
        "reason": kappa.reason,
        "low": kappa.low,
        "high": kappa.high,
        "interval_note": kappa.interval_note,
        "krippendorff_alpha": alpha.value,
        "alpha_reason": alpha.reason,
        "n_left_out": kappa.n_left_out,
    }


def excluded(others: list[OtherBatches]) -> list[Row]:
    """Return the batches that are left out of the results, by kind."""
    return [
        {"kind": each.kind, "batches": each.n_batches, "items": each.n_items, "ratings": each.n_ratings}
        for each in others
    ]
