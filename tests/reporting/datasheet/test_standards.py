"""The reporting standards as data: their numbers, how an answer counts in several, and the options of HEDS 3.0."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import DatasheetAnswer, Study
from annotation.services.datasheet import save_answer
from reporting.datasheet.build import Answer, counts_of, datasheet
from reporting.datasheet.choices import chosen
from reporting.datasheet.question import Kind, Standard
from reporting.datasheet.standards import DEFAULT, HEDS2, HEDS3, STANDARDS, TWENTY
from reporting.report.build import open_report
from reporting.study.facts import people_of
from tests.cast import Cast

pytestmark = pytest.mark.django_db
NOW = timezone.now()
# The numbers of HEDS 3.0 in its form. One with parts is split into as many.
PARTS_3 = {
    "1.1": 2, "1.2": 0, "1.3.1": 3, "1.3.2": 3,
    "2.1": 0, "2.2": 0, "2.3": 0, "2.4": 0, "2.5": 0,
    "3.1.1": 0, "3.1.2": 0, "3.1.3": 3,
    "3.2.1": 0, "3.2.2": 4, "3.2.3": 0, "3.2.4": 0, "3.2.5": 0,
    "3.3.1": 0, "3.3.2": 0, "3.3.3": 2, "3.3.4": 2, "3.3.5": 0, "3.3.6": 0, "3.3.7": 0, "3.3.8": 0,
    "4.1.1": 0, "4.1.2": 0, "4.1.3": 0, "4.2.1": 0, "4.2.2": 0, "4.2.3": 0,
    "4.3.1": 2, "4.3.2": 0, "4.3.3": 0, "4.3.4": 0, "4.3.5": 0, "4.3.6": 0, "4.3.7": 0, "4.3.8": 0, "4.3.9": 0,
    "4.3.10": 0, "4.3.11": 2, "4.3.12": 2,
    "5.1": 0, "5.2": 0, "5.3": 0, "5.4": 0,
}  # fmt: skip


def answers(study: Study, standard: Standard) -> dict[str, Answer]:
    found = datasheet(study, open_report(study, now=NOW), people_of(study), standard)
    return {each.number: each for each in found}


# --- the data --------------------------------------------------------------------------------------------
def test_the_numbers_of_heds_3_are_those_of_its_form():
    wanted = [
        number
        for stem, n in PARTS_3.items()
        for number in ([f"{stem}.{at}" for at in range(1, n + 1)] if n else [stem])
    ]
    assert [question.number for question in HEDS3.questions] == wanted
    assert DEFAULT is HEDS3


def test_there_are_twenty_criteria_4_on_the_task_9_on_the_design_and_7_on_the_analysis():
    sections = [TWENTY.section_of(question.number) for question in TWENTY.questions]
    assert (len(sections), sections.count("T"), sections.count("D"), sections.count("A")) == (20, 4, 9, 7)


def test_questions_of_the_two_versions_that_correspond_name_each_other():
    for one, other in ((HEDS2, HEDS3), (HEDS3, HEDS2)):
        for question in one.questions:
            assert all(question.number in other.question(number).related for number in question.related)
    numbers = {question.number for standard in (HEDS2, HEDS3) for question in standard.questions}
    assert {number for question in TWENTY.questions for number in question.related} <= numbers


def test_every_question_of_heds_3_has_an_element_of_its_own_and_options_if_it_is_a_choice():
    fields = [question.field for question in HEDS3.questions]
    assert len(set(fields)) == len(fields)
    assert all(bool(question.options) == (question.kind in {Kind.ONE, Kind.SEVERAL}) for question in HEDS3.questions)


# --- one answer, several standards -----------------------------------------------------------------------
def test_an_answer_written_for_heds_2_counts_in_3_where_questions_correspond(cast: Cast):
    save_answer(cast.study, "5.1", "Approved by the board.", by=cast.owner, now=NOW)
    save_answer(cast.study, "3.2.2", "Students, not paid.", by=cast.owner, now=NOW)
    found = answers(cast.study, HEDS3)
    assert (found["5.1"].text, found["5.1"].hint) == ("Approved by the board.", "")
    for number in ("3.2.2.1", "3.2.2.2", "3.2.2.3", "3.2.2.4"):
        assert (found[number].text, found[number].origin) == ("Students, not paid.", "written")
        assert found[number].hint == "Written for question 3.2.2: see whether it fits."


def test_an_answer_of_its_own_goes_before_one_for_another_version(cast: Cast):
    save_answer(cast.study, "3.2.2", "Students, not paid.", by=cast.owner, now=NOW)
    save_answer(cast.study, "3.2.2.1", "no", by=cast.researcher, now=NOW)
    found = answers(cast.study, HEDS3)["3.2.2.1"]
    assert (found.text, found.author, found.hint) == ("no", "researcher", "")


def test_answers_written_for_heds_3_count_together_in_2(cast: Cast):
    save_answer(cast.study, "3.2.2.1", "yes", by=cast.owner, now=NOW)
    save_answer(cast.study, "3.2.2.3", "no", by=cast.owner, now=NOW)
    found = answers(cast.study, HEDS2)["3.2.2"]
    assert found.written_for == ("3.2.2.1", "3.2.2.3")
    assert found.text.splitlines() == [
        "Are the evaluators experts in the domain? yes",
        "Did the authors know any of them before? no",
    ]


def test_some_parts_of_an_answer_do_not_make_it_answered(cast: Cast):
    save_answer(cast.study, "3.2.2.1", "no", by=cast.owner, now=NOW)
    before = counts_of(answers(cast.study, HEDS2).values())
    assert answers(cast.study, HEDS2)["3.2.2"].hint.endswith(
        "Not answered yet, in HEDS 3.0: question 3.2.2.2, 3.2.2.3, 3.2.2.4."
    )
    for number in ("3.2.2.2", "3.2.2.3", "3.2.2.4"):
        save_answer(cast.study, number, "no", by=cast.owner, now=NOW)
    after = counts_of(answers(cast.study, HEDS2).values())
    assert (after["answered"] - before["answered"], after["in_part"] - before["in_part"]) == (1, -1)


def test_an_answer_to_heds_counts_among_the_twenty(cast: Cast):
    assert answers(cast.study, TWENTY)["A2"].origin == "missing"
    save_answer(cast.study, "5.1", "Approved by the board.", by=cast.owner, now=NOW)
    assert answers(cast.study, TWENTY)["A2"].text == "Approved by the board."


def test_what_the_study_knows_is_in_both_versions(cast: Cast):
    Study.objects.filter(pk=cast.study.pk).update(pay_amount="4.67", pay_currency="GBP")
    cast.study.refresh_from_db()
    assert answers(cast.study, HEDS2)["3.2.2"].text == "Paid: 4.67 GBP per batch."
    assert answers(cast.study, HEDS3)["3.2.2.2"].text == "Paid: 4.67 GBP per batch."
    assert answers(cast.study, HEDS3)["3.3.3.1"].text == "automatic checks of quality"


# --- options ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("number", "text", "wanted"),
    [
        ("3.2.2.1", "No.", ([2], "")),
        ("3.2.2.1", "does not apply\nThey are the public.", ([3], "They are the public.")),
        ("5.2", "yes\nNames, which were removed.", ([2], "Names, which were removed.")),
        ("5.2", "We think not.", ([], "We think not.")),
        ("3.3.3.1", "none\nonly native speakers", ([1, 7], "")),
        ("3.2.2.1", "yes\nno", ([2], "")),
    ],
)
def test_a_line_that_is_the_name_of_an_option_chooses_it(number: str, text: str, wanted: tuple[list[int], str]):
    assert chosen(HEDS3.question(number), text) == wanted


def test_options_are_chosen_on_the_page_and_kept_as_words(cast: Cast, client: Client):
    client.force_login(cast.researcher)
    page = reverse("datasheet", args=[cast.study.slug])
    client.post(page, {"question": "3.3.3.1", "options": ["1", "3"], "text": "Two of us read all answers."})
    kept = DatasheetAnswer.objects.get()
    assert kept.text == "only native speakers\nchecks of quality by hand\nTwo of us read all answers."
    text = client.get(page).text
    assert re.findall(r'value="(\d)" id="q-3-3-3-1-options_\d" checked', text) == ["1", "3"]


def test_the_options_that_the_database_knows_are_ticked_before_anybody_writes(cast: Cast, client: Client):
    Study.objects.filter(pk=cast.study.pk).update(pay_amount="0", pay_currency="GBP")
    client.force_login(cast.researcher)
    text = client.get(reverse("datasheet", args=[cast.study.slug])).text
    assert re.findall(r'value="(\d)" id="q-3-2-2-2-options_\d" checked', text) == ["3"]
    assert re.findall(r'value="(\d)" id="q-3-2-2-1-options_\d" checked', text) == []


def test_each_standard_can_be_read_and_downloaded(cast: Cast, client: Client):
    client.force_login(cast.observer)
    for key, standard in STANDARDS.items():
        page = client.get(reverse("datasheet", args=[cast.study.slug]), {"standard": key}).text
        assert page.count("<article") == len(standard.questions)
        sheet = client.get(reverse("datasheet_json", args=[cast.study.slug]), {"standard": key})
        assert (sheet.json()["standard"], len(sheet.json()["answers"])) == (key, len(standard.questions))
        words = client.get(reverse("datasheet_markdown", args=[cast.study.slug]), {"standard": key}).text
        assert words.count("\n### ") == len(standard.questions)
