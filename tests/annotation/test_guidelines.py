"""The full guidelines: every shipped protocol as a document, its anchors, its PDF, and texts that mean harm."""

import re
import zlib
from urllib.parse import unquote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from annotation.models import Study
from annotation.selectors.guidelines import Heading, headings_of, sections_of
from parley.pdf import PdfUnavailable, make_pdf
from protocols.models import ProtocolVersion
from protocols.rendering import rendered
from tests.cast import Cast
from tests.factories import StudyFactory, make_annotator
from tests.factories_protocols import (
    CriterionFactory,
    ExampleFactory,
    ExplanationFactory,
    OptionFactory,
    VersionFactory,
    publish,
)
from tests.shipped import Work

pytestmark = pytest.mark.django_db
SHIPPED = [
    ("he-protocol-1.0", 1),
    ("he-protocol-1.0-three-criteria", 1),
    ("persona-quality-1.0", 1),
    ("dialogue-hit-1.0", 1),
    ("diqad-1.0", 0),
    ("diqad-1.0-zh", 0),
]
HOSTILE = (
    """<script>hit()</script><img src="http://evil.test/x.png"><a rel=attachment href="file:///etc/passwd">x</a>"""
)


def reader_of(study: Study) -> Client:
    client = Client()
    client.force_login(make_annotator(study, f"reader-{study.pk}").user)
    return client


def page_of(study: Study) -> str:
    """As one line of words; what stands between tags is kept apart."""
    page = reader_of(study).get(reverse("guidelines", args=[study.slug])).content.decode()
    return re.sub(r"\s+", " ", page)


def words_of(page: str) -> str:
    text = re.sub(r"<[^>]*>", " ", page).replace("&#x27;", "'").replace("&quot;", '"').replace("&amp;", "&")
    return re.sub(r"\s+([.,])", r"\1", re.sub(r"\s+", " ", text))


def study_of(version: ProtocolVersion) -> Study:
    return StudyFactory(protocol_version=publish(version))


# --- the shipped protocols ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("protocol", "n_sources"), SHIPPED)
def test_the_document_of_every_shipped_protocol_is_complete(protocol: str, n_sources: int):
    study = Work(protocol, n_dialogues=1, n_sources=n_sources).study
    words = words_of(page_of(study))
    with translation.override("zh-hans" if protocol.endswith("-zh") else "en"):
        sections, example_of = sections_of(study.protocol_version), gettext("Example: %(title)s")
    for section in sections:
        criterion = section.criterion
        told = [criterion.name, criterion.question, criterion.definition, section.answering]
        for option in criterion.options:
            told += [option.label, option.definition, *option.conditions, *(each.text for each in option.explanations)]
        for example in section.examples:
            told += [example_of % example, *(turn["text"] for turn in example["turns"])]
            told += [text for row in example["rows"] for text in (row.get("text", ""), row["label"], row["why"])]
        assert [text for text in told if " ".join(text.split()) not in words] == []


@pytest.mark.parametrize(("protocol", "n_sources"), SHIPPED)
def test_every_link_of_the_contents_leads_to_one_place(protocol: str, n_sources: int):
    study = Work(protocol, n_dialogues=1, n_sources=n_sources).study
    page = page_of(study)
    links = [unquote(link) for link in re.findall(r'href="#([^"]+)"', page) if link != "main"]
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(links) > 10
    assert [link for link in links if ids.count(link) != 1] == []
    for criterion in study.protocol_version.criteria.all():
        assert links.count(f"criterion-{criterion.key}") == 2  # beside the text, and above it on narrow screens


def test_a_dependent_criterion_says_when_it_is_asked():
    words = words_of(page_of(Work("diqad-1.0", n_dialogues=1).study))
    assert "Asked when Score is 1. Choose every answer that applies." in words
    assert "Asked when Score is 2. Mark turns in the dialogue. If no answer applies, choose “No turn”." in words
    assert "The whole dialogue" in words


