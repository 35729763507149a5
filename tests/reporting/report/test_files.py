"""The report as a LaTeX document, a spreadsheet, and one HTML file."""

import re
from collections import Counter
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from weasyprint import CSS, HTML

from annotation.models import Candidate, Metric, Prediction, Study
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from reporting.report.build import Report, build_report
from reporting.report.checklist import TITLES
from reporting.report.downloads import as_xlsx
from reporting.report.frames import TABLES
from reporting.report.latex import as_latex
from reporting.report.latex_table import cell, escaped
from reporting.report.sizes import Comment
from tests.cast import Cast
from tests.factories import MembershipFactory
from tests.working import rate_everything

NOW = timezone.now()
HOSTILE = r"50% of A&B_{x} \input{/etc/passwd} ~^ <b> $1$ #2"


@pytest.fixture
def report(cast: Cast) -> Report:
    cast.study.name = HOSTILE
    cast.study.save()
    for at, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=at % 2)
    sweep(now=NOW)
    return build_report(cast.study, now=NOW)


# --- LaTeX ---------------------------------------------------------------------------------------------
def test_the_document_has_a_table_with_a_caption_for_each_part_of_a_paper(report: Report):
    text = as_latex(report)

    labels = re.findall(r"\\label\{tab:(\w+)\}", text)
    assert labels == [
        "means",
        "comparisons",
        "oddsratios",
        "overall",
        "agreement",
        "majority",
        "negatives",
        "checklist",
        "checklist2",
    ]
    assert text.count(r"\caption{") == len(labels)
    assert text.startswith(r"\documentclass") and text.endswith("\\end{document}\n")  # noqa: PT018 - its two ends


def test_shares_say_what_they_are_made_of_and_agreement_is_in_per_cent(report: Report):
    text = as_latex(report)
    row = report.majority[0]
    made_of = f"{row.positive_items} of {row.items}{f', {row.ties} tied' if row.ties else ''}"
    assert rf"{row.percent:.2f}\\[0pt]{{\scriptsize {made_of}}}" in text
    assert r"Per cent\\[0pt]agreement" in text
    assert f"{100 * report.agreement_overall[0].percent_agreement:.0f}~\\%" in text


def test_every_group_and_environment_is_closed(report: Report):
    text = as_latex(report)
    bare = re.sub(r"\\[{}]", "", text)

    assert bare.count("{") == bare.count("}")
    assert Counter(re.findall(r"\\begin\{(\w+)\}", text)) == Counter(re.findall(r"\\end\{(\w+)\}", text))


def test_rows_have_as_many_cells_as_the_head(report: Report):
    for table in as_latex(report).split(r"\begin{table")[1:]:
        lines = [line for line in table.split(r"\end{table")[0].splitlines() if " & " in line]
        cells = {len(re.findall(r"(?<!\\)&", line)) for line in lines}
        assert len(cells) == 1, lines[:2]


def test_a_text_of_somebody_is_never_a_command(report: Report):
    text = as_latex(report)

    assert r"\input" not in text
    assert r"50\% of A\&B\_\{x\} \textbackslash{}input\{/etc/passwd\}" in text


@given(st.text())
def test_what_is_escaped_holds_no_character_with_a_meaning(text: str):
    # A tie is what becomes of a space that does not break.
    left = re.sub(
        r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater)\{\}|\\[&%$#_{}]|\$-\$|~",
        "",
        escaped(text),
    )

    assert not set(left) & set("\\&%$#_{}~^<>\n")


def test_a_p_value_and_a_percentage_do_not_break():
    assert escaped("differ (95 % interval 0.1 to 0.2, p < .001)") == (
        r"differ (95~\% interval 0.1 to 0.2, p~\textless{}~.001)"
    )


def test_the_entries_of_the_checklist_are_named_as_on_the_page(he_study: Study, client: Client):
    client.force_login(MembershipFactory(study=he_study, role="lead").user)
    page = client.get(reverse("report", args=[he_study.slug])).text
    listed = re.findall(r"<dt>([\w ]+?)(?: <span|</dt>)", page.split('id="t-checklist"')[1].split("</section>")[0])
    printed = as_latex(build_report(he_study, now=timezone.now())).split(r"\label{tab:checklist}")[1]
    assert len(listed) == len(TITLES)
    assert [name for name in listed if f"\n{name} & " not in printed] == []


def test_a_hyphen_before_a_number_is_a_minus_and_others_stay():
    assert cell("−0.05") == cell("-0.05")
    assert cell("–") == "--"
    assert cell("-0.05 to 0.10") == "$-$0.05 to 0.10"
    assert cell("0.12 (-0.05)") == "0.12 ($-$0.05)"
    assert cell("-- it5-knowledge 2026-11-21") == "-- it5-knowledge 2026-11-21"


