"""The human-evaluation datasheet: its questions, what the database answers, and what people write over it."""

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from annotation.models import ActivityLog, Assignment, DatasheetAnswer, Rating, Study
from annotation.services.agreement import rebuild_study
from annotation.services.datasheet import LONGEST_ANSWER, save_answer
from annotation.services.refusals import Refused
from reporting.datasheet.build import FACTS, as_json, as_markdown, by_section, counts_of
from reporting.datasheet.choices import PICKS
from reporting.datasheet.standards import HEDS2, HEDS3, STANDARDS
from reporting.report.build import build_report
from reporting.study.plain import plain
from tests.cast import Cast
from tests.comparing import make_compared
from tests.factories import StudyFactory, make_batch
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, publish
from tests.reporting.datasheet.conftest import sheet_of

pytestmark = pytest.mark.django_db
NOW = timezone.now()
# How many questions each part of HEDS 2.0 has.
SIZES = {"1": 3, "2": 5, "3.1": 3, "3.2": 5, "3.3": 8, "4.1": 3, "4.2": 3, "4.3": 11, "5": 4}
N_QUESTIONS = 62  # of HEDS 3.0


def lines_of(study: Study, number: str) -> list[str]:
    return sheet_of(study)[number].text.splitlines()


# --- the questions -------------------------------------------------------------------------------------
def test_the_numbers_are_those_of_the_published_sheet():
    wanted = [f"{section}.{at}" for section, size in SIZES.items() for at in range(1, size + 1)]
    assert [question.number for question in HEDS2.questions] == wanted
    assert list(HEDS2.sections) == list(SIZES)


def test_every_fact_answers_a_question_and_every_question_says_what_to_write():
    questions = [question for standard in STANDARDS.values() for question in standard.questions]
    assert {question.fact for question in questions if question.fact} == set(FACTS)
    assert {question.pick for question in questions if question.pick} == set(PICKS)
    assert all(question.text and question.to_do for question in questions if question.fact != "planned_votes")
    assert not [each.number for each in questions if each.to_add and not (each.fact or each.pick)]


# --- what the database answers ---------------------------------------------------------------------------
def test_the_sheet_of_the_reference_study_is_filled_where_the_database_knows(he_report):
    found = {row.number: row for row in he_report.datasheet}
    assert list(found) == [question.number for question in HEDS3.questions]
    assert found["3.1.1"].answer.splitlines()[0] == "ground_truth: 42"
    assert found["3.2.1"].answer == str(he_report.n_annotators)
    assert found["4.3.1.1"].answer.splitlines()[:-1] == [row.name for row in he_report.criteria]
    assert set(plain(he_report.datasheet[0])) == {"number", "question", "answer", "origin"}
    assert {row.origin for row in he_report.datasheet} == {"database", "missing"}
    assert all((row.answer is None) == (row.origin == "missing") for row in he_report.datasheet)


def test_what_only_people_know_is_missing(rated: Study):
    missing = {number for number, answer in sheet_of(rated).items() if answer.origin == "missing"}
    only_people_know = {question.number for question in HEDS2.questions if not question.fact}
    assert missing == only_people_know | {"3.2.2", "3.2.3"}  # the settings name neither pay nor platform


def test_pay_and_platform_answer_in_part(rated: Study):
    Study.objects.filter(pk=rated.pk).update(platform="Prolific", pay_amount="4.67", pay_currency="GBP")
    found = sheet_of(rated)
    assert found["3.2.2"].text == "Paid: 4.67 GBP per batch."
    assert found["3.2.3"].text == "From Prolific."
    assert {found[number].origin for number in ("3.2.2", "3.2.3")} == {"database"}
    assert "experts" in found["3.2.2"].hint


def test_numbers_are_those_of_the_report(rated: Study):
    report, found = build_report(rated, now=NOW), sheet_of(rated)
    assert found["3.2.1"].text == str(report.n_annotators) == "3"
    assert [line.rpartition(": ")[2] for line in found["3.1.1"].text.splitlines()] == ["2", "2", "2"]
    kappa = next(row.fleiss_kappa for row in report.agreement_overall if row.criterion == "listening")
    assert f"Listening: Fleiss' kappa {kappa:.2f}".replace("-", "−") in found["4.3.11"].text
    assert "seed 7" in found["3.1.2"].text


def test_section_four_has_a_line_for_each_criterion(rated: Study):
    names = [criterion.name for criterion in rated.protocol_version.criteria.all()]
    for number in ("4.2.1", "4.2.2", "4.2.3", "4.3.2", "4.3.3", "4.3.4", "4.3.5", "4.3.7", "4.3.8"):
        assert [line.partition(":")[0] for line in lines_of(rated, number)] == names
    assert lines_of(rated, "4.3.3")[0] == f"{names[0]}: 3"
    question = rated.protocol_version.criteria.all()[0].question
    assert lines_of(rated, "4.3.7")[0] == f"{names[0]}: {question}"


