"""Find items that annotators have flagged, with all their flags. A flag changes no answer."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.models import Item, ItemMark, MarkChange, Study
from annotation.selectors.marks import STANDS

NEWEST = 10  # shown on the overview, where the list refreshes; the page of flagged items shows all


@dataclass(frozen=True)
class FlaggedItem:
    """`upto` is the last change to the flags that the page shows, so that nobody settles a later one unseen."""

    item: Item
    flags: tuple[ItemMark, ...]  # the ones that stand, newest first
    upto: int

    @cached_property
    def reasons(self) -> list[tuple[str, int]]:
        """Return (reason in words, how many gave it), the most frequent first."""
        return Counter(str(flag.get_reason_display()) for flag in self.flags).most_common()

    @property
    def is_open(self) -> bool:
        return any(flag.seen_at is None for flag in self.flags)


def flags_in(study: Study) -> QuerySet[ItemMark]:
    return ItemMark.objects.filter(STANDS, item__batch__study=study)


def flagged_items(study: Study, *, is_open: bool) -> QuerySet[Item]:
    """Return flagged items, the last flagged first: those with an unsettled flag if `is_open`, otherwise the others."""
    flags = ItemMark.objects.filter(STANDS, item=OuterRef("pk"))
    waits = Exists(flags.filter(seen_at=None))
    rows = Item.objects.filter(Exists(flags), waits if is_open else ~waits, batch__study=study)
    last = rows.annotate(last=Max("marks__flagged_at", filter=~Q(marks__reason=""))).order_by("-last", "pk")
    return last.select_related("dialogue", "candidate", "batch")


def cards_of(items: Sequence[Item]) -> list[FlaggedItem]:
    """Return the items with their flags, in a fixed number of queries."""
    flags: dict[int, list[ItemMark]] = defaultdict(list)
    status = ItemMark.objects.filter(STANDS, item__in=items).order_by("-flagged_at", "-pk")
    for flag in status.select_related("assignment__participant", "seen_by"):
        flags[flag.item_id].append(flag)
    changes = MarkChange.objects.filter(mark__item__in=items, kind=MarkChange.Kind.FLAG).order_by()
    last = dict(changes.values_list("mark__item").annotate(last=Max("pk")))
    return [FlaggedItem(item, tuple(flags[item.pk]), last.get(item.pk, 0)) for item in items]


def stamp_of(study: Study) -> str:
    """Return a stamp that changes as soon as a flag is given, taken back or settled."""
    changes = MarkChange.objects.filter(mark__item__batch__study=study, kind=MarkChange.Kind.FLAG)
    last = changes.aggregate(last=Max("pk"))["last"]
    seen = flags_in(study).aggregate(last=Max("seen_at"), n=Count("pk", filter=Q(seen_at=None)))
    return f"{last or 0}-{seen['n']}-{seen['last'].timestamp() if seen['last'] else 0}"
