"""Write a datasheet as the file that the form of HEDS 3.0 reads (press "upload json" at https://nlp-heds.github.io).

The file is what the form keeps and downloads, read from the form's own page, nlp-heds/nlp-heds.github.io at commit
3239cd3. It has each element under its id, as {"data": {criterion: value}, "control": {}, "number": question}; the
criterion is "" outside section 4. An option has also "text": {criterion: its name}, without which the form cannot save
it. The list of criteria says in "control" which of them is shown.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

from reporting.datasheet.build import DATABASE, Answer
from reporting.datasheet.choices import PICKS, chosen
from reporting.datasheet.facts import Known
from reporting.datasheet.heds3 import CRITERION, HEDS3
from reporting.datasheet.heds3_languages import LANGUAGES, OTHER_LANGUAGE
from reporting.datasheet.question import DatasheetQuestion, Kind

Form = dict[str, dict[str, Any]]
COLONS = ":\uff1a"  # Chinese has a wide one
# Questions without options. A field of one line drops line breaks.
PLAIN: dict[Kind, Callable[[str], str]] = {
    Kind.WORDS: str,
    Kind.LINE: lambda words: "; ".join(words.splitlines()),
    Kind.NUMBER: lambda words: words.replace(",", ""),
}


def as_form(known: Known, answers: list[Answer]) -> str:
    """Return the file. `answers` are those of HEDS 3.0, in English; without an answer, the form shows a blank."""
    criteria = [criterion.name for criterion in known.spec.criteria]
    shown = {name: name == criteria[0] for name in criteria}
    form: Form = {CRITERION: {"data": {}, "control": shown, "text": {}}}
    for question, answer in zip(HEDS3.questions, answers, strict=True):
        is_of_criteria = question.field.startswith(CRITERION)
        parts = by_criterion(answer.text, criteria) if is_of_criteria else {"": answer.text}
        for name, text in parts.items():
            if text:
                _fill(form, question, name, *_read(known, question, answer, name, text))
    return json.dumps(form, ensure_ascii=False, indent=4) + "\n"


def by_criterion(text: str, criteria: list[str]) -> dict[str, str]:
    """Return what is said of each criterion: its lines, which begin with its name, and those that name none."""
    found: dict[str, list[str]] = {name: [] for name in criteria}
    for line in text.splitlines():
        about = max((name for name in criteria if _is_about(line, name)), key=len, default=None)
        if about is None:
            for lines in found.values():
                lines.append(line)
        else:
            found[about].append(line.strip().removeprefix(about).lstrip(COLONS).strip() or about)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def _is_about(line: str, name: str) -> bool:
    said = line.strip()
    return said == name or said.startswith(tuple(name + colon for colon in COLONS))


def _read(
    known: Known, question: DatasheetQuestion, answer: Answer, criterion: str, text: str
) -> tuple[dict[int, str], str]:
    """Return the chosen options, {number: its name in the form}, and the words beside them."""
    if question.kind == Kind.LANGUAGES:
        return _languages(text)
    if not question.options:
        return {}, text
    if answer.origin == DATABASE and question.pick:
        numbers, words = PICKS[question.pick](known).get(criterion, []), chosen(question, text)[1]
    else:
        numbers, words = chosen(question, text)
    names = {each.number: f"{each.number}. {_(each.text)}" for each in question.options if each.number in numbers}
    return names, words


def _languages(text: str) -> tuple[dict[int, str], str]:
    """Return the languages that are named; if there is anything else, it is another language in words."""
    pieces = [piece.strip(" .") for piece in re.split(r"[,;\n]|\band\b", text)]
    numbers = {piece: LANGUAGES.get(piece.casefold()) for piece in pieces if piece}
    # The form counts its languages from 1, but their elements from 2.
    named = {number: f"{number - 1}. {piece}" for piece, number in numbers.items() if number is not None}
    if len(named) == len(numbers):
        return named, ""
    return named | {OTHER_LANGUAGE: f"{OTHER_LANGUAGE - 1}. Other"}, text


def _fill(form: Form, question: DatasheetQuestion, criterion: str, options: dict[int, str], words: str) -> None:
    field = question.field
    for number, name in options.items():
        option = _put(form, f"{field}-{number}", criterion, True, question.number)
        option.setdefault("text", {})[criterion] = name
    if question.kind in PLAIN:
        _put(form, field, criterion, PLAIN[question.kind](words), question.number)
    elif words:
        _put(form, f"{field}-other_text", criterion, words, None)


def _put(form: Form, field: str, criterion: str, value: str | bool, number: str | None) -> dict[str, Any]:
    element = form.setdefault(field, {"data": {}, "control": {}, "number": number})
    element["data"][criterion] = value
    return element
