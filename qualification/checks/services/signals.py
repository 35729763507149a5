"""Look at annotators' work while it goes on, and raise flags. What was looked at is stored.

Running it twice at once or again after a crash is safe: flags are raised before the look is noted, and a person has
only one open flag of a kind.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from annotation.models import Batch, Participant, Study
from annotation.services.sweeping import sweep_each
from qualification.checks.selectors.signals import (
    Look,
    Signal,
    changed_batches,
    due_people,
    known_signals,
    look_at,
    people_in,
    speed_signals,
)
from qualification.checks.services.flags import raise_flag, settle_flags_of_excluded
from qualification.models import CheckPlan, SignalMark, SignalState

BATCHES_AT_ONCE = 100
PEOPLE_AT_ONCE = 60  # of a study: with more, its batches are not marked as seen, and the others are looked at next time


def sweep_signals(*, now: datetime) -> tuple[int, int]:
    """Look at the work of changed batches. Return how many batches, and how many flags were raised.

    Open flags of people who were excluded on another page are settled by that exclusion.
    """
    settle_flags_of_excluded(now=now)
    changed = changed_batches().select_related("study__check_plan", "study__protocol_version")
    by_study: dict[int, list[Batch]] = defaultdict(list)
    for batch in changed[:BATCHES_AT_ONCE]:
        by_study[batch.study_id].append(batch)
    n_flags = sum(_sweep_study(batches[0].study, batches, now) for batches in by_study.values())
    return sum(map(len, by_study.values())), n_flags


def raise_known_flags(participant: Participant, *, now: datetime) -> int:
    """Raise the flags for missed checks that the next sweep would, before a person leaves. Return how many."""
    plan = CheckPlan.objects.filter(study=participant.study_id).first()
    people = {participant.pk: participant}
    return _raise_all(plan, people, known_signals(plan, people), now) if plan else 0


def _sweep_study(study: Study, batches: list[Batch], now: datetime) -> int:
    plan: CheckPlan = study.check_plan
    people = people_in([batch.pk for batch in batches])
    due = due_people(study, people)
    looks = sweep_each("looking at the work of a participant", due, partial(look_at, study, plan), most=PEOPLE_AT_ONCE)
    signals = known_signals(plan, people)
    for look in looks:
        signals[look.due.participant.pk] += look.signals
    if plan.looks_at_speed:
        for pk, signal in speed_signals(study, looks).items():
            signals[pk].append(signal)
    n_flags = _raise_all(plan, people, signals, now)
    _keep_states(looks, now)
    if len(due) <= PEOPLE_AT_ONCE:
        # These versions were read before the work was, so that later answers are looked at again.
        SignalMark.objects.bulk_create(
            (SignalMark(batch=batch, version=batch.stored, looked_at=now) for batch in batches),  # type: ignore[attr-defined]
            update_conflicts=True,
            unique_fields=["batch"],
            update_fields=["version", "looked_at"],
        )
    return n_flags


def _raise_all(plan: CheckPlan, people: dict[int, Participant], signals: dict[int, list[Signal]], now: datetime) -> int:
    found = [(people[pk], signal) for pk, own in sorted(signals.items()) for signal in own]
    return sum(raise_flag(person, signal, plan=plan, now=now) is not None for person, signal in found)


def _keep_states(looks: Sequence[Look], now: datetime) -> None:
    fields = ["n_answers", "n_compared", "pace", "n_paced", "looked_at"]
    SignalState.objects.bulk_create(
        (
            SignalState(
                participant=look.due.participant, n_answers=look.due.n_answers, n_compared=look.due.n_compared,
                pace=look.pace.value, n_paced=look.pace.n_items, looked_at=now,
            )
            for look in looks
        ),
        update_conflicts=True, unique_fields=["participant"], update_fields=fields,
    )  # fmt: skip
