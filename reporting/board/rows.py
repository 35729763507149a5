"""Read what the live board shows: the sums of the study and one page of batches.

The number of rows and queries does not grow with the study.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Subquery
from django.db.models.functions import JSONObject
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.agreement_cells import without_intervals
from annotation.models import ActivityLog, AgreementCell, AgreementSnapshot, Batch, Heartbeat, Source, Study
from annotation.pairings import in_orders_of
from annotation.selectors.dialogues import rates_turns
from annotation.selectors.studies import rated_sources
from measures.labels import WordScale
from protocols.models import Criterion
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from reporting.board.work import BatchLine, Progress, SeatCounts, batch_lines, progress_of, seats_of
from reporting.explained import STATISTICS, Statistic

BATCHES = 10  # per page
BESIDE = ("percent", "strong_share_kept")  # estimates that are needed to explain the chosen one


@dataclass(frozen=True, slots=True)
class Stamp:
    """The version of a board, which a browser sends back to ask for anything newer."""

    version: int
    is_worker_silent: bool
    activity: int = 0  # the latest entry in the activity log: accepting a batch changes the board without a new answer
    language: str = ""  # of the page: a board in another language is another board

    def __str__(self) -> str:
        return f"{self.version}-{int(self.is_worker_silent)}-{self.activity}-{self.language}"


def stamp_of(study: Study, *, now: datetime) -> Stamp:
    """Return the stamp with one query of index look-ups, for a study of any size."""
    snapshots = AgreementSnapshot.objects.filter(study=OuterRef("pk"), batch=None).values("version")
    since = now - timedelta(seconds=settings.WORKER_SILENT_AFTER)
    beats = Heartbeat.objects.filter(queue="live", beaten_at__gt=since)
    decided = ActivityLog.objects.filter(study=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    found = Study.objects.filter(pk=study.pk).values_list(Subquery(snapshots), Exists(beats), Subquery(decided))
    version, is_alive, activity = found.get()
    return Stamp(version or 0, not is_alive, activity or 0, get_language() or "")


@dataclass(frozen=True, slots=True)
class Scope:
    """Criteria that are shown together: one, or all."""

    key: str
    label: str
    criteria: tuple[CriterionSpec, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The choices of the viewer. Unknown values become the default, so that old links still work."""

    batch: str
    scope: Scope
    statistic: Statistic
    page: str

    @property
    def criteria(self) -> tuple[CriterionSpec, ...]:
        """Return the criteria of the scope for which the chosen statistic is defined."""
        return tuple(each for each in self.scope.criteria if self.statistic.fits(each.scale))


def choice_of(query: Mapping[str, str], spec: VersionSpec, word_scale: str = WordScale.LANDIS_KOCH) -> Choice:
    scopes = {scope.key: scope for scope in scopes_of(spec)}
    scope = scopes.get(query.get("criterion", ""), scopes[""])
    offered = {statistic.key: statistic for statistic in statistics_of(scope)}
    statistic = offered.get(query.get("statistic", ""), usual_statistic(scope))
    return Choice(
        batch=query.get("batch", "").replace("\x00", ""),
        scope=scope,
        statistic=replace(statistic, word_scale=word_scale),
        page=query.get("page", "1"),
    )


def statistics_of(scope: Scope) -> list[Statistic]:
    """Return the statistics that are defined for at least one criterion of the scope."""
    scales = {criterion.scale for criterion in scope.criteria}
    return [each for each in STATISTICS.values() if any(map(each.fits, scales))]


def usual_statistic(scope: Scope) -> Statistic:
    """Return Fleiss' kappa if every scale is nominal, otherwise alpha: kappa ignores the order of a scale."""
    is_nominal = all(criterion.scale == Criterion.Scale.NOMINAL for criterion in scope.criteria)
    return STATISTICS["fleiss" if is_nominal else "alpha"]


def scopes_of(spec: VersionSpec) -> list[Scope]:
    """Return a scope of all criteria, then one for each criterion."""
    whole = Scope("", _("All criteria"), spec.voted)
    return [whole, *(Scope(each.key, each.name, (each,)) for each in spec.voted)]


