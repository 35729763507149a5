"""What a report says of how its study was conducted: who was accepted by which rule, and batch acceptance."""

import csv
import io
import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Study
from annotation.services.claiming import claim_seat
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import AcceptancePlan, Qualification, Sample, SampledItem
from qualification.qualifying.services.results import sweep_attempts
from reporting.record.acceptance_words import acceptance_lines, plan_lines
from reporting.record.qualifying_words import qualification_lines
from reporting.record.record import study_record_of
from reporting.report.build import build_report
from reporting.report.checklist import Entry
from reporting.report.downloads import as_csv
from reporting.report.frames import TABLES
from reporting.report.latex import as_latex
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import make_annotator, make_batch
from tests.qualification.acceptance.conftest import AcceptanceStudy, make_acceptance
from tests.qualification.acceptance.factories import PlanFactory
from tests.qualification.qualifying.factories import (
    QualificationFactory,
    finish,
    like,
    make_candidate,
    make_qualifying_study,
    mostly,
)
from tests.reporting.board.explained import read_board
from tests.reporting.record.conducted import LABELS, acceptance_batches, make_conducted
from tests.working import rate_everything

pytestmark = [pytest.mark.django_db, pytest.mark.own_cast]


@pytest.fixture
def acceptance() -> AcceptanceStudy:
    made = make_acceptance(kind="fixed", n_sample=6, most_errors=1)
    acceptance_batches(made)
    return made


def row_of(study: Study, key: str) -> Entry:
    return next(row for row in build_report(Study.objects.get(pk=study.pk), now=NOW).checklist if row.key == key)


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.content.decode()))


# --- the acceptance rule ------------------------------------------------------------------------
def test_the_rule_of_the_qualification_fills_its_row_with_threshold_panel_and_numbers():
    study, batch = make_qualifying_study(threshold_from="panel", most_attempts=2)
    for name, answer in (("good", like(0)), ("bad", lambda at, criterion: 1 - like(0)(at, criterion))):
        finish(make_candidate(study, name), batch, answer)
    sweep_attempts(now=NOW)
    row = row_of(study, "qualification_rule")
    (rule,) = row.value["rules"]
    assert row.status == "known"
    assert (row.value["tried"], row.value["passed"], row.value["failed"]) == (2, 1, 1)
    assert rule["attempts"] == 2
    assert rule["used_low"] == rule["used_high"] > 0
    text = " ".join(row.lines)
    assert "Rule: Fleiss' kappa of the panel and the candidate, over all criteria together, by the value" in text
    assert "passed strictly above the threshold." in text
    assert f"Threshold: the panel's own kappa, {rule['used_low']:.3f}." in text
    assert "Compared with the panel, which rated the pilot: non-experts. Attempts allowed: 2. Panel members: 3." in text
    assert "People who tried: 2; passed: 1, failed: 1, undecided: 0, not decided yet: 0." in text


def test_a_rule_that_has_decided_is_told_as_it_stood_then():
    study, batch = make_qualifying_study()
    finish(make_candidate(study), batch, mostly(like(0), 4))
    sweep_attempts(now=NOW)
    Qualification.objects.update(method="gold", threshold_from="fixed", threshold=0.8)
    study.has_qualification = False
    study.save()
    (rule,) = row_of(study, "qualification_rule").value["rules"]
    assert (rule["method"], rule["threshold_from"]) == ("panel_kappa", "panel")


def test_several_rules_are_told_one_after_the_other_with_what_each_decided():
    lines = qualification_lines(study_record_of(make_conducted()).qualification)
    assert [line for line in lines if line.startswith("Threshold")] == [
        "Threshold: the panel's own kappa, from 0.213 to 0.238.",
        "Threshold: the fixed value 0.30.",
    ]
    assert [line for line in lines if line.startswith("Attempts decided by")] == [
        "Attempts decided by this rule: 2.",
        "Attempts decided by this rule: 3.",
    ]
    assert "People who tried: 4; passed: 3, failed: 1, undecided: 0, not decided yet: 0." in lines
    assert "Qualification results overridden by a team lead: 1." in lines


