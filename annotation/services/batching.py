"""Deal the dialogues of a study into batches: conversations whole, and a balanced subset of the sources."""

import itertools
import random
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.contrib.auth.models import User
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import connection, transaction
from django.db.models import Func, IntegerField, QuerySet
from django.db.models.fields.json import KeyTransform
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.dealing import choose_sources, deal_by_size, deal_given, deal_groups, deal_stratified
from annotation.importing.conversations import IN_ORDER
from annotation.importing.copying import copy_in, fetch, spool_file
from annotation.importing.dialogues import lock_study
from annotation.importing.shapes import free_key
from annotation.models import Batch, Candidate, Dialogue, IdenticalPair, Item, Seat, Study
from annotation.services import activity
from annotation.services.pairing import Pair, check_pairing, is_shown, pair_up, repeat_some, store_identical
from annotation.services.refusals import Refused
from protocols.models import ProtocolVersion
from protocols.specs import spec_of

Unit = ProtocolVersion.Unit
Purpose = Dialogue.Purpose
PURPOSES: dict[str, str] = {
    Batch.Kind.PILOT: Purpose.QUALIFICATION,
    Batch.Kind.QUALIFICATION: Purpose.QUALIFICATION,
    Batch.Kind.TRAINING: Purpose.TRAINING,
}
WAYS = ("given", "size", "stratified")
TURNS_FIELD = "n_turns"  # can be stratified by without being in the metadata
ITEM_COLUMNS = "batch_id, unit, dialogue_id, candidate_id, source_id, shown, token, position"
# The dialogues of conversations that have several, each conversation in its order.
TURNS = f"""
    SELECT id, conversation FROM annotation_dialogue dialogue
    WHERE study_id = %(study)s AND NOT is_textless AND purpose = %(purpose)s AND conversation IN (
        SELECT conversation FROM annotation_dialogue WHERE study_id = %(study)s AND conversation <> key)
    ORDER BY {IN_ORDER.format("dialogue")}
"""
MODEL_SAMPLE = 12  # dialogues of a model that are rated together: what fits a screen and a memory


@dataclass(slots=True)
class Card:
    """A dialogue to deal. `candidates` are (candidate, source) ids; empty if whole dialogues are rated.

    `source` is that of the whole dialogue.
    """

    dialogue: int
    batch_key: str
    conversation: str
    source: int | None
    is_last: bool = True  # of its conversation: questions about the whole dialogue are asked here
    stratum: Any = None
    candidates: list[tuple[int, int]] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)  # to compare

    @property
    def sources(self) -> list[int]:
        return sorted({source for _, source in self.candidates})


