"""Batch acceptance on the board: the numbers of the report, each with its explanation."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from reporting.explained import COUNTED, Figure
from reporting.record.acceptance_words import COUNTS, acceptance_lines

DEFINITIONS = {
    "batches": gettext_noop("Batches that a checked sample has decided about, in any round."),
    "yield": gettext_noop("Of the batches whose first round was accepted or returned, the share that was accepted."),
    "rounds": gettext_noop("How many rounds accepted batches took, on average: 1 is none returned."),
    "decided_rounds": gettext_noop("How many rounds of a batch have been decided, on average: accepted or not."),
    "more": gettext_noop("Of the accepted batches, the share that was returned at least once."),
    "rework": gettext_noop("What returned batches have cost: times are those that browsers report."),
    "kappa": gettext_noop(
        "Agreement of first and second controllers beyond chance: 1 is perfect, 0 is what chance alone would give."
    ),
}
ESTIMATED = {"yield", "kappa"}  # their notes have the interval, or say why there is none
VERSION = gettext_noop("Decisions under the version of the protocol that the study follows now.")


def acceptance_figures(acceptance: dict[str, Any] | None) -> list[tuple[str, str, Figure]]:
    """(key, name, figure) of what the report has; its decisions are explained in one figure. Empty without control."""
    if acceptance is None:
        return []
    lines = [line for line in acceptance_lines(acceptance) if line.key not in COUNTS]
    return [
        (line.key, line.name, Figure(line.value, (_(DEFINITIONS[line.key]), *line.notes, *_more(line.key, acceptance))))
        for line in lines
    ]


def _more(key: str, acceptance: dict[str, Any]) -> list[str]:
    outcomes = [f"{title}: {acceptance[name]:,}." for name, title in COUNTS.items()] if key == "batches" else []
    return [*outcomes, _(VERSION), *([] if key in ESTIMATED else [_(COUNTED)])]
