"""The board's second part: who is worth a look, when somebody drifted, which batch is hard, when the study is done."""

import re

import numpy as np
import pytest

from annotation.models import AgreementSnapshot, AnnotatorCell, Batch, Participant, Rating, Study
from annotation.selectors import answers
from annotation.services.agreement import rebuild_study, sweep
from measures.batch_drift import ANNOTATOR, HARD_BATCH, NO_DROP
from measures.behaviour import speed_scores
from measures.contributors import BELOW_THRESHOLD, flags
from parley.numbers import number
from protocols.specs import spec_of
from reporting.board import course as board_course
from reporting.board import quality, quality_batches
from reporting.board.annotators import people_of, with_interval
from reporting.board.batch_drift import HIGHER
from reporting.board.quality_page import course_sentence, quality_page
from reporting.board.rows import board_data
from tests.cast import Cast, make_cast
from tests.drifting import NAMES, make_drifting_study
from tests.reporting.board.pages import signed_in
from tests.reporting.board.quality_pages import (
    NOW,
    fragment_url,
    lines_of,
    page_url,
    people_and_criteria,
    votes_of,
    with_floor,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def measured(keep) -> Cast:
    return keep(make_measured)


def make_measured() -> Cast:
    cast = make_cast()
    make_drifting_study(cast, now=NOW)
    sweep(now=NOW)
    return cast


# --- the numbers are those of the votes --------------------------------------------------------------------


def test_speed_is_that_of_the_times_within_a_step(drifting: Cast):
    data = board_data(drifting.study, {"criterion": "listening"})
    items, people, _, times = votes_of(drifting.study, "listening")
    wanted = {each.rater: each.score.value for each in speed_scores(items, people, times, np.ones(len(times)))}
    for person in people_of(data, data.choice.criteria):
        assert person.speed.score.value == pytest.approx(wanted[person.pk], abs=0.05)


def test_a_rebuild_finds_the_same_annotators(drifting: Cast):
    def stored() -> list[tuple]:
        rows = AnnotatorCell.objects.filter(snapshot__study=drifting.study)
        return sorted(rows.values_list("criterion", "participant", "contribution"), key=lambda row: row[:2])

    before = stored()
    assert len(before) == 4 * 7
    rebuild_study(drifting.study, now=NOW)
    assert stored() == before


def test_figures_stored_before_annotators_were_kept_are_completed_by_the_sweep(drifting: Cast):
    def hours() -> dict[str, int]:
        return AgreementSnapshot.objects.get(study=drifting.study, batch=None).hours

    before = sorted(AnnotatorCell.objects.values_list("criterion", "participant", "contribution"), key=str), hours()
    AnnotatorCell.objects.all().delete()
    AgreementSnapshot.objects.update(hours={})
    for snapshot in AgreementSnapshot.objects.filter(batch__isnull=False):
        snapshot.cells.update(annotators={})
    AgreementSnapshot.objects.filter(batch__isnull=False).update(version=0)  # as the migration does
    assert sweep(now=NOW) == 4
    after = sorted(AnnotatorCell.objects.values_list("criterion", "participant", "contribution"), key=str), hours()
    assert after == before


# --- who is worth a look -----------------------------------------------------------------------------------
def test_the_clicker_and_the_hasty_one_come_first_and_say_why(drifting: Cast):
    page = quality_page(drifting.study, {})
    looks = {row.pseudonym: row.look.text for row in page["rows"]}
    assert looks["clicker"] == "▼ Look: agrees less"
    assert looks["hasty"] == "▼ Look: fast"
    assert {looks[name] for name in ("amber", "birch", "cedar", "maple")} == {"nothing unusual"}
    first = page["rows"][0]
    assert first.pseudonym == "clicker"
    assert quality.ONLY_A_REASON in first.look.why
    assert "Robust z −" in first.look.why


# --- the threshold of the study ----------------------------------------------------------------------------


def test_whoever_lies_below_the_threshold_with_the_whole_interval_is_pointed_out(drifting: Cast):
    rows = with_floor(drifting, 0.3)
    assert rows["clicker"].look.text == "▼ Look: below the threshold, agrees less"
    assert rows["clicker"].limits.text.endswith(" < 0.30")
    assert "The whole interval is below the study's threshold, 0.30." in rows["clicker"].limits.why
    assert "below the threshold" not in rows["drifter"].look.text
    assert "is not entirely below the study's threshold, 0.30" in rows["drifter"].limits.why


def test_an_interval_that_holds_the_threshold_points_nobody_out(drifting: Cast):
    kappas = {person.pseudonym: person for person in people_of(*people_and_criteria(drifting))}
    upper = with_interval(kappas["drifter"], seed=drifting.study.seed).kappa.high
    assert "below the threshold" not in with_floor(drifting, upper - 0.01)["drifter"].look.text
    assert "below the threshold" in with_floor(drifting, upper + 0.05)["drifter"].look.text


@pytest.mark.parametrize("floor", [-0.2, 0.3, 0.5, 0.74, 0.9])
def test_flags_are_those_of_intervals_of_everybody(drifting: Cast, floor: float):
    """Only those below the threshold are resampled on the board."""
    drifting.study.kappa_floor = floor
    people = people_of(*people_and_criteria(drifting))
    bounded = [with_interval(person, seed=drifting.study.seed) for person in people]
    wanted = flags(bounded, [person.entropy for person in people], threshold=floor)
    assert [person.flag.reasons for person in people] == [flag.reasons for flag in wanted]
    for person, flag in zip(people, wanted, strict=True):
        if BELOW_THRESHOLD in flag.reasons:
            assert person.flag.p_values[BELOW_THRESHOLD] == pytest.approx(flag.p_values[BELOW_THRESHOLD])


def test_a_study_without_a_threshold_points_nobody_out_for_one(drifting: Cast):
    rows = with_floor(drifting, None)
    assert not [row for row in rows.values() if "below the threshold" in row.look.text]
    assert "threshold" not in rows["clicker"].limits.why


def test_the_threshold_is_said_above_the_annotators(drifting: Cast):
    Study.objects.filter(pk=drifting.study.pk).update(kappa_floor=0.4)
    html = signed_in(drifting.lead).get(page_url(drifting)).content.decode()
    assert "Threshold of the study: 0.40." in html


def test_a_row_explains_every_one_of_its_numbers(drifting: Cast):
    row = quality_page(drifting.study, {})["rows"][0]
    figures = (row.kappa, row.agreement, row.without, row.entropy, row.pace)
    definitions = (quality.MAJORITY, quality.AGREEMENT, quality.WITHOUT, quality.ENTROPY, quality.PACE)
    for figure, statistic in zip(figures, definitions, strict=True):
        assert statistic.definition in figure.why
    assert "95 % interval" in row.kappa.why
    assert re.search(
        r"\d+ answers used; \d+ left out because the others tied, 0 because nobody else answered", row.kappa.why
    )
    before, after = row.without.text.split(" → ")
    assert float(after) > float(before)
    ends = re.search(r"interval (\S+) to (−?[\d.]+)", row.kappa.why)
    assert row.limits.text == " … ".join(ends.groups())
    assert ends[0] in row.limits.why


# --- the course of one -------------------------------------------------------------------------------------
def test_the_drifter_has_an_alarm_and_the_steady_one_agrees_to_the_end(drifting: Cast):
    page = quality_page(drifting.study, {"annotator": "drifter"})
    course = page["course"]
    assert course.person.pseudonym == "drifter"
    assert course.chart.alarm >= 288  # two good batches of 144 answers come first
    assert course.latest.value < 0.6 < course.chart.p0
    assert f"Alarm at answer {course.chart.alarm + 1} of 576" in page["course_words"]
    assert '<polygon class="fig-alarm"' in page["course_picture"]
    assert "style=" not in page["course_picture"]
    last = list(course.answered_at)
    assert last == sorted(last)


def test_answers_imported_without_times_have_no_order_and_so_no_chart(drifting: Cast):
    Rating.objects.filter(assignment__participant__pseudonym="drifter").update(answered_at=NOW)
    page = quality_page(drifting.study, {"annotator": "drifter"})
    assert page["course_words"] == (
        "The answers of drifter were imported without times. Their order is not known, so there is no chart."
    )
    assert page["course_picture"] == ""
    assert page["course_facts"] == []


def test_whoever_began_badly_is_held_to_the_median(drifting: Cast):
    page = quality_page(drifting.study, {"annotator": "clicker"})
    assert not page["course"].is_own
    assert "not a usable baseline, so the chart uses the median of the annotators" in page["course_words"]


def test_only_the_newest_batches_of_somebody_with_many_are_read(drifting: Cast, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(answers, "MOST_ANSWERS", 200)
    monkeypatch.setattr(board_course, "MOST_ANSWERS", 200)
    course = quality_page(drifting.study, {"annotator": "amber"})["course"]
    assert (len(course.agrees), course.is_whole) == (200, False)
    assert "The latest 200 answers are shown." in course_sentence(course)


def test_the_ewma_is_a_choice_that_finds_the_drifter_too(drifting: Cast):
    page = quality_page(drifting.study, {"annotator": "drifter", "chart": "ewma"})
    course = page["course"]
    assert course.chart.alarm >= 288
    assert course.chart.path[course.chart.alarm] <= course.chart.limit < course.chart.p0
    assert page["chosen"] == {"annotator": "drifter", "chart": "ewma"}
    assert "An EWMA" in page["course_how"]
    facts = {fact.key: fact.figure for fact in page["course_facts"]}
    n_beyond = int((course.chart.path <= course.chart.limit).sum())
    assert facts["beyond"].text == f"{n_beyond:,}"
    assert facts["limit"].text == number(course.chart.limit, ".0%")
    assert f"answer {course.chart.alarm + 1}" in facts["alarm"].text


def test_the_chart_is_a_cusum_unless_another_one_is_known(drifting: Cast):
    page = quality_page(drifting.study, {"annotator": "drifter", "chart": "shewhart"})
    assert (page["chart"], page["course"].kind, page["chosen"]) == ("cusum", "cusum", {"annotator": "drifter"})
    assert "A CUSUM" in page["course_how"]
    assert page["course_facts"][2].figure.text == number(page["course"].chart.limit)


@pytest.mark.parametrize("chart", ["cusum", "ewma"])
def test_answers_beyond_the_limit_are_drawn_apart_where_there_are_any(drifting: Cast, chart: str):
    found = set()
    for name in NAMES:
        page = quality_page(drifting.study, {"annotator": name, "chart": chart})
        is_beyond = bool(page["course"].beyond.any())
        assert ('class="fig-beyond"' in page["course_picture"]) == is_beyond
        assert is_beyond == (page["course"].chart.alarm is not None)
        found.add(is_beyond)
    assert True in found


def test_the_course_says_its_intervals_and_what_it_leaves_out(drifting: Cast):
    facts = {fact.key: fact.figure for fact in quality_page(drifting.study, {"annotator": "drifter"})["course_facts"]}
    assert re.search(r"95 % interval \d+% to \d+%", facts["latest"].why)
    assert re.search(r"576 answers read; \d+ left out because the others tied", facts["latest"].why)
    held = {fact.key: fact.figure for fact in quality_page(drifting.study, {"annotator": "clicker"})["course_facts"]}
    assert "The median of the annotators." in held["usual"].why


# --- batches -----------------------------------------------------------------------------------------------
def test_the_hard_batch_is_called_hard(drifting: Cast):
    lines = {line.key: line for line in lines_of(drifting)}
    assert set(lines) == {"week-1", "week-2", "week-3", "week-4"}
    assert lines["week-3"].cause == HARD_BATCH
    assert lines["week-1"].cause in (NO_DROP, HIGHER)
    assert lines["week-3"].p_adjusted <= 0.05
    assert lines["week-3"].p_adjusted >= lines["week-3"].drift.p_value


def test_one_bad_annotator_in_a_good_batch_is_named(drifting: Cast):
    """In the last batch everybody but one says the same; in the others all do."""
    spec = spec_of(drifting.version)
    odd = Participant.objects.get(study=drifting.study, pseudonym="maple")
    rng = np.random.default_rng(1)
    last = Batch.objects.get(key="week-4")
    for criterion in spec.criteria:
        for item in Batch.objects.exclude(pk=drifting.batch.pk).values_list("items", flat=True):
            truth = criterion.options[int(rng.integers(3))].id
            Rating.objects.filter(item=item, criterion=criterion.id).update(option=truth)
            two = Rating.objects.filter(item=item, criterion=criterion.id).order_by("pk")[int(rng.integers(6))]
            Rating.objects.filter(pk=two.pk).update(option=criterion.options[int(rng.integers(3))].id)
    mine = Rating.objects.filter(batch=last, assignment__participant=odd)
    for rating in mine:
        options = spec.by_id[rating.criterion_id].options
        mine.filter(pk=rating.pk).update(option=options[int(rng.integers(3))].id)
    rebuild_study(drifting.study, now=NOW)
    line = {line.key: line for line in lines_of(drifting)}["week-4"]
    assert (line.cause, line.annotator) == (ANNOTATOR, "maple")
    figure = quality_batches.cause_figure(line)
    assert figure.text == "▼ one annotator: maple"
    assert f"Without maple, kappa of the batch is {number(line.without.kappa_without)}" in figure.why


# --- page and fragment -------------------------------------------------------------------------------------


def test_nothing_newer_is_a_304_and_costs_one_look_up(drifting: Cast, django_assert_num_queries):
    client = signed_in(drifting.lead)
    first = client.get(fragment_url(drifting))
    known = first.headers["ETag"].strip('"')
    with django_assert_num_queries(4):
        assert client.get(fragment_url(drifting), {"v": known}).status_code == 304
    assert client.get(fragment_url(drifting), headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def test_the_choice_moves_the_address_and_survives(drifting: Cast):
    client = signed_in(drifting.lead)
    query = {"annotator": "drifter", "criterion": "listening", "page": "1"}
    moved = client.get(fragment_url(drifting), query, headers={"HX-Trigger": "board-form"})
    assert moved.headers["HX-Replace-Url"] == f"{page_url(drifting)}?annotator=drifter&criterion=listening"
    html = client.get(page_url(drifting), query).content.decode()
    assert re.findall(r'<option value="(\w+)" selected', html) == ["listening", "drifter", "cusum"]


@pytest.mark.parametrize("value", ["", "x", "\x00", "999999999999999999999", "-1", "ü" * 300])
def test_nonsense_in_the_query_shows_the_usual_page(drifting: Cast, value: str):
    query = dict.fromkeys(("annotator", "criterion", "people", "page", "v"), value)
    assert signed_in(drifting.lead).get(fragment_url(drifting), query).status_code == 200


def test_annotators_stand_on_pages(drifting: Cast, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("reporting.board.quality_page.PEOPLE", 3)
    page = quality_page(drifting.study, {"people": "2"})
    assert len(page["rows"]) == 3
    html = signed_in(drifting.lead).get(page_url(drifting, "?people=2")).content.decode()
    assert "Page 2 of 3" in html
    assert "people=3" in html
