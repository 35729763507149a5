"""Facts of a study that the planner starts from."""

from dataclasses import dataclass
from statistics import median

import numpy as np
from django.db.models import Count

from annotation.models import Batch, Source, Study
from annotation.selectors.studies import rated_sources
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from reporting.study.scores import MEAN_SCORE, scale_of

Unit = ProtocolVersion.Unit
PAIRED = (Unit.RESPONSE, Unit.CANDIDATE_SET)  # sources are rated on the same dialogues
USUAL_BATCH = 10
SITTING = 120  # minutes; if a batch is expected to take longer, its size cannot be guessed
USUAL_SOURCES = 2


@dataclass(frozen=True, slots=True)
class Score:
    """The range of an answer's score for a criterion: from `low` to `high`, 0 to 1 for a share."""

    criterion: CriterionSpec
    is_share: bool
    low: float
    high: float

    @property
    def span(self) -> float:
        return self.high - self.low

    @property
    def is_paired(self) -> bool:
        return self.criterion.unit in PAIRED


@dataclass(frozen=True, slots=True)
class PlannerFacts:
    """`rated_kinds` are the kinds of batches with ratings.

    `batch_size` is the number of dialogues in a usual batch, None if unknown.
    """

    study: Study
    spec: VersionSpec
    scores: dict[str, Score]
    sources: list[Source]
    n_dialogues: int
    rated_kinds: frozenset[str]
    batch_size: int | None

    @property
    def n_sources(self) -> int:
        return len(self.sources) if len(self.sources) > 1 else USUAL_SOURCES


def planner_facts(study: Study) -> PlannerFacts:
    spec = spec_of(study.protocol_version)
    rows = study.batches.order_by().annotate(n=Count("items__dialogue", distinct=True))
    batches = list(rows.values_list("kind", "ratings_version", "n"))
    sizes: dict[str, list[int]] = {}
    for kind, _, n in batches:
        sizes.setdefault(kind, []).extend([n] if n else [])
    known = sizes.get(Batch.Kind.MAIN) or [n for each in sizes.values() for n in each]
    guessed = USUAL_BATCH if study.minutes_expected <= SITTING else None
    return PlannerFacts(
        study=study,
        spec=spec,
        scores={each.key: score for each in spec.voted if (score := score_of(each)) is not None},
        sources=list(rated_sources(study).order_by("-is_reference", "position")),
        n_dialogues=study.dialogues.count(),
        rated_kinds=frozenset(kind for kind, version, _ in batches if version),
        batch_size=round(median(known)) if known else guessed,
    )


def score_of(criterion: CriterionSpec) -> Score | None:
    """Return None if the answers have neither numbers nor a positive option, or all have the same number."""
    scale = scale_of(criterion)
    if scale is None:
        return None
    low, high = float(np.nanmin(scale.worth)), float(np.nanmax(scale.worth))
    return Score(criterion, scale.score != MEAN_SCORE, low, high) if low < high else None
