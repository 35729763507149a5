"""Entries of the checklist that the study's datasheet answers where the database cannot."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.models import DatasheetAnswer
from reporting.datasheet.choices import chosen
from reporting.datasheet.heds3 import HEDS3

# The questions of the datasheet that ask for it, the first to be used first: D1 and such are reporting criteria.
QUESTIONS = {
    "presentation": ("D1", "3.3.4.2", "3.3.4"),
    "sampling_criteria": ("D8",),
    "qualification_task": ("3.2.4",),
    "qualification_rule": ("3.3.3.2", "D5", "3.3.3"),
    "recruited": ("D6", "3.2.1"),
    "demographics": ("A1", "3.2.5"),
    "time": ("3.3.5",),
    "payment": ("D9", "3.2.2.2", "3.2.2"),
    "platform": ("D7", "3.2.3"),
}
NAMED = 2  # of the questions, in the sentence that says where to state it: the others are of an older standard


@dataclass(frozen=True, slots=True)
class Stated:
    """An answer in the datasheet, with the number of its question."""

    question: str
    answer: str


def stated(key: str, written: Mapping[str, DatasheetAnswer]) -> Stated | None:
    """Return the answer to the first question that somebody answered."""
    for number in QUESTIONS.get(key, ()):
        answer = written[number].text.strip() if number in written else ""
        if key == "time":  # an option of this question says how freely people work, and not how long
            answer = chosen(HEDS3.question(number), answer)[1]
        if answer:
            return Stated(number, answer)
    return None


def stated_lines(value: Stated) -> list[str]:
    first, *others = value.answer.splitlines()
    return [_("Datasheet, question %(number)s: %(answer)s") % {"answer": first, "number": value.question}, *others]


def place_lines(key: str) -> list[str]:
    """Return where to state what is missing; nothing if ratings have to give it."""
    numbers = QUESTIONS.get(key, ())[:NAMED]
    if not numbers:
        return []
    if len(numbers) == 1:
        return [_("State it in the datasheet: question %(number)s.") % {"number": numbers[0]}]
    said = {"number": numbers[0], "other": numbers[1]}
    return [_("State it in the datasheet: question %(number)s or %(other)s.") % said]
