"""What readers see of the answers themselves: majorities, votes, labels, distributions, reasons and texts."""

from collections.abc import Callable, Iterable
from itertools import groupby
from types import SimpleNamespace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from parley.numbers import number
from reporting.report.flags import reason_word
from reporting.report.shown.agreement import MOST_ROWS
from reporting.report.shown.frames import Frames, Part, Row
from reporting.report.shown.parts import NBSP, counted, counted_interval, criterion, excluding, left_out, source, value
from reporting.tables.cells import PAGE, PAPER, TEXT, WIDE, Cell, Grid, Line, Shown, everywhere, written
from reporting.tables.columns import Format


def of_parts(part: int, n: int) -> str:
    return _("%(part)s of %(n)s") % {"part": written(part, Format.COUNT), "n": written(n, Format.COUNT)}


def majority(frames: Frames) -> Grid:
    """Return the items that are positive by majority, and beside them the means of automatic metrics."""
    cells = {(row.source, row.criterion): _majority(row) for row in frames.rows("majority")}
    metrics = frames.rows("metrics")
    cells |= {(row.source, (row.metric,)): Cell(number(row.mean)) for row in metrics}
    columns: dict[Any, str] = frames.columns | {(row.metric,): row.metric for row in metrics}
    return frames.by_source(_("Table of majorities"), cells, columns)


def _majority(row: Row) -> Cell:
    of = _("%(positive)s of %(n)s") % {"positive": row.positive_items, "n": row.items}
    tied = _("%(n)s tied and not positive") % {"n": row.ties} if row.ties else ""
    parts = ", ".join(filter(None, [of, tied]))
    said = "; ".join([parts, *([excluding(row.excluding_votes)] if row.excluding_votes else [])])
    printed = f"{of}, {row.ties} tied" if row.ties else of
    return Cell(number(row.percent), [Line(said, printed=printed)])


def votes(frames: Frames) -> Grid:
    options = _grouped(frames.rows("options"), lambda row: (row.source, row.criterion))
    cells = {
        key: _votes(row, options.get(key, [])) for row in frames.rows("votes") if (key := (row.source, row.criterion))
    }
    return frames.by_source(_("Table of votes"), cells, frames.columns)


def _votes(row: Row, options: list[Row]) -> Cell:
    parts = [", ".join(f"{each.label}:{NBSP}{each.votes}" for each in options)]
    if row.mean is not None:
        known = {"mean": number(row.mean), "sd": number(row.sd), "median": number(row.median)}
        parts.append(_("mean %(mean)s, sd %(sd)s, median %(median)s") % known)
    if row.excluding_votes:
        parts.append(excluding(row.excluding_votes))
    first = number(row.mean) if row.percent_positive is None else written(row.percent_positive, Format.PERCENT)
    return Cell(first, [Line("; ".join(parts))])


def errors(frames: Frames) -> Grid:
    """Return the shares of reasons, with error sub-dimensions in the columns."""
    rows = frames.rows("errors")
    cells = {(row.source, (row.criterion, row.sub_dimension)): _error(row) for row in rows}
    columns = {(row.criterion, row.sub_dimension): row.sub_dimension for row in rows}
    return frames.by_source(_("Table of errors"), cells, columns)


def _error(row: Row) -> Cell:
    return Cell(number(row.percent), [everywhere(ngettext("%(n)s vote", "%(n)s votes", row.votes) % {"n": row.votes})])


