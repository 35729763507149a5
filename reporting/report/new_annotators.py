"""Agreement for new annotators: intervals in which the annotators are a sample too, and not only the items."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.agreement_cells import counted_places, n_counted, on_scale
from measures.intervals import Interval, KernelMaker, in_both_orders
from measures.population import Votes, population_intervals
from reporting.study.votes import CriterionVotes


@dataclass(frozen=True, slots=True)
class NewAnnotators:
    """The 95 % interval of a coefficient for other annotators of the same kind; without one, the note says why."""

    low: float | None
    high: float | None
    interval_note: str | None


def for_new_annotators(
    votes: CriterionVotes, kernel_makers: Mapping[str, KernelMaker], limits: Mapping[str, Interval]
) -> dict[str, NewAnnotators]:
    """Return the intervals over the items of all sources and batches, of the coefficients in `limits`.

    `limits` are those for the present annotators: a coefficient without them has no interval here either.
    """
    code = counted_places(votes.criterion)[votes.code]
    kept = code >= 0
    item = votes.item[kept]
    of = Votes(item, votes.annotator[kept], votes.items.groups[item], code[kept], n_counted(votes.criterion))
    mirror = on_scale(votes.criterion).mirror
    known = {name: in_both_orders(kernel_makers[name], mirror) for name, each in limits.items() if each.low is not None}
    found = dict(zip(known, population_intervals(of, list(known.values())), strict=True))
    return {
        name: NewAnnotators(found[name].low, found[name].high, found[name].note)
        if name in found
        else NewAnnotators(None, None, each.note)
        for name, each in limits.items()
    }
