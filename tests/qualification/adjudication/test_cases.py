"""Cases are collected, corrected and put away; in one step one becomes an example of a draft, or a training item."""

import pytest
from django.core.exceptions import ValidationError

from annotation.models import Batch, Dialogue, Source, Study
from annotation.selectors.work import work_of
from annotation.services.claiming import PERSON_STATUSES, claim_seat
from annotation.services.refusals import Refused
from protocols.models import Example, ProtocolVersion
from protocols.services import publish_version
from qualification.adjudication.selectors.cases import cases_of
from qualification.adjudication.services import cases as services
from qualification.adjudication.services.re_rating import settle
from qualification.models import Case, KnownAnswer
from tests.cast import Cast, make_cast
from tests.clock import NOW
from tests.factories import DialogueFactory, make_annotator
from tests.factories_protocols import make_he_version
from tests.qualification.adjudication.conftest import AdjudicatedStudy
from tests.qualification.adjudication.factories import CaseFactory


@pytest.fixture
def cast(db: None) -> Cast:
    """Under a protocol whose bundle is valid, as those are that people publish."""
    return make_cast(seats=2)


def make_case(cast: Cast, **fields: object) -> Case:
    criterion = cast.version.criteria.first()
    return CaseFactory(**{"item": cast.batch.items.first(), "criterion": criterion, "author": cast.lead} | fields)


# --- collected -------------------------------------------------------------------------------------
def test_a_disagreement_is_collected_with_its_answer_and_note(adjudicated: AdjudicatedStudy):
    found = settle(
        adjudicated.disagreed(), option=adjudicated.option("1"), note="Why.", by=adjudicated.trainer, now=NOW
    )
    case = services.collect_disagreement(found, by=adjudicated.trainer, now=NOW)
    assert (case.item, case.option.key, case.note, case.author) == (found.item, "1", "Why.", adjudicated.trainer)
    with pytest.raises(ValidationError, match="already"):
        services.collect_disagreement(found, by=adjudicated.trainer, now=NOW)


def test_a_case_collected_while_it_is_open_learns_the_answer(adjudicated: AdjudicatedStudy):
    found = adjudicated.disagreed()
    case = services.collect_disagreement(found, by=adjudicated.trainer, now=NOW)
    assert case.option is None
    settle(found, option=adjudicated.option("2"), note="", by=adjudicated.trainer, now=NOW)
    case.refresh_from_db()
    assert case.option.key == "2"


def test_cases_are_filtered_by_question_and_shelf(cast: Cast):
    first, second = cast.version.criteria.all()[:2]
    kept, other = make_case(cast, criterion=first), make_case(cast, criterion=second)
    away = make_case(cast, criterion=first, item=cast.batch.items.last(), is_active=False)
    assert set(cases_of(cast.study)) == {kept, other}
    assert list(cases_of(cast.study, criterion=first.key)) == [kept]
    assert list(cases_of(cast.study, is_active=False)) == [away]


def test_a_case_is_put_away_and_brought_back_unless_its_item_is_there_again(cast: Cast):
    case = make_case(cast)
    services.set_active(case, is_active=False, by=cast.lead, now=NOW)
    assert not cases_of(cast.study).exists()
    services.set_active(case, is_active=True, by=cast.lead, now=NOW)
    services.set_active(case, is_active=False, by=cast.lead, now=NOW)
    make_case(cast)
    with pytest.raises(ValidationError, match="already"):
        services.set_active(case, is_active=True, by=cast.lead, now=NOW)


# --- an example of a draft ---------------------------------------------------------------------------
def test_a_case_becomes_an_example_of_a_new_draft_of_the_studys_version(cast: Cast):
    case = make_case(cast)
    draft = services.make_example(case, by=cast.lead, now=NOW)
    assert (draft.parent, draft.status) == (cast.version, "draft")
    example = Example.objects.get(criterion__version=draft)
    assert example.criterion.key == case.criterion.key
    assert example.history == case.item.dialogue.turns
    said = {"text": case.item.candidate.text, "option": case.option.key, "why": case.note}
    assert example.candidates == [said | {"speaker": "", "explanations": []}]
    case.refresh_from_db()
    assert case.version == draft
    assert not Example.objects.filter(criterion__version=cast.version).exists()


def test_the_facts_of_a_dialogue_go_into_the_example_and_into_the_training_item(cast: Cast):
    case = make_case(cast)
    Dialogue.objects.filter(pk=case.item.dialogue_id).update(metadata={"persona": ["I keep bees."], "topic": "work"})
    draft = services.make_example(case, by=cast.lead, now=NOW)
    assert Example.objects.get(criterion__version=draft).facts == ["I keep bees."]
    item = services.make_training_item(case, by=cast.lead, now=NOW)
    assert item.dialogue.metadata == {"persona": ["I keep bees."]}


def test_the_next_case_goes_into_the_same_draft_and_one_case_goes_in_once(cast: Cast):
    one, other = make_case(cast), make_case(cast, item=cast.batch.items.last())
    draft = services.make_example(one, by=cast.lead, now=NOW)
    assert services.make_example(other, by=cast.lead, now=NOW) == draft
    with pytest.raises(Refused, match="already"):
        services.make_example(one, by=cast.lead, now=NOW)
    assert Example.objects.filter(criterion__version=draft).count() == 2


