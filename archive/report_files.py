"""Put the report into a study's archive, to be read beside the data. Restoring a study ignores it."""

from collections.abc import Iterator

from django.db.models import Max
from django.template.loader import render_to_string
from django.utils.translation import override as in_language

from annotation.models import Rating, Study
from reporting.charts.files import as_svg
from reporting.exports.cursors import count_ratings
from reporting.report.build import build_report
from reporting.report.downloads import TABLES, as_csv, as_json
from reporting.report.latex import as_latex
from reporting.report.page import page_of
from reporting.report.pdf import styles_of_file

FOLDER = "report"
# A report is made in memory; everything else in an archive is written piece by piece.
MOST_RATINGS = 1_000_000
FIGURES = ("agreement", "votes", "errors")


def report_files(study: Study) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of the report in English; nothing for a study without answers, or with too many."""
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
            **{f"figures/{name}.svg": as_svg(picture.wide) for name, picture in pictures.items() if picture.wide},
        }
    yield from ((f"{FOLDER}/{name}", text) for name, text in found.items())
