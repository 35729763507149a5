"""Qualification in the study record: the rules as they were when they decided, and their results."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q

from annotation.models import Study
from qualification.models import Attempt, ComprehensionTry, Qualification
from qualification.qualifying.selectors.votes import panel_of

Row = dict[str, Any]
State = Attempt.State
RULE = ("method", "scope", "threshold_from", "threshold", "panel_members", "decision", "most_attempts")
QUALIFICATION, TEAM = "qualification", "team"


def qualification_of(study: Study) -> Row | None:
    """Return the qualification, or None if it is off and nobody has tried. It makes four queries."""
    rows = Attempt.objects.filter(participant__study=study).order_by("participant", "number")
    attempts: list[Any] = list(rows.values("participant", "state", "overridden_to", "threshold", "rule"))
    if not (study.has_qualification or attempts):
        return None
    qualification = Qualification.objects.filter(study=study).first() or Qualification(study=study)
    return {
        "by": QUALIFICATION,
        "rules": _rules(qualification, attempts),
        "panel_size": 0 if qualification.method == Qualification.Method.GOLD else panel_of(qualification).count(),
        "is_trained": qualification.is_trained,
        "has_comprehension_check": qualification.has_comprehension_check,
        "most_check_tries": qualification.most_check_tries,
        "stopped_by_check": _stopped(qualification, {each["participant"] for each in attempts}),
        **_outcomes(attempts),
    }


def _rules(qualification: Qualification, attempts: Iterable[Row]) -> list[Row]:
    """Return the rules that decided, in order, with the thresholds they used; if none has, the current rule."""
    now = {name: getattr(qualification, name) for name in RULE}
    used: dict[str, list[float | None]] = {}
    for each in attempts:
        if each["state"] != State.PENDING:
            rule = {name: each["rule"].get(name, now[name]) for name in RULE}
            used.setdefault(json.dumps(rule), []).append(each["threshold"])
    return [_rule(json.loads(rule), thresholds) for rule, thresholds in (used or {json.dumps(now): []}).items()]


def _rule(rule: Row, thresholds: list[float | None]) -> Row:
    known = [each for each in thresholds if each is not None]
    range_used = {"used_low": min(known, default=None), "used_high": max(known, default=None)}
    return rule | {"attempts": len(thresholds), **range_used}


def _outcomes(attempts: Iterable[Row]) -> dict[str, int]:
    """Count candidates by the result of their last attempt, after corrections by a lead; and count the corrections."""
    last = {each["participant"]: each["overridden_to"] or each["state"] for each in attempts}
    found = Counter(last.values())
    return {
        "tried": len(last),
        "passed": found[State.PASSED],
        "failed": found[State.FAILED],
        "undecided": found[State.UNDECIDED],
        "pending": found[State.PENDING],
        "overridden": sum(each["overridden_to"] != "" for each in attempts),
    }


def _stopped(qualification: Qualification, have_tried: set[int]) -> int:
    """Count the candidates who used up their tries at the questions about the guidelines and never began to rate."""
    tries = ComprehensionTry.objects.filter(participant__study=qualification.study_id).order_by().values("participant")
    found = tries.annotate(n=Count("pk"), n_passed=Count("pk", filter=Q(is_passed=True)))
    without = found.filter(n__gte=qualification.most_check_tries, n_passed=0).values_list("participant", flat=True)
    return len(set(without) - have_tried)


def cleared_by_hand(study: Study) -> Row | None:
    """Return the record of a study whose team clears annotators by hand.

    It is None if nobody has to be cleared, or if all people were imported with their answers.
    """
    people = study.participants.aggregate(n=Count("pk"), here=Count("pk", filter=Q(is_imported=False)))
    if study.is_clearing_on_join or (people["n"] and not people["here"]):
        return None
    numbers = ("panel_size", "most_check_tries", "stopped_by_check")
    nothing = {"rules": [], "is_trained": False, "has_comprehension_check": False, **dict.fromkeys(numbers, 0)}
    return {"by": TEAM, **nothing, **_outcomes([])}
