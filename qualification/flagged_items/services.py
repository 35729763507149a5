"""Settle what annotators have flagged, with a note and a line in the log. No answer changes."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Item, ItemMark, MarkChange
from annotation.selectors.marks import STANDS
from annotation.services import activity
from annotation.services.refusals import Refused


@transaction.atomic
def settle_flagged_item(item: Item, *, note: str, upto: int, by: User, now: datetime) -> int:
    """Note that the team has looked at the flags of an item. Return how many flags are settled.

    `upto` is the last change to its flags that the page showed: flags that changed since stay open. Raise Refused if
    there is nothing left to settle.
    """
    waiting = ItemMark.objects.select_for_update().filter(STANDS, item=item, seen_at=None).order_by("pk")
    newer = MarkChange.objects.filter(mark__item=item, kind=MarkChange.Kind.FLAG, pk__gt=upto).values("mark")
    flags = list(waiting.exclude(pk__in=newer))
    if not flags:
        raise Refused("settled", _("These flags have been settled or taken back since. Look at the list again."))
    note = note.replace("\x00", "").strip()
    ItemMark.objects.filter(pk__in=[flag.pk for flag in flags]).update(seen_at=now, seen_by=by, seen_note=note)
    details = {
        "batch": item.batch.key,
        "n": len(flags),
        "reasons": sorted({flag.reason for flag in flags}),
        "note": note,
    }
    about = item.dialogue.key if item.dialogue else str(item.token)
    activity.log(item.batch.study, by, "item_flag_seen", about=about, details=details, now=now)
    return len(flags)