def _grouped(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    return {name: list(each) for name, each in groupby(rows, key)}


def _shares(parts: Iterable[tuple[str, int, float | None]], separator: str) -> str:
    return separator.join(
        f"{label}:{NBSP}{written(n, Format.COUNT)}" + ("" if percent is None else f"{NBSP}({number(percent)}{NBSP}%)")
        for label, n, percent in parts
    )


# --- final labels and distributions: the rows of a source and criterion become one line -----------------
def _ways() -> dict[str, str]:
    return {
        "unanimous": _("All votes equal"),
        "single_vote": _("Only one vote"),
        "majority": _("By majority"),
        "re_rating": _("Settled by re-rating"),
        "adjudicated": _("By a trainer"),
        "replaced": _("By a replacement"),
    }


def _labels(row: Row, _frames: Frames) -> Cell:
    return Cell(_shares(((each.label, each.n, each.percent) for each in row.parts), "; "))


def _became_final(row: Row, _frames: Frames) -> Cell:
    counts = vars(row) | {"unanimous": row.agreement - row.single_vote}
    lines = [f"{name}: {written(counts[key], Format.COUNT)}" for key, name in _ways().items() if counts[key]]
    return Cell("; ".join(lines))


def _without(row: Row, _frames: Frames) -> Cell:
    known = {name: written(getattr(row, name), Format.COUNT) for name in ("excluded", "tied", "unsure")}
    return Cell(_("%(excluded)s excluded, %(tied)s without a majority, %(unsure)s unsure") % known)


def _lines(frames: Frames, table: str) -> list[Row]:
    """Return a row for each source or pair of them and criterion, with the rows of its options as `parts`."""
    names = ("source", "source_a", "source_b", "criterion")
    groups = _grouped(frames.rows(table), lambda row: tuple(getattr(row, name, None) for name in names)).values()
    return [SimpleNamespace(**vars(rows[0]), parts=rows) for rows in groups]


def final_labels(frames: Frames) -> Grid:
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Source"), source, TEXT),
        Shown(_("Items"), "items"),
        Shown(_("Labels"), _labels, WIDE),
        Shown(_("How they became final"), _became_final, TEXT),
        Shown(_("Without a label"), _without, TEXT),
    ]
    return frames.grid("final_labels", _("Table of final labels"), shown, _lines(frames, "final_labels"))


def _options(row: Row, _frames: Frames) -> Cell:
    shares = [(each.label, each.votes, each.percent) for each in row.parts]
    if row.n_none:
        shares.append((pgettext("an answer", "none"), row.n_none, None))
    return Cell(_shares(shares, ", "))


def _source_or_pair(row: Row, frames: Frames) -> Cell:
    if row.source_a is None:
        return source(row, frames)
    names = frames.names["sources"]
    return Cell(_("%(a)s and %(b)s") % {"a": names[row.source_a], "b": names[row.source_b]})


def _distribution() -> list[Shown]:
    return [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Source"), _source_or_pair, TEXT),
        Shown(_("Answers"), "n_answers"),
        Shown(_("Options"), _options, WIDE, where=PAGE),
        Shown(_("Mean"), "mean", term="plain_mean"),
        Shown(pgettext("standard deviation", "sd"), "sd", term="sd"),
        Shown(_("Median"), "median", term="median"),
    ]


def distributions(frames: Frames) -> Grid:
    rows = _lines(frames, "distributions")
    return frames.grid("distributions", _("Table of distributions"), _distribution(), rows)


def scales(frames: Frames) -> Grid:
    """Return the distributions that have numbers, as a paper has them."""
    rows = [row for row in _lines(frames, "distributions") if row.mean is not None]
    return frames.grid("distributions", "", _distribution(), rows, PAPER)


def _all_or(name: str, what: str) -> Callable[[Row, Frames], Cell]:
    return lambda row, _frames: Cell(pgettext(what, "all") if getattr(row, name) is None else str(getattr(row, name)))


def turns(frames: Frames) -> Grid:
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Source"), source, TEXT),
        Shown(_("Speaker"), _all_or("speaker", "speakers"), TEXT),
        Shown(_("Turn"), _all_or("turn", "turns")),
        Shown(_("Marks"), "marks"),
        Shown(_("Share of the marks"), "percent_of_marks", term="marks_share"),
        Shown(_("Answers with marks"), lambda row, _frames: Cell(of_parts(row.answers_with_marks, row.answers))),
    ]
    return frames.grid("turns", _("Table of marked turns"), shown)


def _source_or_all(row: Row, frames: Frames) -> Cell:
    return Cell(pgettext("sources", "all")) if row.source is None else source(row, frames)


def turn_overlaps(frames: Frames) -> Grid:
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Source"), _source_or_all, TEXT),
        Shown(_("Mean overlap (Jaccard)"), value("jaccard", "reason"), term="jaccard"),
        Shown(_("Pairs of annotators"), "n_pairs"),
        Shown(_("Items"), "n_items"),
        Shown(_("Pairs without a mark"), "n_neither"),
    ]
    return frames.grid("turn_overlaps", _("Table of the overlap of marked turns"), shown)


