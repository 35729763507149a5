"""How behaviours were analysed, in sentences for the methods section."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parley.listing import both
from parley.numbers import number
from reporting.report.behaviours import Behaviour
from reporting.report.interval_words import withheld_sentence
from reporting.report.model_words import unequal_sentence, withheld

if TYPE_CHECKING:
    from reporting.report.build import Report


def behaviour_sentences(report: "Report") -> Iterable[str]:
    rows = report.behaviours
    if not rows:
        return
    yield _what(report)
    yield from _rates(report)
    yield _(
        "Agreement on a behaviour, ticked or not, is Krippendorff's alpha and Fleiss' kappa, and the share of positive "
        "agreement: how often another annotator of the item also ticks what one has ticked (de Vet, Dikmans and "
        "Eekhout 2017)."
    )
    limits = [each for row in rows for each in (row.agreement.alpha, row.agreement.fleiss)]
    if any(each.low is not None for each in limits):
        yield _("Intervals of agreement on behaviours are bootstrap intervals for these annotators only.")
    else:
        yield withheld_sentence(limits)
    yield from _found(rows)


def _what(report: "Report") -> str:
    names = {each.key: each.name for each in report.protocol.criteria}
    questions = dict.fromkeys(names[row.criterion] for row in report.behaviours)
    n = len(report.behaviours)
    sentence = ngettext(
        "The %(n)s option of %(questions)s, of which an answer can tick several, was analysed as a behaviour that an "
        "answer ticks or does not.",
        "The %(n)s options of %(questions)s, of which an answer can tick several, were each analysed as a behaviour "
        "that an answer ticks or does not.",
        n,
    )
    return sentence % {"n": n, "questions": both(questions)}


def _rates(report: "Report") -> Iterable[str]:
    rows = report.behaviours
    if not any(each.effect != "residual" for row in rows for each in row.rates.effects):
        yield _("The rates of behaviours are plain shares, without intervals and tests.")
        yield from _marked(rows, report.material.has_dialogues_as_units)
        return
    of_dialogues = report.material.has_dialogues_as_units
    yield _model_of_dialogues() if of_dialogues else _model_of_conversations()
    if not all(row.rates.withheld for row in rows):
        yield (
            _("Their 95 per cent intervals hold for new annotators and new dialogues.")
            if of_dialogues
            else _("Their 95 per cent intervals hold for new annotators and new conversations.")
        )
    yield from _marked(rows, of_dialogues)
    if any(row.rates.pairs for row in rows):
        yield _("p values were corrected by Holm's method over the pairs of sources of each behaviour.")


def _marked(rows: Sequence[Behaviour], of_dialogues: bool) -> Iterable[str]:
    """Yield why intervals are withheld or marked, each time with the behaviours that this is about."""
    notes = [[row.rates.withheld or "", *row.rates.marks] for row in rows]
    for note in dict.fromkeys(note for own in notes for note in own if note):
        labels = [row.label for row, own in zip(rows, notes, strict=True) if note in own]
        yield f"{both(labels)}: {withheld(note, of_dialogues)}"
    for row in rows:
        if row.rates.unequal:
            yield f"{row.label}: {unequal_sentence(row.rates)}"


def _model_of_dialogues() -> str:
    return _(
        "The rates of behaviours are means of sources by a linear mixed model with crossed random effects of "
        "annotators and dialogues, as far as the design tells them apart, on 1 for ticked and 0 for not ticked (a "
        "linear probability model)."
    )


def _model_of_conversations() -> str:
    return _(
        "The rates of behaviours are means of sources by a linear mixed model with crossed random effects of "
        "annotators and conversations, as far as the design tells them apart, on 1 for ticked and 0 for not ticked (a "
        "linear probability model)."
    )


def _found(rows: Iterable[Behaviour]) -> Iterable[str]:
    """Yield the range of the coefficients that are defined, over how many behaviours, and those without."""
    rows = list(rows)
    yield from _range(_("Alpha"), [(row.label, row.agreement.krippendorff_alpha) for row in rows])
    yield from _range(_("Positive agreement"), [(row.label, row.agreement.positive_agreement) for row in rows])


def _range(coefficient: str, values: list[tuple[str, float | None]]) -> Iterable[str]:
    found = [value for _label, value in values if value is not None]
    missing = [label for label, value in values if value is None]
    said = {"coefficient": coefficient, "n": len(found), "missing": both(missing)}
    if len(found) == 1:
        # Translators: "coefficient" is alpha or the share of positive agreement.
        yield _("%(coefficient)s was %(value)s for the one behaviour that has it.") % (
            said | {"value": number(found[0])}
        )
    elif found:
        said |= {"low": number(min(found)), "high": number(max(found))}
        yield _("%(coefficient)s was %(low)s to %(high)s over %(n)s behaviours.") % said
    if missing:
        yield _("%(coefficient)s is undefined for %(missing)s.") % said
