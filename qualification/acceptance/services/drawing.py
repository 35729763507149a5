"""The sample of a finished batch: drawn once in a round, from a stored seed, and kept with the plan as it stood."""

import hashlib
from datetime import datetime

import numpy as np
from django.db import transaction

from annotation.models import Batch, Seat
from annotation.services import activity
from measures.acceptance import Sample, SharesRule, draw_sample
from measures.acceptance_curves import Rule
from protocols.specs import CriterionSpec, spec_of
from qualification.acceptance.selectors.due import finished_batches
from qualification.acceptance.selectors.labels import Labels, labels_of
from qualification.acceptance.selectors.plans import class_options, criterion_of, n_wanted, plan_as_data, rule_of_data
from qualification.models import ControlPlan, Draw, Inspection


@transaction.atomic
def draw_inspection(batch_id: int, *, now: datetime) -> Inspection | None:
    """Draw the sample of the batch's round. None when it is drawn already, is not finished, or is not settled yet."""
    # The batch's row: two sweeps draw one after the other, and the second finds what the first has drawn.
    Batch.objects.select_for_update(no_key=True).get(pk=batch_id)
    # Before the labels: a vote that is lost from here on makes the sample void.
    votes = list(Seat.objects.filter(batch=batch_id).values_list("assignment", flat=True))
    batch = finished_batches().filter(pk=batch_id).select_related("study__protocol_version").first()
    if batch is None or None in votes:
        return None
    plan = ControlPlan.objects.select_related("criterion").get(study=batch.study_id)
    criterion = criterion_of(spec_of(batch.study.protocol_version), plan.criterion.key if plan.criterion else "")
    if criterion is None:
        return None
    labels = labels_of(batch, criterion)
    if labels.n_unsettled:
        return None
    inspection = _store(batch, plan, criterion, labels, now)
    inspection.votes.set(votes)
    return inspection


def _store(batch: Batch, plan: ControlPlan, criterion: CriterionSpec, labels: Labels, now: datetime) -> Inspection:
    as_data = plan_as_data(plan, criterion)
    inspection = Inspection(
        batch=batch, round=batch.round, protocol_version=batch.study.protocol_version,
        seed=seed_of(batch, _n_void(batch)), plan=as_data, n_items=len(labels.option_of), left_out=labels.left_out,
        drawn_at=now, class_sizes={str(option): n for option, n in sorted(labels.sizes.items())},
    )  # fmt: skip
    if not labels.option_of:  # nothing to check: no controller could ever decide about it
        inspection.state, inspection.verdict = Inspection.State.DECIDED, Inspection.Verdict.NOT_ASSESSABLE
        inspection.decided_at = now
    inspection.save()
    sample = draw_items(labels, criterion, rule_of_data(as_data), inspection.seed)
    items = list(labels.option_of)
    Draw.objects.bulk_create(
        Draw(inspection=inspection, item_id=items[at], label_id=labels.option_of[items[at]], is_top_up=top, position=n)
        for n, (at, top) in enumerate(zip(sample.places.tolist(), sample.is_top_up.tolist(), strict=True))
    )
    details = {"round": batch.round, "drawn": len(sample.places), "of": inspection.n_items, "seed": inspection.seed}
    activity.log(batch.study, None, "control_drawn", about=batch.key, details=details, now=now)
    return inspection


def _n_void(batch: Batch) -> int:
    return Inspection.objects.filter(batch=batch, round=batch.round, state=Inspection.State.VOID).count()


def seed_of(batch: Batch, n_void: int = 0) -> int:
    """Of this round of this batch of this study: another round, or a sample after a void one, draws other items."""
    said = f"{batch.study.seed}:{batch.key}:{batch.round}" + (f":{n_void}" if n_void else "")
    return int.from_bytes(hashlib.sha256(said.encode()).digest()[:4], "big") % 2**31


def draw_items(labels: Labels, criterion: CriterionSpec, rule: Rule, seed: int) -> Sample:
    place_of = {option.id: at for at, option in enumerate(class_options(criterion))}
    codes = np.array([place_of[option] for option in labels.option_of.values()], np.int64)
    return draw_sample(codes, n_wanted(rule), seed, rule if isinstance(rule, SharesRule) else None)
