"""Whole dialogues of one scenario are compared in pairs, by the same engine as two responses."""

from collections import Counter
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import Dialogue, IdenticalPair, Item, Rating, Reading
from annotation.selectors.comparisons import pairs_of_batch
from annotation.selectors.dialogues import uses_of
from annotation.selectors.review import reviewed_items, reviewed_states
from annotation.selectors.waiting import unbatched_count
from annotation.selectors.work import dialogue_page
from annotation.services.batching import make_batches
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.rating import Submission
from annotation.services.reading import open_dialogue
from annotation.services.refusals import Refused
from annotation.services.repeating import repeat_pilot
from protocols.answers import Given
from protocols.services import store_bundle
from tests.comparing import COMPARED, add_dialogue, add_whole, deal, leanings, make_scenarios, press, sides_of
from tests.factories import make_annotator
from tests.working import record

pytestmark = pytest.mark.django_db
NOW = timezone.now()
WHOLE_TOO = {
    "key": "clear", "name": "Clear", "question": "Is it clear?", "unit": "dialogue",
    "options": [{"key": "y", "label": "Yes", "role": "positive"}, {"key": "n", "label": "No", "role": "negative"}],
}  # fmt: skip


def pairs_shown(study):
    """{the letters of two sources: how many pairs of their dialogues}."""
    names = dict(study.sources.values_list("pk", "key"))
    found = Counter()
    for batch in study.batches.all():
        found.update("".join(names[each][-1] for each in pair) for pair in pairs_of_batch(batch.pk).values())
    return found


def claimed(study, batch, name="anna"):
    return claim_seat(make_annotator(study, name), batch, now=NOW)


def refused(study, match, **how):
    with pytest.raises(Refused, match=match):
        deal(study, **how)
    assert not study.batches.exists()


# --- dealing -----------------------------------------------------------------------------------------
def test_every_pair_of_sources_is_compared_within_each_scenario_on_a_screen_of_its_own():
    study = make_scenarios(4, 3)
    (batch,) = deal(study)
    assert pairs_shown(study) == {"ab": 4, "ac": 4, "bc": 4}
    items = list(batch.items.select_related("dialogue", "other_dialogue"))
    assert {item.unit for item in items} == {"comparison"}
    assert all(item.dialogue.scenario == item.other_dialogue.scenario for item in items)
    assert sorted(item.position for item in items) == list(range(1, 13))
    assert unbatched_count(study) == 0
    assert deal(study) == []


def test_pairs_of_a_scenario_stay_in_one_batch_and_their_order_differs_between_scenarios():
    study = make_scenarios(12, 3)
    deal(study, size=9)
    orders = set()
    for scenario in study.dialogues.values_list("scenario", flat=True).distinct().order_by():
        items = Item.objects.filter(dialogue__scenario=scenario).order_by("position")
        assert len({item.batch_id for item in items}) == 1
        orders.add(tuple(f"{item.dialogue.key[-1]}{item.other_dialogue.key[-1]}" for item in items))
    assert len(orders) > 2


def test_a_balanced_part_of_the_pairs_is_compared_and_a_scenario_is_dealt_once():
    study = make_scenarios(6, 4)
    deal(study, n_pairs=2)
    assert sorted(pairs_shown(study).values()) == [2] * 6
    assert deal(study) == []
    assert unbatched_count(study) == study.dialogues.filter(items=None, other_items=None).count()


def test_pairs_listed_by_any_dialogue_of_a_scenario_are_compared():
    study = make_scenarios(2, 3)
    for letter, pair in (("a", ["model-c", "model-a"]), ("b", ["model-a", "model-b"])):
        Dialogue.objects.filter(key=f"w0-model-{letter}").update(metadata={"pairs": [pair]})
    deal(study, n_pairs=3)
    assert pairs_shown(study) == {"ab": 2, "ac": 2, "bc": 1}


def test_identical_dialogues_are_not_shown_and_are_kept_as_ties():
    study = make_scenarios(3, 2)
    for at, letters in ((1, "ab"), (2, "a")):
        keys = [f"w{at}-model-{letter}" for letter in letters]
        Dialogue.objects.filter(key__in=keys).update(turns=[{"speaker": "User", "text": "The same."}])
    (batch,) = deal(study)
    assert batch.items.count() == batch.n_items == 2
    pair = IdenticalPair.objects.get(batch=batch)
    assert {pair.dialogue.key, pair.other_dialogue.key} == {"w1-model-a", "w1-model-b"}
    assert deal(study) == []
    assert unbatched_count(study) == 0


