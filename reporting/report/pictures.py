"""The charts of the report: agreement, positive votes, reasons for negative votes, and final labels."""

from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from measures.labels import WordScale
from reporting.charts import Bar, BarGroup, Dot, DotGroup, DotRow, bar_figure, dot_figure
from reporting.report.pivot import Pivot


def agreement_picture(agreement: Pivot, word_scale: str) -> SafeString | str:
    """Draw Fleiss' kappa by criterion with a dot per source. Return "" if it is undefined everywhere."""
    groups = [
        DotGroup(name, tuple(_dot_row(source, cells[at]) for source, _is_reference, cells in agreement.rows))
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


def _dot_row(source: str, cell: dict | None) -> DotRow:
    if cell is None or cell["pooled"] is None:
        return DotRow(source, None, note=_("undefined"))
    parts = tuple(value for value in cell["per_batch"] if value is not None)
    return DotRow(source, Dot(cell["pooled"], cell["pooled_low"], cell["pooled_high"]), parts, cell["mean"])


def votes_picture(votes: Pivot) -> SafeString | str:
    """Draw the positive share of all votes by criterion with a bar per source.

    Return "" without positive votes, as for a scale without a positive option, such as 1 to 5.
    """
    if not any(cell and cell["positive"] for _source, _is_reference, cells in votes.rows for cell in cells):
        return ""
    return bar_figure(
        name="votes",
        title=_("Positive votes by criterion and source"),
        description=_("Share of all votes that are positive. The table has the same numbers."),
        groups=_groups(votes, "percent_positive"),
        series=[source for source, _is_reference, _cells in votes.rows],
        high=1.0,
    )


def errors_picture(errors: Pivot) -> SafeString | str:
    """Draw the share of all votes with each reason, with a bar per source. Return "" without reasons."""
    if not errors.rows:
        return ""
    return bar_figure(
        name="errors",
        title=_("Reasons for negative votes"),
        description=_("Share of all votes that gave the reason. The table has the same numbers."),
        groups=_groups(errors, "percent"),
        series=[source for source, _is_reference, _cells in errors.rows],
    )


def labels_picture(data_set: dict[str, Any] | None) -> SafeString | str:
    """Draw the share of each final label. Return "" without labels."""
    if data_set is None or not any(row["n"] for row in data_set["labels"]):
        return ""
    total = sum(row["n"] for row in data_set["labels"])
    bars = tuple(Bar(label=row["value"], value=row["n"] / total, title=row["value"]) for row in data_set["labels"])
    return bar_figure(
        name="labels",
        title=_("Final labels of the dialogues"),
        description=_("Share of the dialogues with each final label. The table has the same numbers."),
        groups=[BarGroup(_("Final labels"), bars)],
    )


def _groups(pivot: Pivot, value: str) -> list[BarGroup]:
    return [
        BarGroup(
            name,
            tuple(
                _bar(source, cells[at], value, series)
                for series, (source, _is_reference, cells) in enumerate(pivot.rows)
            ),
        )
        for at, name in enumerate(pivot.columns)
    ]


def _bar(source: str, cell: dict | None, value: str, series: int) -> Bar:
    share = None if cell is None or cell[value] is None else cell[value] / 100
    return Bar(label=source, value=share, series=series, title=source)
