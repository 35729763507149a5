"""A finished batch gets its sample: once in a round, at random from a stored seed, with rare classes topped up."""

from collections import Counter

import pytest

from annotation.models import Batch
from annotation.services.rounds import open_next_round
from qualification.acceptance.services.drawing import make_sample
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import AdjudicationPlan, Disagreement, Sample, SampledItem
from tests.clock import NOW
from tests.qualification.acceptance.conftest import AcceptanceStudy
from tests.qualification.acceptance.factories import items_of, make_dialogue_batch, options_of, rate_batch


def test_a_finished_batch_gets_a_sample_of_the_wanted_size(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", ["0", "1", "2", "2"] * 60)
    assert sweep_acceptance(now=NOW) == (1, 0)
    sample = Sample.objects.get(batch=batch)
    assert sample.state == "waiting"
    assert sample.n_items == 240
    assert sample.sampled_items.count() == 100
    sizes = {options_of(acceptance.cast.study)[key].pk: n for key, n in (("0", 60), ("1", 60), ("2", 120))}
    assert sample.class_sizes == {str(pk): n for pk, n in sizes.items()}
    assert sample.plan["least_overall"] == 0.92


def test_a_second_sweep_draws_nothing(acceptance: AcceptanceStudy):
    acceptance.finish("a", ["0", "1"] * 60)
    sweep_acceptance(now=NOW)
    assert sweep_acceptance(now=NOW) == (0, 0)
    assert Sample.objects.count() == 1


@pytest.mark.parametrize("change", ["unfinished", "other kind", "draft", "plan off"])
def test_only_finished_main_batches_of_a_study_with_a_plan_are_drawn(acceptance: AcceptanceStudy, change: str):
    batch = acceptance.finish("a", ["0", "1"] * 20)
    if change == "unfinished":
        batch.seats.create(number=3)
    elif change == "plan off":
        acceptance.plan.is_on = False
        acceptance.plan.save()
    else:
        field, value = ("kind", "pilot") if change == "other kind" else ("status", "draft")
        Batch.objects.filter(pk=batch.pk).update(**{field: value})
    assert sweep_acceptance(now=NOW) == (0, 0)
    assert make_sample(batch.pk, now=NOW) is None


def test_the_sample_follows_from_the_stored_seed(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", ["0", "1", "2"] * 80)
    first = acceptance.draw(batch)
    drawn = list(first.sampled_items.values_list("item", flat=True))
    SampledItem.objects.all().delete()
    first.delete()
    second = acceptance.draw(batch)
    assert second.seed == first.seed
    assert list(second.sampled_items.values_list("item", flat=True)) == drawn


def test_the_next_round_draws_other_items(acceptance: AcceptanceStudy):
    labels = ["0", "1", "2"] * 80
    batch = acceptance.finish("a", labels)
    first = acceptance.draw(batch)
    open_next_round(batch, now=NOW)
    assert sweep_acceptance(now=NOW) == (0, 0)
    acceptance.again(batch, labels)
    second = acceptance.draw(batch)
    assert (second.round, second.seed == first.seed) == (2, False)
    items = [set(each.sampled_items.values_list("item", flat=True)) for each in (first, second)]
    assert 0 < len(items[0] & items[1]) < 100


def test_a_rare_class_gets_draws_on_top(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", ["0"] * 12 + ["1"] * 500 + ["2"] * 500)
    sample = acceptance.draw(batch)
    drawn = Counter(sample.sampled_items.values_list("label__key", flat=True))
    assert drawn["0"] == 12  # all there are: fewer than the 30 wanted
    assert sample.sampled_items.filter(is_top_up=False).count() == 100
    top_ups = sample.sampled_items.filter(is_top_up=True)
    assert set(top_ups.values_list("label__key", flat=True)) == {"0"}
    positions = list(top_ups.values_list("position", flat=True))
    assert min(positions) < 90  # not last in line, where a controller would guess their label


def test_ties_unsure_and_excluded_items_have_no_label_and_are_counted_apart(acceptance: AcceptanceStudy):
    batch = make_dialogue_batch(acceptance.cast.study, "a", 40)
    people, items = acceptance.cast.annotators[:2], items_of(batch)
    rate_batch(batch, people, ["1"] * 36 + ["unsure"] * 2 + ["private"] + ["2"])
    batch.ratings.filter(item=items[0], assignment__participant=people[0]).update(
        option=options_of(acceptance.cast.study)["0"]
    )
    batch.ratings.filter(item=items[39]).delete()
    batch.items.filter(pk=items[1]).update(is_check=True)
    sample = acceptance.draw(batch)
    assert sample.n_items == 34
    assert sample.left_out == {"tied": 1, "unsure": 2, "excluded": 1, "unanswered": 1}
    assert items[0] not in sample.sampled_items.values_list("item", flat=True)
    assert items[1] not in sample.sampled_items.values_list("item", flat=True)


def test_a_batch_without_a_label_is_not_assessable_at_once(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", ["unsure"] * 5)
    sample = acceptance.draw(batch)
    assert (sample.state, sample.decision, sample.carried_out_at) == ("decided", "not_assessable", None)


def test_a_label_that_was_settled_in_an_earlier_round_is_not_that_of_the_next(acceptance: AcceptanceStudy):
    batch, options = acceptance.finish("a", ["1"] * 30), options_of(acceptance.cast.study)
    Disagreement.objects.create(
        item_id=items_of(batch)[0], criterion=acceptance.plan.criterion, round=1, state="settled", found_at=NOW,
        option=options["0"], settled_at=NOW,
    )  # fmt: skip
    assert acceptance.draw(batch).class_sizes == {str(options["0"].pk): 1, str(options["1"].pk): 29}
    open_next_round(batch, now=NOW)
    acceptance.again(batch, ["1"] * 30)
    assert acceptance.draw(batch).class_sizes == {str(options["1"].pk): 30}


def test_a_label_that_is_confirmed_waits_until_it_is_settled(acceptance: AcceptanceStudy):
    AdjudicationPlan.objects.create(study=acceptance.cast.study, is_on=True)
    batch = acceptance.finish("a", ["1"] * 30)
    item, options = items_of(batch)[0], options_of(acceptance.cast.study)
    batch.ratings.filter(item=item, assignment__participant=acceptance.cast.annotator).update(option=options["0"])
    assert sweep_acceptance(now=NOW) == (0, 0)
    settling = Disagreement.objects.create(
        item_id=item, criterion=acceptance.plan.criterion, round=1, state="adjudication", found_at=NOW
    )
    assert sweep_acceptance(now=NOW) == (0, 0)
    settling.state, settling.option, settling.settled_at = "settled", options["0"], NOW
    settling.save()
    sample = acceptance.draw(batch)
    assert sample.class_sizes == {str(options["0"].pk): 1, str(options["1"].pk): 29}
