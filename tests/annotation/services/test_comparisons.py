"""Comparisons are dealt as pairs, given fair sides with the seat, and stored by candidate."""

from collections import Counter
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import Candidate, IdenticalPair, Item, Rating, Study
from annotation.selectors.comparisons import pairs_of_batch
from annotation.selectors.review import reviewed_items, reviewed_states
from annotation.selectors.work import dialogue_page
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.rating import Submission
from annotation.services.refusals import Refused
from protocols.answers import Given
from protocols.services import store_bundle
from tests.comparing import COMPARED, add_dialogue, deal, leanings, make_study, sides_of
from tests.factories import make_annotator
from tests.working import rate_everything, record

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def names_of(study):
    return dict(study.sources.values_list("pk", "key"))


def pairs_shown(study):
    names = names_of(study)
    found = Counter()
    for batch in study.batches.all():
        found.update("".join(names[each][-1] for each in pair) for pair in pairs_of_batch(batch.pk).values())
    return found


def claimed(study, batch, name="anna"):
    return claim_seat(make_annotator(study, name), batch, now=NOW)


# --- dealing -----------------------------------------------------------------------------------------
def test_all_pairs_of_sources_are_compared_for_each_dialogue():
    study = make_study(4, 3)
    (batch,) = deal(study)
    assert pairs_shown(study) == {"ab": 4, "ac": 4, "bc": 4}
    assert batch.n_items == 12
    assert {item.unit for item in batch.items.all()} == {"comparison"}


def test_a_balanced_part_of_the_pairs_is_compared_over_all_deals():
    study = make_study(6, 4)
    deal(study, n_pairs=2, n_dialogues=3)
    deal(study, n_pairs=2)
    assert sorted(pairs_shown(study).values()) == [2] * 6


def test_a_dialogue_that_lists_its_pairs_is_compared_in_those():
    study = make_study(0, 3)
    add_dialogue(study, study.sources.all(), "d0", 0, metadata={"pairs": [["model-c", "model-a"]]})
    add_dialogue(study, study.sources.all(), "d1", 1)
    deal(study, n_pairs=3)
    assert pairs_shown(study) == {"ab": 1, "ac": 2, "bc": 1}


def test_turns_of_one_conversation_show_the_same_pair():
    study = make_study(0, 4)
    for n in range(8):
        add_dialogue(study, study.sources.all(), f"d{n}", n, conversation=f"c{n // 2}")
    (batch,) = deal(study, n_pairs=1)
    shown = pairs_of_batch(batch.pk)
    found = {}
    for item in batch.items.select_related("dialogue"):
        found.setdefault(item.dialogue.conversation, set()).add(shown[item.pk])
    assert [len(each) for each in found.values()] == [1] * 4


def test_identical_texts_are_not_shown_and_are_kept_as_ties():
    study = make_study(2, 2)
    Candidate.objects.filter(dialogue__key="d1").update(text="The same answer.")
    Candidate.objects.filter(dialogue__key="d1", source__key="model-b").update(text=" The same answer.\n")
    (batch,) = deal(study)
    assert batch.items.count() == batch.n_items == 1
    assert IdenticalPair.objects.get(batch=batch).dialogue.key == "d1"
    assert deal(study) == []


def test_nothing_is_dealt_if_all_texts_are_identical():
    study = make_study(2, 2)
    Candidate.objects.update(text="The same answer.")
    with pytest.raises(Refused, match="identical"):
        deal(study)


def test_a_dialogue_with_one_side_is_named_and_nothing_is_dealt():
    study = make_study(2, 2)
    Candidate.objects.get(dialogue__key="d1", source__key="model-b").delete()
    with pytest.raises(Refused, match="only one side to compare: d1"):
        deal(study)
    assert not study.batches.exists()


@pytest.mark.parametrize("how", [{"k": 2}, {"repeat_percent": 101}, {"n_pairs": 0}])
def test_a_deal_that_makes_no_sense_is_refused(how):
    with pytest.raises(Refused):
        deal(make_study(), **how)


def test_pairs_are_refused_where_nothing_is_compared(cast):
    with pytest.raises(Refused, match="compares nothing"):
        deal(cast.study, n_pairs=1)


# --- sides ---------------------------------------------------------------------------------------------
def test_each_source_is_left_as_often_as_right_over_all_batches_of_an_annotator():
    study = make_study(9, 4)
    annotator = make_annotator(study, "anna")
    work = []
    for batch in deal(study, size=3):
        work.append(claim_seat(annotator, batch, now=NOW))
        rate_everything(work[-1], now=NOW)
        submit_assignment(work[-1], feedback="", now=NOW)
        assert max(map(abs, leanings(work).values())) <= 1


def test_a_pair_is_seen_from_both_sides_by_those_who_hold_a_seat():
    study = make_study(6, 3, seats=4)
    (batch,) = deal(study)
    work = [claimed(study, batch, f"person-{n}") for n in range(4)]
    for item in pairs_of_batch(batch.pk):
        assert Counter(sides_of(each)[item] for each in work).most_common(1)[0][1] == 2


