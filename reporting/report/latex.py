"""Write the report as a LaTeX document: tables with booktabs and captions, to compile or to copy from.

It compiles with pdfLaTeX; names in scripts other than Latin need XeLaTeX or LuaLaTeX.
"""

from django.utils.translation import override as in_language

from reporting.record.acceptance_words import plan_lines
from reporting.report.build import Report
from reporting.report.interval_words import withheld_sentence
from reporting.report.judge_words import score_notes, test_notes
from reporting.report.latex_models import (
    behaviour_agreement,
    behaviours,
    comparisons,
    equivalence,
    means,
    odds_ratios,
    rankings,
    win_rates,
)
from reporting.report.latex_table import FEW_UNITS, escaped, interval_notes, of_grid, of_these
from reporting.report.resampled import Limits
from reporting.report.shown import agreement, answers, judges, study
from reporting.report.shown.frames import Frames
from reporting.tables.cells import PAPER

HEAD = r"""\documentclass{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\else\usepackage{fontspec}\fi
\usepackage{booktabs}
\usepackage[margin=2.5cm]{geometry}
\begin{document}
"""
FLOATS_AT_ONCE = 6  # LaTeX gives up where too many wait for a page
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
        "equivalence": equivalence,
        "odds-ratios": odds_ratios,
        "rankings": rankings,
        "win-rates": win_rates,
        "agreement": _overall,
        "new-annotators": _new_annotators,
        "agreement-by-source": _agreement,
        "alpha-by-source": _alphas,
        "behaviours": behaviours,
        "behaviour-agreement": behaviour_agreement,
        "majority": _majority,
        "distributions": _distributions,
        "negatives": _negatives,
        "judges": _judges,
        "judge-scores": _judge_scores,
        "acceptance": _acceptance,
        "checklist": _checklist,
    }
    frames = Frames(report)
    with in_language("en"):
        return {name: made for name, make in makers.items() if (made := make(frames))}


def _majority(frames: Frames) -> str:
    """Return the table of majorities, with a row per source and a column per criterion or metric."""
    report = frames.report
    named = "; ".join(f"{each.name}: {', '.join(each.positive)}" for each in report.criteria if each.positive)
    caption = f"Items with a positive majority, in per cent. {report.rules['majority']} Positive options: {named}."
    if report.metrics:
        caption += " Beside them, means of automatic metrics."
    return of_grid(answers.majority(frames), caption, "majority")


def _agreement(frames: Frames) -> str:
    """Return the table of Fleiss' kappa: means over batches and pooled values, with means and sd at both edges."""
    ends = [row.pooled_limits for row in frames.report.agreement]
    caption = (
        "Fleiss' kappa: the mean over batches, and below it that of all items pooled"
        f"{of_these(ends, ', with its 95 % interval')}. At the edges, means of "
        f"the means over batches with their standard deviations. {_kappa_words(frames)}{_agreement_notes(ends)}"
    )
    return of_grid(agreement.kappas(frames), caption, "agreement")


def _kappa_words(frames: Frames) -> str:
    """Return what the words mean, without the scale for alpha, which has no word in this table."""
    return frames.report.rules["words"].partition(" The verbal scale for alpha")[0]


def _alphas(frames: Frames) -> str:
    """Return the table of alpha for criteria whose options have an order, which kappa ignores."""
    ordered = {each.key for each in frames.report.criteria if each.has_order}
    if not ordered:
        return ""
    ends = [row.alpha_limits for row in frames.report.agreement if row.criterion in ordered]
    caption = (
        "Krippendorff's alpha by source, for criteria whose options have an order"
        f"{of_these(ends, ', with 95 % intervals')}.{_agreement_notes(ends)}"
    )
    return of_grid(agreement.alphas(frames), caption, "alphas")


def _agreement_notes(ends: list[Limits]) -> str:
    return interval_notes(ends, FEW_UNITS, withheld_sentence(ends))


def _overall(frames: Frames) -> str:
    rows, rules = frames.report.agreement_overall, frames.report.rules
    ends = [each for row in rows for each in (row.fleiss, row.alpha, row.ac1)]
    caption = (
        f"Agreement over the items of all sources and batches{of_these(ends, ', with 95 % intervals')}. Alpha is taken "
        f"at the scale of the criterion.{_agreement_notes(ends)}"
    )
    if any(row.scale != "nominal" for row in rows):
        caption += f" {rules['weighted']} {rules['weighted_intervals']}"
    if "both_orders" in rules:
        caption += f" {rules['both_orders']}"
    return of_grid(agreement.overall(frames), caption, "overall")


def _new_annotators(frames: Frames) -> str:
    """Return the intervals for new annotators in a table of their own: with both, the cells would be too wide."""
    return of_grid(agreement.for_new_annotators(frames), NEW_ANNOTATORS, "newannotators")


def _distributions(frames: Frames) -> str:
    """Return the table of scales with numbers; the shares of other answers are in the downloads."""
    return of_grid(answers.scales(frames), "Answers on scales with numbers.", "distributions")


def _negatives(frames: Frames) -> str:
    """Return the table of shares; the texts are in the other downloads."""
    caption = "Negative answers with a free text. " + frames.report.rules["negatives"]
    return of_grid(answers.negatives(frames), caption, "negatives")


def _judges(frames: Frames) -> str:
    caption = " ".join(["Judges beside people.", judges.TESTED, *test_notes(frames.report)])
    return of_grid(judges.tests(frames), caption, "judges", keys=2)


def _judge_scores(frames: Frames) -> str:
    caption = " ".join(["Scores of people and judges.", judges.SCORED, *score_notes(frames.report)])
    return of_grid(judges.scores(frames, PAPER), caption, "judgescores", keys=3)


def _acceptance(frames: Frames) -> str:
    if not frames.report.acceptance:
        return ""
    caption = " ".join(["Batch acceptance.", *plan_lines(frames.report.acceptance, frames.columns)])
    return of_grid(study.acceptance(frames, PAPER), caption, "acceptance")


def _checklist(frames: Frames) -> str:
    return of_grid(study.checklist(frames), "Checklist of the study.", "checklist")
