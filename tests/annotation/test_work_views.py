"""The annotator's pages as a browser without JavaScript sees them, and what they must never show."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Rating, RatingRevision, Seat
from annotation.selectors.work import dialogue_page
from annotation.services.claiming import expire_leases
from annotation.services.status import set_status
from tests.annotation.work_pages import answer_all, rate_url, sign_in, text_of
from tests.cast import Cast
from tests.factories import StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import (
    HIDDEN_WORDS,
    CriterionFactory,
    ExampleFactory,
    OptionFactory,
    VersionFactory,
    make_scale_version,
    publish,
)

pytestmark = pytest.mark.django_db


# --- the plain form ------------------------------------------------------------------------------------
def test_a_whole_batch_can_be_rated_without_javascript(annotator: Client, assignment: Assignment):
    end = answer_all(annotator, assignment)
    assert Rating.objects.count() == 24
    page = annotator.post(end, {"feedback": " Clear task. "}, follow=True)
    assert "Thank you" in text_of(page)
    done = Assignment.objects.get()
    assert (done.status, done.feedback) == ("submitted", "Clear task.")


def test_a_scale_is_rated_two_questions_a_page(cast: Cast):
    study = StudyFactory(protocol_version=make_scale_version())
    participant = make_annotator(study, "scaler")
    assignment = take_seat(participant, make_batch(study, 2, 2))
    answer_all(sign_in(participant.user), assignment)
    assert Rating.objects.count() == 8


def test_whole_dialogues_can_be_rated(cast: Cast):
    study = StudyFactory(protocol_version=make_scale_version(unit="dialogue"))
    participant = make_annotator(study, "scaler")
    assignment = take_seat(participant, make_batch(study, 2, 0))
    client = sign_in(participant.user)
    assert "The whole dialogue" in text_of(client.get(rate_url(assignment)))
    answer_all(client, assignment)
    assert Rating.objects.count() == 4


def test_a_missing_answer_is_said_beside_its_field(annotator: Client, assignment: Assignment):
    response = annotator.post(rate_url(assignment), {})
    assert response.status_code == 422
    assert "Choose one of the answers to “Appropriateness”." in text_of(response)


def test_a_text_that_is_too_short_comes_back_with_its_mistake(annotator: Client, assignment: Assignment):
    data = {"appropriateness-option": "3", "appropriateness-text-3": "no <idea>"}
    response = annotator.post(rate_url(assignment), data)
    assert response.status_code == 422
    page = text_of(response)
    assert "Write 3 to 30 words. Your text has 2." in page
    assert "no &lt;idea&gt;</textarea>" in page


def test_one_wrong_question_of_a_page_does_not_lose_the_other(cast: Cast):
    study = StudyFactory(protocol_version=make_scale_version())
    participant = make_annotator(study, "scaler")
    assignment = take_seat(participant, make_batch(study, 1, 1))
    assert sign_in(participant.user).post(rate_url(assignment), {"fluency-option": "2"}).status_code == 422
    assert Rating.objects.get().criterion.key == "fluency"


def test_the_text_of_an_option_that_was_not_chosen_is_not_sent(annotator: Client, assignment: Assignment):
    data = {
        "appropriateness-option": "1",
        "appropriateness-text-3": "I really cannot say",
        "appropriateness-text-1": "",
    }
    assert annotator.post(rate_url(assignment), data).status_code == 302
    assert Rating.objects.get().free_text == ""


def test_a_form_sent_twice_is_one_answer_and_changed_it_is_another(annotator: Client, assignment: Assignment):
    data = {"form_key": "5f1f6a5e-58d4-4c1c-9d0f-2f5f5b0c7d11", "appropriateness-option": "1"}
    for _ in range(2):
        annotator.post(rate_url(assignment), data)
    assert RatingRevision.objects.count() == 1
    annotator.post(rate_url(assignment), data | {"appropriateness-option": "2"})
    assert (RatingRevision.objects.count(), Rating.objects.get().option.key) == (2, "not-appropriate")


def test_going_back_shows_ones_own_answer(annotator: Client, assignment: Assignment):
    data = {
        "appropriateness-option": "2",
        "appropriateness-explanations-2": "a",
        "appropriateness-other-2": "b",
        "appropriateness-text-2": "It ignores the question.",
    }
    annotator.post(rate_url(assignment), data)
    page = annotator.get(rate_url(assignment))
    answer = page.context["steps"][0].only.answer
    assert (answer.option, set(answer.explanations), answer.free_text) == ("2", {"a"}, "It ignores the question.")
    assert (
        '<input type="checkbox" name="appropriateness-other-2" value="other" data-key="b" data-other checked>'
        in text_of(page)
    )


def test_own_words_beside_reasons_are_sent_only_while_other_is_ticked(annotator: Client, assignment: Assignment):
    data = {"appropriateness-option": "2", "appropriateness-text-2": "It ignores the question."}
    assert annotator.post(rate_url(assignment), data).status_code == 302
    assert Rating.objects.get().free_text == ""


def test_other_without_a_text_is_refused_and_stays_ticked(annotator: Client, assignment: Assignment):
    data = {"appropriateness-option": "2", "appropriateness-explanations-2": "a", "appropriateness-other-2": "b"}
    response = annotator.post(rate_url(assignment), data)
    assert response.status_code == 422
    page = text_of(response)
    assert "Write your own reason in 3 to 30 words, or untick “Other”." in page
    assert 'data-key="b" data-other checked>' in page
    assert not Rating.objects.exists()


def test_number_zero_is_the_last_step_of_a_dialogue(annotator: Client, assignment: Assignment):
    assert annotator.get(rate_url(assignment, 0, 0)).context["current"] == 12


def test_pages_of_answers_are_not_kept_by_the_browser(annotator: Client, assignment: Assignment):
    """Or the back button would show a form that is older than its answers."""
    assert "no-store" in annotator.get(rate_url(assignment)).headers["Cache-Control"]


@pytest.mark.parametrize("place", [(0, 13), (7, 1), (2**40, 1), (0, 10**20)])
def test_a_step_that_does_not_exist_is_not_found(annotator: Client, assignment: Assignment, place: tuple):
    assert annotator.get(rate_url(assignment, *place)).status_code == 404


@pytest.mark.parametrize(
    "data", [{"form_key": "x"}, {"appropriateness-option": "9" * 5000}, {"appropriateness-option": "\x00"}]
)
def test_a_malformed_form_is_no_error_of_the_server(annotator: Client, assignment: Assignment, data: dict):
    assert annotator.post(rate_url(assignment), data).status_code == 422


# --- the lease and the end -------------------------------------------------------------------------------
def test_after_the_lease_an_answer_is_kept_and_a_seat_offered_again(cast: Cast, annotator: Client):
    assignment = take_seat(cast.annotator, cast.batch, minutes=-1)
    response = annotator.post(rate_url(assignment), {"appropriateness-option": "1"})
    assert response.status_code == 409
    assert "Take a seat again" in text_of(response)
    assert Rating.objects.count() == 1
    resumed = annotator.post(reverse("claim", args=[cast.batch.token]), follow=True)
    assert Assignment.objects.get().pk == assignment.pk
    assert resumed.redirect_chain[-1][0] == rate_url(assignment, 0, 2)


def test_a_mistake_made_after_the_seat_was_lost_is_named_and_can_still_be_put_right(cast: Cast, annotator: Client):
    assignment = take_seat(cast.annotator, cast.batch, minutes=-1)
    expire_leases(now=timezone.now())
    wrong = {"appropriateness-option": "3", "appropriateness-text-3": "Too short"}
    response = annotator.post(rate_url(assignment), wrong)
    assert response.status_code == 422
    assert "Your text has 2" in text_of(response)
    right = {"appropriateness-option": "3", "appropriateness-text-3": "Too short to say"}
    assert annotator.post(rate_url(assignment), right).status_code == 409
    assert Rating.objects.get().free_text == "Too short to say"


@pytest.mark.parametrize("data", [{}, {"appropriateness-option": "1"}])
def test_a_form_sent_after_the_exclusion_leads_back_to_the_work(cast: Cast, annotator: Client, data: dict):
    assignment = take_seat(cast.annotator, cast.batch)
    set_status(cast.annotator, status="excluded", now=timezone.now())
    assert annotator.post(rate_url(assignment), data).url == reverse("work")
    assert not Rating.objects.exists()


def test_a_batch_begun_and_lapsed_is_offered_before_a_new_one(cast: Cast, annotator: Client):
    make_batch(cast.study, 1, 1, position=1)
    later = make_batch(cast.study, 1, 1, position=2)
    take_seat(cast.annotator, later, minutes=-1)
    page = text_of(annotator.get(reverse("work")))
    assert "You started batch 3, but your seat was released" in page


def test_submitting_too_early_names_the_first_missing_answer_and_leads_there(annotator: Client, assignment: Assignment):
    annotator.post(rate_url(assignment, 0, 1), {"appropriateness-option": "1"})
    submit = reverse("submit", args=[assignment.token])
    assert "23 steps are left. The first missing answer: Dialogue 1, response 2, Appropriateness." in text_of(
        annotator.get(submit)
    )
    response = annotator.post(submit, follow=True)
    assert response.redirect_chain[-1][0] == rate_url(assignment, 0, 2)
    assert "An answer is missing here: Dialogue 1, response 2, Appropriateness." in text_of(response)
    assert Assignment.objects.get().status == "active"


def test_a_submitted_batch_leads_to_its_thanks(annotator: Client, assignment: Assignment):
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    thanks = reverse("thanks", args=[assignment.token])
    for name in ("rate_start", "submit"):
        assert annotator.get(reverse(name, args=[assignment.token])).url == thanks
    assert annotator.get(rate_url(assignment)).url == thanks


def test_the_thanks_come_with_what_is_next(cast: Cast, annotator: Client, assignment: Assignment):
    make_batch(cast.study, 1, 1, position=1)
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    assert "Start batch 2" in text_of(annotator.get(reverse("thanks", args=[assignment.token])))


def test_minutes_left_follow_the_annotators_own_pace_after_ten_answers(annotator: Client, assignment: Assignment):
    steps = [(position, number) for position in (0, 1) for number in range(1, 7)]
    for position, number in steps[:9]:
        key = "appropriateness" if number < 4 else "contextualization"
        annotator.post(rate_url(assignment, position, number), {f"{key}-option": "1"})
    Rating.objects.update(active_ms=10_000)
    assert "at your pace" not in text_of(annotator.get(reverse("work")))
    annotator.post(rate_url(assignment, 1, 4), {"contextualization-option": "1"})
    Rating.objects.update(active_ms=10_000)
    assert "About 3 min left at your pace." in text_of(annotator.get(reverse("work")))  # 14 answers of 10 s


# --- who may see it, and what nobody may see ----------------------------------------------------
NAMES = ("rate_start", "submit", "thanks")


@pytest.mark.parametrize("who", ["owner", "researcher", "lead", "controller", "observer", "stranger"])
def test_nobody_else_opens_an_annotators_work(cast: Cast, assignment: Assignment, who: str):
    client = sign_in(getattr(cast, who))
    urls = [reverse(name, args=[assignment.token]) for name in NAMES]
    for url in [*urls, rate_url(assignment), reverse("rate_dialogue", args=[assignment.token, 0])]:
        assert client.get(url).status_code == 404
        assert client.post(url, {"appropriateness-option": "1"}).status_code in {404, 405}
    assert not Rating.objects.exists()


def test_who_is_not_signed_in_is_led_to_the_sign_in(cast: Cast, assignment: Assignment):
    for url in (reverse("work"), rate_url(assignment), reverse("submit", args=[assignment.token])):
        assert reverse("account_login") in Client().get(url).url


def test_nothing_that_would_unblind_reaches_the_browser(cast: Cast, annotator: Client, assignment: Assignment):
    take_seat(cast.annotators[1], cast.batch)
    answer_all(annotator, assignment)
    urls = [
        rate_url(assignment),
        reverse("rate_dialogue", args=[assignment.token, 1]),
        reverse("guidelines", args=[cast.study.slug]),
        reverse("submit", args=[assignment.token]),
        reverse("work"),
    ]
    for url in urls:
        page = annotator.get(url).content.decode()
        for source in cast.study.sources.all():
            assert source.name not in page
            assert source.key not in page
        for word in (*HIDDEN_WORDS, "follows", "breaks", 'anywhere"', "is_reference", "reference"):
            assert word not in page.replace("It follows", "").replace("does not follow", ""), (url, word)
        for item in cast.batch.items.select_related("candidate"):
            assert item.candidate.key not in page


def test_another_annotators_answer_changes_nothing_on_the_page(cast: Cast, annotator: Client, assignment: Assignment):
    def page() -> str:
        found = text_of(annotator.get(rate_url(assignment)))
        return re.sub(r'value="[\w-]{36,}"|seat until \d\d:\d\d|data-lease="\d+"', "", found)

    before = page()
    answer_all(sign_in(cast.annotators[1].user), take_seat(cast.annotators[1], cast.batch))
    assert page() == before


def test_the_candidates_come_in_another_order_for_another_annotator(cast: Cast):
    study = StudyFactory(protocol_version=cast.version)
    batch = make_batch(study, 1, 8)
    seeds = {}
    for number in (1, 2):
        assignment = take_seat(make_annotator(study, f"rater-{number}"), batch)
        Assignment.objects.filter(pk=assignment.pk).update(seed=number)
        assignment.refresh_from_db()
        seeds[number] = [[item.token for item in dialogue_page(assignment, 0).items] for _ in range(2)]
    assert seeds[1][0] == seeds[1][1]
    assert seeds[1][0] != seeds[2][0]
    assert set(seeds[1][0]) == set(seeds[2][0])


# --- size --------------------------------------------------------------------------------------------------
def test_a_page_costs_the_same_in_a_small_and_a_large_batch(cast: Cast, annotator: Client, django_assert_num_queries):
    small = take_seat(cast.annotator, cast.batch)
    annotator.get(rate_url(small))
    with CaptureQueriesContext(
        connection,
    ) as captured:
        annotator.get(rate_url(small))
    study = StudyFactory(protocol_version=cast.version)
    participant = make_annotator(study, "reader")
    large = take_seat(participant, make_batch(study, 60, 3))
    client = sign_in(participant.user)
    with django_assert_num_queries(len(captured)):
        client.get(rate_url(large, 30, 2))
    assert len(captured) <= 9


def test_a_fragment_is_one_dialogue_and_no_page(annotator: Client, assignment: Assignment):
    page = annotator.get(reverse("rate_dialogue", args=[assignment.token, 1])).content.decode()
    assert page.count('class="step"') == 12
    assert "<html" not in page
    assert 'data-previous="0"' in page
    assert 'data-next="2"' not in page


def test_a_fragment_is_refused_once_the_lease_has_ended(cast: Cast, annotator: Client):
    assignment = take_seat(cast.annotator, cast.batch, minutes=-1)
    assert annotator.get(reverse("rate_dialogue", args=[assignment.token, 0])).status_code == 409


def test_texts_are_escaped_and_keep_their_lines(cast: Cast, annotator: Client, assignment: Assignment):
    candidate = cast.batch.items.get(pk=dialogue_item(assignment).pk).candidate
    candidate.text = "<script>alert(1)</script>\nשלום"
    candidate.save()
    page = annotator.get(rate_url(assignment)).content.decode()
    assert "<script>alert" not in page
    assert 'class="preserve" dir="auto" lang="en">&lt;script&gt;alert(1)&lt;/script&gt;\nשלום' in page


def dialogue_item(assignment: Assignment):
    token = dialogue_page(assignment, 0).items[0].token
    return assignment.batch.items.get(token=token)


# --- guidelines ----------------------------------------------------------------------------------------------
def test_the_guidelines_show_worked_examples_by_label(cast: Cast):
    version = VersionFactory(guidelines="# Read first")
    criterion = CriterionFactory(version=version, name="Fit")
    OptionFactory(criterion=criterion, key="yes", label="It fits")
    ExampleFactory(criterion=criterion, title="At the doctor's")
    study = StudyFactory(protocol_version=publish(version))
    participant = make_annotator(study, "reader")
    page = text_of(sign_in(participant.user).get(reverse("guidelines", args=[study.slug])))
    for part in ("Read first", "Example: At the doctor&#x27;s", "It fits", "It answers."):
        assert part in page


def test_the_guidelines_of_a_study_are_for_its_annotators(cast: Cast):
    assert sign_in(cast.stranger).get(reverse("guidelines", args=[cast.study.slug])).status_code == 404


def test_the_lease_on_the_page_is_what_is_left_of_it(cast: Cast, annotator: Client):
    assignment = take_seat(cast.annotator, cast.batch, minutes=42)
    Seat.objects.filter(assignment=assignment).update(lease_expires_at=timezone.now() + timedelta(seconds=99))
    seconds = annotator.get(rate_url(assignment)).context["lease_seconds"]
    assert 90 <= seconds <= 99
