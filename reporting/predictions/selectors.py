"""Read the metrics of a study and their predictions about its items in bulk."""

from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import Avg, Count, QuerySet

from annotation.models import Batch, Item, Metric, Prediction, Study
from measures.arrays import FloatArray, IntArray
from protocols.specs import CriterionSpec, VersionSpec
from qualification.adjudication.selectors.disagreements import SettledLabels
from reporting.study.votes import Items

# Eight-byte numbers, joined: a hundred thousand predictions as rows would become as many Python tuples.
PREDICTIONS = """
    SELECT string_agg(int8send(coalesce(candidate_id, 0)) || int8send(coalesce(dialogue_id, 0))
        || int8send(coalesce(option_id, 0)), ''),
        string_agg(float8send(coalesce(value, 'NaN'::float8)), '')
    FROM (SELECT * FROM annotation_prediction WHERE metric_id = %s ORDER BY id) prediction
"""


@dataclass(frozen=True, slots=True)
class Predicted:
    """(N,) arrays in the order of the items: the index of an option or -1, and a number or NaN."""

    code: IntArray
    value: FloatArray


def metrics_of(study: Study) -> QuerySet[Metric]:
    """Return the metrics that were not deleted, in the order in which they were added."""
    found = study.metrics.filter(is_active=True).select_related("criterion", "created_by", "run")
    return found.annotate(n_predictions=Count("predictions")).order_by("pk")


def criteria_of(metric: Metric, spec: VersionSpec) -> list[CriterionSpec]:
    """Return the criteria to compare the metric with: its own, by key in the study's version, or all of the unit."""
    if metric.criterion is not None:
        found = spec.by_key.get(metric.criterion.key)
        return [found] if found in spec.voted else []
    return [each for each in spec.voted if each.unit == spec.unit]


def predicted_of(metric: Metric, criterion: CriterionSpec, items: Items) -> Predicted:
    """Return the metric's prediction for each item: about its candidate or, without one, about its dialogue."""
    with connection.cursor() as cursor:
        cursor.execute(PREDICTIONS, [metric.pk])
        ids, values = (part or b"" for part in cursor.fetchone())
    # An additional entry about nothing, so that index -1 is valid.
    candidate, dialogue, option = np.frombuffer(bytes(ids) + b"\0" * 24, ">i8").reshape(-1, 3).T.astype(np.int64)
    value = np.append(np.frombuffer(bytes(values), ">f8"), np.nan)
    at = _places(_target(candidate, dialogue), _target(items.candidate, items.dialogue))
    codes = _codes(metric, criterion, option)
    found = at >= 0
    return Predicted(np.where(found, codes[at], -1), np.where(found, value[at], np.nan))


def settled_places(items: Items, criterion: CriterionSpec, settled: SettledLabels) -> IntArray:
    """Return the (N,) indices of the settled options, -1 if nothing was settled."""
    places = {option.id: at for at, option in enumerate(criterion.options)}
    found = np.full(len(items.id), -1, np.int64)
    for (item, about), label in settled.items():
        at = int(np.searchsorted(items.id, item))
        if about == criterion.id and at < len(items.id) and items.id[at] == item:
            found[at] = places.get(label.option_id, -1)
    return found


def _target(candidate: IntArray, dialogue: IntArray) -> IntArray:
    return np.where(candidate > 0, candidate, -dialogue)


def _places(known: IntArray, wanted: IntArray) -> IntArray:
    """Return the index of each wanted id among the known ones, -1 for none. The last known one is about nothing."""
    order = np.argsort(known[:-1], kind="stable")
    ids = known[:-1][order]
    if not len(ids):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where((ids[at] == wanted) & (wanted != 0), order[at], -1)


def _codes(metric: Metric, criterion: CriterionSpec, option: IntArray) -> IntArray:
    """Return the indices of options, matched by key: in another version of the protocol their ids differ."""
    if metric.criterion is None:
        return np.full(len(option), -1, np.int64)
    places = {each.key: at for at, each in enumerate(criterion.options)}
    by_id = {pk: places.get(key, -1) for pk, key in metric.criterion.options.values_list("pk", "key")}
    ids = np.array([0, *sorted(by_id)], np.int64)
    codes = np.array([-1, *(by_id[pk] for pk in sorted(by_id))], np.int64)
    return codes[np.minimum(np.searchsorted(ids, option), len(ids) - 1)]


def metric_means(study: Study) -> dict[int, dict[str, float | None]]:
    """Return {source id: {metric key: mean}} of scores of responses and whole dialogues, for the table of results.

    Only dialogues in main batches count, as for all results. A mean is None if the metric has no scores of a source
    (often the ground truth): print "-".
    """
    scores = study.metrics.filter(is_active=True, kind=Metric.Kind.SCORE).order_by("pk")
    keys = dict(scores.values_list("pk", "key"))
    table: dict[int, dict[str, float | None]] = {
        source: dict.fromkeys(keys.values()) for source in study.sources.values_list("pk", flat=True)
    }
    main = Item.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN, is_check=False)
    known = Prediction.objects.filter(metric__in=keys).order_by()
    wholes = known.filter(dialogue__in=main.values("dialogue"), dialogue__source__isnull=False)
    responses = known.filter(candidate__dialogue__in=main.values("dialogue"))
    for rows, source_of in ((wholes, "dialogue__source"), (responses, "candidate__source")):
        for source, metric, mean in rows.values_list(source_of, "metric").annotate(mean=Avg("value")):
            table[source][keys[metric]] = mean
    return table
