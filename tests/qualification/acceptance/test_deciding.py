"""What a controller answers decides, once: the batch is closed, or rated again; and a lead may say otherwise."""

from collections import Counter

import numpy as np
import pytest

from annotation.models import ActivityLog, Assignment, Batch, Group, StatusChange
from annotation.selectors.cells import measure_batch
from annotation.services.claiming import claim_seat
from annotation.services.people import get_or_make_participant
from annotation.services.refusals import Refused
from annotation.services.rounds import open_next_round
from annotation.services.status import clear_waiting
from qualification.acceptance.services.deciding import confirm_return, override
from qualification.acceptance.services.reviewing import give_back, take_sample, take_second_review
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import Sample
from tests.clock import NOW
from tests.factories import make_annotator
from tests.qualification.acceptance.conftest import AcceptanceStudy, make_acceptance
from tests.qualification.acceptance.factories import make_score_version, review_items

LABELS = ["0", "1", "2"] * 80
WORSE = ["1", "2", "0"] * 80


def spoiled(labels: list[str], n: int, seed: int = 5) -> list[str]:
    """The truth, where `n` of the labels are wrong."""
    truth = list(labels)
    for at in np.random.default_rng(seed).permutation(len(labels))[:n]:
        truth[at] = "unsure" if at % 5 == 0 else "0" if labels[at] != "0" else "1"
    return truth


