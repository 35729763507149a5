"""Say where agreement over all sources comes from the differences between them, not from agreement on each."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from parley.listing import both
from parley.numbers import number

if TYPE_CHECKING:
    from reporting.report.build import Report

CLEARLY_LOWER = 0.1  # the agreement on every source, than that over all of them


def between_sources(report: "Report") -> Iterable[str]:
    """Yield a sentence for each criterion on whose every source annotators agree clearly less than over all."""
    criteria = {each.key: each.name for each in report.criteria}
    sources = {each.key: each.name for each in report.sources}
    for row in report.agreement_overall:
        is_nominal = row.scale == "nominal"
        whole = row.fleiss_kappa if is_nominal else row.krippendorff_alpha
        cells = [each for each in report.agreement if each.criterion == row.criterion and each.source in sources]
        known = {each.source or "": each.pooled if is_nominal else each.alpha for each in cells}
        own = {source: value for source, value in known.items() if value is not None}
        if whole is None or len(own) < 2 or max(own.values()) > whole - CLEARLY_LOWER:
            continue
        sentence = _("For %(criterion)s, Krippendorff's alpha on each source alone is clearly lower: %(values)s.")
        if is_nominal:
            sentence = _("For %(criterion)s, Fleiss' kappa on each source alone is clearly lower: %(values)s.")
        values = both([f"{sources[source]} {number(value)}" for source, value in own.items()])
        yield (
            sentence % {"criterion": criteria[row.criterion], "values": values}
            + " "
            + _("The value over all sources contains the differences between them.")
        )
