"""Pair the candidates of each dialogue for comparison, and show some of the pairs twice."""

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count, product
from typing import NamedTuple, Protocol

from django.db.models import Func, Max, TextField, Value
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import MD5, Cast, Concat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.importing.pairs import PAIRS, listed_pairs
from annotation.models import Batch, Candidate, Dialogue, IdenticalPair, Item, Study
from annotation.selectors.comparisons import pairs_of_kind
from annotation.services.refusals import Refused
from annotation.sides import choose_pairs
from protocols.models import ProtocolVersion

Sources = tuple[int, int]  # ids, in the order of the study's sources
READING = Func("text", Value(" \t\r\n"), function="btrim", output_field=TextField())


class Pair(NamedTuple):
    """Two candidates of a dialogue in the order of their sources, which is the order their answers are stored in."""

    first: int
    second: int
    is_identical: bool


class Paired(Protocol):
    """A dialogue to deal, with its (candidate, source) ids and its pairs."""

    dialogue: int
    conversation: str
    candidates: list[tuple[int, int]]
    pairs: list[Pair]


def check_pairing(is_comparing: bool, k: int | None, n_pairs: int | None, repeat_percent: int | None) -> None:
    """Raise Refused for numbers that do not fit a protocol that compares, or one that does not."""
    if is_comparing and k is not None:
        text = _("This protocol compares responses: give the number of pairs for each dialogue, not of sources.")
        raise Refused("pairs_not_sources", text)
    if not is_comparing and (n_pairs is not None or repeat_percent is not None):
        raise Refused("nothing_compared", _("This protocol compares nothing: leave the pairs and repetitions empty."))
    if repeat_percent is not None and repeat_percent > 100:
        raise Refused("too_many", _("You cannot repeat more pairs than there are: give a share from 0 to 100."))


def pair_up(study: Study, cards: Sequence[Paired], kind: str, n_pairs: int | None, rng: random.Random) -> None:
    """Give each card its pairs: those its dialogue lists, otherwise all pairs of its sources, or `n_pairs` of them.

    Turns of one conversation show the same of its pairs. Candidates that are in no pair are left out. Raise Refused for
    a dialogue with only one side.
    """
    places = {
        pk: place for place, pk in enumerate(study.sources.order_by("position", "pk").values_list("pk", flat=True))
    }
    listed = _listed(study)
    available: list[list[Sources]] = []
    for card in cards:
        every = list(combinations(sorted({source for _pk, source in card.candidates}, key=places.__getitem__), 2))
        wanted = listed.get(card.dialogue, ())
        available.append([pair for pair in every if frozenset(pair) in wanted] if wanted else every)
    if kind != Batch.Kind.TRAINING:  # whose dialogues may be about other questions
        _refuse_one_side([card.dialogue for card, pairs in zip(cards, available, strict=True) if not pairs])
    if n_pairs is not None:
        _choose(study, cards, available, listed, kind, n_pairs, rng)
    digests = _digests(study)
    for card, pairs in zip(cards, available, strict=True):
        card.pairs = list(_candidate_pairs(card, pairs, digests))
        shown = {pk for pair in card.pairs for pk in pair[:2]}
        if pairs:
            card.candidates = [each for each in card.candidates if each[0] in shown]


def _choose(
    study: Study,
    cards: Sequence[Paired],
    available: list[list[Sources]],
    listed: Collection[int],
    kind: str,
    n_pairs: int,
    rng: random.Random,
) -> None:
    """Leave `n_pairs` of the available pairs to each conversation, except where its dialogues list theirs."""
    talks: dict[str, list[int]] = defaultdict(list)
    for at, card in enumerate(cards):
        if card.dialogue not in listed:
            talks[card.conversation].append(at)
    shared = [
        [pair for pair in available[turns[0]] if all(pair in available[at] for at in turns)] for turns in talks.values()
    ]
    _refuse_one_side(
        [cards[turns[0]].dialogue for turns, pairs in zip(talks.values(), shared, strict=True) if not pairs]
    )
    chosen = choose_pairs(shared, n_pairs, rng, pairs_of_kind(study.pk, kind).values())
    for turns, pairs in zip(talks.values(), chosen, strict=True):
        for at in turns:
            available[at] = pairs


