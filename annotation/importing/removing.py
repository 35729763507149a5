"""Take dialogues out of a study again, as long as nothing uses them."""

from collections.abc import Collection

from annotation.models import Dialogue, Source, Study
from annotation.selectors.dialogues import unused_dialogues, unused_sources


def remove_unused(study: Study, ids: Collection[int]) -> tuple[int, set[int]]:
    """Delete those of the dialogues that nothing uses. Return how many, and the ids of the sources they had.

    The study must be locked, so that nobody makes batches of them meanwhile.
    """
    unused = unused_dialogues(study).filter(pk__in=ids)
    found = list(unused.values_list("pk", flat=True))
    rows = Dialogue.objects.filter(pk__in=found).order_by()
    sources = {*rows.values_list("source", flat=True), *rows.values_list("candidates__source", flat=True)} - {None}
    rows.delete()
    return len(found), sources


def remove_unused_sources(study: Study, ids: Collection[int]) -> None:
    """Delete those of the sources that no dialogue has any more: tables would show them without results."""
    unused = list(unused_sources(study).filter(pk__in=ids).values_list("pk", flat=True))
    Source.objects.filter(pk__in=unused).delete()
