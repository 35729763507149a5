"""Pair the candidates of each dialogue, or the dialogues of each scenario, and show some of the pairs twice."""

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, count, product
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Max, QuerySet, TextField
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import MD5, Cast, Concat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.importing.pairs import PAIRS, listed_pairs
from annotation.models import Batch, Candidate, Dialogue, IdenticalPair, Item, Study
from annotation.selectors.comparisons import READING, pairs_of_kind
from annotation.services.cards import Card, Pair
from annotation.services.refusals import Refused, first_of
from annotation.sides import choose_pairs
from protocols.models import ProtocolVersion

Sources = tuple[int, int]  # ids, in the order of the study's sources


def check_pairing(is_comparing: bool, k: int | None, n_pairs: int | None, repeat_percent: int | None) -> None:
    """Raise Refused for numbers that do not fit a protocol that compares, or one that does not."""
    if is_comparing and k is not None:
        text = _("This protocol compares pairs: give the number of pairs, not of sources.")
        raise Refused("pairs_not_sources", text)
    if not is_comparing and (n_pairs is not None or repeat_percent is not None):
        raise Refused("nothing_compared", _("This protocol compares nothing: leave the pairs and repetitions empty."))
    if repeat_percent is not None and repeat_percent > 100:
        raise Refused("too_many", _("You cannot repeat more pairs than there are: give a share from 0 to 100."))


def pair_up(study: Study, cards: Sequence[Card], kind: str, n_pairs: int | None, rng: random.Random) -> None:
    """Give each card its pairs: those its file lists, otherwise all pairs of its sources, or `n_pairs` of them.

    Turns of one conversation show the same of its pairs. Candidates that are in no pair are left out. Raise Refused for
    a dialogue with only one side.
    """
    places = {
        pk: place for place, pk in enumerate(study.sources.order_by("position", "pk").values_list("pk", flat=True))
    }
    listed = _listed(study, cards)
    available: list[list[Sources]] = []
    unknown = []
    for card in cards:
        every = list(combinations(sorted({source for _pk, source in card.candidates}, key=places.__getitem__), 2))
        wanted = listed.get(card.dialogue, set())
        available.append([pair for pair in every if frozenset(pair) in wanted] if wanted else every)
        if card.is_scenario and not wanted <= set(map(frozenset, every)):
            unknown.append(card.scenario)
    _refuse_unknown(unknown)
    if kind != Batch.Kind.TRAINING:  # whose dialogues may be about other questions
        _refuse_one_side([card.dialogue for card, pairs in zip(cards, available, strict=True) if not pairs])
    if n_pairs is not None:
        _choose(study, cards, available, listed, kind, n_pairs, rng)
    digests = {False: _digests(study), True: _digests_of_dialogues(study, cards)}
    for card, pairs in zip(cards, available, strict=True):
        card.pairs = list(_candidate_pairs(card, pairs, digests[card.is_scenario]))
        shown = {pk for pair in card.pairs for pk in pair[:2]}
        if pairs:
            card.candidates = [each for each in card.candidates if each[0] in shown]


