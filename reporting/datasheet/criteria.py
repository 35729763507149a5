"""Answer a datasheet's questions about the criteria from the database, with a line for each criterion.

Lines are in the active language; names, questions and options are in the language of the study's protocol.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.agreement_cells import places_of
from measures.mixed.sources import BY_MODEL
from parley.numbers import number
from protocols.models import Criterion, Option, ProtocolVersion
from protocols.specs import CriterionSpec, OptionSpec
from reporting.datasheet.facts import Known, amount
from reporting.study.rules import majority_rule
from reporting.study.scores import numbers_of

if TYPE_CHECKING:
    from reporting.report.coefficients import Overall

Kind = Criterion.Kind


def _each(known: Known, tell: Callable[[CriterionSpec], str]) -> list[str]:
    """Return "name: text" for each criterion on one line, without those for which `tell` returns nothing."""
    found = [(criterion.name, " ".join(tell(criterion).split())) for criterion in known.spec.criteria]
    return [f"{name}: {said}" for name, said in found if said]


# --- criteria: ways of judging and questions -----------------------------------------------------------
def objectivity(known: Known) -> list[str]:
    said = {True: _("subjective: a person's opinion"), False: _("computed from subjective answers")}
    return _each(known, lambda criterion: said[criterion.is_asked])


def mode(known: Known) -> list[str]:
    if known.version.mode != ProtocolVersion.Mode.ABSOLUTE:
        word = _("relative: outputs are compared")
    elif known.version.order == ProtocolVersion.Order.SET_LEVEL and len(known.report.sources) > 1:
        word = _("absolute, although outputs of several systems are shown on one page")
    else:
        word = _("absolute: one output is judged at a time")
    return _each(known, lambda _criterion: word)


def intrinsic(known: Known) -> list[str]:
    """Return "intrinsic" if evaluators only read texts; an interactive study may also judge what a system achieves."""
    if known.version.interaction != ProtocolVersion.Interaction.STATIC:
        return []
    return _each(known, lambda _criterion: _("intrinsic"))


def names(known: Known) -> list[str]:
    return _as_imported(known, [criterion.name for criterion in known.spec.criteria])


def definitions(known: Known) -> list[str]:
    return _as_imported(known, _each(known, lambda criterion: criterion.definition or _("none")))


def _as_imported(known: Known, lines: list[str]) -> list[str]:
    """Add that what annotators saw elsewhere may have been something else than the protocol."""
    if not lines or not known.setting.is_elsewhere:
        return lines
    return [*lines, _("This is the protocol under which the answers were imported. What evaluators saw may differ.")]


def scale_sizes(known: Known) -> list[str]:
    return _each(known, lambda criterion: amount(len(criterion.options)) if criterion.options else _not_applicable())


def scale_values(known: Known) -> list[str]:
    def named(option: OptionSpec) -> str:
        says_it = option.value is None or option.label == f"{option.value:g}"
        return option.label if says_it else f"{option.label} ({option.value:g})"

    return _each(known, lambda criterion: " / ".join(map(named, criterion.options)) or _not_applicable())


def _not_applicable() -> str:
    return _("does not apply")


INSTRUMENTS = {
    Kind.SINGLE: gettext_noop("options, one of which is selected"),
    Kind.MULTIPLE: gettext_noop("check boxes, any number of which can be ticked"),
    Kind.COMPUTED: gettext_noop("not shown: computed from other answers"),
    Kind.TURNS: gettext_noop("turns of the dialogue, which are marked"),
}


def instruments(known: Known) -> list[str]:
    return _as_imported(known, _each(known, lambda criterion: _(INSTRUMENTS[Kind(criterion.kind)])))


def other_tasks(known: Known) -> list[str]:
    def tell(criterion: CriterionSpec) -> str:
        return _("turns of the dialogue are marked and recorded by number") if criterion.kind == Kind.TURNS else ""

    return _each(known, tell) or [_("Does not apply: every criterion has a scale.")]


def wording(known: Known) -> list[str]:
    return _as_imported(known, _each(known, lambda criterion: criterion.question))


def elicitation(known: Known) -> list[str]:
    return _each(known, _elicited)


def _elicited(criterion: CriterionSpec) -> str:
    if criterion.kind == Kind.COMPUTED:
        return _("none: computed from other answers")
    if criterion.kind == Kind.TURNS:
        return _("annotation of the text")
    word = _("direct estimation of quality") if is_estimated(criterion) else _("labelling of the output")
    asks = any(option.asks != Option.Asks.NOTHING for option in criterion.options)
    return _("%(kind)s, with reasons and remarks") % {"kind": word} if asks else word


def is_estimated(criterion: CriterionSpec) -> bool:
    """Return whether its answers say how good an output is, rather than what it is."""
    judges = any(option.role in {Option.Role.POSITIVE, Option.Role.NEGATIVE} for option in criterion.options)
    return judges or criterion.scale != Criterion.Scale.NOMINAL


# --- criteria: results ---------------------------------------------------------------------------------
def aggregation(known: Known) -> list[str]:
    lines = _each(known, _aggregated)
    if any(places_of(criterion, Option.Role.POSITIVE) for criterion in known.spec.voted):
        lines.append(_(majority_rule(known.study.majority_rule, known.spec)))
    if any(row.weighting == BY_MODEL for row in known.report.comparisons):
        lines.append(
            _(
                "The means of sources are those of a linear mixed model with crossed random effects of annotators and "
                "conversations: a rating has less weight the more ratings share its annotator and its conversation."
            )
        )
    return lines


def _aggregated(criterion: CriterionSpec) -> str:
    if criterion.kind == Kind.TURNS:
        return _("how often each turn is marked")
    if criterion.kind == Kind.MULTIPLE:
        return _("the share of answers with each option")
    found = []
    if places_of(criterion, Option.Role.POSITIVE):
        found.append(_("the share of items that are positive by majority, and the share of positive answers"))
    if numbers_of(criterion) is not None:
        found.append(_("mean, standard deviation and median of the answers"))
    return "; ".join([*found, _("the share of each option")])


def significance(known: Known) -> list[str]:
    if not known.report.n_ratings:
        return []
    compared = {row.criterion for row in known.report.comparisons if row.pairs}
    lines = _each(known, lambda criterion: _("sources compared") if criterion.key in compared else _("none"))
    if compared:
        lines.append(
            _(
                "Sources are compared by the difference of their means, with a 95 per cent interval and a t test of "
                "a linear mixed model with crossed random effects of annotators and conversations; p values are "
                "corrected by Holm's method. The effect size is the difference in standard deviations of one rating."
            )
        )
    return lines


def agreement(known: Known) -> list[str]:
    lines = _agreed(known, lambda row: [_(words) % {"value": figures} for words, figures in _measured(row)])
    if lines:
        lines.append(
            _("Values in brackets are 95 per cent bootstrap intervals for the annotators who rated, not for new ones.")
        )
    return lines


def agreement_measures(known: Known) -> list[str]:
    return _agreed(known, lambda row: [(_(words) % {"value": ""}).strip() for words, _figures in _measured(row)])


def intra(known: Known) -> list[str]:
    """Say that nobody's agreement with themselves was measured, once the agreement with others was.

    Of answers that were collected elsewhere, nobody here knows.
    """
    if known.setting.is_elsewhere:
        return []
    return [_("Intra-annotator agreement was not measured.")] if agreement_measures(known) else []


def agreement_and_intra(known: Known) -> list[str]:
    return agreement(known) + intra(known)


def _agreed(known: Known, tell: Callable[["Overall"], list[str]]) -> list[str]:
    criteria = {criterion.key: criterion.name for criterion in known.spec.criteria}
    found = [(criteria[row.criterion], ", ".join(tell(row))) for row in known.report.agreement_overall]
    return [f"{name}: {measured}" for name, measured in found if measured]


def _measured(row: "Overall") -> Iterator[tuple[str, str]]:
    """Yield (words, value with its interval) for each measure that is defined."""
    measures = (
        (gettext_noop("Fleiss' kappa %(value)s"), row.fleiss_kappa, row.fleiss),
        (gettext_noop("Krippendorff's alpha %(value)s"), row.krippendorff_alpha, row.alpha),
        (gettext_noop("Gwet's AC1 %(value)s"), row.gwet_ac1, row.ac1),
    )
    for words, value, ends in measures:
        interval = ""
        if ends.low is not None and ends.high is not None:
            limits = {"low": number(ends.low), "high": number(ends.high)}
            interval = " " + _("(%(low)s to %(high)s)") % limits
        if value is not None:
            yield words, number(value) + interval


FACTS = {
    fact.__name__: fact
    for fact in (
        objectivity, mode, intrinsic,
        names, definitions, scale_sizes, scale_values, instruments, other_tasks, wording, elicitation,
        aggregation, significance, agreement, agreement_measures, intra, agreement_and_intra,
    )
}  # fmt: skip