def test_a_right_batch_is_accepted_and_closed(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", LABELS)
    sample = acceptance.review(acceptance.draw(batch), LABELS)
    assert (sample.state, sample.decision) == ("decided", "accept")
    assert sample.carried_out_at == NOW
    batch.refresh_from_db()
    assert (batch.status, batch.round) == ("closed", 1)
    assert sweep_acceptance(now=NOW) == (0, 0)


def test_a_wrong_batch_is_returned_and_its_ratings_count_nowhere(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", LABELS)
    assert measure_batch(batch).n_ratings == 480
    sample = acceptance.review(acceptance.draw(batch), WORSE)
    assert sample.decision == "return"
    batch.refresh_from_db()
    assert (batch.status, batch.round) == ("open", 2)
    assert batch.ratings.count() == 480  # kept in history
    assert measure_batch(batch).n_ratings == 0
    assert set(batch.assignments.values_list("status", flat=True)) == {"superseded"}
    assert not batch.seats.filter(assignment__isnull=False).exists()


def test_rounds_repeat_until_the_batch_passes(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", LABELS)
    acceptance.review(acceptance.draw(batch), WORSE)
    acceptance.again(batch, WORSE)
    acceptance.review(acceptance.draw(batch), LABELS)
    acceptance.again(batch, LABELS)
    acceptance.review(acceptance.draw(batch), LABELS)
    decisions = batch.samples.order_by("round").values_list("round", "decision")
    assert list(decisions) == [(1, "return"), (2, "return"), (3, "accept")]
    assert measure_batch(Batch.objects.get(pk=batch.pk)).n_ratings == 480


@pytest.mark.parametrize("n_wrong", [0, 12, 20, 30, 60])
def test_figures_equal_an_independent_computation(acceptance: AcceptanceStudy, n_wrong: int):
    truth = spoiled(LABELS, n_wrong)
    batch = acceptance.finish("a", LABELS)
    drawn = acceptance.draw(batch)
    position = {item: at for at, item in enumerate(batch.items.order_by("pk").values_list("pk", flat=True))}
    pairs = [
        (LABELS[position[item]], truth[position[item]]) for item in drawn.sampled_items.values_list("item", flat=True)
    ]
    n, right = Counter(label for label, _ in pairs), Counter(label for label, said in pairs if label == said)
    errors = sum(n.values()) - sum(right.values())
    is_fine = errors <= 8 and all(10 * right[key] >= 9 * n[key] for key in n)

    found = acceptance.review(drawn, truth)

    assert found.decision == ("accept" if is_fine else "return")
    assert found.results["overall"]["share"] == pytest.approx((100 - errors) / 100)
    for key, figures in zip("012", found.results["classes"], strict=True):
        assert figures["accuracy"]["n"] == n[key]
        assert figures["accuracy"]["n_right"] == right[key]
        said = sum(answer == key for _, answer in pairs)
        assert figures["recall"]["share"] == pytest.approx(right[key] / said)
    assert sum(map(sum, found.results["confusion"])) == 100


def test_a_class_that_is_too_rare_is_left_out_and_named(acceptance: AcceptanceStudy):
    labels = ["0"] * 4 + ["1"] * 120 + ["2"] * 120
    found = acceptance.review(acceptance.draw(acceptance.finish("a", labels)), ["1"] * 4 + labels[4:])
    assert found.decision == "accept"  # 4 of 244 wrong, and nothing is said of their class
    assert [each["outcome"] for each in found.results["classes"]] == ["not_assessable", "pass", "pass"]
    assert found.results["is_weighted"]
    assert found.results["overall"]["share"] == pytest.approx(240 / 244)


@pytest.mark.parametrize(("answers", "decision"), [(["0", "1", "2"] * 3, "accept"), (["0", "1", "1"] * 3, "return")])
def test_a_small_batch_that_was_reviewed_completely_is_decided_by_its_shares(
    acceptance: AcceptanceStudy, answers, decision: str
):
    found = acceptance.review(acceptance.draw(acceptance.finish("a", ["0", "1", "2"] * 3)), answers)
    assert (found.decision, found.is_open) == (decision, False)


def test_a_batch_without_an_assessable_class_waits_for_a_person(db: None):
    acceptance = make_acceptance(n_sample=9, top_up_to=0)
    labels = ["0", "1", "2"] * 4
    batch = acceptance.finish("a", labels)
    found = acceptance.review(acceptance.draw(batch), labels)
    assert (found.decision, found.is_open) == ("not_assessable", True)
    override(found, to="accept", reason="All nine are right.", by=acceptance.cast.lead, now=NOW)
    batch.refresh_from_db()
    found.refresh_from_db()
    assert (found.decision, found.outcome, batch.status) == ("not_assessable", "accept", "closed")


def test_a_fixed_sample_counts_its_errors(db: None):
    acceptance = make_acceptance(kind="fixed", n_sample=50, most_errors=3)
    few, many = acceptance.finish("few", LABELS), acceptance.finish("many", LABELS)
    assert acceptance.review(acceptance.draw(few), LABELS).decision == "accept"
    assert acceptance.review(acceptance.draw(many), spoiled(LABELS, 80)).decision == "return"
    assert Sample.objects.get(batch=few).sampled_items.count() == 50


def test_a_sequential_sample_is_dealt_in_portions_until_it_is_clear(db: None):
    acceptance = make_acceptance(kind="sequential")
    batch = acceptance.finish("a", LABELS * 2)
    sample = acceptance.draw(batch)
    assert sample.sampled_items.count() == 400
    truth = acceptance.truth_of(batch, LABELS * 2)
    review_items(acceptance.take(sample), truth)
    assert sweep_acceptance(now=NOW) == (0, 1)
    sample.refresh_from_db()
    assert sample.state == "reviewing"  # 25 right answers are not enough
    second = take_sample(sample, user=acceptance.cast.controller, now=NOW)
    assert (second.number, second.first, second.last, second.batch.n_items) == (2, 25, 49, 25)
    review_items(second, truth)
    sweep_acceptance(now=NOW)
    sample.refresh_from_db()
    # ln(.10 / .95) / ln(.90 / .95) = 41.6 right answers in a row accept
    assert (sample.decision, sample.results["n_used"]) == ("accept", 42)
    assert sample.reviews.count() == 2


def test_a_person_confirms_a_return_where_the_plan_asks_for_it(db: None):
    acceptance = make_acceptance(is_returned_automatically=False)
    batch = acceptance.finish("a", LABELS)
    found = acceptance.review(acceptance.draw(batch), WORSE)
    batch.refresh_from_db()
    assert (found.decision, found.is_open, batch.round) == ("return", True, 1)
    group = Group.objects.create(study=acceptance.cast.study, name="North")
    confirm_return(found, group=group, by=acceptance.cast.lead, now=NOW)
    batch.refresh_from_db()
    assert (batch.round, batch.group) == (2, group)
    with pytest.raises(Refused):
        confirm_return(found, group=group, by=acceptance.cast.lead, now=NOW)


def test_a_return_goes_to_the_same_group_by_default(acceptance: AcceptanceStudy):
    group = Group.objects.create(study=acceptance.cast.study, name="North")
    batch = acceptance.finish("a", LABELS)
    Batch.objects.filter(pk=batch.pk).update(group=group)
    acceptance.review(acceptance.draw(batch), WORSE)
    assert Batch.objects.get(pk=batch.pk).group == group


def test_a_lead_returns_an_accepted_batch_with_a_reason_that_is_logged(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", LABELS)
    found = acceptance.review(acceptance.draw(batch), LABELS)
    with pytest.raises(Refused, match="Give a reason"):
        override(found, to="return", reason="  ", by=acceptance.cast.lead, now=NOW)
    override(found, to="return", reason="The guide was wrong.", by=acceptance.cast.lead, now=NOW)
    found.refresh_from_db()
    batch.refresh_from_db()
    assert (found.decision, found.outcome, batch.round, batch.status) == ("accept", "return", 2, "open")
    line = ActivityLog.objects.get(verb="acceptance_overridden")
    assert (line.actor, line.details["reason"]) == (acceptance.cast.lead, "The guide was wrong.")
    with pytest.raises(Refused):
        override(found, to="accept", reason="No, it was right.", by=acceptance.cast.lead, now=NOW)


def test_a_returned_batch_that_is_rated_again_is_not_accepted_any_more(acceptance: AcceptanceStudy):
    found = acceptance.review(acceptance.draw(acceptance.finish("a", LABELS)), WORSE)
    with pytest.raises(Refused, match="already being rated again"):
        override(found, to="accept", reason="It was right.", by=acceptance.cast.lead, now=NOW)
    found.refresh_from_db()
    assert found.overridden_to == ""


# --- who checks --------------------------------------------------------------------------------------
def test_who_has_rated_the_batch_cannot_review_it(acceptance: AcceptanceStudy):
    sample = acceptance.draw(acceptance.finish("a", LABELS))
    rater = acceptance.cast.annotators[0].user
    with pytest.raises(Refused, match="rated this batch yourself"):
        acceptance.take(sample, rater)
    open_next_round(sample.batch, now=NOW)
    with pytest.raises(Refused):  # not in a later round either
        acceptance.take(sample, rater)


def test_one_controller_at_a_time(acceptance: AcceptanceStudy):
    sample = acceptance.draw(acceptance.finish("a", LABELS))
    mine = acceptance.take(sample)
    assert acceptance.take(sample) == mine
    with pytest.raises(Refused, match="Someone else"):
        acceptance.take(sample, acceptance.second)


def test_a_sample_given_back_is_reviewed_by_somebody_else_from_the_beginning(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", LABELS)
    sample = acceptance.draw(batch)
    first = acceptance.take(sample)
    assignment = claim_seat(first.participant, first.batch, now=NOW)
    give_back(first, by=acceptance.cast.lead, now=NOW)
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.EXPIRED
    second = acceptance.take(sample, acceptance.second)
    review_items(second, acceptance.truth_of(batch, LABELS))
    sweep_acceptance(now=NOW)
    sample.refresh_from_db()
    assert (sample.decision, sample.controller) == ("accept", second.participant)
    with pytest.raises(Refused):
        give_back(second, by=acceptance.cast.lead, now=NOW)


def test_a_controller_becomes_a_participant_who_gets_no_other_batch(acceptance: AcceptanceStudy):
    acceptance.cast.study.has_qualification = True
    acceptance.cast.study.save()
    review = acceptance.take(acceptance.draw(acceptance.finish("a", LABELS)))
    assert review.participant.status == "pending"
    assert StatusChange.objects.get(participant=review.participant).reason == "Reviews batches."
    make_annotator(acceptance.cast.study, "new", status="pending")
    assert clear_waiting(acceptance.cast.study, now=NOW) == 1
    review.participant.refresh_from_db()
    assert review.participant.status == "pending"


def test_an_excluded_person_cannot_review(acceptance: AcceptanceStudy):
    sample = acceptance.draw(acceptance.finish("a", LABELS))
    person = get_or_make_participant(acceptance.cast.study, user=acceptance.cast.controller)
    person.status = "excluded"
    person.save()
    with pytest.raises(Refused, match="excluded"):
        acceptance.take(sample)


def test_a_second_controller_changes_no_decision(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", LABELS)
    found = acceptance.review(acceptance.draw(batch), LABELS)
    with pytest.raises(Refused, match="yourself"):
        take_second_review(found, user=acceptance.cast.controller, now=NOW)
    review = take_second_review(found, user=acceptance.second, now=NOW)
    review_items(review, acceptance.truth_of(batch, WORSE))
    sweep_acceptance(now=NOW)
    found.refresh_from_db()
    assert found.decision == "accept"
    assert found.sampled_items.filter(second_label__isnull=False).count() == 100
    with pytest.raises(Refused, match="second time"):
        take_second_review(found, user=acceptance.cast.lead, now=NOW)


def test_a_study_that_moves_to_another_version_is_reviewed_anew(acceptance: AcceptanceStudy):
    batch = acceptance.finish("a", LABELS)
    review = acceptance.take(acceptance.draw(batch))
    study = acceptance.cast.study
    study.protocol_version = make_score_version()
    study.save()
    sweep_acceptance(now=NOW)
    review.batch.refresh_from_db()
    assert review.batch.status == "closed"
    with pytest.raises(Refused, match="another version"):
        acceptance.take(review.sample, acceptance.second)