def _digests(study: Study) -> dict[int, str]:
    """Return {candidate: the same text for candidates that read the same}."""
    shown = Concat(READING, Cast("context", TextField()), output_field=TextField())
    rows = Candidate.objects.filter(dialogue__study=study).annotate(digest=MD5(shown)).values_list("pk", "digest")
    return dict(rows.iterator())


def _listed(study: Study) -> dict[int, set[frozenset[int]]]:
    """Return {dialogue: pairs of sources} of the dialogues whose file lists their pairs."""
    rows = Dialogue.objects.filter(study=study, metadata__has_key=PAIRS)
    ids = dict(study.sources.values_list("key", "pk"))
    found = {}
    for dialogue, value in rows.values_list("pk", KeyTransform(PAIRS, "metadata")).iterator():
        if pairs := listed_pairs(value):
            found[dialogue] = {frozenset(ids[name] for name in pair) for pair in pairs}
    return found


def _refuse_one_side(dialogues: Sequence[int]) -> None:
    if not dialogues:
        return
    key = Dialogue.objects.values_list("key", flat=True).get(pk=dialogues[0])
    text = ngettext(
        "This protocol compares responses of two sources, but %(number)s dialogue has only one side to compare: "
        "%(key)s. Import responses of another source for it, or move it to another study.",
        "This protocol compares responses of two sources, but %(number)s dialogues have only one side to compare, for "
        "example %(key)s. Import responses of another source for them, or move them to another study.",
        len(dialogues),
    )
    raise Refused("one_side", text % {"number": len(dialogues), "key": key})


def _candidate_pairs(card: Paired, pairs: Iterable[Sources], digests: Mapping[int, str]) -> Iterator[Pair]:
    """Yield the pairs of candidates behind the pairs of sources: a source may have several candidates."""
    of_source = defaultdict(list)
    for pk, source in card.candidates:
        of_source[source].append(pk)
    for one, other in pairs:
        for first, second in product(of_source[one], of_source[other]):
            yield Pair(first, second, digests[first] == digests[second])


def is_shown(card: Paired) -> bool:
    """Return whether there is anything to compare: two identical texts are not."""
    return not all(pair.is_identical for pair in card.pairs)


def store_identical(batches: Sequence[Batch], hands: Sequence[Iterable[Paired]], rest: Iterable[Paired]) -> None:
    """Store the pairs that are dealt and not shown. Those of the dialogues in no batch belong to the first one."""
    of_batch = [*zip(batches, hands, strict=True), (batches[0], rest)]
    IdenticalPair.objects.bulk_create(
        [
            IdenticalPair(batch=batch, dialogue_id=card.dialogue, first_id=pair.first, second_id=pair.second)
            for batch, hand in of_batch
            for card in hand
            for pair in card.pairs
            if pair.is_identical
        ],
        batch_size=2000,
    )


def repeat_some(batches: Collection[Batch], percent: int, rng: random.Random) -> None:
    """Show a share of each batch's comparisons again, at its end and one on a screen, with the sides swapped."""
    again = []
    for batch in batches:
        compared = list(batch.items.filter(unit=ProtocolVersion.Unit.COMPARISON).order_by("pk"))
        wanted = min(len(compared), max(1, (percent * len(compared) + 50) // 100))
        places = count((batch.items.aggregate(last=Max("position"))["last"] or 0) + 1)
        again += [
            Item(
                batch=batch, unit=item.unit, dialogue_id=item.dialogue_id, shown=item.shown, position=next(places),
                repeats=item, is_check=True,
            )
            for item in rng.sample(compared, wanted)
        ]  # fmt: skip
    Item.objects.bulk_create(again, batch_size=2000)
