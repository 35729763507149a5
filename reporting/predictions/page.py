"""The template contexts of the prediction pages."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.models import Metric
from measures.estimate import Estimate
from parley.numbers import number
from protocols.specs import CriterionSpec
from reporting.charts import Bar, BarGroup, bar_figure, drawn
from reporting.predictions.beside import beside_people, ceilings_of
from reporting.predictions.beside_page import answers_in_words, ceiling_rows, in_short, interval_text, ranked_in_words
from reporting.predictions.distribution import METRIC, PEOPLE, Share, distribution_of
from reporting.predictions.gaps import gap_rows
from reporting.predictions.judging import judging_of
from reporting.predictions.labels import (
    LEFT_OUT,
    NOTES,
    REASONS,
    STATISTICS,
    rules_of,
)
from reporting.predictions.table import ALL, MEASURES, OF_LABELS, OF_SCORES, SOURCE, Compared, Comparison, ItemSubset

Context = dict[str, Any]


def index_page(comparison: Comparison) -> Context:
    """Return every metric by criterion, over all items: against the final labels, and against single people."""
    criteria = [each for each in comparison.spec.voted if any(each == about for _, about in comparison.pairs)]
    return {
        "metrics": comparison.metrics,
        "measures": [STATISTICS[name] for name in MEASURES],
        "tables": [
            {
                "criterion": criterion,
                "rows": [
                    {
                        "metric": metric,
                        **_side(comparison.whole(metric, criterion)),
                        **in_short(judging_of(comparison, metric, criterion)),
                    }
                    for metric, about in comparison.pairs
                    if about == criterion
                ],
            }
            for criterion in criteria
        ],
        "rules": rules_in_words(comparison),
    }


def rules_in_words(comparison: Comparison) -> list[str]:
    return [_(sentence) for sentence in rules_of(comparison.study.majority_rule).values()]


def _side(compared: Compared, measures: Sequence[str] = MEASURES) -> Context:
    found = {name: compared.estimates[name] for name in measures}
    cells = []
    for name, each in found.items():
        cells.append({"text": number(each.value, STATISTICS[name].form), "interval": interval_text(each)})
    return {
        "cells": cells,
        "notes": _notes(found),
        "n": compared.n_used,
        "n_labels": compared.n_labels if 0 < compared.n_labels < compared.n_used else None,
        "left_out": ", ".join(f"{n:,} {LEFT_OUT[name]}" for name, n in compared.left_out.items()),
    }


def _notes(estimates: Mapping[str, Estimate]) -> list[str]:
    """Return why values or intervals are missing: each reason once, with the measures that it applies to."""
    names: dict[str, list[str]] = {}
    for name, estimate in estimates.items():
        why = _(NOTES[estimate.interval_note]) if estimate.interval_note in NOTES else ""
        if estimate.value is None:
            reason = REASONS.get(estimate.reason or "")
            clause = _(reason) if reason else _("it could not be computed")
            why = _("Undefined: %(why)s.") % {"why": clause}
        if why:
            names.setdefault(why, []).append(STATISTICS[name].name)
    most = min(len(OF_LABELS), len(estimates))
    return [why if len(found) >= most else f"{', '.join(found)}: {why}" for why, found in names.items()]


def metric_page(
    comparison: Comparison, metric: Metric, criterion: CriterionSpec, *, epsilon: float, has_texts: bool
) -> Context:
    """Return one metric and one criterion: beside people, all parts, and the confusion matrix.

    `has_texts`: whether the reader may see single answers.
    """
    beside = beside_people(comparison, metric, criterion, epsilon=epsilon)
    rows = comparison.rows(metric, criterion)
    names = MEASURES if metric.kind == Metric.Kind.LABEL else OF_SCORES
    whole = rows[0] if rows else None
    shares, sides = distribution_of(comparison, metric, criterion), _sides_named(metric)
    return {
        "metric": metric,
        "criterion": criterion,
        "beside": answers_in_words(beside),
        "systems": ranked_in_words(beside.systems) if beside.systems else "",
        "gaps": gap_rows(beside.judging) if has_texts else [],
        "measures": [STATISTICS[name] for name in names],
        "rows": [{"name": part_name(comparison, row.part), **_side(row.metric, names)} for row in rows],
        "ceilings": [
            {"name": part_name(comparison, each.part), **ceiling_rows(each)}
            for each in ceilings_of(comparison, beside.judging)
        ],
        "distribution": [(sides[each.side], each) for each in shares],
        "distribution_figure": drawn(distribution_figure, metric, shares),
        "distribution_query": urlencode({"metric": metric.token, "criterion": criterion.key}),
        "matrix": _matrix(criterion, whole.metric) if whole and whole.metric.table.any() else None,
        "rules": rules_in_words(comparison),
    }


def _sides_named(metric: Metric) -> dict[str, str]:
    return {PEOPLE: _("People"), METRIC: metric.name}


def distribution_figure(metric: Metric, shares: Sequence[Share]) -> SafeString | str:
    """Return the chart as SVG, or an empty string if there is nothing to draw."""
    if not shares:
        return ""
    groups = [
        BarGroup(
            name,
            tuple(Bar(each.name, each.share, series, each.name) for each in shares if each.side == side),
        )
        for series, (side, name) in enumerate(_sides_named(metric).items())
    ]
    return bar_figure(
        name="predicted",
        title=_("Predictions and human answers"),
        description=_("Share of the items that have both a prediction and an answer. The table has the same numbers."),
        groups=groups,
    )


def part_name(comparison: Comparison, part: ItemSubset) -> str:
    if part.kind == ALL:
        return _("All items")
    if part.kind == SOURCE:
        return next(source.name for source in comparison.sources if source.key == part.value)
    return f"{part.kind}: {part.value}"


def _matrix(criterion: CriterionSpec, compared: Compared) -> Context:
    """Return the confusion matrix of the options that occur, with human labels in rows."""
    used = compared.table.sum(axis=0) + compared.table.sum(axis=1) > 0
    places = [at for at in range(len(criterion.options)) if used[at]]
    labels = [option.label for option in criterion.options]
    rows = []
    for at in places:
        counts = compared.table[at]
        n = int(counts.sum())
        cells = [{"n": int(counts[to]), "share": counts[to] / n if n else None, "is_hit": at == to} for to in places]
        rows.append({"label": labels[at], "cells": cells, "n": n, "classes": compared.classes[at]})
    return {"columns": [labels[at] for at in places], "rows": rows}
