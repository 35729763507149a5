"""List the dialogues of a study and their uses, page by page, whatever the size of the study."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Exists, F, Func, IntegerField, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import Batch, Candidate, Dialogue, Item, Study
from annotation.selectors.studies import count_of

Kind = Batch.Kind
CHECK, NOTHING = "check", "nothing"
USES: dict[str, Any] = {
    Kind.PILOT: Kind.PILOT.label,
    Kind.QUALIFICATION: Kind.QUALIFICATION.label,
    Kind.TRAINING: Kind.TRAINING.label,
    Kind.MAIN: Kind.MAIN.label,
    CHECK: _("Check"),
    NOTHING: _("Not used yet"),
}
SHOWN = 3  # batches of one use that are named in a row


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a dialogue, with the first batches of this use and how many more there are."""

    name: Any
    batches: tuple[str, ...]
    n_more: int


def has_turns(study_id: int) -> bool:
    """Return whether a conversation of the study has several dialogues, so that answers about them are dependent."""
    mine = Dialogue.objects.filter(study=study_id)
    others = mine.filter(conversation=OuterRef("conversation")).exclude(pk=OuterRef("pk"))
    return mine.exclude(conversation=F("key")).filter(Exists(others)).exists()


def dialogue_list(study: Study, *, use: str = "", text: str = "") -> QuerySet[Dialogue]:
    """Return dialogues with this use whose key, or conversation, contains the text; with `n_turns`, `n_candidates`."""
    rows = Dialogue.objects.filter(study=study)
    if text:
        rows = rows.filter(Q(key__icontains=text) | Q(conversation__icontains=text))
    items = Item.objects.filter(dialogue=OuterRef("pk"))
    if use == NOTHING:
        rows = rows.filter(~Exists(items))
    elif use:
        used = items.filter(is_check=True) if use == CHECK else items.filter(is_check=False, batch__kind=use)
        rows = rows.filter(Exists(used))
    return rows.annotate(
        n_turns=Func("turns", function="jsonb_array_length", output_field=IntegerField()),
        n_candidates=count_of(Candidate.objects.all(), "dialogue"),
    ).order_by("position", "pk")


def uses_of(dialogues: Iterable[Dialogue]) -> dict[int, list[Use]]:
    """Return {dialogue id: its uses}, in one query."""
    items = Item.objects.filter(dialogue__in=[each.pk for each in dialogues]).order_by()
    rows = items.values_list("dialogue", "is_check", "batch__kind").annotate(
        keys=ArrayAgg("batch__key", distinct=True, order_by="batch__key")
    )
    found: dict[int, list[Use]] = defaultdict(list)
    for dialogue, is_check, kind, keys in sorted(rows, key=lambda row: (row[1], Kind.values.index(row[2]))):
        name = USES[CHECK] if is_check else Kind(kind).label
        found[dialogue].append(Use(name, tuple(keys[:SHOWN]), max(len(keys) - SHOWN, 0)))
    return found
