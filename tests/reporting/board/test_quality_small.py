"""The board's second part where there is little to say: few answers, one annotator, one batch, a pilot."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

import measures.drift
from annotation.models import AnnotatorCell, Batch, Rating
from annotation.services.agreement import refresh_batch, sweep
from annotation.services.claiming import claim_seat
from measures.batch_drift import UNTESTED
from measures.contributors import MajorityTables, kappa_with_majority
from measures.leave_one_out import leave_one_out
from reporting.board import quality_batches
from reporting.board.annotators import people_of
from reporting.board.quality_page import quality_page
from reporting.board.rows import board_data
from reporting.explained import WARNINGS
from tests.cast import Cast
from tests.factories import StudyFactory, make_annotator, make_batch
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, publish
from tests.reporting.board.explained import assert_explained, read
from tests.reporting.board.pages import n_queries, signed_in
from tests.reporting.board.quality_pages import NOW, lines_of, page_url, votes_of, with_floor
from tests.working import rate_everything

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", ["appropriateness", "listening"])
def test_each_annotator_is_as_computed_from_all_votes_at_once(key: str, measured_he_study):
    data = board_data(measured_he_study, {"criterion": key})
    items, people, codes, _ = votes_of(measured_he_study, key)
    found = {person.pk: person for person in people_of(data, data.choice.criteria)}
    wanted = kappa_with_majority(MajorityTables.from_votes(items, people, codes, 3), seed=1, n_resamples=0)
    assert len(found) == len(wanted) > 7
    for each in wanted:
        assert found[each.rater].majority == each
    for left in leave_one_out(items, people, codes, 3, seed=1, n_resamples=0):
        ours = found[left.rater].without
        assert ours.kappa_all == pytest.approx(left.kappa_all, abs=1e-9)
        assert ours.kappa_without == pytest.approx(left.kappa_without, abs=1e-9)


def test_a_pilot_is_nobodys_and_a_lost_seat_takes_its_answers_out(cast: Cast):
    pilot = make_batch(cast.study, key="pilot", kind="pilot", position=1)
    cast.study.participants.update(panel="expert")  # pilots are for the panel
    rate_everything(claim_seat(cast.annotators[0], pilot, now=NOW), now=NOW)
    rate_everything(claim_seat(cast.annotators[1], cast.batch, now=NOW), now=NOW)
    sweep(now=NOW)
    assert [row.pseudonym for row in quality_page(cast.study, {})["rows"]] == [cast.annotators[1].pseudonym]
    sweep(now=NOW + timedelta(minutes=91))
    assert quality_page(cast.study, {})["rows"] == []
    assert not AnnotatorCell.objects.filter(snapshot__study=cast.study).exists()


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
    cell = AnnotatorCell.objects.filter(snapshot__study=study).first()
    assert len(cell.contribution["majority"]) == 2 * 2 + 2


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
    assert "Not compared with the study's threshold, 0.90: there are fewer than 20 answers." in odd.limits.why
    assert " < " not in odd.limits.text


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
    assert "24 because nobody else answered" in row.kappa.why
    html = signed_in(cast.lead).get(page_url(cast)).content.decode()
    assert not re.search(r"\b(nan|None|inf)\b", html)


def test_leads_see_pseudonyms_and_no_names(cast: Cast):
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW)
    sweep(now=NOW)
    html = signed_in(cast.lead).get(page_url(cast)).content.decode()
    assert cast.annotator.pseudonym in html
    assert cast.annotator.user.username not in html.replace(cast.annotator.pseudonym, "")


def test_a_course_of_few_answers_says_so_and_draws_nothing(cast: Cast):
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW, n=3)
    sweep(now=NOW)
    page = quality_page(cast.study, {})
    assert page["course_picture"] == ""
    assert "too few for a chart" in page["course_words"]


def test_every_reason_of_a_chart_has_a_sentence():
    words = {value for name, value in vars(measures.drift).items() if name.isupper() and isinstance(value, str)}
    assert words == {"too_few_items", "baseline_too_low"}


def test_a_single_batch_has_nothing_to_be_compared_with(cast: Cast):
    for n, option in enumerate((0, 1)):
        rate_everything(claim_seat(cast.annotators[n], cast.batch, now=NOW), now=NOW, option=option)
    sweep(now=NOW)
    (line,) = lines_of(cast)
    assert line.cause == UNTESTED
    assert quality_batches.p_figure(line).text == "–"


def test_the_page_says_rate_and_finish(cast: Cast):
    now = timezone.now()  # of this test: an hour may have begun since the module was read
    rate_everything(claim_seat(cast.annotator, cast.batch, now=now), now=now)
    sweep(now=now)
    for url in (page_url(cast), reverse("board", args=[cast.study.slug])):
        html = signed_in(cast.lead).get(url).content.decode()
        assert "24 answers per hour over the last 4 hours." in html
        assert "When the last answer will be given if work continues at this pace without a break." in html
        assert "48 answers are missing." in html


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


def test_a_study_without_batches_or_ratings_says_so(cast: Cast):
    client = signed_in(cast.lead)
    assert "No answers in main batches yet" in client.get(page_url(cast)).content.decode()
    cast.batch.items.all().delete()
    cast.batch.delete()
    cache.clear()
    assert "There are no batches yet" in client.get(page_url(cast)).content.decode()


# --- every number explains itself ----------------------------------------------------------------------------
@pytest.mark.parametrize("n", [0, 1, 3])
def test_numbers_of_few_answers_explain_themselves_too(client, cast: Cast, n: int):
    for annotator in cast.annotators[:n]:
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW, n=3)
    refresh_batch(cast.batch.pk, now=NOW)
    for route in ("board", "board_quality"):
        assert_explained(read(client, cast, route))


def test_a_batch_in_which_one_answer_dominates_is_marked(cast: Cast):
    for n, annotator in enumerate(cast.annotators):
        assignment = claim_seat(annotator, cast.batch, now=NOW)
        rate_everything(assignment, now=NOW, option=0)
        if n == 0:
            rating = assignment.ratings.first()
            rating.option = rating.criterion.options.all()[1]
            rating.save()
    refresh_batch(cast.batch.pk, now=NOW)
    row = quality_page(cast.study, {})["batches"][0]
    assert row.batch.is_warned
    assert WARNINGS["dominant_answer"] in row.batch.why
