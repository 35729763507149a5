"""Find items that nobody can read: imported ratings made their dialogue or response from its id alone."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Exists, F, Func, IntegerField, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Batch, Candidate, Dialogue, Item

NAMED = 3


def without_texts(items: QuerySet[Item]) -> QuerySet[Item]:
    place = Func(OuterRef("shown"), F("pk"), function="array_position", output_field=IntegerField())
    shown = Candidate.objects.filter(dialogue=OuterRef("dialogue"), text="").alias(place=place)
    return items.filter(
        Q(dialogue__is_textless=True)
        | Q(other_dialogue__is_textless=True)
        | Q(candidate__text="")
        | Exists(shown.filter(place__isnull=False))
    )


def why_unreadable(batches: Iterable[Batch]) -> str:
    """Return which of these batches nobody can rate, and what to do; an empty text if people can read everything."""
    items = without_texts(Item.objects.filter(batch__in=batches))
    is_held = Q(pk__in=items.values("dialogue")) | Q(pk__in=items.values("other_dialogue"))
    is_bare = Q(is_textless=True) | Exists(Candidate.objects.filter(dialogue=OuterRef("pk"), text=""))
    dialogues = Dialogue.objects.filter(is_held, is_bare).order_by("position").values_list("key", flat=True)
    if not (n := dialogues.count()):
        return ""
    keys = Batch.objects.filter(pk__in=items.values("batch")).order_by("position").values_list("key", flat=True)
    text = ngettext(
        "“%(batches)s” cannot be opened: %(n)s dialogue came with imported ratings and has no text (%(dialogues)s).",
        "“%(batches)s” cannot be opened: %(n)s dialogues came with imported ratings and have no texts (%(dialogues)s).",
        n,
    )
    remedy = _(
        "To have them rated here, take the import of the ratings back, import the dialogues with their texts, and then "
        "the ratings again."
    )
    return f"{text % {'batches': _first(keys), 'n': n, 'dialogues': _first(dialogues)}} {remedy}"


def _first(keys: QuerySet[Any, str]) -> str:
    named = list(keys[: NAMED + 1])
    return ", ".join(named[:NAMED]) + (", …" if len(named) > NAMED else "")
