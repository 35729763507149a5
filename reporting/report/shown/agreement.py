"""What readers see of agreement: over all sources, by source, further coefficients, and alpha computed twice."""

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.agreement_cells import WEIGHTED
from measures.estimate import NO_VARIATION
from parley.numbers import number
from parley.templatetags.numbers import share
from protocols.labels import SCALE
from reporting.labels import reason_in_report
from reporting.report.alpha_check import DIFFERENT, SKIPPED
from reporting.report.further import WORDS
from reporting.report.interval_words import counted_note
from reporting.report.pairs import NO_STRONG_ITEMS
from reporting.report.shown.frames import Frames, Part, Row
from reporting.report.shown.parts import (
    Draw,
    coefficient,
    counted,
    counted_interval,
    criterion,
    left_out,
    number_of,
    with_one_vote,
)
from reporting.tables.cells import DASH, TEXT, Cell, Grid, Line, Shown, everywhere, pivot, written
from reporting.tables.columns import Format
from reporting.tables.table import BAR
from reporting.tags import word

MOST_ROWS = 200  # of a long table on the page
MARGIN = "margin"  # the key of the last row and of the last column


def _new(name: str) -> Callable[[Row], list[Line]]:
    """Return what adds the interval for other annotators."""
    return lambda row: new_annotators(row, f"{name}_new_annotators_")


def new_annotators(row: Row, name: str) -> list[Line]:
    low, high, note = (getattr(row, f"{name}{each}") for each in ("low", "high", "interval_note"))
    if low is not None:
        return [Line(_("new annotators: %(low)s to %(high)s") % {"low": number(low), "high": number(high)})]
    return [Line(_("new annotators: no interval"), counted_note(note, row))] if note else []


def _alpha_and_scale(row: Row) -> list[Line]:
    return [*_new("alpha")(row), Line(_("level: %(scale)s") % {"scale": SCALE[row.scale]})]


def _weighted(name: str) -> Draw:
    return coefficient(name, name, f"{name}_reason", more=lambda row: pairs_used(row.n_pairs, row.n_undefined_pairs))


def pairs_used(n: int, n_undefined: int | None) -> list[Line]:
    """Return on how many of the pairs of annotators a mean rests, if some of them are undefined."""
    known = {"n": n, "all": n + (n_undefined or 0)}
    return [Line(_("%(n)s of %(all)s pairs") % known)] if n_undefined else []


def _items(row: Row, frames: Frames) -> Cell:
    """Return the items, and below them those of alpha where unsure answers are missing votes to it."""
    cell = counted("n_items", "n_left_out", with_one_vote)(row, frames)
    if row.alpha_n_items not in (None, row.n_items):
        cell.lines.append(Line(_("alpha: %(n)s") % {"n": written(row.alpha_n_items, Format.COUNT)}))
    return cell


def overall_columns() -> list[Shown]:
    alpha = coefficient("krippendorff_alpha", "alpha", more=_alpha_and_scale)
    return [
        Shown(_("Criterion"), criterion, TEXT),
        Shown(_("Krippendorff's alpha"), alpha, term="alpha"),
        Shown(_("Fleiss' kappa"), coefficient("fleiss_kappa", "fleiss", more=_new("fleiss")), term="fleiss"),
        Shown(_("Weighted kappa, linear"), _weighted("cohen_linear"), term="cohen_linear"),
        Shown(_("Weighted kappa, quadratic"), _weighted("cohen_quadratic"), term="cohen_quadratic"),
        Shown(_("Gwet's AC1"), coefficient("gwet_ac1", "ac1", more=_new("ac1")), term="ac1"),
        Shown(_("Per cent agreement"), "percent_agreement", term="percent"),
        Shown(_("Items"), _items, term="agreement_items"),
    ]


