"""Explain each number in sentences: what it is, what it is based on and how far it can be trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from django.utils.translation import get_language, gettext_noop

from annotation.agreement_cells import DEPENDENT_ITEMS, WEIGHTED
from measures.arrays import CountArray
from measures.estimate import Estimate
from measures.labels import (
    BIAS_PARADOX,
    DOMINANT_ANSWER,
    PREVALENCE_PARADOX,
    SINGLE_ANSWERS,
    WORD_SCALES,
    WordScale,
    alpha_word,
    bias_warnings,
    landis_koch,
    prevalence_warnings,
    single_answer_warnings,
)
from parley.numbers import number
from protocols.models import Criterion
from reporting.labels import reason_sentence, strength
from reporting.labels import said as _

OF_PAIRS = frozenset({"cohen", *WEIGHTED})
WITH_SINGLE_ANSWERS = frozenset({"fleiss", "strong", "ac1"})  # items with one answer enter the expected agreement
FEWEST_FOR_COLOUR = 10  # with fewer items, a colour would claim more than the number can show

INTERVAL_NOTES = {
    "too_few_items": gettext_noop("No interval and no colour: fewer than 10 items have two or more answers."),
    "rare_answers": gettext_noop(
        "No interval: when one answer has nine tenths of the votes, at least 100 items are needed."
    ),
    "unreliable": gettext_noop("Few data: with fewer than 20 items, the interval is rough."),
    "no_spread": gettext_noop("No interval: the items are all alike."),
    "few_annotators": gettext_noop("No interval: fewer than 3 annotators."),
    "few_groups": gettext_noop("No interval: fewer than 3 dialogues, conversations or scenarios."),
    "no_variation": gettext_noop("No interval: only one answer occurs."),
    "no_standard_error": gettext_noop("No interval is available for this value."),
    "unstable_bootstrap": gettext_noop("No interval: too many resamples were undefined."),
    DEPENDENT_ITEMS: gettext_noop("No interval: answers about the same dialogue or conversation are not independent."),
}
WARNINGS = {
    PREVALENCE_PARADOX: gettext_noop(
        "Caution: annotators often agree, yet the coefficient is low because one answer is very "
        "frequent. Read it together with per cent agreement and AC1."
    ),
    DOMINANT_ANSWER: gettext_noop("Caution: one answer has nine tenths of the votes or more."),
    BIAS_PARADOX: gettext_noop(
        "Caution: the two sides use the answers with different frequencies, which makes kappa higher "
        "than it would otherwise be at the same agreement. Read it together with per cent agreement."
    ),
    SINGLE_ANSWERS: gettext_noop(
        "Caution: items with one answer enter only the expected agreement. Until more items have two "
        "answers, the value says little and can be below −1."
    ),
    "constant_rater": gettext_noop("One of the two always gave the same answer, so kappa is exactly 0."),
}
LEFT_OUT = gettext_noop(
    "%(used)s items used, %(left_out)s left out because they have only one answer; %(votes)s answers."
)
EXPECTED_ONLY = gettext_noop(
    "%(used)s items used, %(votes)s answers. Items with only one answer, which enter only the "
    "expected agreement: %(left_out)s."
)
COUNTED = gettext_noop("Counted, not estimated, so there is no interval.")


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic; name and definition are stored in English and returned in the language of the page."""

    key: str
    english_name: str
    english_definition: str
    form: str = ".2f"
    word_scale: str = WordScale.LANDIS_KOCH

    @property
    def name(self) -> str:
        return _(self.english_name)

    @property
    def definition(self) -> str:
        return _(self.english_definition)

    @property
    def is_of_pairs(self) -> bool:
        """Return True for means over pairs of annotators, whose tables are stored per batch only."""
        return self.key in OF_PAIRS

    def fits(self, scale: str) -> bool:
        """Return whether the statistic is defined on this scale: weights need an order."""
        return self.key not in WEIGHTED or scale != Criterion.Scale.NOMINAL


