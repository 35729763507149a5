"""Name the options of comparisons by source, as their answers are stored, in every table of the report.

The criteria also get the orders in which their agreement is computed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from annotation.models import Source
from annotation.pairings import Pairings, in_orders_of
from protocols.models import Option, ProtocolVersion
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec

SIDES = (Option.Role.LEFT, Option.Role.RIGHT)
# The first source of a pair and the second, on whichever side they stood, where pairs are of several sources.
LETTERS = ("A", "B")


# By criterion id, what its cells store.
Stored = Mapping[int, Sequence[Mapping[str, int]]]


def by_candidate(spec: VersionSpec, pairings: Stored, sources: Iterable[Source]) -> VersionSpec:
    """Return the spec with options that choose a source instead of a side."""
    if ProtocolVersion.Unit.COMPARISON not in spec.units:
        return spec
    names: dict[str, str] = dict(zip(SIDES, _names(chain.from_iterable(pairings.values()), sources), strict=True))
    criteria = tuple(in_orders_of(_named(each, names), pairings.get(each.id, ())) for each in spec.criteria)
    return replace(
        spec,
        criteria=criteria,
        by_key={each.key: each for each in criteria},
        by_id={each.id: each for each in criteria},
    )


def _names(pairings: Iterable[Mapping[str, int]], sources: Iterable[Source]) -> tuple[str, str]:
    """Return the names of the first and the second source if all answers are about these two, otherwise letters."""
    pairs = {vote[:2] for counts in pairings for vote in Pairings.from_json(counts).votes}
    if len(pairs) != 1:
        return LETTERS
    ((first, second),) = pairs
    names = {source.pk: source.name for source in sources}
    return names[first], names[second]


def _named(criterion: CriterionSpec, names: Mapping[str, str]) -> CriterionSpec:
    has_degrees = sum(each.role in SIDES for each in criterion.options) > len(SIDES)
    options = tuple(
        replace(each, label=names[each.role] + (_degree(criterion, each) if has_degrees else ""))
        if each.role in SIDES
        else each
        for each in criterion.options
    )
    return replace(criterion, options=options)


def _degree(criterion: CriterionSpec, option: OptionSpec) -> str:
    """Return the degree in the words of both sides: each annotator saw the source on one of them."""
    return f": {option.label} / {criterion.mirrors[option.id].label}"
