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
from qualification.acceptance.services.reviewing import give_back, take_inspection, take_second_check
from qualification.acceptance.services.sweeping import sweep_control
from qualification.models import Inspection
from tests.clock import NOW
from tests.factories import make_annotator
from tests.qualification.acceptance.conftest import Control, make_control
from tests.qualification.acceptance.factories import check_draws, make_score_version

LABELS = ["0", "1", "2"] * 80
WORSE = ["1", "2", "0"] * 80


def spoiled(labels: list[str], n: int, seed: int = 5) -> list[str]:
    """The truth, where `n` of the labels are wrong."""
    truth = list(labels)
    for at in np.random.default_rng(seed).permutation(len(labels))[:n]:
        truth[at] = "unsure" if at % 5 == 0 else "0" if labels[at] != "0" else "1"
    return truth


def test_a_right_batch_is_accepted_and_closed(control: Control):
    batch = control.finish("a", LABELS)
    inspection = control.check(control.draw(batch), LABELS)
    assert (inspection.state, inspection.verdict) == ("decided", "accept")
    assert inspection.carried_out_at == NOW
    batch.refresh_from_db()
    assert (batch.status, batch.round) == ("closed", 1)
    assert sweep_control(now=NOW) == (0, 0)


def test_a_wrong_batch_is_returned_and_its_ratings_count_nowhere(control: Control):
    batch = control.finish("a", LABELS)
    assert measure_batch(batch).n_ratings == 480
    inspection = control.check(control.draw(batch), WORSE)
    assert inspection.verdict == "return"
    batch.refresh_from_db()
    assert (batch.status, batch.round) == ("open", 2)
    assert batch.ratings.count() == 480  # kept in history
    assert measure_batch(batch).n_ratings == 0
    assert set(batch.assignments.values_list("status", flat=True)) == {"superseded"}
    assert not batch.seats.filter(assignment__isnull=False).exists()


def test_rounds_repeat_until_the_batch_passes(control: Control):
    batch = control.finish("a", LABELS)
    control.check(control.draw(batch), WORSE)
    control.again(batch, WORSE)
    control.check(control.draw(batch), LABELS)
    control.again(batch, LABELS)
    control.check(control.draw(batch), LABELS)
    verdicts = batch.inspections.order_by("round").values_list("round", "verdict")
    assert list(verdicts) == [(1, "return"), (2, "return"), (3, "accept")]
    assert measure_batch(Batch.objects.get(pk=batch.pk)).n_ratings == 480


@pytest.mark.parametrize("n_wrong", [0, 12, 20, 30, 60])
def test_figures_equal_an_independent_computation(control: Control, n_wrong: int):
    truth = spoiled(LABELS, n_wrong)
    batch = control.finish("a", LABELS)
    drawn = control.draw(batch)
    position = {item: at for at, item in enumerate(batch.items.order_by("pk").values_list("pk", flat=True))}
    pairs = [(LABELS[position[item]], truth[position[item]]) for item in drawn.draws.values_list("item", flat=True)]
    n, right = Counter(label for label, _ in pairs), Counter(label for label, said in pairs if label == said)
    errors = sum(n.values()) - sum(right.values())
    is_fine = errors <= 8 and all(10 * right[key] >= 9 * n[key] for key in n)

    found = control.check(drawn, truth)

    assert found.verdict == ("accept" if is_fine else "return")
    assert found.figures["overall"]["share"] == pytest.approx((100 - errors) / 100)
    for key, figures in zip("012", found.figures["classes"], strict=True):
        assert figures["accuracy"]["n"] == n[key]
        assert figures["accuracy"]["n_right"] == right[key]
        said = sum(answer == key for _, answer in pairs)
        assert figures["recall"]["share"] == pytest.approx(right[key] / said)
    assert sum(map(sum, found.figures["confusion"])) == 100


def test_a_class_that_is_too_rare_is_left_out_and_named(control: Control):
    labels = ["0"] * 4 + ["1"] * 120 + ["2"] * 120
    found = control.check(control.draw(control.finish("a", labels)), ["1"] * 4 + labels[4:])
    assert found.verdict == "accept"  # 4 of 244 wrong, and nothing is said of their class
    assert [each["verdict"] for each in found.figures["classes"]] == ["not_assessable", "pass", "pass"]
    assert found.figures["is_weighted"]
    assert found.figures["overall"]["share"] == pytest.approx(240 / 244)


