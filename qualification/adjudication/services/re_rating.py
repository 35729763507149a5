"""Let both annotators re-rate, blind to each other; a trainer settles what they still answer differently."""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, Item, Participant
from annotation.services import activity
from annotation.services.private_batches import make_private_batch
from annotation.services.refusals import Refused
from protocols.models import Option
from qualification.adjudication.selectors.disagreements import (
    answers_behind,
    current_comparisons,
    disagreements_of,
    finished_comparisons,
    looked_again,
    looked_at_again,
    unit_of,
)
from qualification.models import Case, Comparison, Disagreement, ReRating

State, How = Disagreement.State, Disagreement.How


def make_looks(comparison: Comparison, differing: Sequence[tuple[int, int]], *, now: datetime) -> None:
    """Make a private batch for each of the two, with the items they differ on in the order of the batch.

    If one of them cannot sign in or is excluded, neither re-rates, and a trainer is asked at once.
    """
    items = Item.objects.in_bulk({item for item, _criterion in differing})
    ordered = [items[pk] for pk in dict.fromkeys(item for item, _criterion in differing)]
    pair = [comparison.first.participant, comparison.second.participant]
    if not ordered:
        _finish(comparison, now)
        return
    if any(person.user_id is None or person.status == Participant.Status.EXCLUDED for person in pair):
        return
    for number, person in enumerate(pair, start=1):
        batch = make_private_batch(
            comparison.batch.study, kind=Batch.Kind.RE_RATING, key=f"re-rating-{comparison.pk}-{number}",
            items=ordered, person=person,
        )  # fmt: skip
        ReRating.objects.create(comparison=comparison, participant=person, private_batch=batch)


@transaction.atomic
def count_looks(comparison_id: int, *, now: datetime) -> Comparison | None:
    """Settle what both answer alike now; the rest goes to a trainer. Return None if nothing is left to count."""
    batch_id = Comparison.objects.values_list("batch", flat=True).get(pk=comparison_id)
    # The same lock as for comparing: a second sweep finds nothing left, and no round is opened meanwhile.
    Batch.objects.select_for_update(no_key=True).get(pk=batch_id)
    found = finished_comparisons().filter(pk=comparison_id).select_related("batch__study")
    comparison = found.first()
    if comparison is None:
        return None
    looks = looked_again(comparison)
    waiting = looked_at_again(comparison).select_for_update(of=("self",)).select_related("item").order_by("pk")
    n_settled = 0
    for row in waiting:
        item = row.item
        key = (*unit_of(item), row.criterion_id)
        given = [look.get(key) for look in looks]
        row.state = State.ADJUDICATION
        if len(given) == 2 and given[0] is not None and given[0] == given[1]:
            close_disagreement(row, How.RE_RATING, given[0], now)
            n_settled += 1
        row.save(update_fields=["state", "how", "option", "settled_at"])
    _finish(comparison, now)
    details = {"round": comparison.round, "n": n_settled, "left": len(waiting) - n_settled}
    activity.log(comparison.batch.study, None, "re_rating", about=comparison.batch.key, details=details, now=now)
    return comparison


def _finish(comparison: Comparison, now: datetime) -> None:
    """Mark the re-rating as finished. Submitted batches are closed; the sweep withdraws the others."""
    comparison.looked_at = now
    comparison.save(update_fields=["looked_at"])
    done = Assignment.objects.filter(batch__re_rating__comparison=comparison, status=Assignment.Status.SUBMITTED)
    Batch.objects.filter(pk__in=done.values("batch")).update(status=Batch.Status.CLOSED)


def close_disagreement(row: Disagreement, how: str, option_id: int, now: datetime) -> None:
    """Settle the label, with the reasons, turns and other answers of those who gave it. The caller saves `row`."""
    row.state, row.how, row.option_id, row.settled_at = State.SETTLED, how, option_id, now
    row.answers.set(answers_behind(row))
    # Cases collected while it was open get the answer; answers a trainer has chosen stay.
    cases = Case.objects.filter(item=row.item_id, criterion=row.criterion_id, is_active=True, option=None)
    cases.update(option=option_id)


@transaction.atomic
def settle(disagreement: Disagreement, *, option: Option, note: str, by: User, now: datetime) -> Disagreement:
    """Store a trainer's answer, once. It may come before the re-ratings, if one of the two stays away.

    Raise Refused if it is settled, the batch is being rated again, or the trainer has rated the batch.
    """
    # The same lock as for comparing: whoever settles the last disagreement sees that it is the last.
    Batch.objects.select_for_update(no_key=True).get(items=disagreement.item_id)
    # Locked without joins: after a wait for another trainer, joined rows would show the state before the wait.
    row = Disagreement.objects.select_for_update(no_key=True).get(pk=disagreement.pk)
    study = row.item.batch.study
    _check_settleable(row, by)
    if option.criterion_id != row.criterion_id:
        raise Refused("other_question", _("That is not an answer to this question."))
    close_disagreement(row, How.ADJUDICATED, option.pk, now)
    row.note, row.settled_by = note.strip(), by
    row.save(update_fields=["state", "how", "option", "settled_at", "note", "settled_by"])
    for comparison in current_comparisons().filter(batch=row.item.batch_id, looked_at=None):
        if not looked_at_again(comparison).exists():
            _finish(comparison, now)
    details = {"criterion": row.criterion.key, "option": option.key, "item": str(row.item.token)}
    activity.log(study, by, "adjudicated", about=row.item.batch.key, details=details, now=now)
    return row


def _check_settleable(row: Disagreement, by: User) -> None:
    if row.state == State.SETTLED:
        who = row.settled_by.get_username() if row.settled_by else _("re-rating")
        known = {"who": who, "answer": row.option.label if row.option else ""}
        raise Refused("settled", _("Already settled by %(who)s: %(answer)s.") % known)
    if not disagreements_of(row.item.batch.study).filter(pk=row.pk).exists():
        raise Refused("history", _("This disagreement no longer counts: the batch went back to be rated again."))
    if Assignment.objects.filter(batch=row.item.batch_id, participant__user=by).exists():
        raise Refused("own_work", _("You rated this batch yourself. Another trainer must settle it."))
