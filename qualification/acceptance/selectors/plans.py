"""A plan of control as values: its rule for the arithmetic, its criterion and the labels that are classes."""

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
# What a sample is that follows none of the paper's numbers: three classes as in DiQAD, else equal ones.
PUBLISHED_MIX = (0.196, 0.363, 0.441)
PUBLISHED_SIZE = 2000
STEP, WIDEST = 0.01, 0.20


def rule_of(kind: str, numbers: Mapping[str, Any]) -> Rule:
    """Raises ValueError for numbers that are no rule."""
    rule = RULES[kind]
    return rule(**{field.name: numbers[field.name] for field in fields(rule)})


def plan_as_data(plan: AcceptancePlan, criterion: CriterionSpec) -> dict[str, Any]:
    """As it stands: what a later change of the plan must not change."""
    rule = rule_of(plan.kind, vars(plan))
    return {"kind": plan.kind, "is_blind": plan.is_blind, "criterion": criterion.key, **asdict(rule)}


def rule_of_data(plan: Mapping[str, Any]) -> Rule:
    return rule_of(plan["kind"], plan)


def n_wanted(rule: Rule) -> int:
    """How many items are drawn at first, or at most."""
    return rule.most_sampled if isinstance(rule, SequentialRule) else rule.n_sample


def class_options(criterion: CriterionSpec) -> list[OptionSpec]:
    """The options that are labels: "I don't know" is none, and an item that is excluded has no class."""
    return [option for option in criterion.options if option.role not in NO_CLASS]


def answer_options(criterion: CriterionSpec) -> list[OptionSpec]:
    """Everything a controller may answer, the labels first."""
    labels = class_options(criterion)
    return [*labels, *(option for option in criterion.options if option not in labels)]


def reviewable(spec: VersionSpec, *, is_blind: bool = True) -> list[CriterionSpec]:
    """Criteria whose answers can be checked item by item: asked of everybody, or computed from the item's own answers.

    A computed one is not asked, so it can only be checked blind: with the label shown, that one question is asked.
    """
    computed = [each for each in spec.computed if _is_of_its_item(each, spec)] if is_blind else []
    return [each for each in spec.criteria if each in spec.counted or each in computed]


def _is_of_its_item(criterion: CriterionSpec, spec: VersionSpec) -> bool:
    conditions = [condition for rule in criterion.rules for condition in rule.when]
    return all(spec.by_key[condition.criterion].unit == criterion.unit for condition in conditions)


def criterion_of(spec: VersionSpec, key: str) -> CriterionSpec | None:
    """The one of this version, whatever version the plan was made in; None when it is gone."""
    found = spec.by_key.get(key)
    kinds = (Criterion.Kind.SINGLE, Criterion.Kind.COMPUTED)
    return found if found is not None and found.kind in kinds else None


def assumed_sizes(n_classes: int, n_items: int = PUBLISHED_SIZE) -> tuple[int, ...]:
    """Sizes of classes before any batch is known."""
    shares: Sequence[float] = PUBLISHED_MIX if n_classes == 3 else [1 / max(n_classes, 1)] * n_classes
    sizes = [round(n_items * share) for share in shares]
    return (*sizes[:-1], n_items - sum(sizes[:-1])) if sizes else ()


def curve_of_rule(rule: Rule, sizes: Sequence[int]) -> Curve | None:
    """From 1 down to where hardly a batch is accepted; None without an item."""
    present = tuple(size for size in sizes if size)
    return kept_curve(rule, present, _accuracies(rule)) if present else None


def _accuracies(rule: Rule) -> tuple[float, ...]:
    lowest = {SharesRule: "least_overall", SequentialRule: "bad"}.get(type(rule))
    middle = getattr(rule, lowest) if lowest else 1 - getattr(rule, "most_errors", 0) / n_wanted(rule)
    n = round(min(max(WIDEST, (1 - middle) * 2), 1.0) / STEP)
    return tuple(round(1 - at * STEP, 4) for at in range(n, -1, -1))
