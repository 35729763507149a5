"""The annotator's pages as a browser without JavaScript sees them, and what they must never show."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Batch, Membership, Participant, Rating, RatingRevision, Seat, Study
from annotation.selectors.work import dialogue_page
from annotation.services.claiming import expire_leases
from annotation.services.joining import make_return_token
from annotation.services.standing import set_standing
from tests.cast import Cast
from tests.factories import (
    HIDDEN_WORDS,
    CriterionFactory,
    ExampleFactory,
    OptionFactory,
    ParticipantFactory,
    StudyFactory,
    VersionFactory,
    make_annotator,
    make_batch,
    make_scale_version,
    publish,
    take_seat,
)

pytestmark = pytest.mark.django_db
Standing = Participant.Standing


def sign_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text_of(response) -> str:
    return re.sub(r"\s+", " ", response.content.decode())


@pytest.fixture
def annotator(cast: Cast) -> Client:
    return sign_in(cast.annotator.user)


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return take_seat(cast.annotator, cast.batch)


def rate_url(assignment: Assignment, position: int = 0, number: int = 1) -> str:
    return reverse("rate", args=[assignment.token, position, number])


def answer_all(client: Client, assignment: Assignment) -> str:
    """Through the plain forms, from the first step to the page that submits. Returns where it ended."""
    url = client.get(reverse("rate_start", args=[assignment.token])).url
    while "submit" not in url:
        _, position, number = url.strip("/").rsplit("/", 2)
        step = dialogue_page(assignment, int(position)).steps[int(number) - 1]
        url = client.post(url, {f"{each.name}-option": "1" for _, each in step.questions}).url
    return url


# --- what is next, or why there is nothing -----------------------------------------------------------
def test_the_work_page_shows_time_pay_and_the_next_batch(cast: Cast, annotator: Client):
    Study.objects.update(pay_amount="4.67", pay_currency="GBP")
    page = text_of(annotator.get(reverse("work")))
    for part in ("Wellbeing dialogues", "35 min", "90 min", "4.67 GBP", "Start batch 1"):
        assert part in page


@pytest.mark.parametrize(
    ("standing", "sentence"),
    [(Standing.PENDING, "has to clear you"), (Standing.PAUSED, "You are paused"), (Standing.EXCLUDED, "not take part")],
)
def test_who_is_not_cleared_reads_why(cast: Cast, annotator: Client, standing: str, sentence: str):
    Participant.objects.update(standing=standing)
    page = text_of(annotator.get(reverse("work")))
    assert sentence in page
    assert "Start batch" not in page


@pytest.mark.parametrize(("status", "sentence"), [("draft", "has not begun yet"), ("closed", "This study is closed")])
def test_a_study_that_is_not_open_says_so(annotator: Client, status: str, sentence: str):
    Study.objects.update(status=status)
    assert sentence in text_of(annotator.get(reverse("work")))


def test_all_seats_taken_is_told_apart_from_nothing_open(cast: Cast, annotator: Client):
    Study.objects.update(seats=1)
    Seat.objects.filter(number__gt=1).delete()
    take_seat(cast.annotators[1], cast.batch)
    assert "All seats are taken" in text_of(annotator.get(reverse("work")))
    Batch.objects.update(status="closed")
    assert "No batch is open" in text_of(annotator.get(reverse("work")))


def test_who_has_done_everything_reads_that(cast: Cast, annotator: Client, assignment: Assignment):
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    page = text_of(annotator.get(reverse("work")))
    assert "You have finished every open batch" in page
    assert "1 batch finished" in page


def test_a_member_of_nothing_is_told_what_to_do(cast: Cast):
    assert "not a member of any study" in text_of(sign_in(cast.stranger).get(reverse("work")))


def test_the_lapsed_seat_of_another_annotator_is_offered(cast: Cast, annotator: Client):
    for other in cast.annotators[1:]:
        take_seat(other, cast.batch, minutes=-5)
    Seat.objects.filter(assignment=None).delete()
    assert "Start batch 1" in text_of(annotator.get(reverse("work")))


def test_the_work_page_costs_the_same_for_many_studies(cast: Cast, annotator: Client, django_assert_max_num_queries):
    for _ in range(5):
        study = StudyFactory(protocol_version=cast.version)
        make_batch(study, 1, 1)
        participant = ParticipantFactory(study=study, user=cast.annotator.user)
        take_seat(participant, make_batch(study, 1, 1, position=1))
    annotator.get(reverse("work"))  # the spec of the version is read once and kept
    with django_assert_max_num_queries(14):  # of them six of who and what passes: gates, platforms, who asks, pay
        assert text_of(annotator.get(reverse("work"))).count("Continue") == 5


# --- consent and claim -------------------------------------------------------------------------------
def test_nothing_can_be_claimed_or_rated_before_the_consent(cast: Cast, annotator: Client, assignment: Assignment):
    Study.objects.update(consent_text="We keep what you answer.")
    consent = reverse("consent", args=[cast.study.slug])
    assert annotator.post(reverse("claim", args=[cast.batch.token])).url == consent
    assert annotator.get(rate_url(assignment)).url == consent
    assert annotator.post(rate_url(assignment), {"appropriateness-option": "1"}).url == consent
    assert not Rating.objects.exists()


def test_the_consent_is_stored_once_with_version_and_time(cast: Cast, annotator: Client):
    Study.objects.update(consent_text="We keep what you answer.", consent_version="2026-03")
    url = reverse("consent", args=[cast.study.slug])
    assert annotator.post(url).status_code == 422
    assert annotator.post(url, {"agree": "on"}).url == reverse("work")
    participant = Participant.objects.get(pk=cast.annotator.pk)
    assert participant.consent_version == "2026-03"
    assert annotator.post(url, {"agree": "on"}).status_code == 302
    assert Participant.objects.get(pk=cast.annotator.pk).consented_at == participant.consented_at


def test_a_new_consent_version_asks_again(cast: Cast, annotator: Client):
    Study.objects.update(consent_text="New.", consent_version="2")
    Participant.objects.update(consent_version="1", consented_at=timezone.now())
    assert "Read and agree" in text_of(annotator.get(reverse("work")))


def test_a_claim_leads_to_the_first_step(cast: Cast, annotator: Client):
    response = annotator.post(reverse("claim", args=[cast.batch.token]), follow=True)
    assert response.redirect_chain[-1][0].endswith("/0/1/")
    assert Assignment.objects.get().participant == cast.annotator


def test_a_refused_claim_says_why(cast: Cast, annotator: Client):
    Seat.objects.all().delete()
    assert "All seats of this batch are taken" in text_of(
        annotator.post(reverse("claim", args=[cast.batch.token]), follow=True)
    )


def test_a_claim_is_never_a_get(cast: Cast, annotator: Client):
    assert annotator.get(reverse("claim", args=[cast.batch.token])).status_code == 405


# --- the plain form ------------------------------------------------------------------------------------
def test_a_whole_batch_can_be_rated_without_javascript(annotator: Client, assignment: Assignment):
    end = answer_all(annotator, assignment)
    assert Rating.objects.count() == 24
    page = annotator.post(end, {"feedback": " Clear task. "}, follow=True)
    assert "Thank you!" in text_of(page)
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
    assert "Write 3 to 30 words: this has 2." in page
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
        "appropriateness-text-2": "It ignores the question.",
    }
    annotator.post(rate_url(assignment), data)
    step = annotator.get(rate_url(assignment)).context["steps"][0]
    answer = step.only.answer
    assert (answer.option, set(answer.explanations), answer.free_text) == ("2", {"a"}, "It ignores the question.")


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
    assert "this has 2" in text_of(response)
    right = {"appropriateness-option": "3", "appropriateness-text-3": "Too short to say"}
    assert annotator.post(rate_url(assignment), right).status_code == 409
    assert Rating.objects.get().free_text == "Too short to say"


@pytest.mark.parametrize("data", [{}, {"appropriateness-option": "1"}])
def test_a_form_sent_after_the_exclusion_leads_back_to_the_work(cast: Cast, annotator: Client, data: dict):
    assignment = take_seat(cast.annotator, cast.batch)
    set_standing(cast.annotator, standing="excluded", now=timezone.now())
    assert annotator.post(rate_url(assignment), data).url == reverse("work")
    assert not Rating.objects.exists()


def test_a_batch_begun_and_lapsed_is_offered_before_a_new_one(cast: Cast, annotator: Client):
    make_batch(cast.study, 1, 1, position=1)
    later = make_batch(cast.study, 1, 1, position=2)
    take_seat(cast.annotator, later, minutes=-1)
    page = text_of(annotator.get(reverse("work")))
    assert "You began batch 3, and your seat is free again" in page


def test_submitting_too_early_names_the_first_missing_answer_and_leads_there(annotator: Client, assignment: Assignment):
    annotator.post(rate_url(assignment, 0, 1), {"appropriateness-option": "1"})
    submit = reverse("submit", args=[assignment.token])
    assert "23 answers are still missing. The first one: dialogue 1, response 2, Appropriateness." in text_of(
        annotator.get(submit)
    )
    response = annotator.post(submit, follow=True)
    assert response.redirect_chain[-1][0] == rate_url(assignment, 0, 2)
    assert "An answer is missing here: dialogue 1, response 2, Appropriateness." in text_of(response)
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


def test_minutes_left_follow_the_annotators_own_pace(annotator: Client, assignment: Assignment):
    assert annotator.get(rate_url(assignment)).context["progress"].minutes_left == 35
    for number in range(1, 7):
        annotator.post(
            rate_url(assignment, 0, number), {f"{'appropriateness' if number < 4 else 'contextualization'}-option": "1"}
        )
    Rating.objects.update(active_ms=10_000)
    assert annotator.get(rate_url(assignment)).context["progress"].minutes_left == 3  # 18 answers of 10 s


# --- who may see it, and what nobody may see (X-5, D-6) ----------------------------------------------------
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
    assert len(captured) <= 8


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
    assert 'class="preserve" dir="auto">&lt;script&gt;alert(1)&lt;/script&gt;\nשלום' in page


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


# --- the invitation --------------------------------------------------------------------------------------------
@pytest.fixture
def invitation(cast: Cast) -> str:
    cache.clear()
    Study.objects.update(is_joinable=True, consent_text="We keep what you answer.")
    return reverse("join", args=[cast.study.join_token])


def test_an_invitation_shows_the_study_before_anybody_joins(invitation: str):
    page = text_of(Client().get(invitation))
    for part in ("Wellbeing dialogues", "35 min", "We keep what you answer."):
        assert part in page


def test_joining_makes_a_pseudonymous_annotator_and_signs_them_in(cast: Cast, invitation: str):
    client = Client()
    assert client.post(invitation, {"agree": "on"}).url == reverse("work")
    participant = Participant.objects.latest("pk")
    assert participant.user.username.startswith("annotator-")
    assert not participant.user.has_usable_password()
    assert participant.standing == Standing.PENDING
    assert participant.consent_version == cast.study.consent_version
    assert Membership.objects.get(user=participant.user).role == Membership.Role.ANNOTATOR
    assert int(client.session["_auth_user_id"]) == participant.user.pk


def test_a_study_that_clears_on_join_lets_people_begin(cast: Cast, invitation: str):
    Study.objects.update(is_clearing_on_join=True)
    client = Client()
    assert "Start batch 1" in text_of(client.post(invitation, {"agree": "on"}, follow=True))


def test_nobody_joins_without_agreeing(invitation: str):
    n_before = Participant.objects.count()
    assert Client().post(invitation).status_code == 422
    assert Participant.objects.count() == n_before


def test_who_is_signed_in_joins_with_that_account(cast: Cast, invitation: str):
    client = sign_in(cast.stranger)
    for _ in range(2):
        assert client.post(invitation, {"agree": "on"}).status_code == 302
    assert Participant.objects.filter(user=cast.stranger).count() == 1
    assert "return_link" not in client.session


def test_who_may_see_the_figures_cannot_join_as_annotator(cast: Cast, invitation: str):
    response = sign_in(cast.observer).post(invitation, {"agree": "on"})
    assert response.status_code == 409
    assert not Participant.objects.filter(user=cast.observer).exists()


@pytest.mark.parametrize("change", [{"is_joinable": False}, {"status": "closed"}, {"status": "draft"}])
def test_a_closed_invitation_lets_nobody_in(cast: Cast, invitation: str, change: dict):
    Study.objects.update(**change)
    n_before = Participant.objects.count()
    assert Client().get(invitation).status_code == 410
    assert Client().post(invitation, {"agree": "on"}).status_code == 410
    assert Participant.objects.count() == n_before


def test_an_invitation_nobody_made_is_not_found():
    assert Client().get(reverse("join", args=["nonsense"])).status_code == 404


def test_one_address_cannot_join_without_end(invitation: str, monkeypatch):
    monkeypatch.setattr("annotation.views.join.time.time", lambda: 1_800_000_000.0)  # no full hour in between
    statuses = [Client().post(invitation, {"agree": "on"}).status_code for _ in range(22)]
    assert statuses == [302] * 20 + [429] * 2


def test_the_return_link_is_shown_once_and_signs_in_elsewhere(invitation: str):
    client = Client()
    page = text_of(client.post(invitation, {"agree": "on"}, follow=True))
    link = re.search(r'value="(http[^"]+/return/[^"]+)"', page).group(1)
    assert "/return/" not in text_of(client.get(reverse("work")))
    elsewhere = Client()
    path = link.removeprefix("http://testserver")
    assert "_auth_user_id" not in (elsewhere.get(path) and elsewhere.session)  # a look at the link signs nobody in
    assert elsewhere.post(path).url == reverse("work")
    assert elsewhere.session["_auth_user_id"] == client.session["_auth_user_id"]


def test_a_return_link_opens_no_account_with_a_password(cast: Cast):
    owner = cast.owner
    owner.set_password("correct horse battery")
    owner.save()
    assert Client().post(reverse("return", args=[make_return_token(owner)])).status_code == 410


def test_a_changed_or_revoked_return_link_opens_nothing(cast: Cast):
    user = cast.annotator.user
    user.set_unusable_password()
    user.save()
    token = make_return_token(user)
    assert Client().post(reverse("return", args=[token[:-2] + "xx"])).status_code == 410
    assert Client().post(reverse("return", args=[token])).status_code == 302
    user.set_unusable_password()
    user.save()
    assert Client().post(reverse("return", args=[token])).status_code == 410


def test_the_lease_on_the_page_is_what_is_left_of_it(cast: Cast, annotator: Client):
    assignment = take_seat(cast.annotator, cast.batch, minutes=42)
    Seat.objects.filter(assignment=assignment).update(lease_expires_at=timezone.now() + timedelta(seconds=99))
    seconds = annotator.get(rate_url(assignment)).context["lease_seconds"]
    assert 90 <= seconds <= 99