def test_a_qualification_that_nobody_has_tried_tells_its_rule(cast: Cast):
    QualificationFactory(study=cast.study, is_trained=True, has_comprehension_check=True)
    Study.objects.update(has_qualification=True)
    lines = row_of(cast.study, "qualification_rule").lines
    assert "Threshold: the panel's own kappa, which has not been applied to anybody yet." in lines
    assert "Newcomers first rate training batches with explanations before they qualify." in lines
    assert "Newcomers first answer questions about the guidelines, all of them correctly within 2 tries." in lines


def test_without_a_qualification_people_were_cleared_by_hand_unless_the_invitation_did(cast: Cast):
    assert row_of(cast.study, "qualification_rule").lines == [
        "A member of the team cleared annotators by hand, without a rule."
    ]
    Study.objects.update(is_clearing_on_join=True)
    row = row_of(cast.study, "qualification_rule")
    assert (row.status, row.value) == ("missing", None)
    assert row.lines == [
        "State the rule by which annotators were accepted, with its threshold.",
        "State it in the datasheet: question 3.3.3.2 or D5.",
    ]


def test_methods_and_datasheet_name_the_rule():
    study, batch = make_qualifying_study()
    finish(make_candidate(study), batch, like(0))
    sweep_attempts(now=NOW)
    report = build_report(study, now=NOW)
    found = {row.number: row.answer for row in report.datasheet}
    assert ("Annotators rate only after they have qualified by a rule.\nRule: Fleiss' kappa of the panel") in found[
        "3.3.3.2"
    ]
    assert "cleared them" not in found["3.3.3.2"]
    main = make_batch(study, key="main", position=7)
    rate_everything(claim_seat(make_annotator(study, "rater"), main, now=NOW), now=NOW)
    text = " ".join(build_report(study, now=NOW).methods)
    rule = "Fleiss' kappa of the panel and the candidate, over all criteria together;"
    assert f"Annotators had to pass a qualification ({rule}" in text
    assert "Of 1 people who tried, 1 passed." in text


# --- batch acceptance --------------------------------------------------------------------------------
def test_the_report_has_decisions_rounds_agreement_and_rework(acceptance: AcceptanceStudy):
    found = build_report(acceptance.cast.study, now=NOW).acceptance
    assert {name: found[name] for name in ("batches", "decisions", "accepted", "returned", "not_assessable")} == {
        "batches": 2, "decisions": 3, "accepted": 2, "returned": 1, "not_assessable": 0,
    }  # fmt: skip
    assert (found["first_pass"], found["first_rounds"], found["first_pass_yield"]) == (1, 2, 0.5)
    assert (found["first_pass_low"], found["first_pass_high"]) == pytest.approx((0.0945, 0.9055), abs=1e-4)
    assert found["rounds"] == [{"rounds": 1, "batches": 1}, {"rounds": 2, "batches": 1}]
    assert (found["mean_rounds"], found["more_than_one"], found["rework_hours"]) == (1.5, 0.5, 0.2)
    assert (found["kappa"], found["kappa_items"], found["kappa_note"]) == (pytest.approx(0.75), 6, "too_few_items")
    (plan,) = found["plans"]
    assert (plan["kind"], plan["n_sample"], plan["most_errors"], plan["decisions"]) == ("fixed", 6, 1, 3)


def test_a_study_whose_only_batch_was_returned_reports_its_yield_and_rounds(client: Client):
    acceptance = make_acceptance(kind="fixed", n_sample=6, most_errors=1)
    acceptance.review(acceptance.draw(acceptance.finish("worse", LABELS)), LABELS[::-1])
    client.force_login(acceptance.cast.lead)
    page = text_of(client.get(reverse("report", args=[acceptance.cast.study.slug])))
    assert "There are no ratings yet" not in page
    assert "No answer counts at the moment" in page
    assert "First-pass yield 0 of 1 batches; Wilson interval" in page
    assert "Decided rounds per batch Batches that are being rated again are included. 1.00" in page
    report = build_report(acceptance.cast.study, now=NOW)
    assert (report.n_ratings, report.acceptance["first_pass_yield"]) == (0, 0.0)
    assert "Decided rounds per batch" in as_latex(report)
    for name in ("report_html", "report_json", "report_xlsx"):
        assert client.get(reverse(name, args=[acceptance.cast.study.slug])).status_code == 200


