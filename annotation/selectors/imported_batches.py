"""Find the batches that only imported annotators hold seats of, and say how they can be rated in Parley."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, Batch, Item, Seat, Study
from annotation.selectors.without_texts import without_texts

NAMED = 3


def imported_only(batches: QuerySet[Batch]) -> QuerySet[Batch]:
    """Return the batches whose seats were all added by imports, and whose dialogues have texts to rate."""
    work = Assignment.objects.filter(batch=OuterRef("pk"))
    others = Seat.objects.filter(batch=OuterRef("pk")).exclude(assignment__has_added_seat=True)
    textless = without_texts(Item.objects.filter(batch=OuterRef("pk")))
    return batches.filter(
        Exists(work.filter(has_added_seat=True)), ~Exists(others), ~Exists(textless), kind=Batch.Kind.MAIN
    )


def names_of(batches: Iterable[Batch]) -> str:
    """Return the keys of the first batches."""
    keys = [batch.key for batch in batches]
    return ", ".join(keys[:NAMED]) + (", …" if len(keys) > NAMED else "")


def ways_to_rate(study: Study) -> list[str]:
    """Return sentences: the batches that imports filled, and how people rate what they hold; none without such."""
    batches = list(imported_only(study.batches.exclude(status=Batch.Status.OPEN)).order_by("position"))
    if not batches:
        return []
    opened = ngettext(
        "The seats of %(batches)s belong to imported annotators. Open it under Batches to have it rated here too: it "
        "then gets free seats (%(seats)s).",
        "The seats of %(batches)s belong to imported annotators. Open them under Batches to have them rated here too: "
        "each then gets free seats (%(seats)s).",
        len(batches),
    )
    dealt = _(
        "For smaller batches, take the import back (open it under Import), make batches, and import the ratings again."
    )
    return [opened % {"batches": names_of(batches), "seats": study.seats}, dealt]


def nothing_to_deal(study: Study, kind: str, *, is_fresh_only: bool) -> str:
    """Return why no batch was made: which batches hold the dialogues, and how to go on."""
    holding = study.batches.filter(Q() if is_fresh_only else Q(kind=kind), n_items__gt=0).order_by("position")
    text = _("No batch was made: every dialogue is already in a batch of this kind (%(batches)s).")
    if is_fresh_only:
        text = _("No batch was made: every dialogue is already in a batch (%(batches)s).")
    if not holding:
        return _("No batch was made: the study has no dialogue for one.")
    ways = ways_to_rate(study) or [_("Import more dialogues, or discard a draft whose dialogues you want to use.")]
    return " ".join([text % {"batches": names_of(holding)}, *ways])
