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
from scipy.stats import friedmanchisquare

from annotation.models import Assignment, Batch, Rating, Study
from annotation.services.claiming import claim_seat, submit_assignment
from measures.systems import crossed_variance_t
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


# --- comparisons ---------------------------------------------------------------------------------------
def _he_scores(criterion: str) -> tuple[list[str], list[np.ndarray]]:
    """(dialogues, annotators, sources) of each batch: 1 where the answer is the criterion's positive one."""
    rows = [row for row in he_rows() if row["criterion"] == criterion]
    sources = ["ground_truth", "geppetto", "geppetto_knowledge", "it5", "it5_knowledge"]
    arrays = []
    for batch in sorted({row["batch"] for row in rows}):
        mine = [row for row in rows if row["batch"] == batch]
        dialogues, people = (sorted({row[name] for row in mine}) for name in ("dialogue_id", "annotator"))
        array = np.full((len(dialogues), len(people), len(sources)), np.nan)
        for row in mine:
            place = (dialogues.index(row["dialogue_id"]), people.index(row["annotator"]), sources.index(row["source"]))
            array[place] = float(not row["answer"].lower().startswith(("not ", "i don")))
        arrays.append(array)
    return sources, arrays


def test_every_pair_of_sources_is_tested_as_by_hand(he_report):
    each = next(row for row in he_report.comparisons if row.criterion == "appropriateness")
    sources, arrays = _he_scores("appropriateness")
    assert sorted(each.sources) == sorted(sources)
    assert len(each.pairs) == 10
    for pair in each.pairs:
        first, second = sources.index(pair.source_a), sources.index(pair.source_b)
        found = crossed_variance_t([array[:, :, first] - array[:, :, second] for array in arrays])
        assert pair.difference == pytest.approx(np.mean([d for a in arrays for d in _differences(a, first, second)]))
        assert pair.p == pytest.approx(found.p_value)
        assert pair.population == "dialogues_and_annotators"
        assert pair.low < pair.difference < pair.high


def _differences(array: np.ndarray, first: int, second: int) -> list[float]:
    return (array[:, :, first] - array[:, :, second]).ravel().tolist()


def test_friedman_is_that_of_dialogue_means(he_report):
    each = next(row for row in he_report.comparisons if row.criterion == "listening")
    _, arrays = _he_scores("listening")
    means = np.concatenate([array.mean(axis=1) for array in arrays])
    wanted = friedmanchisquare(*means.T)
    assert (each.whole.friedman_chi2, each.whole.friedman_p) == pytest.approx((wanted.statistic, wanted.pvalue))
    assert each.whole.n_dialogues == 42


def test_corrected_p_values_are_never_smaller_and_holm_is_the_larger(he_report):
    for pair in (pair for each in he_report.comparisons for pair in each.pairs):
        assert pair.p <= pair.p_bh <= pair.p_holm <= 1


def test_majorities_of_a_pair_differ_as_the_table_of_majorities(he_report):
    percent = {(row.source, row.criterion): row.positive_items for row in he_report.majority}
    for pair in (pair for each in he_report.comparisons for pair in each.pairs):
        of = {name: percent[getattr(pair, f"source_{name}"), pair.criterion] for name in "ab"}
        assert pair.majority.majority_only_a - pair.majority.majority_only_b == of["a"] - of["b"]


def test_a_single_annotator_speaks_for_nobody_else(cast: Cast):
    assignment = claim_seat(cast.annotators[0], cast.batch, now=NOW)
    rate_everything(assignment, now=NOW)
    pairs = [pair for each in build_report(cast.study, now=NOW).comparisons for pair in each.pairs]
    assert {(pair.population, pair.p) for pair in pairs} == {("these_annotators_only", None)}
    assert {pair.interval_note for pair in pairs} == {"single_annotator"}


def test_scales_are_compared_by_their_scores(scale_study: Study):
    for each in build_report(scale_study, now=NOW).comparisons:
        values = defaultdict(list)
        given = Rating.objects.filter(criterion__key=each.criterion).values_list("item__source__key", "option__value")
        for source, value in given:
            values[source].append(value)
        assert each.score == "mean_score"
        assert each.whole.means == pytest.approx([mean(values[source]) for source in each.sources])
        assert {pair.majority.majority_reason for pair in each.pairs} == {"no_scores"}


def test_batches_of_the_same_people_are_one_block(cast: Cast):
    other = make_batch(cast.study, key="other", position=1)
    for batch in (cast.batch, other):
        for number, annotator in enumerate(cast.annotators):
            assignment = claim_seat(annotator, batch, now=NOW)
            rate_everything(assignment, now=NOW, option=number % 2)
            submit_assignment(assignment, feedback="", now=NOW)
    assert {each.whole.n_blocks for each in build_report(cast.study, now=NOW).comparisons} == {1}
    Assignment.objects.filter(batch=other, participant=cast.annotators[0]).get().seat.delete()
    found = build_report(cast.study, now=NOW).comparisons
    assert {(each.whole.n_blocks, each.whole.n_shared_annotators) for each in found} == {(2, 2)}
