"""The charts that can be downloaded one by one; each reads only the part of the report that it draws."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils import timezone

from annotation.models import Study
from reporting.board.pairs import board_pairs, pair_picture
from reporting.board.quality_page import board_course, course_picture
from reporting.board.rows import board_data
from reporting.board.tables import agreement_picture as board_agreement_picture
from reporting.predictions.distribution import distribution_of
from reporting.predictions.page import distribution_figure
from reporting.predictions.table import Comparison
from reporting.report.build import Report, open_report
from reporting.report.model_pictures import differences_picture, means_picture, rates_picture
from reporting.report.pictures import (
    agreement_picture,
    alphas_picture,
    errors_picture,
    labels_picture,
    ranking_picture,
    ranks_picture,
    votes_picture,
)
from reporting.report.pivot import agreement_of, by_reason, by_source, names_of

Query = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FigureFile:
    """`draw` returns an empty string if there is nothing to draw yet; `page` is the URL name of the chart's page."""

    draw: Callable[[Study, Query], str]
    page: str = "report"


def _of_report(draw: Callable[[Report], str]) -> FigureFile:
    """Return the file of a chart of the report, which computes only the parts that are drawn."""
    return FigureFile(lambda study, _query: draw(open_report(study, now=timezone.now())))


def _predicted(study: Study, query: Query) -> str:
    """Draw the chart of the metric (by token) and the criterion (by key) in the query."""
    comparison = Comparison(study)
    for metric, criterion in comparison.pairs:
        if (str(metric.token), criterion.key) == (query.get("metric"), query.get("criterion")):
            return distribution_figure(metric, distribution_of(comparison, metric, criterion))
    return ""


# Charts of the board, as it shows them for the same query.
def _board_agreement(study: Study, query: Query) -> str:
    data = board_data(study, query)
    return board_agreement_picture(data) if data.cells.get(None) else ""


def _board_pairs(study: Study, query: Query) -> str:
    data = board_data(study, query)
    pairs = board_pairs(data) if data.is_rated else None
    return pair_picture(pairs) if pairs and pairs.pairs else ""


def _board_course(study: Study, query: Query) -> str:
    course = board_course(study, query)
    return course_picture(course) if course else ""


FIGURES = {
    "means": _of_report(lambda it: means_picture(it.comparisons, names_of(it))),
    "differences": _of_report(lambda it: differences_picture(it.comparisons, names_of(it))),
    "behaviours": _of_report(lambda it: rates_picture(it.behaviours, names_of(it))),
    "agreement": _of_report(lambda it: agreement_picture(agreement_of(it, has_order=False), it.study.word_scale)),
    "alphas": _of_report(lambda it: alphas_picture(agreement_of(it, has_order=True))),
    "votes": _of_report(lambda it: votes_picture(by_source(it, it.votes))),
    "ranking": _of_report(ranking_picture),
    "ranks": _of_report(ranks_picture),
    "errors": _of_report(lambda it: errors_picture(by_reason(it))),
    "labels": _of_report(lambda it: labels_picture(it.data_set)),
    "predicted": FigureFile(_predicted, "predictions"),
    "board-agreement": FigureFile(_board_agreement, "board"),
    "board-pairs": FigureFile(_board_pairs, "board"),
    "board-course": FigureFile(_board_course, "board_quality"),
}
