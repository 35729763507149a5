"""Deal the dialogues of a study into batches: conversations whole, and a balanced subset of the sources."""

import itertools
import random
from collections import defaultdict
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

from annotation.dealing import (
    CONVERSATIONS,
    COUNTED,
    DIALOGUES,
    choose_sources,
    deal_by_size,
    deal_given,
    deal_groups,
    deal_stratified,
)
from annotation.importing.conversations import IN_ORDER
from annotation.importing.copying import copy_in, fetch, spool_file
from annotation.importing.dialogues import lock_study
from annotation.importing.shapes import free_key
from annotation.models import Batch, Candidate, Dialogue, IdenticalPair, Item, Seat, Study
from annotation.services import activity
from annotation.services.cards import Card
from annotation.services.item_rows import COLUMNS, item_rows, model_samples
from annotation.services.pairing import check_pairing, is_shown, pair_up, repeat_some, store_identical
from annotation.services.refusals import Refused
from annotation.services.scenarios import group_of, is_scenario, refuse_unmatched, scenario_cards, unfold
from annotation.services.whole_conversations import refuse_divided
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
CARD = ("pk", "batch_key", "conversation", "source", "scenario")
TURNS_FIELD = "n_turns"  # can be stratified by without being in the metadata
# The dialogues of conversations that have several, each conversation in its order.
TURNS = f"""
    SELECT id, conversation FROM annotation_dialogue dialogue
    WHERE study_id = %(study)s AND NOT is_textless AND purpose = %(purpose)s AND conversation IN (
        SELECT conversation FROM annotation_dialogue WHERE study_id = %(study)s AND conversation <> key)
    ORDER BY {IN_ORDER.format("dialogue")}
"""