@transaction.atomic
def make_batches(
    study: Study,
    *,
    by: str,
    size: int | None = None,
    field: str | None = None,
    k: int | None = None,
    kind: str = Batch.Kind.MAIN,
    seats: int | None = None,
    n_dialogues: int | None = None,
    n_pairs: int | None = None,
    repeat_percent: int | None = None,
    is_fresh_only: bool = False,
    now: datetime,
    actor: User | None = None,
) -> list[Batch]:
    """Deal the dialogues that no batch of this kind holds yet, and return the batches; an empty list if none is left.

    Turns of one conversation stay together and in order, and show the same sources. `by` is given (the batch that the
    import named), size, or stratified (by a `field` of the metadata). Each dialogue shows `k` sources, or all.
    `n_dialogues` is the wanted total for this kind; None means all. Of a comparison, each dialogue shows `n_pairs`
    pairs of its sources, or all, and `repeat_percent` of them again with the sides swapped. `is_fresh_only` leaves out
    what batches of any other kind hold, so that nobody rates in the main work what they were tried with. Everything
    random is drawn from the study's seed, so the same study is dealt the same way. Raise Refused.
    """
    counts = {"k": k, "seats": seats, "n_dialogues": n_dialogues, "n_pairs": n_pairs, "repeat_percent": repeat_percent}
    _check_request(by, kind, size, field, counts)
    is_comparing = Unit.COMPARISON in units_of(study)
    check_pairing(is_comparing, k, n_pairs, repeat_percent)
    lock_study(study)
    dealt = Item.objects.filter(batch__study=study)
    dealt = dealt if is_fresh_only else dealt.filter(batch__kind=kind)
    stratum = field if by == "stratified" else None
    purpose = _purpose(study, kind)
    cards = _cards(study, purpose, stratum, dealt)
    if stratum and cards and all(card.stratum is None for card in cards):
        raise Refused("unknown_field", _("No dialogue has the metadata field %(name)r.") % {"name": stratum})
    rng = random.Random(f"{study.seed} {kind} {study.batches.count()}")  # noqa: S311 - fair, not secret
    talks = _limited(study, _talks(study, purpose, cards), kind, n_dialogues, rng)
    if by == "given":
        if not study.dialogues.exclude(batch_key="").exists():
            raise Refused("no_batch_keys", _("No dialogue names its batch. Make batches by size instead."))
        talks = [talk for talk in talks if talk[0].batch_key]
    talks = _ratable(study, talks, kind)
    if not talks:
        return []
    unshown: list[Card] = []
    if is_comparing:
        talks, unshown = _compared(study, talks, kind, n_pairs, rng)
    hands = _deal(talks, by, size or 1, rng)
    if k:
        _keep_sources(study, [card for _, hand in hands for card in hand], k, kind, rng)
    made = _store(study, hands, kind, seats or study.seats, rng)
    if is_comparing:
        store_identical(made, [hand for _, hand in hands], unshown)
    if repeat_percent:
        repeat_some(made, repeat_percent, rng)
    details = {"n": len(made), "kind": kind, "by": by, "size": size, "sources": k, "seats": seats or study.seats}
    if is_comparing:
        details |= {"pairs": n_pairs, "repeated": repeat_percent}
    activity.log(study, actor, "batches_made", about=f"{made[0].key} – {made[-1].key}", details=details, now=now)
    return made


def units_of(study: Study) -> set[str]:
    return set(spec_of(study.protocol_version).units)


def _check_request(by: str, kind: str, size: int | None, field: str | None, counts: dict[str, int | None]) -> None:
    if by not in WAYS:
        text = _("Batches can be made by %(known)s, not by %(name)r.")
        raise Refused("unknown_way", text % {"known": ", ".join(WAYS), "name": by})
    if kind not in Batch.DEALT:
        text = _("The kind of a batch is one of %(known)s, not %(name)r.")
        raise Refused("unknown_kind", text % {"known": ", ".join(Batch.DEALT), "name": kind})
    if by != "given" and (size is None or size < 1):
        raise Refused("no_size", _("Enter the number of dialogues per batch."))
    if by == "stratified" and not field:
        raise Refused("no_field", _("Name the metadata field to stratify the batches by."))
    for name, count in counts.items():
        if count is not None and count < 1:
            raise Refused("too_few", _("%(name)s must be at least 1, or left out.") % {"name": name})


def _compared(
    study: Study, talks: list[list[Card]], kind: str, n_pairs: int | None, rng: random.Random
) -> tuple[list[list[Card]], list[Card]]:
    """Return the conversations with pairs, without dialogues that would show nothing, and those dialogues."""
    cards = list(itertools.chain.from_iterable(talks))
    pair_up(study, [card for card in cards if card.candidates], kind, n_pairs, rng)
    units = units_of(study)

    def shows(card: Card) -> bool:
        is_rated = card.candidates and units & {Unit.RESPONSE, Unit.CANDIDATE_SET}
        return bool(is_rated or is_shown(card) or (Unit.DIALOGUE in units and card.is_last))

    left = [[card for card in talk if shows(card)] for talk in talks]
    if not any(left):
        text = _("All pairs have identical texts: there is nothing to compare.")
        raise Refused("all_identical", text)
    return [talk for talk in left if talk], [card for card in cards if not shows(card)]


