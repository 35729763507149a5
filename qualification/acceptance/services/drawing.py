"""Draw the sample of a finished batch: once in a round, from a stored seed. It keeps the plan as it was."""

import hashlib
from datetime import datetime

import numpy as np
from django.db import transaction

from annotation.models import Batch, Seat
from annotation.services import activity
from measures.acceptance import SharesRule, draw_sample
from protocols.specs import CriterionSpec, spec_of
from qualification.acceptance.selectors.due import finished_batches
from qualification.acceptance.selectors.labels import Labels, labels_of
from qualification.acceptance.selectors.plans import class_options, criterion_of, n_wanted, plan_as_data, rule_of_data
from qualification.models import AcceptancePlan, Sample, SampledItem


@transaction.atomic
def make_sample(batch_id: int, *, now: datetime) -> Sample | None:
    """Draw the sample of the batch's round; return None if there is one, or the round is unfinished or unsettled."""
    # This lock makes two sweeps draw one after the other, so that the second finds the sample of the first.
    Batch.objects.select_for_update(no_key=True).get(pk=batch_id)
    # Read before the labels, so that a vote lost from here on makes the sample void.
    votes = list(Seat.objects.filter(batch=batch_id).values_list("assignment", flat=True))
    batch = finished_batches().filter(pk=batch_id).select_related("study__protocol_version").first()
    if batch is None or None in votes:
        return None
    plan = AcceptancePlan.objects.select_related("criterion").get(study=batch.study_id)
    criterion = criterion_of(spec_of(batch.study.protocol_version), plan.criterion.key if plan.criterion else "")
    if criterion is None:
        return None
    labels = labels_of(batch, criterion)
    if labels.n_unsettled:
        return None
    sample = _store(batch, plan, criterion, labels, now)
    sample.votes.set(votes)
    return sample


def _store(batch: Batch, plan: AcceptancePlan, criterion: CriterionSpec, labels: Labels, now: datetime) -> Sample:
    as_data = plan_as_data(plan, criterion)
    n_void = Sample.objects.filter(batch=batch, round=batch.round, state=Sample.State.VOID).count()
    sample = Sample(
        batch=batch, round=batch.round, protocol_version=batch.study.protocol_version, seed=seed_of(batch, n_void),
        plan=as_data, n_items=len(labels.option_of), left_out=labels.left_out, drawn_at=now,
        class_sizes={str(option): n for option, n in sorted(labels.sizes.items())},
    )  # fmt: skip
    if not labels.option_of:  # with nothing to review, no controller could ever decide it
        sample.state, sample.decision = Sample.State.DECIDED, Sample.Decision.NOT_ASSESSABLE
        sample.decided_at = now
    sample.save()
    place_of = {option.id: at for at, option in enumerate(class_options(criterion))}
    codes = np.array([place_of[option] for option in labels.option_of.values()], np.int64)
    rule = rule_of_data(as_data)
    chosen = draw_sample(codes, n_wanted(rule), sample.seed, rule if isinstance(rule, SharesRule) else None)
    items = list(labels.option_of)
    SampledItem.objects.bulk_create(
        SampledItem(sample=sample, item_id=items[at], label_id=labels.option_of[items[at]], is_top_up=top, position=n)
        for n, (at, top) in enumerate(zip(chosen.places.tolist(), chosen.is_top_up.tolist(), strict=True))
    )
    details = {"round": batch.round, "drawn": len(chosen.places), "of": sample.n_items, "seed": sample.seed}
    activity.log(batch.study, None, "sample_drawn", about=batch.key, details=details, now=now)
    return sample


def seed_of(batch: Batch, n_void: int = 0) -> int:
    """Return the seed of this round of this batch. Another round, or a sample after a void one, draws other items."""
    said = f"{batch.study.seed}:{batch.key}:{batch.round}" + (f":{n_void}" if n_void else "")
    return int.from_bytes(hashlib.sha256(said.encode()).digest()[:4], "big") % 2**31
