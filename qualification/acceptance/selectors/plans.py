"""Read an acceptance plan: its rule for the measures, its criterion and the labels that are classes."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from measures.acceptance import FixedRule, SharesRule
from measures.acceptance_curves import Curve, Rule, kept_curve
from measures.sequential import SequentialRule
from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec
from qualification.models import AcceptancePlan

Kind = AcceptancePlan.Kind
RULES: dict[str, type[Rule]] = {Kind.SHARES: SharesRule, Kind.FIXED: FixedRule, Kind.SEQUENTIAL: SequentialRule}
NO_CLASS = (Option.Role.UNSURE, Option.Role.EXCLUDING)
# The mix of classes assumed before any batch is known: for three classes that of DiQAD, otherwise equal shares.
PUBLISHED_MIX = (0.196, 0.363, 0.441)
PUBLISHED_SIZE = 2000
STEP, WIDEST = 0.01, 0.20


def rule_of(kind: str, numbers: Mapping[str, Any]) -> Rule:
    """Return the rule of a kind with these numbers. Raise ValueError if they make no rule."""
    rule = RULES[kind]
    return rule(**{field.name: numbers[field.name] for field in fields(rule)})


def plan_as_data(plan: AcceptancePlan, criterion: CriterionSpec) -> dict[str, Any]:
    """Return the plan as it stands, to keep with a sample: later changes of the plan must not affect it."""
    rule = rule_of(plan.kind, vars(plan))
    return {"kind": plan.kind, "is_blind": plan.is_blind, "criterion": criterion.key, **asdict(rule)}


def rule_of_data(plan: Mapping[str, Any]) -> Rule:
    return rule_of(plan["kind"], plan)


def n_wanted(rule: Rule) -> int:
    """Return how many items are drawn before any top-up; for a sequential rule, at most."""
    return rule.most_sampled if isinstance(rule, SequentialRule) else rule.n_sample


def class_options(criterion: CriterionSpec) -> list[OptionSpec]:
    """Return the options that are classes: not "I don't know", nor options that exclude the item."""
    return [option for option in criterion.options if option.role not in NO_CLASS]


def answer_options(criterion: CriterionSpec) -> list[OptionSpec]:
    """Return all options a controller may choose, the classes first."""
    labels = class_options(criterion)
    return [*labels, *(option for option in criterion.options if option not in labels)]


def reviewable(spec: VersionSpec, *, is_blind: bool = True) -> list[CriterionSpec]:
    """Return criteria that can be reviewed item by item: asked of everybody, or computed from the item's own answers.

    A computed criterion can only be reviewed blind: with the label shown, only its own question would be asked.
    """
    of_own_item = [
        each
        for each in spec.computed
        if all(spec.by_key[condition.criterion].unit == each.unit for rule in each.rules for condition in rule.when)
    ]
    return [each for each in spec.criteria if each in spec.counted or (is_blind and each in of_own_item)]


def criterion_of(spec: VersionSpec, key: str) -> CriterionSpec | None:
    """Return the criterion with this key in this version; None if it is gone or its answer is not one option."""
    found = spec.by_key.get(key)
    kinds = (Criterion.Kind.SINGLE, Criterion.Kind.COMPUTED)
    return found if found is not None and found.kind in kinds else None


def assumed_sizes(n_classes: int, n_items: int = PUBLISHED_SIZE) -> tuple[int, ...]:
    """Return the class sizes to assume before any batch is known."""
    shares: Sequence[float] = PUBLISHED_MIX if n_classes == 3 else [1 / max(n_classes, 1)] * n_classes
    sizes = [round(n_items * share) for share in shares]
    return (*sizes[:-1], n_items - sum(sizes[:-1])) if sizes else ()


def curve_of_rule(rule: Rule, sizes: Sequence[int]) -> Curve | None:
    """Return the curve from accuracy 1 down to where hardly a batch is accepted; None without items."""
    present = tuple(size for size in sizes if size)
    if not present:
        return None
    lowest = {SharesRule: "least_overall", SequentialRule: "bad"}.get(type(rule))
    middle = getattr(rule, lowest) if lowest else 1 - getattr(rule, "most_errors", 0) / n_wanted(rule)
    n = round(min(max(WIDEST, (1 - middle) * 2), 1.0) / STEP)
    return kept_curve(rule, present, tuple(round(1 - at * STEP, 4) for at in range(n, -1, -1)))
