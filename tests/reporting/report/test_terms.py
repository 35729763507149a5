"""The terms of the report: each is explained once on the page, and in print it is only named."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from reporting.explained import STATISTICS
from reporting.report.terms.known import TERMS
from tests.factories import MembershipFactory
from tests.he_study import load_he_study

NOW = timezone.now()


@pytest.fixture(scope="module")
def make_study(shared):
    return shared(lambda: load_he_study(now=NOW, slug="explained"))


@pytest.fixture
def study(make_study, db: None) -> Study:
    return make_study()


def text_of(study: Study, client: Client, name: str) -> str:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return client.get(reverse(name, args=[study.slug])).text


def test_what_a_button_opens_is_on_the_page_once(study: Study, client: Client):
    page = text_of(study, client, "report")
    opened = re.findall(r'<button [^>]*class="term" popovertarget="([^"]+)"', page)
    notes = re.findall(r'<div popover [^>]*id="([^"]+)"', page)
    assert len(opened) > len(notes) > 20, "the heads of several tables share an explanation"
    assert set(opened) == set(notes)
    assert len(notes) == len(set(notes))


def test_every_term_has_a_name_and_says_what_it_is_and_where_there_is_more():
    for key, term in TERMS.items():
        assert term.key == key
        assert term.name
        assert len(term.sentences) >= 2
        assert term.sentences[-1].startswith("More: docs/")


def test_the_sections_that_explanations_name_are_in_the_documentation():
    for term in TERMS.values():
        text = Path(settings.BASE_DIR, "docs", term.page).read_text(encoding="utf-8")
        assert re.search(rf"^#+ {re.escape(term.section)}$", text, re.MULTILINE), (term.key, term.section)


def test_what_the_board_defines_has_the_same_definition_in_the_report():
    shared = set(STATISTICS) & set(TERMS)
    assert shared == set(STATISTICS) - {"cohen"}, "the report has that mean among the further coefficients"
    for key in shared:
        assert (TERMS[key].name, TERMS[key].sentences[0]) == (STATISTICS[key].name, STATISTICS[key].definition)


def test_a_file_names_statistics_without_buttons(study: Study, client: Client):
    page = text_of(study, client, "report_html")
    assert "<button" not in page
    assert "popover" not in page
    assert "In the cells" not in page
    assert '<th scope="col" class="number">p, Holm</th>' in page