def _purpose(study: Study, kind: str) -> str:
    """Return the purpose of the dialogues for this kind of batch; the main one if no dialogue has its own."""
    purpose = PURPOSES.get(kind, Purpose.MAIN)
    return purpose if study.dialogues.filter(purpose=purpose).exists() else Purpose.MAIN


def _cards(study: Study, purpose: str, field: str | None, dealt: QuerySet[Item]) -> list[Card]:
    """Return the dialogues with texts that are not dealt yet, in the order of their import."""
    known = Dialogue.objects.filter(study=study, is_textless=False, purpose=purpose)
    unshown = IdenticalPair.objects.filter(batch__in=dealt.values("batch"))
    rows = known.exclude(pk__in=dealt.values("dialogue_id")).exclude(pk__in=unshown.values("dialogue_id"))
    rows = rows.order_by("position")
    if field is None:
        return [Card(*row) for row in rows.values_list("pk", "batch_key", "conversation", "source").iterator()]
    n_turns = Func("turns", function="jsonb_array_length", output_field=IntegerField())
    read = rows.values_list("pk", "batch_key", "conversation", "source", KeyTransform(field, "metadata"), n_turns)
    is_counted = field == TURNS_FIELD
    return [
        Card(pk, batch_key, conversation, source, stratum=turns if value is None and is_counted else value)
        for pk, batch_key, conversation, source, value, turns in read.iterator()
    ]


def _talks(study: Study, purpose: str, cards: list[Card]) -> list[list[Card]]:
    """Return the cards of each conversation in its order; conversations are in the order of the import."""
    rows = fetch(TURNS, {"study": study.pk, "purpose": purpose})
    turn = {pk: at for at, (pk, _) in enumerate(rows)}
    last = {conversation: pk for pk, conversation in rows}
    talks: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        card.is_last = last.get(card.conversation, card.dialogue) == card.dialogue
        talks[card.conversation].append(card)
    return [sorted(talk, key=lambda card: turn.get(card.dialogue, 0)) for talk in talks.values()]


def _limited(
    study: Study, talks: list[list[Card]], kind: str, n_dialogues: int | None, rng: random.Random
) -> list[list[Card]]:
    """Return a random choice that brings this kind up to the wanted number of dialogues, in the order of the import.

    A conversation that would bring more is left out.
    """
    if n_dialogues is None:
        return talks
    items = Item.objects.filter(batch__study=study, batch__kind=kind)
    wanted = n_dialogues - items.values("dialogue_id").distinct().count()
    chosen = []
    for at in rng.sample(range(len(talks)), len(talks)):
        if len(talks[at]) <= wanted:
            chosen.append(at)
            wanted -= len(talks[at])
    return [talks[at] for at in sorted(chosen)]


def _ratable(study: Study, talks: list[list[Card]], kind: str) -> list[list[Card]]:
    """Return the conversations with their candidates, without dialogues that no question is about. Raise Refused."""
    units = units_of(study)
    if units == {Unit.DIALOGUE}:
        return [talk[-1:] for talk in talks if talk[-1].is_last]
    by_id = {card.dialogue: card for talk in talks for card in talk}
    rows = Candidate.objects.filter(dialogue__study=study).order_by("pk")
    for pk, dialogue, source in rows.values_list("pk", "dialogue_id", "source_id").iterator():
        if dialogue in by_id:
            by_id[dialogue].candidates.append((pk, source))
    is_whole_asked = Unit.DIALOGUE in units
    rated = [any(card.candidates or (is_whole_asked and card.source) for card in talk) for talk in talks]
    bare = [talk[0].dialogue for talk, is_rated in zip(talks, rated, strict=True) if not is_rated]
    # An example of a whole dialogue has no responses, whatever else the protocol asks.
    if bare and not (is_whole_asked and kind == Batch.Kind.TRAINING):
        key = Dialogue.objects.values_list("key", flat=True).get(pk=bare[0])
        text = ngettext(
            "This protocol rates responses, but %(number)s dialogue has none: %(key)s. Import it with its "
            "candidates, or choose a protocol that rates whole dialogues.",
            "This protocol rates responses, but %(number)s dialogues have none, for example %(key)s. Import "
            "them with their candidates, or choose a protocol that rates whole dialogues.",
            len(bare),
        )
        raise Refused("no_candidates", text % {"number": intcomma(len(bare)), "key": key})
    asked = [[card for card in talk if card.candidates or (is_whole_asked and card.is_last)] for talk in talks]
    if not _is_whole_first(study):
        return [talk for talk in asked if talk]
    return [talk if talk[-1].candidates else [talk[-1], *talk[:-1]] for talk in asked if talk]