def test_an_identical_pair_is_kept_beside_others_of_its_scenario():
    study = make_scenarios(1, 3)
    Dialogue.objects.exclude(source__key="model-a").update(turns=[{"speaker": "User", "text": "The same."}])
    (batch,) = deal(study)
    assert pairs_shown(study) == {"ab": 1, "ac": 1}
    assert batch.identical_pairs.count() == 1


def test_a_number_of_dialogues_limits_the_scenarios():
    study = make_scenarios(5, 2)
    deal(study, n_dialogues=4)
    assert Item.objects.count() == 2
    deal(study, n_dialogues=6)
    assert Item.objects.count() == 3


def test_responses_and_whole_dialogues_may_be_compared_in_one_study():
    study = make_scenarios(2, 2)
    add_dialogue(study, study.sources.all(), "turn", 9, scenario="s0")
    (batch,) = deal(study, repeat_percent=100)
    assert batch.items.filter(repeats=None, other_dialogue=None).get().dialogue.key == "turn"
    assert batch.items.filter(repeats=None, other_dialogue__isnull=False).count() == 2
    assert batch.items.exclude(repeats=None).count() == 3


def test_dialogues_rated_alone_too_stand_beside_their_pairs():
    doc = COMPARED | {"protocol": "both", "criteria": [*COMPARED["criteria"], WHOLE_TOO]}
    study = make_scenarios(2, 3, version=store_bundle(doc, publish=True, now=NOW)[0])
    (batch,) = deal(study)
    assert Counter(batch.items.values_list("unit", flat=True)) == {"comparison": 6, "dialogue": 6}
    work = claimed(study, batch)
    for item in batch.items.filter(unit="dialogue").select_related("dialogue"):
        page = dialogue_page(work, item.position)
        assert [turn["text"] for turn in page.turns] == [turn["text"] for turn in item.dialogue.turns]
        assert page.screen.kind == "dialogue"
    for item in batch.items.all():
        question = "better" if item.unit == "comparison" else "clear"
        record(work, Submission(item.token, question, Given("1"), uuid4()), now=NOW)
    submit_assignment(work, feedback="", now=NOW)
    assert Rating.objects.filter(assignment=work).count() == 12


def test_a_second_pilot_shows_the_same_pairs():
    study = make_scenarios(3, 2)
    Dialogue.objects.filter(scenario="s1").update(turns=[{"speaker": "User", "text": "The same."}])
    (pilot,) = deal(study, kind="pilot")
    again = repeat_pilot(study, pilot=pilot.key, kind="qualification", now=NOW)
    shown = [set(each.items.values_list("dialogue", "other_dialogue", "position")) for each in (pilot, again)]
    assert shown[0] == shown[1]
    assert len(shown[0]) == 2
    assert again.identical_pairs.get().other_dialogue is not None


def test_the_list_of_dialogues_says_where_either_of_a_pair_is_used():
    study = make_scenarios(1, 2)
    (batch,) = deal(study)
    assert [[use.batches for use in uses] for uses in uses_of(study.dialogues.all()).values()] == [[(batch.key,)]] * 2


# --- what cannot be compared ----------------------------------------------------------------------------
def test_scenarios_of_one_source_are_counted_and_nothing_is_dealt():
    study = make_scenarios(3, 2)
    study.dialogues.filter(key__in=["w0-model-b", "w2-model-a"]).delete()
    refused(study, "2 scenarios have a dialogue of only one, for example s0, s2")


def test_several_dialogues_of_one_source_in_a_scenario_are_counted():
    study = make_scenarios(3, 2)
    add_whole(study, study.sources.first(), 1, key="twice", conversation="twice")
    refused(study, "1 scenario has several dialogues of one source: s1")


@pytest.mark.parametrize("missing", [{"scenario": ""}, {"source": None}])
def test_dialogues_without_a_scenario_or_a_source_are_counted(missing):
    study = make_scenarios(3, 2)
    study.dialogues.filter(scenario="s1").update(**missing)
    refused(study, "2 dialogues have neither responses nor a source and a scenario, for example w1-model-a")


