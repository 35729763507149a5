"""Count final labels, and how they became final: by agreement, majority, re-rating or a trainer."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from annotation.agreement_cells import on_scale, tallies_on_scale
from measures.arrays import BoolArray
from protocols.specs import CriterionSpec
from qualification.adjudication.selectors.disagreements import SettledLabels
from qualification.models import Disagreement
from reporting.predictions.human import LABELLED, OUTCOMES, Human, human_of, with_settled
from reporting.predictions.selectors import settled_places
from reporting.study.cells import StudyCells
from reporting.study.scores import percent
from reporting.study.votes import CriterionVotes, StudyVotes

AGREEMENT, MAJORITY = "agreement", "majority"
DECIDED_BY = (AGREEMENT, MAJORITY, *Disagreement.How.values)


@dataclass(frozen=True, slots=True)
class LabelShare:
    """The items with a label; `percent` is that of all labelled items, None if there are none."""

    option: str
    label: str
    items: int
    percent: float | None


@dataclass(frozen=True, slots=True)
class FinalLabels:
    """The final labels of a source and criterion, in numbers of items. The source of whole dialogues is None.

    `agreement` to `replaced` say how labels became final; `excluded`, `tied` and `unsure` why items have none. Of the
    labels by agreement, `single_vote` have one vote, with which no other could disagree.
    """

    source: str | None
    criterion: str
    items: int
    labelled: int
    labels: list[LabelShare]
    agreement: int
    majority: int
    re_rating: int
    adjudicated: int
    replaced: int
    excluded: int
    tied: int
    unsure: int
    single_vote: int

    @property
    def unanimous(self) -> int:
        """Return the labels of several votes that are all equal."""
        return self.agreement - self.single_vote


def final_labels(study: StudyCells, votes: StudyVotes, settled: SettledLabels) -> list[FinalLabels]:
    """Return a row per criterion and source that was rated, with the mix of labels and how they became final."""
    rows = []
    for criterion in study.spec.voted:
        mine = votes.by_criterion[criterion.id]
        human, decided_by = _decided(mine, settled, study.study.majority_rule)
        is_single = (tallies_on_scale(mine.tallies, criterion).sum(axis=1) == 1) & (decided_by == 0) & (human.code >= 0)
        is_rated = mine.tallies.any(axis=1)
        for source, pk in study.source_ids.items():
            chosen = is_rated & (mine.items.source == pk)
            if chosen.any():
                n_single = int((is_single & chosen).sum())
                rows.append(_row(source, criterion, human, decided_by, chosen, n_single))
    return rows


def _decided(votes: CriterionVotes, settled: SettledLabels, rule: str) -> tuple[Human, np.ndarray]:
    """Return the labels of all items, and the (N,) indices in DECIDED_BY, which mean nothing without a label."""
    criterion = votes.criterion
    places = settled_places(votes.items, criterion, settled)
    human = with_settled(human_of(votes.tallies, criterion, rule), places, criterion)
    is_unanimous = (tallies_on_scale(votes.tallies, criterion) > 0).sum(axis=1) == 1
    decided_by = np.where(is_unanimous, 0, 1)
    for (item, about), label in settled.items():
        if about == criterion.id:
            decided_by[votes.items.id == item] = DECIDED_BY.index(label.how)
    return human, decided_by


def _row(
    source: str | None, criterion: CriterionSpec, human: Human, decided_by: np.ndarray, chosen: BoolArray, n_single: int
) -> FinalLabels:
    codes, outcomes = human.code[chosen], Counter(human.outcome[chosen].tolist())
    ways = Counter(decided_by[chosen][codes >= 0].tolist())
    n_labels = outcomes[LABELLED]
    counts = np.bincount(codes[codes >= 0], minlength=len(criterion.options)).tolist()
    n_of = {option.id: n for option, n in zip(criterion.options, counts, strict=True)}
    return FinalLabels(
        source=source,
        criterion=criterion.key,
        items=int(chosen.sum()),
        labelled=n_labels,
        labels=[
            LabelShare(each.key, each.label, n_of[each.id], percent(n_of[each.id], n_labels))
            for each in on_scale(criterion).options
        ],
        **{name: ways[at] for at, name in enumerate(DECIDED_BY)},
        **{name: outcomes[at] for at, name in enumerate(OUTCOMES) if name in ("excluded", "tied", "unsure")},
        single_vote=n_single,
    )
