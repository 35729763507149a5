"""Members, roles, annotators and their status, the invitation."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Membership, Participant
from annotation.services.claiming import claim_seat
from annotation.services.people import (
    add_member,
    change_role,
    get_or_make_participant,
    remove_member,
)
from annotation.services.refusals import Refused
from annotation.services.status import clear_waiting, set_status
from tests.annotation.members import membership_of, people
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import MembershipFactory, StudyFactory, UserFactory, make_batch, take_seat

pytestmark = pytest.mark.django_db
Role = Membership.Role


# --- adding ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["carla", "carla@example.org", "CARLA@Example.org"])
def test_an_annotator_is_added_by_name_or_address_and_waits_under_a_pseudonym(client, cast: Cast, name):
    carla = UserFactory(username="carla")
    client.force_login(cast.owner)

    client.post(people("study_member_add"), {"account": name, "role": "annotator"})

    participant = Participant.objects.get(study=cast.study, user=carla)
    assert participant.status == "pending"
    assert re.fullmatch(r"a-[a-z2-9]{4}", participant.pseudonym)
    assert "carla" not in participant.pseudonym


def test_other_roles_get_no_pseudonym(cast: Cast):
    add_member(cast.study, user=cast.stranger, role=Role.OBSERVER, now=NOW)

    assert not Participant.objects.filter(user=cast.stranger).exists()


@pytest.mark.parametrize("name", ["nobody", "", "\x00", "x" * 300])
def test_an_unknown_name_is_explained_beside_the_field(client, cast: Cast, name):
    client.force_login(cast.owner)

    answer = client.post(people("study_member_add"), {"account": name, "role": "annotator"})

    assert answer.status_code == 422
    assert answer.context["add_form"].errors["account"]


def test_an_address_of_two_accounts_finds_neither(client, cast: Cast):
    for name in ("one", "two"):
        UserFactory(username=name, email="same@example.org")
    client.force_login(cast.owner)

    assert client.post(people("study_member_add"), {"account": "same@example.org", "role": "lead"}).status_code == 422


def test_nobody_has_two_roles(cast: Cast):
    with pytest.raises(Refused, match=r"observer already takes part \(role: observer\)"):
        add_member(cast.study, user=cast.observer, role=Role.ANNOTATOR, now=NOW)


def test_a_new_account_gets_a_password_that_is_shown_once_and_works(client, cast: Cast):
    client.force_login(cast.owner)

    made = client.post(people("study_account_create"), {"username": "dora", "email": "", "role": "annotator"})

    password = made.context["password"]
    assert password in made.content.decode()
    assert "no-store" in made["Cache-Control"]
    assert User.objects.get(username="dora").check_password(password)
    assert password not in client.get(people()).content.decode()
    assert Participant.objects.get(user__username="dora", study=cast.study).status == "pending"


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"username": "owner"}, "username"),
        ({"username": ""}, "username"),
        ({"username": "a b"}, "username"),
        ({"username": "new", "email": "OWNER@example.org"}, "email"),
        ({"username": "new", "role": "king"}, "role"),
    ],
)
def test_an_account_that_cannot_be_made_is_explained(client, cast: Cast, form, field):
    client.force_login(cast.owner)

    answer = client.post(people("study_account_create"), {"role": "annotator"} | form)

    assert answer.status_code == 422
    assert field in answer.context["account_form"].errors


# --- roles ----------------------------------------------------------------------------------------
def test_the_last_owner_stays_owner(client, cast: Cast):
    client.force_login(cast.owner)
    mine = membership_of(cast, cast.owner)

    for role in ("observer", ""):
        page = client.post(people("study_member_role", mine.pk), {"role": role}, follow=True)
        assert "needs an owner" in page.content.decode()

    mine.refresh_from_db()
    assert mine.role == "owner"


def test_an_owner_may_go_when_another_one_stays(cast: Cast):
    MembershipFactory(study=cast.study, role=Role.OWNER)

    remove_member(membership_of(cast, cast.owner), now=NOW)

    assert cast.study.memberships.filter(role=Role.OWNER).count() == 1


def test_an_owner_of_another_study_does_not_count(cast: Cast):
    MembershipFactory(role=Role.OWNER)

    with pytest.raises(Refused, match="needs an owner"):
        change_role(membership_of(cast, cast.owner), role=Role.LEAD, now=NOW)


def test_who_becomes_an_annotator_gets_a_pseudonym(cast: Cast):
    change_role(membership_of(cast, cast.observer), role=Role.ANNOTATOR, now=NOW)

    assert Participant.objects.get(study=cast.study, user=cast.observer).status == "pending"


def test_who_stops_being_an_annotator_is_paused(cast: Cast):
    change_role(membership_of(cast, cast.annotator.user), role=Role.OBSERVER, now=NOW)

    cast.annotator.refresh_from_db()
    assert cast.annotator.status == "paused"


def test_who_waited_and_is_given_another_role_is_not_cleared_with_the_others(cast: Cast):
    set_status(cast.annotator, status="pending", now=NOW)
    change_role(membership_of(cast, cast.annotator.user), role=Role.OBSERVER, now=NOW)

    assert clear_waiting(cast.study, now=NOW) == 0


def test_who_comes_to_see_the_figures_keeps_no_seat_and_cannot_be_cleared(cast: Cast):
    """Their answers stay, and whoever finishes the batch has not seen a figure."""
    assignment = take_seat(cast.annotator, cast.batch)
    before = cast.batch.ratings_version
    change_role(membership_of(cast, cast.annotator.user), role=Role.RESEARCHER, now=NOW)

    assignment.refresh_from_db()
    cast.batch.refresh_from_db()
    assert assignment.status == "expired"
    assert not cast.batch.seats.exclude(assignment=None).exists()
    assert cast.batch.ratings_version == before + 1
    with pytest.raises(Refused, match="blind"):
        set_status(cast.annotator, status="cleared", now=NOW)


def test_finished_work_counts_on_after_a_change_of_role(cast: Cast):
    assignment = take_seat(cast.annotator, cast.batch)
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    cast.batch.seats.update(lease_expires_at=None)
    change_role(membership_of(cast, cast.annotator.user), role=Role.LEAD, now=NOW)

    assert cast.batch.seats.get(assignment=assignment)


def test_an_annotator_is_excluded_before_they_are_removed(cast: Cast):
    membership = membership_of(cast, cast.annotator.user)
    with pytest.raises(Refused, match="Exclude this annotator first"):
        remove_member(membership, now=NOW)

    set_status(cast.annotator, status="excluded", now=NOW)
    remove_member(membership, now=NOW)

    assert not Membership.objects.filter(pk=membership.pk).exists()
    assert Participant.objects.filter(pk=cast.annotator.pk).exists()


def test_a_role_that_is_none_changes_nothing(client, cast: Cast):
    client.force_login(cast.owner)
    lead = membership_of(cast, cast.lead)

    page = client.post(people("study_member_role", lead.pk), {"role": "king"}, follow=True)

    assert "no such role" in page.content.decode()
    lead.refresh_from_db()
    assert lead.role == "lead"


def test_a_member_of_another_study_is_out_of_reach(client, cast: Cast):
    client.force_login(cast.owner)

    answer = client.post(people("study_member_role", MembershipFactory().pk), {"role": "observer"})

    assert answer.status_code == 404


# --- status -------------------------------------------------------------------------------------
def test_a_lead_clears_pauses_excludes_and_takes_back_with_one_press_each(client, cast: Cast):
    client.force_login(cast.lead)
    address = people("participant_status", cast.annotator.token)

    for status in ("paused", "cleared", "excluded", "cleared"):
        page = client.post(address, {"status": status, "reason": "Seen."}, follow=True)
        cast.annotator.refresh_from_db()
        assert cast.annotator.status == status
        assert cast.annotator.pseudonym in page.content.decode()


def test_a_cleared_annotator_can_claim_and_a_pending_one_cannot(cast: Cast):
    set_status(cast.annotator, status="pending", now=NOW)
    with pytest.raises(Refused):
        claim_seat(cast.annotator, cast.batch, now=timezone.now())

    set_status(cast.annotator, status="cleared", now=NOW)
    assert claim_seat(cast.annotator, cast.batch, now=timezone.now()).status == "active"


def test_excluding_frees_the_seat_and_has_the_figures_computed_again(cast: Cast):
    assignment = take_seat(cast.annotator, cast.batch)
    version = cast.batch.ratings_version

    set_status(cast.annotator, status="excluded", now=NOW)

    assignment.refresh_from_db()
    cast.batch.refresh_from_db()
    assert assignment.status == "excluded"
    assert not cast.batch.seats.filter(assignment__isnull=False).exists()
    assert cast.batch.ratings_version > version


def submitted(participant, batch):
    assignment = take_seat(participant, batch)
    assignment.status, assignment.submitted_at = "submitted", timezone.now()
    assignment.save()
    return assignment


def test_taking_back_in_gives_finished_work_its_seat_again(cast: Cast):
    assignment = submitted(cast.annotator, cast.batch)
    set_status(cast.annotator, status="excluded", now=NOW)
    cast.batch.refresh_from_db()
    version = cast.batch.ratings_version

    set_status(cast.annotator, status="cleared", now=NOW)

    assignment.refresh_from_db()
    cast.batch.refresh_from_db()
    assert assignment.status == "submitted"
    assert assignment.seat.batch == cast.batch
    assert cast.batch.ratings_version > version


def test_taking_back_in_never_gives_more_votes_than_wanted(cast: Cast):
    assignment = submitted(cast.annotator, cast.batch)
    set_status(cast.annotator, status="excluded", now=NOW)
    others = [*cast.annotators[1:], get_or_make_participant(cast.study, user=UserFactory())]
    for other in others:
        take_seat(other, cast.batch)

    set_status(cast.annotator, status="cleared", now=NOW)

    assignment.refresh_from_db()
    assert assignment.status == "expired"
    assert cast.batch.seats.count() == 3
    assert {seat.assignment.participant for seat in cast.batch.seats.all()} == set(others)


def test_unfinished_work_of_who_is_back_waits_to_be_claimed(cast: Cast):
    assignment = take_seat(cast.annotator, cast.batch)
    set_status(cast.annotator, status="excluded", now=NOW)

    set_status(cast.annotator, status="cleared", now=NOW)

    assignment.refresh_from_db()
    assert assignment.status == "expired"
    assert claim_seat(cast.annotator, cast.batch, now=timezone.now()) == assignment


def test_all_who_wait_are_cleared_at_once_and_nobody_else(client, cast: Cast):
    set_status(cast.annotators[0], status="pending", now=NOW)
    set_status(cast.annotators[1], status="paused", now=NOW)
    client.force_login(cast.lead)

    page = client.post(people("study_clear_all"), follow=True)

    assert "1 annotator may now rate" in page.content.decode()
    statuses = {each.pk: each.status for each in cast.study.participants.all()}
    assert [statuses[each.pk] for each in cast.annotators] == ["cleared", "paused", "cleared"]


@pytest.mark.parametrize("status", ["", "king", "\x00"])
def test_a_status_that_is_none_changes_nothing(client, cast: Cast, status):
    client.force_login(cast.lead)

    client.post(people("participant_status", cast.annotator.token), {"status": status})

    cast.annotator.refresh_from_db()
    assert cast.annotator.status == "cleared"


def test_an_annotator_of_another_study_is_out_of_reach(client, cast: Cast):
    other = get_or_make_participant(StudyFactory(), user=UserFactory())
    client.force_login(cast.owner)

    assert client.post(people("participant_status", other.token), {"status": "excluded"}).status_code == 404


# --- the page -------------------------------------------------------------------------------------
def test_those_who_wait_stand_first(client, cast: Cast):
    set_status(cast.annotators[2], status="pending", now=NOW)
    make_batch(cast.study, position=5)
    client.force_login(cast.lead)

    page = client.get(people())

    assert page.context["page"].object_list[0] == cast.annotators[2]
    assert "Clear everyone waiting" in page.content.decode()


def test_who_is_of_the_team_is_not_offered_for_clearing(client, cast: Cast):
    checker = get_or_make_participant(cast.study, user=cast.controller)
    client.force_login(cast.lead)

    page = client.get(people()).content.decode()

    assert checker.pseudonym in page
    assert f"Clear {checker.pseudonym}" not in page
    assert "Clear everyone waiting" not in page
    assert "team member" in page


def test_the_team_hides_nobody_who_waits(client, cast: Cast):
    get_or_make_participant(cast.study, user=cast.controller)
    set_status(cast.annotators[2], status="pending", now=NOW)
    client.force_login(cast.lead)

    page = client.get(people()).content.decode()

    assert f"Clear {cast.annotators[2].pseudonym}" in page
    assert "Clear everyone waiting" in page
    assert "2 cleared, 1 waiting" in client.get(reverse("study", args=["wellbeing"])).content.decode()


def test_a_lead_sees_annotators_and_no_forms_for_members(client, cast: Cast):
    client.force_login(cast.lead)

    page = client.get(people()).content.decode()

    assert cast.annotator.pseudonym in page
    for name in ("study_member_add", "study_account_create", "study_invitation"):
        assert reverse(name, args=["wellbeing"]) not in page
    assert cast.study.join_token not in page


def test_an_imported_annotator_who_has_no_account_can_be_excluded(cast: Cast):
    imported = Participant.objects.create(study=cast.study, pseudonym="from a file", is_imported=True)

    assert set_status(imported, status="excluded", now=NOW).status == Participant.Status.EXCLUDED
