"""Batch acceptance on the board: the numbers of the report with their explanations."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from reporting.explained import COUNTED, Figure
from reporting.record.acceptance_words import COUNTS, acceptance_lines

DEFINITIONS = {
    "batches": gettext_noop("Batches with a decision from a reviewed sample, in any round."),
    "yield": gettext_noop(
        "Share of batches accepted in their first round, out of those whose first round was accepted or returned."
    ),
    "rounds": gettext_noop("Mean number of rounds of an accepted batch: 1 means that none was returned."),
    "decided_rounds": gettext_noop("Mean number of decided rounds per batch, accepted or not."),
    "more": gettext_noop("Share of accepted batches that were returned at least once."),
    "rework": gettext_noop("Time that returned batches have cost, as reported by browsers."),
    "kappa": gettext_noop(
        "Agreement of first and second controllers beyond chance: 1 is perfect, 0 is what chance alone would give."
    ),
}
ESTIMATED = {"yield", "kappa"}  # their notes give the interval or say why there is none
VERSION = gettext_noop("Decisions under the protocol version that the study uses now.")


def acceptance_figures(acceptance: dict[str, Any] | None) -> list[tuple[str, str, Figure]]:
    """Return (key, name, figure) for each number of the report, or an empty list without batch acceptance.

    The counts of decisions are lines of the figure "batches".
    """
    if acceptance is None:
        return []
    found = []
    for line in acceptance_lines(acceptance):
        if line.key not in COUNTS:
            outcomes = [f"{title}: {acceptance[name]:,}." for name, title in COUNTS.items()]
            more = [*(outcomes if line.key == "batches" else []), _(VERSION)]
            more += [] if line.key in ESTIMATED else [_(COUNTED)]
            found.append((line.key, line.name, Figure(line.value, (_(DEFINITIONS[line.key]), *line.notes, *more))))
    return found
