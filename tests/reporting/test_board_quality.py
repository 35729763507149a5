"""The board's second part: who is worth a look, when somebody drifted, which batch is hard, when the study is done."""

import re
from datetime import timedelta

import numpy as np
import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

import measures.drift
from annotation.figures import alike
from annotation.models import AgreementSnapshot, AnnotatorCell, Batch, Participant, Rating, Study
from annotation.selectors import answers
from annotation.services.agreement import rebuild_study, refresh_batch, sweep
from annotation.services.claiming import claim_seat
from measures.batch_drift import ANNOTATOR, HARD_BATCH, NO_DROP, UNTESTED
from measures.behaviour import speed_scores
from measures.contributors import BELOW_THRESHOLD, MajorityTables, flags, kappa_with_majority
from measures.leave_one_out import leave_one_out
from protocols.specs import spec_of
from reporting import quality, quality_batches
from reporting.figures.drawing import number
from reporting.selectors import board_course
from reporting.selectors.board import board_data
from reporting.selectors.board_annotators import people_of, with_interval
from reporting.selectors.board_batch_drift import HIGHER, drift_lines
from reporting.selectors.board_quality import course_sentence, quality_page
from tests.cast import Cast
from tests.drifting import NAMES, make_drifting_study
from tests.factories import (
    CriterionFactory,
    OptionFactory,
    StudyFactory,
    VersionFactory,
    make_annotator,
    make_batch,
    publish,
)
from tests.he_study import load_he_study
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page_url(cast: Cast, query: str = "") -> str:
    return reverse("board_quality", args=[cast.study.slug]) + query


def fragment_url(cast: Cast) -> str:
    return reverse("board_quality_fragment", args=[cast.study.slug]) + "?page=1"


@pytest.fixture
def drifting(cast: Cast) -> Cast:
    make_drifting_study(cast, now=NOW)
    sweep(now=NOW)
    return cast


def votes_of(study, criterion_key: str) -> tuple[np.ndarray, ...]:
    """Items, annotators, codes and times of all main batches."""
    criterion = spec_of(study.protocol_version).by_key[criterion_key]
    rows = Rating.objects.filter(criterion=criterion.id, batch__study=study, batch__kind="main", is_active=True)
    rows = rows.filter(assignment__seat__isnull=False)
    fields = rows.values_list("item", "assignment__participant", "option", "active_ms")
    items, people, options, times = (np.array(column) for column in zip(*fields, strict=True))
    return items, people, np.array([criterion.index_of(option) for option in options.tolist()]), times


# --- the numbers are those of the votes --------------------------------------------------------------------
@pytest.mark.parametrize("key", ["appropriateness", "listening"])
def test_each_annotator_is_as_computed_from_all_votes_at_once(key: str):
    study = load_he_study(now=NOW)
    sweep(now=NOW)
    data = board_data(study, {"criterion": key})
    items, people, codes, _ = votes_of(study, key)
    found = {person.pk: person for person in people_of(data, data.choice.criteria)}
    wanted = kappa_with_majority(MajorityTables.from_votes(items, people, codes, 3), seed=1, n_resamples=0)
    assert len(found) == len(wanted) > 7
    for each in wanted:
        assert found[each.rater].majority == each
    for left in leave_one_out(items, people, codes, 3, seed=1, n_resamples=0):
        ours = found[left.rater].without
        assert ours.kappa_all == pytest.approx(left.kappa_all, abs=1e-9)
        assert ours.kappa_without == pytest.approx(left.kappa_without, abs=1e-9)


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


def test_a_pilot_is_nobodys_and_a_lost_seat_takes_its_answers_out(cast: Cast):
    pilot = make_batch(cast.study, key="pilot", kind="pilot", position=1)
    cast.study.participants.update(panel="expert")  # pilots are for the panel
    rate_everything(claim_seat(cast.annotators[0], pilot, now=NOW), now=NOW)
    rate_everything(claim_seat(cast.annotators[1], cast.batch, now=NOW), now=NOW)
    sweep(now=NOW)
    assert [row.pseudonym for row in quality_page(cast.study, {})["rows"]] == [cast.annotators[1].pseudonym]
    sweep(now=NOW + timedelta(minutes=91))
    assert quality_page(cast.study, {})["rows"] == []
    assert not AnnotatorCell.objects.exists()


def test_votes_that_exclude_an_item_are_nobodys():
    version = VersionFactory()
    criterion = CriterionFactory(version=version, key="score", position=0)
    for position, role in enumerate(("positive", "negative", "excluding")):
        OptionFactory(criterion=criterion, position=position, role=role)
    study = StudyFactory(protocol_version=publish(version))
    batch = make_batch(study)
    people = [make_annotator(study, f"a{n}") for n in range(3)]
    for option, person in enumerate(people):
        rate_everything(claim_seat(person, batch, now=NOW), now=NOW, option=option)
    sweep(now=NOW)
    rows = {row.pk: row for row in quality_page(study, {})["rows"]}
    assert set(rows) == {person.pk for person in people[:2]}
    assert "6 answers used" in rows[people[0].pk].kappa.why
    assert len(AnnotatorCell.objects.first().contribution["majority"]) == 2 * 2 + 2


