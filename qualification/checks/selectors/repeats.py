"""Find how many checks a batch gets, and whether there are enough for what an annotator rates."""

import math
from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Batch, Item, Participant, Seat, Study
from protocols.specs import spec_of
from qualification.models import CheckPlan, KnownAnswer

Kind = KnownAnswer.Kind
MIXED = (Kind.GOLD, Kind.ATTENTION)


def n_checks(percent: int, n_dialogues: int) -> int:
    """Return the number of checks for a batch: the percentage rounded, and at least one if any are wanted."""
    return max(1, (percent * n_dialogues + 50) // 100) if percent and n_dialogues else 0


def mixable(study: Study) -> QuerySet[KnownAnswer]:
    """Return known answers that can be inserted as checks: main batches do not rate their dialogues for results."""
    criteria = [criterion.id for criterion in spec_of(study.protocol_version).criteria]
    known = KnownAnswer.objects.filter(study=study, kind__in=MIXED, is_active=True, criterion__in=criteria)
    results = Item.objects.filter(dialogue=OuterRef("dialogue"), batch__kind=Batch.Kind.MAIN, is_check=False)
    return known.filter(dialogue__is_textless=False).exclude(Exists(results))


@dataclass(frozen=True, slots=True)
class Repeats:
    """Describe a kind of check: anyone who rates more than `n_apart` batches meets the same dialogue again."""

    kind: str
    n_dialogues: int
    per_batch: float  # on average
    n_batches: int  # batches that an annotator is expected to rate
    n_apart: int


def repeats_of(study: Study, plan: CheckPlan) -> list[Repeats]:
    """Return the kinds with fewer dialogues than an annotator would meet. Without checks in the plan, make no query."""
    sizes = _sizes(study) if plan.gold_percent or plan.attention_percent else []
    if not sizes:
        return []
    rated = _batches_of_one(study, len(sizes))
    rows = mixable(study).order_by().values("dialogue").annotate(n=Count("pk", filter=Q(kind=Kind.ATTENTION)))
    # A dialogue with both kinds of known answers is an attention check.
    counts = Counter(Kind.ATTENTION if n else Kind.GOLD for n in rows.values_list("n", flat=True))
    found = []
    for kind, percent in ((Kind.GOLD, plan.gold_percent), (Kind.ATTENTION, plan.attention_percent)):
        per_batch = sum(n_checks(percent, size) for size in sizes) / len(sizes)
        if not counts[kind] or not per_batch:
            continue
        # No batch holds a dialogue twice, however few there are.
        apart = max(1, math.floor(counts[kind] / per_batch))
        if rated > apart:
            found.append(Repeats(kind, counts[kind], per_batch, rated, apart))
    return found


def _sizes(study: Study) -> list[int]:
    """Return the number of dialogues of each main batch, without checks."""
    items = Item.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN, is_check=False)
    counted = (
        items.filter(batch__reserved_for=None).order_by().values("batch").annotate(n=Count("dialogue", distinct=True))
    )
    return list(counted.values_list("n", flat=True))


def _batches_of_one(study: Study, n_batches: int) -> int:
    """Return how many batches each cleared annotator rates if they share all seats evenly; all if nobody is cleared."""
    seats = Seat.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN, batch__reserved_for=None).count()
    cleared = Participant.objects.filter(study=study, status=Participant.Status.CLEARED, panel="").count()
    return min(n_batches, math.ceil(seats / cleared)) if cleared else n_batches