def test_answers_of_which_one_at_most_is_chosen_are_told_as_the_rating_screen_tells_them():
    words = words_of(page_of(Work("abc-eval-1.1", n_dialogues=1, n_sources=1).study))
    assert "Choose one answer. If no answer applies, choose “None of these”." in words


def test_an_example_to_which_no_answer_applies_says_so_where_others_have_their_answer():
    page = page_of(Work("abc-eval-1.1", n_dialogues=1, n_sources=1).study)
    row = page[page.index("I must say that choirs are not for me") :].split("</tr>")[0]
    assert "None of these Another opinion, said politely." in words_of(row)


def test_a_computed_criterion_says_how_it_follows():
    page = page_of(Work("persona-quality-1.0", n_dialogues=1, n_sources=1).study)
    words = words_of(page[page.index('class="rules"') :])
    for told in ("Diversity of the set Diversity of the corpus Diversity", "Yes Yes 5 (perfect)", "No No 1 (poor)"):
        assert told in words
    assert "Not asked: it follows from other answers." in words_of(page)


def test_a_point_without_a_description_says_nothing():
    page = page_of(Work("persona-quality-1.0", n_dialogues=1, n_sources=1).study)
    rows = re.findall(r'<tr role="row"> <th role="rowheader" scope="row" dir="auto">2</th> (.*?) </tr>', page)
    assert [words_of(row).strip() for row in rows] == ["", "", ""]
    assert "If several conditions are listed, any one of them is enough." in words_of(page)


def test_the_rated_turn_is_marked_in_its_history_and_stands_beside_it():
    page = page_of(Work("persona-quality-1.0", n_dialogues=1, n_sources=1).study)
    assert page.count("rated turn</mark>") == 25
    assert page.count("It closes at six, except on holidays.") == 1
    assert page.count("All responses together") == page.count("All turns together") == 2


def test_the_facts_of_an_example_stand_in_numbers_before_its_history():
    page = page_of(Work("persona-quality-1.0", n_dialogues=1, n_sources=1).study)
    assert page.count('<ol class="example-facts"') == 7
    facts = re.search(r'<ol class="example-facts" lang="en">(.*?)</ol> *(.*?)</p>', page)
    assert re.findall(r'<li dir="auto">(.*?)</li>', facts[1])[1] == "I keep bees."
    assert "Where did you learn to cook like this?" in facts[2]


def test_what_is_asked_after_an_answer_is_said_in_words():
    words = words_of(page_of(Work("he-protocol-1.0", n_dialogues=1, n_sources=1).study))
    assert "Then you may say why: tick every reason that applies." in words
    assert "For another reason, tick “Other” and write 3 to 30 words." in words
    assert "Then say why, in 3 to 30 words of your own." in words


# --- small parts -------------------------------------------------------------------------------------------
def test_values_are_told_where_the_labels_do_not_say_them():
    version = VersionFactory()
    for key, labels in (("told", ("1 (poor)", "5 (perfect)")), ("untold", ("poor", "perfect"))):
        criterion = CriterionFactory(version=version, key=key, scale="ordinal")
        for label, value in zip(labels, (1, 5), strict=True):
            OptionFactory(criterion=criterion, label=label, value=value)
    told, untold = sections_of(publish(version))
    assert [answer.value for answer in told.answers] == [None, None]
    assert [answer.value for answer in untold.answers] == [1, 5]


def test_a_rule_that_leaves_a_criterion_open_says_any_answer():
    version = VersionFactory()
    for key in ("form", "content"):
        criterion = CriterionFactory(version=version, key=key)
        for option in ("good", "fair", "bad"):
            OptionFactory(criterion=criterion, key=option, label=option.upper())
    bad, some = {"criterion": "form", "options": ["bad"]}, {"criterion": "content", "options": ["good", "fair"]}
    rules = [{"when": [bad], "option": "no"}, {"when": [some], "option": "yes"}]
    whole = CriterionFactory(version=version, key="whole", name="Whole", kind="computed", rules=rules)
    for option in ("yes", "no"):
        OptionFactory(criterion=whole, key=option, label=option.upper())
    words = words_of(page_of(study_of(version)))
    assert "BAD any answer NO" in words
    assert "any answer GOOD or FAIR YES" in words


