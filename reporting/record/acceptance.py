"""Batch acceptance in the study record: the plans used, decisions, rounds, controllers and rework."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Max

from annotation.models import Assignment, Batch, Study
from measures.cohen import cohen_kappa
from measures.estimate import Estimate
from measures.intervals import guard_of
from protocols.specs import spec_of
from qualification.acceptance.selectors.answers import second_table
from qualification.acceptance.selectors.batches import Rounds, plan_of, rework_hours, rounds_of
from qualification.acceptance.selectors.plans import criterion_of, plan_as_data
from qualification.models import AcceptancePlan, Sample, SampledItem

Row = dict[str, Any]
Decision = Sample.Decision
KEPT = 60 * 60 * 24


def acceptance_of(study: Study) -> Row | None:
    """Return batch acceptance, or None if no plan is on and none has decided.

    It makes six queries at most, and two without batch acceptance.
    """
    plan, decided = plan_of(study), _decisions(study)
    if not (plan.is_on or decided):
        return None
    plans = _plans(study, plan, decided)
    outcomes = Counter(each["overridden_to"] or each["decision"] for each in decided)
    return {
        "is_on": plan.is_on,
        "plans": plans,
        "batches": len({each["batch"] for each in decided}),
        "decisions": len(decided),
        "accepted": outcomes[Decision.ACCEPT],
        "returned": outcomes[Decision.RETURN],
        "not_assessable": outcomes[Decision.NOT_ASSESSABLE],
        "overridden": sum(each["overridden_to"] != "" for each in decided),
        **_rounds(rounds_of(study)),
        **_controllers(study, plans),
        "rework_hours": _rework(study),
    }


def _decisions(study: Study) -> list[Row]:
    """Return the decisions under the study's current protocol version, in the order in which they were made."""
    decided = Sample.objects.filter(
        batch__study=study, state=Sample.State.DECIDED, protocol_version=study.protocol_version_id
    )
    rows: Any = decided.order_by("decided_at", "pk").values("batch", "decision", "overridden_to", "plan")
    return list(rows)


def _plans(study: Study, plan: AcceptancePlan, decided: Iterable[Row]) -> list[Row]:
    """Return each plan as it was when it decided, with its number of decisions; without any, the study's own plan."""
    found = Counter(json.dumps(each["plan"], sort_keys=True) for each in decided)
    if found:
        return [json.loads(each) | {"decisions": n} for each, n in found.items()]
    criterion = criterion_of(spec_of(study.protocol_version), plan.criterion.key) if plan.criterion else None
    return [plan_as_data(plan, criterion) | {"decisions": 0}] if criterion else []


def _rework(study: Study) -> float:
    """Return the hours of rework, cached until another round is returned.

    Without the cache, a live board would read every answer of the study each second.
    """
    returned = Assignment.objects.filter(
        batch__study=study, batch__kind=Batch.Kind.MAIN, status=Assignment.Status.SUPERSEDED
    ).aggregate(n=Count("pk"), last=Max("pk"))
    if not returned["n"]:
        return 0.0
    key = f"rework:{study.join_token}:{returned['n']}:{returned['last']}"
    hours = cache.get(key)
    if hours is None:
        hours = rework_hours(study)
        cache.set(key, hours, KEPT)
    return hours


def _rounds(rounds: Rounds) -> Row:
    return {
        "first_rounds": rounds.n_first,
        "first_pass": rounds.n_first_pass,
        "first_pass_yield": rounds.first_pass_yield,
        "first_pass_low": rounds.interval.low,
        "first_pass_high": rounds.interval.high,
        "accepted_batches": rounds.n_accepted,
        "rounds": [{"rounds": number, "batches": n} for number, n in rounds.by_rounds],
        "mean_rounds": rounds.mean_rounds,
        "more_than_one": rounds.more_than_one,
    }


def _controllers(study: Study, plans: list[Row]) -> Row:
    """Return the agreement of first and second controllers on the criterion of the last plan."""
    kappa = _kappa(study, plans[-1]["criterion"]) if plans else Estimate(None, "no_pairs")
    return {
        "kappa": kappa.value,
        "kappa_low": kappa.low,
        "kappa_high": kappa.high,
        "kappa_note": kappa.interval_note,
        "kappa_reason": kappa.reason,
        "kappa_items": kappa.n_items,
    }


def _kappa(study: Study, key: str) -> Estimate:
    criterion = criterion_of(spec_of(study.protocol_version), key)
    drawn = SampledItem.objects.filter(sample__batch__study=study, sample__plan__criterion=key)
    if criterion is None:
        return Estimate(None, "no_pairs")
    square = second_table(drawn.exclude(sample__state=Sample.State.VOID), criterion)
    kappa = cohen_kappa(square)
    if kappa.value is None:
        return kappa
    is_shown, note = guard_of(square)
    return replace(kappa, interval_note=note) if is_shown else kappa.with_interval(None, None, note)
