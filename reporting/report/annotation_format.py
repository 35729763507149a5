"""Describe how each question is answered: options, predefined reasons, and whether a free text is asked for."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec, OptionSpec

# Clauses for options that ask for more than a click.
ASKS = {
    Option.Asks.EXPLANATION: gettext_noop("a reason may be given"),
    Option.Asks.EXPLANATION_REQUIRED: gettext_noop("a reason is required"),
    Option.Asks.FREE_TEXT: gettext_noop("a free text is required"),
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A predefined reason, in the annotators' words and as the dimension of the report."""

    text: str
    sub_dimension: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What an option asks for besides a click; a free text has `words_min` to `words_max` words."""

    option: str
    asks: str
    reasons: list[Reason]
    words_min: int
    words_max: int


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """How a question is answered; `asked` has the options that ask for more than a click.

    `takes_one` says whether one option at most is chosen, `required` whether one has to be.
    """

    name: str
    kind: str
    takes_one: bool
    required: bool
    scale: str
    options: list[str]
    asked: list[Asked]


def format_of(criterion: CriterionSpec) -> AnswerFormat:
    return AnswerFormat(
        name=criterion.name,
        kind=str(criterion.kind),
        takes_one=criterion.takes_one,
        required=criterion.required,
        scale=str(criterion.scale),
        options=[option.label for option in criterion.options],
        asked=[_asked(option) for option in criterion.options if option.asks != Option.Asks.NOTHING],
    )


def _asked(option: OptionSpec) -> Asked:
    reasons = [Reason(each.text, each.sub_dimension) for each in option.explanations]
    return Asked(option.label, str(option.asks), reasons, option.words_min, option.words_max)


def format_lines(value: Iterable[AnswerFormat]) -> list[str]:
    return [" ".join(_lines(each)) for each in value]


def _lines(criterion: AnswerFormat) -> Iterable[str]:
    kind = Criterion.Kind.SINGLE if criterion.takes_one else Criterion.Kind(criterion.kind)
    yield _("%(name)s: %(kind)s, %(scale)s scale. Options: %(options)s.") % {
        "name": criterion.name,
        "kind": kind.label if criterion.required else _("%(kind)s, or none") % {"kind": kind.label},
        "scale": str(Criterion.Scale(criterion.scale).label).lower(),
        "options": " / ".join(criterion.options),
    }
    yield from map(_asked_line, criterion.asked)
    if not criterion.asked:
        yield _("Neither a reason nor a free text is asked for.")


def _asked_line(asked: Asked) -> str:
    asks = _(ASKS[Option.Asks(asked.asks)])
    words = {"option": asked.option, "asks": asks, "least": asked.words_min, "most": asked.words_max}
    if not asked.reasons:
        # Translators: "asks" is a clause such as "a free text is required".
        return _("For “%(option)s”, %(asks)s: own words (%(least)s to %(most)s words).") % words
    words["reasons"] = " / ".join(map(_reason, asked.reasons))
    # Translators: "asks" is a clause such as "a reason is required".
    return _("For “%(option)s”, %(asks)s: %(reasons)s / own words (%(least)s to %(most)s words).") % words


def _reason(reason: Reason) -> str:
    """Return the words of a reason, with its name in the report if that differs."""
    is_other = reason.sub_dimension and reason.sub_dimension != reason.text
    return f"{reason.text} ({reason.sub_dimension})" if is_other else reason.text
