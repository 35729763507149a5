"""Results and agreement for parts of the material, by the dialogue fields that have few values."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.agreement_cells import alpha_of, counted, for_agreement, n_excluding, places_of, tallies_on_scale
from measures.agreement import fleiss_kappa
from measures.arrays import BoolArray, IntArray
from measures.histograms import Histogram
from measures.intervals import guarded
from protocols.models import Option
from reporting.explained import DEPENDENT_ITEMS
from reporting.study.cells import StudyCells
from reporting.study.facts import Field
from reporting.study.rules import positive_rows
from reporting.study.scores import moments, percent
from reporting.study.votes import CriterionVotes, StudyVotes


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Results of a criterion for the dialogues with a value of a field; None stands for dialogues without the field.

    `source` is None for all sources together. `positive_items` and `percent` are None if no option is positive.
    `mean` and `sd` are in points of the scale, None if it has no numbers or too few answers. A coefficient is None if
    it is undefined, and a reason says why; `low` and `high` are the 95 % interval of kappa, None if there is none, and
    `interval_note` says why. `n_left_out` counts items with one vote.
    """

    field: str
    value: str | None
    criterion: str
    source: str | None
    n_dialogues: int
    n_items: int
    n_votes: int
    excluding_votes: int
    positive_items: int | None
    percent: float | None
    mean: float | None
    sd: float | None
    fleiss_kappa: float | None
    reason: str | None
    low: float | None
    high: float | None
    interval_note: str | None
    krippendorff_alpha: float | None
    alpha_reason: str | None
    n_left_out: int


@dataclass(frozen=True, slots=True)
class Part:
    """The value of a field, and the (N,) mask of its items."""

    field: str
    value: str | None
    chosen: BoolArray


def breakdowns(study: StudyCells, votes: StudyVotes, fields: list[Field]) -> list[Breakdown]:
    """Return a row per field, value and criterion: for all sources, then for each."""
    return [
        row
        for field in fields
        for part in _parts(field, votes.items.dialogue)
        for criterion in study.spec.voted
        for row in _rows(study, votes.by_criterion[criterion.id], part)
    ]


def _parts(field: Field, dialogue: IntArray) -> Iterable[Part]:
    rest = dialogue > 0
    for value, ids in field.dialogues.items():
        chosen = np.isin(dialogue, ids)
        rest &= ~chosen
        yield Part(field.name, value, chosen)
    yield Part(field.name, None, rest)


def _rows(study: StudyCells, votes: CriterionVotes, part: Part) -> Iterable[Breakdown]:
    """Yield the rows of a part; none if nobody rated it."""
    sources = [(source.key, part.chosen & (votes.items.source == source.pk)) for source in study.sources]
    present = [(key, chosen) for key, chosen in sources if votes.tallies[chosen].any()]
    if votes.tallies[part.chosen].any():
        yield _row(None, votes, part, part.chosen, study.study.majority_rule, is_pooled=len(present) > 1)
    if len(present) > 1:
        for key, chosen in present:
            yield _row(key, votes, part, chosen, study.study.majority_rule)


def _row(
    source: str | None, votes: CriterionVotes, part: Part, chosen: BoolArray, rule: str, *, is_pooled: bool = False
) -> Breakdown:
    mine = chosen[votes.item]
    whole = Histogram.from_votes(votes.item[mine], votes.code[mine], len(votes.criterion.options))
    histogram, criterion = counted(whole, votes.criterion)
    found = moments(criterion, histogram.category_votes)
    is_rated = tallies_on_scale(votes.tallies, votes.criterion).any(axis=1)
    positive = None
    if places_of(criterion, Option.Role.POSITIVE):
        positive = int(histogram.counts @ positive_rows(histogram.patterns, criterion, rule))
    paired, _scale = for_agreement(whole, votes.criterion)
    kappa, alpha = guarded(fleiss_kappa(paired), paired), alpha_of(paired, criterion)
    rated = chosen & is_rated
    is_dependent = is_pooled or len(np.unique(votes.items.groups[rated])) < rated.sum()
    if is_dependent and kappa.value is not None:
        kappa = kappa.with_interval(None, None, DEPENDENT_ITEMS)
    return Breakdown(
        field=part.field,
        value=part.value,
        criterion=criterion.key,
        source=source,
        n_dialogues=len(np.unique(votes.items.dialogue[rated])),
        n_items=histogram.n_items,
        n_votes=histogram.n_votes,
        excluding_votes=n_excluding(whole, votes.criterion),
        positive_items=positive,
        percent=None if positive is None else percent(positive, histogram.n_items),
        mean=found.mean,
        sd=found.sd,
        fleiss_kappa=kappa.value,
        reason=kappa.reason,
        low=kappa.low,
        high=kappa.high,
        interval_note=kappa.interval_note,
        krippendorff_alpha=alpha.value,
        alpha_reason=alpha.reason,
        n_left_out=kappa.n_left_out,
    )
