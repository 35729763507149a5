"""Template filters that format the shares, decisions and plans of batch acceptance."""

from typing import Any

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from qualification.acceptance.selectors.labels import EXCLUDED, TIED, UNANSWERED, UNSURE
from qualification.models import Sample

register = template.Library()
WHY_LEFT_OUT = {
    TIED: gettext_lazy("tied"),
    UNSURE: gettext_lazy("undecided: most say “I don't know”"),
    EXCLUDED: gettext_lazy("excluded by their label"),
    UNANSWERED: gettext_lazy("without an answer"),
}
TONES = {Sample.Decision.ACCEPT: "good", Sample.Decision.RETURN: "bad", "pass": "good", "fail": "bad"}
CLASS_OUTCOMES = {
    "pass": gettext_lazy("reached"),
    "fail": gettext_lazy("missed"),
    "not_assessable": gettext_lazy("not assessable"),
}


@register.filter
def percent(value: float | None) -> str:
    """Return a share in per cent with one decimal; a dash for None and for variables a template does not have."""
    return f"{100 * value:.1f}\u00a0%" if isinstance(value, float | int) else "–"


@register.filter
def interval(proportion: Any) -> str:
    """Return the ends of an interval in per cent, from `low` and `high` of an object or dictionary; empty without."""
    pair = proportion if isinstance(proportion, dict) else {"low": proportion.low, "high": proportion.high}
    if pair["low"] is None:
        return ""
    ends = {"low": f"{100 * pair['low']:.1f}", "high": f"{100 * pair['high']:.1f}"}
    return _("%(low)s to %(high)s") % ends


@register.filter
def why_left_out(word: str) -> str:
    return str(WHY_LEFT_OUT[word])


@register.filter
def tone(decision: str) -> str:
    return TONES.get(decision, "warn")


@register.filter
def class_outcome(word: str) -> str:
    return str(CLASS_OUTCOMES.get(word, ""))


@register.filter
def rule_in_words(plan: dict[str, Any]) -> str:
    """Describe which items are drawn and when a batch is accepted."""
    shares = {name: f"{100 * plan[name]:.3g}\u00a0%" for name in plan if name in SHARES}
    return SENTENCES[plan["kind"]] % (plan | shares)


SHARES = ("least_overall", "least_of_class", "good", "bad")
SENTENCES: dict[str, Any] = {
    "shares": gettext_lazy(
        "%(n_sample)s items are drawn. A batch is accepted with an accuracy of at least "
        "%(least_overall)s overall and %(least_of_class)s in every class."
    ),
    "fixed": ngettext_lazy(
        "%(n_sample)s items are drawn. A batch is accepted with at most %(most_errors)s error.",
        "%(n_sample)s items are drawn. A batch is accepted with at most %(most_errors)s errors.",
        "most_errors",
    ),
    "sequential": gettext_lazy(
        "Items are reviewed one by one until the result is clear: an accuracy of %(good)s is accepted, "
        "one of %(bad)s is returned. At most %(most_sampled)s items are reviewed."
    ),
}
