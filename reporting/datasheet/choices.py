"""Choose among the options of a question: what the study implies, and what somebody wrote.

A written answer chooses an option with a line that is the option's name, in any language of the pages.
"""

import re
from collections.abc import Callable, Iterable

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override as in_language

from annotation.models import Participant
from protocols.models import Criterion, ProtocolVersion
from protocols.specs import CriterionSpec
from reporting.datasheet.criteria import is_estimated
from reporting.datasheet.facts import Known
from reporting.datasheet.question import DatasheetQuestion, Kind, Option

BRACKET = re.compile(r"[(\uff08]")  # Chinese has a wide one
Picked = dict[str, list[int]]  # the options' numbers by the name of the criterion; "" if about none


def inputs(known: Known) -> Picked:
    return {"": [8]}


def outputs(known: Known) -> Picked:
    return {"": [9]}


def task(known: Known) -> Picked:
    return {"": [10 if known.version.granularity == ProtocolVersion.Granularity.TURN else 20]}


def payment(known: Known) -> Picked:
    if known.study.pay_amount is None:
        return {}
    return {"": [1 if known.study.pay_amount else 3]}


def quality(known: Known) -> Picked:
    if known.setting.is_elsewhere:
        return {}
    excluded = known.people.by_status.get(Participant.Status.EXCLUDED, 0)
    found = {2: True, 3: bool(known.report.acceptance), 4: bool(excluded)}
    return {"": [number for number, is_chosen in found.items() if is_chosen]}


def pace(known: Known) -> Picked:
    return {} if known.setting.is_elsewhere else {"": [3]}


def feedback(known: Known) -> Picked:
    return {"": [3]} if known.version.feedback_box and not known.setting.is_elsewhere else {}


def _each(known: Known, choose: Callable[[CriterionSpec], int]) -> Picked:
    return {criterion.name: [choose(criterion)] for criterion in known.spec.criteria}


def objectivity(known: Known) -> Picked:
    return _each(known, lambda _criterion: 2)


def mode(known: Known) -> Picked:
    is_absolute = known.version.mode == ProtocolVersion.Mode.ABSOLUTE
    return _each(known, lambda _criterion: 1 if is_absolute else 2)


def intrinsic(known: Known) -> Picked:
    is_static = known.version.interaction == ProtocolVersion.Interaction.STATIC
    return _each(known, lambda _criterion: 1) if is_static else {}


def instruments(known: Known) -> Picked:
    numbers = {Criterion.Kind.SINGLE: 1, Criterion.Kind.MULTIPLE: 2, Criterion.Kind.COMPUTED: 4}
    return _each(known, lambda criterion: numbers.get(Criterion.Kind(criterion.kind), 5))


def elicitation(known: Known) -> Picked:
    def choose(criterion: CriterionSpec) -> int:
        if criterion.unit == ProtocolVersion.Unit.COMPARISON:
            return 3
        if criterion.kind in {Criterion.Kind.COMPUTED, Criterion.Kind.TURNS}:
            return 11 if criterion.kind == Criterion.Kind.COMPUTED else 6
        return 2 if is_estimated(criterion) else 7

    return _each(known, choose)


PICKS = {
    pick.__name__: pick
    for pick in (
        inputs, outputs, task, payment, quality, pace, feedback, objectivity, mode, intrinsic, instruments, elicitation,
    )
}  # fmt: skip


# --- options in words ----------------------------------------------------------------------------------
def named(question: DatasheetQuestion, numbers: Iterable[int]) -> list[str]:
    """Return the names of these options in the active language."""
    wanted = set(numbers)
    return [_(option.text) for option in question.options if option.number in wanted]


def chosen(question: DatasheetQuestion, text: str) -> tuple[list[int], str]:
    """Return the options that a written answer names, and its other lines. Of a question with one, the last counts."""
    numbers = {name: option.number for option in question.options for name in _names(option)}
    found, rest = [], []
    for line in text.splitlines():
        number = numbers.get(_bare(line))
        if number is None:
            rest.append(line)
        else:
            found.append(number)
    kept = found[-1:] if question.kind == Kind.ONE else sorted(set(found))
    return kept, "\n".join(rest).strip()


def _names(option: Option) -> set[str]:
    """Return the option's names in all languages, with and without the brackets that tell what to add."""
    names = set()
    for language, _name in settings.LANGUAGES:
        with in_language(language):
            name = str(_(option.text))
        names |= {_bare(name), _bare(BRACKET.split(name)[0])}
    return names


def _bare(line: str) -> str:
    return line.strip().rstrip(".\u3002 ").casefold()
