"""Every number of the board explains itself: whatever stands in a cell is a button that is described by sentences."""

import copy
import re

import numpy as np
import pytest
from django.utils import timezone, translation

from annotation.models import Study
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from measures.cohen import cohen_kappa
from measures.estimate import Estimate
from reporting.board import quality
from reporting.board.page import board_page
from reporting.board.pairs import bounded
from reporting.board.progress import percent_figure, work_figures
from reporting.board.quality_page import quality_page
from reporting.board.rate import rate_of
from reporting.board.rows import board_data
from reporting.board.work import Progress, SeatCounts
from reporting.explained import STATISTICS, WITH_SINGLE_ANSWERS, explained, table_warnings
from tests.cast import Cast, make_cast
from tests.drifting import make_drifting_study
from tests.reporting.board.explained import assert_explained, read, read_board
from tests.working import rate_everything

NOW = timezone.now()
INTERVAL = re.compile(r"interval|[Uu]ndefined|Chance alone|nobody to compare|No item has times|Not judged yet")

SEATS = SeatCounts(n_free=1, n_rating=0, n_finished=2)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def measured(keep) -> Cast:
    return keep(make_measured)


def make_measured() -> Cast:
    """Four batches that people have finished, and one that somebody works on."""
    cast = make_cast()
    make_drifting_study(cast, now=NOW)
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW, n=5)
    sweep(now=NOW)
    return cast


# --- the reader itself ---------------------------------------------------------------------------------------
def test_a_number_in_a_cell_that_nothing_explains_is_found():
    found = read_board('<table><tr><th>Batch 1</th><td class="number">0.41</td><td>w2</td><td>–</td></tr></table>')
    assert found.loose == ["0.41", "w2", "–"]


def test_a_button_without_its_explanation_is_found():
    why = '<span class="why" role="tooltip" id="w1">What it is.\nFrom 3 answers.</span>'
    found = read_board(f'<td><button class="figure" aria-describedby="w1">1</button>{why}</td>'
                       '<td><button class="figure" aria-describedby="w2">2</button></td>')  # fmt: skip
    assert [found.why(button).splitlines() for button in found.buttons] == [["What it is.", "From 3 answers."], []]
    assert not found.loose


# --- the pages -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_number_of_the_first_part_explains_itself(client, drifting: Cast, statistic: str):
    board = read(client, drifting, "board", statistic=statistic)
    assert len(board.buttons) > 100
    assert_explained(board)


@pytest.mark.parametrize("chart", ["cusum", "ewma"])
@pytest.mark.parametrize("floor", [None, 0.3])
def test_every_number_of_the_second_part_explains_itself(client, drifting: Cast, chart: str, floor: float | None):
    Study.objects.filter(pk=drifting.study.pk).update(kappa_floor=floor)
    for name in ("drifter", "clicker"):
        board = read(client, drifting, "board_quality", annotator=name, chart=chart)
        assert len(board.buttons) > 70
        assert_explained(board)


def test_every_coefficient_has_its_interval_or_says_why_it_has_none(drifting: Cast):
    page, quality_of = board_page(drifting.study, {}), quality_page(drifting.study, {"annotator": "drifter"})
    rows = [row for group in page["table"].groups for row in group.rows]
    figures = [figure for row in rows for figure in (row.pooled, row.mean, *(part for _, part in row.parts))]
    figures += [figure for pair in page["pairs"].pairs for figure in (pair.kappa, pair.equal)]
    for row in quality_of["rows"]:
        figures += [row.kappa, row.limits, row.agreement, row.without, row.entropy, row.pace]
    figures += [
        figure for row in quality_of["batches"] for figure in (row.batch, row.rest, row.difference, row.p_value)
    ]
    figures += [fact.figure for fact in quality_of["course_facts"] if fact.key != "alarm"]
    shown = [figure for figure in figures if figure.lines]
    assert len(shown) > 150
    assert [figure for figure in shown if not INTERVAL.search(figure.why)] == []


def test_every_coefficient_says_how_many_were_used_and_left_out(drifting: Cast):
    page = quality_page(drifting.study, {"annotator": "drifter"})
    figures = [figure for row in page["batches"] for figure in (row.batch, row.rest, row.difference, row.cause)]
    figures += [figure for row in page["rows"] for figure in (row.look, row.kappa, row.limits, row.agreement, row.pace)]
    figures += [fact.figure for fact in page["course_facts"] if fact.key != "limit"]
    told = re.compile(r"\d left out|left out because|enter only the expected agreement")
    assert [figure for figure in figures if not told.search(figure.why)] == []


# --- warnings ------------------------------------------------------------------------------------------------
def square(*rows: list[int]) -> np.ndarray:
    return np.array(rows)


def warnings(table: np.ndarray) -> tuple[str, ...]:
    return table_warnings(cohen_kappa(table), table)


def of_items(n: int, n_single: int, value: float) -> dict:
    found = {"value": value, "reason": None, "low": None, "high": None, "interval_note": None, "warnings": []}
    found |= {"n_items": n, "n_left_out": n_single, "n_ratings": 2 * n + n_single, "n_pairs": 0, "n_undefined": 0}
    return dict.fromkeys(STATISTICS, found) | {"strong_share_kept": 1.0}


