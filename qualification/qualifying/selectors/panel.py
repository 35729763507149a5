"""Find the panel's answers to items of qualification batches: there, or in a pilot that shows the same items."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from annotation.models import Assignment, Batch, Item

Same = Mapping[int, int]  # {item of a pilot: item of the qualification batch that shows the same}
Place = tuple[Any, ...]
HERE: Same = {}


def same_items(batches: Iterable[int]) -> dict[int, dict[int, Same]]:
    """Return {qualification batch: {pilot that shows exactly its items: which item is which}}, newest pilot first."""
    wanted = list(batches)
    pilots = Batch.objects.filter(kind=Batch.Kind.PILOT, study__batches__in=wanted).order_by("-position").distinct()
    places = items_shown([*wanted, *(pilot.pk for pilot in pilots)])
    return {
        batch: {
            pilot.pk: {item: places[batch][place] for place, item in places[pilot.pk].items()}
            for pilot in pilots
            if places[batch] and places[pilot.pk].keys() == places[batch].keys()
        }
        for batch in wanted
    }


def pilots_shown(batches: Sequence[Batch]) -> dict[int, str]:
    """Return {qualification batch: key of the newest pilot that shows exactly its items}, without other batches."""
    same = same_items([batch.pk for batch in batches])
    keys = dict(
        Batch.objects.filter(pk__in={pilot for found in same.values() for pilot in found}).values_list("pk", "key")
    )
    return {batch: keys[next(iter(found))] for batch, found in same.items() if found}


def items_shown(batches: Sequence[int]) -> dict[int, dict[Place, int]]:
    """Return {batch: {what an item shows: its id}}."""
    found: dict[int, dict[Place, int]] = defaultdict(dict)
    rows = Item.objects.filter(batch__in=batches, is_check=False).order_by("pk")
    for batch, pk, *place, shown in rows.values_list("batch", "pk", *Item.CONTENT):
        found[batch][*place, *sorted(shown)] = pk
    return found


def panel_work(batches: Iterable[int], members: Iterable[int]) -> dict[int, dict[int, tuple[int, Same]]]:
    """Return {member: {qualification batch: (batch where it was finished, which item is which)}}.

    Answers given in the batch itself come first, then those of the newest pilot.
    """
    same = same_items(batches)
    batches_to_read = {*same, *(pilot for pilots in same.values() for pilot in pilots)}
    done = defaultdict(set)
    for member, batch in counting(batches_to_read, members).values_list("participant", "batch"):
        done[member].add(batch)
    found: dict[int, dict[int, tuple[int, Same]]] = {member: {} for member in done}
    for member, finished in done.items():
        for batch, pilots in same.items():
            places = ((place, items) for place, items in ((batch, HERE), *pilots.items()) if place in finished)
            first = next(places, None)
            if first is not None:
                found[member][batch] = first
    return found


def counting(batches: Iterable[int], participants: Iterable[int]) -> QuerySet[Assignment]:
    """Return finished work whose answers count, because it holds a seat."""
    held = Assignment.objects.filter(status=Assignment.Status.SUBMITTED, seat__isnull=False)
    return held.filter(batch__in=batches, participant__in=participants)
