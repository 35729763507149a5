"""The charts of the report: agreement, positive votes, win rates, reasons for negative votes, and final labels."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from measures.labels import WordScale
from reporting.charts import (
    Bar,
    BarGroup,
    Dot,
    DotGroup,
    DotRow,
    Estimated,
    EstimatedGroup,
    bar_figure,
    dot_figure,
    forest_figure,
    interval_text,
)
from reporting.report.build import DataSet, Report
from reporting.report.coefficients import Agreement
from reporting.report.model_pictures import has_few_data
from reporting.report.pivot import Pivot
from reporting.report.rankings import RankedSource
from reporting.report.tables import Errors, Votes

T = TypeVar("T")


def agreement_picture(agreement: Pivot[Agreement], word_scale: str) -> SafeString | str:
    """Draw Fleiss' kappa by criterion with a dot per source. Return "" if it is undefined everywhere."""
    groups = [
        DotGroup(name, tuple(_dot_row(row.name, row.cells[at]) for row in agreement.rows))
        for at, name in enumerate(agreement.columns)
    ]
    if not any(row.dot for group in groups for row in group.rows):
        return ""
    return dot_figure(
        name="agreement",
        title=_("Fleiss' kappa by criterion and source"),
        description=_(
            "Dots show the kappa of all items together with its 95 %% interval, diamonds the mean over "
            "batches, and short lines the batches. The table has the same numbers."
        )
        % {},
        groups=groups,
        dot_means=_("all items together"),
        part_means=_("a batch"),
        has_words=word_scale == WordScale.LANDIS_KOCH,
    )


def _dot_row(source: str, cell: Agreement | None) -> DotRow:
    if cell is None or cell.pooled is None:
        return DotRow(source, None, note=_("undefined"))
    parts = tuple(value for value in cell.per_batch if value is not None)
    dot = Dot(cell.pooled, cell.pooled_limits.low, cell.pooled_limits.high)
    return DotRow(source, dot, parts, cell.mean)


def alphas_picture(agreement: Pivot[Agreement]) -> SafeString | str:
    """Draw Krippendorff's alpha by criterion with a dot per source. Return "" if it is undefined everywhere."""
    groups = [
        EstimatedGroup(name, "", tuple(_alpha(row.name, row.cells[at]) for row in agreement.rows))
        for at, name in enumerate(agreement.columns)
    ]
    if all(row.value is None for group in groups for row in group.rows):
        return ""
    return forest_figure(
        name="alphas",
        title=_("Krippendorff's alpha by criterion and source"),
        description=_(
            "Dots show alpha at the scale of the criterion, lines its 95 %% interval. The table has the same numbers."
        )
        % {},
        groups=groups,
        dot_means=_("alpha, 95 %% interval") % {},
    )


def _alpha(source: str, cell: Agreement | None) -> Estimated:
    if cell is None or cell.alpha is None:
        return Estimated(source, None, text=_("undefined"))
    low, high = cell.alpha_limits.low, cell.alpha_limits.high
    text = interval_text(cell.alpha, low, high)
    return Estimated(source, cell.alpha, low, high, text, has_few_data=has_few_data(cell.alpha_limits))


def votes_picture(votes: Pivot[Votes]) -> SafeString | str:
    """Draw the positive share of all votes by criterion with a bar per source.

    Return "" without positive votes, as for a scale without a positive option, such as 1 to 5.
    """
    if not any(cell and cell.positive for row in votes.rows for cell in row.cells):
        return ""
    return bar_figure(
        name="votes",
        title=_("Positive votes by criterion and source"),
        description=_("Share of all votes that are positive. The table has the same numbers."),
        groups=_groups(votes, lambda cell: cell.percent_positive),
        series=[row.name for row in votes.rows],
        high=1.0,
    )


