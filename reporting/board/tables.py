"""The board's agreement as a table and a picture, from the rows of one refresh."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from annotation.agreement_cells import UNIT, alike, histogram_estimates, mean_and_sd, without_intervals
from annotation.pairings import in_orders_of
from measures.estimate import NO_PAIRS, NO_VARIATION, Estimate
from measures.histograms import Histogram
from measures.labels import WordScale
from parley.numbers import number
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec
from reporting.board.rows import BoardCell, BoardData, pooled_criterion, summed
from reporting.charts import Dot, DotGroup, DotRow, dot_figure
from reporting.explained import Figure, Statistic, explained, headline, missing

Key = tuple[int, int | None]
MEAN = gettext_noop("Mean over batches")
MEAN_OF_KAPPAS = gettext_noop("Mean of the batches' kappas:")
NOTHING = Figure("", ())


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of numbers. `key` is for HTML ids, which stay the same when rows are added; `mean` may be empty."""

    key: str
    label: str
    pooled: Figure
    mean: Figure
    parts: tuple[tuple[int, Figure], ...]


@dataclass(frozen=True, slots=True)
class TableGroup:
    label: str
    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True)
class Table:
    has_mean: bool
    n_columns: int
    groups: tuple[TableGroup, ...]


def agreement_table(data: BoardData) -> Table:
    statistic = data.choice.statistic
    keys = {key for cells in data.cells.values() for key in cells}
    groups = [
        TableGroup(
            criterion.name,
            tuple(
                _row(data, label, (criterion.id, source))
                for label, source in _sources(data, criterion)
                if (criterion.id, source) in keys
            ),
        )
        for criterion in data.choice.criteria
    ]
    if not statistic.is_of_pairs:  # tables of pairs are read for one batch only, for the heat map
        groups = [_pooled_group(data), *groups]
    has_mean = statistic.key == "fleiss"
    n_columns = 2 + has_mean + len(data.lines)
    return Table(has_mean, n_columns, tuple(group for group in groups if group.rows))


def _sources(data: BoardData, criterion: CriterionSpec) -> list[tuple[str, int | None]]:
    is_compared = criterion.unit == ProtocolVersion.Unit.COMPARISON
    rest = _("Pairs of sources") if is_compared else _("Whole dialogues")
    return [*((source.name, source.pk) for source in data.sources), (rest, None)]


def _row(data: BoardData, label: str, key: Key) -> TableRow:
    statistic = data.choice.statistic
    cell = data.cells.get(None, {}).get(key)
    whole = cell
    if cell is not None and statistic.is_of_pairs:
        mean = asdict(mean_over_pairs(statistic, cell.sums))
        whole = replace(cell, estimates=cell.estimates | {statistic.key: mean})
    return TableRow(
        key=f"{key[0]}-{key[1] or 0}",
        label=label,
        pooled=_figure(data, whole),
        mean=mean_figure(statistic, cell.sums if cell else {}) if statistic.key == "fleiss" else NOTHING,
        parts=tuple((line.batch.pk, _figure(data, data.cells.get(line.batch.pk, {}).get(key))) for line in data.lines),
    )


def _figure(data: BoardData, cell: BoardCell | None) -> Figure:
    statistic = data.choice.statistic
    if cell is None:
        return missing(statistic, "no_ratings")
    criterion = in_orders_of(data.spec.by_id[cell.criterion_id], [cell.pairings])
    return explained(statistic, cell.estimates, largest_share(cell.histogram, criterion.mirror))


def largest_share(histogram: Mapping[str, int], mirror: Sequence[int] | None = None) -> float | None:
    """Return the share of the most frequent answer among all votes of a stored histogram; None without votes.

    With `mirror`, answers count half as they are and half as their mirror images.
    """
    columns = [[int(n) * items for n in pattern.split(",")] for pattern, items in histogram.items()]
    votes = [sum(column) for column in zip(*columns, strict=True)]
    turned = [votes[at] for at in mirror] if votes and mirror else votes
    return max(map(sum, zip(votes, turned, strict=True))) / sum(votes) / 2 if votes else None


def mean_over_pairs(statistic: Statistic, sums: Mapping[str, int]) -> Estimate:
    """Return Cohen's kappa (weighted or not) averaged over the pairs of all batches of the study."""
    n, undefined = sums.get(f"{statistic.key}_pairs", 0), sums.get(f"{statistic.key}_undefined", 0)
    if not n:
        return Estimate(None, NO_VARIATION if undefined else NO_PAIRS, n_undefined=undefined)
    return Estimate(sums.get(statistic.key, 0) / n / UNIT, n_pairs=n, n_undefined=undefined)


