"""Forest plots of the comparison of sources: means, and differences."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from measures.mixed.sources import BEYOND_SCALE
from reporting.charts import Estimated, EstimatedGroup, forest_figure, interval_text
from reporting.report.behaviours import Behaviour
from reporting.report.comparisons import ModelLimits, SourceComparison, SourcePair, SourceScore
from reporting.report.resampled import Limits

Names = Mapping[str, Mapping[Any, str]]


def means_picture(rows: Sequence[SourceComparison], names: Names) -> SafeString:
    """Draw the means by criterion with a dot per source. Return "" if no mean has an interval."""
    groups = [
        EstimatedGroup(
            names["criteria"][row.criterion],
            row.score or "",
            tuple(_mean(each, names) for each in row.means),
            None if row.scale_low is None or row.scale_high is None else (row.scale_low, row.scale_high),
        )
        for row in rows
        if any(each.limits.low is not None for each in row.means)
    ]
    return forest_figure(
        name="means",
        title=_("Means of the sources"),
        description=_("Dots show the mean of a source, lines its 95 %% interval. The table has the same numbers.") % {},
        groups=groups,
        dot_means=_("mean, 95 %% interval") % {},
    )


def rates_picture(rows: Sequence[Behaviour], names: Names) -> SafeString:
    """Draw the rates of the behaviours with a dot per source. Return "" if no rate has an interval."""
    groups = [
        EstimatedGroup(row.label, "rate", tuple(_mean(each, names) for each in row.rates.means))
        for row in rows
        if any(each.limits.low is not None for each in row.rates.means)
    ]
    return forest_figure(
        name="behaviours",
        title=_("Rates of the behaviours"),
        description=_(
            "Dots show the mean of the mixed model for the behaviour, lines its 95 %% interval. The table has the same "
            "numbers."
        )
        % {},
        groups=groups,
        dot_means=_("mean of the mixed model, 95 %% interval") % {},
        has_zero=True,
    )


def has_few_data(limits: ModelLimits | Limits) -> bool:
    """Return whether an interval is rough. One of a mean that is put at the end of the scale need not be."""
    return limits.low is not None and limits.interval_note not in (None, BEYOND_SCALE)


def _mean(row: SourceScore, names: Names) -> Estimated:
    low, high = row.limits.low, row.limits.high
    text = interval_text(row.mean, low, high)
    label, said = names["sources"][row.source], f"{text} {row.letters or ''}".rstrip()
    return Estimated(label, row.mean, low, high, said, has_few_data=has_few_data(row.limits))


def differences_picture(rows: Sequence[SourceComparison], names: Names) -> SafeString:
    """Draw the differences by criterion with a dot per pair of sources. Return "" if none has an interval."""
    groups = [
        EstimatedGroup(
            names["criteria"][row.criterion], row.score or "", tuple(_difference(each, names) for each in row.pairs)
        )
        for row in rows
        if any(each.limits.low is not None for each in row.pairs)
    ]
    return forest_figure(
        name="differences",
        title=_("Differences between sources"),
        description=_(
            "Marks show the difference of two means, lines its 95 %% interval, which is not corrected. A full dot "
            "differs significantly after Holm's correction, a ring does not. The tables have the same numbers."
        )
        % {},
        groups=groups,
        dot_means=_("difference, p at most .05 after Holm"),
        ring_means=_("difference, p above .05 after Holm"),
        has_zero=True,
    )


def _difference(row: SourcePair, names: Names) -> Estimated:
    sources = names["sources"]
    return Estimated(
        label=_("%(first)s − %(second)s") % {"first": sources[row.source_a], "second": sources[row.source_b]},
        value=row.difference,
        low=row.limits.low,
        high=row.limits.high,
        text=interval_text(row.difference, row.limits.low, row.limits.high, "+.2f"),
        is_open=not row.is_significant,
        has_few_data=has_few_data(row.limits),
    )
