"""Members who may make protocols and studies: who they are, and who names them."""

import pytest
from django.contrib.auth.models import Group, User

from annotation.models import Membership
from annotation.services.people import (
    add_member,
    change_role,
)
from annotation.services.refusals import Refused
from annotation.services.researchers import name_researcher
from tests.annotation.members import membership_of, people
from tests.cast import Cast
from tests.clock import NOW

pytestmark = pytest.mark.django_db
Role = Membership.Role


def is_researcher(user: User) -> bool:
    return User.objects.get(pk=user.pk).has_perms(["protocols.add_protocolversion", "annotation.add_study"])


@pytest.mark.parametrize(("role", "may"), [(Role.OWNER, True), (Role.RESEARCHER, True), (Role.LEAD, False)])
def test_owners_and_researchers_of_a_study_may_make_protocols_and_studies(cast: Cast, role, may):
    add_member(cast.study, user=cast.stranger, role=role, now=NOW)

    assert is_researcher(cast.stranger) is may


def test_the_right_comes_with_a_changed_role_and_stays_when_it_changes_back(cast: Cast):
    for role in (Role.RESEARCHER, Role.OBSERVER):
        change_role(membership_of(cast, cast.lead), role=role, now=NOW)

    assert is_researcher(cast.lead)


def test_an_owner_names_a_researcher_and_the_log_says_so(client, cast: Cast):
    client.force_login(cast.owner)
    lead = membership_of(cast, cast.lead)

    client.post(people("study_researcher", lead.pk), {})
    assert not is_researcher(cast.lead), "without the tick nobody is named"
    page = client.post(people("study_researcher", lead.pk), {"is_sure": "on"}, follow=True)

    assert is_researcher(cast.lead)
    assert "lead may now create protocols and studies." in page.content.decode()
    line = cast.study.activities.get(verb="researcher_named")
    assert (line.actor, line.object) == (cast.owner, "lead")


def test_an_annotator_of_the_study_cannot_be_named(cast: Cast):
    membership = add_member(cast.study, user=cast.stranger, role=Role.ANNOTATOR, now=NOW)

    with pytest.raises(Refused, match="annotator"):
        name_researcher(membership, now=NOW)
    assert not is_researcher(cast.stranger)


def test_a_group_that_was_deleted_comes_back_with_its_permissions(cast: Cast):
    Group.objects.all().delete()

    add_member(cast.study, user=cast.stranger, role=Role.OWNER, now=NOW)

    assert is_researcher(cast.stranger)
