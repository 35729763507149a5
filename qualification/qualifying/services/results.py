"""Decide finished qualification batches: a sweep finds them, and the study's rule decides each once.

A worker that dies in between leaves nothing behind: attempt, status and log line are one transaction that locks the
participant, and the next sweep finds the batch again.
"""

from collections import defaultdict
from dataclasses import asdict
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, Participant
from annotation.services import activity
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from annotation.services.sweeping import sweep_each
from measures.qualification_rule import Cells, Result, Rule, cells_of, judge, weakest
from protocols.specs import spec_of
from qualification.models import Attempt, Qualification
from qualification.qualifying.selectors.votes import JudgedAnswers, answers_of, panel_state

State = Attempt.State
PersonStatus = Participant.Status
NO_LONGER_ANNOTATOR = "other_role"


def sweep_attempts(*, now: datetime) -> int:
    """Decide what can be decided. Return how many attempts were decided."""
    return sum(sweep_each("deciding a qualification", _decidable(), partial(decide, now=now)))


def _decidable() -> list[int]:
    """Return finished qualification work without a result, except work that still waits for the panel."""
    waiting = undecided_work().order_by("pk").values_list("pk", "batch_id", "batch__study_id", "attempt__reason")
    by_batch: dict[tuple[int, int], list[tuple[int, str | None]]] = defaultdict(list)
    for pk, batch, study, reason in waiting:
        by_batch[study, batch].append((pk, reason))
    qualifications = {
        qualification.study_id: qualification
        for qualification in Qualification.objects.filter(study__in={study for study, _batch in by_batch})
    }
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
    qualification = Qualification.objects.filter(study=assignment.batch.study_id).first() or Qualification(
        study=assignment.batch.study
    )
    attempt = _attempt(assignment, now)
    batches = _batches_of(participant)
    attempt.reason = _waits_for(qualification, batches)
    if attempt.reason:
        attempt.save(update_fields=["reason"])
        return False
    _write_result(attempt, qualification, *_judged(qualification, assignment, batches), now)
    _act_on(attempt, participant, now)
    return True


def _attempt(assignment: Assignment, now: datetime) -> Attempt:
    known = Attempt.objects.filter(assignment=assignment).first()
    if known is not None:
        return known
    number = Attempt.objects.filter(participant=assignment.participant_id).count() + 1
    return Attempt.objects.create(
        participant_id=assignment.participant_id,
        assignment=assignment,
        number=number,
        submitted_at=assignment.submitted_at or now,
    )


def _batches_of(participant: Participant) -> list[int]:
    """Return all qualification batches the candidate has finished: the result is based on all of them."""
    done = Assignment.objects.filter(participant=participant, status=Assignment.Status.SUBMITTED)
    of_kind = done.filter(batch__kind=Batch.Kind.QUALIFICATION, seat__isnull=False)
    return list(of_kind.order_by("pk").values_list("batch_id", flat=True))


def _waits_for(qualification: Qualification, batches: list[int]) -> str:
    return "" if qualification.method == Qualification.Method.GOLD else panel_state(qualification, batches).reason


def _judged(
    qualification: Qualification, assignment: Assignment, batches: list[int]
) -> tuple[Result, dict[str, Result]]:
    spec = spec_of(assignment.batch.study.protocol_version)
    rule = rule_of(qualification)
    answers = answers_of(qualification, spec, assignment.participant_id, batches)
    parts = {key: judge(rule, _cells(each)) for key, each in answers.items()}
    return weakest(list(parts.values())), parts


def rule_of(qualification: Qualification) -> Rule:
    threshold = qualification.threshold if qualification.threshold_from == Qualification.ThresholdFrom.FIXED else None
    return Rule(qualification.method, threshold, qualification.decision)


def _cells(answers: JudgedAnswers) -> Cells:
    return cells_of(answers.members, answers.candidate, answers.scale.n_categories, answers.is_right)


def _write_result(
    attempt: Attempt, qualification: Qualification, result: Result, parts: dict[str, Result], now: datetime
) -> None:
    attempt.state, attempt.decided_at = result.state, now
    attempt.value, attempt.low, attempt.high = result.value, result.low, result.high
    attempt.threshold, attempt.reason = result.threshold, result.reason
    attempt.n_items = sum(part.n_items for part in parts.values())
    attempt.rule = snapshot_of(qualification)
    attempt.parts = [{"criterion": key} | asdict(part) for key, part in parts.items() if key]
    attempt.full_clean()
    attempt.save()


def snapshot_of(qualification: Qualification) -> dict[str, object]:
    fields = ("method", "scope", "threshold_from", "threshold", "panel_members", "decision", "most_attempts")
    return {name: getattr(qualification, name) for name in fields}


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
