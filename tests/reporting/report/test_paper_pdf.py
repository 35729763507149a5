"""The PDF of the reference study: what goes into a paper on a few pages, and an appendix on three more."""

import re

import pypdfium2
import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from reporting.charts.files import PDFIUM
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(he_study: Study) -> list[str]:
    return pages_of(he_study)


def pages_of(study: Study) -> list[str]:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    content = client.get(reverse("report_pdf", args=[study.slug])).content
    with PDFIUM:
        document = pypdfium2.PdfDocument(content)
        texts = [page.get_textpage().get_text_range() for page in document]
        document.close()
    return texts


def test_the_paper_has_at_most_four_pages_and_its_appendix_three(pages: list[str]):
    (appendix,) = [at for at, text in enumerate(pages) if text.startswith("Appendix")]
    assert appendix <= 4
    assert len(pages) - appendix <= 3
    main, rest = "\n".join(pages[:appendix]), "\n".join(pages[appendix:])
    for heading in ("Results by source", "Agreement", "Methods", "Results in words"):
        assert re.search(rf"^{heading}\s*$", main, re.MULTILINE), heading
    for heading in ("Differences between sources", "Fleiss' kappa by source", "Positive by majority", "Checklist"):
        assert re.search(rf"^{heading}\s*$", rest, re.MULTILINE), heading


def test_no_number_of_the_appendix_is_broken_over_two_lines(pages: list[str]):
    lines = [line.strip() for text in pages for line in text.splitlines()]
    assert not [line for line in lines if re.search(r"(<|p|=|−|\+|\bto)$", line) and "minus" in line]


def test_the_appendix_explains_its_differences_and_names_each_criterion_in_the_table(he_study: Study):
    text = " ".join("\n".join(pages_of(he_study)).split())
    differences = text[text.index("Appendix") :]
    assert "Intervals are not corrected for the number of comparisons" in differences
    assert "The check is the difference of plain means" in differences
