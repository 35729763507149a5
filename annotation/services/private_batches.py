"""Make batches for one person: a review sample, a re-rating, an adjudication. All use the same rating screen."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from annotation.models import Assignment, Batch, Item, Participant, Seat, Study
from annotation.nudging import raise_version


@transaction.atomic
def make_private_batch(study: Study, *, kind: str, key: str, items: Sequence[Item], person: Participant) -> Batch:
    """Make an open batch of copies of `items`, in this order, with one seat that only `person` can take.

    The copies have tokens of their own, so a browser cannot tell which answers they are compared with.
    """
    last = Batch.objects.filter(study=study).aggregate(last=Max("position"))["last"] or 0
    batch = Batch.objects.create(
        study=study, key=key, kind=kind, status=Batch.Status.OPEN, position=last + 1, n_items=len(items),
        reserved_for=person, ratings_version=1,
    )  # fmt: skip
    places = {group: at for at, group in enumerate(dict.fromkeys(map(_screen, items)), start=1)}
    Item.objects.bulk_create(
        [copy_of(item, batch, places[_screen(item)]) for item in items],
        batch_size=2000,
    )
    Seat.objects.create(batch=batch, number=1)
    return batch


def copy_of(item: Item, batch: Batch, position: int) -> Item:
    return Item(
        batch=batch, unit=item.unit, dialogue_id=item.dialogue_id, candidate_id=item.candidate_id,
        source_id=item.source_id, other_dialogue_id=item.other_dialogue_id, shown=item.shown, position=position,
    )  # fmt: skip


@transaction.atomic
def withdraw_private_batch(batch: Batch) -> None:
    """Close the batch so that nobody has to finish it. Its answers stay stored but do not count."""
    seats = Seat.objects.filter(batch=batch, assignment__isnull=False).select_for_update()
    held = [seat.assignment_id for seat in seats if seat.assignment_id is not None]
    Assignment.objects.filter(pk__in=held, status=Assignment.Status.ACTIVE).update(status=Assignment.Status.EXPIRED)
    Seat.objects.filter(assignment__in=held).update(assignment=None, lease_expires_at=None)
    Batch.objects.filter(pk=batch.pk).update(status=Batch.Status.CLOSED)
    raise_version(batch.pk)


def _screen(item: Item) -> tuple[int, int]:
    """Return a key of the item's screen: items of one dialogue share a screen; models and pairs have their own."""
    return item.dialogue_id or 0, item.other_dialogue_id or (0 if item.dialogue_id else item.source_id or 0)
