"""Write the items of dealt dialogues as rows for COPY."""

import random
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from annotation.models import Candidate, Study
from annotation.services.cards import Card
from protocols.models import ProtocolVersion
from protocols.specs import spec_of

Unit = ProtocolVersion.Unit
COLUMNS = "batch_id, unit, dialogue_id, candidate_id, source_id, other_dialogue_id, shown, token, position"
MODEL_SAMPLE = 12  # dialogues of a model that are rated together: what fits a screen and a memory


def model_samples(study: Study, rng: random.Random) -> dict[int, list[int]]:
    """Return {source: its responses to some dialogues}, the same for all batches; empty if no model is rated.

    Each conversation gives one response: candidate sets already rate how much responses to the same dialogue differ.
    """
    if Unit.MODEL not in spec_of(study.protocol_version).units:
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


def item_rows(hand: list[Card], units: Sequence[str], samples: Mapping[int, list[int]]) -> list[str]:
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
        return [
            _row(unit, pair.first, None, None, (), place, pair.second)
            if pair.is_whole
            else _row(unit, card.dialogue, None, None, pair[:2], place)
            for pair in card.pairs
            if not pair.is_identical
        ]
    if unit == Unit.CANDIDATE_SET:
        sets = {source: [pk for pk, of in card.candidates if of == source] for source in card.sources}
        return [_row(unit, card.dialogue, None, source, together, place) for source, together in sets.items()]
    return []


def _row(
    unit: str,
    dialogue: int | None,
    candidate: int | None,
    source: int | None,
    shown: Iterable[int],
    place: int,
    other_dialogue: int | None = None,
) -> str:
    ids = ["\\N" if each is None else str(each) for each in (dialogue, candidate, source, other_dialogue)]
    together = "{" + ",".join(map(str, shown)) + "}"
    return "\t".join([unit, *ids, together, str(uuid.uuid4()), str(place)])
