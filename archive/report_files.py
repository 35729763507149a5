"""Put the report into a study's archive, to be read beside the data. Restoring a study ignores it."""

from collections.abc import Iterator
from pathlib import Path

from django.db.models import Max
from django.template.loader import render_to_string
from django.utils.translation import override as in_language

from annotation.models import Rating, Study
from parley.pdf import PdfUnavailable
from reporting.charts.drawn import Drawn
from reporting.charts.files import as_svg
from reporting.exports.cursors import count_ratings
from reporting.report.build import Report, build_report
from reporting.report.downloads import as_csv, as_json
from reporting.report.frames import TABLES
from reporting.report.latex import as_latex
from reporting.report.page import page_of
from reporting.report.paper import FIGURES as PAPER_FIGURES
from reporting.report.paper import paper_files
from reporting.report.pdf import styles_of_file

FOLDER = "report"
# A report is made in memory; everything else in an archive is written piece by piece.
MOST_RATINGS = 1_000_000
FIGURES = ("agreement", "votes", "errors")
ANALYSES = Path(__file__).with_name("analysis")
SCRIPTS = ("analyse.R", "analyse.py")


def _paper(report: Report, pictures: dict[str, Drawn]) -> dict[str, bytes]:
    try:
        return dict(paper_files(report, pictures))
    except PdfUnavailable:  # an archive is more than its figures, and these are there as SVG
        return dict(paper_files(report, {}))


def report_files(study: Study) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of the report in English; nothing for a study without answers, or with too many."""
    if count_ratings(study) > MOST_RATINGS:
        return
    # The date of the report is that of the last answer: the same study gives the same bytes.
    last_answer = Rating.objects.filter(batch__study=study).aggregate(at=Max("updated_at"))["at"]
    with in_language("en"):
        report = build_report(study, now=last_answer or study.created_at)
        if not report.n_ratings:
            return
        page = page_of(report)
        pictures = {name: page[f"{name}_figure"] for name in FIGURES}
        found = {
            "report.html": render_to_string(
                "reporting/report/print.html", {"study": study, "styles": styles_of_file()} | page
            ),
            "report.json": as_json(report),
            "report.tex": as_latex(report),
            "methods.txt": "\n".join(report.methods) + "\n",
            "results.txt": "\n".join(report.results) + "\n",
            **{f"tables/{table}.csv": as_csv(report, table) for table in TABLES},
            **{
                f"analysis/{path.name}": path.read_text(encoding="utf-8") for path in sorted(ANALYSES.glob("analyse.*"))
            },
            **{f"figures/{name}.svg": as_svg(picture.wide) for name, picture in pictures.items() if picture.wide},
        }
        paper = _paper(report, {name: page[f"{name}_figure"] for name in PAPER_FIGURES})
    yield from ((f"{FOLDER}/{name}", text.encode()) for name, text in found.items())
    yield from ((f"{FOLDER}/paper/{name}", content) for name, content in paper.items())
