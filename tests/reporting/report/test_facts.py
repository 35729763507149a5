"""What the report tells beside its statistics: parts, time and pay, checklist, methods, hashes."""

import csv
import gzip
import hashlib
import json
from collections import defaultdict
from itertools import combinations
from statistics import median

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone, translation

from annotation.models import Assignment, Dialogue, Rating, Study
from annotation.services.claiming import claim_seat
from protocols.specs import spec_of
from reporting.report.build import build_report, plain_report
from reporting.report.page import page_of
from reporting.study.plain import plain
from tests.cast import Cast
from tests.factories import (
    make_batch,
)
from tests.he_study import DATA
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()


# --- parts of the material -----------------------------------------------------------------------------
def test_the_parts_of_a_field_add_up_to_the_whole(he_study: Study):
    for place, dialogue in enumerate(Dialogue.objects.filter(study=he_study)):
        kept = {"domain": ["health", "school", "work"][place % 3]} if place % 7 else {}
        Dialogue.objects.filter(pk=dialogue.pk).update(metadata=kept | {"persona": "x" * (place % 2), "number": place})
    report = build_report(he_study, now=NOW)
    rows = report.breakdowns
    assert {row.field for row in rows} == {"domain"}
    assert {row.value for row in rows} == {"health", "school", "work", None}
    wanted = {(row.source, row.criterion): (row.positive_items, row.items) for row in report.majority}
    found: dict = defaultdict(lambda: np.zeros(2, int))
    for row in rows:
        found[row.source, row.criterion] += [row.positive_items, row.n_items]
    assert {key: tuple(value) for key, value in found.items() if key[0]} == wanted
    assert all(row.interval_note == "dependent_items" for row in rows if row.source is None)


def test_batches_that_do_not_count_are_stated(cast: Cast):
    pilot = make_batch(cast.study, key="pilot", kind="pilot")
    cast.study.participants.update(panel="expert")  # pilots are for the panel
    rate_everything(claim_seat(cast.annotators[0], pilot, now=NOW), now=NOW)
    wanted = [{"kind": "pilot", "batches": 1, "items": 6, "ratings": 24}]
    assert plain(build_report(cast.study, now=NOW).excluded_batches) == wanted


# --- time, pay, workload -------------------------------------------------------------------------------
def test_times_and_pay_are_those_of_the_answers(scale_study: Study):
    report = build_report(scale_study, now=NOW)
    work = report.time_and_pay
    assignments = Assignment.objects.filter(batch__study=scale_study)
    times = list(Rating.objects.filter(assignment__in=assignments).values_list("active_ms", flat=True))
    assert work.judgement_seconds.median == pytest.approx(median(times) / 1000)
    per_batch = [sum(a.ratings.values_list("active_ms", flat=True)) / 60_000 for a in assignments]
    assert work.batch_minutes_active.median == pytest.approx(median(per_batch))
    assert work.hourly_active == pytest.approx(5 * 60 / median(per_batch), abs=0.01)
    assert (work.total_paid, work.is_below_floor, work.batches_below_floor) == ("15.00", False, 0)
    assert [(row.judgements, row.batches) for row in report.workload] == [(16, 1)] * 3
    assert sum(row.active_minutes for row in report.workload) == pytest.approx(sum(times) / 60_000, abs=0.02)


def test_work_that_pays_too_little_is_said(scale_study: Study, client: Client):
    Rating.objects.update(active_ms=4_000_000)
    work = build_report(scale_study, now=NOW).time_and_pay
    assert (work.is_below_floor, work.batches_below_floor, work.floor) == (True, 3, "6")


def test_the_floor_is_not_held_against_another_currency(scale_study: Study):
    Study.objects.update(pay_currency="CNY")
    scale_study.refresh_from_db()
    work = build_report(scale_study, now=NOW).time_and_pay
    assert (work.is_below_floor, work.floor_reason) == (None, "other_currency")


def test_imported_answers_have_no_times(he_report):
    work = he_report.time_and_pay
    assert (work.judgement_seconds.reason, work.judgement_seconds.n_left_out) == ("no_times", 5880)
    assert {row.active_minutes for row in he_report.workload} == {None}


