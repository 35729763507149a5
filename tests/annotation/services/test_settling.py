"""What follows from an answer: questions asked no more or again, and answers that are computed."""

import pytest
from django.utils import timezone

from annotation.models import Item, Rating
from annotation.selectors.progress import first_missing, read_progress
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import submit_assignment
from annotation.services.dependent_answers import stands_above
from annotation.services.refusals import Refused
from protocols.meaning import AROUND
from protocols.models import ProtocolVersion
from tests.api import Api
from tests.factories import UserFactory
from tests.shipped import Work

pytestmark = pytest.mark.django_db
Unit = ProtocolVersion.Unit


# --- dependent questions ---------------------------------------------------------------------------------
@pytest.fixture
def diqad() -> Work:
    return Work("diqad-1.0").has_read_all()


def test_an_answer_to_a_question_not_asked_any_more_rests_and_comes_back(diqad: Work):
    item = diqad.items("dialogue")[0]
    diqad.answer(item, "score", "1")
    diqad.answer(item, "reasons_1", "incomplete")
    assert diqad.state(item) == {"score": True, "reasons_1": True}
    diqad.answer(item, "score", "0")
    assert diqad.state(item) == {"score": True, "reasons_1": False}
    diqad.answer(item, "score", "1")
    assert diqad.state(item) == {"score": True, "reasons_1": True}


def test_an_answer_that_comes_before_the_one_it_depends_on_waits_for_it(diqad: Work):
    item = diqad.items("dialogue")[0]
    diqad.answer(item, "reasons_1", "incomplete")
    assert diqad.state(item) == {"reasons_1": False}
    diqad.answer(item, "score", "1")
    assert diqad.state(item) == {"score": True, "reasons_1": True}


def test_what_is_wanted_depends_on_what_was_answered(diqad: Work):
    item, other = diqad.items("dialogue")
    assert (read_progress(diqad.assignment).n_done, read_progress(diqad.assignment).n_wanted) == (0, 4)
    diqad.answer(item, "knowledge", "no")
    diqad.answer(item, "score", "0")
    assert (read_progress(diqad.assignment).n_done, read_progress(diqad.assignment).n_wanted) == (2, 5)
    assert first_missing(diqad.assignment) == item.position
    diqad.answer(item, "reasons_0", "not_relevant")
    assert first_missing(diqad.assignment) == other.position
    diqad.answer(other, "knowledge", "no")
    with pytest.raises(Refused, match="1 answer is still missing"):
        submit_assignment(diqad.assignment, feedback="", now=timezone.now())
    diqad.answer(other, "score", "2")
    assert first_missing(diqad.assignment) == other.position, "marking turns is optional: no turn is an answer"
    diqad.answer(other, "support")
    assert first_missing(diqad.assignment) is None
    assert submit_assignment(diqad.assignment, feedback="", now=timezone.now()).status == "submitted"


def test_an_answer_that_rests_is_no_vote(diqad: Work):
    item = diqad.items("dialogue")[0]
    diqad.answer(item, "score", "1")
    refresh_batch(diqad.assignment.batch_id, now=timezone.now())
    cells = {cell.criterion.key: cell for cell in diqad.assignment.batch.snapshot.cells.all()}
    assert set(cells) == {"score"}, "several choices and marked turns are no votes of one option"


def test_marked_turns_are_turns_of_the_dialogue(diqad: Work):
    item = diqad.items("dialogue")[0]
    diqad.answer(item, "score", "2")
    diqad.answer(item, "support", turns=(2, 1))
    assert Rating.objects.get(criterion__key="support").turns == [1, 2]


# --- computed answers ------------------------------------------------------------------------------------
@pytest.fixture
def persona() -> Work:
    return Work("persona-quality-1.0", n_sources=2)


