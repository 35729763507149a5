"""Names of sources and criteria stand in the report as their authors wrote them."""

import csv
import io

import pypdfium2
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Dialogue, Source
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from reporting.report.build import build_report
from reporting.report.downloads import as_csv
from reporting.report.latex import as_latex
from reporting.report.page import page_of
from tests.cast import Cast
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()
NAMES = ("GePpeTto+K", "iT5-Base", "alpha")


@pytest.fixture
def named(cast: Cast) -> Cast:
    sources = list(Source.objects.filter(study=cast.study).order_by("position"))
    for source, name in zip(sources, NAMES, strict=False):
        Source.objects.filter(pk=source.pk).update(key=name, name=name)
    Dialogue.objects.filter(study=cast.study).update(metadata={"cefr_Level": "B1"})
    Dialogue.objects.filter(pk=cast.study.dialogues.first().pk).update(metadata={"cefr_Level": "a2"})
    for at, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=at % 2)
    sweep(now=NOW)
    return cast


def names_of(cast: Cast) -> list[str]:
    return list(Source.objects.filter(study=cast.study).values_list("name", flat=True))


def file_of(cast: Cast, route: str) -> bytes:
    client = Client()
    client.force_login(cast.lead)
    return client.get(reverse(route, args=[cast.study.slug])).content


@pytest.mark.parametrize("route", ["report", "report_html", "report_latex"])
def test_names_are_never_written_another_way(named: Cast, route: str):
    text = file_of(named, route).decode()
    assert {"GePpeTto+K", "iT5-Base"} <= set(names_of(named))
    for name in names_of(named):
        assert name in text
    assert not [each for each in ("Geppetto+k", "It5-base", "IT5-base", "Alpha less", "GePpeTto+k") if each in text]


def test_the_comparison_of_sources_has_their_names(named: Cast):
    page = file_of(named, "report").decode()
    names = names_of(named)
    assert any(f"{first} minus {second}" in page for first in names for second in names)


def test_fields_of_the_material_keep_their_names_and_values(named: Cast):
    page = file_of(named, "report").decode()
    assert '<th scope="col">cefr_Level</th>' in page
    assert '<th scope="row">a2</th>' in page


def test_the_pdf_has_the_names(named: Cast):
    document = pypdfium2.PdfDocument(file_of(named, "report_pdf"))
    text = " ".join(page.get_textpage().get_text_bounded() for page in document)
    assert all(name in text.replace("\r\n", "") for name in names_of(named))


def test_tables_and_latex_have_the_names(named: Cast):
    report = build_report(named.study, now=NOW)
    rows = csv.DictReader(io.StringIO(as_csv(report, "majority")))
    assert {row["source"] for row in rows} == set(names_of(named))
    assert all(name in as_latex(report) for name in names_of(named))
    assert page_of(report)["names"]["sources"] == {name: name for name in names_of(named)} | {None: "All dialogues"}
