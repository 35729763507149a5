"""A finished batch gets its sample: once in a round, at random from a stored seed, with rare classes topped up."""

from collections import Counter

import pytest

from annotation.models import Batch
from annotation.services.rounds import open_next_round
from qualification.acceptance.services.drawing import draw_inspection
from qualification.acceptance.services.sweeping import sweep_control
from qualification.models import AdjudicationPlan, Disagreement, Draw, Inspection
from tests.clock import NOW
from tests.qualification.acceptance.conftest import Control
from tests.qualification.acceptance.factories import items_of, make_dialogue_batch, options_of, rate_batch


def test_a_finished_batch_gets_a_sample_of_the_wanted_size(control: Control):
    batch = control.finish("a", ["0", "1", "2", "2"] * 60)
    assert sweep_control(now=NOW) == (1, 0)
    inspection = Inspection.objects.get(batch=batch)
    assert inspection.state == "waiting"
    assert inspection.n_items == 240
    assert inspection.draws.count() == 100
    sizes = {options_of(control.cast.study)[key].pk: n for key, n in (("0", 60), ("1", 60), ("2", 120))}
    assert inspection.class_sizes == {str(pk): n for pk, n in sizes.items()}
    assert inspection.plan["least_overall"] == 0.92


def test_a_second_sweep_draws_nothing(control: Control):
    control.finish("a", ["0", "1"] * 60)
    sweep_control(now=NOW)
    assert sweep_control(now=NOW) == (0, 0)
    assert Inspection.objects.count() == 1


@pytest.mark.parametrize("change", ["unfinished", "other kind", "draft", "plan off"])
def test_only_finished_main_batches_of_a_study_with_a_plan_are_drawn(control: Control, change: str):
    batch = control.finish("a", ["0", "1"] * 20)
    if change == "unfinished":
        batch.seats.create(number=3)
    elif change == "plan off":
        control.plan.is_on = False
        control.plan.save()
    else:
        field, value = ("kind", "pilot") if change == "other kind" else ("status", "draft")
        Batch.objects.filter(pk=batch.pk).update(**{field: value})
    assert sweep_control(now=NOW) == (0, 0)
    assert draw_inspection(batch.pk, now=NOW) is None


def test_the_sample_follows_from_the_stored_seed(control: Control):
    batch = control.finish("a", ["0", "1", "2"] * 80)
    first = control.draw(batch)
    drawn = list(first.draws.values_list("item", flat=True))
    Draw.objects.all().delete()
    first.delete()
    second = control.draw(batch)
    assert second.seed == first.seed
    assert list(second.draws.values_list("item", flat=True)) == drawn


def test_the_next_round_draws_other_items(control: Control):
    labels = ["0", "1", "2"] * 80
    batch = control.finish("a", labels)
    first = control.draw(batch)
    open_next_round(batch, now=NOW)
    assert sweep_control(now=NOW) == (0, 0)
    control.again(batch, labels)
    second = control.draw(batch)
    assert (second.round, second.seed == first.seed) == (2, False)
    items = [set(each.draws.values_list("item", flat=True)) for each in (first, second)]
    assert 0 < len(items[0] & items[1]) < 100


def test_a_rare_class_gets_draws_on_top(control: Control):
    batch = control.finish("a", ["0"] * 12 + ["1"] * 500 + ["2"] * 500)
    inspection = control.draw(batch)
    drawn = Counter(inspection.draws.values_list("label__key", flat=True))
    assert drawn["0"] == 12  # all there are: fewer than the 30 wanted
    assert inspection.draws.filter(is_top_up=False).count() == 100
    top_ups = inspection.draws.filter(is_top_up=True)
    assert set(top_ups.values_list("label__key", flat=True)) == {"0"}
    positions = list(top_ups.values_list("position", flat=True))
    assert min(positions) < 90  # not last in line, where a controller would guess their label


def test_ties_unsure_and_excluded_items_have_no_label_and_are_counted_apart(control: Control):
    batch = make_dialogue_batch(control.cast.study, "a", 40)
    people, items = control.cast.annotators[:2], items_of(batch)
    rate_batch(batch, people, ["1"] * 36 + ["unsure"] * 2 + ["private"] + ["2"])
    batch.ratings.filter(item=items[0], assignment__participant=people[0]).update(
        option=options_of(control.cast.study)["0"]
    )
    batch.ratings.filter(item=items[39]).delete()
    batch.items.filter(pk=items[1]).update(is_check=True)
    inspection = control.draw(batch)
    assert inspection.n_items == 34
    assert inspection.left_out == {"tied": 1, "unsure": 2, "excluded": 1, "unanswered": 1}
    assert items[0] not in inspection.draws.values_list("item", flat=True)
    assert items[1] not in inspection.draws.values_list("item", flat=True)


def test_a_batch_without_a_label_is_not_assessable_at_once(control: Control):
    batch = control.finish("a", ["unsure"] * 5)
    inspection = control.draw(batch)
    assert (inspection.state, inspection.verdict, inspection.carried_out_at) == ("decided", "not_assessable", None)


def test_a_label_that_is_confirmed_waits_until_it_is_settled(control: Control):
    AdjudicationPlan.objects.create(study=control.cast.study, is_on=True)
    batch = control.finish("a", ["1"] * 30)
    item, options = items_of(batch)[0], options_of(control.cast.study)
    batch.ratings.filter(item=item, assignment__participant=control.cast.annotator).update(option=options["0"])
    assert sweep_control(now=NOW) == (0, 0)
    settling = Disagreement.objects.create(
        item_id=item, criterion=control.plan.criterion, round=1, state="adjudication", found_at=NOW
    )
    assert sweep_control(now=NOW) == (0, 0)
    settling.state, settling.option, settling.settled_at = "settled", options["0"], NOW
    settling.save()
    inspection = control.draw(batch)
    assert inspection.class_sizes == {str(options["0"].pk): 1, str(options["1"].pk): 29}
