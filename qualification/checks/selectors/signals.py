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
from protocols.models import ProtocolVersion
from protocols.specs import spec_of
from qualification.checks.selectors.answers import compared_criteria, contributions_in, kappa_of, known_tallies
from qualification.checks.selectors.behaviour import Evidence, drift_of, lines_of, pace_of
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
    """Hold the sums of one annotator. `n_compared` counts those of their answers where the others have a majority."""

    participant: Participant
    contribution: Contribution
    n_answers: int
    n_compared: int


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


# --- known answers -----------------------------------------------------------------------------------
def known_signals(plan: CheckPlan, people: Collection[int]) -> dict[int, list[Signal]]:
    """Return signals by participant, for those whose known answers give any."""
    found: dict[int, list[Signal]] = defaultdict(list)
    for (participant, kind), tally in known_tallies(people).items():
        if kind == Kind.GOLD and tally.n_items > GOLD_DECIDES_NOTHING:
            gold = gold_result(tally.n_right, tally.n_answers, plan.gold_required)
            evidence: Evidence = {
                "n": tally.n_answers, "n_right": tally.n_right, "n_items": tally.n_items, "value": gold.share,
                "low": gold.low, "high": gold.high, "threshold": plan.gold_required,
            }  # fmt: skip
            if gold.outcome == FAILED:
                found[participant].append(Signal(Kind.GOLD, evidence))
        elif kind == Kind.ATTENTION and tally.n_missed > plan.most_attention_missed:
            missed: Evidence = {"n": tally.n_items, "value": tally.n_missed, "threshold": plan.most_attention_missed}
            found[participant].append(Signal(Kind.ATTENTION, missed))
    return found


# --- everybody's work ----------------------------------------------------------------------------------
def due_people(study: Study, people: Mapping[int, Participant]) -> list[Due]:
    """Return the people who have enough new answers to be looked at, in a fixed number of queries."""
    contributions = contributions_in(study, compared_criteria(study), people)
    states = {state.participant_id: state for state in SignalState.objects.filter(participant__in=people)}
    active = Assignment.objects.filter(participant__in=people, status=Assignment.Status.ACTIVE)
    working = set(active.values_list("participant", flat=True))
    due = []
    for pk, own in contributions.items():
        # The last two sums are of answers that cannot be compared: the others tied, or nobody else answered.
        found, state = Due(people[pk], own, sum(own.majority), sum(own.majority[:-2])), states.get(pk)
        before = (state.n_answers, state.n_compared) if state else (0, 0)
        more = max(abs(found.n_answers - before[0]), abs(found.n_compared - before[1]))
        # Somebody with no batch in progress is looked at after any new answer or comparison.
        if more >= ANSWERS_BETWEEN_LOOKS or (more > 0 and pk not in working):
            due.append(found)
    return due


def look_at(study: Study, plan: CheckPlan, due: Due) -> Look:
    spec, criteria, pk = spec_of(study.protocol_version), compared_criteria(study), due.participant.pk
    answers = latest_answers(pk, [criterion.id for criterion in spec.voted])
    signals = []
    if plan.looks_at_lines and (lines := lines_of(answers, pk, spec, study.seed + pk)) is not None:
        signals.append(Signal(Kind.LINES, lines))
    if plan.looks_at_drift and (drift := drift_of(answers, pk, criteria)) is not None:
        signals.append(Signal(Kind.DRIFT, drift))
    floor = study.kappa_floor
    if floor is not None and due.n_compared >= FEWEST_ITEMS_TO_FLAG:
        kappa = kappa_of(pk, due.contribution, criteria, study.seed).kappa
        if kappa.high is not None and kappa.high < floor:
            limits: Evidence = {"value": kappa.value, "low": kappa.low, "high": kappa.high, "threshold": floor}
            signals.append(Signal(Kind.KAPPA, {"n": kappa.n_items, **limits}))
    pace = pace_of(answers, pk, spec.order == ProtocolVersion.Order.SET_LEVEL)
    return Look(due, pace, tuple(signals))


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
