"""The statistics of the report: each section against a slow and independent computation."""

from collections import Counter, defaultdict
from statistics import mean, median, stdev
from types import SimpleNamespace

import krippendorff
import numpy as np
import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Rating, Study
from annotation.services.claiming import claim_seat
from reporting.report import alpha_check as check
from reporting.report.build import build_report
from reporting.study.cells import study_cells
from reporting.study.scores import moments, numbers_of, weighted_median
from reporting.study.votes import study_votes
from tests.cast import Cast
from tests.factories import RatingFactory, StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, publish
from tests.he_study import he_rows
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()


# --- alpha twice ---------------------------------------------------------------------------------------
def test_alpha_is_the_same_by_the_package_and_from_the_file_itself(he_report):
    codes = defaultdict(dict)
    for row in he_rows():
        codes[row["criterion"]][row["candidate_id"], row["annotator"]] = row["answer"]
    for row in he_report.alpha_check:
        given = codes[row.criterion]
        units = sorted({unit for unit, _ in given})
        raters = sorted({who for _, who in given})
        matrix = [[given.get((unit, who), "nan") for unit in units] for who in raters]
        assert row.status == "equal"
        assert row.krippendorff == pytest.approx(krippendorff.alpha(matrix, level_of_measurement="nominal"), abs=1e-9)


def test_ordinal_alpha_is_checked_at_its_level(scale_study: Study):
    rows = build_report(scale_study, now=NOW).alpha_check
    assert [row.level for row in rows] == ["ordinal", "ordinal"]
    for row in rows:
        given = Rating.objects.filter(criterion__key=row.criterion).values_list("item", "assignment", "option__value")
        units, raters = sorted({r[0] for r in given}), sorted({r[1] for r in given})
        values = {(item, who): value for item, who, value in given}
        matrix = [[values[unit, who] for unit in units] for who in raters]
        wanted = krippendorff.alpha(matrix, level_of_measurement="ordinal", value_domain=[1.0, 2.0, 3.0, 4.0, 5.0])
        assert row.parley == pytest.approx(wanted, abs=1e-9)
        assert row.status == "equal"


def test_a_wrong_alpha_is_an_error_on_the_page(cast: Cast, client: Client, monkeypatch: pytest.MonkeyPatch):
    for number, annotator in enumerate(cast.annotators):
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, option=number % 2)
    client.force_login(cast.lead)
    page = reverse("report", args=[cast.study.slug])
    assert "The two values of alpha differ" not in client.get(page).text
    monkeypatch.setattr(check, "package_alpha", lambda *_: 0.5)
    assert "The two values of alpha differ" in client.get(page).text


def test_ratings_that_come_in_between_are_no_error(scale_study: Study):
    cells = study_cells(scale_study)
    Batch.objects.filter(study=scale_study).update(ratings_version=F("ratings_version") + 1)
    votes = study_votes(scale_study, cells.spec)
    rows = check.alpha_check(cells, votes)
    assert [(row.status, row.reason) for row in rows] == [("skipped", "ratings_moved")] * 2


def test_alpha_of_one_and_the_same_answer_is_undefined_in_both(cast: Cast):
    for annotator in cast.annotators:
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW)
    rows = build_report(cast.study, now=NOW).alpha_check
    assert {(row.parley, row.krippendorff, row.status) for row in rows} == {(None, None, "equal")}


# --- intervals -----------------------------------------------------------------------------------------
def test_pooled_values_have_intervals_that_hold_them_and_words(he_report):
    for row in he_report.agreement:
        assert row.interval_method == "bca_items"
        if row.pooled_limits.low is not None:
            assert row.pooled_limits.low <= row.pooled <= row.pooled_limits.high
            assert row.pooled_limits.low_word
        else:
            assert row.pooled_limits.interval_note
    for row in he_report.agreement_overall:
        assert row.interval_method == "bca_dialogues"
        assert row.n_units == 42
        assert row.fleiss.low < row.fleiss_kappa < row.fleiss.high


