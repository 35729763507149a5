"""Every annotator compares the pairs of a batch in an order of their own, which never changes."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Assignment, Batch, Item
from annotation.selectors.item_states import item_states
from annotation.selectors.screens import screens_of
from annotation.selectors.work import dialogue_page, missing_step
from annotation.services.claiming import claim_seat, expire_leases
from annotation.services.private_batches import make_private_batch
from protocols.services import store_bundle
from tests.annotation.work_pages import answer_all, sign_in
from tests.clock import NOW
from tests.comparing import COMPARED, deal, make_scenarios, make_study
from tests.factories import make_annotator

pytestmark = pytest.mark.django_db
WHOLE_TOO = {
    "key": "clear",
    "name": "Clear",
    "question": "Is it clear?",
    "unit": "dialogue",
    "options": [{"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}],
}


def order_of(work: Assignment) -> list[int]:
    """The positions as the annotator comes to them."""
    return [screen.position for screen in screens_of(work)]


def claim(study, batch: Batch, name: str = "ann") -> Assignment:
    return claim_seat(make_annotator(study, f"{name}-{study.pk}", pseudonym=name), batch, now=timezone.now())


def orders(study, batch: Batch, n: int = 3) -> list[list[int]]:
    return [order_of(claim(study, batch, f"ann-{at}")) for at in range(n)]


def test_annotators_of_a_batch_see_its_pairs_in_different_orders():
    study = make_study(8, 2, seed=7)
    first, second, third = orders(study, deal(study)[0])
    assert sorted(first) == sorted(second) == sorted(third)
    assert len({tuple(first), tuple(second), tuple(third)}) == 3


def test_the_same_study_gives_the_same_orders():
    first, second = make_study(8, 2, seed=7), make_study(8, 2, seed=7)
    assert orders(first, deal(first)[0]) == orders(second, deal(second)[0])


def test_the_order_is_that_of_the_pages_of_the_strip_and_of_what_is_missing():
    study = make_study(5, 2, seed=7)
    work = claim(study, deal(study)[0])
    order = order_of(work)
    assert order != sorted(order)
    pages = [dialogue_page(work, position).screen for position in order]
    assert [page.piece for page in pages] == [1, 2, 3, 4, 5]
    assert [page.next for page in pages] == [*order[1:], None]
    assert [page.previous for page in pages] == [None, *order[:-1]]
    assert [state.position for state in item_states(work)] == order
    assert missing_step(work)[0].position == order[0]


def test_rating_from_the_first_to_the_last_follows_the_order():
    study = make_study(5, 2, seed=7)
    work = claim(study, deal(study)[0])
    answer_all(sign_in(work.participant.user), work)
    rated = work.ratings.order_by("pk").values_list("item__position", flat=True)
    assert list(rated) == order_of(work)


def test_work_that_is_taken_up_again_keeps_its_order():
    study = make_study(8, 2)
    (batch,), person = deal(study), make_annotator(study, "ann")
    before = order_of(claim_seat(person, batch, now=NOW))
    expire_leases(now=NOW + timedelta(days=30))
    assert order_of(claim_seat(person, batch, now=NOW + timedelta(days=30))) == before


def test_work_that_was_begun_before_orders_were_drawn_keeps_that_of_the_batch():
    study = make_study(8, 2)
    work = claim(study, deal(study)[0])
    work.is_shuffled = False
    assert order_of(work) == sorted(order_of(work))


def test_responses_stay_in_the_order_of_the_batch(cast):
    order = order_of(claim_seat(cast.annotator, cast.batch, now=NOW))
    assert order == sorted(order)


def test_pairs_that_are_shown_again_come_last():
    study = make_study(6, 2, seed=7)
    (batch,) = deal(study, repeat_percent=50)
    again = set(batch.items.filter(repeats__isnull=False).values_list("position", flat=True))
    for order in orders(study, batch):
        assert set(order[-len(again) :]) == again


def test_turns_of_a_conversation_stay_together_and_in_order():
    study = make_study(6, 2, seed=7)
    for dialogue in study.dialogues.order_by("position"):
        number = int(dialogue.key[1:])
        turns = [{"speaker": "AB"[at % 2], "text": f"turn {at}."} for at in range(2 * (number % 3) + 1)]
        study.dialogues.filter(pk=dialogue.pk).update(conversation=f"talk-{number // 3}", turns=turns)
    (batch,) = deal(study, size=6)
    for order in orders(study, batch):
        assert order in ([1, 2, 3, 4, 5, 6], [4, 5, 6, 1, 2, 3])


def test_pairs_of_a_scenario_stay_together_and_before_its_dialogues():
    doc = COMPARED | {"protocol": "both", "criteria": [*COMPARED["criteria"], WHOLE_TOO]}
    study = make_scenarios(3, 3, version=store_bundle(doc, publish=True, now=NOW)[0], seed=7)
    (batch,) = deal(study)
    facts = dict(Item.objects.filter(batch=batch).values_list("position", "dialogue__scenario"))
    units = dict(Item.objects.filter(batch=batch).values_list("position", "unit"))
    for order in orders(study, batch):
        scenarios = [facts[position] for position in order]
        assert len(list(dict.fromkeys(scenarios))) == sum(
            one != other for one, other in zip([None, *scenarios], scenarios, strict=False)
        )
        assert [units[position] for position in order] == ["comparison"] * 3 + ["dialogue"] * 3 + (
            ["comparison"] * 3 + ["dialogue"] * 3
        ) * 2


def test_a_batch_for_one_person_keeps_its_order():
    study = make_study(8, 2)
    person = make_annotator(study, "ann")
    items = list(deal(study)[0].items.order_by("position"))
    batch = make_private_batch(study, kind="re_rating", key="again", items=items, person=person)
    order = order_of(claim_seat(person, batch, now=NOW))
    assert order == sorted(order)
