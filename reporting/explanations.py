"""Every number says what it is, what it was made of and how far it can be trusted, in sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from measures.words import DOMINANT_ANSWER, PREVALENCE_PARADOX, krippendorff_word, landis_koch, prevalence_warnings
from reporting.figures.drawing import number, tone_of

DEPENDENT_ITEMS = "dependent_items"
FEWEST_FOR_COLOUR = 10  # below, a colour would say more than the number can

REASONS = {
    "no_ratings": "there are no answers here yet",
    "no_pairs": "nobody has rated the same item as somebody else yet",
    "no_variation": "everybody gave one and the same answer, which leaves nothing to tell agreement from chance",
    "one_category": "the question has a single answer",
    "unequal_raters": "items have different numbers of answers",
    "no_mean": "no batch has a defined value yet",
    "no_strong_items": "every item has an answer of somebody who was unsure",
}
INTERVAL_NOTES = {
    "too_few_items": "No interval and no colour: fewer than 10 items with two answers or more.",
    "rare_answers": "No interval: one answer has nine tenths of the votes, which takes 100 items or more.",
    "unreliable": "The interval is unreliable with fewer than 20 items.",
    "no_spread": "No interval: the items are all alike.",
    "no_standard_error": "No interval is known for this value.",
    "unstable_bootstrap": "No interval: too many resamples were undefined.",
    DEPENDENT_ITEMS: "No interval: answers about the same dialogue are not independent.",
}
WARNINGS = {
    PREVALENCE_PARADOX: "Careful: people agree often and the coefficient is low all the same, because one answer "
    "is so frequent. Read it beside per cent agreement and AC1.",
    DOMINANT_ANSWER: "Careful: nine tenths of the votes or more are one answer.",
    "constant_rater": "One of the two always gave the same answer, so kappa is exactly 0.",
}


@dataclass(frozen=True, slots=True)
class Statistic:
    key: str
    name: str
    definition: str
    form: str = ".2f"


STATISTICS = {
    each.key: each
    for each in (
        Statistic(
            "fleiss",
            "Fleiss' kappa",
            "Agreement of all annotators beyond chance: 1 is perfect, 0 is what chance alone would give.",
        ),
        Statistic(
            "strong",
            "Fleiss' kappa, strong judgements",
            "Fleiss' kappa over the items that nobody answered with an unsure option. Leaving out the hard items "
            "raises it.",
        ),
        Statistic(
            "cohen",
            "Cohen's kappa, mean of pairs",
            "Agreement of two annotators beyond chance, averaged over all pairs with items in common.",
        ),
        Statistic(
            "alpha",
            "Krippendorff's alpha",
            "One less observed over expected disagreement, at the scale of the question: 1 is perfect, 0 is chance.",
        ),
        Statistic(
            "ac1",
            "Gwet's AC1",
            "Agreement beyond chance, with a chance that stays small when one answer is frequent.",
        ),
        Statistic(
            "percent",
            "Per cent agreement",
            "How often two annotators of an item gave the same answer. Not corrected for chance.",
            ".0%",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a table as it is shown: the lines explain it."""

    text: str
    lines: tuple[str, ...]
    tone: str | None = None
    is_warned: bool = False

    @property
    def why(self) -> str:
        return "\n".join(self.lines)


def reason_sentence(reason: str | None) -> str:
    return REASONS.get(reason or "", "it could not be computed")


def missing(statistic: Statistic, reason: str) -> Figure:
    return Figure("–", (f"{statistic.name}: undefined, because {reason_sentence(reason)}.", statistic.definition))


def explained(statistic: Statistic, estimates: Mapping[str, Any], largest_share: float | None) -> Figure:
    """A stored coefficient with its explanation; `estimates` are all of its cell."""
    found = estimates[statistic.key]
    if found["value"] is None:
        reason = "no_strong_items" if is_emptied(statistic, estimates) else found["reason"]
        figure = missing(statistic, reason)
        return Figure(figure.text, (*figure.lines, *counts(found), *strong_line(statistic, estimates)))
    warnings = warnings_of(statistic, estimates, largest_share)
    lines = (
        headline(statistic, found["value"]),
        statistic.definition,
        *interval_lines(statistic, found),
        *counts(found),
        *strong_line(statistic, estimates),
        *(WARNINGS[warning] for warning in warnings),
    )
    return Figure(number(found["value"], statistic.form), lines, tone(statistic, found), bool(warnings))


def headline(statistic: Statistic, value: float) -> str:
    word = word_of(statistic, value)
    return f"{statistic.name} {number(value, statistic.form)}{f', {word}' if word else ''}."


def word_of(statistic: Statistic, value: float | None) -> str | None:
    """Landis and Koch's word; Krippendorff's own for his alpha; per cent agreement has none."""
    if statistic.key == "percent":
        return None
    word = krippendorff_word(value) if statistic.key == "alpha" else landis_koch(value)
    return word and word.replace("_", " ")


def tone(statistic: Statistic, found: Mapping[str, Any]) -> str | None:
    if statistic.key == "percent" or (statistic.key != "cohen" and found["n_items"] < FEWEST_FOR_COLOUR):
        return None
    return tone_of(found["value"])


def interval_lines(statistic: Statistic, found: Mapping[str, Any]) -> list[str]:
    lines = []
    if found["low"] is not None:
        words = [word_of(statistic, end) for end in (found["low"], found["high"])]
        read = f", {' to '.join(dict.fromkeys(word for word in words if word))}" if words[0] else ""
        ends = f"{number(found['low'], statistic.form)} to {number(found['high'], statistic.form)}"
        lines.append(f"95 % interval {ends}{read}.")
    if found["interval_note"]:
        lines.append(INTERVAL_NOTES[found["interval_note"]])
    return lines


def counts(found: Mapping[str, Any]) -> list[str]:
    """What was used and what was left out (X-2)."""
    lines = []
    if found["n_pairs"] or found["n_undefined"]:
        lines.append(f"{found['n_pairs']:,} pairs of annotators used, {found['n_undefined']:,} undefined.")
    if found["n_ratings"]:
        used, left_out, votes = found["n_items"], found["n_left_out"], found["n_ratings"]
        scott = " With two annotators this is Scott's pi." if votes == 2 * used and not left_out else ""
        lines.append(
            f"{used:,} items used, {left_out:,} left out for having one answer only; {votes:,} answers.{scott}"
        )
    return lines


def is_emptied(statistic: Statistic, estimates: Mapping[str, Any]) -> bool:
    return statistic.key == "strong" and estimates["strong_share_kept"] == 0


def strong_line(statistic: Statistic, estimates: Mapping[str, Any]) -> list[str]:
    kept = estimates["strong_share_kept"]
    return [f"{kept:.0%} of the items kept."] if statistic.key == "strong" and kept is not None else []


def warnings_of(statistic: Statistic, estimates: Mapping[str, Any], largest_share: float | None) -> tuple[str, ...]:
    """Only for coefficients that a frequent answer pulls down."""
    if statistic.key in ("percent", "ac1"):
        return ()
    return prevalence_warnings(estimates["percent"]["value"], estimates[statistic.key]["value"], largest_share)
