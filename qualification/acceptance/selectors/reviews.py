"""Find the next item of a review with the labels shown, and the labels of a dialogue's items."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Exists, F, OuterRef

from annotation.models import Item, Participant, Rating
from protocols.specs import spec_of
from qualification.acceptance.selectors.answers import PARTS
from qualification.models import Review, SampledItem


def unreviewed_position(review: Review) -> int | None:
    """Return the position of the first dialogue with an item not reviewed yet; None when all are."""
    criterion = spec_of(review.sample.protocol_version).by_key[review.sample.plan["criterion"]]
    mine = Rating.objects.filter(
        item=OuterRef("pk"), criterion=criterion.id, assignment__participant=review.participant_id, is_active=True
    )
    items = Item.objects.filter(~Exists(mine), batch=review.batch_id)
    return items.order_by("position").values_list("position", flat=True).first()


def labels_by_token(review: Review, position: int) -> dict[UUID, str]:
    """Return {token of the copy: code of the label it was drawn with} of one dialogue."""
    criterion = spec_of(review.sample.protocol_version).by_key[review.sample.plan["criterion"]]
    codes = {option.id: option.code for option in criterion.options}
    copies = Item.objects.filter(batch=review.batch_id, position=position)
    tokens = {row[1:]: row[0] for row in copies.values_list("token", *PARTS)}
    sampled_items = SampledItem.objects.filter(sample=review.sample_id, position__range=(review.first, review.last))
    named = sampled_items.annotate(**{f"of_{part}": F(f"item__{part}") for part in PARTS})
    rows = named.values_list("label", *(f"of_{part}" for part in PARTS))
    return {tokens[row[1:]]: codes[row[0]] for row in rows if row[1:] in tokens}


def reviewers_among(participants: Iterable[Participant]) -> set[int]:
    """Return the ids of pending participants who review batches: they do not rate, so they wait for no clearing."""
    waiting = [each.pk for each in participants if each.status == Participant.Status.PENDING]
    return set(Review.objects.filter(participant__in=waiting).values_list("participant", flat=True))