def test_two_yes_or_no_answers_compute_one_three_or_five(persona: Work):
    one, other = persona.items("candidate_set")[:2]
    model = next(item for item in persona.items("model") if item.source_id == one.source_id)
    persona.answer(one, "set_diverse", "yes")
    assert persona.computed(one) is None, "half of it says nothing"
    persona.answer(model, "corpus_diverse", "yes")
    assert (persona.computed(one), persona.computed(other)) == ("5", None)
    persona.answer(model, "corpus_diverse", "no")
    assert persona.computed(one) == "3"
    persona.answer(one, "set_diverse", "no")
    assert persona.computed(one) == "1"


def test_an_answer_about_a_model_counts_for_its_own_sets_alone(persona: Work):
    sets = persona.items("candidate_set")
    for item in sets:
        persona.answer(item, "set_diverse", "yes")
    model = persona.items("model")[0]
    persona.answer(model, "corpus_diverse", "no")
    assert {persona.computed(item) for item in sets if item.source_id == model.source_id} == {"3"}
    assert {persona.computed(item) for item in sets if item.source_id != model.source_id} == {None}


def test_computed_answers_are_votes_and_are_not_asked_for(persona: Work):
    one = persona.items("candidate_set")[0]
    model = next(item for item in persona.items("model") if item.source_id == one.source_id)
    wanted = read_progress(persona.assignment).n_wanted
    assert wanted == 8 * 3 + 4 + 2, "three questions of 8 responses, one of 4 sets, one of 2 models"
    persona.answer(one, "set_diverse", "yes")
    persona.answer(model, "corpus_diverse", "yes")
    assert read_progress(persona.assignment).n_done == 2
    refresh_batch(persona.assignment.batch_id, now=timezone.now())
    cells = {cell.criterion.key for cell in persona.assignment.batch.snapshot.cells.all()}
    assert cells == {"set_diverse", "corpus_diverse", "diversity"}


def test_a_question_of_another_unit_is_refused(persona: Work):
    with pytest.raises(Refused, match="not one of your items"):
        persona.answer(persona.items("model")[0], "quality", "3")


# --- what others read ------------------------------------------------------------------------------------
def test_the_api_tells_several_choices_marked_turns_and_what_rests(diqad: Work):
    item, other = diqad.items("dialogue")
    diqad.answer(item, "score", "1")
    diqad.answer(item, "reasons_1", "incomplete", "less_informative")
    diqad.answer(item, "score", "0")
    diqad.answer(other, "score", "2")
    diqad.answer(other, "support", turns=(1,))
    owner = diqad.study.memberships.create(user=UserFactory(), role="owner").user
    results = Api(owner).get("api_ratings", diqad.study.slug).json()["results"]
    rows = {(row["dialogue"], row["criterion"]): row for row in results}
    rests = rows[item.dialogue.key, "reasons_1"]
    assert (rests["options"], rests["option"], rests["is_counted"]) == (["incomplete", "less_informative"], None, False)
    marked = rows[other.dialogue.key, "support"]
    assert (marked["turns"], marked["version"], marked["unit"], marked["is_counted"]) == ([1], "1.0", "dialogue", True)


def test_the_api_tells_ratings_of_a_whole_model(persona: Work):
    persona.answer(persona.items("model")[0], "corpus_diverse", "yes")
    owner = persona.study.memberships.create(user=UserFactory(), role="owner").user
    [row] = Api(owner).get("api_ratings", persona.study.slug).json()["results"]
    assert (row["unit"], row["dialogue"], row["candidate"], row["option"]) == ("model", None, None, "yes")


def test_an_answer_is_computed_from_those_that_a_protocol_may_name():
    """A bundle with another dependence is refused: its rule would never hold."""
    items = [
        Item(unit=Unit.RESPONSE, dialogue_id=1, source_id=1, candidate_id=1),
        Item(unit=Unit.CANDIDATE_SET, dialogue_id=1, source_id=1),
        Item(unit=Unit.MODEL, source_id=1),
        Item(unit=Unit.DIALOGUE, dialogue_id=1),
    ]
    for item in items:
        assert {other.unit for other in items if stands_above(other, item)} == AROUND.get(item.unit, {item.unit})
