"""Decide finished qualification batches: a sweep finds them, the study's rule decides each once, a lead may override.

A worker that dies in between leaves nothing behind: attempt, status and log line are one transaction that locks the
participant, and the next sweep finds the batch again.
"""

from collections import defaultdict
from dataclasses import asdict
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, Participant
from annotation.services import activity
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from annotation.services.sweeping import sweep_each
from measures.qualification_rule import cells_of, judge, weakest
from protocols.specs import spec_of
from qualification.models import Attempt, Qualification
from qualification.qualifying.selectors.curve import rule_of
from qualification.qualifying.selectors.votes import JudgedAnswers, answers_of, panel_state

State = Attempt.State
PersonStatus = Participant.Status
PERSON_STATUSES = {
    State.PASSED: PersonStatus.CLEARED,
    State.FAILED: PersonStatus.FAILED,
    State.UNDECIDED: PersonStatus.QUALIFYING,  # one more batch than the rule gives
}
NO_LONGER_ANNOTATOR = "other_role"
RULE = ("method", "scope", "threshold_from", "threshold", "panel_members", "decision", "most_attempts")


def sweep_attempts(*, now: datetime) -> int:
    """Decide what can be decided. Return how many attempts were decided."""
    return sum(sweep_each("deciding a qualification", _decidable(), partial(decide, now=now)))


def _decidable() -> list[int]:
    """Return finished qualification work without a result, except work that still waits for the panel."""
    waiting = undecided_work().order_by("pk").values_list("pk", "batch_id", "batch__study_id", "attempt__reason")
    by_batch: dict[tuple[int, int], list[tuple[int, str | None]]] = defaultdict(list)
    for pk, batch, study, reason in waiting:
        by_batch[study, batch].append((pk, reason))
    studies = {study for study, _batch in by_batch}
    qualifications = {each.study_id: each for each in Qualification.objects.filter(study__in=studies)}
    found = []
    for (study, batch), works in by_batch.items():
        now_waits_for = _waits_for(qualifications[study], [batch]) if study in qualifications else ""
        found += [pk for pk, reason in works if not now_waits_for or reason != now_waits_for]
    return sorted(found)


def undecided_work() -> QuerySet[Assignment]:
    """Return submitted, undecided work of candidates who are still qualifying, in the round that counts."""
    is_open = Q(attempt=None) | Q(attempt__state=State.PENDING, attempt__overridden_to="")
    return Assignment.objects.filter(
        is_open,
        batch__kind=Batch.Kind.QUALIFICATION,
        batch__study__has_qualification=True,
        status=Assignment.Status.SUBMITTED,
        participant__status=PersonStatus.QUALIFYING,
        participant__panel=Participant.Panel.NONE,
    )


@transaction.atomic
def decide(assignment_id: int, *, now: datetime) -> bool:
    """Make the attempt if there is none, and decide it if nobody has. Return whether this call decided it."""
    assignment = Assignment.objects.select_related("batch__study__protocol_version").get(pk=assignment_id)
    # The lock lets one decision about a candidate run at a time: a task delivered twice finds the result of the first.
    participant = Participant.objects.select_for_update(no_key=True).get(pk=assignment.participant_id)
    if not undecided_work().filter(pk=assignment_id).exists():
        return False
    study = assignment.batch.study
    qualification = Qualification.objects.filter(study=study).first() or Qualification(study=study)
    attempt, _is_new = Attempt.objects.get_or_create(
        assignment=assignment,
        defaults={
            "participant": participant,
            "number": Attempt.objects.filter(participant=participant).count() + 1,
            "submitted_at": assignment.submitted_at or now,
        },
    )
    batches = _batches_of(participant)
    attempt.reason = _waits_for(qualification, batches)
    if attempt.reason:
        attempt.save(update_fields=["reason"])
        return False
    answers = answers_of(qualification, spec_of(study.protocol_version), participant.pk, batches)
    _write_result(attempt, qualification, answers, now)
    _act_on(attempt, participant, now)
    return True


def _batches_of(participant: Participant) -> list[int]:
    """Return all qualification batches the candidate has finished: the result is based on all of them."""
    done = Assignment.objects.filter(participant=participant, status=Assignment.Status.SUBMITTED)
    of_kind = done.filter(batch__kind=Batch.Kind.QUALIFICATION, seat__isnull=False)
    return list(of_kind.order_by("pk").values_list("batch_id", flat=True))


