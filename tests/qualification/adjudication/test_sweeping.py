"""Finished batches are compared once, both look again, and what is left goes to a trainer."""

import pytest

from annotation.models import ActivityLog, Assignment, Batch, Participant
from annotation.services.refusals import Refused
from annotation.services.rounds import open_next_round
from annotation.services.status import set_status
from protocols.models import Option
from qualification.adjudication.selectors.disagreements import adjudication_counts, settled_labels
from qualification.adjudication.services.disagreements import save_plan, sweep_disagreements
from qualification.adjudication.services.re_rating import settle
from qualification.models import AdjudicationPlan, Comparison, Disagreement
from tests.cast import make_cast
from tests.clock import NOW
from tests.factories import AssignmentFactory, RatingFactory, make_annotator, make_batch
from tests.factories_protocols import make_scale_version
from tests.qualification.acceptance.factories import answer_items, items_of, make_dialogue_batch, rate_batch
from tests.qualification.adjudication.conftest import AdjudicatedStudy, looks_of, make_adjudicated, states_of

ONE, OTHER = ["0", "1", "2", "1"], ["0", "2", "2", "0"]


def test_what_two_answer_differently_is_found_once_and_both_look_again(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, OTHER)
    assert sweep_disagreements(now=NOW) == (1, 0)
    assert sweep_disagreements(now=NOW) == (0, 0)
    assert states_of(batch) == [(1, "re_rating", "", ""), (3, "re_rating", "", "")]
    looks = looks_of(batch)
    assert [look.participant for look in looks] == list(adjudicated.pair)
    dialogues = list(batch.items.order_by("pk").values_list("dialogue", flat=True))
    for look in looks:
        private = look.private_batch
        assert (private.kind, private.reserved_for, private.seats.count()) == ("re_rating", look.participant, 1)
        assert list(private.items.order_by("position").values_list("dialogue", flat=True)) == dialogues[1::2]
    assert ActivityLog.objects.get(verb="compared").details == {"round": 1, "labels": 4, "n": 2}


def test_a_batch_in_which_both_agree_is_compared_and_asks_nothing(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, ONE)
    assert sweep_disagreements(now=NOW) == (1, 0)
    assert (states_of(batch), looks_of(batch)) == ([], [])
    assert sweep_disagreements(now=NOW) == (0, 0)


def test_nothing_is_compared_before_both_have_submitted(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, OTHER)
    Assignment.objects.filter(batch=batch, participant=adjudicated.pair[1]).update(status="active")
    assert sweep_disagreements(now=NOW) == (0, 0)


def test_nothing_is_compared_where_the_plan_is_off_or_the_batch_is_a_pilot(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, OTHER)
    Batch.objects.filter(pk=batch.pk).update(kind="pilot")
    assert sweep_disagreements(now=NOW) == (0, 0)
    Batch.objects.filter(pk=batch.pk).update(kind="main")
    AdjudicationPlan.objects.update(is_on=False)
    assert sweep_disagreements(now=NOW) == (0, 0)


def test_items_with_a_known_answer_are_not_compared(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, OTHER)
    batch.items.filter(pk=items_of(batch)[1]).update(is_check=True)
    sweep_disagreements(now=NOW)
    assert [place for place, *_ in states_of(batch)] == [3]


@pytest.mark.parametrize("n", [1, 3])
def test_a_batch_of_another_number_of_seats_is_left_alone(adjudicated: AdjudicatedStudy, n: int):
    batch = make_dialogue_batch(adjudicated.cast.study, "a", 4, n_seats=n)
    rate_batch(batch, adjudicated.cast.annotators[:n], ONE)
    batch.ratings.filter(assignment__participant=adjudicated.cast.annotator).update(option=adjudicated.option("unsure"))
    assert sweep_disagreements(now=NOW) == (0, 0)


def test_who_switches_it_on_without_a_batch_of_two_is_told(db: None):
    adjudicated = make_adjudicated(seats=3)
    study, by = adjudicated.cast.study, adjudicated.cast.owner
    with pytest.raises(Refused, match="exactly two seats"):
        save_plan(study, is_on=True, criteria=[], by=by, now=NOW)
    make_dialogue_batch(study, "two", 2)
    assert save_plan(study, is_on=True, criteria=[], by=by, now=NOW).is_on


@pytest.mark.parametrize(("ticked", "n"), [([], 12), (["fluency"], 6)])
def test_only_the_questions_of_the_plan_are_compared(db: None, ticked: list[str], n: int):
    cast = make_cast(protocol_version=make_scale_version(2), seats=2)
    criteria = list(cast.study.protocol_version.criteria.all())
    wanted = [each for each in criteria if each.key in ticked]
    save_plan(cast.study, is_on=True, criteria=wanted, by=cast.owner, now=NOW)
    for person, place in zip(cast.annotators, (0, 1), strict=False):
        rate_all(cast.batch, person, [each.options.all()[place] for each in criteria])
    sweep_disagreements(now=NOW)
    assert Disagreement.objects.count() == n
    assert {look.private_batch.n_items for look in looks_of(cast.batch)} == {6}


def rate_all(batch: Batch, person: Participant, options: list[Option]) -> None:
    """Every item gets the same answers."""
    work = AssignmentFactory(batch=batch, participant=person, status="submitted", submitted_at=NOW)
    batch.seats.filter(pk=batch.seats.filter(assignment=None).first().pk).update(assignment=work)
    for item in batch.items.all():
        for option in options:
            RatingFactory(assignment=work, item=item, criterion=option.criterion, option=option)


