"""Insert dialogues with known answers into main batches that nobody has begun.

Their places are drawn from the study's seed and the batch's key, so that a study can be reproduced. Only its texts
tell a check from another item, so a browser cannot recognise it.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from typing import TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Batch, Candidate, Dialogue, Item, ItemMark, Rating, Reading, Seat, Study
from annotation.nudging import raise_version
from annotation.services import activity
from protocols.models import ProtocolVersion
from qualification.checks.selectors.repeats import mixable, n_checks
from qualification.models import CheckPlan, KnownAnswer

Kind = KnownAnswer.Kind
Unit = ProtocolVersion.Unit
Screen = tuple[int, int | None]  # a dialogue and, of two in comparison, the other one
T = TypeVar("T")


# --- drawing: arithmetic on lists --------------------------------------------------------------------


def order_with_checks(plain: Sequence[T], extra: Sequence[T], rng: random.Random) -> list[T]:
    """Return the plain ones in their order, with the extra ones at random places among them."""
    at = set(rng.sample(range(len(plain) + len(extra)), len(extra)))
    ordered, others = iter(plain), iter(extra)
    return [next(others) if place in at else next(ordered) for place in range(len(plain) + len(extra))]


def fitting_size(n: int, sizes: set[int]) -> int | None:
    """Return how many of a check's n responses to show; None if all dialogues of the batch have more than n.

    The number is one that dialogues of the batch have too: otherwise the check would stand out.
    """
    return max((size for size in sizes if size <= n), default=None)


# --- rows --------------------------------------------------------------------------------------------
@dataclass(slots=True)
class Card:
    """Hold a dialogue with known answers. `candidates` are (candidate, source) ids, those with a known answer first.

    `source` is that of the whole dialogue.
    """

    dialogue: int
    kind: str
    source: int | None = None
    candidates: list[tuple[int, int]] = field(default_factory=list)

    def parts(self, units: set[str]) -> list[list[tuple[int, int]]]:
        """Return what is rated on its own: each response, or a source's responses where they are rated together."""
        if Unit.CANDIDATE_SET not in units:
            return [[each] for each in self.candidates] if Unit.RESPONSE in units else []
        together: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for each in self.candidates:
            together[each[1]].append(each)
        return list(together.values())


@dataclass(slots=True)
class Inserted:
    """`n_begun`: batches that are left as they are because they are begun. `n_unfit`: checks with too few responses."""

    n_batches: int = 0
    n_begun: int = 0
    n_checks: int = 0
    n_unfit: int = 0


def insert_checks(study: Study, *, by: User | None, now: datetime) -> Inserted:
    """Remove all checks from main batches nobody has begun, and insert checks anew at the rates of the plan."""
    plan = CheckPlan.objects.filter(study=study).first() or CheckPlan(study=study)
    cards = cards_of(study)
    waiting = list(untouched_batches(study))
    done = Inserted(n_begun=study.batches.filter(kind=Batch.Kind.MAIN).count() - len(waiting))
    others = Item.objects.filter(batch__study=study, is_check=True, repeats=None).exclude(batch__in=waiting)
    rows = others.values_list("batch", "dialogue_id").distinct()
    uses = Counter(dialogue for _, dialogue in rows if dialogue)
    unfit: set[int] = set()
    for batch in waiting:
        n = _insert_into(batch, plan, cards, uses, unfit)
        done.n_batches, done.n_checks = done.n_batches + (n is not None), done.n_checks + (n or 0)
        done.n_begun += n is None
    done.n_unfit = len(unfit)
    details = {"batches": done.n_batches, "checks": done.n_checks, "begun": done.n_begun, "unfit": done.n_unfit}
    activity.log(study, by, "checks_inserted", details=details, now=now)
    return done


def untouched_batches(study: Study) -> QuerySet[Batch]:
    """Return main batches without answers, marks or taken seats."""
    rated = Rating.objects.filter(batch=OuterRef("pk"))
    marked = ItemMark.objects.filter(item__batch=OuterRef("pk"))
    held = Seat.objects.filter(batch=OuterRef("pk"), assignment__isnull=False)
    main = study.batches.filter(kind=Batch.Kind.MAIN, reserved_for=None).order_by("position")
    return main.exclude(Exists(rated)).exclude(Exists(marked)).exclude(Exists(held))


def cards_of(study: Study) -> list[Card]:
    """Return the dialogues that can be inserted as checks, in the order of their ids."""
    rows = mixable(study).order_by("dialogue")
    cards: dict[int, Card] = {}
    answered: set[int | None] = set()
    for dialogue, kind, candidate in rows.values_list("dialogue_id", "kind", "candidate_id"):
        card = cards.setdefault(dialogue, Card(dialogue, kind))
        card.kind = Kind.ATTENTION if Kind.ATTENTION in (card.kind, kind) else kind
        answered.add(candidate)
    candidates = Candidate.objects.filter(dialogue__in=list(cards)).exclude(text="").order_by("pk")
    for pk, dialogue, source in candidates.values_list("pk", "dialogue_id", "source_id"):
        cards[dialogue].candidates.append((pk, source))
    for pk, source in Dialogue.objects.filter(pk__in=cards, source__isnull=False).values_list("pk", "source_id"):
        cards[pk].source = source
    for card in cards.values():
        card.candidates.sort(key=lambda each: (each[0] not in answered, each[0]))
    return list(cards.values())


