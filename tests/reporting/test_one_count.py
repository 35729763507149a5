"""Answers and items are counted alike on every page, and as the exported file has them."""

import csv
import io
import re
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import AgreementSnapshot, Assignment, Study
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from protocols.answers import Given
from reporting.exports.formats import write_export
from reporting.report.build import build_report
from reporting.report.methods import methods
from tests.annotation.work_pages import answer_all, sign_in
from tests.comparing import make_compared
from tests.factories import MembershipFactory, make_annotator
from tests.optional import make_sheet_batch
from tests.sittings import AT_THE_END, TURNS, begin_conversation
from tests.working import record

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def tick_all_that_apply() -> Study:
    """Two people: one ticks two behaviours of each response, one says that none applies."""
    batch = make_sheet_batch(3)
    for number, codes in enumerate((("1", "3"), ())):
        work = claim_seat(make_annotator(batch.study, f"ann-{number}"), batch, now=NOW)
        for item in batch.items.all():
            say(work, item.token, "behaviours", Given(options=codes))
            say(work, item.token, "tone", Given(option="1") if codes else Given())
    return measured(work)


def say(work: Assignment, token: object, criterion: str, given: Given) -> None:
    record(work, Submission(token, criterion, given, uuid4()), now=NOW)


def ask_about_the_whole() -> Study:
    """Behaviours of three responses, then two items of seven points about the whole."""
    work = begin_conversation(AT_THE_END, whole=TURNS)
    answer_all(sign_in(work.participant.user), work)
    return measured(work)


def measured(work: Assignment) -> Study:
    refresh_batch(work.batch_id, now=NOW)
    return work.batch.study


@pytest.fixture(params=[tick_all_that_apply, make_compared, ask_about_the_whole], ids=["ticked", "compared", "whole"])
def study(request: pytest.FixtureRequest) -> Study:
    return request.param()


def counted_rows(study: Study) -> list[dict[str, str]]:
    """The rows of the exported file whose column is_counted is true."""
    file = io.BytesIO()
    write_export(study, "long-csv", {}, file)
    rows = csv.DictReader(io.StringIO(file.getvalue().decode("utf-8-sig"), newline=""))
    return [row for row in rows if row["is_counted"] == "true"]


def page_of(study: Study, name: str) -> str:
    text = sign_in(MembershipFactory(study=study, role="owner").user).get(reverse(name, args=[study.slug])).text
    return re.sub(r"\s+", " ", text)


def test_the_report_counts_the_answers_and_items_of_the_exported_file(study: Study):
    rows, page = counted_rows(study), page_of(study, "report")
    items = {row["item_token"] for row in rows}
    facts = dict(re.findall(r"<div><dt>(\w+)</dt><dd>(\d+)", page.split('id="t-facts"')[1].split("</section>")[0]))
    assert (facts["Answers"], facts["Items"]) == (str(len(rows)), str(len(items)))
    batches = page.split('id="t-batches"')[1].split("</table>")[0]
    assert re.findall(r'<td class="number">(\d+)</td>', batches)[:2] == [str(len(items)), str(len(rows))]
    checklist = re.search(r"Items: (\d+), dialogues: \d+, sources: (\d+)\.", page)
    assert checklist is not None
    assert checklist.groups() == (facts["Items"], facts["Sources"])
    sources = {row[name] for row in rows for name in ("source", "first_source", "second_source")} - {""}
    assert facts["Sources"] == str(len(sources))
    assert "The exported file has a row for each" in page


def test_the_methods_and_the_workload_have_the_same_number(study: Study):
    n, report = len(counted_rows(study)), build_report(study, now=NOW)
    assert f"gave {n} answers" in " ".join(methods(report))
    assert sum(row.judgements for row in report.workload) == n


def test_the_board_counts_the_same_answers_and_says_what_one_is(study: Study):
    n, page = len(counted_rows(study)), page_of(study, "board")
    wanted = AgreementSnapshot.objects.get(study=study, batch=None).n_wanted
    assert f"{n} of {wanted} answers" in page
    assert "An answer is what one annotator gave to one question about one item" in page


def test_every_asked_question_is_needed_from_every_seat():
    study = tick_all_that_apply()
    total = AgreementSnapshot.objects.get(study=study, batch=None)
    assert (total.n_ratings, total.n_wanted) == (2 * 3 * 2, 2 * 3 * 3), "nobody has marked turns yet"