def overall(frames: Frames) -> Grid:
    """Return the coefficients over all sources; the weighted ones only if some criterion has an order."""
    has_order = any(row.scale != "nominal" for row in frames.rows("overall"))
    chosen = [each for each in overall_columns() if has_order or each.term not in WEIGHTED]
    return frames.grid("overall", _("Agreement over all sources"), chosen)


def for_new_annotators(frames: Frames) -> Grid:
    """Return the intervals for other annotators, of the criteria and coefficients that have any."""

    def of(name: str, prefix: str) -> Draw:
        return lambda row, _frames: Cell(number(getattr(row, name)), counted_interval(row, f"{prefix}_new_annotators_"))

    named = {"alpha": "krippendorff_alpha", "fleiss": "fleiss_kappa", "ac1": "gwet_ac1"}
    rows = [row for row in frames.rows("overall") if any(_has_new(row, prefix) for prefix in named)]
    of_new = [each for each in overall_columns() if any(_has_new(row, each.term) for row in rows)]
    shown = [Shown(_("Criterion"), criterion, TEXT)]
    shown += [Shown(each.heading, of(named[each.term], each.term)) for each in of_new]
    return frames.grid("overall", "", shown, rows)


def _has_new(row: Row, prefix: str) -> bool:
    return getattr(row, f"{prefix}_new_annotators_low", None) is not None


def kappas(frames: Frames) -> Grid:
    """Return Fleiss' kappa by source, with means and standard deviations at both edges, as in published tables."""
    cells = {(row.source, row.criterion): _kappa(row) for row in frames.rows("agreement_cells")}
    cells |= {(row.source, MARGIN): _edge(row) for row in frames.rows("agreement_by_source")}
    if len({source for source, _criterion in cells}) > 1:
        cells |= {(MARGIN, row.criterion): _edge(row) for row in frames.rows("agreement_by_criterion")}
        cells[MARGIN, MARGIN] = Cell("")
    columns = frames.columns | {MARGIN: _("Mean over the criteria")}
    return frames.by_source(_("Table of agreement"), cells, columns, {MARGIN: Cell(_("Mean over the sources"))})


def _kappa(row: Row) -> Cell:
    pooled = _("pooled %(pooled)s") % {"pooled": number(row.pooled)}
    undefined = [_("%(n)s undefined") % {"n": row.undefined}] if row.undefined else []
    said = [*_sd(row), *([word(row.word)] if row.word else []), pooled]
    if row.n_left_out:
        one = ngettext("%(n)s item with one vote", "%(n)s items with one vote", row.n_left_out)
        said.append(one % {"n": row.n_left_out})
    line = Line("; ".join([*said, *undefined]), printed="; ".join([pooled, *undefined]))
    title = reason_in_report(row.pooled_reason) if row.mean is None else ""
    return Cell(number(row.mean), [line, *counted_interval(row, "pooled_")], title)


def _sd(row: Row) -> list[str]:
    return [] if row.sd is None else [_("sd %(sd)s") % {"sd": number(row.sd)}]


def _edge(row: Row) -> Cell:
    said = [*_sd(row), *([word(row.word)] if row.mean is None or row.word else [])]
    return Cell(number(row.mean), [everywhere("; ".join(said))])


def alphas(frames: Frames) -> Grid:
    """Return Krippendorff's alpha by source, for criteria whose options have an order."""
    ordered = {each.key: each.name for each in frames.report.criteria if each.has_order}
    draw = coefficient("alpha", "alpha", "alpha_reason")
    cells = {(row.source, row.criterion): draw(row, frames) for row in frames.rows("agreement_cells")}
    return frames.by_source(_("Table of alpha"), cells, ordered)


def strong(frames: Frames) -> Grid:
    cells = {(row.source, row.criterion): _strong(row) for row in frames.rows("agreement_cells")}
    return frames.by_source(_("Agreement on items nobody was unsure about"), cells, frames.columns)


def _strong(row: Row) -> Cell:
    return Cell(number(row.strong_pooled), [Line(_("%(share)s of items") % {"share": share(row.strong_share_kept)})])


