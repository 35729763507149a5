"""The candidate's way: questions, training, qualification, result; in this order, and judged on the server only."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Batch, Candidate, Dialogue, Participant, Rating, Source, Study
from annotation.selectors.work import dialogue_page
from annotation.services.claiming import claim_seat, expire_leases, submit_assignment
from annotation.services.people import get_or_make_participant
from annotation.services.refusals import Refused
from annotation.services.status import decide_status
from parley.joined import JOINED
from protocols.models import Example
from qualification.models import KnownAnswer, PayPlan
from qualification.qualifying.selectors.progress import qualification_states
from qualification.qualifying.services.results import override, sweep_attempts
from qualification.qualifying.services.training import make_training
from tests.factories import StudyFactory, UserFactory, make_annotator, make_batch
from tests.factories_protocols import ExampleFactory, ProtocolFactory, make_he_version
from tests.qualification.qualifying.candidates import client_of, text_of
from tests.qualification.qualifying.factories import (
    QualificationFactory,
    QuestionFactory,
    finish,
    like,
    make_candidate,
    make_qualifying_study,
    mostly,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now()
GOOD, POOR = mostly(like(0), 6), like(1)


# --- status --------------------------------------------------------------------------------------
def test_a_newcomer_of_a_qualifying_study_qualifies_and_sees_no_main_batch():
    study, batch = make_qualifying_study()
    main = make_batch(study, position=5)
    newcomer = get_or_make_participant(study, user=UserFactory())
    assert newcomer.status == "qualifying"
    page = text_of(newcomer, "/work/guidelines/" + study.slug + "/")  # they come before the first batch
    assert str(batch.token) in page
    assert str(main.token) not in page
    with pytest.raises(Refused, match="not qualified"):
        claim_seat(newcomer, main, now=NOW)


# --- training --------------------------------------------------------------------------------------
@pytest.fixture
def trained():
    """Examples of two criteria over the same history, a training batch of them, and a candidate."""
    study, batch = make_qualifying_study(is_trained=True)
    version = study.protocol_version
    Example.objects.filter(criterion__version=version).delete()
    history = [{"speaker": "A", "text": "How did it go at the doctor's?"}]
    for criterion, option in zip(version.criteria.all()[:2], ("appropriate", "contextualized"), strict=True):
        text = {"text": "Well, thank you.", "option": option, "why": f"It fits: {criterion.key}."}
        other = {"text": "Trains are late.", "option": f"not-{option}", "why": f"It does not fit: {criterion.key}."}
        ExampleFactory(criterion=criterion, history=history, candidates=[text, other])
    made = make_training(study, by=UserFactory(), now=NOW)
    return study, batch, made[0], make_candidate(study)


@pytest.fixture(autouse=True)
def _drafts(monkeypatch):
    """Examples can be added to a version under test."""
    monkeypatch.setattr("tests.factories_protocols.publish", lambda version: version)


def test_examples_become_one_open_batch_of_dialogues_held_apart(trained):
    study, _batch, training, _candidate = trained
    assert (training.kind, Batch.objects.get(pk=training.pk).status) == ("training", "open")
    dialogue = Dialogue.objects.get(study=study, purpose=Dialogue.Purpose.TRAINING)
    assert sorted(dialogue.candidates.values_list("text", flat=True)) == ["Trains are late.", "Well, thank you."]
    assert KnownAnswer.objects.filter(study=study, kind="training").count() == 4
    assert set(Candidate.objects.filter(dialogue=dialogue).values_list("source__key", flat=True)) == {Source.EXAMPLES}


def test_making_them_twice_changes_nothing(trained):
    study, *_ = trained
    before = Dialogue.objects.count(), Candidate.objects.count(), KnownAnswer.objects.count(), Batch.objects.count()
    assert make_training(study, by=UserFactory(), now=NOW) == []
    after = Dialogue.objects.count(), Candidate.objects.count(), KnownAnswer.objects.count(), Batch.objects.count()
    assert after == before


def test_a_protocol_without_examples_says_so():
    study = StudyFactory(protocol_version=make_he_version(protocol=ProtocolFactory(name="Bare")))
    with pytest.raises(Refused, match="no examples"):
        make_training(study, by=UserFactory(), now=NOW)


def test_the_qualification_is_refused_until_the_training_is_finished(trained):
    study, batch, training, candidate = trained
    with pytest.raises(Refused, match="Finish the training first"):
        claim_seat(candidate, batch, now=NOW)
    page = text_of(candidate)
    assert str(training.token) in page
    assert str(batch.token) not in page
    finish(candidate, training, like(0))
    assert str(batch.token) in text_of(candidate)
    assert claim_seat(candidate, batch, now=NOW).status == "active"
    assert study.qualification.is_trained


def test_who_is_cleared_by_hand_leaves_the_training_they_have_begun(trained):
    study, _batch, training, candidate = trained
    main = make_batch(study, key="main-1", position=50)
    assignment = claim_seat(candidate, training, now=timezone.now())
    decide_status(candidate, status="cleared", by=UserFactory(), reason="We know her work.", now=NOW)
    assignment.refresh_from_db()
    assert assignment.status == "expired"
    assert str(main.token) in text_of(candidate)
    assert claim_seat(candidate, main, now=timezone.now()).status == "active"


def test_a_member_of_the_panel_who_is_cleared_keeps_the_qualification_they_have_begun(trained):
    study, batch, _training, _candidate = trained
    member = make_annotator(study, "expert", status="qualifying", panel="expert")
    assignment = claim_seat(member, batch, now=timezone.now())
    decide_status(member, status="cleared", by=UserFactory(), reason="An expert.", now=NOW)
    assignment.refresh_from_db()
    assert assignment.status == "active"


def test_the_panel_is_offered_the_qualification_and_no_training(trained):
    study, batch, training, _candidate = trained
    member = make_annotator(study, "expert", status="pending", panel="expert")
    page = text_of(member)
    assert str(batch.token) in page
    assert str(training.token) not in page
    with pytest.raises(Refused):
        claim_seat(member, training, now=NOW)
    assert claim_seat(member, batch, now=NOW).status == "active"


def test_beside_a_qualification_batch_stands_its_own_pay():
    study, _batch = make_qualifying_study()
    PayPlan.objects.create(study=study, qualification_amount="1.20")
    Study.objects.update(pay_amount="4.67", pay_currency="GBP")
    page = text_of(make_candidate(study))
    assert "Pay for a qualification batch" in page
    assert "1.20\u00a0GBP" in page
    assert "4.67" not in page


def test_every_training_answer_is_explained_before_the_next_question(trained):
    _study, _batch, training, candidate = trained
    assignment = claim_seat(candidate, training, now=NOW)
    client = client_of(candidate)
    page = dialogue_page(assignment, 1)
    assert page is not None
    item = page.steps[0].part.item
    url = reverse("rate", args=[assignment.token, 1, 1])
    wrong = "1" if item.text == "Trains are late." else "2"
    answer = client.post(url, {"appropriateness-option": wrong, "form_key": ""})
    assert answer["Location"] == reverse("training_answer", args=[assignment.token, 1, 1])
    explained = client.get(answer["Location"]).content.decode()
    fits = "It fits: appropriateness." if item.text == "Well, thank you." else "It does not fit: appropriateness."
    assert "Not quite" in explained
    assert fits in explained
    assert reverse("rate", args=[assignment.token, 1, 2]) in explained
    client.post(url, {"appropriateness-option": "2" if wrong == "1" else "1", "form_key": ""})
    assert "Correct" in client.get(answer["Location"]).content.decode()


def test_before_the_answer_nothing_is_explained(trained):
    _study, _batch, training, candidate = trained
    assignment = claim_seat(candidate, training, now=NOW)
    url = reverse("training_answer", args=[assignment.token, 1, 1])
    assert client_of(candidate).get(url)["Location"] == reverse("rate", args=[assignment.token, 1, 2])


def test_a_question_without_a_known_answer_leads_straight_on(trained):
    _study, _batch, training, candidate = trained
    training.items.update(asks=[])
    assignment = finish(candidate, training, like(0))
    page = dialogue_page(assignment, 1)
    number = next(step.number for step in page.steps if step.part.questions[0].criterion.key == "listening")
    answer = client_of(candidate).get(reverse("training_answer", args=[assignment.token, 1, number]))
    assert answer.status_code == 302


def test_outside_training_there_is_nothing_to_explain():
    study, batch = make_qualifying_study()
    candidate = make_candidate(study)
    assignment = finish(candidate, batch, like(0))
    url = reverse("training_answer", args=[assignment.token, 0, 1])
    assert client_of(candidate).get(url).status_code == 404


def test_the_training_screen_does_not_send_answers_behind_the_back_of_its_explanations(trained):
    _study, _batch, training, candidate = trained
    assignment = claim_seat(candidate, training, now=NOW)
    page = text_of(candidate, reverse("rate", args=[assignment.token, 1, 1]))
    assert "js/rating-training.js" in page
    assert "js/rating.js" not in page
    assert not {"js/rate.js", "js/rate-outbox.js"} & set(JOINED["js/rating-training.js"])


# --- the result -----------------------------------------------------------------------------------
def test_after_the_submission_the_page_asks_again_until_the_result_is_there():
    study, batch = make_qualifying_study()
    PayPlan.objects.create(study=study, qualification_amount="1.20")
    study.pay_currency = "GBP"
    study.save()
    main = make_batch(study, position=5)
    candidate = make_candidate(study)
    assignment = finish(candidate, batch, GOOD)
    thanks = text_of(candidate, reverse("thanks", args=[assignment.token]))
    assert "is being decided" in thanks
    assert f'hx-get="{reverse("qualification_state", args=[study.slug])}"' in thanks
    assert "is being decided" in text_of(candidate)
    sweep_attempts(now=NOW)
    told = text_of(candidate, reverse("qualification_state", args=[study.slug]))
    assert "You qualified." in told
    assert "1.20 GBP, whatever the result" in told
    assert str(main.token) in told
    assert "hx-get" not in told


def test_who_does_not_qualify_reads_a_kind_sentence_or_the_studys_own():
    study, batch = make_qualifying_study()
    candidate = make_candidate(study)
    finish(candidate, batch, POOR)
    sweep_attempts(now=NOW)
    assert "says little about you" in text_of(candidate)
    study.qualification.failed_text = "Thank you, and see you in the next study."
    study.qualification.save()
    assert "see you in the next study" in text_of(candidate)


def test_no_second_batch_is_offered_while_the_first_is_being_decided():
    study, batch = make_qualifying_study(most_attempts=2)
    second = make_batch(study, position=2, kind="qualification", key="qualification-2")
    candidate = make_candidate(study)
    finish(candidate, batch, GOOD)
    assert str(second.token) not in text_of(candidate)
    with pytest.raises(Refused, match="result of your last batch is not ready"):
        claim_seat(candidate, second, now=NOW)


def test_with_one_attempt_an_undecided_candidate_waits_for_the_team_who_may_give_another():
    study, batch = make_qualifying_study(decision="interval")
    second = make_batch(study, position=2, kind="qualification", key="qualification-2")
    candidate = make_candidate(study)
    finish(candidate, batch, mostly(like(0), 4, 1))
    sweep_attempts(now=NOW)
    assert "The team will look at your answers" in text_of(candidate)
    with pytest.raises(Refused, match="The team will decide"):
        claim_seat(candidate, second, now=NOW)
    override(candidate.attempts.get(), to="undecided", reason="Close call.", by=UserFactory(), now=NOW)
    assert "one more batch" in text_of(candidate)
    assert claim_seat(candidate, second, now=NOW).status == "active"


@pytest.mark.parametrize("answer", [GOOD, POOR])
def test_who_is_decided_while_the_page_is_made_is_still_being_decided_on_it(answer):
    study, batch = make_qualifying_study()
    candidate = make_candidate(study)
    finish(candidate, batch, answer)
    read_before = Participant.objects.select_related("study").get(pk=candidate.pk)
    sweep_attempts(now=NOW)
    assert qualification_states([read_before])[candidate.pk].stage == "deciding"
    read_after = Participant.objects.select_related("study").get(pk=candidate.pk)
    assert qualification_states([read_after])[candidate.pk].stage in ("passed", "failed")


def test_once_the_main_work_has_begun_the_way_is_not_shown_any_more():
    study, batch = make_qualifying_study()
    main = make_batch(study, position=5)
    candidate = make_candidate(study)
    finish(candidate, batch, GOOD)
    sweep_attempts(now=NOW)
    candidate.refresh_from_db()
    claim_seat(candidate, main, now=NOW)
    assert "You qualified" not in text_of(candidate)


def test_a_study_without_a_qualification_shows_none_of_this(django_assert_max_num_queries):
    annotator = make_annotator(StudyFactory(), "plain")
    assert "qualification-steps" not in text_of(annotator)


def test_the_list_of_work_takes_as_many_queries_for_ten_qualifying_studies_as_for_one():
    user = UserFactory()

    def join() -> None:
        study = StudyFactory(has_qualification=True)
        QualificationFactory(study=study, has_comprehension_check=True)
        make_batch(study, kind="qualification")
        QuestionFactory(qualification=study.qualification)
        get_or_make_participant(study, user=user)

    join()
    client = Client()
    client.force_login(user)
    client.get("/work/")
    n_one = queries_of(client)
    for _ in range(9):
        join()
    assert queries_of(client) == n_one


def queries_of(client: Client) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        assert client.get("/work/").status_code == 200
    return len(captured)


def test_training_answers_never_reach_a_figure(trained):
    study, _batch, training, candidate = trained
    finish(candidate, training, like(0))
    assert Rating.objects.filter(batch=training).exists()
    assert study.sources.exclude(key=Source.EXAMPLES).exists()
    assert Assignment.objects.filter(batch__kind="main").count() == 0


def test_an_expired_training_seat_can_be_taken_again(trained):
    _study, _batch, training, candidate = trained
    assignment = claim_seat(candidate, training, now=NOW)
    expire_leases(now=(later := NOW + timedelta(hours=3)))
    assert claim_seat(candidate, training, now=later).pk == assignment.pk
    with pytest.raises(Refused, match="missing"):
        submit_assignment(assignment, feedback="", now=later)