def test_work_that_is_taken_up_again_keeps_its_sides():
    study = make_study()
    (batch,) = deal(study)
    before = claimed(study, batch)
    later = NOW + timezone.timedelta(days=1)
    assert claim_seat(before.participant, batch, now=later).swapped == before.swapped != []


def test_some_pairs_are_shown_again_with_their_sides_swapped_and_are_no_results():
    study = make_study(10, 2)
    (batch,) = deal(study, repeat_percent=30)
    work = claimed(study, batch)
    again = Item.objects.filter(batch=batch, is_check=True)
    assert again.count() == 3
    assert len({item.position for item in again}) == 3
    for item in again:
        assert item.position > item.repeats.position
        assert (item.pk in work.swapped) != (item.repeats_id in work.swapped)
        first, second = (dialogue_page(work, each.position).items[0].texts for each in (item.repeats, item))
        assert first == second[::-1]


# --- answers -------------------------------------------------------------------------------------------
CODES = {"much-left": "1", "left": "2", "equal": "3", "right": "4", "much-right": "5", "bad": "6", "unsure": "7"}
MIRRORED = {"much-left": "much-right", "left": "right", "right": "left", "much-right": "much-left"}


def answer(work, item, pressed):
    record(work, Submission(item.token, "better", Given(CODES[pressed]), uuid4()), now=NOW)
    return Rating.objects.get(assignment=work, item=item)


@pytest.mark.parametrize("pressed", CODES)
def test_an_answer_is_stored_by_candidate_and_shown_on_the_side_it_was_given(pressed):
    study = make_study(2, 2)
    (batch,) = deal(study)
    work = claimed(study, batch)
    swapped, plain = sorted(batch.items.all(), key=lambda item: item.pk not in work.swapped)
    for item, stored in ((swapped, MIRRORED.get(pressed, pressed)), (plain, pressed)):
        rating = answer(work, item, pressed)
        assert (rating.option.key, rating.is_swapped) == (stored, item.pk in work.swapped)
        page = dialogue_page(work, item.position)
        assert page.steps[0].part.questions[0].answer.option == CODES[pressed]
        texts = dict(Candidate.objects.values_list("pk", "text"))
        left, right = reversed(item.shown) if item.pk in work.swapped else item.shown
        assert page.items[0].texts == (texts[left], texts[right])
    (state,) = [each for each in reviewed_states(work) if each.pk == swapped.pk]
    (reviewed,) = reviewed_items(work, [state])
    label = study.protocol_version.criteria.get().options.get(key=pressed).label
    assert reviewed.answers[0].labels == (label,)
    assert reviewed.excerpts == (texts[swapped.shown[1]], texts[swapped.shown[0]])


def test_reasons_are_stored_with_the_mirror_they_belong_to():
    doc = COMPARED | {"protocol": "why"}
    reasons = [{"key": key, "text": f"It is {key}.", "sub_dimension": key} for key in ("short", "kind")]
    chosen = {"asks": "explanation", "explanations": reasons}
    options = [
        {"key": "l", "label": "L", "role": "left", **chosen}, {"key": "r", "label": "R", "role": "right", **chosen},
    ]  # fmt: skip
    doc["criteria"] = [doc["criteria"][0] | {"options": options, "examples": []}]
    study = make_study(2, 2, version=store_bundle(doc, publish=True, now=NOW)[0])
    (batch,) = deal(study)
    work = claimed(study, batch)
    item = batch.items.get(pk=work.swapped[0])
    record(work, Submission(item.token, "better", Given("1", ("b",)), uuid4()), now=NOW)
    rating = Rating.objects.get()
    assert rating.option.key == "r"
    assert list(rating.option.explanations.filter(pk__in=rating.explanations).values_list("key", flat=True)) == ["kind"]
    answered = dialogue_page(work, item.position).steps[0].part.questions[0].answer
    assert (answered.option, answered.explanations) == ("1", frozenset("b"))


def test_responses_beside_a_comparison_are_rated_alone():
    doc = COMPARED | {"protocol": "both"}
    alone = {
        "key": "clear", "name": "Clear", "question": "Is it clear?", "unit": "response",
        "options": [{"key": "y", "label": "Yes", "role": "positive"}, {"key": "n", "label": "No", "role": "negative"}],
    }  # fmt: skip
    doc["criteria"] = [*doc["criteria"], alone]
    study: Study = make_study(2, 3, version=store_bundle(doc, publish=True, now=NOW)[0])
    (batch,) = deal(study, n_pairs=1)
    assert Counter(batch.items.values_list("unit", flat=True)) == {"comparison": 2, "response": 4}
    work = claimed(study, batch)
    assert [len(step.parts) for step in dialogue_page(work, 1).steps] == [1, 1, 1]