def ranking_picture(report: Report) -> SafeString | str:
    """Draw the expected win rates by criterion with a dot per source. Return "" if no source is ranked."""
    criteria = {each.key: each.name for each in report.protocol.criteria}
    sources = {each.key: each.name for each in report.sources}
    groups = [
        DotGroup(criteria[each.criterion], tuple(_win_rate(row, sources[row.source]) for row in each.sources))
        for each in report.rankings
    ]
    if not any(row.dot for group in groups for row in group.rows):
        return ""
    return dot_figure(
        name="ranking",
        title=_("Expected win rates by criterion and source"),
        description=_(
            "The expected score of each source against the others, a tie counting half, with its 95 %% interval. "
            "The table has the same numbers."
        )
        % {},
        groups=groups,
        dot_means=_("expected win rate"),
        form=".0%",
        has_intervals_in_words=True,
        middle_means=_("50 %%: wins as many as it loses") % {},
    )


def _win_rate(row: RankedSource, label: str) -> DotRow:
    if row.win_rate.value is None:
        return DotRow(label, None, note=_("undefined"))
    return DotRow(label, Dot(row.win_rate.value, row.win_rate.low, row.win_rate.high))


def ranks_picture(report: Report) -> SafeString | str:
    """Draw the ranks that each source may have, by criterion. Return "" if no source has ranks."""
    criteria = {each.key: each.name for each in report.protocol.criteria}
    sources = {each.key: each.name for each in report.sources}
    groups = [
        EstimatedGroup(
            criteria[each.criterion],
            "rank",
            tuple(_rank(place, row, sources[row.source]) for place, row in enumerate(each.sources, start=1)),
        )
        for each in report.rankings
        if any(row.best_rank is not None for row in each.sources)
    ]
    return forest_figure(
        name="ranks",
        title=_("Ranks by criterion and source"),
        description=_(
            "Lines show the ranks that a source may have, for all sources at once with 95 per cent confidence. Dots "
            "show its place by strength; 1 is the best. The table has the same ranks."
        ),
        groups=groups,
        dot_means=_("place by strength, and possible ranks"),
        least_step=1.0,
    )


def _rank(place: int, row: RankedSource, label: str) -> Estimated:
    if row.best_rank is None or row.worst_rank is None:
        return Estimated(label, None, text=_("undefined"))
    text = str(row.best_rank) if row.best_rank == row.worst_rank else f"{row.best_rank}–{row.worst_rank}"
    return Estimated(label, float(place), float(row.best_rank), float(row.worst_rank), text)


def errors_picture(errors: Pivot[Errors]) -> SafeString | str:
    """Draw the share of all votes with each reason, with a bar per source. Return "" without reasons."""
    if not errors.rows:
        return ""
    return bar_figure(
        name="errors",
        title=_("Reasons for negative votes"),
        description=_("Share of all votes that gave the reason. The table has the same numbers."),
        groups=_groups(errors, lambda cell: cell.percent),
        series=[row.name for row in errors.rows],
    )


def labels_picture(data_set: DataSet | None) -> SafeString | str:
    """Draw the share of each final label. Return "" without labels."""
    total = sum(row.n for row in data_set.labels) if data_set else 0
    if data_set is None or not total:
        return ""
    bars = tuple(Bar(label=row.value or "", value=row.n / total, title=row.value or "") for row in data_set.labels)
    return bar_figure(
        name="labels",
        title=_("Final labels of the dialogues"),
        description=_("Share of the dialogues with each final label. The table has the same numbers."),
        groups=[BarGroup(_("Final labels"), bars)],
    )


def _groups(pivot: Pivot[T], percent: Callable[[T], float | None]) -> list[BarGroup]:
    return [
        BarGroup(
            name,
            tuple(
                Bar(label=row.name, value=_share(row.cells[at], percent), series=series, title=row.name)
                for series, row in enumerate(pivot.rows)
            ),
        )
        for at, name in enumerate(pivot.columns)
    ]


def _share(cell: T | None, percent: Callable[[T], float | None]) -> float | None:
    value = None if cell is None else percent(cell)
    return None if value is None else value / 100