def test_the_topmost_heading_is_the_first_level_and_code_in_it_is_text():
    version = VersionFactory(guidelines="## One `x < y`\n\n#### Deep\n\n## One\n\n<h2>no anchor</h2>\n\n## 总则")
    assert headings_of(rendered(version.guidelines)) == [
        Heading("text-one-x-y", "One x < y", 1),
        Heading("text-deep", "Deep", 3),
        Heading("text-one", "One", 1),
        Heading("text-总则", "总则", 1),
    ]


def test_a_header_without_words_is_no_header():
    assert "<th></th>" not in rendered("| | Name |\n|---|---|\n| 1 | a |")


def test_the_words_of_parley_in_the_document_are_in_its_language_and_those_around_it_in_the_readers():
    page = page_of(Work("diqad-1.0-zh", n_dialogues=1).study)
    _around, document = page.split('<div class="guidelines-text" lang="zh-Hans">')
    assert re.search(r'lang="zh-hans">示例详解</caption>', document)
    assert "Worked examples" not in document
    assert "Choose one answer." not in document
    assert "Download as PDF" in page


def test_a_document_in_a_language_that_parley_lacks_is_explained_in_that_of_the_page():
    version = VersionFactory(language="fr")
    CriterionFactory(version=version)
    page = page_of(study_of(version))
    assert '<div class="guidelines-text" lang="fr">' in page
    assert "Choose one answer." in page


def test_contents_name_headings_as_they_are_because_a_pdf_looks_up_their_pages_by_that_name():
    page = page_of(Work("diqad-1.0-zh", n_dialogues=1).study)
    links = re.findall(r'<li class="toc-\d"><a href="#([^"]+)"', page)
    assert any(not link.isascii() for link in links)
    assert [link for link in links if f'id="{link}"' not in page] == []


# --- limits ------------------------------------------------------------------------------------------------
def make_version(n: int) -> ProtocolVersion:
    version = VersionFactory()
    for _ in range(n):
        criterion = CriterionFactory(version=version)
        for _ in range(n):
            ExplanationFactory(option=OptionFactory(criterion=criterion, asks="explanation"))
            ExampleFactory(criterion=criterion)
    return version


def test_the_number_of_queries_does_not_grow_with_the_protocol():
    counts = []
    for n in (1, 6):
        study = study_of(make_version(n))
        client = reader_of(study)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(reverse("guidelines", args=[study.slug]))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 10


def hostile_study() -> Study:
    version = VersionFactory(welcome=HOSTILE, guidelines=f"# {HOSTILE}\n\n{HOSTILE}\n\n![x](http://evil.test/y.png)")
    criterion = CriterionFactory(version=version, name=HOSTILE, question=HOSTILE, definition=HOSTILE)
    option = OptionFactory(
        criterion=criterion, key="yes", label=HOSTILE, definition=HOSTILE, conditions=[HOSTILE], asks="explanation"
    )
    ExplanationFactory(option=option, text=HOSTILE)
    turn = {"speaker": HOSTILE, "text": HOSTILE + "x" * 2_000}
    ExampleFactory(criterion=criterion, title=HOSTILE, history=[turn])
    ExampleFactory(criterion=criterion, history=[turn, turn], candidates=[], rated_turn=2, option="yes", why=HOSTILE)
    return study_of(version)


def test_hostile_texts_stay_texts():
    page = page_of(hostile_study())
    assert "&lt;script&gt;hit()" in page
    for harm in ("<script>hit", '<img src="http', "<a rel=attachment", '<a href="file:'):
        assert harm not in page


