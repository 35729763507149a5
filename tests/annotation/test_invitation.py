"""The invitation: a link that brings annotators into a study."""

import pytest
from django.urls import reverse

from annotation.models import Membership
from annotation.services.people import (
    join_study,
    remove_member,
)
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db
Role = Membership.Role


def test_the_invitation_is_switched_on_and_off_and_its_address_can_be_copied(client, cast: Cast):
    client.force_login(cast.researcher)

    page = client.post(
        reverse("study_invitation", args=["wellbeing"]), {"is_joinable": "on", "is_clearing_on_join": "on"}, follow=True
    )
    cast.study.refresh_from_db()
    assert cast.study.is_joinable
    assert cast.study.is_clearing_on_join
    assert f"http://testserver{reverse('join', args=[cast.study.join_token])}" in page.content.decode()

    client.post(reverse("study_invitation", args=["wellbeing"]), {})
    cast.study.refresh_from_db()
    assert not cast.study.is_joinable


@pytest.mark.parametrize(("is_clearing", "status"), [(True, "cleared"), (False, "pending")])
def test_who_joins_is_cleared_only_where_the_study_says_so(cast: Cast, is_clearing, status):
    study = StudyFactory(is_joinable=True, is_clearing_on_join=is_clearing, protocol_version=cast.version)

    participant = join_study(study, user=cast.stranger, now=NOW)

    assert participant.status == status
    assert study.memberships.get(user=cast.stranger).role == "annotator"
    assert join_study(study, user=cast.stranger, now=NOW) == participant


def test_nobody_joins_by_a_link_that_is_off(cast: Cast):
    with pytest.raises(Refused, match="turned off"):
        join_study(cast.study, user=cast.stranger, now=NOW)


@pytest.mark.parametrize("who", ["owner", "researcher", "lead", "controller", "observer"])
def test_who_sees_the_figures_cannot_join_as_an_annotator(cast: Cast, who):
    study = cast.study
    study.is_joinable = True
    study.save()

    with pytest.raises(Refused, match="blind"):
        join_study(study, user=getattr(cast, who), now=NOW)


def test_joining_again_does_not_clear_who_was_excluded(cast: Cast):
    study = StudyFactory(is_joinable=True, is_clearing_on_join=True, protocol_version=cast.version)
    set_status(join_study(study, user=cast.stranger, now=NOW), status="excluded", now=NOW)

    assert join_study(study, user=cast.stranger, now=NOW).status == "excluded"


def test_who_was_excluded_and_removed_does_not_come_back_in_by_the_link(cast: Cast):
    study = StudyFactory(is_joinable=True, is_clearing_on_join=True, protocol_version=cast.version)
    set_status(join_study(study, user=cast.stranger, now=NOW), status="excluded", now=NOW)
    remove_member(study.memberships.get(user=cast.stranger), now=NOW)

    assert join_study(study, user=cast.stranger, now=NOW).status == "excluded"
