"""Read what a result is based on: the panel's and a candidate's answers to the same items, as codes."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from django.db.models import QuerySet

from annotation.agreement_cells import on_scale
from annotation.models import Assignment, Batch, Item, Participant, Rating, Study
from annotation.selectors.claims import STOPPED
from annotation.selectors.comparisons import show_several_sources
from measures.agreement import fleiss_kappa
from measures.arrays import mean_of_orders
from measures.estimate import Estimate
from measures.histograms import Histogram
from protocols.models import Option
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from qualification.models import KnownAnswer, Qualification
from qualification.qualifying.selectors.panel import Same, panel_work

PANELS: dict[str, tuple[str, ...]] = {
    Qualification.PanelMembers.ALL: (Participant.Panel.EXPERT, Participant.Panel.NON_EXPERT),
    Qualification.PanelMembers.EXPERT: (Participant.Panel.EXPERT,),
    Qualification.PanelMembers.NON_EXPERT: (Participant.Panel.NON_EXPERT,),
}
Kind = tuple[str, int]
MIRRORS: dict[str, str] = {Option.Role.LEFT: Option.Role.RIGHT, Option.Role.RIGHT: Option.Role.LEFT}
NO_PANEL, PANEL_UNFINISHED = "no_panel", "panel_unfinished"


class Vote(NamedTuple):
    item: int
    criterion: int
    participant: int
    option: int


@dataclass(frozen=True, slots=True)
class Scale:
    """Hold the categories that answers are compared on: {option id: code}. Options that exclude the item have none.

    `mirror` has the place of each category's mirror, for agreement over both orders; None where one order is enough.
    """

    codes: dict[int, int]
    n_categories: int
    mirror: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """Hold the answers to one criterion, or to all pooled: one row per judged answer, -1 for none.

    members: (N, M) codes of the panel. candidate: (N,) codes. is_right: (N,) 1, 0, or -1 if unknown.
    """

    scale: Scale
    members: np.ndarray
    candidate: np.ndarray
    is_right: np.ndarray


# --- scales ----------------------------------------------------------------------------------------
def pooled_scale(spec: VersionSpec, *, in_both_orders: bool = False) -> Scale:
    """Return one scale for all criteria: options of the same role are one category (positive, negative, unsure).

    Several options of one role in a criterion, such as the points of a scale, are told apart by their order.
    """
    kinds: dict[Kind, int] = {}
    codes = {}
    for criterion in spec.voted:
        for option, kind in _kinds(criterion):
            codes[option] = kinds.setdefault(kind, len(kinds))
    mirror = tuple(kinds[MIRRORS.get(role, role), at] for role, at in kinds) if in_both_orders else None
    return Scale(codes, max(len(kinds), 1), mirror)


def _kinds(criterion: CriterionSpec) -> list[tuple[int, Kind]]:
    """Return (option id, (role, place among the options of this role)).

    Left options are counted from the middle: each then has the place of its mirror, whatever degrees a criterion has.
    """
    options = on_scale(criterion).options
    of_role: dict[str, list[int]] = defaultdict(list)
    for option in options:
        of_role[option.role].append(option.id)
    of_role[Option.Role.LEFT].reverse()
    return [(option.id, (option.role, of_role[option.role].index(option.id))) for option in options]


def scale_of(criterion: CriterionSpec, *, in_both_orders: bool = False) -> Scale:
    counted = replace(on_scale(criterion), in_both_orders=in_both_orders)
    codes = {option.id: at for at, option in enumerate(counted.options)}
    return Scale(codes, max(len(codes), 1), counted.mirror)


# --- the panel -------------------------------------------------------------------------------------
def panel_of(qualification: Qualification) -> QuerySet[Participant]:
    """Return the members that candidates are compared with, in the order of their pseudonyms."""
    return Participant.objects.filter(
        study=qualification.study_id, panel__in=PANELS[qualification.panel_members]
    ).order_by("pseudonym")


@dataclass(frozen=True, slots=True)
class PanelState:
    """Hold how far the panel is with some batches. It does not wait for members who are paused or excluded."""

    members: tuple[Participant, ...]
    n_done: int  # members who have finished every batch
    waiting: tuple[str, ...]  # pseudonyms of members who have not

    @property
    def reason(self) -> str:
        """Return why nothing can be decided yet; empty if it can."""
        if self.waiting:
            return PANEL_UNFINISHED
        return "" if self.n_done else NO_PANEL


def panel_state(qualification: Qualification, batches: Iterable[int]) -> PanelState:
    wanted, members = set(batches), tuple(panel_of(qualification))
    done = panel_work(wanted, [member.pk for member in members])
    ready = [member for member in members if wanted and done.get(member.pk, {}).keys() >= wanted]
    waiting = [each for each in members if each not in ready and each.status not in STOPPED]
    return PanelState(members, len(ready), tuple(each.pseudonym for each in waiting))


@dataclass(frozen=True, slots=True)
class PanelFigures:
    """Hold the panel's own results. `shares` are those of the categories, the largest first."""

    kappa: Estimate
    shares: tuple[float, ...]
    n_members: int


