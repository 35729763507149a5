"""Make a batch that shows exactly what an earlier pilot showed, for a second pilot or for the qualification."""

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.importing.dialogues import lock_study
from annotation.models import Batch, IdenticalPair, Item, Seat, Study
from annotation.services import activity
from annotation.services.batching import batch_key, units_of
from annotation.services.private_batches import copy_of
from annotation.services.refusals import Refused
from parley.listing import both


def not_beside_a_pilot(names: Iterable[str]) -> str:
    """Return why these options cannot be given for a batch that repeats a pilot."""
    text = _("The batch shows exactly what the pilot shows: leave out %(names)s.")
    return text % {"names": both(names)}


@transaction.atomic
def repeat_pilot(
    study: Study, *, pilot: str, kind: str, seats: int | None = None, now: datetime, actor: User | None = None
) -> Batch:
    """Make a draft with the items of a pilot, in its places: the same dialogues, responses and sources.

    Without `seats`, it gets as many as the pilot. Raise Refused.
    """
    lock_study(study)
    if kind not in Batch.REPEATING:
        raise Refused("not_repeated", _("Only a pilot or qualification batch can repeat an earlier pilot."))
    earlier = study.batches.filter(kind=Batch.Kind.PILOT, key=pilot).first()
    if earlier is None:
        raise Refused("no_pilot", _("The study has no pilot named %(name)r.") % {"name": pilot})
    if set(earlier.items.values_list("unit", flat=True)) != units_of(study):
        text = _("The protocol no longer rates what %(pilot)s shows. Use other dialogues.")
        raise Refused("other_units", text % {"pilot": earlier.key})
    keys = set(study.batches.values_list("key", flat=True))
    last = study.batches.order_by("-position").values_list("position", flat=True).first() or 0
    batch = Batch.objects.create(
        study=study, key=batch_key("", kind, 1, 1, keys), kind=kind, position=last + 1, n_items=earlier.n_items,
        ratings_version=1,
    )  # fmt: skip
    shown = earlier.items.filter(repeats=None).order_by("pk")
    Item.objects.bulk_create(copy_of(item, batch, item.position) for item in shown)
    identical = earlier.identical_pairs.order_by("pk").values(
        "dialogue_id", "first_id", "second_id", "other_dialogue_id"
    )
    IdenticalPair.objects.bulk_create(IdenticalPair(batch=batch, **pair) for pair in identical)
    n_seats = seats or earlier.seats.count()
    Seat.objects.bulk_create(Seat(batch=batch, number=number) for number in range(1, n_seats + 1))
    details = {"n": 1, "kind": kind, "by": earlier.key, "size": None, "sources": None, "seats": n_seats}
    activity.log(study, actor, "batches_made", about=batch.key, details=details, now=now)
    return batch
