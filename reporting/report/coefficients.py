"""The tables of agreement: by source and criterion with their margins, and over all sources together."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from annotation.agreement_cells import CellKey, alpha_of, for_agreement, strong
from measures.agreement import fleiss_kappa, gwet_ac, percent_agreement
from measures.histograms import Histogram, total
from measures.labels import WORD_SCALES
from protocols.specs import CriterionSpec
from reporting.report.new_annotators import NewAnnotators, for_new_annotators
from reporting.report.resampled import Limits, Sample, makers
from reporting.report.weighted import WeightedKappa, weighted_kappas
from reporting.study.cells import StudyCells
from reporting.study.plain import spread
from reporting.study.votes import StudyVotes


@dataclass(frozen=True, slots=True)
class Agreement:
    """Fleiss' kappa of a source and criterion: by batch, averaged over batches, and pooled; and alpha of the pool.

    `per_batch` has None for a batch where kappa is undefined, and `reasons` says why ("no_ratings": the batch has no
    such answers). `mean` and `sd` are None if too few batches have a value; `word` is that of the mean. `undefined`
    and `absent` count batches. `n_left_out` counts items with one vote. Strong judgements are items without an unsure
    vote; `strong_share_kept` is their share, from 0 to 1, None without items. The source of whole dialogues is None.
    """

    source: str | None
    criterion: str
    per_batch: list[float | None]
    reasons: list[str | None]
    mean: float | None
    sd: float | None
    word: str | None
    undefined: int
    absent: int
    pooled: float | None
    pooled_reason: str | None
    alpha: float | None
    alpha_reason: str | None
    n_items: int
    n_left_out: int
    strong_per_batch: list[float | None]
    strong_pooled: float | None
    strong_share_kept: float | None
    interval_method: str
    n_units: int
    pooled_limits: Limits = field(metadata=spread("pooled"))
    alpha_limits: Limits = field(metadata=spread("alpha"))


@dataclass(frozen=True, slots=True)
class CriterionMean:
    """Mean and sample sd of a criterion's means over batches; None if there are too few. `word` is that of the mean."""

    criterion: str
    mean: float | None
    sd: float | None
    word: str | None
    word_scale: str


@dataclass(frozen=True, slots=True)
class SourceMean:
    """The same as CriterionMean for a source; that of whole dialogues is None."""

    source: str | None
    mean: float | None
    sd: float | None
    word: str | None
    word_scale: str


@dataclass(frozen=True, slots=True)
class Overall:
    """Every coefficient of a criterion over the items of all sources and batches.

    A coefficient is None if it is undefined: `reason` says why for all but alpha. `percent_agreement` and
    `strong_share_kept` are shares from 0 to 1. `n_left_out` counts items with one vote; `alpha_n_items` the items of
    alpha, to which unsure answers on a scale with an order are missing votes. `n_pairs` counts the pairs of annotators
    behind the weighted kappas, without `n_undefined_pairs`. `fleiss`, `alpha` and `ac1` are the limits for the
    annotators who rated.
    """

    criterion: str
    scale: str
    fleiss_kappa: float | None
    krippendorff_alpha: float | None
    alpha_reason: str | None
    gwet_ac1: float | None
    percent_agreement: float | None
    reason: str | None
    strong_kappa: float | None
    strong_share_kept: float | None
    n_items: int
    n_left_out: int
    interval_method: str
    n_units: int
    fleiss: Limits = field(metadata=spread("fleiss"))
    alpha: Limits = field(metadata=spread("alpha"))
    ac1: Limits = field(metadata=spread("ac1"))
    fleiss_new_annotators: NewAnnotators = field(metadata=spread("fleiss_new_annotators"))
    alpha_new_annotators: NewAnnotators = field(metadata=spread("alpha_new_annotators"))
    ac1_new_annotators: NewAnnotators = field(metadata=spread("ac1_new_annotators"))
    cohen_linear: WeightedKappa = field(metadata=spread("cohen_linear"))
    cohen_quadratic: WeightedKappa = field(metadata=spread("cohen_quadratic"))
    n_pairs: int
    n_undefined_pairs: int
    alpha_n_items: int

    @property
    def has_few_data(self) -> bool:
        """Return whether an interval is shown, but rough."""
        return any(each.low is not None and each.interval_note for each in (self.fleiss, self.alpha, self.ac1))


def agreement_table(study: StudyCells, votes: StudyVotes) -> list[Agreement]:
    return [_agreement(study, votes, source, criterion, key) for source, criterion, key in study.rows()]


