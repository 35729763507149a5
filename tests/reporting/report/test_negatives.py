"""Negative judgements with free text, counted again from the file of the reference study, and their texts."""

import csv
import io
from collections import Counter
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Rating, Study
from annotation.services.claiming import claim_seat
from protocols.models import Explanation
from reporting.report.build import Report, build_report
from reporting.report.downloads import as_csv, as_json, as_xlsx
from reporting.report.latex import as_latex
from reporting.report.negatives import Negatives
from reporting.report.page import MOST_TEXTS, page_of
from tests.cast import Cast
from tests.factories import make_batch
from tests.he_study import he_rows
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()
NAMES = {"appropriateness", "contextualization", "listening", "correctness"}


def is_negative(row: dict) -> bool:
    return row["answer"].startswith("Not ")


@pytest.fixture
def negative(cast: Cast) -> Assignment:
    """One annotator who answers everything with the second option, which is the negative one."""
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW, option=1)
    return assignment


def write(assignment: Assignment, text: str, **chosen: object) -> Rating:
    rating = assignment.ratings.filter(free_text="", **chosen).order_by("item", "pk").first()
    Rating.objects.filter(pk=rating.pk).update(free_text=text)
    return rating


def tick(assignment: Assignment, criterion: str) -> Explanation:
    """The first predefined reason of its answer, in the last answer that has no text."""
    rating = assignment.ratings.filter(criterion__key=criterion, free_text="").order_by("-item").first()
    reason = rating.option.explanations.first()
    Rating.objects.filter(pk=rating.pk).update(explanations=[reason.pk])
    return reason


def row_of(report: Report, criterion: str) -> Negatives:
    return next(row for row in report.negatives if row.criterion == criterion)


# --- the reference study -------------------------------------------------------------------------------
def test_the_counts_are_those_of_the_file(he_report):
    found = {row.criterion: row.counts for row in he_report.negatives}
    assert found.keys() == NAMES
    rows = [row for row in he_rows() if is_negative(row)]
    for name, row in found.items():
        mine = [each for each in rows if each["criterion"] == name]
        texts = [each for each in mine if each["free_text"]]
        reasons = [each for each in mine if each["explanations"] and not each["free_text"]]
        assert (row.negative, row.with_text, row.with_reason_only) == (len(mine), len(texts), len(reasons))
        assert row.percent_of_negative == round(100 * len(texts) / len(mine), 2)
        assert row.explained == len(texts) + len(reasons)


def test_both_denominators_give_their_share(he_report):
    """46 texts of appropriateness: of 399 negative answers, of which 207 are explained."""
    row = row_of(he_report, "appropriateness")
    assert (row.counts.percent_of_negative, row.counts.percent_of_explained) == (11.53, 22.22)
    assert "two denominators" in he_report.rules["negatives"]


def test_a_criterion_that_asks_no_reason_says_so_and_has_no_share_of_the_explained(he_report):
    assert {row.criterion: row.counts.is_asked for row in he_report.negatives} == {
        **dict.fromkeys(NAMES, True),
        "listening": False,
    }
    assert row_of(he_report, "listening").counts.percent_of_explained is None


def test_sources_add_up_to_their_criterion(he_report):
    for name in ("votes", "negative", "with_text", "explained", "with_reason_only"):
        sums: Counter[str] = Counter()
        for row in he_report.negatives_by_source:
            sums[row.criterion] += getattr(row.counts, name)
        assert sums == Counter({row.criterion: getattr(row.counts, name) for row in he_report.negatives})
    assert len(he_report.negatives_by_source) == 20


def test_every_text_of_a_negative_or_unsure_answer_is_listed_with_its_keys(he_report):
    wanted = Counter(
        (row["criterion"], row["source"], row["dialogue_id"], row["candidate_id"], row["annotator"], row["free_text"])
        for row in he_rows()
        if row["free_text"] and (is_negative(row) or row["answer"] == "I don't know")
    )
    columns = ("criterion", "source", "dialogue", "item", "annotator", "text")
    found = Counter(tuple(getattr(row, name) for name in columns) for row in he_report.negative_texts)
    assert found == wanted
    roles = Counter((row.criterion, row.role) for row in he_report.negative_texts)
    assert roles["appropriateness", "negative"] == row_of(he_report, "appropriateness").counts.with_text
    assert roles["contextualization", "unsure"] == 86