def test_what_was_rated_elsewhere_is_not_described_by_our_own_screen(rated: Study):
    Assignment.objects.filter(batch__study=rated).update(is_imported=True)
    found = sheet_of(rated)
    for number in ("3.2.4", "3.3.2", "3.3.3", "3.3.4", "3.3.5", "3.3.6"):
        assert found[number].origin == "missing"
        assert "imported" in found[number].hint
    assert found["3.2.1"].text == "3"


def test_a_sheet_can_be_filled_before_anybody_rates(cast: Cast):
    found = sheet_of(cast.study)
    assert {found[number].origin for number in ("3.1.1", "3.1.2", "3.2.1", "4.3.10", "4.3.11")} == {"missing"}
    assert {found[number].origin for number in ("3.3.4", "3.3.5", "4.3.7")} == {"database"}


def test_other_kinds_of_batches_and_excluded_people_are_told(rated: Study, cast: Cast):
    make_batch(rated, key="try-out", kind="pilot")
    cast.annotators[2].status = "excluded"
    cast.annotators[2].save()
    quality = lines_of(rated, "3.3.3")
    assert "Left out of all results: Pilot, batches: 1, items: 0, answers: 0." in quality
    assert quality[-1] == "Annotators whose answers were excluded: 1."


def test_the_consent_text_and_how_many_agreed_are_told(rated: Study, cast: Cast):
    Study.objects.filter(pk=rated.pk).update(consent_text="I take part\nof my own will.", consent_version="2")
    cast.annotator.consented_at = NOW
    cast.annotator.save()
    text = sheet_of(rated)["5.2"].text
    assert "1 of 3 annotators have agreed to the consent text (version 2)." in text
    assert "Consent text: I take part of my own will." in text


def test_a_protocol_without_guidelines_or_remarks_is_not_taken_for_an_imported_study(cast: Cast):
    version = VersionFactory(guidelines="", guidelines_short="", feedback_box=False, order="set_level")
    OptionFactory(criterion=CriterionFactory(version=version, name="Fluency"))
    study = StudyFactory(protocol_version=publish(version))
    make_batch(study)
    found = sheet_of(study)
    assert found["3.2.4"].text == "No guidelines and no training batches: only the questions."
    assert found["3.3.6"].text == "Evaluators are not asked for remarks."
    assert found["4.2.2"].text == "Fluency: absolute, although outputs of several systems are shown on one page"


def test_a_scale_is_reported_by_its_means(scale_study: Study):
    assert all("mean, standard deviation and median" in line for line in lines_of(scale_study, "4.3.9")[:2])


def test_answers_are_in_the_language_of_the_reader_and_those_of_the_report_in_english(rated: Study):
    make_batch(rated, key="try-out", kind="pilot")
    wanted = "Left out of all results: Pilot"
    with override("it"):
        assert wanted not in sheet_of(rated)["3.3.3"].text
        found = {row.number: row for row in build_report(rated, now=NOW).datasheet}
    assert wanted in found["3.3.3.2"].answer
    assert [row.question for row in found.values()] == [question.text for question in HEDS3.questions]


# --- what people write -----------------------------------------------------------------------------------
def test_a_written_answer_takes_the_place_of_the_automatic_one_until_it_is_emptied(rated: Study, cast: Cast):
    save_answer(rated, "3.2.1", "Three students.", by=cast.researcher, now=NOW)
    answer = sheet_of(rated)["3.2.1"]
    assert (answer.text, answer.origin, answer.author) == ("Three students.", "written", "researcher")
    assert (answer.automatic, answer.at, answer.hint) == ("3", NOW, "")
    save_answer(rated, "3.2.1", "  \r\n ", by=cast.researcher, now=NOW)
    assert (sheet_of(rated)["3.2.1"].text, DatasheetAnswer.objects.count()) == ("3", 0)


def test_a_second_answer_replaces_the_first_and_names_its_author(rated: Study, cast: Cast):
    save_answer(rated, "1.1", "For preregistration.", by=cast.researcher, now=NOW)
    later = NOW + timedelta(days=1)
    save_answer(rated, "1.1", "https://example.org/paper\r\nExperiment 2", by=cast.owner, now=later)
    (row,) = DatasheetAnswer.objects.all()
    assert (row.text, row.author, row.updated_at) == ("https://example.org/paper\nExperiment 2", cast.owner, later)


