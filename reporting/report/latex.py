"""Write the report as a LaTeX document: tables with booktabs and captions, to compile or to copy from.

It compiles with pdfLaTeX; names in scripts other than Latin need XeLaTeX or LuaLaTeX.
"""

from typing import Any

from django.utils.translation import override as in_language

from annotation.agreement_cells import WEIGHTED
from parley import numbers
from reporting.record.acceptance_words import acceptance_lines, plan_lines
from reporting.report.build import Report
from reporting.report.coefficients import Agreement, CriterionMean, SourceMean
from reporting.report.interval_words import withheld_sentence
from reporting.report.latex_models import behaviour_agreement, behaviours, comparisons, means, rankings, win_rates
from reporting.report.latex_table import (
    FEW_UNITS,
    Cells,
    Edges,
    criterion,
    escaped,
    interval,
    interval_notes,
    number,
    of_these,
    pivot,
    sources,
    table,
)
from reporting.report.resampled import Limits
from reporting.report.tables import Majority
from reporting.study.plain import plain

HEAD = r"""\documentclass{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\else\usepackage{fontspec}\fi
\usepackage{booktabs}
\usepackage[margin=2.5cm]{geometry}
\begin{document}
"""
FLOATS_AT_ONCE = 6  # LaTeX gives up where too many wait for a page
COEFFICIENTS = {
    "krippendorff_alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_linear": "Linear kappa",
    "cohen_quadratic": "Quadratic kappa",
    "gwet_ac1": "Gwet's AC1",
    "percent_agreement": "Per cent agreement",
}
LIMITS_OF = {"krippendorff_alpha": "alpha", "fleiss_kappa": "fleiss", "gwet_ac1": "ac1"}
NEW_ANNOTATORS = (
    "Agreement with 95 % intervals for new annotators: annotators, too, are taken for a sample, by a two-way jackknife "
    "over annotators and over items or the groups that are resampled. They say what agreement to expect if others "
    "repeat the study."
)


def as_latex(report: Report) -> str:
    """Return the document in English, like all files: papers are written in English or translated as a whole."""
    parts = [f"\\section*{{{escaped(report.study.name)}}}"]
    parts += [escaped(" ".join(each)) for each in (report.methods, report.results) if each]
    floats = "\n\n".join(latex_tables(report).values()).split("\n\n")
    for start in range(0, len(floats), FLOATS_AT_ONCE):
        parts += [*floats[start : start + FLOATS_AT_ONCE], r"\clearpage"]
    return HEAD + "\n\n".join(parts) + "\n\\end{document}\n"


def latex_tables(report: Report) -> dict[str, str]:
    """Return the tables that have rows, by name, in the order of a paper."""
    makers = {
        "means": means,
        "differences": comparisons,
        "rankings": rankings,
        "win-rates": win_rates,
        "agreement": _overall,
        "new-annotators": _new_annotators,
        "agreement-by-source": _agreement,
        "behaviours": behaviours,
        "behaviour-agreement": behaviour_agreement,
        "majority": _majority,
        "distributions": _distributions,
        "negatives": _negatives,
        "acceptance": _acceptance,
        "checklist": _checklist,
    }
    return {name: made for name, make in makers.items() if (made := make(report))}


def _majority(report: Report) -> str:
    """Return the table of majorities, with a row per source and a column per criterion or metric."""
    named = "; ".join(f"{each.name}: {', '.join(each.positive)}" for each in report.criteria if each.positive)
    caption = f"Items with a positive majority, in per cent. {report.rules['majority']} Positive options: {named}."
    if report.metrics:
        caption += " Beside them, means of automatic metrics."
    cells: Cells = {(row.source, row.criterion): _majority_cell(row) for row in report.majority}
    cells |= {(row.source, f"metric {row.metric}"): number(row.mean) for row in report.metrics}
    return pivot(report, cells, caption, "majority")


def _majority_cell(row: Majority) -> str:
    """Return the share with what it is made of, as the page has it."""
    parts = [f"{row.positive_items:,} of {row.items:,}", *([f"{row.ties:,} tied"] if row.ties else [])]
    return f"{number(row.percent)}\n{', '.join(parts)}"


def _agreement(report: Report) -> str:
    """Return the table of Fleiss' kappa: means over batches and pooled values, with means and sd at both edges."""
    cells: Cells = {(row.source, row.criterion): _kappas(row) for row in report.agreement}
    ends = [row.pooled_limits for row in report.agreement]
    caption = (
        "Fleiss' kappa: the mean over batches, and below it that of all items pooled"
        f"{of_these(ends, ', with its 95 % interval')}. At the edges, means of "
        f"the means over batches with their standard deviations. {report.rules['words']}{_agreement_notes(ends)}"
    )
    below = {"Mean over the sources": {row.criterion: _mean_sd(row) for row in report.agreement_by_criterion}}
    if any(row.word for row in report.agreement_by_criterion):
        words = {row.criterion: (row.word or "--").replace("_", " ") for row in report.agreement_by_criterion}
        below["Word"] = words
    edges = Edges({row.source: _mean_sd(row) for row in report.agreement_by_source}, below)
    return pivot(report, cells, caption, "agreement", edges)


