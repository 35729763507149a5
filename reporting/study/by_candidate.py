"""Name the options of comparisons by candidate, as their answers are stored, in every table of the report."""

from dataclasses import replace

from protocols.models import Option, ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec

# Whatever the options are called, (A) is the first source of a pair and (B) the second, on whichever side they stood.
LETTERS = {Option.Role.LEFT: "A", Option.Role.RIGHT: "B"}


def by_candidate(spec: VersionSpec) -> VersionSpec:
    """Return the spec with a letter after the label of each option that chooses a side."""
    if ProtocolVersion.Unit.COMPARISON not in spec.units:
        return spec
    criteria = tuple(map(_named, spec.criteria))
    return replace(
        spec,
        criteria=criteria,
        by_key={each.key: each for each in criteria},
        by_id={each.id: each for each in criteria},
    )


def _named(criterion: CriterionSpec) -> CriterionSpec:
    options = tuple(
        replace(each, label=f"{each.label} ({LETTERS[Option.Role(each.role)]})") if each.role in LETTERS else each
        for each in criterion.options
    )
    return replace(criterion, options=options)
