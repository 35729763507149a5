"""The files of a paper: tables and figures to include, the two paragraphs, and a document that includes them all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reporting.charts.drawn import Drawn
from reporting.charts.files import as_pdf
from reporting.report.build import Report
from reporting.report.latex import latex_tables
from reporting.report.latex_table import escaped

REFERENCES = Path(__file__).with_name("references.bib")
MAIN = ("means", "differences", "rankings", "agreement", "behaviours")  # the others are for the appendix
FIGURES = {
    "means": "Means of the sources with their intervals.",
    "differences": "Differences of the sources with their intervals.",
    "ranking": "Win rates of the sources with their intervals.",
    "behaviours": "Rates of behaviours with their intervals.",
}
FIRST_AUTHOR = re.compile(r"author = \{\{?([^,}]+)")
SECOND_AUTHOR = re.compile(r"author = .*? and ([^,}]+),")
YEAR = re.compile(r"year = \{(\d+)\}")
# A citation, from its first author to its year: "Baayen, Davidson and Bates 2008" names nothing of Davidson's.
CITED = re.compile(
    r"((?:Al |de )?[A-Z][A-Za-zé]+)(?:, [A-Z][a-zé]+)*(?: and (?:van )?[A-Z][a-zé]+)? \(?((?:19|20)\d\d)\b"
)
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
    yield "methods.tex", _paragraph(report.methods)
    if report.results:
        yield "results.tex", _paragraph(report.results)
    yield "references.bib", references_of(" ".join([*report.methods, *report.results, *tables.values()])).encode()
    yield from ((f"tables/{name}.tex", (made + "\n").encode()) for name, made in tables.items())
    yield from ((f"figures/{name}.pdf", as_pdf(figure.picture)) for name, figure in figures.items())


def references_of(text: str) -> str:
    """Return the entries that the text cites, or whose method it names, as in "Holm's method"."""
    head, *entries = REFERENCES.read_text(encoding="utf-8").splitlines(keepends=True)
    cited = {*CITED.findall(text)}
    return head + "".join(each for each in entries if _key(each) in cited or _method(each) in text)


def _key(entry: str) -> tuple[str, str]:
    return FIRST_AUTHOR.findall(entry)[0], YEAR.findall(entry)[0]


def _method(entry: str) -> str:
    """Return how a method is named after its authors: "Holm'" of one, "Bradley-Terry" of several."""
    second = SECOND_AUTHOR.findall(entry)
    return f"{FIRST_AUTHOR.findall(entry)[0]}-{second[0]}" if second else f"{FIRST_AUTHOR.findall(entry)[0]}'"


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


def _paragraph(sentences: list[str]) -> bytes:
    return (escaped(" ".join(sentences)) + "\n").encode()


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
