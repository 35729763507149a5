"""Off by default; on, it tells sums by tens of items, never of gold, and the report says so."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, Item, Rating
from annotation.services.claiming import claim_seat, submit_assignment
from qualification.checks.selectors.feedback import Feedback, feedback_of, feedback_periods
from qualification.checks.services.inserting import insert_checks
from qualification.checks.services.plans import save_check_plan
from reporting.report.build import build_report
from tests.cast import Cast, make_cast
from tests.factories import make_batch
from tests.qualification.checks.factories import make_checks
from tests.working import rate_everything

pytestmark = [pytest.mark.django_db, pytest.mark.own_cast]
SAID = re.compile(r"you agree with the majority of the others on (\d+) of (\d+) answers")


def switch(cast: Cast, is_on: bool) -> None:
    save_check_plan(cast.study, by=cast.researcher, now=timezone.now(), gives_feedback=is_on)


def rate(cast: Cast, batch, *options: int) -> None:
    """As many annotators as options, who finish the batch."""
    for person, option in zip(cast.annotators, options, strict=False):
        assignment = claim_seat(person, batch, now=timezone.now())
        rate_everything(assignment, now=timezone.now(), option=option)
        submit_assignment(assignment, feedback="", now=timezone.now())


def my_work(cast: Cast) -> str:
    client = Client()
    client.force_login(cast.annotator.user)
    return client.get(reverse("work")).content.decode()


def feedback(cast: Cast) -> Feedback | None:
    return feedback_of([cast.annotator]).get(cast.annotator.pk)


def test_nothing_is_told_unless_the_study_says_so(cast: Cast):
    rate(cast, make_batch(cast.study, 5, position=2, key="five"), 0, 0, 0)

    assert feedback(cast) is None
    assert not SAID.search(my_work(cast))


def test_with_it_on_an_annotator_reads_sums_of_ten_items(cast: Cast):
    rate(cast, make_batch(cast.study, 5, position=2, key="five"), 0, 0, 1)
    switch(cast, True)

    assert feedback(cast) == Feedback(n_same=0, n_answers=0, n_items=10)  # the two others tie
    rate(cast, make_batch(cast.study, 5, position=3, key="again"), 0, 0, 0)
    assert feedback(cast) == Feedback(n_same=15 * 4, n_answers=15 * 4, n_items=30)
    assert SAID.search(my_work(cast)).groups() == ("60", "60")


def test_answers_to_a_question_that_is_no_longer_asked_are_not_compared(cast: Cast):
    rate(cast, make_batch(cast.study, 5, position=2, key="five"), 0, 0, 0)
    switch(cast, True)
    assert feedback(cast) == Feedback(n_same=40, n_answers=40, n_items=10)

    Rating.objects.filter(criterion=cast.study.protocol_version.criteria.first()).update(is_active=False)
    assert feedback(cast) == Feedback(n_same=30, n_answers=30, n_items=10)


def test_fewer_than_ten_items_with_two_others_tell_nothing(cast: Cast):
    switch(cast, True)
    rate(cast, make_batch(cast.study, 3, position=2, key="nine"), 0, 0, 0)
    rate(cast, make_batch(cast.study, 5, position=3, key="one other"), 0, 0)

    assert feedback(cast) is None


def test_answers_move_it_by_tens_of_items_only(cast: Cast):
    switch(cast, True)
    batch = make_batch(cast.study, 6, position=2, key="six")
    for person in cast.annotators[1:]:
        assignment = claim_seat(person, batch, now=timezone.now())
        rate_everything(assignment, now=timezone.now())
        submit_assignment(assignment, feedback="", now=timezone.now())
    mine = claim_seat(cast.annotator, batch, now=timezone.now())
    seen = []
    for n in range(60, 73):
        rate_everything(mine, now=timezone.now(), n=n)
        found = feedback(cast)
        seen.append(found and found.n_items)

    assert set(seen) <= {None, 10}
    assert seen[-1] == 10


def test_checks_are_never_part_of_it(cast: Cast):
    batch = make_batch(cast.study, 5, position=2, key="five")
    make_checks(cast.study, 3)
    save_check_plan(cast.study, by=None, now=timezone.now(), gives_feedback=True, gold_percent=50)
    insert_checks(cast.study, by=None, now=timezone.now())
    rate(cast, batch, 1, 1, 1)

    assert Item.objects.filter(batch=batch, is_check=True).count() == 9
    assert feedback(cast).n_items == 10


def test_my_work_takes_one_query_more_where_nothing_is_told(cast: Cast, django_assert_num_queries):
    with django_assert_num_queries(1):
        feedback_of([cast.annotator])
    with django_assert_num_queries(0):
        feedback_of([])


# --- told in the report ------------------------------------------------------------------------------
def test_each_switch_is_logged_once_and_gives_the_periods(cast: Cast):
    for is_on in (True, True, False, True):
        switch(cast, is_on)

    verbs = list(ActivityLog.objects.filter(verb__startswith="feedback").order_by("pk").values_list("verb", flat=True))
    assert verbs == ["feedback_on", "feedback_off", "feedback_on"]
    first, second = feedback_periods(cast.study)
    assert first.until is not None
    assert second.until is None


def test_the_report_says_that_it_was_on_and_since_when(cast: Cast):
    rate(cast, cast.batch, 0, 0, 1)
    switch(cast, True)
    today = f"{timezone.now():%Y-%m-%d}"

    report = build_report(cast.study, now=timezone.now())

    assert report.feedback == [{"since": today, "until": None}]
    assert f"Since {today}, annotators have been told how often they agree" in " ".join(report.methods)
    assert "not fully independent" in report.rules["feedback"]
    switch(cast, False)
    assert f"From {today} to {today}, annotators were told" in " ".join(
        build_report(cast.study, now=timezone.now()).methods
    )


def test_the_report_of_a_study_without_it_does_not_speak_of_it(db):
    cast = make_cast()
    rate(cast, cast.batch, 0, 0, 1)

    report = build_report(cast.study, now=timezone.now())

    assert report.feedback == []
    assert "feedback" not in report.rules
    assert "told how often" not in " ".join(report.methods)
