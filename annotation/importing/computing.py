"""Keep the computed answers of imported work up to date: they follow from the others, as they do while people rate."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from typing import NamedTuple

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import ngettext

from annotation.dependence import computed
from annotation.models import Assignment, Item, Rating, RatingRevision, Study
from protocols.specs import CriterionSpec, VersionSpec, spec_of

NAMESPACE = uuid.UUID("1c0f5b0e-6d57-5a39-9f0e-2b8a3e4d7c61")
WORK_AT_A_TIME = 200
Place = tuple[int | None, int | None, int | None]  # dialogue, source and candidate of an item
Items = dict[int, tuple[str, Place]]  # {item: (unit, place)} of one batch


class Answer(NamedTuple):
    """An answer that others follow from, or a computed one. `rating` is 0 for one that is not stored yet."""

    item: int
    criterion: CriterionSpec
    option: int
    answered_at: datetime
    created_at: datetime
    rating: int = 0

    @property
    def what(self) -> tuple[int, int, int]:
        return self.item, self.criterion.id, self.option

    @property
    def is_time_known(self) -> bool:
        return self.answered_at != self.created_at  # an import without a time stores the time of the import


@dataclass(slots=True)
class Settled:
    """The number of new computed answers, and the batches in which computed answers have changed."""

    n_new: int
    batches: set[int]


def settle_computed(study: Study, work: Collection[int], now: datetime) -> Settled:
    """Store the computed answers that follow from imported work, and remove those that do not any more.

    Computed answers that a file brought stay as they are.
    """
    spec, settled = spec_of(study.protocol_version), Settled(0, set())
    if not spec.computed:
        return settled
    imported = Assignment.objects.filter(pk__in=work, participant__is_imported=True).order_by("batch", "pk")
    rows = list(imported.values_list("pk", "batch_id"))
    items: dict[int, Items] = {}
    for at in range(0, len(rows), WORK_AT_A_TIME):
        some = dict(rows[at : at + WORK_AT_A_TIME])
        items = {batch: items.get(batch) or _items(batch) for batch in set(some.values())}
        for assignment, answers in _answers(spec, some).items():
            batch = some[assignment]
            n_new, n_gone = _settle(spec, Rating(assignment_id=assignment, batch_id=batch), items[batch], answers, now)
            settled.n_new += n_new
            settled.batches |= {batch} if n_new or n_gone else set()
    return settled


def computed_words(n: int) -> str:
    """Return a sentence about the computed answers that an import has stored."""
    text = ngettext(
        "%(n)s answer to a computed question follows from these ratings and is stored with them.",
        "%(n)s answers to computed questions follow from these ratings and are stored with them.",
        n,
    )
    return text % {"n": intcomma(n)}


def _items(batch_id: int) -> Items:
    rows = Item.objects.filter(batch=batch_id).order_by("pk")
    names = ("pk", "unit", "dialogue_id", "source_id", "candidate_id")
    return {
        pk: (unit, (dialogue, source, candidate)) for pk, unit, dialogue, source, candidate in rows.values_list(*names)
    }


def _answers(spec: VersionSpec, work: Iterable[int]) -> dict[int, list[Answer]]:
    """Return the answers that decide about others, and the computed ones, by the work they belong to."""
    wanted = [each.id for each in spec.criteria if each.key in spec.depended_on or each.when or not each.is_asked]
    rows = Rating.objects.filter(assignment__in=[*work], criterion__in=wanted, is_active=True, option__isnull=False)
    names = ("assignment_id", "item_id", "criterion_id", "option_id", "answered_at", "created_at", "pk")
    found: dict[int, list[Answer]] = defaultdict(list)
    for assignment, item, criterion, *rest in rows.order_by("pk").values_list(*names):
        found[assignment].append(Answer(item, spec.by_id[criterion], *rest))
    return found


def _settle(spec: VersionSpec, of: Rating, items: Items, answers: list[Answer], now: datetime) -> tuple[int, int]:
    """Return how many answers are new, and how many are removed. `of` says whose they are, and of which batch."""
    wanted = list(_following(spec, items, [each for each in answers if each.criterion.is_asked], now))
    known = [each for each in answers if not each.criterion.is_asked]
    own = _own_keys(of.assignment_id, known)
    right = {each.what for each in wanted}
    stale = [each.rating for each in known if each.rating in own and each.what not in right]
    RatingRevision.objects.filter(rating__in=stale).delete()
    Rating.objects.filter(pk__in=stale).delete()
    kept = {each.what[:2] for each in known if each.rating not in stale}
    new = [each for each in wanted if each.what[:2] not in kept]
    _store(of, new, now)
    return len(new), len(stale)


def _following(spec: VersionSpec, items: Items, answers: Iterable[Answer], now: datetime) -> Iterator[Answer]:
    around: dict[Place, list[Answer]] = defaultdict(list)
    for answer in answers:
        around[items[answer.item][1]].append(answer)
    for criterion in spec.computed:
        for item, (unit, place) in items.items():
            above = [each for part in _above(place) for each in around.get(part, ())] if unit == criterion.unit else []
            if above and (found := _computed(criterion, item, above, now)):
                around[place].append(found)  # others may follow from it
                yield found


def _above(place: Place) -> set[Place]:
    """Return the places of the items whose answers also concern the item at this place, and its own."""
    dialogue, source, candidate = ({part, None} for part in place)
    return set(product(dialogue, source, candidate))


def _computed(criterion: CriterionSpec, item: int, above: list[Answer], now: datetime) -> Answer | None:
    given = {each.criterion.key: option.key for each in above if (option := each.criterion.option_of(each.option))}
    key = computed(criterion, given)
    if key is None:
        return None
    last = max(above, key=lambda each: each.answered_at)
    return Answer(item, criterion, criterion.option_named(key).id, last.answered_at if last.is_time_known else now, now)


def _own_keys(assignment_id: int, known: Iterable[Answer]) -> set[int]:
    """Return the ratings among these that were computed here, which their client key tells."""
    keys = {each.rating: _client_key(assignment_id, each) for each in known}
    stored = RatingRevision.objects.filter(rating__in=keys).values_list("rating_id", "client_key") if keys else ()
    return {rating for rating, key in stored if keys[rating] == key}


def _client_key(assignment_id: int, answer: Answer) -> uuid.UUID:
    return uuid.uuid5(NAMESPACE, f"{assignment_id} {answer.item} {answer.criterion.key}")


def _store(of: Rating, new: Iterable[Answer], now: datetime) -> None:
    ratings = Rating.objects.bulk_create(
        Rating(
            assignment_id=of.assignment_id, batch_id=of.batch_id, item_id=each.item, criterion_id=each.criterion.id,
            option_id=each.option, answered_at=each.answered_at, created_at=now, updated_at=now,
        )
        for each in new
    )  # fmt: skip
    RatingRevision.objects.bulk_create(
        RatingRevision(
            rating=rating, number=1, option_id=each.option, client_key=_client_key(of.assignment_id, each),
            answered_at=each.answered_at, received_at=now,
        )
        for rating, each in zip(ratings, new, strict=True)
    )  # fmt: skip
