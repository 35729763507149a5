"""The tables of a study's report that need only histograms. Percentages have two decimals."""

import math
from collections.abc import Iterable
from typing import Any

from annotation.agreement_cells import alpha_of, counted, histogram_estimates, n_excluding, strong
from measures.agreement import fleiss_kappa
from measures.histograms import Histogram, total
from measures.labels import WORD_SCALES
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.study.cells import Cell, StudyCells
from reporting.study.rules import places, positive_patterns, tied_patterns
from reporting.study.scores import moments, percent

Row = dict[str, Any]


def mean_sd(values: Iterable[float | None]) -> tuple[float | None, float | None]:
    """Return mean and sample standard deviation (n - 1) of the defined values; None where there are too few."""
    found = [value for value in values if value is not None]
    if not found:
        return None, None
    mean = math.fsum(found) / len(found)
    if len(found) == 1:
        return mean, None
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in found) / (len(found) - 1))


def heads(study: StudyCells) -> Row:
    """Return the names for the rows (sources) and columns (criteria) of the tables."""
    return {
        "sources": [{"key": s.key, "name": s.name, "is_reference": s.is_reference} for s in study.sources],
        "criteria": [{"key": c.key, "name": c.name, "scale": c.scale} for c in study.spec.voted],
    }


def agreement_table(study: StudyCells) -> list[Row]:
    """Return Fleiss' kappa by source and criterion: per batch, averaged over batches, and pooled."""
    return [
        _agreement_row(source, criterion, study.column(key), study.pooled[key], study.study.word_scale)
        for source, criterion, key in study.rows()
    ]


def _agreement_row(
    source: str | None, criterion: CriterionSpec, cells: list[Cell | None], pooled: Histogram, word_scale: str
) -> Row:
    per_batch = [cell.fleiss if cell else None for cell in cells]
    mean, sd = mean_sd(per_batch)
    histogram, scale = counted(pooled, criterion)
    sure = strong(histogram, scale)
    whole, alpha = fleiss_kappa(histogram), alpha_of(histogram, scale)
    return {
        "source": source,
        "criterion": criterion.key,
        "per_batch": per_batch,
        "reasons": [cell.reason if cell else "no_ratings" for cell in cells],
        "mean": mean,
        "sd": sd,
        "word": WORD_SCALES[word_scale](mean),
        "undefined": sum(cell is not None and value is None for cell, value in zip(cells, per_batch, strict=True)),
        "absent": sum(cell is None for cell in cells),
        "pooled": whole.value,
        "pooled_reason": whole.reason,
        "alpha": alpha.value,
        "alpha_reason": alpha.reason,
        "n_items": whole.n_items,
        "n_left_out": whole.n_left_out,
        "strong_per_batch": [cell.strong if cell else None for cell in cells],
        "strong_pooled": fleiss_kappa(sure).value,
        "strong_share_kept": sure.n_items / histogram.n_items if histogram.n_items else None,
    }


def overall_table(study: StudyCells) -> list[Row]:
    """Return a row per criterion with every coefficient over the items of all sources and batches."""
    rows = []
    for criterion in study.spec.voted:
        parts = [study.pooled[key] for _, each, key in study.rows() if each == criterion]
        histogram = total(parts, len(criterion.options))
        if histogram.n_items:
            rows.append(_overall_row(criterion, histogram_estimates(histogram, criterion)))
    return rows


def _overall_row(criterion: CriterionSpec, estimates: Row) -> Row:
    """Return values without intervals: those of `histogram_estimates` assume that items are independent."""
    return {
        "criterion": criterion.key,
        "scale": criterion.scale,
        "fleiss_kappa": estimates["fleiss"]["value"],
        "krippendorff_alpha": estimates["alpha"]["value"],
        "alpha_reason": estimates["alpha"]["reason"],
        "gwet_ac1": estimates["ac1"]["value"],
        "percent_agreement": estimates["percent"]["value"],
        "reason": estimates["fleiss"]["reason"],
        "strong_kappa": estimates["strong"]["value"],
        "strong_share_kept": estimates["strong_share_kept"],
        "n_items": estimates["fleiss"]["n_items"],
        "n_left_out": estimates["fleiss"]["n_left_out"],
    }