# --- checklist, methods, rules -------------------------------------------------------------------------
def test_every_entry_of_the_checklist_is_known_or_says_what_to_do(he_report):
    entries = {row.key: row for row in he_report.checklist}
    missing = {
        "presentation",
        "sampling_criteria",
        "qualification_task",
        "qualification_rule",
        "demographics",
        "time",
        "payment",
        "platform",
    }
    assert {key for key, row in entries.items() if row.status == "missing"} == missing
    assert all(row.to_do and row.value is None for key, row in entries.items() if key in missing)
    assert all(row.lines for row in entries.values())
    assert entries["samples"].value == {"items": 210, "dialogues": 42, "sources": 5}
    assert plain(entries["votes_per_sample"].value) == {
        "low": 7,
        "high": 7,
        "mean": 7.0,
        "wanted": {"low": None, "high": None},  # all answers were imported: nobody planned seats
        "answers": [],
    }


def test_what_is_entered_is_no_longer_missing(scale_study: Study):
    Study.objects.update(platform="Prolific")
    scale_study.refresh_from_db()
    known = {row.key for row in build_report(scale_study, now=NOW).checklist if row.status == "known"}
    assert {"platform", "payment", "time", "agreement", "workload"} <= known


def test_the_methods_have_the_numbers_of_the_study(he_report):
    text = " ".join(he_report.methods)
    assert "The material consisted of 42 dialogues (items: 210; sources: 5; batches: 4)." in text
    assert "Each item was judged by 7 annotators." in text
    assert "gave 5,880 answers" in text
    assert f"(seed {he_report.study.seed})" in text


def test_downloads_are_english_in_every_language_of_the_page(scale_study: Study):
    with translation.override("zh-hans"):
        foreign = build_report(scale_study, now=NOW)
    english = build_report(scale_study, now=NOW)
    assert (foreign.methods, foreign.checklist) == (english.methods, english.checklist)


def test_a_report_without_ratings_is_whole(cast: Cast):
    report = build_report(cast.study, now=NOW)
    assert (report.methods, report.comparisons, report.breakdowns) == ([], [], [])
    assert page_of(report)["methods"] == []
    json.dumps(plain_report(report), allow_nan=False)


def test_the_unsure_rule_follows_the_majority_rule(cast: Cast):
    other = build_report(cast.study, now=NOW).rules["unsure"]
    cast.study.majority_rule = "decided"
    assert build_report(cast.study, now=NOW).rules["unsure"] != other


def test_versions_are_those_that_are_installed(he_report):
    assert plain(he_report.versions).keys() == {"parley", "python", "numpy", "scipy", "krippendorff"}
    assert he_report.versions.numpy == np.__version__


# --- hashes --------------------------------------------------------------------------------------------
def test_the_data_hash_can_be_computed_from_the_file(he_study: Study, he_report):
    keys = {(c.key, o.label.lower()): o.key for c in spec_of(he_study.protocol_version).criteria for o in c.options}
    known = {
        c.key: [e.key for o in c.options for e in o.explanations] for c in spec_of(he_study.protocol_version).criteria
    }
    with gzip.open(DATA / "ratings.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    stored = {
        (r[0], r[1], r[2]): (r[3], r[4])
        for r in Rating.objects.values_list(
            "item__candidate__key", "criterion__key", "assignment__participant__pseudonym", "explanations", "free_text"
        )
    }
    explained = {
        e.id: e.key for c in spec_of(he_study.protocol_version).criteria for o in c.options for e in o.explanations
    }
    lines = []
    for row in rows:
        reasons, text = stored[row["candidate_id"], row["criterion"], row["annotator"]]
        reason = "|".join(sorted(explained[each] for each in reasons))
        assert set(filter(None, reason.split("|"))) <= set(known[row["criterion"]])
        batch = row["batch"].removeprefix("batch")
        answer = keys[row["criterion"], row["answer"].lower()]
        parts = [batch, row["dialogue_id"], row["candidate_id"], row["source"], row["criterion"], row["annotator"]]
        lines.append(json.dumps([*parts, answer, reason, text], ensure_ascii=False, separators=(",", ":")) + "\n")
    wanted = hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
    assert build_report(he_study, now=NOW).hashes.data_sha256 == wanted
    assert he_report.hashes.data_lines == 5880


def test_the_data_hash_changes_with_an_answer_and_not_with_anything_else(scale_study: Study):
    def data_hash() -> str:
        return build_report(scale_study, now=NOW).hashes.data_sha256

    first = data_hash()
    Rating.objects.update(active_ms=1, updated_at=NOW)
    assert data_hash() == first
    rating = Rating.objects.filter(batch__study=scale_study).first()
    Rating.objects.filter(pk=rating.pk).update(free_text='A "quoted" word')
    assert data_hash() != first


def test_two_pairs_of_sources_are_never_left_out(he_report):
    for each in he_report.comparisons:
        pairs = [(pair.source_a, pair.source_b) for pair in each.pairs]
        assert pairs == list(combinations(each.sources, 2))
