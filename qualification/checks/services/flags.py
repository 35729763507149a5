"""Raise flags from signals; a person decides each once. The study's rule may pause annotators but never exclude them.

Locks are taken in one order: the participant, then the flag.
"""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, Participant
from annotation.services import activity
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from qualification.checks.selectors.signals import Signal
from qualification.models import CheckPlan, Flag

NEW_EVIDENCE = 20  # more answers than at the last flag: with fewer, a new flag would repeat it
Kind = Flag.Kind
State = Flag.State
PersonStatus = Participant.Status
DECISIONS = (State.DISMISSED, State.PAUSED, State.EXCLUDED)


@transaction.atomic
def raise_flag(participant: Participant, signal: Signal, *, plan: CheckPlan, now: datetime) -> Flag | None:
    """Raise a flag. Return None for excluded people, or if the last flag of the kind is open or lacks new evidence."""
    person = _locked(participant.pk)
    latest = Flag.objects.filter(participant=person, kind=signal.kind).order_by("-pk").first()
    if person.status == PersonStatus.EXCLUDED or (latest is not None and not _is_new(latest, signal)):
        return None
    is_pausing = plan.pauses_automatically and person.status == PersonStatus.CLEARED
    flag = Flag.objects.create(
        participant=person, kind=signal.kind, evidence=signal.evidence, has_paused=is_pausing, raised_at=now
    )
    details = {"kind": flag.kind, "evidence": signal.evidence, "has_paused": is_pausing}
    activity.log(person.study, None, "flag_raised", about=person.pseudonym, details=details, now=now)
    if is_pausing:
        reason = _("Flag: %(kind)s") % {"kind": flag.get_kind_display()}
        set_status(person, status=PersonStatus.PAUSED, reason=reason, now=now)
    return flag


def _locked(pk: int) -> Participant:
    return Participant.objects.select_for_update(no_key=True, of=("self",)).select_related("study").get(pk=pk)


def _is_new(latest: Flag, signal: Signal) -> bool:
    if latest.state == State.OPEN:
        return False
    is_attention = signal.kind == Kind.ATTENTION
    name = "value" if is_attention else "n"
    grown = int(signal.evidence.get(name) or 0) - int(latest.evidence.get(name) or 0)
    if is_attention:  # there are few: it takes more new misses than were allowed in all
        return grown > int(signal.evidence.get("threshold") or 0)
    return grown >= NEW_EVIDENCE


# --- decisions -----------------------------------------------------------------------------------------
@transaction.atomic
def decide_flag(flag: Flag, *, decision: str, reason: str, by: User, now: datetime) -> Flag:
    """Dismiss the flag, or pause or exclude the annotator. An exclusion frees their seats at once; results follow.

    Finished work stays payable, and the flag keeps how much. An exclusion settles all open flags of the person.
    Raise Refused if the flag is already decided, the decision is unknown, or the reason is missing.
    """
    if decision not in DECISIONS:
        raise Refused("unknown_decision", _("There is no such decision."))
    if not reason.strip():
        raise Refused("no_reason", _("Give a reason. It is kept with the decision."))
    person = _locked(flag.participant_id)
    locked = Flag.objects.select_for_update().get(pk=flag.pk)
    if locked.state != State.OPEN:
        raise Refused("decided", _("This flag is already decided."))
    settled = [locked]
    if decision == State.EXCLUDED:
        locked.payable = payable_work(person)
        settled += Flag.objects.select_for_update().filter(participant=person, state=State.OPEN).exclude(pk=locked.pk)
    for each in settled:
        _settle(each, decision, reason.strip(), by, now)
    if decision != State.DISMISSED:
        set_status(person, status=decision, by=by, reason=locked.decision_reason, now=now)
    elif person.status == PersonStatus.PAUSED and _was_last_pause(person):
        set_status(person, status=PersonStatus.CLEARED, by=by, reason=locked.decision_reason, now=now)
    _log_decided(person, locked, by, now)
    return locked


def settle_flags_of_excluded(*, now: datetime) -> int:
    """Settle open flags of people who were excluded elsewhere, with that exclusion's reason. Return how many."""
    wanted = Flag.objects.filter(state=State.OPEN, participant__status=PersonStatus.EXCLUDED)
    people = wanted.order_by("participant").values_list("participant", flat=True).distinct()
    return sum(_settle_as_excluded(pk, now) for pk in people)


@transaction.atomic
def _settle_as_excluded(participant_id: int, now: datetime) -> int:
    person = _locked(participant_id)
    flags = list(Flag.objects.select_for_update().filter(participant=person, state=State.OPEN).order_by("pk"))
    if person.status != PersonStatus.EXCLUDED or not flags:  # readmitted or decided meanwhile
        return 0
    change = person.status_changes.select_related("actor").order_by("-pk").first()
    by, reason = (change.actor, change.reason) if change else (None, "")
    flags[0].payable = payable_work(person)
    for each in flags:
        _settle(each, State.EXCLUDED, reason, by, now)
    _log_decided(person, flags[0], by, now)
    return len(flags)


def _log_decided(person: Participant, flag: Flag, by: User | None, now: datetime) -> None:
    details = {
        "kind": flag.kind, "decision": flag.state, "reason": flag.decision_reason, "payable": flag.payable,
    }  # fmt: skip
    activity.log(person.study, by, "flag_decided", about=person.pseudonym, details=details, now=now)


def _settle(flag: Flag, decision: str, reason: str, by: User | None, now: datetime) -> None:
    flag.state, flag.decision_reason, flag.decided_by, flag.decided_at = decision, reason, by, now
    flag.save(update_fields=["state", "decision_reason", "decided_by", "decided_at", "payable"])


def _was_last_pause(person: Participant) -> bool:
    """Return whether they are paused only by flags: no other flag is open, and nobody changed their status since."""
    if Flag.objects.filter(participant=person, state=State.OPEN).exists():
        return False
    own = Flag.objects.filter(participant=person, has_paused=True).order_by("-raised_at").first()
    last = person.status_changes.order_by("-pk").first()
    return own is not None and last is not None and last.actor_id is None and last.at == own.raised_at


def payable_work(participant: Participant) -> dict[str, Any]:
    """Return how many main batches were finished and, if the study pays, the amount (as text) and currency."""
    study = participant.study
    main = Assignment.objects.filter(participant=participant, batch__kind=Batch.Kind.MAIN)
    done = main.filter(submitted_at__isnull=False).count()
    if study.pay_amount is None:
        return {"batches": done}
    return {"batches": done, "amount": str(Decimal(done) * study.pay_amount), "currency": study.pay_currency}