def margins(rows: list[Row], by: str, word_scale: str) -> list[Row]:
    """Return mean and sd of the rows' means, by source or by criterion, as published tables have at their edges."""
    names = list(dict.fromkeys(row[by] for row in rows))
    table = []
    for name in names:
        mean, sd = mean_sd(row["mean"] for row in rows if row[by] == name)
        word = WORD_SCALES[word_scale](mean)
        table.append({by: name, "mean": mean, "sd": sd, "word": word, "word_scale": word_scale})
    return table


def majority_table(study: StudyCells) -> list[Row]:
    """Return the share of items that are positive by majority, for criteria with a positive option."""
    rows = []
    for source, criterion, key in study.rows():
        if places(criterion, Option.Role.POSITIVE):
            rows.append(_majority_row(source, criterion, study.pooled[key], study.study.majority_rule))
    return rows


def _majority_row(source: str | None, criterion: CriterionSpec, pooled: Histogram, rule: str) -> Row:
    histogram, scale = counted(pooled, criterion)
    is_positive = positive_patterns(histogram, scale, rule)
    positive = int(histogram.counts @ is_positive)
    return {
        "source": source,
        "criterion": criterion.key,
        "positive_items": positive,
        "items": histogram.n_items,
        "percent": percent(positive, histogram.n_items),
        "ties": int(histogram.counts @ (tied_patterns(histogram) & ~is_positive)),
        "excluding_votes": n_excluding(pooled, criterion),
        "items_left_out": pooled.n_items - histogram.n_items,
    }


def votes_table(study: StudyCells) -> list[Row]:
    """Return the shares of the answers among all votes."""
    return [_votes_row(source, criterion, study.pooled[key]) for source, criterion, key in study.rows()]


def _votes_row(source: str | None, criterion: CriterionSpec, pooled: Histogram) -> Row:
    histogram, scale = counted(pooled, criterion)
    votes = histogram.category_votes
    found = moments(scale, votes)
    count = {role: int(votes[places(scale, role)].sum()) for role in Option.Role.values}
    return {
        "source": source,
        "criterion": criterion.key,
        "positive": count[Option.Role.POSITIVE],
        "negative": count[Option.Role.NEGATIVE],
        "neutral": count[Option.Role.NEUTRAL],
        "unsure": count[Option.Role.UNSURE],
        "votes": histogram.n_votes,
        "excluding_votes": n_excluding(pooled, criterion),
        "percent_positive": percent(count[Option.Role.POSITIVE], histogram.n_votes),
        "options": [
            {"option": option.key, "label": option.label, "votes": int(n), "percent": percent(n, histogram.n_votes)}
            for option, n in zip(scale.options, votes, strict=True)
        ],
        **{name: found[name] for name in ("mean", "sd", "median")},
    }


def errors_table(study: StudyCells) -> list[Row]:
    """Return the share of all answers with each reason of a negative option."""
    rows = []
    for source, criterion, key in study.rows():
        cells = [cell for cell in study.column(key) if cell]
        votes = counted(study.pooled[key], criterion)[0].n_votes
        for sub_dimension, ids in _negative_reasons(criterion).items():
            given = sum(cell.reasons.get(each, 0) for cell in cells for each in ids)
            rows.append(
                {
                    "source": source,
                    "criterion": criterion.key,
                    "sub_dimension": sub_dimension,
                    "votes": given,
                    "percent": percent(given, votes),
                }
            )
    return rows


def _negative_reasons(criterion: CriterionSpec) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for option in criterion.options:
        if option.role == Option.Role.NEGATIVE:
            for each in option.explanations:
                found.setdefault(each.sub_dimension, []).append(str(each.id))
    return found
