"""Find the label of each item of a finished batch: the settled one, otherwise the one most annotators gave."""

from collections import Counter
from dataclasses import dataclass, field

from django.db import connection

from annotation.models import Batch, Item
from protocols.models import Option
from protocols.specs import CriterionSpec
from qualification.adjudication.selectors.disagreements import is_adjudicated
from qualification.models import Disagreement

TIED, UNSURE, EXCLUDED, UNANSWERED = "tied", "unsure", "excluded", "unanswered"
WHY: dict[str, str] = {Option.Role.UNSURE: UNSURE, Option.Role.EXCLUDING: EXCLUDED}
VOTES = """
    SELECT rating.item_id, rating.option_id, count(*) FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    WHERE rating.batch_id = %s AND rating.criterion_id = %s AND rating.is_active AND rating.option_id IS NOT NULL
    GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Labels:
    """`option_of`: {item id: option id} in the order of items; `left_out`: {reason: items that have no label for it}.

    `n_unsettled`: items that still wait for their re-rating or their trainer, if the label is adjudicated.
    """

    option_of: dict[int, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    n_unsettled: int = 0

    @property
    def sizes(self) -> dict[int, int]:
        return dict(Counter(self.option_of.values()))


def labels_of(batch: Batch, criterion: CriterionSpec) -> Labels:
    """Return the labels from the answers that count: those of an earlier round have no seat and do not."""
    votes, is_pair = _votes_of(batch, criterion), is_adjudicated(batch, criterion)
    rows = Disagreement.objects.filter(
        item__batch=batch, criterion=criterion.id, round=batch.round, state=Disagreement.State.SETTLED
    )
    settled = {item: option for item, option in rows.values_list("item", "option") if option is not None}
    labels, left_out, n_unsettled = {}, Counter[str](), 0
    for item, given in votes.items():
        found = settled.get(item) or _winner(given)
        why = _why_not(found, given, criterion)
        if why:
            left_out[why] += 1
        elif found is not None:
            labels[item] = found
        n_unsettled += is_pair and len(given) > 1 and item not in settled
    return Labels(labels, dict(left_out), n_unsettled)


def _votes_of(batch: Batch, criterion: CriterionSpec) -> dict[int, dict[int, int]]:
    """Return {item: {option: votes}} in the order of items; an item without an answer has an empty dictionary.

    Python joins the two queries: without statistics, as after a large import, PostgreSQL takes seconds for the join.
    """
    items = Item.objects.filter(batch=batch, unit=criterion.unit, is_check=False).order_by("pk")
    votes: dict[int, dict[int, int]] = {item: {} for item in items.values_list("pk", flat=True)}
    with connection.cursor() as cursor:
        cursor.execute(VOTES, [batch.pk, criterion.id])
        for item, option, n in cursor.fetchall():
            if item in votes:
                votes[item][option] = n
    return votes


def _winner(given: dict[int, int]) -> int | None:
    """Return the option with more votes than any other, or None for a tie or no votes."""
    most = max(given.values(), default=0)
    best = [option for option, n in given.items() if n == most]
    return best[0] if len(best) == 1 else None


def _why_not(option: int | None, given: dict[int, int], criterion: CriterionSpec) -> str:
    if option is None:
        return TIED if given else UNANSWERED
    found = criterion.option_of(option)
    return WHY.get(found.role, "") if found else UNANSWERED
