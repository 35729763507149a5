"""Restore the metrics of an archive, their predictions, and the model judges that made some of them."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from annotation.models import JudgeRun, Metric, Study
from archive.entries import JUDGE, JUDGE_TIMES
from archive.rows import restore_rows
from protocols.models import Criterion, ProtocolVersion

METRIC_COLUMNS = (
    "number int, key text, name text, kind text, higher_is_better boolean, origin text, judge text, "
    "protocol_sha256 text, criterion text, note text, created_at timestamptz, is_active boolean"
)
METRICS = """
    INSERT INTO annotation_metric (study_id, token, key, name, criterion_id, kind, higher_is_better, origin, run_id,
        note, created_at, is_active)
    SELECT %s, gen_random_uuid(), s.key, s.name, criterion.id, s.kind, s.higher_is_better,
        CASE WHEN run.id IS NULL THEN 'imported' ELSE s.origin END, run.id, coalesce(s.note, ''), s.created_at,
        s.is_active
    FROM archive_metric s
    LEFT JOIN protocols_protocolversion version ON version.id = ANY(%s) AND version.sha256 = s.protocol_sha256
    LEFT JOIN protocols_criterion criterion ON criterion.version_id = version.id AND criterion.key = s.criterion
    LEFT JOIN annotation_judgerun run ON run.study_id = %s AND run.name = s.judge
    WHERE (s.criterion IS NULL) = (criterion.id IS NULL) ORDER BY s.number
"""
PREDICTION_COLUMNS = "metric int, dialogue text, item text, value double precision, option text"
PREDICTIONS = """
    INSERT INTO annotation_prediction (metric_id, candidate_id, dialogue_id, value, option_id)
    SELECT metric.id, candidate.id, CASE WHEN candidate.id IS NULL THEN dialogue.id END, s.value, option.id
    FROM archive_prediction s
    JOIN (SELECT id, criterion_id, row_number() OVER (ORDER BY id) AS number FROM annotation_metric
          WHERE study_id = %s) metric ON metric.number = s.metric
    JOIN annotation_dialogue dialogue ON dialogue.study_id = %s AND dialogue.key = s.dialogue
    LEFT JOIN annotation_candidate candidate ON candidate.dialogue_id = dialogue.id AND candidate.key = s.item
    LEFT JOIN protocols_option option ON option.criterion_id = metric.criterion_id AND option.key = s.option
    WHERE (s.item IS NULL) = (candidate.id IS NULL) AND (s.option IS NULL) = (option.id IS NULL) ORDER BY s.line
"""


def restore_predictions(
    study: Study, folder: Path, judges: Sequence[dict[str, Any]], versions: list[ProtocolVersion], owner: User | None
) -> tuple[dict[str, int], list[str]]:
    """Return counts by name, and notes. A judge needs a user: without an owner, its metrics become imported ones."""
    if owner is not None:
        JudgeRun.objects.bulk_create(_judge(study, said, versions, owner) for said in judges)
    n_metrics = restore_rows(
        folder / "metrics.csv",
        "archive_metric",
        METRIC_COLUMNS,
        METRICS,
        [study.pk, [version.pk for version in versions], study.pk],
        known={"kind": (Metric.Kind.values, _("has an unknown kind"))},
        lost=_("refers to a criterion that is not in the archive"),
    )
    n_predictions = restore_rows(
        folder / "predictions.csv",
        "archive_prediction",
        PREDICTION_COLUMNS,
        PREDICTIONS,
        [study.pk, study.pk],
        lost=_("refers to metrics, candidates or answers that are not in the archive"),
    )
    counts = {"metrics_new": n_metrics, "predictions_new": n_predictions}
    if not judges or owner is not None:
        return counts, []
    return counts, [_("Metrics of model judges were restored as imported metrics, because the study has no owner.")]


def _judge(study: Study, said: dict[str, Any], versions: list[ProtocolVersion], owner: User) -> JudgeRun:
    version = {each.sha256: each for each in versions}[said["protocol_sha256"]]
    ids = dict(Criterion.objects.filter(version=version).values_list("key", "pk"))
    return JudgeRun(
        study=study,
        user=owner,
        protocol_version=version,
        criteria=[ids[key] for key in said["criteria"]],
        status=JudgeRun.Status.DONE,
        **{name: said[name] for name in JUDGE},
        **{name: datetime.fromisoformat(said[name]) if said[name] else None for name in JUDGE_TIMES},
    )
