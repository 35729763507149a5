"""The tables of a study's report that need only histograms. Percentages have two decimals."""

from dataclasses import dataclass

from annotation.agreement_cells import counted, n_excluding, places_of
from measures.histograms import Histogram
from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec
from reporting.study.cells import StudyCells
from reporting.study.rules import positive_rows, tied_patterns
from reporting.study.scores import moments, percent


@dataclass(frozen=True, slots=True)
class SourceName:
    """The name of a row."""

    key: str
    name: str
    is_reference: bool


@dataclass(frozen=True, slots=True)
class CriterionName:
    """The name of a column, with the scale of its answers (nominal, ordinal or interval) and its positive options."""

    key: str
    name: str
    scale: str
    positive: list[str]

    @property
    def has_order(self) -> bool:
        return self.scale != Criterion.Scale.NOMINAL


@dataclass(frozen=True, slots=True)
class Majority:
    """Items that are positive by majority. The source of whole dialogues is None.

    `percent` is that of `items`, which have an answer on the scale; None if there are none. `ties` counts items,
    `excluding_votes` answers that are not on the scale, `items_left_out` items with only such answers.
    """

    source: str | None
    criterion: str
    positive_items: int
    items: int
    percent: float | None
    ties: int
    excluding_votes: int
    items_left_out: int


@dataclass(frozen=True, slots=True)
class OptionVotes:
    """The votes for an option; `percent` is that of all votes on the scale, None if there are none."""

    option: str
    label: str
    votes: int
    percent: float | None


@dataclass(frozen=True, slots=True)
class Votes:
    """The votes by role and by option. The source of whole dialogues is None.

    `votes` are those on the scale, `excluding_votes` the others. `percent_positive` is None if there are none on the
    scale, or if no option is positive. `mean`, `sd` and `median` are in points of the scale, None if it has no numbers
    or too few answers.
    """

    source: str | None
    criterion: str
    positive: int
    negative: int
    neutral: int
    unsure: int
    votes: int
    excluding_votes: int
    percent_positive: float | None
    options: list[OptionVotes]
    mean: float | None
    sd: float | None
    median: float | None


@dataclass(frozen=True, slots=True)
class Errors:
    """Answers with a reason of a negative option; `percent` is that of all votes on the scale, None without any."""

    source: str | None
    criterion: str
    sub_dimension: str
    votes: int
    percent: float | None


def source_names(study: StudyCells) -> list[SourceName]:
    return [SourceName(each.key, each.name, each.is_reference) for each in study.sources]


def criterion_names(study: StudyCells) -> list[CriterionName]:
    return [CriterionName(each.key, each.name, each.scale, _positive(each)) for each in study.spec.voted]


def _positive(criterion: CriterionSpec) -> list[str]:
    return [criterion.options[at].label for at in places_of(criterion, Option.Role.POSITIVE)]


def majority_table(study: StudyCells) -> list[Majority]:
    """Return a row for each source and criterion with a positive option."""
    return [
        _majority(source, criterion, study.pooled[key], study.study.majority_rule)
        for source, criterion, key in study.rows()
        if places_of(criterion, Option.Role.POSITIVE)
    ]


def _majority(source: str | None, criterion: CriterionSpec, pooled: Histogram, rule: str) -> Majority:
    histogram, scale = counted(pooled, criterion)
    is_positive = positive_rows(histogram.patterns, scale, rule)
    positive = int(histogram.counts @ is_positive)
    return Majority(
        source=source,
        criterion=criterion.key,
        positive_items=positive,
        items=histogram.n_items,
        percent=percent(positive, histogram.n_items),
        ties=int(histogram.counts @ (tied_patterns(histogram) & ~is_positive)),
        excluding_votes=n_excluding(pooled, criterion),
        items_left_out=pooled.n_items - histogram.n_items,
    )


def votes_table(study: StudyCells) -> list[Votes]:
    return [_votes(source, criterion, study.pooled[key]) for source, criterion, key in study.rows()]


def _votes(source: str | None, criterion: CriterionSpec, pooled: Histogram) -> Votes:
    histogram, scale = counted(pooled, criterion)
    votes, n_votes = histogram.category_votes, histogram.n_votes
    found = moments(scale, votes)
    count = {role: int(votes[places_of(scale, role)].sum()) for role in Option.Role.values}
    return Votes(
        source=source,
        criterion=criterion.key,
        positive=count[Option.Role.POSITIVE],
        negative=count[Option.Role.NEGATIVE],
        neutral=count[Option.Role.NEUTRAL],
        unsure=count[Option.Role.UNSURE],
        votes=n_votes,
        excluding_votes=n_excluding(pooled, criterion),
        percent_positive=percent(count[Option.Role.POSITIVE], n_votes) if _positive(scale) else None,
        options=[
            OptionVotes(option.key, option.label, int(n), percent(n, n_votes))
            for option, n in zip(scale.options, votes, strict=True)
        ],
        mean=found.mean,
        sd=found.sd,
        median=found.median,
    )


def errors_table(study: StudyCells) -> list[Errors]:
    rows = []
    for source, criterion, key in study.rows():
        cells = [cell for cell in study.column(key) if cell]
        votes = counted(study.pooled[key], criterion)[0].n_votes
        for sub_dimension, ids in _negative_reasons(criterion).items():
            given = sum(cell.reasons.get(each, 0) for cell in cells for each in ids)
            rows.append(Errors(source, criterion.key, sub_dimension, given, percent(given, votes)))
    return rows


def _negative_reasons(criterion: CriterionSpec) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for option in criterion.options:
        if option.role == Option.Role.NEGATIVE:
            for each in option.explanations:
                found.setdefault(each.sub_dimension, []).append(str(each.id))
    return found