def test_each_returned_round_adds_to_the_rework(acceptance: AcceptanceStudy):
    study = acceptance.cast.study
    assert build_report(study, now=NOW).acceptance["rework_hours"] == 0.2
    batch = acceptance.finish("worse", LABELS, active_ms=30_000)
    acceptance.review(acceptance.draw(batch), LABELS[::-1])
    assert build_report(study, now=NOW).acceptance["rework_hours"] == pytest.approx(0.3)


def test_a_decision_of_a_lead_counts_and_is_told(acceptance: AcceptanceStudy):
    found = Sample.objects.get(decision="return")
    Sample.objects.filter(pk=found.pk).update(overridden_to="accept", override_reason="Good enough.")
    report = build_report(acceptance.cast.study, now=NOW).acceptance
    assert (report["accepted"], report["returned"], report["overridden"]) == (3, 0, 1)
    assert report["first_pass_yield"] == 1.0


def test_each_plan_that_decided_is_told_as_it_stood(acceptance: AcceptanceStudy):
    AcceptancePlan.objects.update(kind="sequential", good=0.9, bad=0.5, is_blind=False)
    batch = acceptance.finish("late", LABELS * 4)
    acceptance.review(acceptance.draw(batch), LABELS * 4)
    plans = plan_lines(build_report(acceptance.cast.study, now=NOW).acceptance, {"score": "Score"})
    assert len(plans) == 2
    assert plans[0].startswith(
        "6 items are drawn. A batch is accepted with at most 1 error. Controllers review the answer to: Score."
    )
    assert plans[0].endswith("Decisions under this plan: 3.")
    assert "Controllers see the label. Decisions under this plan: 1." in plans[1]


def test_what_is_not_known_yet_is_a_dash_with_its_reason(cast: Cast):
    PlanFactory(study=cast.study)
    found = build_report(cast.study, now=NOW).acceptance
    lines = {line.key: line for line in acceptance_lines(found)}
    assert (lines["yield"].value, lines["rounds"].value, lines["more"].value, lines["kappa"].value) == ("–",) * 4
    assert lines["kappa"].notes == ("Undefined: no item was reviewed by two controllers.",)
    assert lines["yield"].notes == ("No first round has been accepted or returned yet.",)
    json.dumps(found, allow_nan=False)


def test_controllers_who_always_gave_one_answer_have_no_kappa(acceptance: AcceptanceStudy):
    batch = acceptance.finish("alike", ["1"] * 6)
    found = acceptance.review(acceptance.draw(batch), ["1"] * 6)
    SampledItem.objects.exclude(sample=found).update(second_label=None)
    for each in SampledItem.objects.filter(sample=found):
        SampledItem.objects.filter(pk=each.pk).update(second_label=each.controller_label)
    report = build_report(acceptance.cast.study, now=NOW).acceptance
    assert (report["kappa"], report["kappa_reason"], report["kappa_items"]) == (None, "no_variation", 6)
    notes = {line.key: line.notes for line in acceptance_lines(report)}["kappa"]
    assert notes[0].startswith("Undefined: everybody gave the same answer")


def test_a_study_without_acceptance_has_nothing_of_it_anywhere(cast: Cast, client: Client):
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW)
    PlanFactory(study=cast.study, is_on=False)
    report = build_report(cast.study, now=NOW)
    assert report.acceptance is None
    assert TABLES["acceptance"].frame(report).empty
    assert "tab:acceptance" not in as_latex(report)
    client.force_login(cast.lead)
    for route in ("report", "board"):
        html = client.get(reverse(route, args=[cast.study.slug])).content.decode()
        assert 'id="t-acceptance"' not in html
        assert "First-pass yield" not in html


