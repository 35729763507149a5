"""Read the counted answers of a study's batches as arrays, directly from the table of ratings.

Nothing here reads stored agreement, so results from these arrays are an independent check of it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db import connection

from annotation.agreement_cells import category_codes
from annotation.models import Assignment, Batch, Item, Study
from measures.arrays import BoolArray, IntArray
from protocols.specs import CriterionSpec, VersionSpec

# Eight-byte ids, joined per batch and criterion: a million answers as rows would become a million Python tuples.
# The query goes batch by batch, by seats: all groups at once do not fit into its memory and would be written to disk.
RATINGS = """
    SELECT batch.id, part.criterion_id, part.joined
    FROM annotation_batch batch CROSS JOIN LATERAL (
        SELECT rating.criterion_id, string_agg(
            int8send(rating.id) || int8send(rating.item_id) || int8send(rating.assignment_id)
            || int8send(coalesce(rating.option_id, 0)) || int8send(rating.active_ms::bigint), '') AS joined
        FROM annotation_seat seat JOIN annotation_rating rating ON rating.assignment_id = seat.assignment_id
        WHERE seat.batch_id = batch.id AND rating.is_active
        GROUP BY 1) part
    WHERE batch.study_id = %s AND batch.kind = %s
"""
# The dialogues of conversations that have several, and those of scenarios: each with the first of its conversation, and
# with the first of its scenario, or again of its conversation if it has none.
SHARED = """
    SELECT id, min(id) OVER (PARTITION BY conversation),
        min(id) OVER (PARTITION BY scenario, CASE WHEN scenario = '' THEN conversation END)
    FROM annotation_dialogue
    WHERE study_id = %(study)s AND (scenario <> '' OR conversation IN (
        SELECT conversation FROM annotation_dialogue WHERE study_id = %(study)s AND conversation <> key))
    ORDER BY id
"""
ITEMS = """
    SELECT item.batch_id, string_agg(
        int8send(item.id) || int8send(item.batch_id) || int8send(coalesce(item.dialogue_id, 0))
        || int8send(coalesce(item.source_id, 0)) || int8send(coalesce(item.candidate_id, 0))
        || int8send((item.unit = 'dialogue')::int::bigint) || int8send(coalesce(item.other_dialogue_id, 0)), '')
    FROM annotation_item item JOIN annotation_batch batch ON batch.id = item.batch_id
    WHERE batch.study_id = %s AND batch.kind = %s AND NOT item.is_check GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class Items:
    """(N,) arrays, ordered by id. 0 stands for no dialogue, conversation, scenario, source or candidate."""

    id: IntArray
    batch: IntArray
    dialogue: IntArray
    source: IntArray
    candidate: IntArray
    is_whole: IntArray  # 1 for a whole dialogue, otherwise 0
    other: IntArray  # the dialogue that the first is compared with
    conversation: IntArray  # the id of its first dialogue
    scenario: IntArray  # the id of its first dialogue; without a scenario, that of the conversation
    other_conversation: IntArray

    @property
    def groups(self) -> IntArray:
        """Return the groups of dependent items: the scenario, the conversation, or the item itself if it has none."""
        return np.where(self.scenario > 0, self.scenario, -self.id)

    @property
    def has_turns(self) -> bool:
        """Return whether several dialogues of one conversation are rated: these are its turns and not independent.

        Boards have the same rule, in `rates_turns`.
        """
        dialogues, conversations = (self.dialogue, self.other), (self.conversation, self.other_conversation)
        return len(np.unique(dialogues)) > len(np.unique(conversations))

    @property
    def has_scenarios(self) -> bool:
        """Return whether several conversations share a scenario."""
        return not np.array_equal(self.conversation, self.scenario)


@dataclass(frozen=True, slots=True)
class Work:
    """(M,) arrays of assignments, ordered by id: their batch and annotator (a participant id)."""

    id: IntArray
    batch: IntArray
    annotator: IntArray


@dataclass(frozen=True)
class CriterionVotes:
    """The answers to one criterion: (n,) indices of items, assignments and options."""

    items: Items
    work: Work
    criterion: CriterionSpec
    item: IntArray
    assignment: IntArray
    code: IntArray

    @cached_property
    def annotator(self) -> IntArray:
        return self.work.annotator[self.assignment]

    @cached_property
    def tallies(self) -> IntArray:
        """Return the (N, K) votes per item and option; unrated items have zeros."""
        n, k = len(self.items.id), len(self.criterion.options)
        return np.bincount(self.item * k + self.code, minlength=n * k).reshape(n, k)


