"""Moving a study to another version: explicit, nothing lost, nothing counted that was asked differently."""

from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import AgreementSnapshot, Assignment, Rating, Seat
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.moving import effect_of_move, move_study
from annotation.services.refusals import Refused
from protocols.bundles import load_bundle
from protocols.models import ProtocolVersion
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from protocols.specs import spec_of
from tests.cast import Cast
from tests.factories_protocols import make_scale_version
from tests.shipped import Work
from tests.working import rate_everything, record, submission

pytestmark = pytest.mark.django_db
NOW = timezone.now()
FILE = BUILTIN / "dialogue-hit-1.0.yaml"


@pytest.fixture
def work() -> Work:
    return Work("dialogue-hit-1.0", n_sources=2)


@pytest.fixture
def newer(work: Work) -> ProtocolVersion:
    """The scale turned round: the same place stands for another option."""
    bundle = load_bundle(FILE) | {"version": "1.1", "changes": "The scale begins with 1 now."}
    for criterion in bundle["criteria"]:
        criterion["options"].reverse()
    return store_bundle(bundle, publish=True, now=NOW)[0]


def n_counted(work: Work) -> int:
    return AgreementSnapshot.objects.get(study=work.study, batch=None).n_ratings


def test_what_was_answered_stays_with_its_version_and_counts_no_more(work: Work, newer: ProtocolVersion):
    rate_everything(work.assignment, now=NOW)
    submit_assignment(work.assignment, feedback="", now=NOW)
    other = work.another("bea")
    rate_everything(other.assignment, now=NOW, n=3)
    old = work.study.protocol_version
    assert effect_of_move(work.study) == replace(effect_of_move(work.study), n_ratings=19, n_submitted=1, n_active=1)
    move_study(work.study, newer, now=NOW)
    assert Rating.objects.filter(criterion__version=old).count() == 19
    assert n_counted(work) == 0
    assert not Seat.objects.filter(assignment__isnull=False).exists()


def test_the_batch_is_rated_anew_under_the_new_version(work: Work, newer: ProtocolVersion):
    rate_everything(work.assignment, now=NOW)
    submit_assignment(work.assignment, feedback="", now=NOW)
    move_study(work.study, newer, now=NOW)
    again = claim_seat(work.participant, work.batch, now=NOW)
    again = Assignment.objects.select_related("batch__study__protocol_version").get(pk=again.pk)
    rate_everything(again, now=NOW)
    assert submit_assignment(again, feedback="", now=NOW).status == "submitted"
    assert Rating.objects.filter(criterion__version=newer).count() == 16


def test_an_answer_from_a_page_of_the_old_version_is_refused(work: Work, newer: ProtocolVersion):
    old = spec_of(work.study.protocol_version)
    item = work.items("response")[0]
    given = submission(item.token, old.criteria[0].key, old.criteria[0].options[0])
    move_study(work.study, newer, now=NOW)
    again = Assignment.objects.select_related("batch__study__protocol_version").get(pk=work.assignment.pk)
    with pytest.raises(Refused, match="questions of this study have changed"):
        record(again, replace(given, protocol=old.fingerprint), now=NOW)
    assert not Rating.objects.exists()


def test_moving_back_brings_the_old_figures_back_with_the_seats_taken_again(work: Work, newer: ProtocolVersion):
    rate_everything(work.assignment, now=NOW, n=5)
    old = work.study.protocol_version
    move_study(work.study, newer, now=NOW)
    work.study.refresh_from_db()
    move_study(work.study, old, now=NOW)
    claim_seat(work.participant, work.batch, now=NOW)
    assert Rating.objects.filter(criterion__version=old, assignment__seat__isnull=False).count() == 5


@pytest.mark.parametrize(("unit", "code"), [("dialogue", "other_protocol")])
def test_a_study_stays_with_its_protocol(work: Work, unit: str, code: str):
    with pytest.raises(Refused) as refused:
        move_study(work.study, make_scale_version(unit=unit), now=NOW)
    assert refused.value.code == code


def test_a_draft_and_other_units_are_refused(work: Work):
    bundle = load_bundle(FILE)
    draft, _ = store_bundle(bundle | {"version": "2.0"}, publish=False, now=NOW)
    whole, _ = store_bundle(bundle | {"version": "3.0", "unit": "dialogue"}, publish=True, now=NOW)
    for version, code in (
        (draft, "not_published"),
        (whole, "other_units"),
        (work.study.protocol_version, "same_version"),
    ):
        with pytest.raises(Refused) as refused:
            move_study(work.study, version, now=NOW)
        assert refused.value.code == code


# --- the page --------------------------------------------------------------------------------------------
def test_the_page_says_what_a_move_means_and_moves_after_a_tick(client, work: Work, newer: ProtocolVersion, cast: Cast):
    work.study.memberships.create(user=cast.owner, role="owner")
    rate_everything(work.assignment, now=NOW, n=3)
    client.force_login(cast.owner)
    url = reverse("study_protocol", args=[work.study.slug])
    page = client.get(url, {"version": "1.1"}).content.decode()
    assert "3 answers given under 1.0 stay stored" in page
    assert "8 differences affect what is measured (wording only: 1):" in page
    assert client.post(url, {"version": "1.1"}).status_code == 422
    assert client.post(url, {"version": "1.1", "understood": "on"}).status_code == 302
    work.study.refresh_from_db()
    assert work.study.protocol_version == newer


def test_a_move_that_affects_no_answer_needs_no_tick(client, work: Work, newer: ProtocolVersion, cast: Cast):
    work.study.memberships.create(user=cast.owner, role="owner")
    work.assignment.seat.delete()
    client.force_login(cast.owner)
    url = reverse("study_protocol", args=[work.study.slug])
    page = client.get(url, {"version": "1.1"}).content.decode()
    assert "Nobody has rated yet, so no answers or seats are affected." in page
    assert "I understand" not in page
    assert client.post(url, {"version": "1.1"}).status_code == 302
    work.study.refresh_from_db()
    assert work.study.protocol_version == newer


def test_changed_instructions_are_shown_once_to_who_knows_another_version(client, work: Work, newer: ProtocolVersion):
    rate_everything(work.assignment, now=NOW, n=3)
    move_study(work.study, newer, now=NOW)
    assignment = claim_seat(work.participant, work.batch, now=NOW)
    client.force_login(work.participant.user)
    start = reverse("rate_start", args=[assignment.token])
    assert "The scale begins with 1 now." in client.get(start, follow=True).content.decode()
    client.post(reverse("briefed", args=[work.study.slug]))
    assert "The scale begins with 1 now." not in client.get(start, follow=True).content.decode()