def test_items_with_one_answer_are_said_to_enter_what_they_enter():
    for key in ("fleiss", "strong", "ac1", "alpha", "percent"):
        why = explained(STATISTICS[key], of_items(12, 3, 0.25), 0.5).why
        assert ("which enter only the expected agreement: 3." in why) is (key in WITH_SINGLE_ANSWERS)
        assert ("3 left out because they have only one answer" in why) is (key not in WITH_SINGLE_ANSWERS)


def test_a_kappa_below_minus_one_is_warned_of():
    figure = explained(STATISTICS["fleiss"], of_items(2, 1, -1.25), 0.6)
    assert (figure.text, figure.is_warned) == ("−1.25", True)
    assert "can be below −1" in figure.why
    assert not explained(STATISTICS["alpha"], of_items(2, 1, -0.5), 0.6).is_warned


def test_tables_of_two_sides_warn_of_prevalence_and_of_bias():
    assert warnings(square([118, 5], [2, 0])) == ("prevalence_paradox", "dominant_answer")
    assert warnings(square([25, 35], [5, 35])) == ("bias_paradox",)
    assert warnings(square([45, 15], [25, 15])) == ()


def test_a_constant_side_is_named_and_not_said_to_be_raised_by_bias():
    assert warnings(square([30, 10], [0, 0])) == ("constant_rater",)


def test_the_interval_of_a_pair_follows_the_guards_of_small_samples():
    def of(n: int) -> Estimate:
        table = square([n // 2, 1], [1, n - n // 2 - 2])
        return bounded(cohen_kappa(table), table, is_dependent=False)

    assert (of(9).low, of(9).interval_note) == (None, "too_few_items")
    assert of(12).low is not None
    assert of(12).interval_note == "unreliable"
    assert (of(40).low is not None, of(40).interval_note) == (True, None)
    table = square([20, 1], [1, 20])
    assert bounded(cohen_kappa(table), table, is_dependent=True).interval_note == "dependent_items"


@pytest.mark.parametrize(("n", "note"), [(9, "too_few_items"), (12, "unreliable"), (20, None)])
def test_a_share_of_few_answers_has_no_interval_or_an_unreliable_one(n: int, note: str | None):
    found = quality.guarded_share(Estimate(0.5, low=0.3, high=0.7, n_items=n))
    assert (found.low is None, found.interval_note) == (n < 10, note)


def test_words_are_said_of_the_lower_end_of_an_interval_too(drifting: Cast):
    rows = {row.pseudonym: row for row in quality_page(drifting.study, {})["rows"]}
    assert re.search(r"95 % interval 0\.\d\d to 0\.\d\d, \w+ to \w+\.", rows["drifter"].kappa.why)


# --- progress ------------------------------------------------------------------------------------------------
def test_progress_and_pace_say_what_they_count(drifting: Cast):
    data = board_data(drifting.study, {})
    rate = rate_of(data.total, data.progress, now=NOW)
    work = work_figures(data.progress, data.seats, data.total, rate)
    assert work.percent.text == f"{data.progress.percent} %"
    assert f"{data.progress.n_ratings:,} answers count; {data.progress.n_wanted:,} are needed." in work.percent.why
    assert work.seats.rating.text == "1"
    assert "1 of 31 seats." in work.seats.rating.why
    pace = dict(work.pace)
    assert f"{rate.n_by_hours:,} answers, by the hour in which they were given" in pace["Answers per hour"].why
    assert "without a break" in pace["Finish at this pace"].why


def test_the_end_of_a_lease_says_what_follows(drifting: Cast):
    (line,) = [row for row in board_page(drifting.study, {})["batch_rows"] if row.line.batch == drifting.batch]
    (holder,) = line.holders
    assert holder.pseudonym == drifting.annotator.pseudonym
    assert "If it is not submitted by then, the seat becomes free again." in holder.until.why


def test_a_finished_study_has_no_pace_and_one_at_rest_no_finish():
    done = work_figures(Progress(10, 10), SEATS, None, rate_of(None, Progress(10, 10), now=NOW))
    assert (done.pace, done.note) == ((), "All answers have been given.")
    rest = work_figures(Progress(3, 10), SEATS, None, rate_of(None, Progress(3, 10), now=NOW))
    assert [name for name, _ in rest.pace] == ["Answers per hour"]
    assert "the finish cannot be estimated" in rest.note
    assert percent_figure(Progress(0, 0)).text == "0 %"


def test_what_was_explained_before_is_explained_again_in_the_language_of_the_page_and_for_other_numbers():
    counts = {"n_items": 30, "n_left_out": 0, "n_ratings": 90, "n_pairs": 0, "n_undefined": 0, "warnings": []}
    found = {"value": 0.5, "reason": None, "low": None, "high": None, "interval_note": None, **counts}
    estimates = {"fleiss": found, "percent": {"value": 0.7}, "strong_share_kept": 1.0}
    first = explained(STATISTICS["fleiss"], estimates, 0.5)
    assert explained(STATISTICS["fleiss"], copy.deepcopy(estimates), 0.5) is first
    assert explained(STATISTICS["fleiss"], estimates | {"fleiss": found | {"value": 0.25}}, 0.5).text == "0.25"
    assert explained(STATISTICS["fleiss"], estimates, 0.95).is_warned
    with translation.override("it"):
        assert explained(STATISTICS["fleiss"], estimates, 0.5).lines[-1] != first.lines[-1]
