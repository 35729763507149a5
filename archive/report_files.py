"""Put the report into a study's archive, to be read beside the data. Restoring a study ignores it."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Max
from django.template.loader import render_to_string
from django.utils.translation import override as in_language

from annotation.models import Rating, Study
from reporting.charts.files import as_svg
from reporting.exports.cursors import count_ratings
from reporting.report.build import Report, build_report
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
    with in_language("en"):
        found = _files(study, build_report(study, now=_last_answer(study)))
    yield from ((f"{FOLDER}/{name}", text) for name, text in found.items())


def _last_answer(study: Study) -> datetime:
    """Return the date of the report, which is that of the last answer: the same study gives the same bytes."""
    return Rating.objects.filter(batch__study=study).aggregate(at=Max("updated_at"))["at"] or study.created_at


def _files(study: Study, report: Report) -> dict[str, str]:
    if not report.n_ratings:
        return {}
    page = page_of(report)
    context = {"study": study, "styles": styles_of_file()} | page
    pictures = {name: page[f"{name}_figure"] for name in FIGURES}
    return {
        "report.html": render_to_string("reporting/report/print.html", context),
        "report.json": as_json(report),
        "report.tex": as_latex(report),
        "methods.txt": "\n".join(report.methods) + "\n",
        **{f"tables/{table}.csv": as_csv(report, table) for table in TABLES},
        **{f"figures/{name}.svg": as_svg(picture) for name, picture in pictures.items() if picture},
    }
