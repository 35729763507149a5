"""Decisions about people that meet each other: a study keeps an owner, an excluded annotator keeps no seat."""

from functools import partial
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotation.models import Membership, Participant, Seat
from annotation.services.claiming import claim_seat
from annotation.services.joining import join
from annotation.services.people import add_member, change_role
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from tests.cast import make_cast
from tests.factories import MembershipFactory, make_batch
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_owners_who_demote_each_other_at_once_leave_one():
    cast = make_cast()
    owners = [cast.study.memberships.get(user=cast.owner), MembershipFactory(study=cast.study, role="owner")]

    results = run_together([partial(change_role, each, role="observer", now=timezone.now()) for each in owners])

    assert sorted(type(result) for result in results if isinstance(result, Refused)) == [Refused]
    assert cast.study.memberships.filter(role="owner").count() == 1


def test_adding_somebody_ten_times_at_once_makes_one_member_and_one_pseudonym():
    cast = make_cast()

    results = run_together(
        [partial(add_member, cast.study, user=cast.stranger, role="annotator", now=timezone.now())] * 10
    )

    assert len([result for result in results if isinstance(result, Membership)]) == 1
    assert {result.code for result in results if isinstance(result, Refused)} == {"member"}
    assert Participant.objects.filter(study=cast.study, user=cast.stranger).count() == 1


def test_who_is_excluded_while_they_claim_holds_no_seat():
    cast = make_cast()
    for round_number in range(5):
        annotator = cast.annotators[round_number % 3]
        Participant.objects.filter(pk=annotator.pk).update(status="cleared")
        batch = make_batch(cast.study, position=10 + round_number)

        run_together(
            [
                partial(claim_seat, annotator, batch, now=timezone.now()),
                partial(set_status, annotator, status="excluded", now=timezone.now()),
            ]
        )

        assert not Seat.objects.filter(assignment__participant=annotator).exists()


def test_one_form_sent_ten_times_at_once_makes_one_account():
    study = make_cast(is_joinable=True).study
    before = User.objects.count()

    sending = partial(join, study, user=None, has_agreed=True, now=timezone.now(), device=uuid4())
    results = run_together([sending] * 10)

    assert {type(result) for result in results} == {Participant}
    assert len({result.user_id for result in results}) == 1
    assert User.objects.count() == before + 1
