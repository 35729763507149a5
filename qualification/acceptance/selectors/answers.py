"""Count what controllers answered about sampled items, as arrays and tables for the measures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.models import Rating
from measures.arrays import BoolArray, IntArray
from measures.cohen import confusion_matrix
from protocols.specs import CriterionSpec
from qualification.acceptance.selectors.plans import answer_options, class_options
from qualification.models import Review, Sample, SampledItem

# Controllers answer copies of items. These fields match a copy to its item: no two items of a batch share them all.
PARTS = ("unit", "dialogue", "candidate", "source")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Hold n sampled items in their order, as (n,) arrays of places among the options.

    `labels` are the annotators' labels and `answers` the controller's; the place after the last option is no answer.
    """

    labels: IntArray
    answers: IntArray
    is_top_up: BoolArray
    n_labels: int
    n_answers: int

    @property
    def is_right(self) -> BoolArray:
        return self.labels == self.answers

    def confusion(self, n: int | None = None) -> IntArray:
        """Return the (K, C) table of labels by answers of the first `n` items; the last column is no answer."""
        table = confusion_matrix(self.labels[:n], self.answers[:n], self.n_answers)
        return table[: self.n_labels]


def labels_of_controller(review: Review, criterion: CriterionSpec) -> dict[int, int]:
    """Return {sampled item id: option id} of the answers in the review that count.

    Python joins the two queries: without statistics, as after a large import, PostgreSQL takes minutes for the join.
    """
    ratings = Rating.objects.filter(
        batch=review.batch_id, criterion=criterion.id, is_active=True, option__isnull=False,
        assignment__seat__isnull=False,
    )  # fmt: skip
    rows = ratings.values_list("option", *(f"item__{part}" for part in PARTS))
    answers = {tuple(parts): option for option, *parts in rows if option is not None}
    sampled_items = SampledItem.objects.filter(sample=review.sample_id, position__range=(review.first, review.last))
    found = sampled_items.values_list("pk", *(f"item__{part}" for part in PARTS))
    return {pk: answers[tuple(parts)] for pk, *parts in found if tuple(parts) in answers}


def reviewed_items(sample: Sample, criterion: CriterionSpec, n: int) -> Reviewed:
    """Return the first `n` sampled items, which have all been reviewed."""
    options = answer_options(criterion)
    rows = list(
        SampledItem.objects.filter(sample=sample, position__lt=n).values_list("label", "controller_label", "is_top_up")
    )
    place_of = {option.id: at for at, option in enumerate(options)}
    return Reviewed(
        labels=np.array([place_of[label] for label, _, _ in rows], np.int64),
        answers=np.array([place_of.get(decision, len(options)) for _, decision, _ in rows], np.int64),
        is_top_up=np.array([top for _, _, top in rows], bool),
        n_labels=len(class_options(criterion)),
        n_answers=len(options) + 1,
    )


def sizes_of(class_sizes: Mapping[str, int], criterion: CriterionSpec) -> list[int]:
    """Return how many items of the batch have each label, in the order of the labels."""
    return [class_sizes.get(str(option.id), 0) for option in class_options(criterion)]


def second_table(sampled_items: Sequence[tuple[int | None, int | None]], criterion: CriterionSpec) -> IntArray:
    """Return the (C, C) table of the first and second controllers' answers to the same items."""
    place_of = {option.id: at for at, option in enumerate(answer_options(criterion))}
    pairs = [(place_of[one], place_of[two]) for one, two in sampled_items if one in place_of and two in place_of]
    first, second = zip(*pairs, strict=True) if pairs else ((), ())
    return confusion_matrix(np.array(first, np.int64), np.array(second, np.int64), len(place_of))