# --- PDF ---------------------------------------------------------------------------------------------------
def outline_of(pdf: bytes) -> bytes:
    """What is packed inside, bookmarks among it: their titles are the headings of the document."""
    parts = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return pdf + b"".join(_unpacked(part) for part in parts)


def _unpacked(part: bytes) -> bytes:
    try:
        return zlib.decompress(part)
    except zlib.error:
        return b""


@pytest.mark.parametrize(
    ("protocol", "n_sources", "criterion"),
    [("he-protocol-1.0", 1, b"(Contextualization)"), ("diqad-1.0", 0, b"(Supporting turns)")],
)
def test_the_pdf_has_every_criterion_among_its_bookmarks(protocol: str, n_sources: int, criterion: bytes):
    study = Work(protocol, n_dialogues=1, n_sources=n_sources).study
    response = reader_of(study).get(reverse("guidelines_pdf", args=[study.slug]))
    assert response["Content-Type"] == "application/pdf"
    assert f"{study.slug}-guidelines.pdf" in response["Content-Disposition"]
    assert response.content.startswith(b"%PDF-")
    assert criterion in outline_of(response.content)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that got past the door of a PDF, and were about to be opened."""
    found: list[str] = []
    monkeypatch.setattr("urllib.request.OpenerDirector.open", lambda _, asked, *rest, **more: found.append(asked))
    return found


def test_the_pdf_of_hostile_texts_fetches_nothing(fetched: list[str]):
    study = hostile_study()
    response = reader_of(study).get(reverse("guidelines_pdf", args=[study.slug]))
    assert response.content.startswith(b"%PDF-")
    assert fetched == []
    assert b"EmbeddedFile" not in outline_of(response.content)


def test_a_pdf_leaves_out_whatever_would_have_to_be_fetched(fetched: list[str]):
    page = """<link rel=stylesheet href="file:///etc/passwd"><img src="http://evil.test/x.png">
        <a rel=attachment href="file:///etc/passwd">text</a><img src="data:image/png;base64,AAAA">"""
    assert b"EmbeddedFile" not in outline_of(make_pdf(page, "print.css"))
    assert fetched == []


def test_a_server_that_makes_no_pdf_says_so_on_the_page(cast: Cast, monkeypatch: pytest.MonkeyPatch):
    def lacks_pango(*_: object) -> bytes:
        raise PdfUnavailable("Print the page from your browser instead.")

    monkeypatch.setattr("annotation.views.guidelines.make_pdf", lacks_pango)
    client = reader_of(cast.study)
    response = client.get(reverse("guidelines_pdf", args=[cast.study.slug]), follow=True)
    assert response.redirect_chain[-1][0] == reverse("guidelines", args=[cast.study.slug])
    assert "Print the page from your browser instead." in response.text


@pytest.mark.parametrize("route", ["guidelines", "guidelines_pdf"])
def test_the_guidelines_are_for_the_annotators_of_the_study(cast: Cast, route: str):
    address = reverse(route, args=[cast.study.slug])
    for user, status in ((cast.stranger, 404), (cast.owner, 404), (cast.annotator.user, 200)):
        client = Client()
        client.force_login(user)
        assert client.get(address).status_code == status
    assert Client().get(address).status_code == 302


# --- in another language -----------------------------------------------------------------------------
def test_worked_examples_are_in_the_language_of_the_study_with_their_speakers_and_reasons():
    study = Work("he-protocol-1.0", n_dialogues=1, n_sources=1).study
    Study.objects.update(content_language="it")
    study.refresh_from_db()
    page = page_of(study)
    said = words_of(page)
    assert "Grilled sardines." not in page
    assert "B Le sardine alla griglia." in said
    assert "Esempio: Un viaggio in primavera" in said
    assert "Example:" not in said
    assert page.count("Non ha senso come turno successivo dopo ciò che è stato detto.") > 2
    assert "untranslated" not in page