@dataclass(frozen=True)
class StudyVotes:
    """(n,) arrays with one entry per counted answer, for every kind of question.

    `item` and `assignment` are indices in `items` and `work`.
    """

    items: Items
    work: Work
    spec: VersionSpec
    rating: IntArray
    item: IntArray
    criterion: IntArray
    assignment: IntArray
    option: IntArray
    active_ms: IntArray
    versions: dict[int, int]  # {batch: version of its ratings}, read last

    @cached_property
    def by_criterion(self) -> dict[int, CriterionVotes]:
        """Return {criterion id: votes} for the criteria that are answered with one option."""
        found = {}
        for criterion in self.spec.voted:
            chosen = self.of(criterion) & (self.option > 0)
            codes = category_codes(self.option[chosen], criterion).astype(np.int64)
            item, assignment = self.item[chosen], self.assignment[chosen]
            found[criterion.id] = CriterionVotes(self.items, self.work, criterion, item, assignment, codes)
        return found

    @cached_property
    def annotator(self) -> IntArray:
        return self.work.annotator[self.assignment]

    def of(self, criterion: CriterionSpec) -> BoolArray:
        return self.criterion == criterion.id

    @cached_property
    def _by_id(self) -> IntArray:
        return np.argsort(self.rating)

    def places(self, ratings: IntArray) -> IntArray:
        """Return the indices of answers with these ids; ids that were added after the answers were read are skipped."""
        if not len(self.rating):
            return np.zeros(0, np.int64)
        found = np.searchsorted(self.rating, ratings, sorter=self._by_id)
        found = self._by_id[np.minimum(found, len(self.rating) - 1)]
        return found[self.rating[found] == ratings]


def study_votes(study: Study, spec: VersionSpec, kind: str = Batch.Kind.MAIN) -> StudyVotes:
    with connection.cursor() as cursor:
        cursor.execute(RATINGS, [study.pk, kind])
        parts = [(key, _ids(joined)) for _, key, joined in cursor.fetchall() if key in spec.by_id]
        # The items are read after the ratings, because an item exists before its first answer.
        cursor.execute(ITEMS, [study.pk, kind])
        columns = _joined([_ids(joined, n=7) for _, joined in cursor.fetchall()], n=7)
        cursor.execute(SHARED, {"study": study.pk})
        known, conversation, scenario = np.array(cursor.fetchall(), np.int64).reshape(-1, 3).T
    columns = columns[:, np.argsort(columns[0])]
    shared = ((columns[2], conversation), (columns[2], scenario), (columns[6], conversation))
    items = Items(*np.vstack([columns, *(_replaced(ids, known, firsts) for ids, firsts in shared)]))
    assignments = Assignment.objects.filter(batch__study=study, batch__kind=kind).order_by("pk")
    rows = list(assignments.values_list("pk", "batch_id", "participant_id"))
    work = Work(*np.array(rows, np.int64).reshape(-1, 3).T)
    criterion = np.repeat([key for key, _ in parts], [part.shape[1] for _, part in parts]).astype(np.int64)
    answers = np.vstack([_joined([part for _, part in parts]), criterion])
    # Checks are rated but are not results. They are dropped here, because a join would slow the query for all studies.
    if Item.objects.filter(batch__study=study, batch__kind=kind, is_check=True).exists():
        answers = answers[:, np.isin(answers[1], items.id)]
    rating, item, assignment, option, active_ms, criterion = answers
    return StudyVotes(
        items=items,
        work=work,
        spec=spec,
        rating=rating,
        item=np.searchsorted(items.id, item),
        criterion=criterion,
        assignment=np.searchsorted(work.id, assignment),
        option=option,
        active_ms=active_ms,
        versions=dict(Batch.objects.filter(study=study, kind=kind).values_list("pk", "ratings_version")),
    )


def _replaced(ids: IntArray, known: IntArray, others: IntArray) -> IntArray:
    """Return the ids with the `known` ones, which are sorted, replaced by the `others`."""
    if not len(known):
        return ids
    at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[at] == ids, others[at], ids)


def _ids(joined: bytes, n: int = 5) -> IntArray:
    return np.frombuffer(joined, ">i8").reshape(-1, n).T.astype(np.int64)


def _joined(parts: list[IntArray], n: int = 5) -> IntArray:
    return np.concatenate([np.zeros((n, 0), np.int64), *parts], axis=1)
