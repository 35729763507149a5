"""Conversations whose turns are in several batches, because some were imported after the others had been dealt."""

from collections.abc import Collection

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, F
from django.utils.translation import ngettext

from annotation.models import Batch, Item


def split_words(batches: Collection[Batch]) -> str:
    """Return a sentence about the conversations in these batches that are also in others; empty if there are none."""
    if not batches:
        return ""
    study, kind = next(iter(batches)).study, next(iter(batches)).kind
    here = Item.objects.filter(batch__in=batches).values("dialogue__conversation")
    several = (
        Item.objects.filter(batch__study=study, batch__kind=kind, is_check=False, dialogue__conversation__in=here)
        .order_by()
        .values(conversation=F("dialogue__conversation"))
        .annotate(n=Count("batch", distinct=True))
        .filter(n__gt=1)
    )
    n = several.count()
    if not n:
        return ""
    text = ngettext(
        "%(number)s conversation is in several batches, because some of its turns were imported after the others had "
        "been dealt. To keep its turns together, discard the drafts and make the batches again.",
        "%(number)s conversations are in several batches, because some of their turns were imported after the others "
        "had been dealt. To keep the turns together, discard the drafts and make the batches again.",
        n,
    )
    return text % {"number": intcomma(n)}