def panel_figures(qualification: Qualification, study: Study) -> PanelFigures:
    """Return results over all answers of the panel in the qualification batches, all criteria together."""
    spec = spec_of(study.protocol_version)
    batches = list(qualification_batches(study).values_list("pk", flat=True))
    members = [member.pk for member in panel_of(qualification)]
    votes = _panel_votes(batches, members)
    scale = pooled_scale(spec, in_both_orders=_in_both_orders(votes))
    codes = _answers(scale, votes, members, None, {}).members
    counts = mean_of_orders(np.bincount(codes[codes >= 0], minlength=scale.n_categories).astype(float), scale.mirror)
    shares = tuple(sorted((counts / max(counts.sum(), 1)).tolist(), reverse=True))
    n_rated = int((codes >= 0).any(axis=0).sum()) if codes.size else 0
    histogram = Histogram.from_matrix(codes, scale.n_categories).in_both_orders(scale.mirror)
    return PanelFigures(fleiss_kappa(histogram), shares, n_rated)


def qualification_batches(study: Study) -> QuerySet[Batch]:
    dealt = study.batches.filter(kind=Batch.Kind.QUALIFICATION, reserved_for=None)
    return dealt.exclude(status=Batch.Status.DRAFT).order_by("position")


def n_judged(study: Study) -> int:
    """Return how many answers of a candidate are judged in the first qualification batch; 0 without one."""
    first = qualification_batches(study).first()
    units = Counter(Item.objects.filter(batch=first).values_list("unit", flat=True)) if first else Counter()
    return sum(units[criterion.unit] for criterion in spec_of(study.protocol_version).voted)


# --- a candidate beside the panel ------------------------------------------------------------------
def answers_of(
    qualification: Qualification, spec: VersionSpec, participant: int, batches: list[int]
) -> dict[str, JudgedAnswers]:
    """Return the judged answers by criterion key, or pooled under "", as the qualification's scope says."""
    members = [member.pk for member in panel_of(qualification)]
    votes = [*_panel_votes(batches, members), *_votes(batches, [participant])]
    right = _known_answers(qualification, batches) if qualification.method == Qualification.Method.GOLD else {}
    is_both = _in_both_orders(votes)
    if qualification.scope == Qualification.Scope.POOLED:
        return {"": _answers(pooled_scale(spec, in_both_orders=is_both), votes, members, participant, right)}
    found = {}
    for each in spec.voted:
        mine = [vote for vote in votes if vote.criterion == each.id]
        found[each.key] = _answers(scale_of(each, in_both_orders=is_both), mine, members, participant, right)
    return found


def _in_both_orders(votes: Iterable[Vote]) -> bool:
    return show_several_sources({vote.item for vote in votes})


def _panel_votes(batches: list[int], members: list[int]) -> list[Vote]:
    """Return the panel's votes. Votes from a pilot with the same items count as votes on the qualification's items."""
    work = panel_work(batches, members)
    places: dict[tuple[int, int], list[Same]] = defaultdict(list)
    for member, finished in work.items():
        for place, same in finished.values():
            places[member, place].append(same)
    votes = []
    for place in sorted({place for _member, place in places}):
        for vote in _votes([place], [member for member, where in places if where == place]):
            votes += [vote._replace(item=same.get(vote.item, vote.item)) for same in places[vote.participant, place]]
    return votes


def _votes(batches: Iterable[int], participants: list[int]) -> list[Vote]:
    """Return the answers of finished work that holds a seat."""
    rows = Rating.objects.filter(
        batch__in=batches,
        assignment__participant__in=participants,
        assignment__status=Assignment.Status.SUBMITTED,
        assignment__seat__isnull=False,
        is_active=True,
        option__isnull=False,
    ).order_by("item", "criterion")
    return [Vote(*row) for row in rows.values_list("item", "criterion", "assignment__participant", "option")]


def _answers(
    scale: Scale,
    votes: list[Vote],
    members: list[int],
    participant: int | None,
    right: dict[tuple[int, int], set[int]],
) -> JudgedAnswers:
    counted = [vote for vote in votes if vote.option in scale.codes]
    rows = {key: at for at, key in enumerate(dict.fromkeys((vote.item, vote.criterion) for vote in counted))}
    columns = {member: at for at, member in enumerate(members)}
    table, mine = np.full((len(rows), len(members)), -1, np.int64), np.full(len(rows), -1, np.int64)
    is_right = np.full(len(rows), -1, np.int64)
    for vote in counted:
        at = rows[vote.item, vote.criterion]
        if vote.participant in columns:
            table[at, columns[vote.participant]] = scale.codes[vote.option]
        if vote.participant == participant:
            mine[at] = scale.codes[vote.option]
            if (vote.item, vote.criterion) in right:
                is_right[at] = vote.option in right[vote.item, vote.criterion]
    return JudgedAnswers(scale, table, mine, is_right)


def _known_answers(qualification: Qualification, batches: list[int]) -> dict[tuple[int, int], set[int]]:
    """Return {(item, criterion): right options} of the gold in these batches."""
    gold = KnownAnswer.objects.filter(study=qualification.study_id, kind=KnownAnswer.Kind.GOLD, is_active=True)
    by_unit = {
        (row.candidate_id or 0, 0 if row.candidate_id else row.dialogue_id or 0, row.unit, row.criterion_id): row
        for row in gold
    }
    found = {}
    items = Item.objects.filter(batch__in=batches).values_list("pk", "candidate_id", "dialogue_id", "unit")
    criteria = {row.criterion_id for row in gold}
    for pk, candidate, dialogue, unit in items:
        for criterion in criteria:
            known = by_unit.get((candidate or 0, 0 if candidate else dialogue or 0, unit, criterion))
            if known is not None:
                found[pk, criterion] = set(known.options)
    return found