def _kappas(row: Agreement) -> str:
    undefined = f"; {row.undefined} undefined" if row.undefined else ""
    return f"{number(row.mean)}{undefined}\npooled {interval(row.pooled, row.pooled_limits)}"


def _agreement_notes(ends: list[Limits]) -> str:
    with in_language("en"):
        return interval_notes(ends, FEW_UNITS, withheld_sentence(ends))


def _mean_sd(row: CriterionMean | SourceMean) -> str:
    return number(row.mean) if row.sd is None else f"{number(row.mean)}\nsd {number(row.sd)}"


def _overall(report: Report) -> str:
    rows = report.agreement_overall
    is_weighted = any(row.scale != "nominal" for row in rows)
    names = {name: title for name, title in COEFFICIENTS.items() if is_weighted or name not in WEIGHTED}
    lines = [
        [criterion(report, row.criterion), *(_with_limits(plain(row), name) for name in names), str(row.n_items)]
        for row in rows
    ]
    ends = [each for row in rows for each in (row.fleiss, row.alpha, row.ac1)]
    caption = (
        f"Agreement over the items of all sources and batches{of_these(ends, ', with 95 % intervals')}. Alpha is taken "
        f"at the scale of the criterion.{_agreement_notes(ends)}"
    )
    if is_weighted:
        caption += f" {report.rules['weighted']} {report.rules['weighted_intervals']}"
    if "both_orders" in report.rules:
        caption += f" {report.rules['both_orders']}"
    return table(["Criterion", *names.values(), "Items"], lines, caption, "overall") if lines else ""


def _with_limits(found: dict[str, Any], name: str) -> str:
    """Return a coefficient with its interval, from the columns of the download."""
    if name == "percent_agreement":
        return "--" if found[name] is None else numbers.number(found[name], ".0%").replace("%", " %")
    prefix = LIMITS_OF.get(name, name)
    low, high, note = (found.get(f"{prefix}_{each}") for each in ("low", "high", "interval_note"))
    return interval(found[name], Limits(low, high, note, None, None))


def _new_annotators(report: Report) -> str:
    """Return the intervals for new annotators in a table of their own: with both, the cells would be too wide."""
    lines = []
    for row in report.agreement_overall:
        found = [
            (row.krippendorff_alpha, row.alpha_new_annotators),
            (row.fleiss_kappa, row.fleiss_new_annotators),
            (row.gwet_ac1, row.ac1_new_annotators),
        ]
        if any(new.low is not None for _value, new in found):
            lines.append([criterion(report, row.criterion), *(interval(value, new) for value, new in found)])
    head = ["Criterion", "Krippendorff's alpha", "Fleiss' kappa", "Gwet's AC1"]
    return table(head, lines, NEW_ANNOTATORS, "newannotators") if lines else ""


def _distributions(report: Report) -> str:
    """Return the table of scales with numbers; the shares of other answers are in the downloads."""
    names = sources(report)
    lines = [
        [
            criterion(report, row.criterion),
            names.get(row.source, str(row.source)),
            *map(number, (row.moments.mean, row.moments.sd, row.moments.median)),
            str(row.n_answers),
        ]
        for row in report.distributions
        if row.moments.mean is not None
    ]
    head = ["Criterion", "Source", "Mean", "SD", "Median", "Answers"]
    return table(head, lines, "Answers on scales with numbers.", "distributions") if lines else ""


def _negatives(report: Report) -> str:
    """Return the table of shares; the texts are in the other downloads."""
    found = [(row.criterion, row.counts) for row in report.negatives if row.counts.negative]
    lines = [
        [
            criterion(report, key),
            *map(str, (n.negative, n.with_text, n.with_reason_only)),
            *map(number, (n.percent_of_negative, n.percent_of_explained)),
        ]
        for key, n in found
    ]
    head = ["Criterion", "Negative", "Free text", "Reason only", "% of negative", "% of explained"]
    caption = "Negative answers with a free text. " + report.rules["negatives"]
    return table(head, lines, caption, "negatives") if lines else ""


def _acceptance(report: Report) -> str:
    """Return the table of batch acceptance, in the page's words but in English."""
    acceptance = report.acceptance
    if not acceptance:
        return ""
    with in_language("en"):
        plans = plan_lines(acceptance, {each.key: each.name for each in report.criteria})
        lines = [[line.name, line.value, " ".join(line.notes)] for line in acceptance_lines(acceptance)]
    caption = " ".join(["Batch acceptance.", *plans])
    return table(["Result", "Value", "Basis"], lines, caption, "acceptance", columns="lrp{8cm}")


def _checklist(report: Report) -> str:
    lines = [[row.key.replace("_", " "), row.status, " ".join(row.lines)] for row in report.checklist]
    return table(["Entry", "Status", "What"], lines, "Checklist of the study.", "checklist", columns="llp{9cm}")
