"""The quality page of the board: annotators compared, the control chart of one, and batches compared with the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.agreement_cells import alike
from annotation.models import Study
from parley.numbers import number
from protocols.specs import CriterionSpec
from reporting.board import quality, quality_batches
from reporting.board.annotators import PEOPLE, Person, people_of, with_interval
from reporting.board.batch_drift import DriftLine, drift_lines
from reporting.board.course import CHARTS, USUAL_CHART, Course, course_of, usual_agreement
from reporting.board.course_chart import HOW, NAMES, course_facts, course_picture, course_sentence
from reporting.board.rows import BoardData, board_data, scopes_of
from reporting.explained import Figure

Watched = tuple[tuple[CriterionSpec, ...], list[Person], Person | None, Course | None]


@dataclass(frozen=True, slots=True)
class PersonRow:
    pk: int
    pseudonym: str
    is_flagged: bool
    look: Figure
    kappa: Figure
    limits: Figure
    agreement: Figure
    without: Figure
    entropy: Figure
    pace: Figure


@dataclass(frozen=True, slots=True)
class BatchRow:
    key: str
    pk: int
    is_flagged: bool
    batch: Figure
    rest: Figure
    difference: Figure
    p_value: Figure
    cause: Figure


def quality_page(study: Study, query: Mapping[str, str]) -> dict[str, Any]:
    data = board_data(study, query)
    criteria, people, person, course = _watched(data, query)
    shown = Paginator(people, PEOPLE).get_page(query.get("people", "1"))
    kind = chart_of(query)
    chosen = _chosen(data, query, person, shown)
    is_whole = len(criteria) == len(data.spec.voted) > 1
    return {
        "data": data,
        "choice": data.choice,
        "scopes": scopes_of(data.spec),
        "scope": _("all criteria") if is_whole else ", ".join(criterion.name for criterion in criteria),
        "is_partial": len(alike(data.choice.criteria)) > 1,
        "people": shown,
        "rows": [_person_row(each, study) for each in shown.object_list],
        "names": sorted(each.pseudonym for each in people),
        "charts": NAMES.items(),
        "chart": kind,
        "floor": "" if study.kappa_floor is None else number(study.kappa_floor),
        "course": course,
        "course_facts": course_facts(course) if course else [],
        "course_how": _(HOW[kind]),
        "course_words": course_sentence(course) if course else "",
        "course_picture": course_picture(course) if course else "",
        "course_query": urlencode(chosen | {"annotator": person.pseudonym}) if person else "",
        "batches": [_batch_row(line) for line in drift_lines(data, criteria)] if criteria else [],
        "chosen": chosen,
        "earlier": urlencode(chosen | {"page": str(data.page.number - 1)}),
        "later": urlencode(chosen | {"page": str(data.page.number + 1)}),
        "fewer": urlencode(chosen | {"people": str(shown.number - 1)}),
        "more": urlencode(chosen | {"people": str(shown.number + 1)}),
    }


def board_course(study: Study, query: Mapping[str, str]) -> Course | None:
    """Return the course that the page shows for the same query."""
    *_people, course = _watched(board_data(study, query), query)
    return course


def _watched(data: BoardData, query: Mapping[str, str]) -> Watched:
    """Return the first group of criteria with the same answers, its annotators, one of them, and that one's course."""
    criteria = next(iter(alike(data.choice.criteria)), ())
    people = people_of(data, criteria) if criteria else []
    # The requested annotator, or the first in the table, who most needs a look.
    named = (each for each in people if each.pseudonym == query.get("annotator", ""))
    person = next(named, next(iter(people), None))
    course = course_of(person, criteria, usual_agreement(people), chart_of(query)) if person else None
    return criteria, people, person, course


def chart_of(query: Mapping[str, str]) -> str:
    return query["chart"] if query.get("chart") in CHARTS else USUAL_CHART


def _chosen(data: BoardData, query: Mapping[str, str], person: Person | None, people: Page) -> dict[str, str]:
    """Return the query parameters of this view, without defaults."""
    asked = query.get("annotator", "")
    values = {
        "annotator": asked if person and person.pseudonym == asked else "",
        "chart": chart_of(query),
        "criterion": data.choice.scope.key,
        "page": data.choice.page,
        "people": str(people.number),
    }
    usual = {"page": "1", "people": "1", "chart": USUAL_CHART}
    return {name: value for name, value in values.items() if value and value != usual.get(name)}


def _person_row(person: Person, study: Study) -> PersonRow:
    found, square = with_interval(person, seed=study.seed), person.square
    return PersonRow(
        pk=person.pk,
        pseudonym=person.pseudonym,
        is_flagged=bool(person.reasons),
        look=quality.look_figure(person),
        kappa=quality.majority_figure(found, square),
        limits=quality.limits_figure(found, square, study.kappa_floor),
        agreement=quality.agreement_figure(found),
        without=quality.without_figure(person.without),
        entropy=quality.entropy_figure(person.entropy),
        pace=quality.pace_figure(person.speed),
    )


def _batch_row(line: DriftLine) -> BatchRow:
    return BatchRow(
        key=line.key,
        pk=line.pk,
        is_flagged=line.cause in ("annotator", "hard_batch"),
        batch=quality_batches.kappa_figure(line.drift.batch, line.batch, gettext_noop("Kappa of the batch")),
        rest=quality_batches.kappa_figure(line.drift.rest, line.rest, gettext_noop("Kappa of the rest")),
        difference=quality_batches.difference_figure(line),
        p_value=quality_batches.p_figure(line),
        cause=quality_batches.cause_figure(line),
    )