@transaction.atomic
def _insert_into(batch: Batch, plan: CheckPlan, cards: list[Card], uses: Counter[int], unfit: set[int]) -> int | None:
    """Insert checks into a batch and return how many; None if somebody has begun it meanwhile."""
    # Claiming skips locked seats, so nobody begins the batch before it is complete again.
    list(Seat.objects.select_for_update().filter(batch=batch).order_by("pk"))
    if not untouched_batches(plan.study).filter(pk=batch.pk).exists():
        return None
    batch.items.filter(is_check=True, repeats=None).delete()
    items = list(batch.items.order_by("position", "pk"))
    units = {item.unit for item in items}
    # The numbers of responses, or of sets of them, that dialogues have; {0} if only dialogues are rated.
    counted = Unit.CANDIDATE_SET if Unit.CANDIDATE_SET in units else Unit.RESPONSE
    sizes = set(Counter(item.dialogue_id for item in items if item.unit == counted).values()) or {0}
    # Nobody knows the answer to a comparison.
    able = cards if units != {Unit.COMPARISON} else []
    fitting = [card for card in able if fitting_size(len(card.parts(units)), sizes) is not None]
    unfit |= {card.dialogue for card in cards} - {card.dialogue for card in fitting}
    talks = _conversations(batch)
    n_dialogues = sum(map(len, talks))
    rng = random.Random(f"{plan.study.seed} checks {batch.key}")  # noqa: S311 - fair, not secret
    drawn = _draw(fitting, plan, n_dialogues, uses, rng)
    uses.update(card.dialogue for card in drawn)
    extra: list[list[Screen]] = [[(card.dialogue, None)] for card in drawn]
    order = chain.from_iterable(order_with_checks(talks, extra, rng))
    places = {screen: place for place, screen in enumerate(order, start=items[0].position if items else 1)}
    _renumber(batch, items, places)
    Item.objects.bulk_create(
        item for card in drawn for item in _items_of(batch, card, places[card.dialogue, None], sizes, units)
    )
    raise_version(batch.pk)
    return len(drawn)


def _conversations(batch: Batch) -> list[list[Screen]]:
    """Return the screens, by conversation and in order: no check may stand between the turns of one.

    Two dialogues in comparison have a screen of their own.
    """
    found: dict[tuple[str, bool], dict[Screen, None]] = defaultdict(dict)
    rows = batch.items.filter(dialogue__isnull=False).order_by("position")
    for dialogue, other, conversation in rows.values_list("dialogue_id", "other_dialogue_id", "dialogue__conversation"):
        found[conversation, other is not None][dialogue, other] = None
    return [list(screens) for screens in found.values()]


def _draw(
    cards: list[Card], plan: CheckPlan, n_dialogues: int, uses: Mapping[int, int], rng: random.Random
) -> list[Card]:
    """Draw by lot, for each kind the wanted number of cards that the fewest other batches use."""
    wanted = {Kind.GOLD: plan.gold_percent, Kind.ATTENTION: plan.attention_percent}
    drawn = []
    for kind, percent in wanted.items():
        own = [card for card in cards if card.kind == kind]
        by_lot = rng.sample(own, len(own))
        drawn += sorted(by_lot, key=lambda card: uses[card.dialogue])[: n_checks(percent, n_dialogues)]
    return rng.sample(drawn, len(drawn))


def _renumber(batch: Batch, items: list[Item], places: Mapping[Screen, int]) -> None:
    """Number the dialogues anew, with room for the checks. Models rated as a whole stay after the last dialogue.

    Repeated comparisons come last, each on a screen of its own.
    """
    after = max(places.values(), default=0) + 1
    last = count(after + 1)
    for item in items:
        if item.repeats_id:
            item.position = next(last)
        else:
            item.position = places[item.dialogue_id, item.other_dialogue_id] if item.dialogue_id else after
    Item.objects.bulk_update(items, ["position"], batch_size=2000)
    # Work whose lease ended without an answer may have reading times: they would now be of other dialogues.
    Reading.objects.filter(assignment__batch=batch).delete()


def _items_of(batch: Batch, card: Card, place: int, sizes: set[int], units: set[str]) -> list[Item]:
    """Return items of the same kinds, and as many, as the batch's other dialogues have."""
    parts = card.parts(units)
    shown = parts[: fitting_size(len(parts), sizes)]
    base = {"batch": batch, "is_check": True, "dialogue_id": card.dialogue, "position": place}
    found = [Item(unit=Unit.DIALOGUE, source_id=card.source, **base)] if Unit.DIALOGUE in units else []
    if Unit.RESPONSE in units:
        flat = sorted(each for part in shown for each in part)
        found += [Item(unit=Unit.RESPONSE, candidate_id=pk, source_id=source, **base) for pk, source in flat]
    if Unit.CANDIDATE_SET in units:
        for part in shown:
            together = [pk for pk, _ in part]
            found.append(Item(unit=Unit.CANDIDATE_SET, source_id=part[0][1], shown=together, **base))
    return found