STATISTICS = {
    each.key: each
    for each in (
        Statistic(
            "fleiss",
            gettext_noop("Fleiss' kappa"),
            gettext_noop("Agreement of all annotators beyond chance: 1 is perfect, 0 is what chance alone would give."),
        ),
        Statistic(
            "strong",
            gettext_noop("Fleiss' kappa, items nobody was unsure about"),
            gettext_noop(
                "Fleiss' kappa over the items for which nobody chose an unsure option. Leaving out hard items "
                "usually raises it."
            ),
        ),
        Statistic(
            "cohen",
            gettext_noop("Cohen's kappa, mean of pairs"),
            gettext_noop("Agreement of two annotators beyond chance, averaged over all pairs with items in common."),
        ),
        Statistic(
            "cohen_linear",
            gettext_noop("Weighted kappa, linear, mean of pairs"),
            gettext_noop(
                "Cohen's weighted kappa, averaged over all pairs with items in common: a disagreement is "
                "weighted by the number of scale steps it spans. Unsure answers are treated as missing."
            ),
        ),
        Statistic(
            "cohen_quadratic",
            gettext_noop("Weighted kappa, quadratic, mean of pairs"),
            gettext_noop(
                "Cohen's weighted kappa, averaged over all pairs with items in common: a disagreement is "
                "weighted by the square of the number of scale steps it spans. Unsure answers are treated as "
                "missing."
            ),
        ),
        Statistic(
            "alpha",
            gettext_noop("Krippendorff's alpha"),
            gettext_noop(
                "1 minus the ratio of observed to expected disagreement, on the scale of the question: 1 is perfect, "
                "0 is what chance alone would give."
            ),
        ),
        Statistic(
            "ac1",
            gettext_noop("Gwet's AC1"),
            gettext_noop("Agreement beyond chance, with a chance term that stays small when one answer is frequent."),
        ),
        Statistic(
            "percent",
            gettext_noop("Per cent agreement"),
            gettext_noop("How often two annotators of an item gave the same answer. Not corrected for chance."),
            ".0%",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One number as a table shows it, with the lines that explain it."""

    text: str
    lines: tuple[str, ...]
    tone: str | None = None
    is_warned: bool = False

    @property
    def why(self) -> str:
        return "\n".join(self.lines)


def missing(statistic: Statistic, reason: str) -> Figure:
    found = {"name": statistic.name, "why": reason_sentence(reason)}
    # Translators: "why" is a clause such as "there are no answers here yet".
    return Figure("–", (_("%(name)s: undefined, because %(why)s.") % found, statistic.definition))


def explained(statistic: Statistic, estimates: Mapping[str, Any], largest_share: float | None) -> Figure:
    """Return a stored coefficient with its explanation.

    `estimates` are those of its cell: at least the coefficient, 'percent' and 'strong_share_kept'.
    """
    found = estimates[statistic.key] | {"warnings": ()}  # stored as a list, which cannot be a cache key
    if statistic.is_of_pairs:  # a mean over pairs has no number of items: the cell's decides whether it gets a colour
        found |= {"n_items": estimates["percent"]["n_items"]}
    percent, kept = estimates["percent"]["value"], estimates["strong_share_kept"]
    return _explained(statistic, tuple(found.items()), percent, kept, largest_share, get_language())


@lru_cache(maxsize=2048)  # a vote changes the study and one batch; the sentences on other batches stay the same
def _explained(
    statistic: Statistic,
    values: tuple[tuple[str, Any], ...],
    percent: float | None,
    strong_share_kept: float | None,
    largest_share: float | None,
    _language: str | None,
) -> Figure:
    found = dict(values)
    used = counts(statistic, found)
    if statistic.key == "strong" and strong_share_kept is not None:
        used.append(_("%(share)s of the items kept.") % {"share": f"{strong_share_kept:.0%}"})
    if found["value"] is None:
        is_emptied = statistic.key == "strong" and strong_share_kept == 0
        figure = missing(statistic, "no_strong_items" if is_emptied else found["reason"])
        return Figure(figure.text, (*figure.lines, *used))
    warnings = warnings_of(statistic, found, percent, largest_share)
    lines = (
        headline(statistic, found["value"]),
        statistic.definition,
        *interval_lines(statistic, found),
        *used,
        *(_(WARNINGS[warning]) for warning in warnings),
    )
    colour = None if statistic.key == "percent" else tone(found["value"], found["n_items"])
    return Figure(number(found["value"], statistic.form), lines, colour, bool(warnings))


def headline(statistic: Statistic, value: float) -> str:
    found = {"name": statistic.name, "value": number(value, statistic.form), "word": word_of(statistic, value)}
    # Translators: a statistic, its value, and how strong that agreement is called.
    return (_("%(name)s %(value)s, %(word)s.") if found["word"] else _("%(name)s %(value)s.")) % found


def word_of(statistic: Statistic, value: float | None) -> str | None:
    """Return the word for a value on the study's scale; alpha has Krippendorff's words, per cent agreement none."""
    if statistic.key == "percent":
        return None
    scale = statistic.word_scale
    word = alpha_word(scale, value) if statistic.key == "alpha" else WORD_SCALES[scale](value)
    return word and strength(word)


def tone(value: float | None, n_items: int) -> str | None:
    """Return the colour of an agreement coefficient, a key of TONES in reporting/charts; None with too few items."""
    return landis_koch(value) if n_items >= FEWEST_FOR_COLOUR else None


def interval_lines(statistic: Statistic, found: Mapping[str, Any]) -> list[str]:
    lines = []
    if found["low"] is not None:
        ends = {end: number(found[end], statistic.form) for end in ("low", "high")}
        low, high = (word_of(statistic, found[end]) for end in ("low", "high"))
        if not low:
            sentence = _("95 %% interval %(low)s to %(high)s.")
        elif low == high:
            sentence = _("95 %% interval %(low)s to %(high)s, %(low_word)s.")
        else:
            # Translators: for example "95 % interval 0.21 to 0.55, fair to moderate."
            sentence = _("95 %% interval %(low)s to %(high)s, %(low_word)s to %(high_word)s.")
        lines.append(sentence % (ends | {"low_word": low, "high_word": high}))
    if found["interval_note"]:
        lines.append(_(INTERVAL_NOTES[found["interval_note"]]))
    return lines


def counts(statistic: Statistic, found: Mapping[str, Any]) -> list[str]:
    """Return sentences on what was used, and what was left out or entered only the expected agreement."""
    lines = []
    if found["n_pairs"] or found["n_undefined"]:
        pairs = {"used": f"{found['n_pairs']:,}", "undefined": f"{found['n_undefined']:,}"}
        lines.append(_("%(used)s pairs of annotators used, %(undefined)s undefined.") % pairs)
    if found["n_ratings"]:
        used, left_out, votes = found["n_items"], found["n_left_out"], found["n_ratings"]
        sizes = {"used": f"{used:,}", "left_out": f"{left_out:,}", "votes": f"{votes:,}"}
        is_expected = left_out and statistic.key in WITH_SINGLE_ANSWERS
        sentence = _(EXPECTED_ONLY if is_expected else LEFT_OUT) % sizes
        is_scott = votes == 2 * used and not left_out
        lines.append(" ".join([sentence, _("With two annotators this is Scott's pi.")]) if is_scott else sentence)
    return lines


def warnings_of(
    statistic: Statistic, found: Mapping[str, Any], percent: float | None, largest_share: float | None
) -> tuple[str, ...]:
    """Return the warnings; a frequent answer gets one only for coefficients that it lowers."""
    single: tuple[str, ...] = ()
    if statistic.key in WITH_SINGLE_ANSWERS:
        single = single_answer_warnings(found["value"], found["n_items"], found["n_left_out"])
    if statistic.key in ("percent", "ac1"):
        return single
    return (*prevalence_warnings(percent, found["value"], largest_share), *single)


def table_warnings(kappa: Estimate, square: CountArray) -> tuple[str, ...]:
    """Return the warnings for Cohen's kappa from a (K, K) table of the answers of two sides."""
    n = int(square.sum())
    margins = square.sum(axis=0) + square.sum(axis=1)
    agreement, largest = (float(np.trace(square)) / n, float(margins.max()) / 2 / n) if n else (None, None)
    bias = () if kappa.warnings else bias_warnings(square)  # nothing has raised a kappa of exactly 0
    return (*kappa.warnings, *prevalence_warnings(agreement, kappa.value, largest), *bias)
