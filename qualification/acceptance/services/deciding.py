"""A checked sample decides about its batch, once: it is accepted and closed, or returned and rated again."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

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
from qualification.acceptance.selectors.answers import Checked, checked_draws, sizes_of, verdicts_of
from qualification.acceptance.selectors.due import broken_inspections
from qualification.acceptance.selectors.plans import answer_options, class_options, rule_of_data
from qualification.acceptance.services.reviewing import deal_check, lock_inspection
from qualification.models import Check, ControlPlan, Draw, Inspection

State, Verdict = Inspection.State, Inspection.Verdict


@transaction.atomic
def count_check(check_id: int, *, now: datetime) -> bool:
    """Take over a controller's answers, and decide where they are enough. Returns whether this call has done it."""
    inspection = lock_inspection(Check.objects.values_list("inspection", flat=True).get(pk=check_id))
    check = Check.objects.select_related("participant").get(pk=check_id)
    submitted = Assignment.objects.filter(batch=check.batch_id, status=Assignment.Status.SUBMITTED, seat__isnull=False)
    if check.counted_at or check.given_back_at or not submitted.exists() or _has_lost_a_vote(inspection):
        return False
    criterion = spec_of(inspection.protocol_version).by_key[inspection.plan["criterion"]]
    _store_verdicts(check, criterion)
    check.counted_at = now
    check.save(update_fields=["counted_at"])
    if not check.is_second:
        _decide(inspection, check, criterion, now)
    return True


def _has_lost_a_vote(inspection: Inspection) -> bool:
    """Then the sweep makes it void: its labels are not those that count."""
    return broken_inspections().filter(pk=inspection.pk).exists()


def _store_verdicts(check: Check, criterion: CriterionSpec) -> None:
    verdicts = verdicts_of(check, criterion)
    column = "second_verdict_id" if check.is_second else "verdict_id"
    draws = Draw.objects.in_bulk(verdicts)
    for pk, option in verdicts.items():
        setattr(draws[pk], column, option)
    Draw.objects.bulk_update(draws.values(), [column.removesuffix("_id")], batch_size=500)


def _decide(inspection: Inspection, check: Check, criterion: CriterionSpec, now: datetime) -> None:
    checked = checked_draws(inspection, criterion, check.last + 1)
    found = judge(checked, sizes_of(inspection.class_sizes, criterion), rule_of_data(inspection.plan))
    if found is None:
        deal_check(inspection, check.participant, number=check.number + 1, now=now)
        return
    decision, n_used = found
    inspection.state, inspection.verdict, inspection.decided_at = State.DECIDED, decision.verdict, now
    inspection.figures = figures_of(decision, checked, criterion, n_used)
    inspection.save(update_fields=["state", "verdict", "decided_at", "figures"])
    details = {"round": inspection.round, "verdict": decision.verdict, "share": decision.overall.share}
    activity.log(inspection.batch.study, None, "control_decided", about=inspection.batch.key, details=details, now=now)
    acts = decision.verdict == Verdict.ACCEPT or (decision.verdict == Verdict.RETURN and _returns_by_itself(inspection))
    if acts and is_current(inspection):
        _carry_out(inspection, inspection.batch.group, None, now)


def is_current(inspection: Inspection) -> bool:
    """Whether the batch still stands as it was checked: nobody has opened another round or moved the study."""
    batch = Batch.objects.select_related("study").get(pk=inspection.batch_id)
    return batch.round == inspection.round and batch.study.protocol_version_id == inspection.protocol_version_id


def _returns_by_itself(inspection: Inspection) -> bool:
    """As the study wants it today: who switches it off while batches are checked means those."""
    return ControlPlan.objects.filter(study=inspection.batch.study_id, is_returned_by_itself=True).exists()


def judge(checked: Checked, sizes: list[int], rule: Rule) -> tuple[Decision, int] | None:
    """The decision, and after how many draws it stood; None while a sequential sample is not clear yet."""
    n = len(checked.labels)
    if isinstance(rule, SharesRule):
        is_weighted = bool(checked.is_top_up.any())
        return decide_by_shares(checked.confusion(), sizes, rule, is_weighted=is_weighted), n
    if isinstance(rule, FixedRule):
        return decide_by_errors(checked.confusion(), sizes, rule), n
    verdict, n_used = decide_in_turn(checked.is_right, lines_of(rule, sum(sizes)))
    return None if verdict is None else (describe(verdict, checked.confusion(n_used), sizes), n_used)


def figures_of(decision: Decision, checked: Checked, criterion: CriterionSpec, n_used: int) -> dict[str, Any]:
    """Everything the decision page shows, as it was decided."""
    return asdict(decision) | {
        "labels": [option.id for option in class_options(criterion)],
        "answers": [option.id for option in answer_options(criterion)],
        "confusion": checked.confusion(n_used).tolist(),
        "n_used": n_used,
        "n_top_up": int(checked.is_top_up.sum()),
    }


# --- what a person decides -------------------------------------------------------------------------
@transaction.atomic
def confirm_return(inspection: Inspection, *, group: Group | None, by: User, now: datetime) -> Inspection:
    """Raises Refused when there is nothing to confirm."""
    locked = lock_inspection(inspection.pk)
    if not locked.is_open or locked.outcome != Verdict.RETURN:
        raise Refused("nothing_to_confirm", _("This batch does not wait for somebody to return it."))
    _check_votes(locked)
    _carry_out(locked, group, by, now)
    return locked


@transaction.atomic
def override(
    inspection: Inspection, *, to: str, reason: str, by: User, now: datetime, group: Group | None = None
) -> Inspection:
    """Put a person's decision in the place of the verdict, which is kept beside it. Raises Refused."""
    locked = lock_inspection(inspection.pk)
    if locked.state != State.DECIDED:
        raise Refused("not_decided", _("A verdict can be overridden once there is one."))
    if locked.overridden_to:
        raise Refused("overridden", _("This verdict has been overridden already."))
    if to == locked.verdict or to not in (Verdict.ACCEPT, Verdict.RETURN):
        raise Refused("same_verdict", _("Choose the other verdict: accepted, or returned."))
    if not reason.strip():
        raise Refused("no_reason", _("Say why: the reason is kept beside the verdict."))
    _check_votes(locked)
    locked.overridden_to, locked.override_reason = to, reason.strip()
    locked.overridden_by, locked.overridden_at = by, now
    locked.save(update_fields=["overridden_to", "override_reason", "overridden_by", "overridden_at"])
    details = {"round": locked.round, "from": locked.verdict, "to": to, "reason": locked.override_reason}
    activity.log(locked.batch.study, by, "control_overridden", about=locked.batch.key, details=details, now=now)
    _carry_out(locked, group, by, now)
    return locked


def _check_votes(inspection: Inspection) -> None:
    if _has_lost_a_vote(inspection):
        raise Refused("vote_missing", _("A vote of this batch is missing by now: another sample will be drawn."))


def _carry_out(inspection: Inspection, group: Group | None, by: User | None, now: datetime) -> None:
    """Close the batch, or have it rated again. Raises Refused when it is being rated again already."""
    batch = inspection.batch
    if not is_current(inspection):
        raise Refused("over", _("This batch is being rated again already: its next round will be checked."))
    if inspection.outcome == Verdict.RETURN:
        reason = inspection.override_reason or str(Verdict(inspection.verdict).value)
        open_next_round(batch, now=now, group=group, by=by, reason=reason)
    else:
        set_batch_status(batch.study, keys=[batch.key], status=Batch.Status.CLOSED, by=by, now=now)
    inspection.carried_out_at = now
    inspection.save(update_fields=["carried_out_at"])