@transaction.atomic
def make_batches(
    study: Study,
    *,
    by: str,
    size: int | None = None,
    counts: str = DIALOGUES,
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

    Turns of one conversation stay together and in order, and show the same sources. Where a protocol compares, so do
    the whole dialogues of one scenario, and each of their pairs counts as one dialogue of a batch. The size `counts`
    dialogues, or conversations and scenarios. `by` is given (the
    batch that the import named), size, or stratified (by a `field` of the metadata). Each dialogue shows `k` sources,
    or all. `n_dialogues` is the wanted total for this kind; None means all. Of a comparison, each dialogue or scenario
    shows `n_pairs` pairs of its sources, or all, and `repeat_percent` of them again with the sides swapped.
    `is_fresh_only` leaves out what batches of any other kind hold, so that nobody rates in the main work what they were
    tried with. Everything random is drawn from the study's seed, so the same study is dealt the same way. Raise
    Refused.
    """
    given = {"k": k, "seats": seats, "n_dialogues": n_dialogues, "n_pairs": n_pairs, "repeat_percent": repeat_percent}
    _check_request(by, kind, size, field, given)
    if counts not in COUNTED:
        text = _("The size of a batch counts %(known)s, not %(name)r.")
        raise Refused("unknown_count", text % {"known": ", ".join(COUNTED), "name": counts})
    is_comparing = Unit.COMPARISON in units_of(study)
    check_pairing(is_comparing, k, n_pairs, repeat_percent)
    lock_study(study)
    dealt = Item.objects.filter(batch__study=study)
    dealt = dealt if is_fresh_only else dealt.filter(batch__kind=kind)
    stratum = field if by == "stratified" else None
    purpose = _purpose(study, kind)
    cards = _cards(study, purpose, kind, stratum, dealt)
    if stratum and cards and all(card.stratum is None for card in cards):
        raise Refused("unknown_field", _("No dialogue has the metadata field %(name)r.") % {"name": stratum})
    rng = random.Random(f"{study.seed} {kind} {study.batches.count()}")  # noqa: S311 - fair, not secret
    talks = _limited(study, _talks(study, purpose, cards, is_comparing), kind, n_dialogues, rng)
    if by == "given":
        if not study.dialogues.exclude(batch_key="").exists():
            raise Refused("no_batch_keys", _("No dialogue names its batch. Make batches by size instead."))
        talks = [talk for talk in talks if talk[0].batch_key]
    talks = _ratable(study, talks, kind)
    refuse_divided(study, kind, talks)
    if not talks:
        return []
    unshown: list[Card] = []
    if is_comparing:
        talks, unshown = _compared(study, talks, kind, n_pairs, rng)
    hands = _deal(talks, by, size or 1, rng, counts_groups=counts == CONVERSATIONS)
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
    scenarios = {card.scenario: card for card in scenario_cards(talks)}
    cards = [card for talk in talks if not is_scenario(talk) for card in talk]
    pair_up(study, [card for card in [*cards, *scenarios.values()] if card.candidates], kind, n_pairs, rng)
    units = units_of(study)

    def shows(card: Card) -> bool:
        is_rated = card.candidates and units & {Unit.RESPONSE, Unit.CANDIDATE_SET}
        return bool(is_rated or is_shown(card) or (Unit.DIALOGUE in units and card.is_last))

    left, unshown = [], [card for card in cards if not shows(card)]
    for talk in talks:
        if not is_scenario(talk):
            left.append([card for card in talk if shows(card)])
            continue
        card = scenarios[talk[0].scenario]
        wholes = [each for each in talk if Unit.DIALOGUE in units and each.is_last]
        left.append(unfold(card, wholes, _is_whole_first(study), rng))
        unshown += [] if left[-1] else [card]
    if not any(left):
        text = _("All pairs have identical texts: there is nothing to compare.")
        raise Refused("all_identical", text)
    return [talk for talk in left if talk], unshown


def _purpose(study: Study, kind: str) -> str:
    """Return the purpose of the dialogues for this kind of batch; the main one if no dialogue has its own."""
    purpose = PURPOSES.get(kind, Purpose.MAIN)
    return purpose if study.dialogues.filter(purpose=purpose).exists() else Purpose.MAIN


def _cards(study: Study, purpose: str, kind: str, field: str | None, dealt: QuerySet[Item]) -> list[Card]:
    """Return the dialogues with texts that are not dealt yet, in the order of their import."""
    known = Dialogue.objects.filter(study=study, is_textless=False, purpose=purpose)
    unshown = IdenticalPair.objects.filter(batch__in=dealt.values("batch"))
    rows = known.order_by("position")
    dealt_of: tuple[QuerySet[Any, Any], ...] = (dealt.values("dialogue_id"), unshown.values("dialogue_id"))
    for ids in dealt_of:
        rows = rows.exclude(pk__in=ids)
        # A scenario is dealt once, whichever of its dialogues are in the pairs.
        of_pairs = ids.filter(other_dialogue__isnull=False).values("dialogue__scenario")
        rows = rows.exclude(source__isnull=False, scenario__in=of_pairs)
    others = dealt.exclude(batch__kind=kind)  # none, unless dialogues have to be fresh
    rows = rows.exclude(conversation__in=others.filter(dialogue__isnull=False).values("dialogue__conversation"))
    if field is None:
        return [Card(*row) for row in rows.values_list(*CARD).iterator()]
    n_turns = Func("turns", function="jsonb_array_length", output_field=IntegerField())
    read = rows.values_list(*CARD, KeyTransform(field, "metadata"), n_turns)
    is_counted = field == TURNS_FIELD
    return [
        Card(pk, batch_key, conversation, source, scenario, turns if value is None and is_counted else value)
        for pk, batch_key, conversation, source, scenario, value, turns in read.iterator()
    ]


def _talks(study: Study, purpose: str, cards: list[Card], is_comparing: bool) -> list[list[Card]]:
    """Return the cards of each conversation in its order; conversations are in the order of the import.

    Where a protocol compares, whole dialogues of one scenario are together instead.
    """
    rows = fetch(TURNS, {"study": study.pk, "purpose": purpose})
    turn = {pk: at for at, (pk, _) in enumerate(rows)}
    last = {conversation: pk for pk, conversation in rows}
    talks: dict[str, list[Card]] = defaultdict(list)
    for card in cards:
        card.is_last = last.get(card.conversation, card.dialogue) == card.dialogue
        talks[group_of(card) if is_comparing else card.conversation].append(card)
    return [sorted(talk, key=lambda card: turn.get(card.dialogue, 0)) for talk in talks.values()]


def _limited(
    study: Study, talks: list[list[Card]], kind: str, n_dialogues: int | None, rng: random.Random
) -> list[list[Card]]:
    """Return a random choice that brings this kind up to the wanted number of dialogues, in the order of the import.

    A conversation that would bring more is left out.
    """
    if n_dialogues is None:
        return talks
    items = Item.objects.filter(batch__study=study, batch__kind=kind).order_by()
    others = items.filter(other_dialogue__isnull=False).values("other_dialogue_id")
    wanted = n_dialogues - items.values("dialogue_id").union(others).count()
    chosen = []
    for at in rng.sample(range(len(talks)), len(talks)):
        if len(talks[at]) <= wanted:
            chosen.append(at)
            wanted -= len(talks[at])
    return [talks[at] for at in sorted(chosen)]


def _ratable(study: Study, talks: list[list[Card]], kind: str) -> list[list[Card]]:
    """Return the conversations with their candidates, without dialogues that no question is about. Raise Refused.

    The whole dialogues of a scenario are returned as they are where the protocol compares.
    """
    units = units_of(study)
    if Unit.COMPARISON in units and (scenarios := [talk for talk in talks if is_scenario(talk)]):
        others = [talk for talk in talks if not is_scenario(talk)]
        return [*scenarios, *(_ratable(study, others, kind) if others else [])]
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
        if units == {Unit.COMPARISON}:
            refuse_unmatched(len(bare), key)
        text = ngettext(
            "This protocol rates responses, but %(number)s dialogue has none: %(key)s. Import it again with its "
            "candidates, replacing unused dialogues, or remove it under Dialogues and their use.",
            "This protocol rates responses, but %(number)s dialogues have none, for example %(key)s. Import them again "
            "with their candidates, replacing unused dialogues, or remove them under Dialogues and "
            "their use.",
            len(bare),
        )
        log = _("If the file is a chat log, remove its dialogues and import it with “%(option)s”.")
        log %= {"option": _("The file is a chat log: rate its responses")}
        raise Refused("no_candidates", text % {"number": intcomma(len(bare)), "key": key} + " " + log)
    asked = [[card for card in talk if card.candidates or (is_whole_asked and card.is_last)] for talk in talks]
    if not _is_whole_first(study):
        return [talk for talk in asked if talk]
    return [talk if talk[-1].candidates else [talk[-1], *talk[:-1]] for talk in asked if talk]


def _is_whole_first(study: Study) -> bool:
    """Return whether all questions about whole dialogues come before those about other units."""
    runs = [run[0].unit for run in spec_of(study.protocol_version).runs]
    return runs[:1] == [Unit.DIALOGUE] and Unit.DIALOGUE not in runs[1:]


def _deal(
    talks: list[list[Card]], by: str, size: int, rng: random.Random, *, counts_groups: bool
) -> list[tuple[str, list[Card]]]:
    """Return (wanted key, cards) for each batch; the key is empty unless `by` is given."""
    cards = list(itertools.chain.from_iterable(talks))
    if by != "given" and len(talks) < len(cards):
        strata = [talk[0].stratum for talk in talks] if by == "stratified" else []
        return [("", hand) for hand in deal_groups(talks, size, rng, strata, counts_groups=counts_groups)]
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
    units, samples = spec_of(study.protocol_version).units, model_samples(study, rng)
    items = [item_rows(hand, units, samples) for _, hand in hands]
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
        copy_in(cursor, "annotation_item", COLUMNS, file)
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
