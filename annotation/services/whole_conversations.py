"""Refuse to deal turns of a conversation that another batch already holds: nobody would read all of it."""

from collections.abc import Iterable, Mapping

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import F
from django.utils.translation import ngettext

from annotation.models import Dialogue, Item, Study
from annotation.services.cards import Card
from annotation.services.refusals import Refused


def refuse_divided(study: Study, kind: str, talks: Iterable[Iterable[Card]]) -> None:
    """Raise Refused if a turn that would be dealt belongs to a conversation that a batch of this kind holds."""
    holding = _holding(study, kind)
    turns = [card for talk in talks for card in talk if card.conversation in holding and not card.is_matched]
    if not turns:
        return
    text = ngettext(
        "%(number)s dialogue is a turn of a conversation that a batch already holds: %(key)s, of %(batch)s. Discard "
        "this batch if it is a draft, so that the conversation is dealt as a whole, or remove the dialogue under "
        "Dialogues and their use.",
        "%(number)s dialogues are turns of conversations that batches already hold, for example %(key)s, of %(batch)s. "
        "Discard these batches if they are drafts, so that the conversations are dealt as a whole, or remove the "
        "dialogues under Dialogues and their use.",
        len(turns),
    )
    key = Dialogue.objects.values_list("key", flat=True).get(pk=turns[0].dialogue)
    said = {"number": intcomma(len(turns)), "key": key, "batch": holding[turns[0].conversation]}
    raise Refused("divided_conversation", text % said)


def _holding(study: Study, kind: str) -> Mapping[str, str]:
    """Return {conversation: the first batch of this kind that holds a part of it}, of conversations with turns."""
    with_turns = Dialogue.objects.filter(study=study).exclude(conversation=F("key")).values("conversation")
    items = Item.objects.filter(batch__study=study, batch__kind=kind, dialogue__conversation__in=with_turns)
    held = items.order_by("-batch__position").values_list("dialogue__conversation", "batch__key").distinct()
    return dict(held)
