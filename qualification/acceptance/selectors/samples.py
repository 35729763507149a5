"""The page of one inspection: what was decided, from which counts, and how the plan acts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from measures.acceptance_curves import Curve
from measures.estimate import Estimate
from measures.sequential import Lines, SequentialRule, lines_of
from protocols.specs import CriterionSpec, spec_of
from qualification.acceptance.selectors.answers import checked_draws, sizes_of
from qualification.acceptance.selectors.batches import kappa_of, names_of
from qualification.acceptance.selectors.plans import class_options, curve_of_rule, rule_of_data
from qualification.models import Check, Draw, Inspection


@dataclass(frozen=True, slots=True)
class InspectionPage:
    inspection: Inspection
    criterion: CriterionSpec
    sizes: tuple[tuple[str, int], ...]  # by label, of the batch
    curve: Curve | None
    checks: tuple[Check, ...]
    n_draws: int
    n_top_up: int
    second: Estimate | None
    progress: dict[str, int] | None  # of a sequential sample that is not decided yet

    @property
    def are_sizes_shown(self) -> bool:
        """What the annotators said, as a whole, would tell a blind controller what to expect."""
        return not self.inspection.plan["is_blind"] or bool(self.inspection.verdict)

    @property
    def classes(self) -> list[dict[str, Any]]:
        """The figures of each label with its name; labels the batch does not have are left out."""
        figures = self.inspection.figures
        named = zip(names_of(figures.get("labels", ()), self.criterion), figures.get("classes", ()), strict=True)
        return [{"name": name, **each} for name, each in named if each["size"]]

    @property
    def answers(self) -> list[str]:
        return names_of(self.inspection.figures.get("answers", ()), self.criterion)

    @property
    def confusion(self) -> list[dict[str, Any]]:
        """One row for each label: how often the controller gave which answer; `is_right` on the diagonal."""
        figures = self.inspection.figures
        rows = zip(names_of(figures.get("labels", ()), self.criterion), figures.get("confusion", ()), strict=True)
        return [
            {"name": name, "total": sum(row), "cells": [{"n": n, "is_right": at == number} for at, n in enumerate(row)]}
            for number, (name, row) in enumerate(rows)
        ]

    @property
    def has_no_answer(self) -> bool:
        return any(row[-1] for row in self.inspection.figures.get("confusion", ()))


def inspection_page(inspection: Inspection) -> InspectionPage:
    criterion = spec_of(inspection.protocol_version).by_key[inspection.plan["criterion"]]
    rule = rule_of_data(inspection.plan)
    sizes = sizes_of(inspection.class_sizes, criterion)
    draws = Draw.objects.filter(inspection=inspection)
    top_ups = list(draws.values_list("is_top_up", flat=True))
    checks = tuple(inspection.checks.select_related("participant").filter(given_back_at=None))
    has_second = any(check.is_second and check.counted_at for check in checks)
    return InspectionPage(
        inspection=inspection,
        criterion=criterion,
        sizes=tuple(zip((option.label for option in class_options(criterion)), sizes, strict=True)),
        curve=curve_of_rule(rule, sizes),
        checks=checks,
        n_draws=len(top_ups),
        n_top_up=sum(top_ups),
        second=kappa_of(draws, criterion) if has_second else None,
        progress=_progress(inspection, criterion, rule, checks, sum(sizes))
        if isinstance(rule, SequentialRule)
        else None,
    )


def _progress(
    inspection: Inspection, criterion: CriterionSpec, rule: SequentialRule, checks: Sequence[Check], n_items: int
) -> dict[str, int] | None:
    """How far a sequential sample is, and with how many errors its next portion would end it."""
    mine = [check for check in checks if not check.is_second]
    counted = [check.last + 1 for check in mine if check.counted_at]
    if inspection.state != Inspection.State.CHECKING or not mine:
        return None
    done = counted[-1] if counted else 0
    checked = checked_draws(inspection, criterion, done)
    lines: Lines = lines_of(rule, n_items)
    end = min(mine[-1].last + 1, lines.n_most)
    errors = int((~checked.is_right).sum())
    return {
        "n": done,
        "errors": errors,
        "end": end,
        "accept": int(lines.accept[end]),
        "back": int(lines.back[end]),
        "most": lines.n_most,
    }
