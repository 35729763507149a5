"""Say which questions fewer annotators answered than rated the item."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from parley.numbers import between
from reporting.report.sizes import AnswersPerItem


def answers_lines(rows: Iterable[AnswersPerItem]) -> list[str]:
    return [_line(row) for row in rows]


def _line(row: AnswersPerItem) -> str:
    said = {
        "criterion": row.name,
        "low": row.low,
        "high": row.high,
        "mean": between(row.mean, row.low, row.high),
        "missing": f"{row.missing:,}",
    }
    if row.low == row.high:
        return _("Answers per item to %(criterion)s: %(low)s; answers not given or not asked for: %(missing)s.") % said
    return (
        _(
            "Answers per item to %(criterion)s: %(low)s to %(high)s, %(mean)s on average; answers not given or not "
            "asked for: %(missing)s."
        )
        % said
    )
