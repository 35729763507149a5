"""A number that readers see is that of the files: page, CSV, Parquet and LaTeX of each table."""

import csv
import io
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from reporting.report.build import Report, build_report
from reporting.report.downloads import FORMATS
from reporting.report.frames import TABLES
from reporting.report.latex import latex_tables
from reporting.report.page import page_of
from reporting.tables.cells import written
from tests.reporting.report.test_behaviours import rated_study as rate_behaviours
from tests.reporting.report.test_rankings import make_answered
from tests.reporting.report.test_whole_dialogues import rated_study as rate_dialogues

pytestmark = pytest.mark.django_db
# {region of the page: (table, column, its file in a paper)}
OF_SOURCES = {
    "Table of means": ("means", "mean", "means"),
    "Differences: ": ("comparisons", "p_holm", "differences"),
    "Agreement over all sources": ("overall", "fleiss_kappa", "agreement"),
    "Table of agreement": ("agreement_cells", "mean", "agreement-by-source"),
    "Table of majorities": ("majority", "percent", "majority"),
    "Table of errors": ("errors", "percent", ""),
    "Table of distributions": ("distributions", "n_answers", ""),
    "Table of the two values of alpha": ("alpha_check", "parley", ""),
    "Table of batches": ("batches", "n_ratings", ""),
    "Table of workloads": ("workload", "judgements", ""),
}
OF_COMPARISONS = {
    "Ranking: Better": ("rankings", "win_rate", "rankings"),
    "Expected win rates: Better": ("win_rates", "win_rate", "win-rates"),
}
OF_BEHAVIOURS = {
    "Table of behaviours": ("behaviours", "mean", ""),
    "Differences in behaviours": ("behaviour_differences", "difference", ""),
    "Agreement on behaviours": ("behaviour_agreement", "positive_agreement", "behaviour-agreement"),
}
OF_DIALOGUES = {
    "Table of means": ("means", "mean", "means"),
    "Table of final labels": ("final_labels", "items", ""),
    "Table of alpha": ("agreement_cells", "alpha", ""),
}
WITH_A_PERCENT_SIGN = re.compile(r"[\u00a0 ]%$")


def regions(report: Report) -> dict[str, str]:
    """Return the text of each table of the page by its name."""
    html = render_to_string("reporting/report/_tables.html", page_of(report))
    found = re.findall(r'role="region" aria-label="([^"]+)">\s*<table(.*?)</table>', html, re.DOTALL)
    return {unescape(name): unescape(re.sub(r"<[^>]+>", "\n", body)) for name, body in found}


def numbers_in(report: Report, table: str, column: str) -> Iterator[str]:
    """Yield each number of a column as readers see it, from the CSV, where it is the one of the Parquet file."""
    lines = list(csv.DictReader(io.StringIO(FORMATS["csv"][0](report, table).decode("utf-8-sig"))))
    parquet = pd.read_parquet(io.BytesIO(FORMATS["parquet"][0](report, table)))
    (form,) = [each.format for each in TABLES[table].columns if each.name == column]
    for line, value in zip(lines, parquet[column], strict=True):
        assert (line[column] == "") == pd.isna(value)
        if line[column]:
            assert float(line[column]) == value
            yield written(value.item() if hasattr(value, "item") else value, form)


def expect_the_same_numbers(report: Report, tables: dict[str, tuple[str, str, str]]) -> None:
    shown, printed = regions(report), latex_tables(report)
    for region, (table, column, paper) in tables.items():
        part = "".join(text for name, text in shown.items() if name.startswith(region))
        seen = list(numbers_in(report, table, column))
        assert seen, table
        for text in map(plain_text, seen):
            assert text in plain_text(part), (region, text)
            assert not paper or text in plain_text(printed[paper]), (paper, text)


@cache
def plain_text(text: str) -> str:
    """Return a text without what only its medium adds."""
    for special, plain in {r"$-$": "−", r"\textless{}": "<", r"\%": "%", "\u00a0": " ", "~": " "}.items():
        text = text.replace(special, plain)
    return WITH_A_PERCENT_SIGN.sub("", text)


def test_of_a_study_of_sources(he_report: Report):
    expect_the_same_numbers(he_report, OF_SOURCES)


def test_of_a_study_that_compares():
    expect_the_same_numbers(build_report(make_answered(), now=timezone.now()), OF_COMPARISONS)


def test_of_a_study_of_behaviours(tmp_path: Path):
    expect_the_same_numbers(build_report(rate_behaviours(tmp_path), now=timezone.now()), OF_BEHAVIOURS)


def test_of_a_study_of_whole_dialogues(tmp_path: Path):
    expect_the_same_numbers(build_report(rate_dialogues(tmp_path), now=timezone.now()), OF_DIALOGUES)
