"""The votes of people and the answers of a metric as arrays, for the measures of people and machines.

Votes are taken as they were given: settled labels do not enter. A vote that excludes its item is missing, and so is an
unsure one unless the scale is nominal, as in agreement. Dialogues in no batch count if the metric answers them:
they are what people have not rated.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db import connection

from annotation.agreement_cells import alpha_options, places_of
from annotation.models import Dialogue, Metric
from measures.arrays import BoolArray, FloatArray, IntArray
from measures.machines.ceiling import INTERVAL, NOMINAL
from measures.machines.judged import Judged
from measures.machines.powered import ANYWHERE, Part
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.predictions.selectors import Predicted, predicted_of
from reporting.predictions.table import Comparison, ItemSubset, is_asked
from reporting.study.scores import MEAN_SCORE, Scale, scale_of
from reporting.study.votes import CriterionVotes, Items

# The group of a dialogue is that of StudyVotes: the first dialogue of its scenario or conversation.
UNBATCHED = """
    WITH dialogue AS (
        SELECT id, source_id, purpose,
            min(id) OVER (PARTITION BY scenario, CASE WHEN scenario = '' THEN conversation END) AS first
        FROM annotation_dialogue WHERE study_id = %s)
    SELECT dialogue.id, coalesce(candidate.source_id, dialogue.source_id, 0), coalesce(candidate.id, 0), dialogue.first
    FROM annotation_prediction prediction
    LEFT JOIN annotation_candidate candidate ON candidate.id = prediction.candidate_id
    JOIN dialogue ON dialogue.id = coalesce(candidate.dialogue_id, prediction.dialogue_id)
    WHERE prediction.metric_id = %s AND dialogue.purpose = %s
        AND NOT EXISTS (SELECT FROM annotation_item item WHERE item.dialogue_id = dialogue.id)
    ORDER BY dialogue.id, candidate.id
"""


@dataclass(frozen=True)
class Judging:
    """A metric and people on all items for which the question is asked, rated or not.

    The first of `items` are those of StudyVotes, in the same order; the others are in no batch.
    """

    metric: Metric
    criterion: CriterionSpec
    items: Items
    votes: CriterionVotes
    chosen: BoolArray
    predicted: Predicted

    @cached_property
    def place(self) -> IntArray:
        """Return the indices of the items, by conversation and response: sums in another order differ a little."""
        of, place = self.items, np.flatnonzero(self.chosen)
        return place[np.lexsort((of.candidate[place], of.dialogue[place], of.groups[place]))]

    @cached_property
    def source(self) -> IntArray:
        return self.items.source[self.place]

    @cached_property
    def scale(self) -> Scale | None:
        return scale_of(self.criterion)

    @property
    def level(self) -> str | None:
        """Return how answers are scored, or None if the metric's scores are not answers to the question."""
        if self.metric.kind == Metric.Kind.LABEL:
            has_numbers = self.scale is not None and self.scale.score == MEAN_SCORE
            return INTERVAL if has_numbers else NOMINAL
        return INTERVAL if self._is_on_scale() else None

    @property
    def is_binary(self) -> bool:
        return self.scale is not None and bool(np.isin(self.scale.worth[~np.isnan(self.scale.worth)], (0, 1)).all())

    @property
    def ends(self) -> tuple[float, float]:
        """Return where the scale of people's scores ends."""
        return ANYWHERE if self.scale is None else self.scale.ends

    @property
    def ends_of_judge(self) -> tuple[float, float]:
        """Return where the metric's own numbers end; those in another unit end nowhere."""
        return ANYWHERE if self.level is None else self.ends

    @cached_property
    def answers(self) -> Judged | None:
        """Return votes and answers at their level."""
        if self.level is None:
            return None
        return self.labels if self.level == NOMINAL else self.numbers

    @cached_property
    def labels(self) -> Judged | None:
        """Return votes and labels as indices of options; None for a metric without labels."""
        if self.metric.kind != Metric.Kind.LABEL:
            return None
        missing = [*places_of(self.criterion, Option.Role.EXCLUDING), *alpha_options(self.criterion)[0]]
        code = self.predicted.code
        return self._judged(~np.isin(self.votes.code, missing), self.votes.code, np.where(code < 0, np.nan, code))

    @cached_property
    def numbers(self) -> Judged | None:
        """Return votes and answers as numbers of the scale; None without any."""
        if self.scale is None:
            return None
        votes = self.scale.worth[self.votes.code]
        return self._judged(~np.isnan(votes), votes, self._numbers(self.scale))

    @cached_property
    def part(self) -> Part | None:
        """Return the scores of all items that the metric answers, the better ones higher; None without numbers."""
        if self.numbers is None:
            return None
        sign = 1 if self.metric.higher_is_better or self.metric.kind == Metric.Kind.LABEL else -1
        said = self.is_answered
        return Part(self.numbers.means()[said], sign * self.numbers.judge[said], self.numbers.cluster[said])

    @property
    def is_answered(self) -> BoolArray:
        return np.zeros(len(self.place), bool) if self.numbers is None else ~np.isnan(self.numbers.judge)

    def within(self, subset: ItemSubset) -> BoolArray:
        """Return which of the items are in a subset of those in batches."""
        kept = np.zeros(len(self.chosen), bool)
        kept[: len(subset.chosen)] = subset.chosen
        return kept[self.place]

    def _numbers(self, scale: Scale) -> FloatArray:
        if self.metric.kind == Metric.Kind.LABEL:
            return np.append(scale.worth, np.nan)[self.predicted.code]
        return self.predicted.value

    def _is_on_scale(self) -> bool:
        if self.scale is None or self.metric.criterion is None or not self.metric.higher_is_better:
            return False
        low, high = self.scale.ends
        known = self.predicted.value[~np.isnan(self.predicted.value)]
        return bool(((known >= low) & (known <= high)).all())

    def _judged(self, counts: BoolArray, values: FloatArray | IntArray, answers: FloatArray) -> Judged:
        used = np.flatnonzero(counts & self.chosen[self.votes.item])
        at = np.argsort(self.place)[np.searchsorted(np.sort(self.place), self.votes.item[used])]
        order = np.lexsort((values[used], at))
        used, at = used[order], at[order]
        cluster = np.unique(self.items.groups[self.place], return_inverse=True)[1]
        return Judged.of(at, self.votes.annotator[used], values[used], answers[self.place], cluster)


def judging_of(comparison: Comparison, metric: Metric, criterion: CriterionSpec) -> Judging:
    items = _with_unbatched(comparison.votes.items, comparison, metric)
    return Judging(
        metric,
        criterion,
        items,
        comparison.votes.by_criterion[criterion.id],
        is_asked(criterion, items),
        predicted_of(metric, criterion, items),
    )


def _with_unbatched(items: Items, comparison: Comparison, metric: Metric) -> Items:
    with connection.cursor() as cursor:
        cursor.execute(UNBATCHED, [comparison.study.pk, metric.pk, Dialogue.Purpose.MAIN])
        dialogue, source, candidate, first = np.array(cursor.fetchall(), np.int64).reshape(-1, 4).T
    none = np.zeros_like(dialogue)
    is_whole = (candidate == 0).astype(np.int64)
    further = (none, none, dialogue, source, candidate, is_whole, none, dialogue, first, none)
    names = ("id", "batch", "dialogue", "source", "candidate", "is_whole", "other", "conversation", "scenario",
             "other_conversation")  # fmt: skip
    return Items(*(np.concatenate([getattr(items, name), each]) for name, each in zip(names, further, strict=True)))
