"""The pages of those who decide: the qualification, its curve, the candidates, the overview, the panel."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, Participant, Study
from annotation.services.panel import set_panel
from annotation.services.refusals import Refused
from qualification.models import ComprehensionQuestion, Qualification
from qualification.overview.selectors import parts_of, what_waits
from qualification.qualifying.services.results import override, sweep_attempts
from tests.cast import Cast
from tests.factories import UserFactory, make_annotator, make_batch
from tests.qualification.qualifying.factories import (
    QualificationFactory,
    QuestionFactory,
    finish,
    like,
    make_candidate,
    make_panel,
    mostly,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def sign_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def form(**changed: object) -> dict[str, object]:
    fields = {
        "is_on": "on", "method": "panel_kappa", "scope": "pooled", "panel_members": "non_expert",
        "threshold_from": "panel", "threshold": "", "decision": "point", "most_attempts": 1, "most_check_tries": 2,
        "passed_text": "", "failed_text": "",
    }  # fmt: skip
    return {name: value for name, value in (fields | changed).items() if value is not None}


# --- the qualification --------------------------------------------------------------------------------------
def test_switching_it_on_sends_those_who_wait_through_the_qualification_and_off_brings_them_back(cast: Cast):
    waiting = make_annotator(cast.study, "waiting", status="pending")
    client, path = sign_in(cast.researcher), reverse("qualification", args=[cast.study.slug])
    assert client.post(path, form()).status_code == 302
    assert Study.objects.get(pk=cast.study.pk).has_qualification
    waiting.refresh_from_db()
    assert waiting.status == "qualifying"
    assert set(cast.study.participants.exclude(pk=waiting.pk).values_list("status", flat=True)) == {"cleared"}
    client.post(path, form(is_on=None))
    waiting.refresh_from_db()
    assert (waiting.status, Study.objects.get(pk=cast.study.pk).has_qualification) == ("pending", False)
    assert ActivityLog.objects.filter(verb="qualification").count() == 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"threshold_from": "fixed"}, "Enter the fixed threshold."),
        ({"threshold_from": "fixed", "threshold": "3"}, "between -1 and 1"),
        ({"method": "gold"}, "needs a fixed threshold"),
        ({"most_attempts": 0}, "from 1 to 20"),
        ({"method": "wrong"}, "Select a valid choice"),
    ],
)
def test_a_rule_that_cannot_decide_is_not_stored(cast: Cast, changed, said):
    answer = sign_in(cast.researcher).post(reverse("qualification", args=[cast.study.slug]), form(**changed))
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not Qualification.objects.exists()
    assert not Study.objects.get(pk=cast.study.pk).has_qualification


def test_a_lead_reads_the_qualification_and_has_nothing_to_save(cast: Cast):
    page = sign_in(cast.lead).get(reverse("qualification", args=[cast.study.slug])).content.decode()
    assert "The rule" in page
    assert "Save the qualification" not in page


def test_beside_the_threshold_stands_how_many_equally_good_people_the_rule_turns_away(cast: Cast):
    page = sign_in(cast.researcher).get(reverse("qualification", args=[cast.study.slug])).content.decode()
    assert "as good as the panel" in page
    assert "exactly as good as the panel: about as many good people are turned away as let in" in page
    assert "the panel of the reference study" in page


def test_the_curve_follows_the_form_before_it_is_saved(cast: Cast):
    client, path = sign_in(cast.lead), reverse("qualification_curve", args=[cast.study.slug])
    by_point = client.get(path, form()).content.decode()
    by_interval = client.get(path, form(decision="interval")).content.decode()
    assert "Second line: undecided" not in by_point
    assert "Second line: undecided" in by_interval
    assert client.get(path, form(threshold_from="fixed", threshold="x")).status_code == 200
    assert not Qualification.objects.exists()


def test_a_panel_that_has_rated_is_what_the_curve_is_drawn_for(cast: Cast):
    QualificationFactory(study=cast.study)
    batch = make_batch(cast.study, 4, 3, position=3, kind="qualification", key="q")
    make_panel(cast.study, batch, [like(0), mostly(like(0), 3), mostly(like(0), 4)])
    page = sign_in(cast.lead).get(reverse("qualification", args=[cast.study.slug])).content.decode()
    assert "Simulated with your own panel: 3 members with kappa 0.330" in page
    assert "3 of 3 have finished the qualification" in page
    assert "Your qualification batch has 48." in page


def test_a_question_is_written_with_a_star_before_the_right_answer(cast: Cast):
    client, path = sign_in(cast.researcher), reverse("qualification_question_add", args=[cast.study.slug])
    client.post(path, {"text": "What is rated?", "options": "The dialogue\n* The response\n", "why": "Read on."})
    question = ComprehensionQuestion.objects.get()
    assert (question.options, question.right, question.why) == (["The dialogue", "The response"], 1, "Read on.")
    client.post(reverse("qualification_question_delete", args=[cast.study.slug, question.pk]))
    assert not ComprehensionQuestion.objects.exists()


@pytest.mark.parametrize("options", ["* One", "One\nTwo", "* One\n* Two", "* Same\nSame", "*\nTwo"])
def test_a_question_without_exactly_one_right_answer_is_refused(cast: Cast, options):
    path = reverse("qualification_question_add", args=[cast.study.slug])
    answer = sign_in(cast.researcher).post(path, {"text": "What?", "options": options})
    assert answer.status_code == 422
    assert not ComprehensionQuestion.objects.exists()


def test_a_question_of_another_study_is_not_found(cast: Cast):
    foreign = QuestionFactory()
    path = reverse("qualification_question_delete", args=[cast.study.slug, foreign.pk])
    assert sign_in(cast.researcher).post(path).status_code == 404


# --- candidates ------------------------------------------------------------------------------------
@pytest.fixture
def decided(cast: Cast) -> Cast:
    QualificationFactory(study=cast.study)
    cast.study.has_qualification = True
    cast.study.save()
    batch = make_batch(cast.study, 4, 3, position=3, kind="qualification", key="q")
    make_panel(cast.study, batch, [like(0), mostly(like(0), 3), mostly(like(0), 4)])
    for name, answer in (("good", mostly(like(0), 6)), ("poor", like(1))):
        finish(make_candidate(cast.study, name), batch, answer)
    sweep_attempts(now=NOW)
    return cast


def test_the_candidates_page_shows_value_interval_threshold_and_why(decided: Cast):
    page = sign_in(decided.lead).get(reverse("candidates", args=[decided.study.slug])).content.decode()
    good = Participant.objects.get(user__username="good").attempts.get()
    assert f"<strong>{good.value:.3f}</strong>" in page
    assert f"[{good.low:.3f}, {good.high:.3f}]" in page
    assert f"must be above {good.threshold:.3f}" in page
    assert f"{good.value:.3f} is above {good.threshold:.3f}" in page  # in the history
    assert not [each for each in decided.study.participants.exclude(panel="") if each.pseudonym in page]


def test_a_lead_decides_on_the_page(decided: Cast):
    poor = Participant.objects.get(user__username="poor")
    client, path = sign_in(decided.lead), reverse("candidate_decide", args=[decided.study.slug, poor.token])
    refused = client.post(path, {"to": "passed", "reason": ""}, follow=True)
    assert "Choose a decision and give a reason." in refused.content.decode()
    page = client.post(path, {"to": "passed", "reason": "A known expert."}, follow=True).content.decode()
    poor.refresh_from_db()
    assert poor.status == "cleared"
    assert "A known expert." in page


def test_nothing_can_be_decided_about_somebody_without_an_attempt(cast: Cast):
    path = reverse("candidate_decide", args=[cast.study.slug, cast.annotators[0].token])
    assert sign_in(cast.lead).post(path, {"to": "passed", "reason": "x"}).status_code == 404


def n_queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


@pytest.mark.parametrize("name", ["candidates", "qualification", "quality", "study", "study_people"])
def test_a_page_takes_as_many_queries_for_many_candidates_as_for_few(decided: Cast, name):
    client, path = sign_in(decided.owner), reverse(name, args=[decided.study.slug])
    client.get(path)
    before = n_queries(client, path)
    batch = decided.study.batches.get(key="q")
    for at in range(4):
        finish(make_candidate(decided.study, f"more-{at}"), batch, like(0))
        make_annotator(decided.study, f"idle-{at}")
    sweep_attempts(now=NOW)
    assert n_queries(client, path) == before


# --- the overview ----------------------------------------------------------------------------------
def test_the_overview_says_what_is_on_and_what_waits_for_whom(decided: Cast):
    Qualification.objects.update(decision="interval")
    batch = decided.study.batches.get(key="q")
    finish(make_candidate(decided.study, "doubtful"), batch, mostly(like(0), 4, 1))
    sweep_attempts(now=NOW)
    page = sign_in(decided.lead).get(reverse("quality", args=[decided.study.slug])).content.decode()
    assert "1 candidate is waiting for your decision" in page
    assert "1 decision pending" in page
    assert "1 of 3 attempts passed" in page
    overview = sign_in(decided.observer).get(reverse("study", args=[decided.study.slug])).content.decode()
    assert "1 candidate is waiting for your decision." in overview
    assert reverse("quality", args=[decided.study.slug]) in overview


def test_the_overviews_say_nothing_where_nothing_waits(decided: Cast):
    page = sign_in(decided.lead).get(reverse("study", args=[decided.study.slug])).content.decode()
    assert what_waits(decided.study) == []
    assert "waiting for your decision" not in page


def test_what_a_lead_put_right_counts_as_that(decided: Cast):
    poor = Participant.objects.get(user__username="poor")
    override(poor.attempts.get(), to="passed", reason="A known expert.", by=decided.lead, now=NOW)
    page = sign_in(decided.lead).get(reverse("quality", args=[decided.study.slug])).content.decode()
    assert "2 of 2 attempts passed" in page


def test_an_observer_reads_it_and_is_offered_no_page_they_cannot_open(decided: Cast):
    client = sign_in(decided.observer)
    page = client.get(reverse("quality", args=[decided.study.slug])).content.decode()
    assert reverse("qualification", args=[decided.study.slug]) not in page


def test_every_part_of_the_overview_stands_in_an_empty_study(cast: Cast):
    assert [part.route for part in parts_of(cast.study)] == [
        "recruitment", "pilot", "qualification", "checks", "flagged_items", "acceptance", "adjudication", "pay",
        "activity",
    ]  # fmt: skip


# --- the panel -------------------------------------------------------------------------------------
def test_a_lead_puts_people_into_the_panel_and_out_of_it(cast: Cast):
    client, path = sign_in(cast.lead), reverse("study_panel", args=[cast.study.slug])
    client.post(path, {"name": cast.researcher.username, "panel": "expert"})
    client.post(path, {"name": cast.annotator.pseudonym, "panel": "non_expert"})
    panel = dict(cast.study.participants.exclude(panel="").values_list("user__username", "panel"))
    assert panel == {"researcher": "expert", "annotator-1": "non_expert"}
    client.post(path, {"name": cast.annotator.pseudonym, "panel": ""})
    assert cast.study.participants.exclude(panel="").count() == 1
    assert ActivityLog.objects.filter(verb="panel").count() == 3


def test_a_role_that_sees_the_figures_rates_in_the_panel_and_is_no_candidate(cast: Cast):
    cast.study.has_qualification = True
    cast.study.save()
    member = set_panel(cast.study, name=cast.researcher.username, panel="expert", by=cast.lead, now=NOW)
    assert member.status == "pending"
    batch = make_batch(cast.study, position=3, kind="qualification", key="q")
    assert finish(member, batch, like(0)).status == "submitted"
    with pytest.raises(Refused):
        finish(member, cast.batch, like(0))


def test_strangers_are_not_in_the_panel(cast: Cast):
    answer = sign_in(cast.lead).post(
        reverse("study_panel", args=[cast.study.slug]), {"name": cast.stranger.username, "panel": "expert"}
    )
    assert answer.status_code == 422
    assert "is not a member of this study" in answer.content.decode()
    with pytest.raises(Refused):
        set_panel(cast.study, name="nobody", panel="expert", by=UserFactory(), now=NOW)


def test_the_qualification_names_a_qualification_batch_that_is_still_a_draft(cast: Cast):
    make_batch(cast.study, position=9, kind="qualification", key="not-opened", status="draft")
    html = sign_in(cast.lead).get(reverse("qualification", args=[cast.study.slug])).content.decode()
    assert '<code>not-opened</code> <span class="badge">draft</span>' in html


def test_who_did_not_qualify_is_called_so_on_the_page_of_the_people(cast: Cast):
    Participant.objects.filter(pk=cast.annotator.pk).update(status="failed")
    html = sign_in(cast.lead).get(reverse("study_people", args=[cast.study.slug])).content.decode()
    assert '<span class="badge bad">not qualified</span>' in html