# --- the re-rating -------------------------------------------------------------------------------
def test_equal_re_ratings_settle_the_label_and_others_go_to_a_trainer(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, OTHER)
    sweep_disagreements(now=NOW)
    adjudicated.look(batch, 0, {1: "2", 3: "1"})
    assert sweep_disagreements(now=NOW) == (0, 0)
    adjudicated.look(batch, 1, {1: "2", 3: "0"})
    assert sweep_disagreements(now=NOW) == (0, 1)
    assert sweep_disagreements(now=NOW) == (0, 0)
    assert states_of(batch) == [(1, "settled", "re_rating", "2"), (3, "adjudication", "", "")]
    items, criterion = items_of(batch), adjudicated.cast.study.protocol_version.criteria.get()
    found = settled_labels(adjudicated.cast.study)
    assert {key: (label.option_id, label.how) for key, label in found.items()} == {
        (items[1], criterion.pk): (adjudicated.option("2").pk, "re_rating")
    }


def test_the_votes_stay_those_of_the_first_look(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, OTHER)
    before = list(batch.ratings.order_by("pk").values_list("pk", "option", "revision"))
    sweep_disagreements(now=NOW)
    for number in (0, 1):
        adjudicated.look(batch, number, {1: "2", 3: "2"})
    sweep_disagreements(now=NOW)
    assert list(batch.ratings.order_by("pk").values_list("pk", "option", "revision")) == before


def test_of_imported_people_nobody_looks_again(adjudicated: AdjudicatedStudy):
    person = adjudicated.pair[1]
    batch = adjudicated.finish(ONE, OTHER)
    Participant.objects.filter(pk=person.pk).update(user=None, is_imported=True)
    assert sweep_disagreements(now=NOW) == (1, 1)
    assert looks_of(batch) == []
    assert {state for _place, state, *_ in states_of(batch)} == {"adjudication"}


# --- people who leave ------------------------------------------------------------------------------
def test_whoever_replaces_an_excluded_annotator_is_compared_too(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, OTHER)
    sweep_disagreements(now=NOW)
    set_status(adjudicated.pair[1], status="excluded", now=NOW)
    assert sweep_disagreements(now=NOW) == (0, 0)  # until the seat is taken
    assert {look.private_batch.status for look in looks_of(batch)} == {"closed"}
    new = make_annotator(adjudicated.cast.study, "new")
    fill_seat(batch, new, ["1", "1", "2", "2"])
    assert sweep_disagreements(now=NOW) == (1, 0)
    assert sorted(states_of(batch)) == [
        (0, "re_rating", "", ""),
        (1, "settled", "replaced", "1"),
        (3, "re_rating", "", ""),
    ]
    looks = [look.participant for look in looks_of(batch) if look.private_batch.status == "open"]
    assert looks == [adjudicated.pair[0], new]
    assert adjudication_counts(adjudicated.cast.study).n_labels == 4


def fill_seat(batch: Batch, person: Participant, keys: list[str]) -> None:
    """The free seat of a batch, with work that is done."""
    assignment = Assignment.objects.create(
        batch=batch, participant=person, claimed_at=NOW, status="submitted", submitted_at=NOW
    )
    batch.seats.filter(assignment=None).update(assignment=assignment)
    answer_items(assignment, dict(zip(items_of(batch), keys, strict=True)))


# --- rounds and versions -----------------------------------------------------------------------------
def test_disagreements_of_a_returned_round_are_history(adjudicated: AdjudicatedStudy):
    batch = adjudicated.finish(ONE, OTHER)
    sweep_disagreements(now=NOW)
    old = Disagreement.objects.first()
    open_next_round(batch, now=NOW)
    assert sweep_disagreements(now=NOW) == (0, 0)
    assert {look.private_batch.status for look in looks_of(batch)} == {"closed"}
    assert adjudication_counts(adjudicated.cast.study).by_criterion == {}
    with pytest.raises(Refused, match="rated again"):
        settle(old, option=adjudicated.option("1"), note="", by=adjudicated.trainer, now=NOW)
    adjudicated.rate(Batch.objects.get(pk=batch.pk), ["0", "1", "2", "0"], ["0", "1", "2", "1"])
    assert sweep_disagreements(now=NOW) == (1, 0)
    rows = Disagreement.objects.filter(item__batch=batch).order_by("round", "pk")
    assert [(row.round, row.state) for row in rows] == [(1, "re_rating")] * 2 + [(2, "re_rating")]
    assert Comparison.objects.filter(batch=batch).count() == 2
    assert adjudication_counts(adjudicated.cast.study).by_criterion["score"]["open"] == 1


def test_settled_labels_of_an_earlier_round_do_not_count(adjudicated: AdjudicatedStudy):
    found = adjudicated.disagreed()
    settle(found, option=adjudicated.option("1"), note="", by=adjudicated.trainer, now=NOW)
    assert settled_labels(adjudicated.cast.study)
    open_next_round(found.item.batch, now=NOW)
    assert settled_labels(adjudicated.cast.study) == {}


def test_a_study_without_a_plan_costs_the_sweep_no_work(adjudicated: AdjudicatedStudy, django_assert_num_queries):
    AdjudicationPlan.objects.all().delete()
    make_batch(adjudicated.cast.study, key="more", position=7)
    with django_assert_num_queries(3):
        sweep_disagreements(now=NOW)
