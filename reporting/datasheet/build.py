"""Build the human-evaluation datasheet of a study: every question with its answer and the origin of the answer."""

import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from annotation.models import Study
from protocols.translating import spec_in
from reporting.datasheet import criteria, facts
from reporting.datasheet.facts import Known
from reporting.datasheet.questions import QUESTIONS, SECTIONS, SOURCE
from reporting.datasheet.selectors import setting_of, written_answers
from reporting.study.facts import People
from reporting.study.plain import plain

if TYPE_CHECKING:
    from reporting.report.build import Report

WRITTEN, DATABASE, MISSING = "written", "database", "missing"
FACTS = facts.FACTS | criteria.FACTS


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; `text` is empty if it is missing.

    `automatic` is the answer of the database, even if somebody wrote another one. `hint` says what is left to write,
    and is empty if nothing is.
    """

    number: str
    question: str
    origin: str
    text: str
    automatic: str
    hint: str
    author: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer in the report and in files; None if it is missing."""

    number: str
    question: str
    answer: str | None
    origin: str


def datasheet(study: Study, report: "Report", people: People) -> list[Answer]:
    """Return the answers to all questions in order, in the active language. `report` may compute its parts lazily."""
    spec = spec_in(study.protocol_version, study.content_language)
    known = Known(study, spec, people, setting_of(study), report)
    written = written_answers(study)
    answers = []
    for question in QUESTIONS:
        number, text = question.number, _(question.text)
        automatic = "\n".join(FACTS[question.fact](known)) if question.fact else ""
        if said := written.get(number):
            author = "" if said.author is None else said.author.get_full_name() or said.author.get_username()
            answers.append(Answer(number, text, WRITTEN, said.text, automatic, "", author, said.updated_at))
        elif automatic:
            hint = _(question.to_add) if question.to_add else ""
            answers.append(Answer(number, text, DATABASE, automatic, automatic, hint))
        else:
            answers.append(Answer(number, text, MISSING, "", "", _(question.to_do)))
    return answers


def counts_of(answers: Iterable[Answer]) -> dict[str, int]:
    """Count the answers by origin. `in_part` counts answers of the database that are incomplete; they are answered."""
    found = list(answers)
    return {
        "questions": len(found),
        "answered": sum(each.origin != MISSING for each in found),
        "written": sum(each.origin == WRITTEN for each in found),
        "in_part": sum(each.origin == DATABASE and bool(each.hint) for each in found),
        "missing": sum(each.origin == MISSING for each in found),
    }


def by_section(answers: Iterable[Answer]) -> list[tuple[str, str, list[Answer]]]:
    """Return (number, name, answers) for each section."""
    sections = {question.number: question.section for question in QUESTIONS}
    found = list(answers)
    return [
        (number, str(name), [each for each in found if sections[each.number] == number])
        for number, name in SECTIONS.items()
    ]


# --- files: call these functions with English active, as for every download ------------------------------
def answered(answers: Iterable[Answer]) -> list[Answered]:
    return [Answered(each.number, each.question, each.text or None, each.origin) for each in answers]


def as_json(study: Study, answers: list[Answer], *, now: datetime) -> str:
    details = [
        {"to_add": each.hint or None, "author": each.author or None, "written_at": each.at and each.at.isoformat()}
        for each in answers
    ]
    document = {
        "study": study.slug,
        "name": study.name,
        "questions_after": SOURCE,
        "generated_at": now.isoformat(timespec="seconds"),
        "counts": counts_of(answers),
        "answers": [plain(row) | more for row, more in zip(answered(answers), details, strict=True)],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def as_markdown(study: Study, answers: list[Answer], *, now: datetime) -> str:
    counts = counts_of(answers)
    lines = [
        f"# Human-evaluation datasheet: {html.escape(' '.join(study.name.split()), quote=False)}",
        f"Questions numbered after {SOURCE}, in words of our own. "
        f"{counts['answered']} of {counts['questions']} are answered. As of {now:%Y-%m-%d}.",
    ]
    for number, name, part in by_section(answers):
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
