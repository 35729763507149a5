"""Draw the sides, and have an order, of the comparisons that an annotator is given with their seat."""

import random
from collections.abc import Iterable

from annotation.models import Assignment, Batch, Item
from annotation.selectors.comparisons import leaning_of, pairs_of_batch, seen_by_others
from annotation.sides import draw_sides
from protocols.models import ProtocolVersion
from protocols.specs import spec_of


def give_sides(assignment: Assignment, batches: Iterable[int]) -> None:
    """Draw and store which candidate of each pair stands on the left for a new assignment.

    Each source stands on the left as often as on the right over all that this annotator has seen, within one where that
    is possible, and each pair is seen from both sides by those who hold a seat. The screens get an order of their own,
    unless the batch is for this annotator alone. Call it in the transaction of a claim that goes on to raise the
    version of `batches`.
    """
    batch = assignment.batch
    if batch.kind == Batch.Kind.TRAINING:  # an example stands as it is written: its explanation speaks of its sides
        return
    if ProtocolVersion.Unit.COMPARISON not in spec_of(batch.study.protocol_version).units:
        return
    # One claim of a batch at a time: two would not see each other's sides. In the order in which versions are raised.
    list(Batch.objects.filter(pk__in=[batch.pk, *batches]).order_by("pk").select_for_update(no_key=True))
    pairs = pairs_of_batch(batch.pk)
    seen = seen_by_others(assignment)
    name = f"{batch.study.seed} sides {batch.key} {batch.round} {assignment.participant.pseudonym}"
    rng = random.Random(name)  # noqa: S311 - fair, not secret
    drawn = draw_sides(list(pairs.values()), [seen.get(item, 0) for item in pairs], rng, leaning_of(assignment))
    swapped = {item for item, is_swapped in zip(pairs, drawn, strict=True) if is_swapped}
    again = Item.objects.filter(batch=batch, repeats__isnull=False).order_by("pk")
    swapped |= {item for item, repeated in again.values_list("pk", "repeats_id") if repeated not in swapped}
    assignment.swapped = sorted(swapped)
    assignment.is_shuffled = batch.reserved_for_id is None
    assignment.save(update_fields=["swapped", "is_shuffled"])
