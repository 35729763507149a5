"""Behaviours: the options of multiple-choice questions, each ticked or not, by source and by conversation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotation.agreement_cells import alpha_of
from annotation.models import Study
from measures.agreement import fleiss_kappa, positive_agreement
from measures.arrays import BoolArray, IntArray
from measures.histograms import Histogram
from measures.mixed.design import codes_of
from measures.overlap import mean_jaccard
from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec, OptionSpec
from reporting.report.comparisons import SourceComparison, comparison_of
from reporting.report.resampled import Limits, Sample
from reporting.study.answer_details import Detail
from reporting.study.cells import StudyCells
from reporting.study.plain import spread
from reporting.study.votes import CriterionVotes, StudyVotes

NOT_TICKED, TICKED = 0, 1


@dataclass(frozen=True, slots=True)
class TickAgreement:
    """The agreement on a behaviour, ticked or not, over all sources.

    A coefficient is None if it is undefined, and its reason says why. `positive_agreement` is a share from 0 to 1: how
    often a second annotator also ticks what one has ticked. `n_left_out` counts items with one answer.
    """

    krippendorff_alpha: float | None
    alpha_reason: str | None
    alpha: Limits = field(metadata=spread("alpha"))
    fleiss_kappa: float | None
    kappa_reason: str | None
    fleiss: Limits = field(metadata=spread("fleiss"))
    positive_agreement: float | None
    positive_reason: str | None
    n_items: int
    n_left_out: int
    interval_method: str
    n_units: int


@dataclass(frozen=True, slots=True)
class Behaviour:
    """An option of a multiple-choice question. Answers that tick nothing, or say "none", count as not ticked.

    `rates` compares the shares of answers that tick it; `conversations` those of the pairs of an annotator and a
    conversation with at least one tick, None if each conversation has one item of a source.
    """

    criterion: str
    option: str
    label: str
    ticked: int
    n_answers: int
    rates: SourceComparison
    conversations: SourceComparison | None
    agreement: TickAgreement

    @property
    def key(self) -> str:
        return f"{self.criterion}.{self.option}"


@dataclass(frozen=True, slots=True)
class TurnOverlap:
    """The overlap of the turns that annotators mark for a question, as a mean over pairs of annotators of an item.

    `source` is None for all sources together. `n_neither` pairs marked nothing and are left out.
    """

    criterion: str
    source: str | None
    jaccard: float | None
    reason: str | None
    n_pairs: int
    n_items: int
    n_neither: int


def behaviours(study: StudyCells, votes: StudyVotes, details: Sequence[Detail]) -> list[Behaviour]:
    """Return a row for each option of each multiple-choice question that has answers."""
    found = []
    for criterion in study.spec.criteria:
        mine = np.flatnonzero(votes.of(criterion))
        if criterion.kind == Criterion.Kind.MULTIPLE and len(mine):
            ticks = _ticks(criterion, votes, details)[mine]
            for at, option in enumerate(criterion.options):
                found.append(
                    _behaviour(study, criterion, option, _answers(criterion, option, votes, mine, ticks[:, at]))
                )
    return found


def _ticks(criterion: CriterionSpec, votes: StudyVotes, details: Sequence[Detail]) -> BoolArray:
    """Return (n answers, K) whether an answer ticks each option."""
    found = np.zeros((len(votes.rating), len(criterion.options)), bool)
    for detail in details:
        ticked = np.array([option.id in detail.choices for option in criterion.options])
        if ticked.any():
            found[votes.places(detail.ratings)] = ticked
    return found


def _answers(
    criterion: CriterionSpec, option: OptionSpec, votes: StudyVotes, mine: IntArray, ticked: BoolArray
) -> CriterionVotes:
    """Return the answers as those to a question of its own, with two options: not ticked, and ticked."""
    no, yes = (replace(option, role=role, value=None) for role in (Option.Role.NEGATIVE, Option.Role.POSITIVE))
    question = replace(
        criterion,
        key=f"{criterion.key}.{option.key}",
        name=option.label,
        kind=Criterion.Kind.SINGLE,
        scale=Criterion.Scale.NOMINAL,
        options=(no, yes),
    )
    code = np.where(ticked, TICKED, NOT_TICKED)
    return CriterionVotes(votes.items, votes.work, question, votes.item[mine], votes.assignment[mine], code)


def _behaviour(study: StudyCells, criterion: CriterionSpec, option: OptionSpec, answers: CriterionVotes) -> Behaviour:
    whole = _by_conversation(answers)
    return Behaviour(
        criterion=criterion.key,
        option=option.key,
        label=option.label,
        ticked=int(answers.code.sum()),
        n_answers=len(answers.code),
        rates=comparison_of(study, answers, None),
        conversations=None if whole is None else comparison_of(study, whole, None),
        agreement=_agreement(answers, study.study),
    )


def _by_conversation(answers: CriterionVotes) -> CriterionVotes | None:
    """Return one answer for each annotator, conversation and source: whether any of its answers ticks the behaviour.

    The first item of a source in a conversation stands for all. None if there are no others.
    """
    items = answers.items
    place = codes_of(items.groups[answers.item], items.source[answers.item])
    first = np.full(int(place.max()) + 1, len(items.id), np.int64)
    np.minimum.at(first, place, answers.item)
    if len(first) == len(np.unique(answers.item)):
        return None
    both = codes_of(place, answers.assignment)
    at = np.unique(both, return_index=True)[1]
    code = np.zeros(len(at), np.int64)
    np.maximum.at(code, both, answers.code)
    return replace(answers, item=first[place[at]], assignment=answers.assignment[at], code=code)


def _agreement(answers: CriterionVotes, study: Study) -> TickAgreement:
    histogram = Histogram.from_votes(answers.item, answers.code, 2)
    kappa, alpha = fleiss_kappa(histogram), alpha_of(histogram, answers.criterion)
    positive = positive_agreement(histogram, TICKED)
    sample = Sample.of(answers, np.ones(len(answers.items.id), bool))
    limits = sample.limits(answers.criterion, study, {"fleiss": kappa.value, "alpha": alpha.value})
    return TickAgreement(
        krippendorff_alpha=alpha.value,
        alpha_reason=alpha.reason,
        alpha=limits["alpha"],
        fleiss_kappa=kappa.value,
        kappa_reason=kappa.reason,
        fleiss=limits["fleiss"],
        positive_agreement=positive.value,
        positive_reason=positive.reason,
        n_items=kappa.n_items,
        n_left_out=kappa.n_left_out,
        interval_method=sample.method,
        n_units=sample.n_units,
    )


def turn_overlaps(study: StudyCells, votes: StudyVotes, details: Sequence[Detail]) -> list[TurnOverlap]:
    """Return a row over all sources for each question that marks turns, and one per source if there are several."""
    turns: dict[int, tuple[int, ...]] = {}
    for detail in details:
        if detail.turns:
            turns |= dict.fromkeys(votes.places(detail.ratings).tolist(), detail.turns)
    rows: list[TurnOverlap] = []
    for criterion in study.spec.criteria:
        if criterion.kind == Criterion.Kind.TURNS:
            rows += _overlaps(study, votes, criterion, turns)
    return rows


def _overlaps(
    study: StudyCells, votes: StudyVotes, criterion: CriterionSpec, turns: dict[int, tuple[int, ...]]
) -> Iterable[TurnOverlap]:
    mine = np.flatnonzero(votes.of(criterion))
    sources = votes.items.source[votes.item[mine]]
    present = [(key, pk) for key, pk in study.source_ids.items() if key is not None and (sources == pk).any()]
    parts: list[tuple[str | None, IntArray]] = [(None, mine)] if len(mine) else []
    parts += [(key, mine[sources == pk]) for key, pk in present] if len(present) > 1 else []
    for source, rows in parts:
        found = mean_jaccard(votes.item[rows], [turns.get(at, ()) for at in rows.tolist()])
        share = found.jaccard
        yield TurnOverlap(
            criterion.key, source, share.value, share.reason, share.n_pairs, share.n_items, found.n_neither
        )
