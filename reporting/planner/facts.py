"""Facts of a study that the planner starts from."""

from dataclasses import dataclass
from statistics import median

from django.db.models import Case, Count, Exists, OuterRef, Q, TextField, Value, When
from django.db.models.functions import Concat

from annotation.models import Batch, Candidate, Item, Source, Study
from annotation.selectors.studies import rated_sources
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from reporting.planner.plans import USUAL_BATCH
from reporting.planner.variances import SCALE, SHARE, WINS
from reporting.study.scores import MEAN_SCORE, scale_of

Unit = ProtocolVersion.Unit
PAIRED = (Unit.RESPONSE, Unit.CANDIDATE_SET)  # sources are rated on the same dialogues
SITTING = 120  # minutes; if a batch is expected to take longer, its size cannot be guessed
USUAL_SOURCES = 2


def _group(path: str = "") -> Case:
    """Return what counts as one dialogue: the scenario, or the conversation if it has none, as in the report."""
    return Case(When(**{f"{path}scenario": ""}, then=f"{path}conversation"), default=f"{path}scenario")


@dataclass(frozen=True, slots=True)
class Score:
    """The range of an answer's score for a criterion: from `low` to `high`, 0 to 1 for a share and for a win."""

    criterion: CriterionSpec
    unit: str
    low: float
    high: float

    @property
    def span(self) -> float:
        return self.high - self.low

    @property
    def is_of_turns(self) -> bool:
        return self.criterion.unit in PAIRED

    @property
    def is_of_wholes(self) -> bool:
        return self.criterion.unit == Unit.DIALOGUE


@dataclass(frozen=True, slots=True)
class PlannerFacts:
    """`rated_kinds` are the kinds of batches with ratings. A dialogue is a whole conversation, or a whole scenario.

    `n_single_dialogues` counts those of a conversation or scenario singly, as the report does.
    `batch_size` is the number of dialogues in a usual batch, None if unknown, and `turns` those of a usual dialogue.
    `pairs` of sources are compared in a dialogue, None if unknown. Several sources share scenarios, if there are any;
    `has_sources_together` says whether responses of several sources are in one dialogue, None with one source.
    """

    study: Study
    spec: VersionSpec
    scores: dict[str, Score]
    sources: list[Source]
    n_dialogues: int
    n_single_dialogues: int
    turns: int
    pairs: int | None
    has_scenarios: bool
    has_sources_together: bool | None
    rated_kinds: frozenset[str]
    batch_size: int | None

    @property
    def n_sources(self) -> int:
        return len(self.sources) if len(self.sources) > 1 else USUAL_SOURCES

    def is_matched(self, score: Score | None) -> bool | None:
        """Return whether several sources are rated on one dialogue or scenario; None if no dialogue tells."""
        if score is None or not self.n_dialogues:
            return None
        if score.is_of_wholes:
            return self.has_scenarios
        return self.has_sources_together if score.is_of_turns else True


def planner_facts(study: Study) -> PlannerFacts:
    spec = spec_of(study.protocol_version)
    rows = study.batches.order_by().annotate(n=Count(_group("items__dialogue__"), distinct=True))
    batches = list(rows.values_list("kind", "ratings_version", "n"))
    sizes: dict[str, list[int]] = {}
    for kind, _, n in batches:
        sizes.setdefault(kind, []).extend([n] if n else [])
    known = sizes.get(Batch.Kind.MAIN) or [n for each in sizes.values() for n in each]
    guessed = USUAL_BATCH if study.minutes_expected <= SITTING else None
    is_turn = Exists(Candidate.objects.filter(dialogue=OuterRef("pk")))
    counts = study.dialogues.aggregate(
        dialogues=Count(_group(), distinct=True),
        single=Count("pk", distinct=True),
        rated=Count(_group(), distinct=True, filter=is_turn),
        of_sources=Count(
            Concat(_group(), Value("|"), "candidates__source", output_field=TextField()), distinct=True, filter=is_turn
        ),
        turns=Count("pk", distinct=True, filter=is_turn),
        in_scenarios=Count("pk", filter=~Q(scenario="")),
    )
    sources = list(rated_sources(study).order_by("-is_reference", "position"))
    return PlannerFacts(
        study=study,
        spec=spec,
        scores={each.key: score for each in spec.voted if (score := score_of(each)) is not None},
        sources=sources,
        n_dialogues=counts["dialogues"],
        n_single_dialogues=counts["single"],
        turns=max(1, round(counts["turns"] / max(1, counts["dialogues"]))),
        pairs=_pairs(study) if any(each.unit == Unit.COMPARISON for each in spec.voted) else None,
        has_scenarios=counts["in_scenarios"] > 0,
        has_sources_together=counts["of_sources"] > counts["rated"] if len(sources) > 1 else None,
        rated_kinds=frozenset(kind for kind, version, _ in batches if version),
        batch_size=round(median(known)) if known else guessed,
    )


def _pairs(study: Study) -> int | None:
    """Return the comparisons of a usual dialogue, without repeated ones."""
    rows = Item.objects.filter(batch__study=study, unit=Unit.COMPARISON, repeats=None)
    found = rows.aggregate(n=Count("pk"), of=Count(_group("dialogue__"), distinct=True))
    return max(1, round(found["n"] / found["of"])) if found["of"] else None


def score_of(criterion: CriterionSpec) -> Score | None:
    """Return None if the answers have neither numbers nor a positive option, or all have the same number."""
    if criterion.unit == Unit.COMPARISON:
        return Score(criterion, WINS, 0.0, 1.0)
    scale = scale_of(criterion)
    if scale is None:
        return None
    low, high = scale.ends
    return Score(criterion, SCALE if scale.score == MEAN_SCORE else SHARE, low, high) if low < high else None
