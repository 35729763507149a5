"""Describe the qualification of annotators in words."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parley.numbers import number
from reporting.record.labels import rule_words

Row = dict[str, Any]
OUTCOMES = ("tried", "passed", "failed", "undecided", "pending")


def qualification_lines(value: Row) -> list[str]:
    """Return lines for the checklist: each rule with its threshold and panel, the preparation, and the results."""
    if value["by"] == "team":
        return [_by_hand()]
    lines = [line for rule in value["rules"] for line in _rule_lines(rule, is_only=len(value["rules"]) == 1)]
    if value["panel_size"]:
        lines.append(_("Panel members: %(n)s.") % {"n": value["panel_size"]})
    return [*lines, *preparation_lines(value), *_outcomes(value)]


def quality_lines(value: Row) -> list[str]:
    """Return lines for a datasheet: the rules without their results."""
    if value["by"] == "team":
        return [_("Annotators rate only after a member of the team has cleared them.")]
    first = _("Annotators rate only after they have qualified by a rule.")
    return [first, *(line for rule in value["rules"] for line in _criterion_of(rule))]


def preparation_lines(value: Row) -> list[str]:
    """Return lines on what people do before the qualification itself."""
    lines = []
    if value["has_comprehension_check"]:
        n = value["most_check_tries"]
        sentence = ngettext(
            "Newcomers first answer questions about the guidelines, all of them correctly in %(n)s try.",
            "Newcomers first answer questions about the guidelines, all of them correctly within %(n)s tries.",
            n,
        )
        lines.append(sentence % {"n": n})
    if value["is_trained"]:
        lines.append(_("Newcomers first rate training batches with explanations before they qualify."))
    return lines


def qualification_sentences(value: Row) -> Iterable[str]:
    """Yield sentences for the methods section of a paper."""
    if value["by"] == "team":
        yield _by_hand()
        return
    if len(value["rules"]) == 1:
        words = rule_words(value["rules"][0]) | {"threshold": _threshold(value["rules"][0])}
        yield _("Annotators had to pass a qualification (%(method)s, %(scope)s; threshold: %(threshold)s).") % words
    else:
        yield _(
            "Annotators had to pass a qualification whose rules changed during the study; the checklist "
            "lists each of them."
        )
    if value["tried"]:
        passed = _("Of %(tried)s people who tried, %(passed)s passed.")
        yield passed % {name: f"{value[name]:,}" for name in ("passed", "tried")}


def _by_hand() -> str:
    return _("A member of the team cleared annotators by hand, without a rule.")


def _rule_lines(rule: Row, *, is_only: bool) -> Iterable[str]:
    yield from _criterion_of(rule)
    if rule["method"] != "gold":
        yield _("Compared with the panel, which rated the pilot: %(panel)s.") % rule_words(rule)
    yield _("Attempts allowed: %(n)s.") % {"n": rule["most_attempts"]}
    if not is_only:
        yield _("Attempts decided by this rule: %(n)s.") % {"n": f"{rule['attempts']:,}"}


def _criterion_of(rule: Row) -> Iterable[str]:
    yield _("Rule: %(method)s, %(scope)s, %(decision)s.") % rule_words(rule)
    yield _("Threshold: %(threshold)s.") % {"threshold": _threshold(rule)}


def _threshold(rule: Row) -> str:
    """Return the threshold values that were used: those from a panel depend on the items."""
    if rule["threshold_from"] == "fixed":
        return _("the fixed value %(value)s") % {"value": number(rule["threshold"])}
    ends = {"low": number(rule["used_low"], ".3f"), "high": number(rule["used_high"], ".3f")}
    if rule["used_low"] is None:
        return _("the panel's own kappa, which has not been applied to anybody yet")
    if ends["low"] == ends["high"]:
        return _("the panel's own kappa, %(low)s") % ends
    return _("the panel's own kappa, from %(low)s to %(high)s") % ends


def _outcomes(value: Row) -> Iterable[str]:
    counts = {name: f"{value[name]:,}" for name in OUTCOMES}
    yield (
        _(
            "People who tried: %(tried)s; passed: %(passed)s, failed: %(failed)s, undecided: %(undecided)s, not "
            "decided yet: %(pending)s."
        )
        % counts
    )
    if value["stopped_by_check"]:
        n = {"n": f"{value['stopped_by_check']:,}"}
        yield _("Stopped by the questions about the guidelines: %(n)s.") % n
    yield _("Qualification results overridden by a team lead: %(n)s.") % {"n": f"{value['overridden']:,}"}
