"""Collect what the pilot page shows beside the results: progress, texts of hard items, comments, suggestions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, QuerySet

from annotation.models import Assignment, Batch, Item, Participant, Rating, Study
from measures.estimate import Estimate
from measures.qualification_rule import panels_own
from measures.suggestions import minutes_of_batch, pay_of_minutes
from parley.formulas import csv_file
from protocols.models import Option
from protocols.specs import VersionSpec
from qualification.models import Qualification
from qualification.pilot.selectors.results import (
    HardItem,
    Hardness,
    PilotFigures,
    Times,
    hardness_of,
    kappa_of,
    times_of,
)
from qualification.pilot.selectors.votes import PilotVotes
from qualification.qualifying.selectors.panel import Place, items_shown
from qualification.qualifying.selectors.votes import PANELS, pooled_scale

COMMENTS = 100
FEWEST_BESIDE = 2
HOURLY = Decimal("8.00")  # hourly pay of the reference study
PILOT = Batch.Kind.PILOT
COLUMNS = ("batch", "dialogue", "unit", "item", "text")


def pilots_of(study: Study) -> list[Batch]:
    """Return the study's pilots in their order, with `n_seats`."""
    return list(study.batches.filter(kind=PILOT).annotate(n_seats=Count("seats")).order_by("position"))


# --- the panel ---------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Member:
    participant: Participant
    n_done: int
    is_at_work: bool
    times: Times | None


def members_of(members: Sequence[Participant], pilots: Iterable[Batch], figures: PilotFigures | None) -> list[Member]:
    status = Assignment.Status
    held = Assignment.objects.filter(batch__in=list(pilots), participant__in=list(members), seat__isnull=False)
    counts = Counter(held.values_list("participant", "status"))
    times = figures.by_member if figures else {}
    return [
        Member(each, counts[each.pk, status.SUBMITTED], counts[each.pk, status.ACTIVE] > 0, times.get(each.pk))
        for each in members
    ]


# --- items and comments --------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class HardText:
    item: Item
    hardness: Hardness
    by_criterion: tuple[Hardness | None, ...]


def texts_of(found: Sequence[HardItem]) -> list[HardText]:
    """Return the items with their texts, without the source, which would suggest a reason before one is looked for."""
    items = Item.objects.select_related("dialogue", "candidate", "batch").in_bulk([each.item for each in found])
    return [HardText(items[each.item], each.hardness, each.by_criterion) for each in found]


def feedback_of(pilot: Batch | None) -> QuerySet[Assignment]:
    """Return the comments written at the end of the pilot, newest first."""
    work = Assignment.objects.filter(batch=pilot).exclude(feedback="")
    return work.select_related("participant", "batch").order_by("-submitted_at", "-pk")[:COMMENTS]


def unsure_texts_of(pilot: Batch | None) -> QuerySet[Rating]:
    """Return the answers in which somebody explains why they could not decide, newest first."""
    unsure = Rating.objects.filter(batch=pilot, option__role=Option.Role.UNSURE)
    texts = unsure.filter(assignment__seat__isnull=False, is_active=True).exclude(free_text="")
    return texts.select_related("assignment__participant", "criterion", "item__dialogue").order_by("-pk")[:COMMENTS]


# --- suggestions ---------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Suggestions:
    """Hold the suggestions; None if no answer has a time, or if kappa is undefined, as it always is for accuracy."""

    n_items: int
    hourly: Decimal
    minutes: int | None
    pay: Decimal | None
    method: str  # of the qualification
    kappa: float | None  # by that method
    members: str  # the panel members whose kappa it is

    @property
    def threshold(self) -> float | None:
        """Return kappa to two decimals, as thresholds are written; None if undefined or nobody could be above it."""
        return None if self.kappa is None or self.is_unanimous else round(self.kappa, 2) + 0.0

    @property
    def is_unanimous(self) -> bool:
        """Return whether the panel agrees on everything: candidates must exceed the threshold; no kappa exceeds 1."""
        return self.kappa is not None and round(self.kappa, 2) >= 1


