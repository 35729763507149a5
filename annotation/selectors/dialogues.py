"""List the dialogues of a study and their uses, page by page, whatever the size of the study."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Exists, F, Func, IntegerField, Model, OuterRef, Q, QuerySet
from django.db.models.fields.reverse_related import ForeignObjectRel
from django.utils.translation import gettext_lazy as _

from annotation.models import Batch, Candidate, Dialogue, Item, Source, Study
from annotation.selectors.studies import count_of
from annotation.selectors.waiting import unusable

M = TypeVar("M", bound=Model)
Kind = Batch.Kind
CHECK, NOTHING, UNUSABLE = "check", "nothing", "unusable"
USES: dict[str, Any] = {
    Kind.PILOT: Kind.PILOT.label,
    Kind.QUALIFICATION: Kind.QUALIFICATION.label,
    Kind.TRAINING: Kind.TRAINING.label,
    Kind.MAIN: Kind.MAIN.label,
    CHECK: _("Check"),
    NOTHING: _("Not used yet"),
    UNUSABLE: _("Cannot be used"),
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


def rates_turns(study_id: int) -> bool:
    """Return whether several dialogues of one conversation are rated, so that their answers are dependent.

    This is the rule of reports too: a whole dialogue whose turns nobody rates is alone in its conversation.
    """
    with_turns = Dialogue.objects.filter(study=study_id).exclude(conversation=F("key")).values("conversation")
    rated = Item.objects.filter(
        batch__study=study_id, batch__kind__in=Batch.DEALT, is_check=False, dialogue__conversation__in=with_turns
    )
    talks = rated.order_by().values("dialogue__conversation").annotate(n=Count("dialogue", distinct=True))
    return talks.filter(n__gt=1).exists()


def unused_dialogues(study: Study) -> QuerySet[Dialogue]:
    """Return the dialogues that nothing of any app refers to: no item, prediction or known answer."""
    rows = _unreferenced(Dialogue.objects.filter(study=study).order_by(), Dialogue, but=Candidate)
    return _unreferenced(rows, Candidate, "__dialogue")


def unused_sources(study: Study) -> QuerySet[Source]:
    return _unreferenced(Source.objects.filter(study=study), Source)


def _unreferenced(
    rows: "QuerySet[M]", to: type[Model], path: str = "", but: type[Model] | None = None
) -> "QuerySet[M]":
    """Return the rows that no foreign key to the model leads to, except those of one model."""
    for model, field in _references(to):
        if model is not but:
            rows = rows.filter(~Exists(model._default_manager.filter(**{field + path: OuterRef("pk")})))
    return rows


def _references(model: type[Model]) -> list[tuple[type[Model], str]]:
    """Return (model, field) of every foreign key to this model."""
    fields = model._meta.get_fields(include_hidden=True)
    return [(each.related_model, each.field.name) for each in fields if isinstance(each, ForeignObjectRel)]


def dialogue_list(study: Study, *, use: str = "", text: str = "") -> QuerySet[Dialogue]:
    """Return dialogues with this use whose key, conversation or scenario contains the text, with counts of parts."""
    rows = Dialogue.objects.filter(study=study)
    if text:
        rows = rows.filter(Q(key__icontains=text) | Q(conversation__icontains=text) | Q(scenario__icontains=text))
    items = Item.objects.filter(Q(dialogue=OuterRef("pk")) | Q(other_dialogue=OuterRef("pk")))
    if use == UNUSABLE:
        rows = rows.filter(pk__in=unusable(study).values("pk"))
    elif use == NOTHING:
        rows = rows.filter(~Exists(items))
    elif use:
        used = items.filter(is_check=True) if use == CHECK else items.filter(is_check=False, batch__kind=use)
        rows = rows.filter(Exists(used))
    return (
        rows.annotate(
            n_turns=Func("turns", function="jsonb_array_length", output_field=IntegerField()),
            n_candidates=count_of(Candidate.objects.all(), "dialogue"),
        )
        .order_by("position", "pk")
        .select_related("source")
    )


def uses_of(dialogues: Iterable[Dialogue]) -> dict[int, list[Use]]:
    """Return {dialogue id: its uses}, in two queries: a dialogue may be the other one of a pair."""
    batches: dict[tuple[int, bool, str], set[str]] = defaultdict(set)
    for part in ("dialogue", "other_dialogue"):
        items = Item.objects.filter(**{f"{part}__in": [each.pk for each in dialogues]}).order_by()
        keys = ArrayAgg("batch__key", distinct=True)
        for dialogue, is_check, kind, of in items.values_list(part, "is_check", "batch__kind").annotate(keys=keys):
            batches[dialogue, is_check, kind].update(of)
    found: dict[int, list[Use]] = defaultdict(list)
    for (dialogue, is_check, kind), used in sorted(batches.items(), key=lambda each: _place(*each[0])):
        name, named = USES[CHECK] if is_check else Kind(kind).label, sorted(used)
        found[dialogue].append(Use(name, tuple(named[:SHOWN]), max(len(named) - SHOWN, 0)))
    return found


def _place(_dialogue: int, is_check: bool, kind: str) -> tuple[bool, int]:
    return is_check, Kind.values.index(kind)