def test_after_the_draft_is_published_the_next_case_opens_another(cast: Cast):
    draft = services.make_example(make_case(cast), by=cast.lead, now=NOW)
    publish_version(draft, now=NOW)
    second = services.make_example(make_case(cast, item=cast.batch.items.last()), by=cast.lead, now=NOW)
    assert second != draft
    assert ProtocolVersion.objects.filter(protocol=cast.version.protocol).count() == 3


def test_a_whole_dialogue_becomes_an_example_without_candidates(adjudicated: AdjudicatedStudy):
    found = adjudicated.disagreed()
    settle(found, option=adjudicated.option("1"), note="Why.", by=adjudicated.trainer, now=NOW)
    found.refresh_from_db()
    case = services.collect_disagreement(found, by=adjudicated.trainer, now=NOW)
    draft = services.make_example(case, by=adjudicated.trainer, now=NOW)
    example = Example.objects.get(criterion__version=draft)
    assert (example.candidates, example.option, example.why) == ([], "1", "Why.")


@pytest.mark.parametrize("make", [services.make_example, services.make_training_item])
def test_a_case_without_an_answer_or_text_can_be_neither(cast: Cast, make):
    with pytest.raises(Refused, match="choose the correct answer"):
        make(make_case(cast, option=None), by=cast.lead, now=NOW)
    case = make_case(cast, item=cast.batch.items.last())
    Dialogue.objects.filter(pk=case.item.dialogue_id).update(turns=[])
    with pytest.raises(Refused, match="with its text"):
        make(case, by=cast.lead, now=NOW)


def test_a_question_that_a_draft_has_no_more_is_refused(cast: Cast):
    draft = services.make_example(make_case(cast), by=cast.lead, now=NOW)
    criterion = draft.criteria.last()
    criterion.key = "another"
    criterion.save()
    with pytest.raises(Refused, match="no longer has"):
        services.make_example(make_case(cast, criterion=cast.version.criteria.last()), by=cast.lead, now=NOW)


# --- a training item -------------------------------------------------------------------------------
def test_a_case_becomes_a_training_item_of_an_open_batch_in_one_step(cast: Cast):
    case = make_case(cast)
    item = services.make_training_item(case, by=cast.lead, now=NOW)
    dialogue = item.dialogue
    assert (dialogue.purpose, dialogue.turns) == ("training", case.item.dialogue.turns)
    assert dialogue != case.item.dialogue
    known = KnownAnswer.objects.get(dialogue=dialogue)
    assert (known.kind, known.options, known.explanation) == ("training", [case.option_id], case.note)
    assert known.candidate.text == case.item.candidate.text
    batch = Batch.objects.get(kind="training")
    assert (batch.status, batch.n_items, batch.seats.count(), batch.items.get()) == ("open", 1, 1, item)
    assert (item.candidate, item.unit, item.source.key) == (known.candidate, "response", Source.EXAMPLES)
    with pytest.raises(Refused, match="already a training item"):
        services.make_training_item(case, by=cast.lead, now=NOW)


def test_a_candidate_is_offered_the_training_item_at_once(cast: Cast):
    Study.objects.update(has_qualification=True)
    candidate = make_annotator(cast.study, "new", status="qualifying")
    services.make_training_item(make_case(cast), by=cast.lead, now=NOW)
    (work,) = work_of(candidate.user_id, PERSON_STATUSES, NOW)
    assert work.next_batch == Batch.objects.get(kind="training")


def test_cases_gather_in_the_training_batch_that_nobody_has_begun(cast: Cast):
    first, second, third = (make_case(cast, item=item) for item in cast.batch.items.order_by("pk")[:3])
    batch = services.make_training_item(first, by=cast.lead, now=NOW).batch
    item = services.make_training_item(second, by=cast.lead, now=NOW)
    assert (item.batch, Batch.objects.get(pk=batch.pk).n_items) == (batch, 2)
    places = list(batch.items.order_by("pk").values_list("dialogue", "position").distinct())
    assert len({place for _dialogue, place in places}) == len({dialogue for dialogue, _place in places})
    claim_seat(make_annotator(cast.study, "new", status="qualifying"), batch, now=NOW)
    assert services.make_training_item(third, by=cast.lead, now=NOW).batch.key == "training-cases-2"
    assert Batch.objects.get(pk=batch.pk).n_items == 2


def test_a_second_question_about_the_same_response_is_explained_where_it_is_shown(cast: Cast):
    one, other = (make_case(cast, criterion=criterion) for criterion in cast.version.criteria.all()[:2])
    items = {services.make_training_item(case, by=cast.lead, now=NOW) for case in (one, other)}
    assert len(items) == 1
    assert KnownAnswer.objects.filter(dialogue=items.pop().dialogue).count() == 2


def test_material_that_waits_for_its_own_training_batch_stays_where_it_is(cast: Cast):
    waiting = DialogueFactory(study=cast.study, purpose="training")
    services.make_training_item(make_case(cast), by=cast.lead, now=NOW)
    assert not waiting.items.exists()


def test_a_case_of_an_earlier_version_trains_for_the_question_of_today(cast: Cast):
    case = make_case(cast)
    cast.study.protocol_version = make_he_version(protocol=cast.version.protocol)
    cast.study.save()
    item = services.make_training_item(case, by=cast.lead, now=NOW)
    known = KnownAnswer.objects.get(dialogue=item.dialogue)
    assert known.criterion.version == cast.study.protocol_version
    assert known.criterion.key == case.criterion.key
