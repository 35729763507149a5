"""Collect what the page of a sample shows: the decision, the counts behind it and the plan's curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from measures.acceptance_curves import Curve
from measures.estimate import Estimate
from measures.sequential import Lines, SequentialRule, lines_of
from protocols.specs import CriterionSpec, spec_of
from qualification.acceptance.selectors.answers import reviewed_items, sizes_of
from qualification.acceptance.selectors.batches import kappa_of, names_of
from qualification.acceptance.selectors.plans import class_options, curve_of_rule, rule_of_data
from qualification.models import Review, Sample, SampledItem


@dataclass(frozen=True, slots=True)
class SamplePage:
    sample: Sample
    criterion: CriterionSpec
    sizes: tuple[tuple[str, int], ...]  # (label, items of the batch)
    curve: Curve | None
    reviews: tuple[Review, ...]
    n_sampled: int
    n_top_up: int
    second: Estimate | None
    progress: dict[str, int] | None  # only of a sequential sample that is not decided yet

    @property
    def are_sizes_shown(self) -> bool:
        """Return whether class sizes are shown: before the decision they would bias a blind controller."""
        return not self.sample.plan["is_blind"] or bool(self.sample.decision)

    @property
    def classes(self) -> list[dict[str, Any]]:
        """Return the results of each label with its name, without labels the batch does not have."""
        results = self.sample.results
        named = zip(names_of(results.get("labels", ()), self.criterion), results.get("classes", ()), strict=True)
        return [{"name": name, **each} for name, each in named if each["size"]]

    @property
    def answers(self) -> list[str]:
        return names_of(self.sample.results.get("answers", ()), self.criterion)

    @property
    def confusion(self) -> list[dict[str, Any]]:
        """Return a row for each label that counts the controller's answers; `is_right` marks the diagonal."""
        results = self.sample.results
        rows = zip(names_of(results.get("labels", ()), self.criterion), results.get("confusion", ()), strict=True)
        return [
            {"name": name, "total": sum(row), "cells": [{"n": n, "is_right": at == number} for at, n in enumerate(row)]}
            for number, (name, row) in enumerate(rows)
        ]

    @property
    def has_no_answer(self) -> bool:
        return any(row[-1] for row in self.sample.results.get("confusion", ()))


def sample_page(sample: Sample) -> SamplePage:
    criterion = spec_of(sample.protocol_version).by_key[sample.plan["criterion"]]
    rule = rule_of_data(sample.plan)
    sizes = sizes_of(sample.class_sizes, criterion)
    sampled_items = SampledItem.objects.filter(sample=sample)
    top_ups = list(sampled_items.values_list("is_top_up", flat=True))
    reviews = tuple(sample.reviews.select_related("participant").filter(given_back_at=None))
    has_second = any(review.is_second and review.counted_at for review in reviews)
    return SamplePage(
        sample=sample,
        criterion=criterion,
        sizes=tuple(zip((option.label for option in class_options(criterion)), sizes, strict=True)),
        curve=curve_of_rule(rule, sizes),
        reviews=reviews,
        n_sampled=len(top_ups),
        n_top_up=sum(top_ups),
        second=kappa_of(sampled_items, criterion) if has_second else None,
        progress=_progress(sample, criterion, rule, reviews, sum(sizes)) if isinstance(rule, SequentialRule) else None,
    )


def _progress(
    sample: Sample, criterion: CriterionSpec, rule: SequentialRule, reviews: Sequence[Review], n_items: int
) -> dict[str, int] | None:
    """Return how far a sequential sample is, and the error counts that decide it after its next portion."""
    mine = [review for review in reviews if not review.is_second]
    counted = [review.last + 1 for review in mine if review.counted_at]
    if sample.state != Sample.State.REVIEWING or not mine:
        return None
    done = counted[-1] if counted else 0
    reviewed = reviewed_items(sample, criterion, done)
    lines: Lines = lines_of(rule, n_items)
    end = min(mine[-1].last + 1, lines.n_most)
    errors = int((~reviewed.is_right).sum())
    return {
        "n": done,
        "errors": errors,
        "end": end,
        "accept": int(lines.accept[end]),
        "back": int(lines.back[end]),
        "most": lines.n_most,
    }