# --- automatic metrics --------------------------------------------------------------------------
def test_means_of_metrics_stand_beside_peoples_judgements(cast: Cast, report: Report):
    """The reference has no score: a dash, never a nought."""
    scored = Candidate.objects.exclude(source__is_reference=True).filter(dialogue__study=cast.study)
    metric = Metric.objects.create(study=cast.study, key="nll", name="nll", kind="score", created_at=NOW)
    Prediction.objects.bulk_create(Prediction(metric=metric, candidate=each, value=2.5) for each in scored)
    report = build_report(cast.study, now=NOW)

    reference = next(source.key for source in report.sources if source.is_reference)
    means = {row.source: row.mean for row in report.metrics}
    assert means.pop(reference) is None
    assert set(means.values()) == {2.5}
    table = next(each for each in as_latex(report).split(r"\begin{table") if "tab:majority" in each)
    rows = [line.split(" & ")[-1] for line in table.splitlines() if " & " in line]
    assert rows == [rf"{each} \\[0pt]" for each in ("nll", "--", "2.50", "2.50")]
    client = Client()
    client.force_login(cast.lead)
    page = client.get(reverse("report", args=[cast.study.slug])).content.decode()
    assert '<th scope="col" class="number">nll</th>' in page
    assert len(re.findall(r'<td class="number">2.50\s*</td>', page)) == 2


# --- spreadsheet ---------------------------------------------------------------------------------------
def test_the_spreadsheet_has_every_table_and_no_formula(report: Report):
    with ZipFile(BytesIO(as_xlsx(report))) as book:
        names = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
        sheets = [book.read(name).decode() for name in book.namelist() if name.startswith("xl/worksheets/sheet")]

    assert names == list(TABLES)
    assert not any("<f>" in sheet for sheet in sheets)


def test_a_text_that_looks_like_a_formula_or_an_address_stays_a_text(report: Report):
    report.comments = [Comment("1", "a", each) for each in ("=1+1", "http://x.example")]

    with ZipFile(BytesIO(as_xlsx(report))) as book:
        texts = book.read("xl/sharedStrings.xml").decode()
        sheet = book.read(f"xl/worksheets/sheet{list(TABLES).index('comments') + 1}.xml").decode()

    assert ">=1+1<" in texts
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet


# --- files of the page ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "kind", "begins"),
    [
        ("report_html", "text/html", b"<!doctype html>"),
        ("report_latex", "application/x-tex", b"\\documentclass"),
        ("report_xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", b"PK"),
    ],
)
def test_each_is_a_file_with_the_name_of_the_study(report: Report, cast: Cast, name: str, kind: str, begins: bytes):
    client = Client()
    client.force_login(cast.lead)

    answer = client.get(reverse(name, args=[cast.study.slug]))

    assert answer["Content-Type"].startswith(kind)
    assert f'filename="{cast.study.slug}-report.' in answer["Content-Disposition"]
    assert answer.content.startswith(begins)


def test_the_html_file_needs_nothing_from_anywhere(report: Report, cast: Cast):
    client = Client()
    client.force_login(cast.lead)

    page = client.get(reverse("report_html", args=[cast.study.slug])).content.decode()

    assert "<style>" in page
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert "<script" not in page
    assert "url(" not in page


def page_of_each(html: str) -> dict[str, int]:
    """The page on which each id of a printed text stands."""
    css = CSS(filename=str(Path(settings.BASE_DIR, "static", "css", "print.css")))
    pages = HTML(string=html).render(stylesheets=[css]).pages
    return {anchor: number for number, page in enumerate(pages) for anchor in page.anchors}


@pytest.mark.parametrize("n_lines", range(44, 56))
def test_headings_and_single_rows_are_never_parted_from_their_table(n_lines: int):
    links = "".join(f'<a href="#{each}">x</a>' for each in ("h", "t", "r0", "r1", "r2"))
    rows = "".join(f'<tr id="r{n}"><td>{n}</td></tr>' for n in range(3))
    filler = "<br>".join(["line"] * n_lines)
    table = f"<table><thead><tr><th>n</th></tr></thead><tbody>{rows}</tbody></table>"
    found = page_of_each(
        f'<div>{links}{filler}</div><h4 id="h">Strong</h4><p class="small" id="t">What it is.</p>{table}'
    )
    assert len(found) == 5
    assert len(set(found.values())) == 1
