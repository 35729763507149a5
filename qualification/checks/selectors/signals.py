"""Find the signals in an annotator's work, with the numbers they follow from. Nothing is decided here."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import BigIntegerField, F, QuerySet, Value
from django.db.models.functions import Coalesce

from annotation.models import Assignment, Batch, Participant, Study
from annotation.selectors.answers import latest_answers
from measures.behaviour import FAILED, FEWEST_ITEMS_TO_FLAG, gold_result
from measures.contributions import Contribution
from measures.contributors import FALSE_DISCOVERY_RATE, adjusted
from measures.estimate import Estimate
from measures.outliers import OUTLIER_Z, outlier_p_values, robust_scores
from protocols.specs import spec_of
from qualification.checks.selectors.answers import (
    Compared,
    KnownTally,
    compared_criteria,
    compared_of,
    contributions_in,
    kappa_of,
    known_tallies,
)
from qualification.checks.selectors.behaviour import Behaviour, Evidence, behaviour_of
from qualification.models import CheckPlan, Flag, SignalState

Kind = Flag.Kind
GOLD_DECIDES_NOTHING = 10  # items: with 9 of 10 right, the accuracy is anywhere from .60 to .98
ANSWERS_BETWEEN_LOOKS = 20


@dataclass(frozen=True, slots=True)
class Signal:
    """`n` in the evidence counts what it is based on: answers, or items with known answers."""

    kind: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Due:
    participant: Participant
    contribution: Contribution
    compared: Compared


@dataclass(frozen=True, slots=True)
class Look:
    """Hold what was seen of one annotator. Speed is judged at the end, because it needs everybody's pace."""

    due: Due
    pace: Estimate
    signals: tuple[Signal, ...]


# --- who is looked at --------------------------------------------------------------------------------
def changed_batches() -> QuerySet[Batch]:
    """Return main batches with checks on whose results are newer than the last look, the longest waiting first."""
    version = Coalesce("signal_mark__version", Value(0), output_field=BigIntegerField())
    main = Batch.objects.filter(kind=Batch.Kind.MAIN, study__check_plan__isnull=False)
    # This is an annotation because a filter would make an inner join and miss batches never looked at.
    found = main.annotate(seen=version, stored=F("snapshot__version")).filter(stored__gt=F("seen"))
    return found.order_by(F("signal_mark__looked_at").asc(nulls_first=True), "pk")


def people_in(batches: Collection[int]) -> dict[int, Participant]:
    """Return by id those whose answers to these batches count."""
    held = Assignment.objects.filter(batch__in=batches, seat__isnull=False).values("participant")
    rows = Participant.objects.filter(pk__in=held).exclude(status=Participant.Status.EXCLUDED)
    return {each.pk: each for each in rows.select_related("study")}


def is_due(state: SignalState | None, found: Compared, is_working: bool) -> bool:
    """Return whether to look again: after twenty new answers or comparisons, or any when no batch is in progress."""
    before = (state.n_answers, state.n_compared) if state else (0, 0)
    more = max(abs(found.n_answers - before[0]), abs(found.n_compared - before[1]))
    return more >= ANSWERS_BETWEEN_LOOKS or (more > 0 and not is_working)


# --- known answers -----------------------------------------------------------------------------------
def known_signals(plan: CheckPlan, people: Collection[int]) -> dict[int, list[Signal]]:
    """Return signals by participant, for those whose known answers give any."""
    found: dict[int, list[Signal]] = defaultdict(list)
    for (participant, kind), tally in known_tallies(people).items():
        signal = _gold(plan, tally) if kind == Kind.GOLD else _attention(plan, tally)
        if signal is not None:
            found[participant].append(signal)
    return found


def _gold(plan: CheckPlan, tally: KnownTally) -> Signal | None:
    if tally.n_items <= GOLD_DECIDES_NOTHING:
        return None
    outcome = gold_result(tally.n_right, tally.n_answers, plan.gold_required)
    if outcome.outcome != FAILED:
        return None
    numbers = {"value": outcome.share, "low": outcome.low, "high": outcome.high, "threshold": plan.gold_required}
    return Signal(Kind.GOLD, {"n": tally.n_answers, "n_right": tally.n_right, "n_items": tally.n_items, **numbers})