@pytest.mark.parametrize(("answers", "verdict"), [(["0", "1", "2"] * 3, "accept"), (["0", "1", "1"] * 3, "return")])
def test_a_small_batch_that_was_checked_completely_is_decided_by_its_shares(control: Control, answers, verdict: str):
    found = control.check(control.draw(control.finish("a", ["0", "1", "2"] * 3)), answers)
    assert (found.verdict, found.is_open) == (verdict, False)


def test_a_batch_without_an_assessable_class_waits_for_a_person(db: None):
    control = make_control(n_sample=9, top_up_to=0)
    labels = ["0", "1", "2"] * 4
    batch = control.finish("a", labels)
    found = control.check(control.draw(batch), labels)
    assert (found.verdict, found.is_open) == ("not_assessable", True)
    override(found, to="accept", reason="All nine are right.", by=control.cast.lead, now=NOW)
    batch.refresh_from_db()
    found.refresh_from_db()
    assert (found.verdict, found.outcome, batch.status) == ("not_assessable", "accept", "closed")


def test_a_fixed_sample_counts_its_errors(db: None):
    control = make_control(kind="fixed", n_sample=50, most_errors=3)
    few, many = control.finish("few", LABELS), control.finish("many", LABELS)
    assert control.check(control.draw(few), LABELS).verdict == "accept"
    assert control.check(control.draw(many), spoiled(LABELS, 80)).verdict == "return"
    assert Inspection.objects.get(batch=few).draws.count() == 50


def test_a_sequential_sample_is_dealt_in_portions_until_it_is_clear(db: None):
    control = make_control(kind="sequential")
    batch = control.finish("a", LABELS * 2)
    inspection = control.draw(batch)
    assert inspection.draws.count() == 400
    truth = control.truth_of(batch, LABELS * 2)
    check_draws(control.take(inspection), truth)
    assert sweep_control(now=NOW) == (0, 1)
    inspection.refresh_from_db()
    assert inspection.state == "checking"  # 25 right answers are not enough
    second = take_inspection(inspection, user=control.cast.controller, now=NOW)
    assert (second.number, second.first, second.last, second.batch.n_items) == (2, 25, 49, 25)
    check_draws(second, truth)
    sweep_control(now=NOW)
    inspection.refresh_from_db()
    # ln(.10 / .95) / ln(.90 / .95) = 41.6 right answers in a row accept
    assert (inspection.verdict, inspection.figures["n_used"]) == ("accept", 42)
    assert inspection.checks.count() == 2


def test_a_person_confirms_a_return_where_the_plan_asks_for_it(db: None):
    control = make_control(is_returned_by_itself=False)
    batch = control.finish("a", LABELS)
    found = control.check(control.draw(batch), WORSE)
    batch.refresh_from_db()
    assert (found.verdict, found.is_open, batch.round) == ("return", True, 1)
    group = Group.objects.create(study=control.cast.study, name="North")
    confirm_return(found, group=group, by=control.cast.lead, now=NOW)
    batch.refresh_from_db()
    assert (batch.round, batch.group) == (2, group)
    with pytest.raises(Refused):
        confirm_return(found, group=group, by=control.cast.lead, now=NOW)


def test_a_return_goes_to_the_same_group_by_default(control: Control):
    group = Group.objects.create(study=control.cast.study, name="North")
    batch = control.finish("a", LABELS)
    Batch.objects.filter(pk=batch.pk).update(group=group)
    control.check(control.draw(batch), WORSE)
    assert Batch.objects.get(pk=batch.pk).group == group


def test_a_lead_returns_an_accepted_batch_with_a_reason_that_is_logged(control: Control):
    batch = control.finish("a", LABELS)
    found = control.check(control.draw(batch), LABELS)
    with pytest.raises(Refused, match="Say why"):
        override(found, to="return", reason="  ", by=control.cast.lead, now=NOW)
    override(found, to="return", reason="The guide was wrong.", by=control.cast.lead, now=NOW)
    found.refresh_from_db()
    batch.refresh_from_db()
    assert (found.verdict, found.outcome, batch.round, batch.status) == ("accept", "return", 2, "open")
    line = ActivityLog.objects.get(verb="control_overridden")
    assert (line.actor, line.details["reason"]) == (control.cast.lead, "The guide was wrong.")
    with pytest.raises(Refused):
        override(found, to="accept", reason="No, it was right.", by=control.cast.lead, now=NOW)