def test_a_listed_pair_without_its_dialogues_is_refused():
    study = make_scenarios(2, 3)
    study.dialogues.filter(key="w0-model-a").update(metadata={"pairs": [["model-a", "model-x"]]})
    refused(study, "1 scenario lists a pair of sources without a dialogue of both: s0")


def test_dialogues_of_one_scenario_that_name_different_batches_are_refused():
    study = make_scenarios(2, 2)
    study.dialogues.update(batch_key="one")
    study.dialogues.filter(key="w1-model-b").update(batch_key="two")
    refused(study, "1 scenario name different batches: s1", size=9)


def test_batches_that_the_file_names_are_made():
    study = make_scenarios(4, 2)
    study.dialogues.filter(scenario__in=["s0", "s3"]).update(batch_key="first")
    study.dialogues.filter(scenario__in=["s1", "s2"]).update(batch_key="second")
    made = make_batches(study, by="given", now=NOW)
    assert [(batch.key, batch.n_items) for batch in made] == [("first", 2), ("second", 2)]


# --- sides ---------------------------------------------------------------------------------------------
def test_over_a_thousand_pairs_each_source_is_left_as_often_as_right_for_each_annotator():
    study = make_scenarios(168, 4, seats=2)
    work = {name: [] for name in ("anna", "ben")}
    people = {name: make_annotator(study, name) for name in work}
    for batch in deal(study, size=252):
        for name, person in people.items():
            work[name].append(claim_seat(person, batch, now=NOW))
            work[name][-1].status = "submitted"
            work[name][-1].submitted_at = NOW
            work[name][-1].save()
    assert sum(len(sides_of(each)) for each in work["anna"]) == 1008
    for mine in work.values():
        assert max(map(abs, leanings(mine).values())) <= 1
    for one, other in zip(*work.values(), strict=True):
        assert sides_of(one) == {item: sides[::-1] for item, sides in sides_of(other).items()}


def test_pairs_shown_again_stand_the_other_way_round():
    study = make_scenarios(6, 2)
    (batch,) = deal(study, repeat_percent=50)
    work = claimed(study, batch)
    again = batch.items.exclude(repeats=None)
    assert again.count() == 3
    for item in again:
        first, second = (dialogue_page(work, each.position).items[0].histories for each in (item.repeats, item))
        assert first == second[::-1]


# --- on screen -------------------------------------------------------------------------------------------
def test_what_is_pressed_is_stored_for_the_dialogue_that_stood_there():
    study = make_scenarios(2, 2)
    (batch,) = deal(study)
    work = claimed(study, batch)
    items = batch.items.select_related("dialogue", "other_dialogue")
    assert len(work.swapped) == 1
    for item in items:
        press(work, item, "1")
        left, right = (item.dialogue, item.other_dialogue)[:: -1 if item.pk in work.swapped else 1]
        rating = Rating.objects.select_related("option").get(item=item)
        assert rating.option.key == ("much-right" if item.pk in work.swapped else "much-left")
        page = dialogue_page(work, item.position)
        assert page.turns == []
        texts = [[turn["text"] for turn in turns] for turns in page.items[0].histories]
        assert texts == [[turn["text"] for turn in each.turns] for each in (left, right)]
        assert page.steps[0].part.questions[0].answer.option == "1"
        (state,) = [each for each in reviewed_states(work) if each.pk == item.pk]
        (reviewed,) = reviewed_items(work, [state])
        assert reviewed.answers[0].labels == ("Much better on the left",)
        assert reviewed.excerpts == tuple(each.turns[1]["text"] for each in (left, right))


def test_each_pair_has_a_reading_time_of_its_own_although_a_dialogue_was_read_before():
    study = make_scenarios(1, 3)
    (batch,) = deal(study, repeat_percent=100)
    work = claimed(study, batch)
    places = list(batch.items.order_by("position").values_list("position", flat=True))
    for position in places:
        open_dialogue(work, position, 60, now=NOW)
    opened = dict(Reading.objects.values_list("position", "opened_at"))
    first, again = places[:3], batch.items.exclude(repeats=None).select_related("repeats")
    assert len({opened[each] for each in first}) == 3
    assert all(opened[item.position] == opened[item.repeats.position] for item in again)