@dataclass(frozen=True, slots=True)
class BoardCell:
    """The part of an AgreementCell that the page shows: `estimates` has the chosen statistic and those in BESIDE."""

    criterion_id: int
    source_id: int | None
    histogram: dict[str, int]
    estimates: dict[str, Any]
    sums: dict[str, int]
    pairings: dict[str, int]


Cells = dict[tuple[int, int | None], BoardCell]


@dataclass(frozen=True, slots=True)
class BoardData:
    """The rows of one refresh, read once. `cells` is {batch id: cells}; the key None is the whole study."""

    study: Study
    spec: VersionSpec
    choice: Choice
    total: AgreementSnapshot | None
    progress: Progress
    seats: SeatCounts
    page: Page
    lines: tuple[BatchLine, ...]
    sources: tuple[Source, ...]
    cells: dict[int | None, Cells]
    has_turns: bool  # of conversations: their answers are dependent

    @property
    def is_rated(self) -> bool:
        return any(self.cells.values())


def board_data(study: Study, query: Mapping[str, str]) -> BoardData:
    spec = spec_of(study.protocol_version)
    choice = choice_of(query, spec, study.word_scale)
    total = AgreementSnapshot.objects.filter(study=study, batch=None).first()
    # The other kinds (review samples, re-ratings) have one annotator, so there is no agreement to show.
    dealt = study.batches.filter(kind__in=Batch.DEALT).select_related("snapshot").order_by("position", "pk")
    page = Paginator(dealt, BATCHES).get_page(choice.page)
    batches = list(page.object_list)
    seats, unmeasured = seats_of(study)
    are_turns = rates_turns(study.pk)
    return BoardData(
        study=study,
        spec=spec,
        choice=replace(choice, page=str(page.number)),
        total=total,
        progress=progress_of(total, unmeasured * len(spec.asked_always)),
        seats=seats,
        page=page,
        lines=tuple(batch_lines(batches, len(spec.asked_always))),
        sources=tuple(rated_sources(study).order_by("-is_reference", "position")),
        cells=_cells(total, batches, choice, are_turns),
        has_turns=are_turns,
    )


def _cells(
    total: AgreementSnapshot | None, batches: list[Batch], choice: Choice, are_turns: bool
) -> dict[int | None, Cells]:
    """Return the cells of the chosen criteria, for the study and for each batch on the page."""
    snapshots: dict[int, int | None] = {batch.snapshot.pk: batch.pk for batch in batches if hasattr(batch, "snapshot")}
    if total is not None:
        snapshots[total.pk] = None
    found: dict[int | None, Cells] = {batch_id: {} for batch_id in snapshots.values()}
    rows = AgreementCell.objects.filter(
        snapshot__in=snapshots, criterion__in=[criterion.id for criterion in choice.criteria]
    )
    # Most of a stored cell is estimates that the page does not show; reading them took longer than all other columns.
    needed = JSONObject(**{name: F(f"estimates__{name}") for name in {choice.statistic.key, *BESIDE}})
    columns = rows.values_list("snapshot", "criterion", "source", "histogram", needed, "sums", "pairings")
    for snapshot, *cell in columns:
        shown = BoardCell(*cell)
        shown = replace(shown, estimates=without_intervals(shown.estimates)) if are_turns else shown
        found[snapshots[snapshot]][shown.criterion_id, shown.source_id] = shown
    return found


def summed(cells: Iterable[BoardCell], criteria: tuple[CriterionSpec, ...]) -> dict[str, int]:
    """Add up the stored histograms of criteria with the same answers; converting each to arrays would cost more."""
    ids = {criterion.id for criterion in criteria}
    found: Counter[str] = Counter()
    for cell in cells:
        if cell.criterion_id in ids:
            found.update(cell.histogram)
    return dict(found)


def pooled_criterion(cells: Iterable[BoardCell], criteria: tuple[CriterionSpec, ...]) -> CriterionSpec:
    """Return the criterion for the agreement of :func:`summed`: the first, in the orders of all of their cells."""
    ids = {criterion.id for criterion in criteria}
    return in_orders_of(criteria[0], [cell.pairings for cell in cells if cell.criterion_id in ids])
