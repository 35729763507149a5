"""Answer questions about a study from its plan, so that gaps show before the study opens.

Each fact is a list of lines in the active language; the list is empty if the answer is not known.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from parley.numbers import between
from reporting.datasheet.facts import Known, amount
from reporting.record.sampling_words import criteria_lines


def defined_criteria(known: Known) -> list[str]:
    return [f"{each.name}: {each.definition or each.question}" for each in known.spec.criteria]


def planned_items(known: Known) -> list[str]:
    n = known.plan.n_items
    if not n:
        return []
    return [ngettext("%(n)s item in the main batches.", "%(n)s items in the main batches.", n) % {"n": amount(n)}]


def planned_votes(known: Known) -> list[str]:
    """Return how many annotators rated an item, or are planned to while nobody has."""
    votes = known.report.material.votes_per_item
    if votes.low is not None and votes.low != votes.high:
        said = {"low": votes.low, "high": votes.high, "mean": between(votes.mean, votes.low, votes.high)}
        return [_("Each item was judged by %(low)s to %(high)s annotators, %(mean)s on average.") % said]
    low, high = (known.plan.seats_low, known.plan.seats_high) if votes.low is None else (votes.low, votes.low)
    if low == high:
        return [ngettext("%(n)s annotator for each item.", "%(n)s annotators for each item.", low) % {"n": low}]
    return [_("%(low)s to %(high)s annotators for each item.") % {"low": low, "high": high}]


MEASURES = {
    "qualification": gettext_noop("Annotators qualify before they rate."),
    "checks": gettext_noop("Known answers and signals show work that needs attention."),
    "acceptance": gettext_noop("Samples of finished batches are reviewed."),
    "adjudication": gettext_noop("Disagreements are adjudicated."),
    "kappa_floor": gettext_noop("Annotators who agree too little with the others are marked."),
}


def planned_measures(known: Known) -> list[str]:
    return [_(MEASURES[name]) for name in known.plan.measures]


def planned_annotators(known: Known) -> list[str]:
    n = sum(known.people.by_status.values())
    if n:
        return [ngettext("%(n)s annotator so far.", "%(n)s annotators so far.", n) % {"n": amount(n)}]
    wanted = known.plan.n_wanted
    return [_("%(n)s annotators are planned.") % {"n": amount(wanted)}] if wanted else []


def sampling(known: Known) -> list[str]:
    return criteria_lines(known.plan.criteria)


def asked(known: Known) -> list[str]:
    if not known.plan.asks_demographics:
        return []
    return [_("Annotators are asked about themselves; the report counts their answers.")]


def planned_agreement(known: Known) -> list[str]:
    if known.plan.seats_high < 2:  # one answer to an item agrees with no other
        return []
    return [_("Fleiss' kappa and Krippendorff's alpha for each criterion, with 95 per cent intervals.")]


def planned_tests(known: Known) -> list[str]:
    n = known.plan.n_sources
    if not n:
        return []
    if n == 1:
        return [_("There is one source, so no sources are compared.")]
    return [_("Sources are compared by their differences, with 95 per cent intervals and corrected p values.")]


def left_out(known: Known) -> list[str]:
    if known.setting.is_elsewhere:
        return []
    return [_("Pilot, training and qualification batches are left out of the results, as are excluded annotators.")]


FACTS = {
    fact.__name__: fact
    for fact in (
        defined_criteria, planned_items, planned_votes, planned_measures, planned_annotators, sampling, asked,
        planned_agreement, planned_tests, left_out,
    )
}  # fmt: skip
