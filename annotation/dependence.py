"""Which questions are asked after which answers, and what follows from answers without being asked. Pure."""

from collections.abc import Iterable, Mapping

from protocols.specs import Condition, CriterionSpec, VersionSpec

Given = Mapping[str, str]  # criterion key: option key, of the answers to one item and to what stands above it


def holds(conditions: Iterable[Condition], given: Given) -> bool:
    return all(given.get(each.criterion) in each.options for each in conditions)


def asked(spec: VersionSpec, unit: str, given: Given) -> list[CriterionSpec]:
    """The questions of an item that are asked now, in their order.

    An answer to a question that is not asked any more counts as none: what depends on it is not asked either.
    """
    counted: dict[str, str] = {}
    shown = []
    for criterion in spec.asked_of(unit):
        if holds(criterion.when, counted):
            shown.append(criterion)
            if criterion.key in given:
                counted[criterion.key] = given[criterion.key]
    return shown


def computed(criterion: CriterionSpec, given: Given) -> str | None:
    """The option's key by the first rule that holds; None while none does."""
    return next((rule.option for rule in criterion.rules if holds(rule.when, given)), None)