def further(frames: Frames) -> Grid:
    """Return the further coefficients, with a dash for a criterion whose answers have no order."""
    rows = frames.rows("further_agreement")
    cells = {(row.coefficient, row.criterion): _further(row) for row in rows}
    names = {key: Cell(_(name), [Line(_(meaning), is_long=True)], term=key) for key, (name, meaning) in WORDS.items()}
    missing = Cell(DASH, title=_("The answers have no order."))
    return pivot(_("Further coefficients"), _("Coefficient"), cells, names, frames.names["criteria"], missing)


def _further(row: Row) -> Cell:
    if row.value is None:
        return Cell(DASH, title=reason_in_report(row.reason))
    new = new_annotators(row, "new_annotators_") if row.low is not None else []
    return Cell(number(row.value), [*counted_interval(row, ""), *new, *pairs_used(row.n_pairs, row.n_undefined)])


def _result(row: Row, _frames: Frames) -> Cell:
    if row.status == SKIPPED:
        return Cell(_("not checked"), [Line(reason_in_report(row.reason))])
    is_different = row.status == DIFFERENT
    said = pgettext("two values", "different") if is_different else pgettext("two values", "equal")
    return Cell(said, is_strong=is_different)


def alpha_check(frames: Frames) -> Grid:
    shown = [
        Shown(_("Criterion"), criterion, TEXT),
        Shown("Parley", "parley"),
        Shown("krippendorff", "krippendorff"),
        Shown(_("Result"), _result, TEXT, term="alpha_check"),
    ]
    return frames.grid("alpha_check", _("Table of the two values of alpha"), shown)


def batches(frames: Frames) -> Grid:
    shown = [
        Shown(_("Batch"), "batch", TEXT),
        Shown(_("Items"), "n_items"),
        Shown(_("Answers"), "n_ratings"),
        Shown(_("Annotators"), "n_annotators"),
        Shown(_("Fleiss' kappa, all questions together"), _kappa_of_batch, term="batch_kappa"),
    ]
    return frames.grid("batches", _("Table of batches"), shown)


def _kappa_of_batch(row: Row, _frames: Frames) -> Cell:
    kappa = row.kappa_all_judgements
    return Cell(number(kappa), [Line(reason_in_report(row.kappa_reason))] if kappa is None else [])


def _two(row: Row, _frames: Frames) -> Cell:
    return Cell(_("%(first)s and %(second)s") % {"first": row.annotator_a, "second": row.annotator_b})


def _pair_strong(row: Row, _frames: Frames) -> Cell:
    return number_of(row, "strong_kappa", NO_VARIATION if row.strong_n else NO_STRONG_ITEMS)


def _pairs() -> list[Shown]:
    return [
        Shown(_("Annotators"), _two, TEXT),
        Shown(_("Cohen's kappa"), lambda row, _frames: number_of(row, "kappa", NO_VARIATION), term="cohen_pair"),
        Shown(_("Answers in common"), counted("n", "n_left_out", left_out)),
        Shown(_("Cohen's kappa, items nobody was unsure about"), _pair_strong, term="cohen_pair_strong"),
        Shown(_("Answers in common on these"), "strong_n"),
    ]


def pairs(frames: Frames) -> list[Part]:
    """Return a table per batch and group of criteria, so that kappas of different questions do not share a column."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in frames.rows("pairs"):
        found.setdefault((row.batch, row.criteria), []).append(row)
    names = frames.names["criteria"]
    parts = []
    for (batch, criteria), rows in found.items():
        known = {"batch": batch, "criteria": ", ".join(names.get(key, key) for key in criteria.split(BAR))}
        title = _("Pairs in batch %(batch)s: %(criteria)s (%(n)s)") % (known | {"n": len(rows)})
        label = _("Pairs in batch %(batch)s: %(criteria)s") % known
        parts.append(Part(title, len(rows), frames.grid("pairs", label, _pairs(), rows[:MOST_ROWS])))
    return parts
