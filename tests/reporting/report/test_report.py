"""The study report: its rules and its files. The numbers of the reference study are in test_reference_study."""

import csv
import gzip
import io
import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from annotation.services.agreement import rebuild_study, sweep
from annotation.services.claiming import claim_seat, expire_leases, submit_assignment
from measures.histograms import Histogram
from protocols.specs import spec_of
from reporting.report.build import PARTS, build_report
from reporting.report.downloads import as_csv, as_json
from reporting.report.frames import TABLES
from reporting.study.plain import plain
from reporting.study.rules import positive_rows, tied_patterns
from tests.cast import Cast
from tests.factories import make_batch
from tests.he_study import DATA
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()


WITHOUT_ROWS = {  # in the reference study
    "comments", "metrics", "turns", "breakdowns", "excluded_batches", "acceptance", "data_set", "predictions",
    "pairings", "side_bias", "rankings", "win_rates", "preference_models", "flags",
    "turn_overlaps", "behaviours", "behaviour_differences", "behaviour_agreement", "judges", "judge_annotators",
    "human_ceiling", "judge_scores", "judge_differences", "pay", "adjudication",
}  # fmt: skip
# Their rows in a file are those of the report.
TABLES_OF_ROWS = (
    "agreement_by_criterion", "agreement_by_source", "overall", "majority", "errors", "negatives",
    "negatives_by_source", "negative_texts", "batches", "alpha_check", "workload",
)  # fmt: skip


def test_stored_and_freshly_measured_batches_give_the_same_report(he_study: Study):
    fresh = build_report(he_study, now=NOW)
    rebuild_study(he_study, now=NOW)
    assert as_json(build_report(he_study, now=NOW)) == as_json(fresh)