def _waits_for(qualification: Qualification, batches: list[int]) -> str:
    return "" if qualification.method == Qualification.Method.GOLD else panel_state(qualification, batches).reason


def _write_result(
    attempt: Attempt, qualification: Qualification, answers: dict[str, JudgedAnswers], now: datetime
) -> None:
    rule = rule_of(qualification)
    parts = {
        key: judge(
            rule, cells_of(each.members, each.candidate, each.scale.n_categories, each.is_right, each.scale.mirror)
        )
        for key, each in answers.items()
    }
    result = weakest(list(parts.values()))
    attempt.state, attempt.decided_at = result.state, now
    attempt.value, attempt.low, attempt.high = result.value, result.low, result.high
    attempt.threshold, attempt.reason = result.threshold, result.reason
    attempt.n_items = sum(part.n_items for part in parts.values())
    attempt.rule = {name: getattr(qualification, name) for name in RULE}
    attempt.parts = [{"criterion": key} | asdict(part) for key, part in parts.items() if key]
    attempt.full_clean()
    attempt.save()


def _act_on(attempt: Attempt, participant: Participant, now: datetime) -> None:
    details = {"state": attempt.state, "value": attempt.value, "threshold": attempt.threshold, "reason": attempt.reason}
    activity.log(participant.study, None, "qualification_result", about=participant.pseudonym, details=details, now=now)
    status = {State.PASSED: PersonStatus.CLEARED, State.FAILED: PersonStatus.FAILED}.get(State(attempt.state))
    if status is None:
        return
    try:
        set_status(participant, status=status, reason=sentence_of(attempt), now=now)
    except Refused:  # their role can see results, so they must not rate
        attempt.state, attempt.reason = State.UNDECIDED, NO_LONGER_ANNOTATOR
        attempt.save(update_fields=["state", "reason"])


def sentence_of(attempt: Attempt) -> str:
    """Return the result as a sentence for the history of the status."""
    names = {"n": attempt.number, "value": f"{attempt.value:.3f}", "threshold": f"{attempt.threshold:.3f}"}
    is_gold, is_passed = attempt.rule["method"] == Qualification.Method.GOLD, attempt.state == State.PASSED
    sentences = {
        (False, True): _("Qualification %(n)s: %(value)s is above %(threshold)s."),
        (False, False): _("Qualification %(n)s: %(value)s is not above %(threshold)s."),
        (True, True): _("Qualification %(n)s: %(value)s is at least %(threshold)s."),
        (True, False): _("Qualification %(n)s: %(value)s is below %(threshold)s."),
    }
    return sentences[is_gold, is_passed] % names


# --- what a team lead decides ----------------------------------------------------------------------
@transaction.atomic
def override(attempt: Attempt, *, to: str, reason: str, by: User, now: datetime) -> Attempt:
    """Set the candidate's status against, or instead of, the rule, whose result is kept beside it.

    Raise Refused, also without a reason.
    """
    if not reason.strip():
        raise Refused("no_reason", _("Give a reason. It is kept with the decision."))
    participant = Participant.objects.select_for_update(no_key=True).get(pk=attempt.participant_id)
    locked = Attempt.objects.get(pk=attempt.pk)
    if Attempt.objects.filter(participant=locked.participant_id, number__gt=locked.number).exists():
        raise Refused("not_last", _("Decide on the most recent attempt."))
    if participant.status == PersonStatus.EXCLUDED:
        raise Refused("excluded", _("%(name)s is excluded. Take them back in first.") % {"name": participant})
    locked.overridden_to, locked.override_reason = to, reason.strip()
    locked.overridden_by, locked.overridden_at = by, now
    locked.full_clean()
    locked.save()
    details = {"attempt": locked.number, "rule": locked.state, "to": to, "reason": locked.override_reason}
    activity.log(participant.study, by, "override", about=participant.pseudonym, details=details, now=now)
    set_status(participant, status=PERSON_STATUSES[Attempt.State(to)], by=by, reason=locked.override_reason, now=now)
    return locked
