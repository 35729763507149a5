"""Collect what the pages of checks show, each in a fixed number of queries."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Batch, Item, Participant, Rating, Seat, Study
from qualification.checks.selectors.answers import KnownTally, known_tallies
from qualification.checks.selectors.evidence import sentences
from qualification.models import CheckPlan, Flag, KnownAnswer

MOST_OPEN = 100  # shown at once; the others follow when these are decided


@dataclass(frozen=True, slots=True)
class FlagLine:
    """`payable` is the finished work that stays to be paid after an exclusion."""

    flag: Flag
    lines: list[str]

    @property
    def payable(self) -> dict[str, Any]:
        return self.flag.payable


@dataclass(frozen=True, slots=True)
class Material:
    """Count the known answers and the main batches they are inserted into."""

    n_gold: int
    n_attention: int
    n_training: int
    n_dialogues: int
    n_batches: int
    n_with_checks: int
    n_waiting: int  # not begun and without checks


@dataclass(frozen=True, slots=True)
class Record:
    """Hold what the known answers say about one annotator so far."""

    participant: Participant
    gold: KnownTally | None
    attention: KnownTally | None


def flags_of(study: Study, pseudonym: str = "") -> QuerySet[Flag]:
    rows = Flag.objects.filter(participant__study=study).select_related("participant", "decided_by")
    return rows.filter(participant__pseudonym=pseudonym) if pseudonym else rows


def open_flags(study: Study, pseudonym: str = "") -> QuerySet[Flag]:
    return flags_of(study, pseudonym).filter(state=Flag.State.OPEN).order_by("-raised_at", "-pk")


def decided_flags(study: Study, pseudonym: str = "") -> QuerySet[Flag]:
    return flags_of(study, pseudonym).exclude(state=Flag.State.OPEN).order_by("-decided_at", "-pk")


def lines_of(flags: Iterable[Flag]) -> list[FlagLine]:
    return [FlagLine(flag, sentences(flag)) for flag in flags]


def record_of(study: Study, pseudonym: str) -> Record | None:
    participant = study.participants.filter(pseudonym=pseudonym).first() if pseudonym else None
    if participant is None:
        return None
    tallies = known_tallies([participant.pk])
    kinds = (KnownAnswer.Kind.GOLD, KnownAnswer.Kind.ATTENTION)
    return Record(participant, *(tallies.get((participant.pk, kind)) for kind in kinds))


def plan_of(study: Study) -> CheckPlan | None:
    return CheckPlan.objects.filter(study=study).first()


def material_of(study: Study) -> Material:
    kinds = KnownAnswer.Kind
    known = KnownAnswer.objects.filter(study=study, is_active=True).aggregate(
        **{f"n_{kind}": Count("pk", filter=Q(kind=kind)) for kind in kinds.values},
        n_dialogues=Count("dialogue", distinct=True, filter=~Q(kind=kinds.TRAINING)),
    )
    of_batch = {"batch": OuterRef("pk")}
    has_checks = Exists(Item.objects.filter(is_check=True, repeats=None, **of_batch))
    is_begun = Exists(Rating.objects.filter(**of_batch)) | Exists(
        Seat.objects.filter(**of_batch).exclude(assignment=None)
    )
    main = study.batches.filter(kind=Batch.Kind.MAIN, reserved_for=None)
    batches = main.annotate(has_checks=has_checks, is_begun=is_begun).aggregate(
        n_batches=Count("pk"),
        n_with_checks=Count("pk", filter=Q(has_checks=True)),
        n_waiting=Count("pk", filter=Q(has_checks=False, is_begun=False)),
    )
    return Material(**known, **batches)