# --- who is worth a look -----------------------------------------------------------------------------------
def test_the_clicker_and_the_hasty_one_come_first_and_say_why(drifting: Cast):
    page = quality_page(drifting.study, {})
    looks = {row.pseudonym: row.look.text for row in page["rows"]}
    assert looks["clicker"] == "▼ Look: agrees less"
    assert looks["hasty"] == "▼ Look: fast"
    assert {looks[name] for name in ("amber", "birch", "cedar", "maple")} == {"nothing unusual"}
    first = page["rows"][0]
    assert first.pseudonym == "clicker"
    assert quality.NO_VERDICT in first.look.why
    assert "Robust z −" in first.look.why


# --- the threshold of the study ----------------------------------------------------------------------------
def with_floor(cast: Cast, floor: float | None):
    cast.study.kappa_floor = floor
    return {row.pseudonym: row for row in quality_page(cast.study, {})["rows"]}


def test_whoever_lies_below_the_threshold_with_the_whole_interval_is_pointed_out(drifting: Cast):
    rows = with_floor(drifting, 0.3)
    assert rows["clicker"].look.text == "▼ Look: below the threshold, agrees less"
    assert rows["clicker"].limits.text.endswith(" < 0.30")
    assert "The whole interval lies below the threshold of the study, 0.30." in rows["clicker"].limits.why
    assert "below the threshold" not in rows["drifter"].look.text
    assert "does not lie below the threshold of the study, 0.30" in rows["drifter"].limits.why


def test_an_interval_that_holds_the_threshold_points_nobody_out(drifting: Cast):
    kappas = {person.pseudonym: person for person in people_of(*_people(drifting))}
    upper = with_interval(kappas["drifter"], seed=drifting.study.seed).kappa.high
    assert "below the threshold" not in with_floor(drifting, upper - 0.01)["drifter"].look.text
    assert "below the threshold" in with_floor(drifting, upper + 0.05)["drifter"].look.text


def _people(cast: Cast):
    data = board_data(cast.study, {})
    return data, alike(data.choice.criteria)[0]


@pytest.mark.parametrize("floor", [-0.2, 0.3, 0.5, 0.74, 0.9])
def test_flags_are_those_of_intervals_of_everybody(drifting: Cast, floor: float):
    """Only those below the threshold are resampled on the board."""
    drifting.study.kappa_floor = floor
    people = people_of(*_people(drifting))
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


def test_nobody_is_below_the_threshold_with_fewer_than_twenty_answers(cast: Cast):
    for annotator in cast.annotators:
        assignment = claim_seat(annotator, cast.batch, now=NOW)
        rate_everything(assignment, now=NOW, n=18, option=0)
    for rating in Rating.objects.filter(assignment__participant=cast.annotators[2]):
        rating.option = rating.criterion.options.all()[1]
        rating.save()
    for rating in Rating.objects.filter(item=cast.batch.items.first()):
        rating.option = rating.criterion.options.all()[2]
        rating.save()
    sweep(now=NOW)
    odd = with_floor(cast, 0.9)[cast.annotators[2].pseudonym]
    assert 10 <= int(re.search(r"(\d+) answers used", odd.kappa.why)[1]) < 20
    assert odd.look.text == "too few answers"
    assert "Not held against the threshold of the study, 0.90, with fewer than 20 answers." in odd.limits.why
    assert " < " not in odd.limits.text


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
        r"\d+ answers used; \d+ left out because the others tied, 0 because there were none", row.kappa.why
    )
    before, after = row.without.text.split(" → ")
    assert float(after) > float(before)
    ends = re.search(r"interval (\S+) to (−?[\d.]+)", row.kappa.why)
    assert row.limits.text == " … ".join(ends.groups())
    assert ends[0] in row.limits.why


def test_nobody_is_pointed_out_below_twenty_answers(cast: Cast):
    for n, option in enumerate((0, 0, 1)):
        rate_everything(claim_seat(cast.annotators[n], cast.batch, now=NOW), now=NOW, option=option)
    sweep(now=NOW)
    rows = quality_page(cast.study, {"criterion": "listening"})["rows"]
    assert {row.look.text for row in rows} == {"too few answers"}
    assert not any(row.is_flagged for row in rows)


def test_one_annotator_alone_is_dashes_with_reasons(cast: Cast):
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW)
    sweep(now=NOW)
    (row,) = quality_page(cast.study, {})["rows"]
    assert {figure.text for figure in (row.kappa, row.agreement, row.without, row.entropy, row.pace)} == {"–"}
    assert "24 because there were none" in row.kappa.why
    html = signed_in(cast.lead).get(page_url(cast)).content.decode()
    assert not re.search(r"\b(nan|None|inf)\b", html)


