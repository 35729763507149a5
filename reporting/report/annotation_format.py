"""Describe how each question is answered: options, predefined reasons, and whether a free text is asked for."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec, OptionSpec

Row = dict[str, Any]
# Clauses for options that ask for more than a click.
ASKS = {
    Option.Asks.EXPLANATION: gettext_noop("a reason may be given"),
    Option.Asks.EXPLANATION_REQUIRED: gettext_noop("a reason is required"),
    Option.Asks.FREE_TEXT: gettext_noop("a free text is required"),
}


def format_of(criterion: CriterionSpec) -> Row:
    return {
        "name": criterion.name,
        "kind": str(criterion.kind),
        "scale": str(criterion.scale),
        "options": [option.label for option in criterion.options],
        "asked": [_asked(option) for option in criterion.options if option.asks != Option.Asks.NOTHING],
    }


def _asked(option: OptionSpec) -> Row:
    """Return what an option asks for; reasons have the annotators' words and the dimension used in the report."""
    return {
        "option": option.label,
        "asks": str(option.asks),
        "reasons": [{"text": each.text, "sub_dimension": each.sub_dimension} for each in option.explanations],
        "words_min": option.words_min,
        "words_max": option.words_max,
    }


def format_lines(value: list[Row]) -> list[str]:
    return [" ".join([_criterion_line(row), *_asked_lines(row)]) for row in value]


def _asked_lines(row: Row) -> list[str]:
    return list(map(_asked_line, row["asked"])) or [_("Neither a reason nor a free text is asked for.")]


def _criterion_line(row: Row) -> str:
    return _("%(name)s: %(kind)s, %(scale)s scale. Options: %(options)s.") % {
        "name": row["name"],
        "kind": Criterion.Kind(row["kind"]).label,
        "scale": str(Criterion.Scale(row["scale"]).label).lower(),
        "options": " / ".join(row["options"]),
    }


def _asked_line(row: Row) -> str:
    words = {"option": row["option"], "asks": _(ASKS[row["asks"]]), "least": row["words_min"], "most": row["words_max"]}
    if not row["reasons"]:
        # Translators: "asks" is a clause such as "a free text is required".
        return _("For “%(option)s”, %(asks)s: own words (%(least)s to %(most)s words).") % words
    words["reasons"] = " / ".join(map(_reason, row["reasons"]))
    # Translators: "asks" is a clause such as "a reason is required".
    return _("For “%(option)s”, %(asks)s: %(reasons)s / own words (%(least)s to %(most)s words).") % words


def _reason(row: Row) -> str:
    """Return the words of a reason, with its name in the report if that differs."""
    is_other = row["sub_dimension"] and row["sub_dimension"] != row["text"]
    return f"{row['text']} ({row['sub_dimension']})" if is_other else row["text"]