def test_the_page_shows_some_and_says_how_many_there_are(he_report):
    groups = page_of(he_report)["texts"]
    assert sum(len(group.rows) for group in groups) <= MOST_TEXTS
    assert sum(group.n for group in groups) == len(he_report.negative_texts)
    assert groups[0].n > len(groups[0].rows) > 0


# --- which answers count -------------------------------------------------------------------------------
def test_a_text_beside_a_ticked_reason_counts_once_and_names_the_reason(cast: Cast, negative: Assignment):
    reason = tick(negative, "contextualization")
    write(negative, "It says nothing new.", criterion__key="contextualization", explanations=[reason.pk])
    tick(negative, "contextualization")
    report = build_report(cast.study, now=NOW)
    row = row_of(report, "contextualization")
    assert (row.counts.with_text, row.counts.explained, row.counts.with_reason_only) == (1, 2, 1)
    (text,) = report.negative_texts
    assert (text.text, text.reasons) == ("It says nothing new.", [reason.sub_dimension])


def test_positive_texts_are_no_part_of_it(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW, option=0)
    write(assignment, "It fits very well.", criterion__key="appropriateness")
    report = build_report(cast.study, now=NOW)
    assert report.negative_texts == []
    row = row_of(report, "appropriateness")
    assert (row.counts.negative, row.counts.percent_of_negative, row.counts.percent_of_explained) == (0, None, None)


def test_inactive_answers_and_those_of_a_lost_seat_do_not_count(cast: Cast, negative: Assignment):
    rating = write(negative, "I wrote this.", criterion__key="correctness")
    Rating.objects.filter(pk=rating.pk).update(is_active=False)
    assert build_report(cast.study, now=NOW).negative_texts == []
    Rating.objects.filter(pk=rating.pk).update(is_active=True)
    assert len(build_report(cast.study, now=NOW).negative_texts) == 1
    negative.seat.delete()
    report = build_report(cast.study, now=NOW)
    assert (report.negatives, report.negative_texts) == ([], [])


def test_texts_of_a_pilot_do_not_count(cast: Cast):
    pilot = make_batch(cast.study, key="pilot", kind="pilot")
    cast.study.participants.update(panel="expert")  # pilots are for the panel
    assignment = claim_seat(cast.annotator, pilot, now=NOW)
    rate_everything(assignment, now=NOW, option=1)
    write(assignment, "I wrote this in the pilot.")
    assert build_report(cast.study, now=NOW).negative_texts == []


def test_texts_cost_no_query(cast: Cast, negative: Assignment):
    counts = []
    for number in range(3):
        write(negative, f"Text number {number}.", criterion__key="correctness")
        with CaptureQueriesContext(connection) as queries:
            report = build_report(cast.study, now=NOW)
        counts.append(len(queries))
        assert len(report.negative_texts) == number + 1
    assert len(set(counts)) == 1


# --- files and page ------------------------------------------------------------------------------------
def test_the_texts_are_in_every_file_but_latex(cast: Cast, negative: Assignment):
    write(negative, "=HYPERLINK(1)", criterion__key="correctness")
    report = build_report(cast.study, now=NOW)
    (row,) = csv.DictReader(io.StringIO(as_csv(report, "negative_texts")))
    assert (row["text"], row["role"], row["annotator"]) == ("'=HYPERLINK(1)", "negative", cast.annotator.pseudonym)
    assert '"text": "=HYPERLINK(1)"' in as_json(report)
    with ZipFile(BytesIO(as_xlsx(report))) as book:
        assert "=HYPERLINK(1)" in book.read("xl/sharedStrings.xml").decode()
    text = as_latex(report)
    assert "HYPERLINK" not in text
    assert r"Correctness & 6 & 1 & 16.67~\% & 100.00~\% & 0 \\" in text


def test_the_page_shows_texts_escaped_and_no_account_name(cast: Cast, negative: Assignment, client: Client):
    write(negative, "<script>alert(1)</script>", criterion__key="correctness")
    client.force_login(cast.observer)
    page = client.get(reverse("report", args=[cast.study.slug])).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    assert cast.annotator.user.username not in page.replace(cast.annotator.pseudonym, "")


def test_a_study_without_negative_options_has_no_such_part(scale_study: Study, client: Client):
    report = build_report(scale_study, now=NOW)
    assert report.negatives == report.negatives_by_source == report.negative_texts == []
    assert r"\label{tab:negatives}" not in as_latex(report)