def test_a_returned_batch_that_is_rated_again_is_not_accepted_any_more(control: Control):
    found = control.check(control.draw(control.finish("a", LABELS)), WORSE)
    with pytest.raises(Refused, match="rated again already"):
        override(found, to="accept", reason="It was right.", by=control.cast.lead, now=NOW)
    found.refresh_from_db()
    assert found.overridden_to == ""


# --- who checks --------------------------------------------------------------------------------------
def test_who_has_rated_the_batch_cannot_check_it(control: Control):
    inspection = control.draw(control.finish("a", LABELS))
    rater = control.cast.annotators[0].user
    with pytest.raises(Refused, match="rated in this batch"):
        control.take(inspection, rater)
    open_next_round(inspection.batch, now=NOW)
    with pytest.raises(Refused):  # not in a later round either
        control.take(inspection, rater)


def test_one_controller_at_a_time(control: Control):
    inspection = control.draw(control.finish("a", LABELS))
    mine = control.take(inspection)
    assert control.take(inspection) == mine
    with pytest.raises(Refused, match="Somebody else"):
        control.take(inspection, control.second)


def test_a_sample_given_back_is_checked_by_somebody_else_from_the_beginning(control: Control):
    batch = control.finish("a", LABELS)
    inspection = control.draw(batch)
    first = control.take(inspection)
    assignment = claim_seat(first.participant, first.batch, now=NOW)
    give_back(first, by=control.cast.lead, now=NOW)
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.EXPIRED
    second = control.take(inspection, control.second)
    check_draws(second, control.truth_of(batch, LABELS))
    sweep_control(now=NOW)
    inspection.refresh_from_db()
    assert (inspection.verdict, inspection.controller) == ("accept", second.participant)
    with pytest.raises(Refused):
        give_back(second, by=control.cast.lead, now=NOW)


def test_a_controller_becomes_a_participant_who_gets_no_other_batch(control: Control):
    control.cast.study.has_qualification = True
    control.cast.study.save()
    check = control.take(control.draw(control.finish("a", LABELS)))
    assert check.participant.status == "pending"
    assert StatusChange.objects.get(participant=check.participant).reason == "Checks batches."
    make_annotator(control.cast.study, "new", status="pending")
    assert clear_waiting(control.cast.study, now=NOW) == 1
    check.participant.refresh_from_db()
    assert check.participant.status == "pending"


def test_an_excluded_person_cannot_check(control: Control):
    inspection = control.draw(control.finish("a", LABELS))
    person = get_or_make_participant(control.cast.study, user=control.cast.controller)
    person.status = "excluded"
    person.save()
    with pytest.raises(Refused, match="excluded"):
        control.take(inspection)


def test_a_second_controller_changes_no_verdict(control: Control):
    batch = control.finish("a", LABELS)
    found = control.check(control.draw(batch), LABELS)
    with pytest.raises(Refused, match="yourself"):
        take_second_check(found, user=control.cast.controller, now=NOW)
    check = take_second_check(found, user=control.second, now=NOW)
    check_draws(check, control.truth_of(batch, WORSE))
    sweep_control(now=NOW)
    found.refresh_from_db()
    assert found.verdict == "accept"
    assert found.draws.filter(second_verdict__isnull=False).count() == 100
    with pytest.raises(Refused, match="second time"):
        take_second_check(found, user=control.cast.lead, now=NOW)


def test_a_study_that_moves_to_another_version_is_checked_anew(control: Control):
    batch = control.finish("a", LABELS)
    check = control.take(control.draw(batch))
    study = control.cast.study
    study.protocol_version = make_score_version()
    study.save()
    sweep_control(now=NOW)
    check.batch.refresh_from_db()
    assert check.batch.status == "closed"
    with pytest.raises(Refused, match="another version"):
        control.take(check.inspection, control.second)
