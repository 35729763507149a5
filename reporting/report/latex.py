"""Write the report as a LaTeX document: tables with booktabs and captions, to compile or to copy from.

It compiles with pdfLaTeX; names in scripts other than Latin need XeLaTeX or LuaLaTeX.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import override as in_language

from annotation.agreement_cells import WEIGHTED
from parley.numbers import digits_beside_zero
from reporting.record.acceptance_words import acceptance_lines, plan_lines
from reporting.report.build import Report
from reporting.report.coefficients import Agreement, CriterionMean, SourceMean
from reporting.report.comparisons import ModelLimits, SourceScore
from reporting.study.plain import plain

MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
HEAD = r"""\documentclass{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\else\usepackage{fontspec}\fi
\usepackage{booktabs}
\usepackage{longtable}
\usepackage[margin=2.5cm]{geometry}
\begin{document}
"""
COEFFICIENTS = {
    "krippendorff_alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_linear": "Linear kappa",
    "cohen_quadratic": "Quadratic kappa",
    "gwet_ac1": "Gwet's AC1",
    "percent_agreement": "Agreement",
}
LIMITS_OF = {"krippendorff_alpha": "alpha", "fleiss_kappa": "fleiss", "gwet_ac1": "ac1"}
MEANS = (
    "Means of the sources with 95 % intervals and the number of answers (n). Sources of a column that share no letter "
    "differ after Holm's correction (p at most .05)."
)
BEHAVIOURS = "Sources of a row that share no letter differ after Holm's correction (p at most .05)."
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{each: "\\" + each for each in "&%$#_{}"},
}


def as_latex(report: Report) -> str:
    """Return the document in English, like all files: papers are written in English or translated as a whole."""
    parts = [f"\\section*{{{escaped(report.study.name)}}}", escaped(" ".join(report.methods))]
    tables = (
        _means, _comparisons, _rankings, _overall, _new_annotators, _agreement, _behaviours, _behaviour_agreement,
        _majority, _distributions, _negatives, _acceptance, _checklist,
    )  # fmt: skip
    parts += [table for make in tables if (table := make(report))]
    return HEAD + "\n\n".join(parts) + "\n\\end{document}\n"


def escaped(text: object) -> str:
    """Escape a text for LaTeX. Line breaks become spaces, because an empty line would end a cell."""
    return "".join(SPECIAL.get(each, each) for each in " ".join(str(text).split()))


def number(value: float | None, digits: int = 2) -> str:
    """Format a number: None is a dash, and a value that rounds to 0 has no sign."""
    return "--" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def probability(value: float | None) -> str:
    """Format a p value with three decimals."""
    return "< 0.001" if value is not None and value < 0.001 else number(value, 3)


# --- tables ------------------------------------------------------------------------------------------
Cells = dict[tuple[str | None, str], str]  # by source and criterion


def _majority(report: Report) -> str:
    """Return the table of majorities, with a row per source and a column per criterion or metric."""
    named = "; ".join(f"{each.name}: {', '.join(each.positive)}" for each in report.criteria if each.positive)
    caption = f"Items with a positive majority, in per cent. {report.rules['majority']} Positive options: {named}."
    if report.metrics:
        caption += " Beside them, means of automatic metrics."
    cells: Cells = {(row.source, row.criterion): number(row.percent) for row in report.majority}
    cells |= {(row.source, f"metric {row.metric}"): number(row.mean) for row in report.metrics}
    return _pivot(report, cells, caption, "majority")


@dataclass(frozen=True, slots=True)
class Edges:
    """The additional cells of a table: its last column, {source: cell}, and last rows, {name: {criterion: cell}}."""

    by_source: dict[str | None, str]
    below: dict[str, dict[str, str]]


def _agreement(report: Report) -> str:
    """Return the table of Fleiss' kappa: means over batches and pooled values, with means and sd at both edges."""
    cells: Cells = {(row.source, row.criterion): f"{number(row.mean)} ({_pooled(row)})" for row in report.agreement}
    caption = (
        "Fleiss' kappa: the mean over batches, and in brackets that of all items pooled, with its 95 % interval for "
        "the annotators who rated. At the edges, means of the means over batches with their standard deviations. "
        f"{report.rules['words']}"
    )
    below = {"Mean over the sources": {row.criterion: _mean_sd(row) for row in report.agreement_by_criterion}}
    if any(row.word for row in report.agreement_by_criterion):
        words = {row.criterion: (row.word or "--").replace("_", " ") for row in report.agreement_by_criterion}
        below["Word"] = words
    edges = Edges({row.source: _mean_sd(row) for row in report.agreement_by_source}, below)
    return _pivot(report, cells, caption, "agreement", edges)


def _pooled(row: Agreement) -> str:
    return _interval(row.pooled, row.pooled_limits.low, row.pooled_limits.high)


def _mean_sd(row: CriterionMean | SourceMean) -> str:
    return number(row.mean) if row.sd is None else f"{number(row.mean)} (sd {number(row.sd)})"


def _pivot(report: Report, cells: Cells, caption: str, label: str, edges: Edges | None = None) -> str:
    names = {each.key: each.name for each in report.criteria}
    names |= {f"metric {row.metric}": row.metric for row in report.metrics}
    criteria = {key: name for key, name in names.items() if any(key == criterion for _, criterion in cells)}
    sources = {key: name for key, name in _sources(report).items() if any(key == source for source, _ in cells)}
    if not criteria:
        return ""
    lines = [
        [name, *(cells.get((source, key), "--") for key in criteria), *([edges.by_source[source]] if edges else [])]
        for source, name in sources.items()
    ]
    head = ["Source", *criteria.values()]
    if edges:
        lines += [[name, *(below[key] for key in criteria), ""] for name, below in edges.below.items()]
        head.append("Mean over the criteria")
    return _table(head, lines, caption, label)


def _sources(report: Report) -> dict[str | None, str]:
    """Return the names of the sources, and of whole dialogues, which have no source."""
    return {**{each.key: each.name for each in report.sources}, None: "All"}


def _overall(report: Report) -> str:
    rows = report.agreement_overall
    is_weighted = any(row.scale != "nominal" for row in rows)
    names = {name: title for name, title in COEFFICIENTS.items() if is_weighted or name not in WEIGHTED}
    lines = [
        [_criterion(report, row.criterion), *(_with_limits(plain(row), name) for name in names), str(row.n_items)]
        for row in rows
    ]
    caption = (
        "Agreement over the items of all sources and batches, with 95 % intervals for the annotators who rated. Alpha "
        "is taken at the scale of the criterion."
    )
    if is_weighted:
        caption += f" {report.rules['weighted']}"
    return _table(["Criterion", *names.values(), "Items"], lines, caption, "overall") if lines else ""


def _with_limits(found: dict[str, Any], name: str) -> str:
    """Return a coefficient with its interval, from the columns of the download."""
    prefix = LIMITS_OF.get(name, name)
    return _interval(found[name], found.get(f"{prefix}_low"), found.get(f"{prefix}_high"))


def _interval(value: float | None, low: float | None, high: float | None) -> str:
    return number(value) if low is None else f"{number(value)} [{number(low)}, {number(high)}]"


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
            cells = [_interval(value, new.low, new.high) for value, new in found]
            lines.append([_criterion(report, row.criterion), *cells])
    caption = f"Agreement with 95 % intervals for new annotators. {report.rules['new_annotators']}"
    head = ["Criterion", "Krippendorff's alpha", "Fleiss' kappa", "Gwet's AC1"]
    return _table(head, lines, caption, "newannotators") if lines else ""


def _distributions(report: Report) -> str:
    """Return the table of scales with numbers; the shares of other answers are in the downloads."""
    names = _sources(report)
    lines = [
        [
            _criterion(report, row.criterion),
            names.get(row.source, str(row.source)),
            *map(number, (row.moments.mean, row.moments.sd, row.moments.median)),
            str(row.n_answers),
        ]
        for row in report.distributions
        if row.moments.mean is not None
    ]
    head = ["Criterion", "Source", "Mean", "SD", "Median", "Answers"]
    return _table(head, lines, "Answers on scales with numbers.", "distributions") if lines else ""


def _negatives(report: Report) -> str:
    """Return the table of shares; the texts are in the other downloads."""
    found = [(row.criterion, row.counts) for row in report.negatives if row.counts.negative]
    lines = [
        [
            _criterion(report, criterion),
            *map(str, (n.negative, n.with_text, n.with_reason_only)),
            *map(number, (n.percent_of_negative, n.percent_of_explained)),
        ]
        for criterion, n in found
    ]
    head = ["Criterion", "Negative", "Free text", "Reason only", "% of negative", "% of explained"]
    caption = "Negative answers with a free text. " + report.rules["negatives"]
    return _table(head, lines, caption, "negatives") if lines else ""


def _means(report: Report) -> str:
    """Return the main table: means with their intervals, and letters for what differs."""
    found = [mean for row in report.comparisons for mean in row.means]
    cells: Cells = {(row.source, row.criterion): _mean(row) for row in found}
    return _pivot(report, cells, f"{MEANS} {report.rules['comparisons']}", "means")


def _mean(row: SourceScore) -> str:
    """Return a mean with its interval, its letters, and the number of answers."""
    found = [number(row.mean), _limits(row.limits), row.letters, f"(n {row.limits.n_ratings:,})"]
    return " ".join(filter(None, found))


def _behaviours(report: Report) -> str:
    """Return the rates of behaviours, with a row per behaviour and a column per source."""
    rated = {mean.source for row in report.behaviours for mean in row.rates.means}
    sources = {key: name for key, name in _sources(report).items() if key in rated}
    lines = []
    for row in report.behaviours:
        means = {mean.source: _mean(mean) for mean in row.rates.means}
        lines.append([row.label, *(means.get(key, "--") for key in sources)])
    caption = f"Rates of behaviours with 95 % intervals. {BEHAVIOURS} {report.rules.get('behaviours', '')}"
    return _table(["Behaviour", *sources.values()], lines, caption, "behaviours") if lines else ""


def _behaviour_agreement(report: Report) -> str:
    lines = []
    for row in report.behaviours:
        found = row.agreement
        alpha = _interval(found.krippendorff_alpha, found.alpha.low, found.alpha.high)
        kappa = _interval(found.fleiss_kappa, found.fleiss.low, found.fleiss.high)
        sizes = map(str, (row.ticked, row.n_answers, found.n_items))
        lines.append([row.label, alpha, kappa, number(found.positive_agreement), *sizes])
    head = ["Behaviour", "Krippendorff's alpha", "Fleiss' kappa", "Positive agreement", "Ticked", "Answers", "Items"]
    caption = "Agreement on behaviours, with 95 % intervals for the annotators who rated."
    return _table(head, lines, caption, "behaviouragreement") if lines else ""


def _limits(found: ModelLimits) -> str:
    return "" if found.low is None else f"[{number(found.low)}, {number(found.high)}]"


def _sided(found: ModelLimits) -> str:
    """Return the interval of a difference, with enough decimals to tell on which side of 0 its ends lie."""
    if found.low is None or found.high is None:
        return "--"
    low, high = (number(end, digits_beside_zero(end)) for end in (found.low, found.high))
    return f"[{low}, {high}]"


def _comparisons(report: Report) -> str:
    names = _sources(report)
    lines = [
        [
            _criterion(report, pair.criterion),
            f"{names[pair.source_a]} -- {names[pair.source_b]}",
            number(pair.difference),
            _sided(pair.limits),
            number(pair.limits.degrees_of_freedom, 1),
            probability(pair.p_holm),
            number(pair.effect),
        ]
        for row in report.comparisons
        for pair in row.pairs
    ]
    head = ["Criterion", "Sources", "Difference", "95 % interval", "df", "p (Holm)", "Effect size"]
    caption = (
        "Differences of sources, by the model of the means; effect sizes in standard deviations of one rating. "
        "Intervals are not corrected for the number of comparisons: where an interval leaves out 0, Holm's p may still "
        "show no difference."
    )
    return _table(head, lines, caption, "comparisons") if lines else ""


def _rankings(report: Report) -> str:
    names = _sources(report)
    lines = [
        [
            _criterion(report, row.criterion),
            names[row.source],
            number(row.strength.value),
            f"{number(row.strength.low)} to {number(row.strength.high)}",
            number(row.elo, 0),
            number(row.win_rate.value),
            "--" if row.best_rank is None else f"{row.best_rank} to {row.worst_rank}",
        ]
        for each in report.rankings
        for row in each.sources
    ]
    head = ["Criterion", "Source", "Strength", "95 % interval", "Elo", "Win rate", "Rank"]
    caption = (
        "Sources ranked by comparisons: Davidson's model. Strengths are on the log scale with mean 0, win "
        "rates are expected scores against the other sources, and ranks hold all at once with 95 % confidence."
    )
    return _table(head, lines, caption, "rankings") if lines else ""


def _acceptance(report: Report) -> str:
    """Return the table of batch acceptance, in the page's words but in English."""
    acceptance = report.acceptance
    if not acceptance:
        return ""
    with in_language("en"):
        plans = plan_lines(acceptance, {each.key: each.name for each in report.criteria})
        lines = [[line.name, line.value, " ".join(line.notes)] for line in acceptance_lines(acceptance)]
    caption = " ".join(["Batch acceptance.", *plans])
    return _table(["Result", "Value", "Basis"], lines, caption, "acceptance", columns="lrp{8cm}")


def _checklist(report: Report) -> str:
    lines = [[row.key.replace("_", " "), row.status, " ".join(row.lines)] for row in report.checklist]
    return _table(["Entry", "Status", "What"], lines, "Checklist of the study.", "checklist", columns="llp{9cm}")


def _criterion(report: Report, key: str) -> str:
    return next((each.name for each in report.criteria if each.key == key), key)


# --- one table ---------------------------------------------------------------------------------------
def _table(head: Sequence[str], lines: Iterable[Sequence[str]], caption: str, label: str, columns: str = "") -> str:
    """Return a longtable, which can break across pages."""
    shape = columns or "l" + "r" * (len(head) - 1)
    rows = [" & ".join(_cell(cell) for cell in line) + r" \\" for line in lines]
    return "\n".join([
        rf"\begin{{longtable}}{{{shape}}}",
        rf"\caption{{{escaped(caption)}}}\label{{tab:{label}}}\\",
        r"\toprule",
        " & ".join(map(escaped, head)) + r" \\",
        r"\midrule",
        r"\endhead",
        *rows,
        r"\bottomrule",
        r"\end{longtable}",
    ])  # fmt: skip


def _cell(text: str) -> str:
    """Escape a cell and turn a hyphen before a number into a minus sign."""
    return MINUS.sub("$-$", escaped(text))
