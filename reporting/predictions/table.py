"""Compare metrics with people: every measure with its interval, for all items, by source and by dialogue field."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.models import Metric, Source, Study
from annotation.selectors.studies import rated_sources
from measures.arrays import BoolArray, FloatArray, IntArray
from measures.cohen import confusion_matrix
from measures.estimate import Estimate
from measures.prediction import f1_scores, precisions, recalls
from measures.prediction_intervals import label_estimates, score_estimates
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from qualification.adjudication.selectors.disagreements import SettledLabels, settled_labels
from reporting.predictions.human import (
    EXCLUDED,
    LABELLED,
    OUTCOMES,
    UNRATED,
    Human,
    human_of,
    with_settled,
    worth_of,
)
from reporting.predictions.selectors import Predicted, criteria_of, metrics_of, predicted_of, settled_places
from reporting.study.facts import Field, fields_of
from reporting.study.votes import Items, StudyVotes, study_votes

ALL, SOURCE = "all", "source"
NOT_LABELS, NO_NUMBERS = "not_labels", "no_numbers"
MEASURES = ("accuracy", "uar", "kappa", "macro_precision", "macro_f1", "weighted_f1", "spearman", "pearson")
OF_LABELS, OF_SCORES = MEASURES[:6], MEASURES[6:]
Estimates = dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class ItemSubset:
    """A subset of the items. `value` is the key of a source or the value of a field; `chosen` is an (N,) mask."""

    kind: str
    value: str | None
    chosen: BoolArray


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of one comparison: the measures, what was used, and {reason: number of items left out}.

    `table` has human labels in rows.
    """

    estimates: Estimates
    n_labels: int
    n_scores: int
    left_out: dict[str, int]
    table: IntArray

    @property
    def n_used(self) -> int:
        return max(self.n_labels, self.n_scores)

    @property
    def classes(self) -> list[dict[str, float | None]]:
        """Return precision, recall and F1 per option; a value is None if its denominator is 0."""
        support, given = self.table.sum(axis=1), self.table.sum(axis=0)
        columns = zip(precisions(self.table), recalls(self.table), f1_scores(self.table), support, given, strict=True)
        return [
            {
                "precision": float(p) if said else None,
                "recall": float(r) if n else None,
                "f1": float(f) if n or said else None,
                "support": int(n),
                "predicted": int(said),
            }
            for p, r, f, n, said in columns
        ]


@dataclass(frozen=True, slots=True)
class Row:
    """The results of a metric on a subset."""

    part: ItemSubset
    metric: Compared