def mean_figure(statistic: Statistic, sums: dict[str, int]) -> Figure:
    """Return mean and standard deviation over all batches of the study, from their sums."""
    mean, sd = mean_and_sd(sums)
    used, undefined = sums.get("batches", 0), sums.get("undefined", 0)
    sizes = {"used": f"{used:,}", "undefined": f"{undefined:,}"}
    batches = _("%(used)s batches used, %(undefined)s left out because the value is undefined there.") % sizes
    if mean is None:
        figure = missing(replace(statistic, english_name=MEAN), "no_mean")
        return Figure(figure.text, (*figure.lines, batches))
    if sd is None:
        spread = _("No standard deviation: there is only one batch.")
    else:
        spread = _("Standard deviation %(sd)s.") % {"sd": number(sd)}
    lines = (
        headline(replace(statistic, english_name=MEAN_OF_KAPPAS), mean),
        statistic.definition,
        spread,
        _("No interval: use the spread over batches instead."),
        batches,
        _("Kappa is biased low in small batches: read the mean together with the pooled value."),
    )
    return Figure(number(mean) if sd is None else f"{number(mean)} ± {number(sd)}", lines)


# --- all criteria and sources together -------------------------------------------------------------------
def _pooled_group(data: BoardData) -> TableGroup:
    """Return one row per group of criteria with the same answers, over all items and sources."""
    statistic, groups = data.choice.statistic, alike(data.choice.criteria)
    if len(data.choice.criteria) == 1:
        labels = [_("All sources")]
    elif len(groups) == 1:
        labels = [_("All criteria and sources")]
    else:
        labels = [" + ".join(criterion.name for criterion in group) for group in groups]
    rows = []
    for label, group in zip(labels, groups, strict=True):
        whole = _pooled_figure(statistic, data.cells.get(None, {}), group)
        batches = [line.batch.pk for line in data.lines]
        parts = [(batch, _pooled_figure(statistic, data.cells.get(batch, {}), group)) for batch in batches]
        rows.append(TableRow(f"all-{group[0].id}", label, whole, NOTHING, tuple(parts)))
    return TableGroup(pgettext("criteria and sources", "Together"), tuple(rows) if data.is_rated else ())


def _pooled_figure(statistic: Statistic, cells: Mapping[Key, BoardCell], criteria: tuple[CriterionSpec, ...]) -> Figure:
    histogram = summed(cells.values(), criteria)
    if not histogram:
        return missing(statistic, "no_ratings")
    pooled, criterion = (
        Histogram.from_json(histogram, len(criteria[0].options)),
        pooled_criterion(cells.values(), criteria),
    )
    largest = pooled.in_both_orders(criterion.mirror).largest_share
    return explained(statistic, pooled_estimates(pooled, criterion), largest)


@lru_cache(maxsize=512)  # a vote changes the study and one batch; the other batches stay the same
def pooled_estimates(pooled: Histogram, criterion: CriterionSpec) -> dict[str, Any]:
    """Return the estimates without intervals: sources share dialogues."""
    return without_intervals(histogram_estimates(pooled, criterion))


# --- the picture -----------------------------------------------------------------------------------------
def agreement_picture(data: BoardData) -> SafeString:
    statistic = data.choice.statistic
    cells, groups = data.cells.get(None, {}), []
    for criterion in data.choice.criteria:
        found = [(label, cells.get((criterion.id, source))) for label, source in _sources(data, criterion)]
        rows = [_dot_row(data, label, cell) for label, cell in found if cell]
        if rows:
            groups.append(DotGroup(criterion.name, tuple(rows)))
    return dot_figure(
        name="board-agreement",
        title=_("%(statistic)s by criterion and source") % {"statistic": statistic.name},
        description=_(
            "Dots show the value for the whole study, with its 95 %% interval where there is one; short "
            "lines show the batches on this page. The table above has the same numbers."
        )
        % {},
        groups=groups,
        dot_means=_("mean over all pairs") if statistic.is_of_pairs else _("all items of the study"),
        part_means=_("a batch"),
        has_words=statistic.word_scale == WordScale.LANDIS_KOCH and statistic.key not in ("percent", "alpha"),
        form=statistic.form,
    )


def _dot_row(data: BoardData, label: str, cell: BoardCell) -> DotRow:
    statistic = data.choice.statistic
    of_pairs = statistic.is_of_pairs
    found = asdict(mean_over_pairs(statistic, cell.sums)) if of_pairs else cell.estimates[statistic.key]
    key = (cell.criterion_id, cell.source_id)
    parts = [data.cells.get(line.batch.pk, {}).get(key) for line in data.lines if line.batch.kind == "main"]
    values = [part.estimates[statistic.key]["value"] for part in parts if part]
    return DotRow(
        label=label,
        dot=Dot(found["value"], found["low"], found["high"]) if found["value"] is not None else None,
        parts=tuple(value for value in values if value is not None),
        mean=mean_and_sd(cell.sums)[0] if statistic.key == "fleiss" else None,
        note="" if found["value"] is not None else _("undefined"),
    )