def _attention(plan: CheckPlan, tally: KnownTally) -> Signal | None:
    if tally.n_missed <= plan.most_attention_missed:
        return None
    numbers = {"value": tally.n_missed, "threshold": plan.most_attention_missed}
    return Signal(Kind.ATTENTION, {"n": tally.n_items, **numbers})


# --- everybody's work ----------------------------------------------------------------------------------
def due_people(study: Study, people: Mapping[int, Participant]) -> list[Due]:
    """Return the people who have enough new answers to be looked at, in a fixed number of queries."""
    contributions = contributions_in(study, compared_criteria(study), people)
    states = {state.participant_id: state for state in SignalState.objects.filter(participant__in=people)}
    active = Assignment.objects.filter(participant__in=people, status=Assignment.Status.ACTIVE)
    working = set(active.values_list("participant", flat=True))
    found = [Due(people[pk], own, compared_of(own)) for pk, own in contributions.items()]
    return [
        each for each in found if is_due(states.get(each.participant.pk), each.compared, each.participant.pk in working)
    ]


def look_at(study: Study, plan: CheckPlan, due: Due) -> Look:
    spec, criteria, pk = spec_of(study.protocol_version), compared_criteria(study), due.participant.pk
    answers = latest_answers(pk, [criterion.id for criterion in spec.voted])
    behaviour = behaviour_of(answers, pk, spec, criteria, study.seed + pk)
    signals = _behaviour_signals(plan, behaviour)
    if (evidence := _below_floor(study, due)) is not None:
        signals.append(Signal(Kind.KAPPA, evidence))
    return Look(due, behaviour.pace, tuple(signals))


def _behaviour_signals(plan: CheckPlan, behaviour: Behaviour) -> list[Signal]:
    found = []
    if plan.looks_at_lines and behaviour.lines is not None:
        found.append(Signal(Kind.LINES, behaviour.lines))
    if plan.looks_at_drift and behaviour.drift is not None:
        found.append(Signal(Kind.DRIFT, behaviour.drift))
    return found


def _below_floor(study: Study, due: Due) -> Evidence | None:
    floor = study.kappa_floor
    if floor is None or due.compared.n_compared < FEWEST_ITEMS_TO_FLAG:
        return None
    kappa = kappa_of(due.participant.pk, due.contribution, compared_criteria(study), study.seed).kappa
    if kappa.high is None or kappa.high >= floor:
        return None
    return {"n": kappa.n_items, "value": kappa.value, "low": kappa.low, "high": kappa.high, "threshold": floor}


# --- pace: one beside all ------------------------------------------------------------------------------
def speed_signals(study: Study, looks: Sequence[Look]) -> dict[int, Signal]:
    """Return signals of those just looked at who are much faster than all: robust z below -3, p corrected."""
    fewest = FEWEST_ITEMS_TO_FLAG
    states = SignalState.objects.filter(participant__study=study, n_paced__gte=fewest)
    counting = states.exclude(participant__status=Participant.Status.EXCLUDED)
    known = {pk: (pace, n) for pk, pace, n in counting.values_list("participant", "pace", "n_paced")}
    fresh = {look.due.participant.pk: (look.pace.value, look.pace.n_items) for look in looks}
    rows = {pk: (pace, n) for pk, (pace, n) in sorted((known | fresh).items()) if pace is not None and n >= fewest}
    scores = robust_scores([pace for pace, _ in rows.values()]).scores
    p_values = adjusted(outlier_p_values(scores))
    return {
        pk: Signal(Kind.SPEED, {"n": n, "value": pace, "z": z, "p": p, "n_others": len(rows) - 1})
        for (pk, (pace, n)), z, p in zip(rows.items(), scores, p_values, strict=True)
        if pk in fresh and z is not None and p is not None and z < OUTLIER_Z and p <= FALSE_DISCOVERY_RATE
    }