def test_the_error_table_counts_every_reason_of_a_negative_vote(he_report):
    with gzip.open(DATA / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = {"incoherent": "Incoherence", "generic": "Genericness", "hallucination": "Hallucination"}
    names |= {"grammar": "Grammaticality", "repetition": "Repetition"}
    wanted = Counter(
        (row["source"], names[key]) for row in rows for key in row["explanations"].split("|") if key in names
    )
    found = {(row.source, row.sub_dimension): row.votes for row in he_report.errors}
    assert {cell: votes for cell, votes in found.items() if votes} == dict(wanted)
    assert {row.percent for row in he_report.errors if row.votes == 51} == {17.35}


def test_the_report_needs_no_more_queries_for_more_batches(cast: Cast):
    counts = []
    for number, annotator in enumerate(cast.annotators):
        batch = make_batch(cast.study, key=f"extra-{number}", position=number + 1)
        rate_everything(claim_seat(annotator, batch, now=NOW), now=NOW)
        sweep(now=NOW)
        with CaptureQueriesContext(connection) as queries:
            build_report(cast.study, now=NOW)
        counts.append(len(queries))
    assert len(set(counts)) == 1


def test_ratings_of_a_lost_seat_are_left_out(cast: Cast):
    rate_everything(claim_seat(cast.annotators[0], cast.batch, now=NOW), now=NOW)
    assert build_report(cast.study, now=NOW).n_ratings == 24
    expire_leases(now=NOW + timedelta(minutes=91))
    assert build_report(cast.study, now=NOW).n_ratings == 0


def test_a_pilot_does_not_enter_the_results(cast: Cast):
    pilot = make_batch(cast.study, key="pilot", kind="pilot")
    cast.study.participants.update(panel="expert")  # pilots are for the panel
    rate_everything(claim_seat(cast.annotators[0], pilot, now=NOW), now=NOW)
    assert build_report(cast.study, now=NOW).n_ratings == 0


@pytest.mark.parametrize(
    ("rule", "votes", "is_positive"),
    [
        ("plurality", (3, 3, 1), False),
        ("plurality", (3, 2, 2), True),
        ("plurality", (2, 1, 4), False),
        ("absolute", (3, 2, 2), False),
        ("absolute", (4, 3, 0), True),
        ("decided", (2, 1, 4), True),
        ("decided", (2, 2, 0), False),
    ],
)
def test_each_majority_rule_decides_as_it_says(cast: Cast, rule: str, votes: tuple, is_positive: bool):
    criterion = spec_of(cast.version).by_key["listening"]
    histogram = Histogram.from_patterns({votes: 1})
    assert positive_rows(histogram.patterns, criterion, rule).tolist() == [is_positive]


@pytest.mark.parametrize(("votes", "is_tied"), [((3, 3, 1), True), ((1, 3, 3), True), ((3, 2, 2), False)])
def test_an_item_is_tied_when_two_options_lead(votes: tuple, is_tied: bool):
    assert tied_patterns(Histogram.from_patterns({votes: 1})).tolist() == [is_tied]


def test_the_rule_of_the_study_is_used_and_printed(cast: Cast):
    Study.objects.filter(pk=cast.study.pk).update(majority_rule="absolute")
    cast.study.refresh_from_db()
    assert "more than half" in build_report(cast.study, now=NOW).rules["majority"]


def test_no_number_is_ever_not_a_number(he_report):
    json.loads(as_json(he_report), parse_constant=lambda name: pytest.fail(f"{name} in the report"))


@pytest.mark.parametrize("table", sorted(TABLES.keys() - WITHOUT_ROWS))
def test_every_table_is_a_csv_of_its_rows(he_report, table: str):
    rows = list(csv.DictReader(io.StringIO(as_csv(he_report, table))))
    assert rows
    assert all(None not in row and None not in row.values() for row in rows)


def test_columns_of_a_table_are_the_keys_of_its_rows_in_json_in_order(he_report):
    told = json.loads(as_json(he_report))
    assert list(told) == list(PARTS)
    for table in TABLES_OF_ROWS:
        head = next(csv.reader(io.StringIO(as_csv(he_report, table))))
        rows = told["agreement_overall" if table == "overall" else table]
        assert all(list(row) == head for row in rows), table


def test_comments_of_annotators_are_listed_for_researchers(cast: Cast, client: Client):
    assignment = claim_seat(cast.annotators[0], cast.batch, now=NOW)
    rate_everything(assignment, now=NOW)
    submit_assignment(assignment, feedback="Clear <b>task</b>.", now=NOW)
    wanted = {"batch": cast.batch.key, "annotator": cast.annotators[0].pseudonym, "comment": "Clear <b>task</b>."}
    report = build_report(cast.study, now=NOW)
    assert plain(report.comments) == [wanted]
    assert list(csv.DictReader(io.StringIO(as_csv(report, "comments")))) == [wanted]
    client.force_login(cast.lead)
    assert "Clear &lt;b&gt;task&lt;/b&gt;." in client.get(reverse("report", args=[cast.study.slug])).text


def test_a_name_that_a_spreadsheet_would_run_is_made_harmless(he_report):
    he_report.majority[0] = replace(he_report.majority[0], source='=HYPERLINK("http://evil")')
    assert as_csv(he_report, "majority").splitlines()[1].startswith("\"'=HYPERLINK")


def test_the_command_prints_the_same_numbers(cast: Cast, capsys):
    rate_everything(claim_seat(cast.annotators[0], cast.batch, now=NOW), now=NOW)
    call_command("study_report", cast.study.slug, "--format", "json")
    printed = json.loads(capsys.readouterr().out)
    assert printed["majority"] == plain(build_report(cast.study, now=NOW).majority)


def test_the_command_refuses_an_unknown_study(db):
    with pytest.raises(CommandError, match="no study 'nowhere'"):
        call_command("study_report", "nowhere")


@pytest.mark.usefixtures("unprinted")
@pytest.mark.parametrize("route", ["report", "report_json", "report_pdf"])
def test_who_may_watch_gets_the_report_and_others_do_not(cast: Cast, route: str):
    rate_everything(claim_seat(cast.annotators[0], cast.batch, now=NOW), now=NOW)
    statuses = {}
    for name in ("owner", "researcher", "lead", "controller", "observer", "annotator", "stranger"):
        client = Client()
        user = cast.annotator.user if name == "annotator" else getattr(cast, name)
        client.force_login(user)
        statuses[name] = client.get(reverse(route, args=[cast.study.slug])).status_code
    watchers = dict.fromkeys(("owner", "researcher", "lead", "controller", "observer"), 200)
    assert statuses == watchers | {"annotator": 403, "stranger": 404}


def test_the_pdf_is_a_pdf(cast: Cast, client: Client):
    rate_everything(claim_seat(cast.annotators[0], cast.batch, now=NOW), now=NOW)
    client.force_login(cast.lead)
    response = client.get(reverse("report_pdf", args=[cast.study.slug]))
    assert response["Content-Type"] == "application/pdf"
    assert response.content.startswith(b"%PDF-")


def test_an_empty_study_says_what_will_fill_it(cast: Cast, client: Client):
    client.force_login(cast.lead)
    assert "There are no ratings yet" in client.get(reverse("report", args=[cast.study.slug])).text