def test_every_change_is_logged_and_the_same_words_are_none(rated: Study, cast: Cast):
    for text in ("No.", "No.", "Yes.", ""):
        save_answer(rated, "5.1", text, by=cast.owner, now=NOW)
    log = (
        ActivityLog.objects.filter(study=rated)
        .order_by("pk")
        .values_list("actor__username", "verb", "object", "details")
    )
    assert list(log) == [("owner", "datasheet", "5.1", {"text": text}) for text in ("No.", "Yes.", "")]


def test_the_same_words_keep_their_author(rated: Study, cast: Cast):
    save_answer(rated, "5.1", "No.", by=cast.owner, now=NOW)
    save_answer(rated, "5.1", "No.\r\n", by=cast.researcher, now=NOW + timedelta(days=1))
    assert sheet_of(rated)["5.1"].author == "owner"


def test_an_endless_answer_is_refused(rated: Study, cast: Cast):
    with pytest.raises(Refused, match="longer than 10,000 characters"):
        save_answer(rated, "5.1", "x" * (LONGEST_ANSWER + 1), by=cast.owner, now=NOW)
    assert not ActivityLog.objects.filter(study=rated).exists()


def test_counts_tell_written_partial_and_missing_answers_apart(rated: Study, cast: Cast):
    before = counts_of(sheet_of(rated).values())
    save_answer(rated, "1.1", "For preregistration.", by=cast.owner, now=NOW)
    save_answer(rated, "2.1", "A dialogue and a persona.", by=cast.owner, now=NOW)
    after = counts_of(sheet_of(rated).values())
    assert (before["questions"], before["written"]) == (45, 0)
    assert before["answered"] + before["missing"] == 45
    changes = {name: after[name] - before[name] for name in before}
    assert changes == {"questions": 0, "answered": 1, "written": 2, "in_part": -1, "missing": -1}


# --- page ------------------------------------------------------------------------------------------------
@pytest.fixture
def page(rated: Study) -> str:
    return reverse("datasheet", args=[rated.slug])


def test_watchers_read_it_without_forms(page: str, cast: Cast, client: Client):
    client.force_login(cast.observer)
    text = client.get(page).text
    assert f"31 of {N_QUESTIONS} questions are answered." in re.sub(r"\s+", " ", text)
    assert text.count("<article") == N_QUESTIONS
    assert "<textarea" not in text


def test_makers_have_a_form_for_each_question_with_ids_of_its_own(page: str, cast: Cast, client: Client):
    client.force_login(cast.researcher)
    text = client.get(page).text
    assert text.count("<textarea") == N_QUESTIONS
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_saving_leads_back_to_the_question_and_shows_who_wrote_it(page: str, cast: Cast, client: Client):
    client.force_login(cast.researcher)
    answer = client.post(page, {"question": "1.1.2", "text": "See <b>the paper</b>."})
    assert (answer.status_code, answer["Location"]) == (302, f"{page}?standard=heds-3.0#q-1-1-2")
    text = client.get(page).text
    assert "See &lt;b&gt;the paper&lt;/b&gt;." in text
    assert "written by researcher on" in text


@pytest.mark.parametrize("role", ["observer", "lead", "controller"])
def test_those_who_only_watch_cannot_write(page: str, cast: Cast, client: Client, role: str):
    client.force_login(getattr(cast, role))
    assert client.post(page, {"question": "1.1.2", "text": "No."}).status_code == 403
    assert not DatasheetAnswer.objects.exists()