def suggest(
    spec: VersionSpec,
    votes: PilotVotes,
    members: Sequence[Participant],
    figures: PilotFigures,
    qualification: Qualification,
    *,
    n_items: int,
    hourly: Decimal,
) -> Suggestions:
    """Suggest minutes and pay for a batch of `n_items` at `hourly`, and a threshold: the panel's own kappa."""
    seconds = figures.times.median
    minutes = minutes_of_batch(seconds, n_items * figures.per_item) if seconds else None
    kappa = _compared_kappa(spec, votes, members, qualification)
    pay = None if minutes is None else pay_of_minutes(minutes, hourly)
    return Suggestions(
        n_items, hourly, minutes, pay, qualification.method, kappa, qualification.get_panel_members_display()
    )


def _compared_kappa(
    spec: VersionSpec, votes: PilotVotes, members: Sequence[Participant], qualification: Qualification
) -> float | None:
    """Return the kappa, by the qualification's method, of the members that it compares candidates with."""
    compared = [each.pk for each in members if each.panel in PANELS[qualification.panel_members]]
    votes = votes.of(compared)
    scale = pooled_scale(spec, in_both_orders=votes.in_both_orders)
    return panels_own(qualification.method, votes.table(scale, compared), scale.n_categories, scale.mirror)


# --- pilots side by side -------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class PilotColumn:
    """Hold the results of one pilot. `same_as`: key of the first pilot with the same items; empty for that one."""

    batch: Batch
    same_as: str
    n_votes: int
    times: Times
    hardness: Hardness
    kappa: Estimate
    threshold: float | None


def side_by_side(
    spec: VersionSpec,
    votes: PilotVotes,
    members: Sequence[Participant],
    pilots: Sequence[Batch],
    qualification: Qualification,
) -> list[PilotColumn]:
    """Return the results of the panel's answers for each pilot separately; nothing while there is only one pilot."""
    if len(pilots) < FEWEST_BESIDE:
        return []
    firsts = _firsts(pilots)
    mine = votes.of([each.pk for each in members])
    columns = []
    for pilot in pilots:
        own = mine.in_batch(pilot.pk)
        kappa = _compared_kappa(spec, own, members, qualification)
        columns.append(
            PilotColumn(
                batch=pilot,
                same_as=firsts[pilot.pk],
                n_votes=len(own.item),
                times=times_of(own),
                hardness=hardness_of(own, spec),
                kappa=kappa_of(own, pooled_scale(spec, in_both_orders=own.in_both_orders)),
                threshold=None if kappa is None else round(kappa, 2) + 0.0,
            )
        )
    return columns


def _firsts(pilots: Sequence[Batch]) -> dict[int, str]:
    """Return {pilot id: key of the first pilot that shows the same items}; the key is empty for that first one."""
    shown = items_shown([each.pk for each in pilots])
    firsts: dict[frozenset[Place], Batch] = {}
    found = {}
    for pilot in pilots:
        first = firsts.setdefault(frozenset(shown[pilot.pk]), pilot)
        found[pilot.pk] = "" if first is pilot else first.key
    return found


# --- difficulty as a file --------------------------------------------------------------------------
def difficulty_csv(figures: PilotFigures) -> str:
    """Return a row per item, the hardest first: means over its criteria, then each criterion, as shares from 0 to 1.

    As on the page, sources are left out.
    """
    keys = ("all", *(line.criterion.key for line in figures.criteria))
    heading = (*COLUMNS, *(f"{key}_{name}" for key in keys for name in Hardness._fields))
    not_judged = (None,) * len(Hardness._fields)  # by a criterion
    rows = []
    for each in texts_of(figures.items):
        item = each.item
        dialogue, text = (item.dialogue.key if item.dialogue else "", item.candidate.text if item.candidate else "")
        shares = (share for part in (each.hardness, *each.by_criterion) for share in part or not_judged)
        rounded = (None if share is None else round(share, 6) for share in shares)
        rows.append((item.batch.key, dialogue, item.unit, str(item.token), text, *rounded))
    return csv_file(heading, rows)
