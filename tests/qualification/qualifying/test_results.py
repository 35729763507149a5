"""From a finished qualification batch to its result: once, by the rule, whatever happens to the worker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import ActivityLog, Assignment, Batch, Membership, Participant, Rating, StatusChange, Study
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from parley.celery import app
from qualification.models import Attempt, KnownAnswer, Qualification
from qualification.qualifying.services import results
from qualification.qualifying.services.results import override, sweep_attempts
from tests.factories import UserFactory, make_annotator, make_batch
from tests.qualification.qualifying.factories import (
    KnownAnswerFactory,
    finish,
    like,
    make_candidate,
    make_qualifying_study,
    mostly,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now()
GOOD, POOR = mostly(like(0), 6), like(1)


def status_of(participant: Participant) -> str:
    return Participant.objects.get(pk=participant.pk).status


def test_a_good_candidate_is_cleared_and_a_poor_one_is_not():
    study, batch = make_qualifying_study()
    good, poor = make_candidate(study, "good"), make_candidate(study, "poor")
    finish(good, batch, GOOD)
    finish(poor, batch, POOR)
    assert sweep_attempts(now=NOW) == 2
    assert (status_of(good), status_of(poor)) == ("cleared", "failed")
    attempt = good.attempts.get()
    assert (attempt.state, attempt.number, attempt.n_items) == ("passed", 1, 48)
    assert attempt.value > attempt.threshold
    assert attempt.rule["method"] == "panel_kappa"


def test_the_change_of_status_has_its_reason_and_both_are_in_the_log():
    study, batch = make_qualifying_study()
    candidate = make_candidate(study)
    finish(candidate, batch, GOOD)
    sweep_attempts(now=NOW)
    change = StatusChange.objects.get(participant=candidate)
    assert (change.actor, change.before, change.after) == (None, "qualifying", "cleared")
    assert f"{candidate.attempts.get().value:.3f} is above" in change.reason
    assert set(ActivityLog.objects.filter(object=candidate.pseudonym).values_list("verb", flat=True)) == {
        "qualification_result", "status"
    }  # fmt: skip


def test_a_result_keeps_the_rule_it_was_made_by():
    study, batch = make_qualifying_study()
    finish(make_candidate(study), batch, GOOD)
    sweep_attempts(now=NOW)
    Qualification.objects.update(threshold_from="fixed", threshold=0.99)
    assert sweep_attempts(now=NOW) == 0
    assert Attempt.objects.get().rule["threshold_from"] == "panel"


def test_an_answer_to_a_question_that_is_no_longer_asked_is_not_judged():
    study, batch = make_qualifying_study()
    candidate = make_candidate(study)
    finish(candidate, batch, GOOD)
    mine = Rating.objects.filter(assignment__participant=candidate)
    mine.filter(criterion=study.protocol_version.criteria.first()).update(is_active=False)
    sweep_attempts(now=NOW)
    assert candidate.attempts.get().n_items == 48 - 12


def test_unfinished_work_is_not_decided():
    study, batch = make_qualifying_study()
    claim_seat(make_candidate(study), batch, now=NOW)
    assert sweep_attempts(now=NOW) == 0
    assert not Attempt.objects.exists()


@pytest.mark.parametrize("status", ["pending", "paused", "excluded", "cleared", "failed"])
def test_only_who_still_qualifies_is_decided(status):
    study, batch = make_qualifying_study()
    candidate = make_candidate(study)
    finish(candidate, batch, GOOD)
    set_status(candidate, status=status, now=NOW)
    assert sweep_attempts(now=NOW) == 0
    assert status_of(candidate) == status


def test_the_panel_itself_is_never_a_candidate():
    study, _batch = make_qualifying_study()
    Participant.objects.filter(study=study).update(status="qualifying")
    assert sweep_attempts(now=NOW) == 0


def test_without_a_qualification_that_is_on_nothing_is_decided():
    study, batch = make_qualifying_study()
    finish(make_candidate(study), batch, GOOD)
    study.has_qualification = False
    study.save()
    assert sweep_attempts(now=NOW) == 0


# --- the panel comes later -------------------------------------------------------------------------
def test_before_the_panel_has_finished_the_attempt_waits_and_says_why():
    study, batch = make_qualifying_study()
    member = make_candidate(study, "late-member")
    candidate = make_candidate(study)
    Participant.objects.filter(pk=member.pk).update(panel="non_expert")
    finish(candidate, batch, GOOD)
    assert sweep_attempts(now=NOW) == 0
    attempt = candidate.attempts.get()
    assert (attempt.state, attempt.reason, status_of(candidate)) == ("pending", "panel_unfinished", "qualifying")
    member.refresh_from_db()
    finish(member, batch, like(0))
    assert sweep_attempts(now=NOW) == 1
    attempt.refresh_from_db()
    assert (attempt.state, attempt.reason) == ("passed", "")


def test_a_member_who_is_paused_is_not_waited_for():
    study, batch = make_qualifying_study()
    make_annotator(study, "late-member", panel="non_expert", status="paused")
    finish(make_candidate(study), batch, GOOD)
    assert sweep_attempts(now=NOW) == 1


def test_with_no_panel_at_all_nothing_is_decided(django_assert_max_num_queries):
    study, batch = make_qualifying_study()
    Participant.objects.filter(study=study).update(panel="")
    finish(make_candidate(study), batch, GOOD)
    sweep_attempts(now=NOW)
    assert Attempt.objects.get().reason == "no_panel"
    with django_assert_max_num_queries(6):  # what is known to wait is only looked at
        assert sweep_attempts(now=NOW) == 0


def test_experts_alone_can_be_the_panel():
    study, batch = make_qualifying_study(panel_members="expert")
    Participant.objects.filter(user__username="panel-0").update(panel="expert")
    Qualification.objects.update(threshold_from="fixed", threshold=0.5)
    finish(make_candidate(study), batch, mostly(like(0), 20))
    sweep_attempts(now=NOW)
    assert Attempt.objects.get().value == pytest.approx(0.8333, abs=0.01)


# --- undecided and undefined -----------------------------------------------------------------------
def test_an_undecided_candidate_is_given_more_and_judged_by_everything():
    study, batch = make_qualifying_study(decision="interval", most_attempts=2)
    second = make_batch(study, 4, 3, position=1, kind="qualification", key="qualification-2")
    for member, answer in zip(study.participants.all(), [like(0), mostly(like(0), 3), mostly(like(0), 4)], strict=True):
        finish(member, second, answer)
    candidate = make_candidate(study)
    doubtful = mostly(like(0), 4, 1)
    finish(candidate, batch, doubtful)
    sweep_attempts(now=NOW)
    first = candidate.attempts.get()
    assert (first.state, status_of(candidate), first.n_items) == ("undecided", "qualifying", 48)
    assert first.low <= first.threshold < first.high
    finish(candidate, second, doubtful)
    sweep_attempts(now=NOW)
    assert candidate.attempts.get(number=2).n_items == 96


def test_an_undefined_kappa_is_never_a_pass_and_a_lead_decides():
    study, batch = make_qualifying_study()
    same = like(0)
    for assignment in Assignment.objects.filter(batch=batch):
        assignment.ratings.update(option=assignment.batch.study.protocol_version.criteria.first().options.first())
    candidate = make_candidate(study)
    finish(candidate, batch, same)
    candidate.assignments.get().ratings.update(option=study.protocol_version.criteria.first().options.first())
    assert sweep_attempts(now=NOW) == 1
    attempt = candidate.attempts.get()
    assert (attempt.state, attempt.value, attempt.reason) == ("undecided", None, "no_variation")
    assert status_of(candidate) == "qualifying"


def test_a_pass_does_not_let_somebody_rate_whose_role_sees_the_figures():
    study, batch = make_qualifying_study()
    candidate = make_candidate(study)
    finish(candidate, batch, GOOD)
    Membership.objects.filter(user=candidate.user).update(role="researcher")
    sweep_attempts(now=NOW)
    attempt = candidate.attempts.get()
    assert (attempt.state, attempt.reason, status_of(candidate)) == ("undecided", "other_role", "qualifying")


# --- other methods -----------------------------------------------------------------------------------
def know_ten(study: Study, batch: Batch) -> None:
    """Gold for the first criterion of the first ten items."""
    criterion = study.protocol_version.criteria.first()
    for at, item in enumerate(batch.items.order_by("position", "pk")[:10]):
        right = criterion.options.all()[like(0)(at, criterion)]
        KnownAnswerFactory(
            dialogue=item.dialogue, candidate=item.candidate, criterion=criterion, options=[right.pk],
            study=study, kind=KnownAnswer.Kind.GOLD,
        )  # fmt: skip


def test_known_answers_need_no_panel():
    study, batch = make_qualifying_study(method="gold", threshold_from="fixed", threshold=0.7)
    Participant.objects.filter(study=study).update(panel="")
    know_ten(study, batch)
    good, poor = make_candidate(study, "good"), make_candidate(study, "poor")
    finish(good, batch, mostly(like(0), 9))
    finish(poor, batch, POOR)
    sweep_attempts(now=NOW)
    assert (good.attempts.get().value, good.attempts.get().n_items, status_of(good)) == (0.8, 10, "cleared")
    assert (poor.attempts.get().value, status_of(poor)) == (0.0, "failed")


@pytest.mark.parametrize("change", [{"is_active": False}, {"kind": "training"}, {"kind": "attention"}])
def test_only_gold_that_is_in_use_is_judged(change: dict[str, object]):
    study, batch = make_qualifying_study(method="gold", threshold_from="fixed", threshold=0.7)
    know_ten(study, batch)
    KnownAnswer.objects.filter(pk=KnownAnswer.objects.first().pk).update(**change)
    candidate = make_candidate(study)
    finish(candidate, batch, GOOD)
    sweep_attempts(now=NOW)
    assert candidate.attempts.get().n_items == 9


@pytest.mark.parametrize(
    ("threshold", "status", "said"),
    [(0.8, "cleared", "0.800 is at least 0.800"), (0.9, "failed", "0.800 is below 0.900")],
)
def test_eight_of_ten_known_answers_reach_a_required_accuracy_of_eight_tenths(threshold, status, said):
    study, batch = make_qualifying_study(method="gold", threshold_from="fixed", threshold=threshold)
    know_ten(study, batch)
    candidate = make_candidate(study)
    finish(candidate, batch, mostly(like(0), 9))
    sweep_attempts(now=NOW)
    assert (candidate.attempts.get().value, status_of(candidate)) == (0.8, status)
    assert said in candidate.status_changes.get().reason


def test_the_majority_of_the_panel_can_be_what_candidates_are_measured_by():
    study, batch = make_qualifying_study(method="majority_kappa", threshold_from="fixed", threshold=0.6)
    candidate = make_candidate(study)
    finish(candidate, batch, like(0))
    sweep_attempts(now=NOW)
    assert candidate.attempts.get().value > 0.8


# --- faults ----------------------------------------------------------------------------------------
def test_a_worker_killed_between_attempt_and_status_leaves_nothing_behind(monkeypatch):
    study, batch = make_qualifying_study()
    candidate = make_candidate(study)
    finish(candidate, batch, GOOD)

    def die(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(results, "set_status", die)
    with pytest.raises(KeyboardInterrupt):
        sweep_attempts(now=NOW)
    assert not Attempt.objects.exists()
    assert not ActivityLog.objects.filter(verb="qualification_result").exists()
    monkeypatch.undo()
    assert sweep_attempts(now=NOW) == 1
    assert status_of(candidate) == "cleared"


def test_one_candidate_who_cannot_be_decided_does_not_hold_up_the_others(monkeypatch):
    study, batch = make_qualifying_study()
    first, second = make_candidate(study, "first"), make_candidate(study, "second")
    finish(first, batch, GOOD)
    finish(second, batch, GOOD)
    judge = results.answers_of

    def broken(qualification, spec, participant, batches):
        if participant == first.pk:
            raise ValueError("broken")
        return judge(qualification, spec, participant, batches)

    monkeypatch.setattr(results, "answers_of", broken)
    assert sweep_attempts(now=NOW) == 1
    assert (status_of(first), status_of(second)) == ("qualifying", "cleared")


def test_a_task_delivered_twice_and_late_decides_once():
    study, batch = make_qualifying_study()
    assignment = finish(make_candidate(study), batch, GOOD)
    assert results.decide(assignment.pk, now=NOW) is True
    assert results.decide(assignment.pk, now=NOW - timedelta(hours=2)) is False
    assert Attempt.objects.get().decided_at == NOW


def test_the_sweep_is_on_the_clock():
    app.loader.import_default_modules()
    entry = app.conf.beat_schedule["sweep-attempts"]
    assert (entry["task"], entry["schedule"]) == ("qualification.tasks.sweep_attempts", 1.0)
    assert entry["task"] in app.tasks


# --- a lead decides --------------------------------------------------------------------------------
def test_a_lead_overrides_with_a_reason_and_the_rules_result_stays():
    study, batch = make_qualifying_study()
    candidate, lead = make_candidate(study), UserFactory()
    finish(candidate, batch, POOR)
    sweep_attempts(now=NOW)
    override(candidate.attempts.get(), to="passed", reason="Swapped the scale, then rated well.", by=lead, now=NOW)
    attempt = candidate.attempts.get()
    assert (attempt.state, attempt.overridden_to, attempt.overridden_by) == ("failed", "passed", lead)
    assert status_of(candidate) == "cleared"
    change = candidate.status_changes.order_by("pk").last()
    assert (change.actor, change.reason) == (lead, "Swapped the scale, then rated well.")


def test_an_override_needs_a_reason_and_the_last_attempt():
    study, batch = make_qualifying_study()
    candidate, lead = make_candidate(study), UserFactory()
    finish(candidate, batch, POOR)
    sweep_attempts(now=NOW)
    with pytest.raises(Refused, match="reason"):
        override(candidate.attempts.get(), to="passed", reason="  ", by=lead, now=NOW)
    assert status_of(candidate) == "failed"


def test_a_lead_can_decide_while_the_panel_is_missing_and_the_sweep_then_keeps_off():
    study, batch = make_qualifying_study()
    panel = study.participants.first()
    Participant.objects.filter(study=study).update(panel="")
    candidate = make_candidate(study)
    finish(candidate, batch, POOR)
    sweep_attempts(now=NOW)
    override(candidate.attempts.get(), to="undecided", reason="Another try.", by=UserFactory(), now=NOW)
    Participant.objects.filter(pk=panel.pk).update(panel="non_expert")
    Qualification.objects.update(threshold_from="fixed", threshold=0)
    assert sweep_attempts(now=NOW) == 0
    assert status_of(candidate) == "qualifying"