# --- reasons and texts -----------------------------------------------------------------------------------
def _asked(row: Row, frames: Frames) -> Cell:
    return Cell(criterion(row, frames).text, [] if row.is_asked else [everywhere(_("No reason is asked for."))])


def _measure(name: str) -> Callable[[Row, Frames], Cell]:
    def draw(row: Row, _frames: Frames) -> Cell:
        return Cell(number(getattr(row, name)), counted_interval(row, f"{name}_", "note", is_counted=False))

    return draw


def negatives(frames: Frames) -> Grid:
    shown = [
        Shown(_("Criterion"), _asked, TEXT),
        Shown(_("Negative answers"), "negative"),
        Shown(_("With a free text"), "with_text"),
        Shown(_("Share of negative answers"), "percent_of_negative", term="texts_of_negative"),
        Shown(_("Share of explained answers"), "percent_of_explained", term="texts_of_explained"),
        Shown(_("With a predefined reason only"), "with_reason_only"),
    ]
    rows = frames.rows("negatives") if _has_explained(frames) else []
    return frames.grid("negatives", _("Table of negative answers"), shown, rows)


def _has_explained(frames: Frames) -> bool:
    """Return whether a negative answer was to be explained, or was: otherwise all shares are zeros."""
    return any(row.is_asked or row.explained for row in frames.rows("negatives"))


def negatives_by_source(frames: Frames) -> Grid:
    rows = [row for row in frames.rows("negatives_by_source") if row.is_asked or row.explained]
    cells = {(row.source, row.criterion): _explained(row) for row in rows}
    label = _("Table of negative answers by source")
    return frames.by_source(label, cells, frames.columns)


def _explained(row: Row) -> Cell:
    return Cell(number(row.percent_of_negative), [everywhere(of_parts(row.with_text, row.negative))])


def predictions(frames: Frames) -> Grid:
    label = _("Metrics and models against final labels")
    shown = [
        Shown(_("Metric"), "name", TEXT),
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Accuracy"), _measure("accuracy"), term="accuracy"),
        Shown(_("Spearman"), _measure("spearman"), term="spearman"),
        Shown(_("Pearson"), _measure("pearson"), term="pearson"),
        Shown(_("Items"), counted("items", "left_out", left_out)),
    ]
    return frames.grid("predictions", label, shown)


# --- parts of the material, work and flags ---------------------------------------------------------------
def _part(row: Row, _frames: Frames) -> Cell:
    return Cell(_("not given") if row.value is None else row.value)


def breakdowns(frames: Frames) -> list[Part]:
    """Return the breakdowns of all sources together, by field; the files also have each source."""
    rows = frames.rows("breakdowns")
    has_positive = any(row.percent is not None for row in rows)
    positive = [Shown(_("Positive by majority"), "percent", term="majority")] if has_positive else []
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Items"), counted("n_items", "excluding_votes", excluding)),
        *positive,
        Shown(_("Mean"), "mean", term="plain_mean"),
        Shown(_("Krippendorff's alpha"), value("krippendorff_alpha", "alpha_reason"), term="alpha"),
        Shown(_("Fleiss' kappa"), value("fleiss_kappa", "reason"), term="fleiss"),
    ]
    parts = []
    for field, mine in _grouped((row for row in rows if row.source is None), lambda row: row.field).items():
        label = _("Table by %(field)s") % {"field": field}
        drawn = frames.grid("breakdowns", label, [Shown(field, _part, TEXT), *shown], mine)
        parts.append(Part(_("By %(field)s") % {"field": field}, len(mine), drawn))
    return parts


def workload(frames: Frames) -> Part:
    rows = frames.rows("workload")
    shown = [
        Shown(_("Annotator"), "annotator", TEXT),
        Shown(_("Batches"), "batches"),
        Shown(_("Answers"), "judgements"),
        Shown(_("Active minutes"), "active_minutes"),
    ]
    return Part("", len(rows), frames.grid("workload", _("Table of workloads"), shown, rows[:MOST_ROWS]))


def flags(frames: Frames) -> Grid:
    shown = [
        Shown(_("Reason"), lambda row, _frames: Cell(reason_word(row.reason)), TEXT),
        Shown(_("Flags"), "flags"),
        Shown(_("Items"), "items"),
        Shown(_("Annotators"), "annotators"),
        Shown(_("Skipped"), "skipped"),
    ]
    return frames.grid("flags", _("Table of flags"), shown)