def _is_whole_first(study: Study) -> bool:
    """Return whether all questions about whole dialogues come before those about other units."""
    runs = [run[0].unit for run in spec_of(study.protocol_version).runs]
    return runs[:1] == [Unit.DIALOGUE] and Unit.DIALOGUE not in runs[1:]


def _deal(talks: list[list[Card]], by: str, size: int, rng: random.Random) -> list[tuple[str, list[Card]]]:
    """Return (wanted key, cards) for each batch; the key is empty unless `by` is given."""
    cards = list(itertools.chain.from_iterable(talks))
    if by != "given" and len(talks) < len(cards):
        strata = [talk[0].stratum for talk in talks] if by == "stratified" else []
        return [("", hand) for hand in deal_groups(talks, size, rng, strata)]
    if by == "given":
        return list(deal_given(cards, [card.batch_key for card in cards]).items())
    if by == "size":
        return [("", hand) for hand in deal_by_size(cards, size, rng)]
    return [("", hand) for hand in deal_stratified(cards, [card.stratum for card in cards], size, rng)]


def _keep_sources(study: Study, cards: list[Card], k: int, kind: str, rng: random.Random) -> None:
    talks = [list(talk) for _, talk in itertools.groupby(filter(_has_sources, cards), attrgetter("conversation"))]
    if not talks:
        raise Refused("no_sources", _("This protocol rates whole dialogues: leave the number of sources empty."))
    available = [sorted(set.intersection(*(set(card.sources) for card in talk))) for talk in talks]
    fewest = min(map(len, available))
    if fewest < k:
        text = ngettext(
            "Some dialogues have only %(n)s source, so %(k)s per dialogue cannot be shown.",
            "Some dialogues have only %(n)s sources, so %(k)s per dialogue cannot be shown.",
            fewest,
        )
        raise Refused("few_sources", text % {"n": fewest, "k": k})
    shown: dict[str, set[int]] = defaultdict(set)
    parts = (Unit.RESPONSE, Unit.CANDIDATE_SET)
    items = Item.objects.filter(batch__study=study, batch__kind=kind, unit__in=parts)
    for conversation, source in items.values_list("dialogue__conversation", "source_id"):
        shown[conversation].add(source)
    chosen = choose_sources(available, k, rng, shown.values())
    for talk, sources in zip(talks, chosen, strict=True):
        for card in talk:
            card.candidates = [each for each in card.candidates if each[1] in sources]


def _has_sources(card: Card) -> bool:
    return bool(card.candidates)


