"""Read what controllers answered about sampled items, for the measures, and what they have still to answer."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.models import Item, Participant, Rating
from annotation.selectors.comparisons import show_several_sources
from measures.arrays import BoolArray, FloatArray, IntArray
from measures.cohen import confusion_matrix, in_both_orders
from protocols.specs import CriterionSpec, spec_of
from qualification.acceptance.selectors.plans import answer_options, class_options
from qualification.models import Review, Sample, SampledItem


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
    rows = ratings.values_list("option", *(f"item__{part}" for part in Item.CONTENT))
    answers = {_what(parts): option for option, *parts in rows if option is not None}
    sampled_items = SampledItem.objects.filter(sample=review.sample_id, position__range=(review.first, review.last))
    found = sampled_items.values_list("pk", *(f"item__{part}" for part in Item.CONTENT))
    return {pk: answers[_what(parts)] for pk, *parts in found if _what(parts) in answers}


def _what(parts: Sequence[Any]) -> Hashable:
    """Return what an item shows as a key: controllers answer copies of items, which show the same."""
    *rest, shown = parts
    return (*rest, *shown)


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


def second_table(sampled_items: QuerySet[SampledItem], criterion: CriterionSpec) -> FloatArray:
    """Return the (C, C) table of the first and second controllers' answers to the same items.

    Comparisons of more than two sources count in both orders of their sides, half each.
    """
    twice = sampled_items.filter(controller_label__isnull=False, second_label__isnull=False)
    rows = list(twice.values_list("controller_label", "second_label", "item"))
    options = answer_options(criterion)
    place_of = {option.id: at for at, option in enumerate(options)}
    first, second = (np.array([place_of.get(row[at], -1) for row in rows], np.int64) for at in (0, 1))
    mirror = [place_of[criterion.mirrors[option.id].id] for option in options]
    table = confusion_matrix(first, second, len(options))
    return in_both_orders(table, mirror if show_several_sources([row[2] for row in rows]) else None)


# --- a review with the labels shown ----------------------------------------------------------------
def unreviewed_position(review: Review) -> int | None:
    """Return the position of the first dialogue with an item not reviewed yet; None when all are."""
    criterion = spec_of(review.sample.protocol_version).by_key[review.sample.plan["criterion"]]
    mine = Rating.objects.filter(
        item=OuterRef("pk"), criterion=criterion.id, assignment__participant=review.participant_id, is_active=True
    )
    items = Item.objects.filter(~Exists(mine), batch=review.batch_id)
    return items.order_by("position").values_list("position", flat=True).first()


def labels_by_token(review: Review, position: int, swapped: Collection[int]) -> dict[UUID, str]:
    """Return {token of the copy: code of the label it was drawn with} of one dialogue.

    Labels of comparisons are stored by candidate. Those of the copies in `swapped`, whose sides stand the other way
    round, are returned for the side where the controller sees the candidate.
    """
    criterion = spec_of(review.sample.protocol_version).by_key[review.sample.plan["criterion"]]
    codes = {option.id: (option.code, criterion.mirrors[option.id].code) for option in criterion.options}
    copies = Item.objects.filter(batch=review.batch_id, position=position)
    tokens = {
        _what(parts): (token, pk in swapped) for pk, token, *parts in copies.values_list("pk", "token", *Item.CONTENT)
    }
    sampled_items = SampledItem.objects.filter(sample=review.sample_id, position__range=(review.first, review.last))
    named = sampled_items.annotate(**{f"of_{part}": F(f"item__{part}") for part in Item.CONTENT})
    found = {}
    for label, *parts in named.values_list("label", *(f"of_{part}" for part in Item.CONTENT)):
        if _what(parts) in tokens:
            token, is_swapped = tokens[_what(parts)]
            found[token] = codes[label][is_swapped]
    return found


def reviewers_among(participants: Iterable[Participant]) -> dict[int, bool]:
    """Return {id: True} of pending participants who review batches: they do not rate, so they wait for no clearing."""
    waiting = [each.pk for each in participants if each.status == Participant.Status.PENDING]
    reviews = Review.objects.filter(participant__in=waiting)
    return dict.fromkeys(reviews.values_list("participant", flat=True), True)
