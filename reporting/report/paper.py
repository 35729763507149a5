"""The files of a paper: tables and figures to include, the two paragraphs, and a document that includes them all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reporting.charts.drawn import Drawn
from reporting.charts.files import as_pdf
from reporting.report.build import Report
from reporting.report.cited import own_references, references_of, with_citations
from reporting.report.latex import latex_tables
from reporting.report.latex_table import escaped

MAIN = ("means", "differences", "rankings", "agreement", "behaviours")  # the others are for the appendix
FIGURES = {
    "means": "Means of the sources with their intervals.",
    "differences": "Differences of the sources with their intervals.",
    "ranking": "Win rates of the sources with their intervals.",
    "behaviours": "Rates of behaviours with their intervals.",
}
VIEW_BOX = re.compile(r'viewBox="([^"]+)"')
HEAD = r"""% Compile with pdfLaTeX. To use the parts in a paper of your own, copy the lines with \input and
% \includegraphics, and load booktabs and graphicx.
\documentclass[twocolumn]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\else\usepackage{fontspec}\fi
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage[a4paper,margin=2.5cm,columnsep=0.6cm]{geometry}
\begin{document}
"""
# In one column, tables may follow the heading: in two, it would stand alone before the page of the first wide one.
APPENDIX = r"""\clearpage\onecolumn\appendix\section{Appendix}
\makeatletter\def\fps@table{!htp}\makeatother"""
FIGURE = r"""\begin{%(in)s}[t]
\centering
\includegraphics[width=%(width)s]{figures/%(name)s.pdf}
\caption{%(caption)s}
\label{fig:%(name)s}
\end{%(in)s}"""


# The chart, drawn only if it is asked for, where it is printed, and its greatest height in widths.
PLACES = (("narrow", "figure", r"\columnwidth", 2.5), ("wide", "figure*", r"\textwidth", 1.3))


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart, and the environment and width that it is printed in."""

    picture: str
    environment: str
    width: str


def paper_files(report: Report, pictures: dict[str, Drawn]) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content). `pictures` are the page's charts by name. Raises PdfUnavailable as charts do."""
    tables = latex_tables(report)
    figures = {name: found for name, picture in pictures.items() if (found := _figure(picture))}
    yield "paper.tex", _document(report, list(tables), figures).encode()
    yield "methods.tex", _paragraph(report, report.methods)
    if report.results:
        yield "results.tex", _paragraph(report, report.results)
    named = references_of(" ".join([*report.methods, *report.results, *tables.values()]))
    yield "references.bib", "".join([named, *own_references(report)]).encode()
    yield from ((f"tables/{name}.tex", (made + "\n").encode()) for name, made in tables.items())
    yield from ((f"figures/{name}.pdf", as_pdf(figure.picture)) for name, figure in figures.items())


def _figure(drawn: Drawn) -> Figure | None:
    """Return the chart for one column or for both, whichever is no higher than a page; its numbers are in a table."""
    for name, environment, width, highest in PLACES:
        picture = getattr(drawn, name)
        if picture and _height(picture) <= highest:
            return Figure(picture, environment, width)
    return None


def _height(picture: str) -> float:
    """Return the height of a chart, in widths."""
    _left, _top, width, height = map(float, VIEW_BOX.findall(picture)[0].split())
    return height / width


def _paragraph(report: Report, sentences: list[str]) -> bytes:
    return (with_citations(escaped(" ".join(sentences)), report) + "\n").encode()


def _document(report: Report, tables: list[str], figures: dict[str, Figure]) -> str:
    parts = [
        rf"\title{{{escaped(report.study.name)}}}\author{{}}\date{{}}\maketitle",
        r"\section{Methods}\input{methods}",
        *([r"\section{Results}\input{results}"] if report.results else []),
        *(rf"\input{{tables/{name}}}" for name in tables if name in MAIN),
        *(
            FIGURE % {"name": name, "caption": FIGURES[name], "in": figure.environment, "width": figure.width}
            for name, figure in figures.items()
        ),
        r"\nocite{*}\bibliographystyle{plain}\bibliography{references}",
        APPENDIX,
        *(rf"\input{{tables/{name}}}" for name in tables if name not in MAIN),
    ]
    return HEAD + "\n".join(parts) + "\n\\end{document}\n"
