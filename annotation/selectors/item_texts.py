"""Read what an item shows besides its dialogue, on the sides on which one annotator sees it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from annotation.context import context_above, context_of
from annotation.models import Assignment, Candidate, Dialogue, Item
from annotation.numbering import numbered_turns
from annotation.steps import ItemText
from protocols.models import ProtocolVersion


def swapped_of(assignment: Assignment, rows: Iterable[Item]) -> frozenset[int]:
    """Return the ids of the comparisons among the items whose second candidate stands on the left."""
    compared = {row.pk for row in rows if row.unit == ProtocolVersion.Unit.COMPARISON}
    return frozenset(compared.intersection(assignment.swapped))


def item_text(
    row: Item, together: Mapping[int, Candidate], others: Mapping[int, Dialogue], is_swapped: bool
) -> ItemText:
    if pair := dialogues_of(row, others, is_swapped):
        histories = tuple(numbered_turns(each.turns, each.asker) for each in pair)
        contexts = tuple(map(context_of, pair))
        return ItemText(row.token, unit=row.unit, asks=tuple(row.asks), histories=histories, contexts=contexts)
    if row.candidate is not None:
        shown = [row.candidate]
    else:
        shown = [together[pk] for pk in (row.shown[::-1] if is_swapped else row.shown) if pk in together]
    said_by = {each.speaker for each in shown}
    found = ItemText(
        row.token,
        tuple(each.text for each in shown),
        row.unit,
        speaker=said_by.pop() if len(said_by) == 1 else "",  # of a whole set, only if they do not differ
        asks=tuple(row.asks),
        contexts=tuple(map(context_above, shown)),
    )
    if row.unit != ProtocolVersion.Unit.MODEL:
        return found
    histories, speakers = tuple(each.dialogue.turns for each in shown), tuple(each.speaker for each in shown)
    return replace(found, speaker="", histories=histories, speakers=speakers)


def responses_of(rows: Iterable[Item]) -> dict[int, Candidate]:
    """Return {id: candidate} of what items show together. Most items show nothing together and need no query."""
    return Candidate.objects.select_related("dialogue").in_bulk({pk for row in rows for pk in row.shown})


def other_dialogues_of(rows: Iterable[Item]) -> dict[int, Dialogue]:
    """Return {id: dialogue} of those that the dialogues of items are compared with; mostly without a query."""
    return Dialogue.objects.in_bulk({row.other_dialogue_id for row in rows if row.other_dialogue_id})


def dialogues_of(row: Item, others: Mapping[int, Dialogue], is_swapped: bool = False) -> list[Dialogue]:
    """Return two whole dialogues in comparison as they stand on screen, the left or upper one first."""
    if row.dialogue is None or row.other_dialogue_id is None:
        return []
    pair = [row.dialogue, others[row.other_dialogue_id]]
    return pair[::-1] if is_swapped else pair