def _agreement(
    study: StudyCells, votes: StudyVotes, source: str | None, criterion: CriterionSpec, key: CellKey
) -> Agreement:
    cells, mine = study.column(key), votes.by_criterion[criterion.id]
    per_batch = [cell.fleiss if cell else None for cell in cells]
    mean, sd = mean_sd(per_batch)
    histogram, scale = for_agreement(study.pooled[key], criterion)
    sure = strong(histogram, scale)
    whole, alpha = fleiss_kappa(histogram), alpha_of(histogram, scale)
    sample = Sample.of(mine, mine.items.source == key[1])
    limits = sample.limits(criterion, study.study, {"fleiss": whole.value, "alpha": alpha.value})
    return Agreement(
        source=source,
        criterion=criterion.key,
        per_batch=per_batch,
        reasons=[cell.reason if cell else "no_ratings" for cell in cells],
        mean=mean,
        sd=sd,
        word=WORD_SCALES[study.study.word_scale](mean),
        undefined=sum(cell is not None and cell.fleiss is None for cell in cells),
        absent=sum(cell is None for cell in cells),
        pooled=whole.value,
        pooled_reason=whole.reason,
        alpha=alpha.value,
        alpha_reason=alpha.reason,
        n_items=whole.n_items,
        n_left_out=whole.n_left_out,
        strong_per_batch=[cell.strong if cell else None for cell in cells],
        strong_pooled=fleiss_kappa(sure).value,
        strong_share_kept=sure.n_items / histogram.n_items if histogram.n_items else None,
        interval_method=sample.method,
        n_units=sample.n_units,
        pooled_limits=limits["fleiss"],
        alpha_limits=limits["alpha"],
    )


def mean_sd(values: Iterable[float | None]) -> tuple[float | None, float | None]:
    """Return mean and sample standard deviation (n - 1) of the defined values; None where there are too few."""
    found = [value for value in values if value is not None]
    if not found:
        return None, None
    mean = math.fsum(found) / len(found)
    if len(found) == 1:
        return mean, None
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in found) / (len(found) - 1))


# Published tables have these means at their edges.
def criterion_means(rows: list[Agreement], word_scale: str) -> list[CriterionMean]:
    return [
        CriterionMean(name, *_margin((row.mean for row in rows if row.criterion == name), word_scale))
        for name in dict.fromkeys(row.criterion for row in rows)
    ]


def source_means(rows: list[Agreement], word_scale: str) -> list[SourceMean]:
    return [
        SourceMean(name, *_margin((row.mean for row in rows if row.source == name), word_scale))
        for name in dict.fromkeys(row.source for row in rows)
    ]


def _margin(means: Iterable[float | None], word_scale: str) -> tuple[float | None, float | None, str | None, str]:
    """Return mean, sd, the word for the mean, and the scale that has this word."""
    mean, sd = mean_sd(means)
    return mean, sd, WORD_SCALES[word_scale](mean), word_scale


def pooled_criteria(study: StudyCells) -> Iterator[tuple[CriterionSpec, Histogram]]:
    """Yield each criterion that was rated, with the items of all sources and batches."""
    for criterion in study.spec.voted:
        parts = [study.pooled[key] for _, each, key in study.rows() if each == criterion]
        histogram = total(parts, len(criterion.options))
        if histogram.n_items:
            yield criterion, histogram


def overall_table(study: StudyCells, votes: StudyVotes) -> list[Overall]:
    return [_overall(study, votes, *pooled) for pooled in pooled_criteria(study)]


def _overall(study: StudyCells, votes: StudyVotes, criterion: CriterionSpec, pooled: Histogram) -> Overall:
    mine = votes.by_criterion[criterion.id]
    histogram, scale = for_agreement(pooled, criterion)
    sure = strong(histogram, scale)
    kappa, alpha, ac1 = fleiss_kappa(histogram), alpha_of(histogram, scale), gwet_ac(histogram)
    sample = Sample.of(mine, np.ones(len(mine.items.id), bool))
    values = {"fleiss": kappa.value, "alpha": alpha.value, "ac1": ac1.value}
    limits = sample.limits(criterion, study.study, values)
    new = for_new_annotators(mine, makers(criterion), {name: each.ends for name, each in limits.items()})
    weighted, n_pairs, n_undefined = weighted_kappas(mine, study.study.word_scale)
    return Overall(
        criterion=criterion.key,
        scale=criterion.scale,
        fleiss_kappa=kappa.value,
        krippendorff_alpha=alpha.value,
        alpha_reason=alpha.reason,
        gwet_ac1=ac1.value,
        percent_agreement=percent_agreement(histogram).value,
        reason=kappa.reason,
        strong_kappa=fleiss_kappa(sure).value,
        strong_share_kept=sure.n_items / histogram.n_items if histogram.n_items else None,
        n_items=kappa.n_items,
        n_left_out=kappa.n_left_out,
        interval_method=sample.method,
        n_units=sample.n_units,
        n_pairs=n_pairs,
        n_undefined_pairs=n_undefined,
        alpha_n_items=alpha.n_items,
        fleiss=limits["fleiss"],
        alpha=limits["alpha"],
        ac1=limits["ac1"],
        fleiss_new_annotators=new["fleiss"],
        alpha_new_annotators=new["alpha"],
        ac1_new_annotators=new["ac1"],
        cohen_linear=weighted["cohen_linear"],
        cohen_quadratic=weighted["cohen_quadratic"],
    )
