"""Decide which questions are asked after which answers, and compute answers that are not asked. Pure functions."""

from collections.abc import Iterable, Mapping

from protocols.specs import Condition, CriterionSpec, VersionSpec

Given = Mapping[str, str]  # {criterion key: option key} of the answers to one item and to the units above it


def holds(conditions: Iterable[Condition], given: Given) -> bool:
    return all(given.get(each.criterion) in each.options for each in conditions)


def asked(spec: VersionSpec, unit: str, given: Given) -> list[CriterionSpec]:
    """Return the questions of an item that are asked now, in their order.

    An answer to a question that is no longer asked does not count, so questions that depend on it are not asked.
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
    """Return the option's key from the first rule that holds; None if no rule holds."""
    return next((rule.option for rule in criterion.rules if holds(rule.when, given)), None)
