"""The second part of the board: each annotator beside the others, the course of one, and batches beside the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.models import Study
from protocols.specs import CriterionSpec
from reporting import quality
from reporting.explanations import Figure
from reporting.figures import CourseWords, course_figure
from reporting.figures.drawing import number
from reporting.selectors.board import BoardData, alike, board_data, scopes_of
from reporting.selectors.board_annotators import PEOPLE, Person, people_of, with_interval
from reporting.selectors.board_batch_drift import DriftLine, drift_lines
from reporting.selectors.board_course import Course, course_of, usual_agreement


@dataclass(frozen=True, slots=True)
class PersonRow:
    pk: int
    pseudonym: str
    is_flagged: bool
    interval: str
    look: Figure
    kappa: Figure
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
    verdict: Figure


def quality_page(study: Study, query: Mapping[str, str]) -> dict[str, Any]:
    data = board_data(study, query)
    groups = alike(data.choice.criteria)
    criteria = groups[0] if groups else ()
    people = people_of(data, criteria) if criteria else []
    shown = Paginator(people, PEOPLE).get_page(query.get("people", "1"))
    person = _chosen_person(people, query.get("annotator", ""))
    course = course_of(person, criteria, usual_agreement(people)) if person else None
    chosen = _chosen(data, query, person, shown)
    return {
        "data": data,
        "choice": data.choice,
        "scopes": scopes_of(data.spec),
        "scope": _scope(data, criteria),
        "is_partial": len(groups) > 1,
        "people": shown,
        "rows": [_person_row(each, study.seed) for each in shown.object_list],
        "names": sorted(each.pseudonym for each in people),
        "course": course,
        "course_words": course_sentence(course) if course else "",
        "course_picture": course_picture(course) if course and course.chart.limit is not None else "",
        "batches": [_batch_row(line) for line in drift_lines(data, criteria)] if criteria else [],
        "chosen": chosen,
        "links": {
            "earlier": urlencode(chosen | {"page": str(data.page.number - 1)}),
            "later": urlencode(chosen | {"page": str(data.page.number + 1)}),
            "fewer": urlencode(chosen | {"people": str(shown.number - 1)}),
            "more": urlencode(chosen | {"people": str(shown.number + 1)}),
        },
    }


def _scope(data: BoardData, criteria: tuple[CriterionSpec, ...]) -> str:
    if len(criteria) == len(data.spec.voted) > 1:
        return _("all criteria")
    return ", ".join(criterion.name for criterion in criteria)


def _chosen_person(people: list[Person], pseudonym: str) -> Person | None:
    """The one asked for, or the first of the table: whoever is most worth a look."""
    return next((each for each in people if each.pseudonym == pseudonym), next(iter(people), None))


def _chosen(data: BoardData, query: Mapping[str, str], person: Person | None, people: Page) -> dict[str, str]:
    """The query string of this view; what is as always is left out."""
    asked = query.get("annotator", "")
    values = {
        "annotator": asked if person and person.pseudonym == asked else "",
        "criterion": data.choice.scope.key,
        "page": data.choice.page,
        "people": str(people.number),
    }
    usual = {"page": "1", "people": "1"}
    return {name: value for name, value in values.items() if value and value != usual.get(name)}


def _person_row(person: Person, seed: int) -> PersonRow:
    found = with_interval(person, seed=seed)
    return PersonRow(
        pk=person.pk,
        pseudonym=person.pseudonym,
        is_flagged=bool(person.reasons),
        interval=quality.limits(found.kappa),
        look=quality.look_figure(person),
        kappa=quality.majority_figure(found, person.largest_share),
        agreement=quality.agreement_figure(found),
        without=quality.without_figure(person.without),
        entropy=quality.entropy_figure(person.entropy),
        pace=quality.pace_figure(person.speed),
    )


def _batch_row(line: DriftLine) -> BatchRow:
    return BatchRow(
        key=line.key,
        pk=line.pk,
        is_flagged=line.verdict in ("annotator", "hard_batch"),
        batch=quality.kappa_figure(line.drift.batch, _("Kappa of the batch")),
        rest=quality.kappa_figure(line.drift.rest, _("Kappa of the rest")),
        difference=quality.difference_figure(line),
        p_value=quality.p_figure(line),
        verdict=quality.verdict_figure(line),
    )


# --- the course of one annotator
def course_picture(course: Course) -> SafeString:
    chart, name = course.chart, course.person.pseudonym
    shares = {"p0": number(chart.p0, ".0%"), "p1": number(chart.p1, ".0%")}
    return course_figure(
        name="board-course",
        title=_("Agreement of %(name)s with the majority of the others, as a control chart") % {"name": name},
        description=course_sentence(course),
        path=chart.path.tolist(),
        limit=chart.limit or 1.0,
        n_baseline=course.n_baseline,
        alarm=chart.alarm,
        words=CourseWords(
            axis=_("answers, in the order they were given"),
            limit=_("alarm: a drop from %(p0)s to %(p1)s is likely") % shares,
            baseline=_("what is usual") if course.is_own else "",
            alarm="" if chart.alarm is None else _("answer %(at)s") % {"at": f"{chart.alarm + 1:,}"},
        ),
    )


def course_sentence(course: Course) -> str:
    """What the picture shows, in words: for those who do not see it."""
    values = {
        "name": course.person.pseudonym,
        "n": f"{len(course.agrees):,}",
        "p0": number(course.chart.p0, ".0%"),
        "latest": number(course.latest_share, ".0%"),
        "known": f"{course.n_known:,}",
    }
    if course.chart.reason == "too_few_items":
        text = _("%(name)s has %(known)s answers with a majority of the others: too few for a chart.")
        return text % values
    if course.chart.reason:
        text = _("%(name)s agreed on %(p0)s of the first 50 answers only: too little for a drop to be seen.")
        return text % values
    if course.is_own:
        begun = _("%(name)s: agreement %(p0)s in the first 50 answers with a majority, %(latest)s in the last 50.")
    else:
        begun = _(
            "%(name)s: agreement %(latest)s in the last 50 answers with a majority. The own beginning is no measure, "
            "so it is held to the median of the annotators, %(p0)s."
        )
    parts = [begun % values, _alarm_sentence(course)]
    if not course.is_whole:
        parts.append(_("The latest %(n)s answers are shown.") % values)
    return " ".join(parts)


def _alarm_sentence(course: Course) -> str:
    if course.chart.alarm is None or course.alarm_at is None:
        return _("No alarm.")
    at = {
        "at": f"{course.chart.alarm + 1:,}",
        "n": f"{len(course.agrees):,}",
        "when": date_format(timezone.localtime(course.alarm_at), "DATETIME_FORMAT"),
    }
    return _("Alarm at answer %(at)s of %(n)s, on %(when)s: look at the answers from a little before it.") % at
