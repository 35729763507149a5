"""Update what follows from an answer: questions that are no longer asked, or asked again, and computed answers.

Only protocols with dependent or computed questions need this. The assignment is locked by the answer that was recorded
in the same transaction, so nobody else writes its ratings meanwhile.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django.db.models import Q

from annotation.dependence import Given, asked, computed
from annotation.models import Item, Rating
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec

Record = Callable[[Item, CriterionSpec, int], Any]  # stores a computed answer: item, criterion, option id


def settle(assignment_id: int, spec: VersionSpec, item_id: int, record: Record) -> None:
    """Update dependent and computed answers after an answer to `item_id` that others depend on."""
    item = Item.objects.get(pk=item_id)
    ratings = list(Rating.objects.filter(assignment=assignment_id, item=item, criterion__in=spec.by_id))
    shown = {criterion.id for criterion in asked(spec, item.unit, _given(spec, ratings))}
    mine = {criterion.id for criterion in spec.asked_of(item.unit)}
    changed = [each for each in ratings if each.criterion_id in mine and each.is_active != (each.criterion_id in shown)]
    for rating in changed:
        rating.is_active = not rating.is_active
    Rating.objects.bulk_update(changed, ["is_active"])
    if spec.computed:
        _settle_computed(assignment_id, spec, item, record)


def _settle_computed(assignment_id: int, spec: VersionSpec, changed: Item, record: Record) -> None:
    """Compute answers for this item and the items below it, such as the candidate sets of a model."""
    # Items that may be above or below this one.
    dialogue = Q() if changed.dialogue_id is None else Q(dialogue=changed.dialogue_id) | Q(dialogue=None)
    source = Q() if changed.source_id is None else Q(source=changed.source_id) | Q(source=None)
    items = list(Item.objects.filter(dialogue, source, batch=changed.batch_id))
    ratings: dict[int, list[Rating]] = defaultdict(list)
    for rating in Rating.objects.filter(assignment=assignment_id, item__in=items, criterion__in=spec.by_id):
        ratings[rating.item_id].append(rating)
    for criterion in spec.computed:
        for item in items:
            if item.unit == criterion.unit and stands_above(changed, item):
                around = [rating for other in items if stands_above(other, item) for rating in ratings[other.pk]]
                _compute(spec, criterion, item, around, record)


def _compute(spec: VersionSpec, criterion: CriterionSpec, item: Item, around: list[Rating], record: Record) -> None:
    key = computed(criterion, _given(spec, [rating for rating in around if rating.is_active]))
    option = criterion.option_named(key).id if key else None
    known = next((each for each in around if each.item_id == item.pk and each.criterion_id == criterion.id), None)
    if option is not None and (known is None or known.option_id != option):
        record(item, criterion, option)
    if known is not None and known.is_active != (option is not None):
        Rating.objects.filter(pk=known.pk).update(is_active=option is not None)


def stands_above(other: Item, item: Item) -> bool:
    """Return whether an answer to `other` also concerns `item`: it is the item, its set, its model or its dialogue.

    A comparison concerns nothing but itself.
    """
    if ProtocolVersion.Unit.COMPARISON in (other.unit, item.unit):
        return other.pk == item.pk
    parts = ("dialogue_id", "source_id", "candidate_id")
    return all(getattr(other, part) in (None, getattr(item, part)) for part in parts)


def _given(spec: VersionSpec, ratings: list[Rating]) -> Given:
    chosen = {}
    for rating in ratings:
        criterion = spec.by_id[rating.criterion_id]
        if (option := criterion.option_of(rating.option_id)) is not None:
            chosen[criterion.key] = option.key
    return chosen