@pytest.mark.parametrize("route", ["report", "report_html"])
def test_page_and_print_have_the_section(acceptance: AcceptanceStudy, client: Client, route: str):
    acceptance.cast.study.batches.filter(kind="main").update(ratings_version=1)
    client.force_login(acceptance.cast.observer)
    html = client.get(reverse(route, args=[acceptance.cast.study.slug])).content.decode()
    assert '<h3 id="t-acceptance">Batch acceptance</h3>' in html
    assert "6 items are drawn. A batch is accepted with at most 1 error." in html
    assert "1 of 2 batches; Wilson interval 9.5\u00a0% to 90.5\u00a0%." in html
    assert "Accepted batches by number of rounds: 1 in 1, 1 in 2." in html


def test_tables_latex_and_methods_have_it_in_english(acceptance: AcceptanceStudy):
    acceptance.cast.study.batches.filter(kind="main").update(ratings_version=1)
    report = build_report(acceptance.cast.study, now=NOW)
    rows = list(csv.DictReader(io.StringIO(as_csv(report, "acceptance"))))
    assert {"figure": "first_pass_yield", "part": "", "value": "0.5"} in rows
    assert {"figure": "rounds", "part": "2", "value": "1"} in rows
    assert {"figure": "plan 1", "part": "most_errors", "value": "1"} in rows
    assert len(TABLES["acceptance"].frame(report)) == len(rows)
    text = as_latex(report)
    assert r"\label{tab:acceptance}" in text
    assert "Needed more than one round & 50.0~\\%" in text
    methods = " ".join(report.methods)
    assert "Controllers reviewed samples of finished batches (criteria: Score). 6 items are drawn." in methods
    assert "The first-pass yield was 50.0\u00a0%: 1 of 2 batches;" in methods
    sheet = {row.number: row.answer for row in report.datasheet}
    assert "6 items are drawn." in sheet["3.3.3.2"]


# --- on the board ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("route", ["board", "board_quality"])
def test_each_number_of_acceptance_on_the_board_explains_itself(
    acceptance: AcceptanceStudy, client: Client, route: str
):
    client.force_login(acceptance.cast.lead)
    html = client.get(reverse(route, args=[acceptance.cast.study.slug])).content.decode()
    board = read_board(html)
    found = {button.described_by: button for button in board.buttons if button.described_by.startswith("wacceptance-")}
    assert [button.text for button in found.values()] == [
        "2", "50.0\u00a0%", "1.50", "1.50", "50.0\u00a0%", "0.2 h", "0.75",
    ]  # fmt: skip
    assert board.loose == []
    whys = {name.removeprefix("wacceptance-"): board.why(button).splitlines() for name, button in found.items()}
    assert all(len(lines) >= 2 for lines in whys.values())
    assert "1 of 2 batches; Wilson interval 9.5\u00a0% to 90.5\u00a0%." in whys["yield"]
    assert {"Accepted: 2.", "Returned: 1.", "Not assessable: 0."} <= set(whys["batches"])
    assert "No interval and no colour: fewer than 10 items have two or more answers." in whys["kappa"]


def test_a_plan_without_decisions_is_shown_with_dashes_that_say_why(cast: Cast, client: Client):
    PlanFactory(study=cast.study)
    client.force_login(cast.lead)
    board = read_board(client.get(reverse("board", args=[cast.study.slug])).content.decode())
    found = [button for button in board.buttons if button.described_by.startswith("wacceptance-")]
    assert [button.text for button in found] == ["0", "–", "–", "–", "–", "0.0 h", "–"]
    assert "No first round has been accepted or returned yet." in board.why(found[1])
    assert board.loose == []


def test_the_study_record_is_read_in_as_many_queries_for_more_of_everything(acceptance: AcceptanceStudy):
    study = Study.objects.select_related("protocol_version__protocol").get(pk=acceptance.cast.study.pk)
    study_record_of(study)  # what rework took is kept until more is returned
    counts = []
    for at in range(2):
        with CaptureQueriesContext(connection) as queries:
            study_record_of(study)
        counts.append(len(queries))
        batch = acceptance.finish(f"more-{at}", LABELS)
        acceptance.review(acceptance.draw(batch), LABELS)
        sweep_acceptance(now=NOW)
    assert counts[0] == counts[1] <= 25