def test_the_interval_over_sources_is_that_of_drawing_dialogues(he_report):
    """By brute force: 42 dialogues drawn again, a kappa from the tallies of their items."""
    tallies = defaultdict(Counter)
    of = {}
    for row in he_rows():
        if row["criterion"] == "appropriateness":
            tallies[row["candidate_id"]][row["answer"]] += 1
            of[row["candidate_id"]] = row["dialogue_id"]
    answers = sorted({answer for each in tallies.values() for answer in each})
    by_dialogue = defaultdict(list)
    for item, each in tallies.items():
        by_dialogue[of[item]].append([each[answer] for answer in answers])
    groups = [np.array(rows, float) for rows in by_dialogue.values()]
    rng = np.random.default_rng(5)
    drawn = [_fleiss(np.vstack([groups[at] for at in rng.integers(0, 42, 42)])) for _ in range(2000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    row = next(row for row in he_report.agreement_overall if row.criterion == "appropriateness")
    assert (row.fleiss.low, row.fleiss.high) == (pytest.approx(low, abs=0.03), pytest.approx(high, abs=0.03))


def _fleiss(tallies: np.ndarray) -> float:
    votes = tallies.sum(axis=1)
    observed = (((tallies**2).sum(axis=1) - votes) / (votes * (votes - 1))).mean()
    expected = ((tallies.sum(axis=0) / tallies.sum()) ** 2).sum()
    return (observed - expected) / (1 - expected)


def test_small_samples_have_a_reason_and_no_interval(scale_study: Study):
    report = build_report(scale_study, now=NOW)
    assert {row.pooled_limits.interval_note for row in report.agreement} == {"too_few_items"}
    assert {row.alpha.low for row in report.agreement_overall} == {None}


# --- distributions -------------------------------------------------------------------------------------
def test_the_options_of_every_row_add_up_to_its_answers(he_report):
    for row in he_report.distributions:
        assert sum(option.votes for option in row.options) == row.n_answers
    assert sum(row.n_answers for row in he_report.distributions) == he_report.n_ratings


def test_mean_sd_and_median_of_a_scale_are_those_of_its_answers(scale_study: Study):
    for row in build_report(scale_study, now=NOW).distributions:
        given = Rating.objects.filter(criterion__key=row.criterion, item__source__key=row.source)
        values = list(given.values_list("option__value", flat=True))
        assert (row.moments.mean, row.moments.sd, row.moments.median) == pytest.approx(
            (mean(values), stdev(values), median(values))
        )


def test_unsure_and_excluding_answers_have_no_number():
    roles = (("neutral", 2.0), ("neutral", 1.0), ("unsure", None), ("excluding", None))
    options = tuple(SimpleNamespace(role=role, value=value) for role, value in roles)
    criterion = SimpleNamespace(scale="ordinal", options=options)
    assert numbers_of(criterion).tolist()[:2] == [2.0, 1.0]
    assert moments(criterion, np.array([3, 1, 5, 2])).mean == 1.75
    assert moments(criterion, np.array([0, 0, 5, 2])).reason == "no_ratings"


@pytest.mark.parametrize("times", [(1, 0, 0), (2, 1, 2), (1, 1, 0), (2, 0, 2), (0, 3, 1), (5, 4, 9)])
def test_the_median_of_counts_is_that_of_the_values(times: tuple):
    values = np.array([5.0, 1.0, 3.0])
    assert weighted_median(values, np.array(times)) == np.median(np.repeat(values, times))


def test_several_choices_and_marked_turns_have_their_tables(db):
    version = VersionFactory(unit="dialogue")
    reasons = CriterionFactory(version=version, key="reasons", kind="multiple", position=0)
    for at, key in enumerate(("short", "rude")):
        OptionFactory(criterion=reasons, key=key, role="neutral", position=at)
    support = CriterionFactory(version=version, key="support", kind="turns", position=1)
    study = StudyFactory(protocol_version=publish(version))
    batch = make_batch(study, n_dialogues=2, n_sources=0)
    short, rude = reasons.options.values_list("pk", flat=True)
    given = [([short], [1]), ([short, rude], [1, 2]), ([], []), ([rude], [2])]
    for number in range(2):
        assignment = take_seat(make_annotator(study, f"marker-{number}"), batch)
        for item in batch.items.order_by("pk"):
            choices, turns = given.pop()
            both = {"assignment": assignment, "item": item, "option": None}
            RatingFactory(criterion=reasons, choices=choices, **both)
            RatingFactory(criterion=support, turns=turns, **both)
    Batch.objects.update(ratings_version=1)
    report = build_report(study, now=NOW)
    (row,) = report.distributions
    assert (row.kind, row.source, row.n_answers) == ("multiple", None, 4)
    assert [(each.votes, each.percent) for each in row.options] == [(2, 50.0), (2, 50.0)]
    found = [(each.speaker, each.turn, each.marks, each.answers_with_marks) for each in report.turns]
    assert found == [(None, None, 4, 3), ("A", None, 2, 3), ("B", None, 2, 3), ("A", 1, 2, 3), ("B", 2, 2, 3)]
    assert report.hashes.data_lines == 8
