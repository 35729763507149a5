"""The questions before any batch: chances, explanations, and where the right option stands."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Participant
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from qualification.models import ComprehensionTry
from qualification.qualifying.services.comprehension import asked_of, submit_try
from tests.qualification.qualifying.candidates import client_of, right_places, text_of
from tests.qualification.qualifying.factories import (
    QuestionFactory,
    like,
    make_candidate,
    make_qualifying_study,
    mostly,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now()
GOOD, POOR = mostly(like(0), 6), like(1)


@pytest.fixture
def asked():
    study, batch = make_qualifying_study(has_comprehension_check=True)
    for _ in range(2):
        QuestionFactory(qualification=study.qualification)
    return study, batch, make_candidate(study)


def test_the_questions_come_before_any_batch(asked):
    _study, batch, candidate = asked
    assert "Answer the questions" in text_of(candidate)
    assert str(batch.token) not in text_of(candidate)
    with pytest.raises(Refused, match="questions about the guidelines first"):
        claim_seat(candidate, batch, now=NOW)
    submit_try(candidate, right_places(candidate), now=NOW)
    assert claim_seat(candidate, batch, now=NOW).status == "active"


def test_two_chances_then_no_more(asked):
    study, _batch, candidate = asked
    wrong = {pk: (place + 1) % 3 for pk, place in right_places(candidate).items()}
    first = submit_try(candidate, wrong, now=NOW)
    assert (first.number, first.n_right, first.is_passed) == (1, 0, False)
    assert Participant.objects.get(pk=candidate.pk).status == "qualifying"
    submit_try(candidate, wrong, now=NOW)
    assert Participant.objects.get(pk=candidate.pk).status == "failed"
    assert "in the last try" in candidate.status_changes.get().reason
    with pytest.raises(Refused):
        submit_try(candidate, right_places(candidate), now=NOW)
    assert ComprehensionTry.objects.filter(participant=candidate).count() == study.qualification.most_check_tries


def test_whoever_a_lead_lets_on_after_all_tries_is_not_asked_again(asked):
    _study, batch, candidate = asked
    wrong = {pk: (place + 1) % 3 for pk, place in right_places(candidate).items()}
    for _ in range(2):
        submit_try(candidate, wrong, now=NOW)
    Participant.objects.filter(pk=candidate.pk).update(status="qualifying")
    assert claim_seat(candidate, batch, now=NOW).status == "active"


def test_a_missing_answer_costs_no_try(asked):
    _study, _batch, candidate = asked
    client = client_of(candidate)
    answer = client.post(reverse("comprehension", args=[candidate.study.slug]), {})
    assert (answer.status_code, ComprehensionTry.objects.count()) == (422, 0)
    assert "Answer every question" in answer.content.decode()


@pytest.mark.parametrize("value", ["", "9", "-1", "x", "٣", "99999999999"])
def test_nonsense_is_no_answer(asked, value):
    _study, _batch, candidate = asked
    data = {f"question-{each.pk}": value for each in asked_of(candidate)}
    assert client_of(candidate).post(reverse("comprehension", args=[candidate.study.slug]), data).status_code == 422


def test_after_a_try_one_reads_which_were_right_and_why_but_not_the_right_answer(asked):
    _study, _batch, candidate = asked
    places = right_places(candidate)
    one_wrong = places | {min(places): (places[min(places)] + 1) % 3}
    client, path = client_of(candidate), reverse("comprehension", args=[candidate.study.slug])
    page = client.post(path, {f"question-{pk}": place for pk, place in one_wrong.items()}, follow=True).content.decode()
    assert page.count("The dialogue is only read.") == 2
    assert "not correct" in page
    assert "You have 1 try" in page
    assert "Correct answer" not in page


def test_the_place_of_the_right_option_differs_between_candidates(asked):
    study, _batch, _candidate = asked
    found = {tuple(right_places(make_candidate(study, f"c-{at}")).values()) for at in range(12)}
    assert len(found) > 3
