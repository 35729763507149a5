"""The doors themselves, without pages: default deny, and nothing for nobody."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone

from annotation import access
from annotation.access import RIGHTS, Right
from annotation.models import Membership
from annotation.services.claiming import claim_seat
from tests.cast import Cast
from tests.factories import AssignmentFactory, ParticipantFactory

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()


def test_every_role_has_its_rights_written_down():
    assert RIGHTS.keys() == set(Membership.Role)


@pytest.mark.parametrize("right", Right)
def test_a_stranger_and_nobody_find_no_study(cast: Cast, right: Right):
    for user in (cast.stranger, NOBODY):
        with pytest.raises(Http404):
            access.study_for(user, cast.study.slug, right)
        assert not access.may(user, cast.study, right)


def test_an_annotator_may_work_and_nothing_else(cast: Cast):
    assert access.rights_in(cast.annotator.user, cast.study) == {Right.WORK}
    with pytest.raises(PermissionDenied):
        access.study_for(cast.annotator.user, cast.study.slug, Right.WATCH)


def test_nobody_does_not_get_the_work_of_imported_annotators(cast: Cast):
    imported = ParticipantFactory(study=cast.study, user=None, is_imported=True)
    assignment = AssignmentFactory(
        batch=cast.batch, participant=imported, status="submitted", submitted_at=cast.study.created_at
    )
    assert not access.participations_of(NOBODY).exists()
    for door in (
        lambda: access.assignment_for(NOBODY, assignment.token),
        lambda: access.participant_for(NOBODY, cast.study.slug),
        lambda: access.claimable_batch_for(NOBODY, cast.batch.token),
    ):
        with pytest.raises(Http404):
            door()


def test_only_the_annotator_opens_an_assignment(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=timezone.now())
    assert access.assignment_for(cast.annotator.user, assignment.token) == assignment
    for user in (cast.owner, cast.lead, cast.annotators[1].user, cast.stranger):
        with pytest.raises(Http404):
            access.assignment_for(user, assignment.token)


def test_objects_of_another_study_are_not_found(cast: Cast):
    with pytest.raises(Http404):
        access.batch_for(cast.owner, cast.study.slug, "no such batch", Right.WATCH)
    with pytest.raises(Http404):
        access.import_for(cast.owner, cast.study.slug, uuid4())