def _store(
    study: Study, hands: list[tuple[str, list[Card]]], kind: str, n_seats: int, rng: random.Random
) -> list[Batch]:
    units, samples = spec_of(study.protocol_version).units, _model_samples(study, rng)
    items = [_items(hand, units, samples) for _, hand in hands]
    taken = set(study.batches.values_list("key", flat=True))
    last = study.batches.order_by("-position").values_list("position", flat=True).first() or 0
    width = len(str(len(hands)))
    batches = []
    for at, (wanted, _hand) in enumerate(hands, start=1):
        key = batch_key(wanted, kind, at, width, taken)
        taken.add(key)
        n_items = len(items[at - 1])
        # Version 1 has it measured before anybody begins, so that boards show it and its wanted answers.
        batches.append(Batch(study=study, key=key, kind=kind, position=last + at, n_items=n_items, ratings_version=1))
    Batch.objects.bulk_create(batches)
    with spool_file() as file, connection.cursor() as cursor:
        for batch, rows in zip(batches, items, strict=True):
            file.writelines(f"{batch.pk}\t{row}\n".encode() for row in rows)
        copy_in(cursor, "annotation_item", ITEM_COLUMNS, file)
    Seat.objects.bulk_create(
        [Seat(batch=batch, number=number) for batch in batches for number in range(1, n_seats + 1)],
        batch_size=2000,
    )
    return batches


def batch_key(wanted: str, kind: str, at: int, width: int, taken: set[str]) -> str:
    """Return the key that the import named, otherwise kind-number; with another number if it is taken."""
    if wanted:
        name = wanted if kind == Batch.Kind.MAIN else f"{kind}-{wanted}"[:90]
        return free_key(name[:90] if name in taken else name, taken, itertools.count(1))
    numbers = itertools.count(at)
    return next(key for key in (f"{kind}-{number:0{width}}" for number in numbers) if key not in taken)


def _model_samples(study: Study, rng: random.Random) -> dict[int, list[int]]:
    """Return {source: its responses to some dialogues}, the same for all batches; empty if no model is rated.

    Each conversation gives one response: candidate sets already rate how much responses to the same dialogue differ.
    """
    if Unit.MODEL not in units_of(study):
        return {}
    pools: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    rows = Candidate.objects.filter(dialogue__study=study, dialogue__is_textless=False).order_by("pk")
    for pk, source, conversation in rows.values_list("pk", "source_id", "dialogue__conversation").iterator():
        pools[source][conversation].append(pk)
    samples = {}
    for source, pool in pools.items():
        drawn = rng.sample(list(pool.values()), min(MODEL_SAMPLE, len(pool)))
        samples[source] = [rng.choice(responses) for responses in drawn]
    return samples


def _items(hand: list[Card], units: Sequence[str], samples: Mapping[int, list[int]]) -> list[str]:
    """Return the rows of one batch for COPY, from the unit on, in the order in which the protocol asks about units.

    Models come after the last dialogue.
    """
    rows = []
    for place, card in enumerate(hand, start=1):
        rows += [row for unit in units for row in _items_of(card, unit, place)]
    if Unit.MODEL in units:
        sources = sorted({source for card in hand for source in card.sources})
        rows += [_row(Unit.MODEL, None, None, source, samples[source], len(hand) + 1) for source in sources]
    return rows


def _items_of(card: Card, unit: str, place: int) -> list[str]:
    if unit == Unit.DIALOGUE:
        return [_row(unit, card.dialogue, None, card.source, (), place)] if card.is_last else []
    if unit == Unit.RESPONSE:
        return [_row(unit, card.dialogue, pk, source, (), place) for pk, source in card.candidates]
    if unit == Unit.COMPARISON:
        shown = [pair for pair in card.pairs if not pair.is_identical]
        return [_row(unit, card.dialogue, None, None, pair[:2], place) for pair in shown]
    if unit == Unit.CANDIDATE_SET:
        sets = {source: [pk for pk, of in card.candidates if of == source] for source in card.sources}
        return [_row(unit, card.dialogue, None, source, together, place) for source, together in sets.items()]
    return []


def _row(
    unit: str, dialogue: int | None, candidate: int | None, source: int | None, shown: Iterable[int], place: int
) -> str:
    ids = ["\\N" if each is None else str(each) for each in (dialogue, candidate, source)]
    together = "{" + ",".join(map(str, shown)) + "}"
    return "\t".join([unit, *ids, together, str(uuid.uuid4()), str(place)])
