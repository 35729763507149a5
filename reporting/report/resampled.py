"""The bootstrap intervals of the report: over items or, if several share a conversation, over conversations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from annotation.agreement_cells import alpha_options, on_scale, tallies_on_scale
from annotation.models import Study
from measures.agreement import fleiss_kernel, gwet_kernel
from measures.alpha import alpha_kernel
from measures.arrays import BoolArray, IntArray
from measures.clusters import Clusters, cluster_bootstrap_intervals
from measures.histograms import Histogram, in_one_order
from measures.intervals import Interval, Kernel, KernelMaker, bootstrap_intervals, in_both_orders, interval_guard
from measures.labels import WORD_SCALES, alpha_word
from protocols.specs import CriterionSpec
from reporting.study.votes import CriterionVotes

N_RESAMPLES = 2000
LEVEL = 0.95
OF_ITEMS = "bca_items"
OF_DIALOGUES = "bca_dialogues"
OF_CONVERSATIONS = "bca_conversations"
OF_SCENARIOS = "bca_scenarios"


@dataclass(frozen=True, slots=True)
class Limits:
    """The 95 % interval of a coefficient, and the words for the coefficient and its lower limit.

    Limits are None if there is no interval; `interval_note` says why, or that there are few data. A word is
    None if its number is None or the study has no verbal scale.
    """

    low: float | None
    high: float | None
    interval_note: str | None
    word: str | None
    low_word: str | None

    @classmethod
    def of(cls, value: float | None, ends: Interval, word: Callable[[float | None], str | None]) -> "Limits":
        return cls(ends.low, ends.high, ends.note, word(value), word(ends.low))

    @property
    def ends(self) -> Interval:
        return Interval(self.low, self.high, self.interval_note)


@dataclass(frozen=True, slots=True)
class Sample:
    """The units to resample: items, or groups of dependent items (`clusters`)."""

    histogram: Histogram
    clusters: Clusters | None
    mirror: Sequence[int] | None = None  # of answers whose agreement is computed in both orders
    has_turns: bool = False  # the groups are conversations of several dialogues
    has_scenarios: bool = False  # the groups are scenarios of several conversations

    @classmethod
    def of(cls, votes: CriterionVotes, chosen: BoolArray) -> "Sample":
        """Return the sample of the items marked in `chosen`, without votes that are not on the scale."""
        tallies = tallies_on_scale(votes.tallies[chosen], votes.criterion)
        voted = tallies.any(axis=1)
        mirror = on_scale(votes.criterion).mirror
        rows, groups = in_one_order(tallies[voted], mirror), votes.items.groups[chosen][voted]
        if len(np.unique(groups)) == len(groups):
            return cls(Histogram.from_tallies(rows), None, mirror)
        clusters = Clusters.from_tallies(groups, rows)
        return cls(clusters.histogram, clusters, mirror, votes.items.has_turns, votes.items.has_scenarios)

    @property
    def method(self) -> str:
        if self.clusters is None:
            return OF_ITEMS
        if self.has_scenarios:
            return OF_SCENARIOS
        return OF_CONVERSATIONS if self.has_turns else OF_DIALOGUES

    @property
    def n_units(self) -> int:
        return self.clusters.n_groups if self.clusters else self.histogram.n_rated

    def limits(self, criterion: CriterionSpec, study: Study, values: Mapping[str, float | None]) -> dict[str, Limits]:
        """Return the limits of coefficients, names in `makers`, whose values over these units are given."""
        kernels = makers(criterion)
        found = self.around({name: kernels[name] for name, value in values.items() if value is not None}, study.seed)
        words = {"alpha": partial(alpha_word, study.word_scale)}
        return {
            name: Limits.of(
                value, found.get(name, Interval(None, None)), words.get(name, WORD_SCALES[study.word_scale])
            )
            for name, value in values.items()
        }

    def intervals(self, kernel_makers: Sequence[KernelMaker], seed: int) -> list[Interval]:
        how = {"seed": seed, "n_resamples": N_RESAMPLES, "level": LEVEL}
        turned = [in_both_orders(maker, self.mirror) for maker in kernel_makers]
        if self.clusters:
            return cluster_bootstrap_intervals(self.clusters, turned, **how)  # type: ignore[arg-type]
        return bootstrap_intervals(self.histogram, turned, **how)  # type: ignore[arg-type]

    def around(self, kernel_makers: Mapping[str, KernelMaker], seed: int) -> dict[str, Interval]:
        """Return the intervals of the named coefficients, or the reason why a small sample has none."""
        largest = self.histogram.in_both_orders(self.mirror).largest_share
        show, word = interval_guard(self.n_units, None if largest is None else 1 - largest)
        if not show or not kernel_makers:
            return dict.fromkeys(kernel_makers, Interval(None, None, word))
        found = self.intervals(list(kernel_makers.values()), seed)
        return {name: replace(each, note=each.note or word) for name, each in zip(kernel_makers, found, strict=True)}


def makers(criterion: CriterionSpec) -> dict[str, KernelMaker]:
    """Return the coefficients as functions of patterns over the options on the scale."""
    return {
        "fleiss": fleiss_kernel,
        "ac1": gwet_kernel,
        "alpha": lambda patterns: _alpha_kernel(patterns, on_scale(criterion)),
    }


def _alpha_kernel(patterns: IntArray, criterion: CriterionSpec) -> Kernel:
    """Return alpha's kernel; the columns of votes that alpha treats as missing are removed."""
    left_out, numbers = alpha_options(criterion)
    return alpha_kernel(np.delete(patterns, left_out, axis=1), criterion.scale, numbers)
