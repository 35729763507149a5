"""Compare the two annotators of a finished round once, and ask both to re-rate where they differ."""

from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, Study
from annotation.services import activity
from annotation.services.private_batches import withdraw_private_batch
from annotation.services.refusals import Refused
from annotation.services.sweeping import AT_ONCE, sweep_each
from protocols.models import Criterion
from qualification.adjudication.selectors.disagreements import (
    Answers,
    adjudicated_criteria,
    answers_of,
    finished_comparisons,
    has_pairs,
    open_looks,
    stale_looks,
    uncompared_batches,
)
from qualification.adjudication.services.re_rating import close_disagreement, count_looks, make_looks
from qualification.models import AdjudicationPlan, Comparison, Disagreement

State, How = Disagreement.State, Disagreement.How


def sweep_disagreements(*, now: datetime) -> tuple[int, int]:
    """Compare and settle what is due. Return how many batches were compared, and in how many re-ratings were counted.

    Calling it often is safe: each step takes a lock and is done once.
    """
    # Planning the queries below takes longer than running them, and most installations adjudicate nothing.
    if open_looks().exists():
        for batch in stale_looks()[:AT_ONCE]:
            withdraw_private_batch(batch)
    compared, counted = [], []
    if AdjudicationPlan.objects.filter(is_on=True).exists():
        finished = uncompared_batches().values_list("pk", flat=True)
        compared = sweep_each("comparing a batch", finished, partial(compare_batch, now=now))
    if Comparison.objects.filter(looked_at=None).exists():
        looked = finished_comparisons().values_list("pk", flat=True)
        counted = sweep_each("counting re-ratings", looked, partial(count_looks, now=now))
    return sum(map(bool, compared)), sum(map(bool, counted))


@transaction.atomic
def compare_batch(batch_id: int, *, now: datetime) -> Comparison | None:
    """Store a disagreement for every item and question that the two answer differently, and start their re-ratings.

    Return None if they were compared already, or the round is not finished.
    """
    # This lock makes two sweeps compare one after the other, so that the second finds what the first has done.
    Batch.objects.select_for_update(no_key=True).get(pk=batch_id)
    batch = uncompared_batches().filter(pk=batch_id).select_related("study__protocol_version").first()
    if batch is None:
        return None
    plan = AdjudicationPlan.objects.select_related("study__protocol_version").get(study=batch.study_id)
    criteria = adjudicated_criteria(plan)
    pair = Assignment.objects.filter(seat__batch=batch).select_related("participant").order_by("pk")
    first, second = pair
    one, other = (answers_of(each, criteria) for each in pair)
    both = {key: (option, other[key]) for key, option in one.items() if key in other}
    comparison = Comparison.objects.create(
        batch=batch, round=batch.round, protocol_version=batch.study.protocol_version, first=first, second=second,
        n_items=len({item for item, _criterion in both}), n_labels=len(both), compared_at=now,
    )  # fmt: skip
    differing = [key for key, (option, theirs) in both.items() if option != theirs]
    open_ones = _keep(comparison, differing, one, now)
    make_looks(comparison, open_ones, now=now)
    details = {"round": batch.round, "labels": len(both), "n": len(differing)}
    activity.log(batch.study, None, "compared", about=batch.key, details=details, now=now)
    return comparison


def _keep(
    comparison: Comparison, differing: list[tuple[int, int]], answers: Answers, now: datetime
) -> list[tuple[int, int]]:
    """Store what differs. Return the (item, criterion) to re-rate.

    If one of the two was replaced, the round has disagreements already: settled ones stay settled, those the new
    pair agrees on are settled by that, and the others are re-rated.
    """
    known = Disagreement.objects.filter(
        item__batch=comparison.batch_id, round=comparison.round, criterion__version=comparison.protocol_version_id
    ).select_for_update(of=("self",))
    stored = {(row.item_id, row.criterion_id): row for row in known}
    for key, row in stored.items():
        if row.state != State.SETTLED:
            row.state = State.RE_RATING
            agreed = None if key in differing else answers.get(key)
            if agreed is not None:
                close_disagreement(row, How.REPLACED, agreed, now)
            row.save(update_fields=["state", "how", "option", "settled_at"])
    Disagreement.objects.bulk_create(
        Disagreement(item_id=item, criterion_id=criterion, round=comparison.round, found_at=now)
        for item, criterion in differing
        if (item, criterion) not in stored
    )
    return [key for key in differing if key not in stored or stored[key].state != State.SETTLED]


# --- the plan --------------------------------------------------------------------------------------
@transaction.atomic
def save_plan(study: Study, *, is_on: bool, criteria: list[Criterion], by: User, now: datetime) -> AdjudicationPlan:
    """Store the plan. Rounds that are finished already are compared too. Raise Refused if no batch has two seats."""
    if is_on and not has_pairs(study):
        raise Refused(
            "not_two",
            _("Adjudication needs batches with exactly two seats. A batch here has %(n)s.") % {"n": study.seats},
        )
    plan, _is_new = AdjudicationPlan.objects.update_or_create(study=study, defaults={"is_on": is_on})
    plan.criteria.set(criteria)
    details = {"is_on": is_on, "criteria": [each.key for each in criteria]}
    activity.log(study, by, "adjudication_plan", details=details, now=now)
    return plan
