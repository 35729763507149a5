"""The two pictures of the report: shares of positive votes, and of the reasons for negative ones."""

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from reporting.figures import Bar, BarGroup, bar_figure
from reporting.report.pivot import Pivot


def votes_picture(votes: Pivot) -> SafeString:
    """D-21: positive share of all votes, criteria grouped, a bar per source."""
    return bar_figure(
        name="votes",
        title=_("Positive votes per criterion and source"),
        description=_("Share of all votes that are positive. The table below holds the same numbers."),
        groups=_groups(votes, "percent_positive"),
        series=[source for source, _is_reference, _cells in votes.rows],
        high=1.0,
    )


def errors_picture(errors: Pivot) -> SafeString:
    """D-20: share of all votes with each reason, reasons grouped, a bar per source."""
    return bar_figure(
        name="errors",
        title=_("Reasons for negative votes"),
        description=_("Share of all votes that gave the reason. The table below holds the same numbers."),
        groups=_groups(errors, "percent"),
        series=[source for source, _is_reference, _cells in errors.rows],
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