def test_leads_see_pseudonyms_and_no_names(cast: Cast):
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW)
    sweep(now=NOW)
    html = signed_in(cast.lead).get(page_url(cast)).content.decode()
    assert cast.annotator.pseudonym in html
    assert cast.annotator.user.username not in html.replace(cast.annotator.pseudonym, "")


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


def test_whoever_began_badly_is_held_to_the_median(drifting: Cast):
    page = quality_page(drifting.study, {"annotator": "clicker"})
    assert not page["course"].is_own
    assert "held to the median of the annotators" in page["course_words"]


def test_a_course_of_few_answers_says_so_and_draws_nothing(cast: Cast):
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW, n=3)
    sweep(now=NOW)
    page = quality_page(cast.study, {})
    assert page["course_picture"] == ""
    assert "too few for a chart" in page["course_words"]


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


def test_every_reason_of_a_chart_has_a_sentence():
    words = {value for name, value in vars(measures.drift).items() if name.isupper() and isinstance(value, str)}
    assert words == {"too_few_items", "baseline_too_low"}


# --- batches -----------------------------------------------------------------------------------------------
def test_the_hard_batch_is_called_hard(drifting: Cast):
    lines = {line.key: line for line in _lines(drifting)}
    assert set(lines) == {"week-1", "week-2", "week-3", "week-4"}
    assert lines["week-3"].verdict == HARD_BATCH
    assert lines["week-1"].verdict in (NO_DROP, HIGHER)
    assert lines["week-3"].p_adjusted <= 0.05
    assert lines["week-3"].p_adjusted >= lines["week-3"].drift.p_value


def _lines(cast: Cast, **query: str):
    data = board_data(cast.study, query)
    return drift_lines(data, alike(data.choice.criteria)[0])


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
    line = {line.key: line for line in _lines(drifting)}["week-4"]
    assert (line.verdict, line.annotator) == (ANNOTATOR, "maple")
    figure = quality_batches.verdict_figure(line)
    assert figure.text == "▼ one annotator: maple"
    assert f"Without maple kappa of the batch is {number(line.without.kappa_without)}" in figure.why


def test_a_single_batch_has_nothing_to_be_compared_with(cast: Cast):
    for n, option in enumerate((0, 1)):
        rate_everything(claim_seat(cast.annotators[n], cast.batch, now=NOW), now=NOW, option=option)
    sweep(now=NOW)
    (line,) = _lines(cast)
    assert line.verdict == UNTESTED
    assert quality_batches.p_figure(line).text == "–"


# --- page and fragment -------------------------------------------------------------------------------------
def test_the_page_says_rate_and_finish(cast: Cast):
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW)
    sweep(now=NOW)
    for url in (page_url(cast), reverse("board", args=[cast.study.slug])):
        html = signed_in(cast.lead).get(url).content.decode()
        assert "24 answers an hour over the last 4 hours." in html
        assert "When the last answer is given if it goes on like that without a break." in html
        assert "48 answers are missing." in html


def test_nothing_newer_is_a_304_and_costs_one_look_up(drifting: Cast, django_assert_num_queries):
    client = signed_in(drifting.lead)
    first = client.get(fragment_url(drifting))
    known = first.headers["ETag"].strip('"')
    with django_assert_num_queries(4):
        assert client.get(fragment_url(drifting), {"v": known}).status_code == 304
    assert client.get(fragment_url(drifting), headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def n_queries(client: Client, url: str) -> int:
    """Of the first reader; what the next ones cost is another test."""
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)


def test_as_many_queries_for_many_batches_and_annotators_as_for_one(cast: Cast):
    client = signed_in(cast.lead)

    def rate(batch: Batch) -> None:
        for option in (0, 1, 0):
            annotator = make_annotator(cast.study, f"rater-{cast.study.participants.count()}")
            rate_everything(claim_seat(annotator, batch, now=NOW), now=NOW, option=option)
        refresh_batch(batch.pk, now=NOW)

    rate(cast.batch)
    rate(make_batch(cast.study, key="second", position=1))
    client.get(page_url(cast))
    before = n_queries(client, page_url(cast))
    for position in range(2, 6):
        rate(make_batch(cast.study, key=f"more-{position}", position=position))
    assert n_queries(client, page_url(cast)) == before
    assert before <= 22


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
    monkeypatch.setattr("reporting.selectors.board_quality.PEOPLE", 3)
    page = quality_page(drifting.study, {"people": "2"})
    assert len(page["rows"]) == 3
    html = signed_in(drifting.lead).get(page_url(drifting, "?people=2")).content.decode()
    assert "Page 2 of 3" in html
    assert "people=3" in html


def test_a_study_without_batches_or_ratings_says_so(cast: Cast):
    client = signed_in(cast.lead)
    assert "No answers in main batches yet" in client.get(page_url(cast)).content.decode()
    cast.batch.items.all().delete()
    cast.batch.delete()
    cache.clear()
    assert "There are no batches yet" in client.get(page_url(cast)).content.decode()
