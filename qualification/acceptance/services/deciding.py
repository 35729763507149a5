"""Decide about a batch from its reviewed sample, once: accept and close it, or return it to be rated again."""

from dataclasses import asdict
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Batch, Group
from annotation.services import activity
from annotation.services.refusals import Refused
from annotation.services.rounds import open_next_round
from annotation.services.studies import set_batch_status
from measures.acceptance import Decision, FixedRule, SharesRule, decide_by_errors, decide_by_shares, describe
from measures.acceptance_curves import Rule
from measures.sequential import decide_in_turn, lines_of
from protocols.specs import CriterionSpec, spec_of
from qualification.acceptance.selectors.answers import Reviewed, labels_of_controller, reviewed_items, sizes_of
from qualification.acceptance.selectors.due import broken_samples
from qualification.acceptance.selectors.plans import answer_options, class_options, rule_of_data
from qualification.acceptance.services.reviewing import deal_review, lock_sample
from qualification.models import AcceptancePlan, Review, Sample, SampledItem

State, Chosen = Sample.State, Sample.Decision


@transaction.atomic
def count_review(review_id: int, *, now: datetime) -> bool:
    """Store a controller's answers, and decide if they suffice. Return whether this call has stored them."""
    sample = lock_sample(Review.objects.values_list("sample", flat=True).get(pk=review_id))
    review = Review.objects.select_related("participant").get(pk=review_id)
    submitted = Assignment.objects.filter(batch=review.batch_id, status=Assignment.Status.SUBMITTED, seat__isnull=False)
    if review.counted_at or review.given_back_at or not submitted.exists() or _has_lost_a_vote(sample):
        return False
    criterion = spec_of(sample.protocol_version).by_key[sample.plan["criterion"]]
    labels = labels_of_controller(review, criterion)
    column = "second_label_id" if review.is_second else "controller_label_id"
    sampled_items = SampledItem.objects.in_bulk(labels)
    for pk, option in labels.items():
        setattr(sampled_items[pk], column, option)
    SampledItem.objects.bulk_update(sampled_items.values(), [column.removesuffix("_id")], batch_size=500)
    review.counted_at = now
    review.save(update_fields=["counted_at"])
    if not review.is_second:
        _decide(sample, review, criterion, now)
    return True


def _has_lost_a_vote(sample: Sample) -> bool:
    """Return whether a vote has lost its seat: the labels no longer count, and the sweep makes the sample void."""
    return broken_samples().filter(pk=sample.pk).exists()


def _decide(sample: Sample, review: Review, criterion: CriterionSpec, now: datetime) -> None:
    reviewed = reviewed_items(sample, criterion, review.last + 1)
    found = judge(reviewed, sizes_of(sample.class_sizes, criterion), rule_of_data(sample.plan))
    if found is None:
        deal_review(sample, review.participant, number=review.number + 1, now=now)
        return
    decision, n_used = found
    sample.state, sample.decision, sample.decided_at = State.DECIDED, decision.outcome, now
    sample.results = asdict(decision) | {
        "labels": [option.id for option in class_options(criterion)],
        "answers": [option.id for option in answer_options(criterion)],
        "confusion": reviewed.confusion(n_used).tolist(),
        "n_used": n_used,
        "n_top_up": int(reviewed.is_top_up.sum()),
    }
    sample.save(update_fields=["state", "decision", "decided_at", "results"])
    details = {"round": sample.round, "decision": decision.outcome, "share": decision.overall.share}
    activity.log(sample.batch.study, None, "acceptance_decided", about=sample.batch.key, details=details, now=now)
    # The present setting counts: switching it off also applies to batches under review.
    returning = AcceptancePlan.objects.filter(study=sample.batch.study_id, is_returned_automatically=True)
    acts = decision.outcome == Chosen.ACCEPT or (decision.outcome == Chosen.RETURN and returning.exists())
    if acts and is_current(sample):
        _carry_out(sample, sample.batch.group, None, now)


def is_current(sample: Sample) -> bool:
    """Return whether the batch is in the same round, and the study on the same version, as the sample."""
    batch = Batch.objects.select_related("study").get(pk=sample.batch_id)
    return batch.round == sample.round and batch.study.protocol_version_id == sample.protocol_version_id


def judge(reviewed: Reviewed, sizes: list[int], rule: Rule) -> tuple[Decision, int] | None:
    """Return the decision and how many items it needed, or None while a sequential sample is undecided."""
    n = len(reviewed.labels)
    if isinstance(rule, SharesRule):
        is_weighted = bool(reviewed.is_top_up.any())
        return decide_by_shares(reviewed.confusion(), sizes, rule, is_weighted=is_weighted), n
    if isinstance(rule, FixedRule):
        return decide_by_errors(reviewed.confusion(), sizes, rule), n
    decision, n_used = decide_in_turn(reviewed.is_right, lines_of(rule, sum(sizes)))
    return None if decision is None else (describe(decision, reviewed.confusion(n_used), sizes), n_used)


# --- what a person decides -------------------------------------------------------------------------
@transaction.atomic
def confirm_return(sample: Sample, *, group: Group | None, by: User, now: datetime) -> Sample:
    """Carry out a return that waits for confirmation. Raise Refused if there is none or it no longer applies."""
    locked = lock_sample(sample.pk)
    if not locked.is_open or locked.outcome != Chosen.RETURN:
        raise Refused("nothing_to_confirm", _("This batch is not waiting to be returned."))
    _require_votes(locked)
    _carry_out(locked, group, by, now)
    return locked


@transaction.atomic
def override(sample: Sample, *, to: str, reason: str, by: User, now: datetime, group: Group | None = None) -> Sample:
    """Replace the decision by a person's, and keep both. Raise Refused if it cannot be overridden."""
    locked = lock_sample(sample.pk)
    if locked.state != State.DECIDED:
        raise Refused("not_decided", _("There is no decision to override yet."))
    if locked.overridden_to:
        raise Refused("overridden", _("This decision has already been overridden."))
    if to == locked.decision or to not in (Chosen.ACCEPT, Chosen.RETURN):
        raise Refused("same_decision", _("Choose the other decision: accepted or returned."))
    if not reason.strip():
        raise Refused("no_reason", _("Give a reason. It is kept with the decision."))
    _require_votes(locked)
    locked.overridden_to, locked.override_reason = to, reason.strip()
    locked.overridden_by, locked.overridden_at = by, now
    locked.save(update_fields=["overridden_to", "override_reason", "overridden_by", "overridden_at"])
    details = {"round": locked.round, "from": locked.decision, "to": to, "reason": locked.override_reason}
    activity.log(locked.batch.study, by, "acceptance_overridden", about=locked.batch.key, details=details, now=now)
    _carry_out(locked, group, by, now)
    return locked


def _require_votes(sample: Sample) -> None:
    if _has_lost_a_vote(sample):
        raise Refused("vote_missing", _("A vote of this batch is now missing. Another sample will be drawn."))


def _carry_out(sample: Sample, group: Group | None, by: User | None, now: datetime) -> None:
    """Close the batch, or open its next round. Raise Refused if it is already being rated again."""
    batch = sample.batch
    if not is_current(sample):
        raise Refused("over", _("This batch is already being rated again. A new sample will be reviewed."))
    if sample.outcome == Chosen.RETURN:
        reason = sample.override_reason or str(Chosen(sample.decision).value)
        open_next_round(batch, now=now, group=group, by=by, reason=reason)
    else:
        set_batch_status(batch.study, keys=[batch.key], status=Batch.Status.CLOSED, by=by, now=now)
    sample.carried_out_at = now
    sample.save(update_fields=["carried_out_at"])