def _choose(
    study: Study,
    cards: Sequence[Card],
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
    return _digests_of(Candidate.objects.filter(dialogue__study=study), READING)


def _digests_of_dialogues(study: Study, cards: Iterable[Card]) -> dict[int, str]:
    """Return {dialogue: the same text for dialogues that read the same} of those to compare."""
    if not any(card.is_scenario for card in cards):
        return {}
    return _digests_of(study.dialogues.filter(source__isnull=False).exclude(scenario=""), Cast("turns", TextField()))


def _digests_of(rows: QuerySet[Any], text: Combinable) -> dict[int, str]:
    shown = Concat(text, Cast("context", TextField()), output_field=TextField())
    return dict(rows.order_by().annotate(same=MD5(shown)).values_list("pk", "same").iterator())


def _listed(study: Study, cards: Iterable[Card]) -> dict[int, set[frozenset[int]]]:
    """Return {dialogue of a card: the pairs of sources that its file lists}, for those that list any.

    Each dialogue of a scenario may list pairs, which are put together.
    """
    rows = Dialogue.objects.filter(study=study, metadata__has_key=PAIRS).order_by()
    of_card = {pk: card.dialogue for card in cards if card.is_scenario for pk, _source in card.candidates}
    ids = dict(study.sources.values_list("key", "pk"))
    found: dict[int, set[frozenset[int]]] = defaultdict(set)
    for dialogue, value in rows.values_list("pk", KeyTransform(PAIRS, "metadata")).iterator():
        if pairs := listed_pairs(value):
            found[of_card.get(dialogue, dialogue)] |= {frozenset(ids.get(name, 0) for name in pair) for pair in pairs}
    return found


def _refuse_unknown(scenarios: Sequence[str]) -> None:
    if not scenarios:
        return
    text = ngettext(
        "%(number)s scenario lists a pair of sources without a dialogue of both: %(name)s. Import the missing "
        "dialogue, or correct “pairs”.",
        "%(number)s scenarios list a pair of sources without a dialogue of both, for example %(name)s. Import the "
        "missing dialogues, or correct “pairs”.",
        len(scenarios),
    )
    raise Refused("unknown_pair", text % {"number": len(scenarios), "name": scenarios[0]})


def _refuse_one_side(dialogues: Sequence[int]) -> None:
    if not dialogues:
        return
    keys = Dialogue.objects.filter(pk__in=dialogues).order_by("position", "pk").values_list("key", flat=True)
    text = ngettext(
        "This protocol compares responses of two sources, but %(number)s dialogue has only one side to compare: "
        "%(key)s. Add a response of another source and import the file again, replacing unused dialogues, "
        "or remove the dialogue under Dialogues and their use.",
        "This protocol compares responses of two sources, but %(number)s dialogues have only one side to compare: "
        "%(key)s. Add responses of another source and import the file again, replacing unused dialogues, or remove the "
        "dialogues under Dialogues and their use, where “Cannot be used” lists them.",
        len(dialogues),
    )
    raise Refused("one_side", text % {"number": len(dialogues), "key": first_of(list(keys))})


def _candidate_pairs(card: Card, pairs: Iterable[Sources], digests: Mapping[int, str]) -> Iterator[Pair]:
    """Yield the pairs of candidates behind the pairs of sources: a source may have several candidates."""
    of_source = defaultdict(list)
    for pk, source in card.candidates:
        of_source[source].append(pk)
    for one, other in pairs:
        for first, second in product(of_source[one], of_source[other]):
            yield Pair(first, second, digests[first] == digests[second], card.is_scenario)


def is_shown(card: Card) -> bool:
    """Return whether there is anything to compare: two identical texts are not."""
    return not all(pair.is_identical for pair in card.pairs)


def store_identical(batches: Sequence[Batch], hands: Sequence[Iterable[Card]], rest: Iterable[Card]) -> None:
    """Store the pairs that are dealt and not shown. Those of the dialogues in no batch belong to the first one."""
    of_batch = [*zip(batches, hands, strict=True), (batches[0], rest)]
    IdenticalPair.objects.bulk_create(
        [
            IdenticalPair(batch=batch, **_sides(card, pair))
            for batch, hand in of_batch
            for card in hand
            for pair in card.pairs
            if pair.is_identical
        ],
        batch_size=2000,
    )


def identical_words(batches: Collection[Batch]) -> str:
    """Return a sentence about the pairs of these batches that nobody sees; empty if there are none."""
    n = IdenticalPair.objects.filter(batch__in=batches).count()
    text = ngettext(
        "%(number)s pair has identical texts: it counts as a tie and is not shown.",
        "%(number)s pairs have identical texts: they count as ties and are not shown.",
        n,
    )
    return text % {"number": intcomma(n)} if n else ""


def _sides(card: Card, pair: Pair) -> dict[str, int]:
    if pair.is_whole:
        return {"dialogue_id": pair.first, "other_dialogue_id": pair.second}
    return {"dialogue_id": card.dialogue, "first_id": pair.first, "second_id": pair.second}


def repeat_some(batches: Collection[Batch], percent: int, rng: random.Random) -> None:
    """Show a share of each batch's comparisons again, at its end and one on a screen, with the sides swapped."""
    again = []
    for batch in batches:
        compared = list(batch.items.filter(unit=ProtocolVersion.Unit.COMPARISON).order_by("pk"))
        wanted = min(len(compared), max(1, (percent * len(compared) + 50) // 100))
        places = count((batch.items.aggregate(last=Max("position"))["last"] or 0) + 1)
        again += [
            Item(
                batch=batch, unit=item.unit, dialogue_id=item.dialogue_id, other_dialogue_id=item.other_dialogue_id,
                shown=item.shown, position=next(places), repeats=item, is_check=True,
            )
            for item in rng.sample(compared, wanted)
        ]  # fmt: skip
    Item.objects.bulk_create(again, batch_size=2000)
