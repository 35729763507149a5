"""Coefficients beside alpha, Fleiss' kappa and weighted kappas, for readers who ask for one by its name."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from django.utils.translation import gettext_noop

from annotation.agreement_cells import counted_places, for_agreement, n_counted, on_scale, ordered_options
from measures.agreement import all_agree_share, brennan_prediger_kernel
from measures.cohen import conger_kappa, rater_margins
from measures.estimate import NO_STANDARD_ERROR, Estimate
from measures.further import estimate_of, ordered_makers, ordered_of_annotators, without_categories
from measures.histograms import Histogram
from measures.intervals import Interval, KernelMaker
from measures.pair_means import mean_pairwise_cohen
from measures.pairs import PairTable
from protocols.models import Criterion
from protocols.specs import CriterionSpec
from reporting.report.coefficients import pooled_criteria
from reporting.report.new_annotators import NewAnnotators, for_new_annotators
from reporting.report.resampled import Sample
from reporting.report.weighted import ordered, ordered_codes
from reporting.study.cells import StudyCells
from reporting.study.plain import spread
from reporting.study.votes import CriterionVotes, StudyVotes

# {coefficient: its name, and what it says}, in the order of the table
WORDS = {
    "cohen_kappa_mean": (
        gettext_noop("Cohen's kappa, mean of pairs"),
        gettext_noop(
            "Cohen's kappa of every two annotators with items in common, averaged over these pairs (Light's kappa)."
        ),
    ),
    "conger_kappa": (
        gettext_noop("Conger's kappa"),
        gettext_noop("Cohen's kappa for many: chance from each annotator's own answers."),
    ),
    "brennan_prediger": (
        gettext_noop("Brennan-Prediger"),
        gettext_noop("Chance is the same for every answer on the scale. A frequent answer does not lower it."),
    ),
    "all_agree_share": (
        gettext_noop("Share on which all agree"),
        gettext_noop(
            "Items with the same answer from everybody, of those with two answers or more. Falls with more annotators."
        ),
    ),
    "gwet_ac2": (
        gettext_noop("Gwet's AC2, quadratic"),
        gettext_noop("AC1 with partial agreement of neighbouring answers. A frequent answer hardly lowers it."),
    ),
    "brennan_prediger_quadratic": (
        gettext_noop("Brennan-Prediger, quadratic"),
        gettext_noop("Brennan-Prediger with partial agreement of neighbouring answers."),
    ),
    "krippendorff_alpha_ratio": (
        gettext_noop("Krippendorff's alpha, ratio"),
        gettext_noop("For counts and amounts, where 1 and 2 differ as much as 50 and 100. Needs a true zero."),
    ),
    "icc_1": (
        gettext_noop("ICC(1)"),
        gettext_noop(
            "Share of the variance that is due to the items, if each item has annotators of its own: ICC(1,1)."
        ),
    ),
    "icc_a1": (
        gettext_noop("ICC(A,1)"),
        gettext_noop(
            "The same if annotators rate many items. Differences between annotators count as disagreement: ICC(2,1). "
            "If sources have different annotators, differences between the sources are taken for those of annotators, "
            "and this lowers ICC(A,1) and ICC(C,1)."
        ),
    ),
    "icc_c1": (
        gettext_noop("ICC(C,1)"),
        gettext_noop("Consistency: annotators may differ by a constant without lowering it, as in ICC(3,1)."),
    ),
    "pearson_mean": (
        gettext_noop("Pearson's r, mean of pairs"),
        gettext_noop(
            "Correlation over the common items of two annotators (3 or more), averaged over all pairs. Ignores that "
            "one is stricter than the other."
        ),
    ),
    "spearman_mean": (
        gettext_noop("Spearman's rho, mean of pairs"),
        gettext_noop("The same with ranks: only the order of the items matters."),
    ),
}
ORDER = list(WORDS)


@dataclass(frozen=True, slots=True)
class FurtherAgreement:
    """A coefficient of a criterion over the items of all sources and batches, with its 95 % interval.

    `value` is None if it is undefined, and `reason` says why. Limits are None if there is no interval; `interval_note`
    says why, or that there are few data. `n_pairs` are the pairs of annotators of a mean over pairs, else 0,
    without the `n_undefined` ones.
    """

    criterion: str
    coefficient: str
    value: float | None
    reason: str | None
    low: float | None
    high: float | None
    interval_note: str | None
    n_items: int
    n_pairs: int
    n_undefined: int
    interval_method: str
    n_units: int
    new_annotators: NewAnnotators = field(metadata=spread("new_annotators"))


def further_table(study: StudyCells, votes: StudyVotes) -> list[FurtherAgreement]:
    return [
        row
        for criterion, pooled in pooled_criteria(study)
        for row in _of_criterion(study, votes.by_criterion[criterion.id], for_agreement(pooled, criterion)[0])
    ]


def _of_criterion(study: StudyCells, votes: CriterionVotes, histogram: Histogram) -> Iterator[FurtherAgreement]:
    makers = further_makers(votes.criterion)
    values = {name: estimate_of(maker, histogram) for name, maker in makers.items()}
    defined = {name: makers[name] for name, each in values.items() if each.value is not None}
    sample = Sample.of(votes, np.ones(len(votes.items.id), bool))
    limits = sample.around(defined, study.study.seed)
    new = for_new_annotators(votes, defined, limits)
    found = _by_name(votes, histogram) | values
    for name in sorted(found, key=ORDER.index):
        yield _row(votes.criterion.key, name, found[name], sample, limits.get(name), new.get(name))


def _row(
    criterion: str,
    name: str,
    estimate: Estimate,
    sample: Sample,
    limits: Interval | None,
    new: NewAnnotators | None,
) -> FurtherAgreement:
    none = NO_STANDARD_ERROR if estimate.value is not None else None
    ends = limits or Interval(None, None, none)
    return FurtherAgreement(
        criterion=criterion,
        coefficient=name,
        value=estimate.value,
        reason=estimate.reason,
        low=ends.low,
        high=ends.high,
        interval_note=ends.note,
        n_items=estimate.n_items,
        n_pairs=estimate.n_pairs,
        n_undefined=estimate.n_undefined,
        interval_method=sample.method,
        n_units=sample.n_units,
        new_annotators=new or NewAnnotators(None, None, none),
    )


def further_makers(criterion: CriterionSpec) -> dict[str, KernelMaker]:
    """Return the coefficients that are functions of patterns over the options on the scale.

    An unsure answer is an answer for those without an order, and a missing vote for the others, as in alpha.
    """
    found: dict[str, KernelMaker] = {"brennan_prediger": brennan_prediger_kernel}
    scale = on_scale(criterion)
    if scale.scale != Criterion.Scale.NOMINAL:
        left_out, numbers = ordered_options(scale)
        n = len(scale.options) - len(left_out)
        is_interval = scale.scale == Criterion.Scale.INTERVAL
        ordered = ordered_makers(n, numbers, is_interval=is_interval)
        found |= {name: without_categories(maker, left_out) for name, maker in ordered.items()}
    return found


def _by_name(votes: CriterionVotes, histogram: Histogram) -> dict[str, Estimate]:
    """Return the coefficients that compare annotators by name, and the share on which all agree."""
    scale, n = on_scale(votes.criterion), n_counted(votes.criterion)
    mirror = scale.mirror
    code = counted_places(votes.criterion)[votes.code]
    n_annotators = int(votes.annotator.max(initial=0)) + 1
    pairs = PairTable.from_votes(votes.item, votes.annotator, code, n)
    margins = rater_margins(votes.annotator, code, n_annotators, n)
    alike = all_agree_share(histogram)
    found = {
        "cohen_kappa_mean": replace(mean_pairwise_cohen(pairs.in_both_orders(mirror)), n_items=alike.n_items),
        "conger_kappa": conger_kappa(histogram, margins if mirror is None else margins + margins[:, mirror]),
        "all_agree_share": alike,
    }
    if scale.scale == Criterion.Scale.NOMINAL:
        return found
    left_out, numbers = ordered_options(scale)
    codes, turned = ordered_codes(votes), ordered(votes.criterion).mirror
    of_order = ordered_of_annotators(votes.item, votes.annotator, codes, n - len(left_out), numbers, mirror=turned)
    n_items = int((np.bincount(votes.item[codes >= 0]) > 1).sum())
    return found | {name: replace(each, n_items=n_items) for name, each in of_order.items()}
