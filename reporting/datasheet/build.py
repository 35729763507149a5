"""Build the human-evaluation datasheet of a study: every question with its answer and the origin of the answer."""

import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from annotation.models import DatasheetAnswer, Study
from protocols.translating import spec_in
from reporting.datasheet import criteria, facts, planned
from reporting.datasheet.choices import PICKS, named
from reporting.datasheet.facts import Known
from reporting.datasheet.question import DatasheetQuestion, Standard
from reporting.datasheet.selectors import Setting, written_answers
from reporting.datasheet.standards import DEFAULT
from reporting.study.facts import People
from reporting.study.plain import plain

if TYPE_CHECKING:
    from reporting.report.build import Report

WRITTEN, DATABASE, MISSING = "written", "database", "missing"
FACTS = facts.FACTS | criteria.FACTS | planned.FACTS


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; `text` is empty if it is missing.

    `automatic` is the answer of the database, even if somebody wrote another one. `hint` says what is left to write,
    and is empty if nothing is. `written_for` names the questions of another standard that it was written for;
    `is_partial` says that some of these are not answered.
    """

    number: str
    question: str
    origin: str
    text: str
    automatic: str
    hint: str
    author: str = ""
    at: datetime | None = None
    written_for: tuple[str, ...] = ()
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer in the report and in files; None if it is missing."""

    number: str
    question: str
    answer: str | None
    origin: str


def datasheet(study: Study, report: "Report", people: People, standard: Standard = DEFAULT) -> list[Answer]:
    """Return the answers to all questions in order, in the active language. `report` may compute its parts lazily."""
    return answers_of(known_of(study, report, people), standard)


def known_of(study: Study, report: "Report", people: People) -> Known:
    spec = spec_in(study.protocol_version, study.content_language)
    return Known(study, spec, people, Setting(study), report)


def answers_of(known: Known, standard: Standard) -> list[Answer]:
    written = written_answers(known.study)
    return [_answer(known, question, _said(question, written)) for question in standard.questions]


def _said(question: DatasheetQuestion, written: dict[str, DatasheetAnswer]) -> list[DatasheetAnswer]:
    """Return what was written for the question, otherwise for related ones."""
    if question.number in written:
        return [written[question.number]]
    return [written[number] for number in question.related if number in written]


def _answer(known: Known, question: DatasheetQuestion, said: list[DatasheetAnswer]) -> Answer:
    number, text, automatic = question.number, _(question.text), _automatic(known, question)
    if said:
        return _written(question, automatic, said)
    if automatic:
        hint = _(question.to_add) if question.to_add else ""
        return Answer(number, text, DATABASE, automatic, automatic, hint)
    return Answer(number, text, MISSING, "", "", _(question.to_do) if question.to_do else "")


def _automatic(known: Known, question: DatasheetQuestion) -> str:
    """Return the answer of the database; the names of options if it knows no more."""
    if question.fact:
        return "\n".join(FACTS[question.fact](known))
    if question.pick:
        return "\n".join(named(question, PICKS[question.pick](known).get("", [])))
    return ""


def _written(question: DatasheetQuestion, automatic: str, said: list[DatasheetAnswer]) -> Answer:
    number, asked = question.number, _(question.text)
    last = max(said, key=lambda row: row.updated_at)
    author = "" if last.author is None else last.author.get_full_name() or last.author.get_username()
    text = "\n".join(dict.fromkeys(_part(row, number) for row in said))
    elsewhere = tuple(row.question for row in said if row.question != number)
    hint = ""
    if elsewhere:
        hint = _("Written for question %(numbers)s: see whether it fits.") % {"numbers": ", ".join(elsewhere)}
    missing = _missing_parts(question, elsewhere)
    if missing:
        hint += " " + _("Not answered yet, in HEDS 3.0: question %(numbers)s.") % {"numbers": ", ".join(missing)}
    return Answer(number, asked, WRITTEN, text, automatic, hint, author, last.updated_at, elsewhere, bool(missing))


def _missing_parts(question: DatasheetQuestion, answered: tuple[str, ...]) -> list[str]:
    """Return the questions of a newer standard that each ask a part of this one, without those that are answered."""
    parts = [number for number in question.related if number.startswith(f"{question.number}.")]
    return [number for number in parts if number not in answered] if {*parts} & {*answered} else []


def _part(row: DatasheetAnswer, number: str) -> str:
    """Return an answer with the question of its part: "no" alone would not say to what."""
    if not row.question.startswith(f"{number}."):
        return row.text
    return f"{_(DEFAULT.question(row.question).text)} {row.text}"


def counts_of(answers: Iterable[Answer]) -> dict[str, int]:
    """Count the answers by origin. `in_part` counts the incomplete ones: those of the database are answered."""
    found = list(answers)
    return {
        "questions": len(found),
        "answered": sum(each.origin != MISSING and not each.is_partial for each in found),
        "written": sum(each.origin == WRITTEN for each in found),
        "in_part": sum(each.is_partial or (each.origin == DATABASE and bool(each.hint)) for each in found),
        "missing": sum(each.origin == MISSING for each in found),
    }


def by_section(standard: Standard, answers: Iterable[Answer]) -> list[tuple[str, str, list[Answer]]]:
    """Return (number, name, answers) for each section."""
    found = list(answers)
    return [
        (number, str(name), [each for each in found if standard.section_of(each.number) == number])
        for number, name in standard.sections.items()
    ]


# --- files: call these functions with English active, as for every download ------------------------------
def answered(answers: Iterable[Answer]) -> list[Answered]:
    return [Answered(each.number, each.question, each.text or None, each.origin) for each in answers]


def as_json(study: Study, standard: Standard, answers: list[Answer], *, now: datetime) -> str:
    details = [
        {
            "to_add": each.hint or None,
            "author": each.author or None,
            "written_at": each.at and each.at.isoformat(),
            "written_for": list(each.written_for) or None,
        }
        for each in answers
    ]
    document = {
        "study": study.slug,
        "name": study.name,
        "standard": standard.key,
        "questions_after": standard.source,
        "generated_at": now.isoformat(timespec="seconds"),
        "counts": counts_of(answers),
        "answers": [plain(row) | more for row, more in zip(answered(answers), details, strict=True)],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def as_markdown(study: Study, standard: Standard, answers: list[Answer], *, now: datetime) -> str:
    counts = counts_of(answers)
    lines = [
        f"# Human-evaluation datasheet: {html.escape(' '.join(study.name.split()), quote=False)}",
        f"Questions after {standard.source}, in words of our own. "
        f"{counts['answered']} of {counts['questions']} are answered. As of {now:%Y-%m-%d}.",
    ]
    for number, name, part in by_section(standard, answers):
        lines.append(f"## {number} {name}")
        for each in part:
            lines.append(f"### {each.number} {each.question}")
            if each.text:  # quoted, so that no line is a heading of the document; two spaces keep line breaks
                lines.append("\n".join(f"> {html.escape(line, quote=False)}  " for line in each.text.splitlines()))
            lines.append(f"*{origin_of(each)}*" + (f" {each.hint}" if each.hint else ""))
    return "\n\n".join(lines) + "\n"


def origin_of(answer: Answer) -> str:
    """Return one sentence on where the answer comes from."""
    if answer.origin == MISSING:
        return _("Missing.")
    if answer.at is None:
        return _("Partly from the database.") if answer.hint else _("From the database.")
    day = {"name": answer.author, "date": answer.at.date().isoformat()}
    return _("Written by %(name)s on %(date)s.") % day if answer.author else _("Written on %(date)s.") % day
