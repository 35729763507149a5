"""Which sources of a ranking differ, in words."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from reporting.report.rankings import CriterionRanking


def differing_pairs(ranking: CriterionRanking, names: Mapping[str | None, str]) -> list[str]:
    """Return the pairs whose strengths differ, all at once, from the strongest source on."""
    order = [row.source for row in ranking.sources]
    found = sorted(tuple(map(order.index, pair.better_and_worse)) for pair in ranking.differing)
    pairs = [{"better": names[order[better]], "worse": names[order[worse]]} for better, worse in found]
    return [_("%(better)s over %(worse)s") % each for each in pairs]