@pytest.mark.parametrize(
    ("question", "text", "options"),
    [
        ("1.1.2", "x" * (LONGEST_ANSWER + 1), ""),
        ("1.1.2", "a\x00b", ""),
        ("3.2.2.1", "x", "4"),
        ("3.2.2.1", "x" * LONGEST_ANSWER, "1"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_and_nothing_is_saved(
    page: str, cast: Cast, client: Client, question: str, text: str, options: str
):
    client.force_login(cast.owner)
    answer = client.post(page, {"question": question, "text": text, "options": options})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert not DatasheetAnswer.objects.exists()
    assert "<details open>" in answer.text
    assert "field-error" in answer.text


@pytest.mark.parametrize("question", ["9.9", "1.1", ""])
def test_a_standard_has_no_questions_of_another(page: str, cast: Cast, client: Client, question: str):
    client.force_login(cast.owner)
    answer = client.post(page, {"question": question, "text": "x"})
    assert answer.status_code == 422
    assert "This question does not exist." in answer.text
    assert not DatasheetAnswer.objects.exists()


def test_there_is_no_other_standard(page: str, cast: Cast, client: Client):
    client.force_login(cast.owner)
    assert client.get(page, {"standard": "heds-4.0"}).status_code == 404


def test_the_log_of_the_study_says_who_answered(page: str, cast: Cast, client: Client):
    save_answer(cast.study, "5.1", "No.", by=cast.researcher, now=NOW)
    client.force_login(cast.owner)
    assert "Question 5.1 of the datasheet was answered" in client.get(reverse("activity", args=[cast.study.slug])).text


def test_the_report_leads_to_it_even_without_ratings(cast: Cast, client: Client):
    client.force_login(cast.lead)
    text = client.get(reverse("report", args=[cast.study.slug])).text
    assert f'href="{reverse("datasheet", args=[cast.study.slug])}"' in text
    assert f"of {N_QUESTIONS} questions answered" in text


def test_answers_and_batches_cost_no_query(page: str, cast: Cast, client: Client):
    client.force_login(cast.researcher)
    client.get(page)
    counts = []
    for number, question in enumerate(("1.1.2", "1.2", "5.1")):
        save_answer(cast.study, question, "Words.", by=cast.owner, now=NOW)
        make_batch(cast.study, key=f"extra-{number}", position=number + 1)
        with CaptureQueriesContext(connection) as queries:
            client.get(page)
        counts.append(len(queries))
    assert len(set(counts)) == 1


# --- files -----------------------------------------------------------------------------------------------
def test_the_json_has_each_answer_with_its_origin_and_author(page: str, cast: Cast, client: Client):
    save_answer(cast.study, "5.1", "No.", by=cast.researcher, now=NOW)
    client.force_login(cast.observer)
    answer = client.get(reverse("datasheet_json", args=[cast.study.slug]))
    assert f'filename="{cast.study.slug}-heds-3.0.json"' in answer["Content-Disposition"]
    document = json.loads(answer.text)
    found = {row["number"]: row for row in document["answers"]}
    assert len(found) == document["counts"]["questions"] == N_QUESTIONS
    written = {name: found["5.1"][name] for name in ("answer", "origin", "author", "written_at", "to_add")}
    assert written == {
        "answer": "No.",
        "origin": "written",
        "author": "researcher",
        "written_at": NOW.isoformat(),
        "to_add": None,
    }
    assert (found["5.4"]["answer"], found["5.4"]["origin"]) == (None, "missing")
    assert found["5.4"]["to_add"]


def test_the_markdown_has_a_heading_for_each_question_and_no_answer_can_add_one(rated: Study, cast: Cast):
    save_answer(rated, "5.1", "# No\n\n## <script>alert(1)</script>", by=cast.researcher, now=NOW)
    text = as_markdown(rated, HEDS2, list(sheet_of(rated).values()), now=NOW)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert len(headings) == 1 + len(HEDS2.sections) + len(HEDS2.questions)
    assert "> ## &lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert f"*Written by researcher on {NOW.date().isoformat()}.*" in text
    assert "*Missing.* Give links" in text
    assert "*Partly from the database.* Say what else" in text


def test_the_markdown_is_a_file_in_english_whatever_the_page_speaks(page: str, cast: Cast, client: Client):
    client.force_login(cast.observer)
    client.cookies["django_language"] = "it"
    answer = client.get(reverse("datasheet_markdown", args=[cast.study.slug]))
    assert answer["Content-Type"].startswith("text/markdown")
    assert answer.text.startswith("# Human-evaluation datasheet: Wellbeing dialogues\n")
    assert "*From the database.*" in answer.text


def test_sections_hold_every_answer_once(rated: Study):
    answers = list(sheet_of(rated).values())
    assert [each for _, _, part in by_section(HEDS2, answers) for each in part] == answers
    assert json.loads(as_json(rated, HEDS2, answers, now=NOW))["study"] == rated.slug


@pytest.mark.parametrize(("imported", "is_drawn", "is_not_kept"), [(0, True, False), (1, True, True), (3, False, True)])
def test_sides_are_said_to_be_drawn_only_for_answers_given_in_parley(imported: int, is_drawn: bool, is_not_kept: bool):
    study = make_compared()
    people = study.participants.order_by("pk").values_list("pk", flat=True)[:imported]
    Rating.objects.filter(assignment__participant__in=list(people)).update(is_swapped=None)
    rebuild_study(study, now=NOW)
    said = " ".join(line for number in sheet_of(study) for line in lines_of(study, number))
    assert ("the side of each source was drawn for each annotator" in said) == is_drawn
    assert ("The sides of imported preferences are not known where their file does not say" in said) == is_not_kept
    assert "The pairs of a batch are shown in an order that is drawn for each annotator." in said