class Comparison:
    """The comparison of a study's metrics with its annotators; everything is read once."""

    def __init__(self, study: Study, votes: StudyVotes | None = None, settled: SettledLabels | None = None) -> None:
        """Use the given votes and settled labels; if they are None, the study's are read when they are needed."""
        self.study, self._votes, self._settled = study, votes, settled
        self.spec: VersionSpec = spec_of(study.protocol_version)
        self.metrics: list[Metric] = list(metrics_of(study))
        self._humans: dict[int, Human] = {}

    @cached_property
    def votes(self) -> StudyVotes:
        return study_votes(self.study, self.spec) if self._votes is None else self._votes

    @cached_property
    def settled(self) -> SettledLabels:
        return settled_labels(self.study) if self._settled is None else self._settled

    @cached_property
    def sources(self) -> list[Source]:
        """Return the sources in batches, ground truth first."""
        return list(rated_sources(self.study).order_by("-is_reference", "position"))

    @cached_property
    def fields(self) -> list[Field]:
        return fields_of(self.study)

    @property
    def pairs(self) -> list[tuple[Metric, CriterionSpec]]:
        return [(metric, criterion) for metric in self.metrics for criterion in criteria_of(metric, self.spec)]

    def human(self, criterion: CriterionSpec) -> Human:
        if criterion.id not in self._humans:
            tallies = self.votes.by_criterion[criterion.id].tallies
            human = human_of(tallies, criterion, self.study.majority_rule)
            places = settled_places(self.votes.items, criterion, self.settled)
            self._humans[criterion.id] = with_settled(human, places, criterion)
        return self._humans[criterion.id]

    def everything(self, criterion: CriterionSpec) -> ItemSubset:
        """Return all items for which the question is asked."""
        return ItemSubset(ALL, None, is_asked(criterion, self.votes.items))

    def parts(self, criterion: CriterionSpec) -> Iterator[ItemSubset]:
        """Yield all items, then each source (ground truth first), then each value of each field."""
        whole, items = self.everything(criterion), self.votes.items
        yield whole
        for source in self.sources:
            yield ItemSubset(SOURCE, source.key, whole.chosen & (items.source == source.pk))
        for field in self.fields:
            for value, ids in field.dialogues.items():
                yield ItemSubset(field.name, value, whole.chosen & np.isin(items.dialogue, ids))

    def rows(self, metric: Metric, criterion: CriterionSpec) -> list[Row]:
        predicted = predicted_of(metric, criterion, self.votes.items)
        return [
            Row(part, self._metric(metric, criterion, part, predicted))
            for part in self.parts(criterion)
            if part.chosen.any()
        ]

    def whole(self, metric: Metric, criterion: CriterionSpec) -> Compared:
        """Return the comparison on all items."""
        part = self.everything(criterion)
        return self._metric(metric, criterion, part, predicted_of(metric, criterion, self.votes.items))

    def _metric(self, metric: Metric, criterion: CriterionSpec, part: ItemSubset, predicted: Predicted) -> Compared:
        whole, chosen = self.human(criterion), part.chosen
        human = Human(whole.code[chosen], whole.outcome[chosen], whole.score[chosen])
        code, value = predicted.code[part.chosen], predicted.value[part.chosen]
        number = value
        if metric.kind == Metric.Kind.LABEL:
            worth = np.append(worth_of(criterion), np.nan)[code]
            number = np.where(np.isnan(value), worth, value)
        groups = self.votes.items.groups[part.chosen]
        return self._compared(criterion, human, code, number, groups, metric.kind == Metric.Kind.LABEL)

    def _compared(
        self,
        criterion: CriterionSpec,
        human: Human,
        code: IntArray,
        number: FloatArray,
        groups: IntArray,
        are_labels: bool,
    ) -> Compared:
        has_label = (human.outcome == LABELLED) & (code >= 0)
        has_score = ~np.isnan(human.score) & ~np.isnan(number)
        k, seed = len(criterion.options), self.study.seed
        if are_labels:
            found = label_estimates(human.code[has_label], code[has_label], groups[has_label], k, seed=seed)
        else:
            found = dict.fromkeys(OF_LABELS, Estimate(None, NOT_LABELS))
        if np.isnan(worth_of(criterion)).all():
            found |= dict.fromkeys(OF_SCORES, Estimate(None, NO_NUMBERS))
        else:
            found |= score_estimates(human.score[has_score], number[has_score], groups[has_score], seed=seed)
        left_out = _left_out(human, (code >= 0) | ~np.isnan(number), are_labels)
        table = confusion_matrix(human.code[has_label], code[has_label], k)
        return Compared(found, int(has_label.sum()), int(has_score.sum()), left_out, table)


def is_asked(criterion: CriterionSpec, items: Items) -> BoolArray:
    """Return for which items the question is asked."""
    of_response = criterion.unit == ProtocolVersion.Unit.RESPONSE
    return items.candidate > 0 if of_response else items.is_whole > 0


def _left_out(human: Human, is_predicted: BoolArray, are_labels: bool) -> dict[str, int]:
    """Return {reason: items left out}, each item once. Tied and unsure items still have a mean, so scores use them."""
    reasons = range(1, len(OUTCOMES)) if are_labels else (UNRATED, EXCLUDED)
    counts = {OUTCOMES[each]: int((human.outcome == each).sum()) for each in reasons}
    without = ~np.isin(human.outcome, list(reasons)) & ~is_predicted
    return {name: n for name, n in (counts | {"no_prediction": int(without.sum())}).items() if n}
