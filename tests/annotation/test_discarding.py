"""A draft batch is undone on the Batches page, so that its dialogues can be corrected."""

import pytest
from django.urls import reverse

from annotation.models import AgreementSnapshot, Candidate, IdenticalPair
from annotation.selectors.dialogues import unused_dialogues
from annotation.services.agreement import sweep
from annotation.services.dialogues import remove_dialogues
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import AssignmentFactory, make_batch

pytestmark = pytest.mark.django_db


def batches_page(client) -> str:
    return client.get(reverse("study_batches", args=["wellbeing"])).content.decode()


def discard(client, key: str, **form) -> str:
    route = reverse("study_batches_discard", args=["wellbeing"])
    return client.post(route, {"key": key, "is_sure": "on"} | form, follow=True).content.decode()


@pytest.fixture
def draft(client, cast: Cast):
    client.force_login(cast.researcher)
    return make_batch(cast.study, position=1, key="typo", status="draft")


def test_only_a_draft_is_offered_to_be_discarded(client, draft):
    text = batches_page(client)
    assert text.count("Discard this draft") == 1
    assert "Discard the draft typo" in text


def test_the_dialogues_of_a_discarded_draft_are_unused_again(client, cast: Cast, draft):
    dialogues = cast.study.dialogues.filter(items__batch=draft).distinct()
    keys, candidates = [each.key for each in dialogues], Candidate.objects.filter(dialogue=dialogues[0])[:2]
    IdenticalPair.objects.create(batch=draft, dialogue=dialogues[0], first=candidates[0], second=candidates[1])

    text = discard(client, "typo")

    assert "Discarded: typo. The dialogues are free for other batches." in text
    assert "Discard the draft typo" not in text
    assert "2 dialogues are not in a batch" in text
    assert {each.key for each in unused_dialogues(cast.study)} == set(keys)
    assert remove_dialogues(cast.study, keys=keys, by=cast.researcher, now=NOW) == 2


def test_a_draft_is_kept_until_somebody_confirms(client, cast: Cast, draft):
    text = discard(client, "typo", is_sure="")
    assert "Confirm that you want to discard the drafts." in text
    assert "Discard the draft typo" in text


@pytest.mark.parametrize("status", ["open", "closed"])
def test_a_batch_that_is_no_draft_is_kept(client, cast: Cast, draft, status):
    cast.study.batches.filter(key="typo").update(status=status)
    assert "typo is not a draft, so it cannot be discarded." in discard(client, "typo")
    assert cast.study.batches.filter(key="typo").exists()


def test_a_draft_that_somebody_has_worked_on_is_kept_whole(client, cast: Cast, draft):
    AssignmentFactory(batch=draft, participant=cast.annotator, status="expired")
    assert "typo already has work or answers, so it cannot be discarded." in discard(client, "typo")
    assert (draft.items.count(), draft.seats.count()) == (6, 3)


def test_a_batch_of_another_name_is_said_to_be_gone(client, draft):
    assert "There is no batch other any more." in discard(client, "other")


def test_boards_no_longer_want_the_answers_of_a_discarded_draft(client, cast: Cast, draft):
    def total():
        sweep(now=NOW)
        return AgreementSnapshot.objects.get(study=cast.study, batch=None)

    cast.study.batches.update(ratings_version=1)
    before = total()
    discard(client, "typo")
    after = total()
    assert (before.n_wanted, after.n_wanted) == (2 * after.n_wanted, before.n_wanted // 2)
    assert after.version > before.version


def test_ticked_drafts_are_discarded_together_after_a_confirmation(client, cast: Cast, draft):
    make_batch(cast.study, position=2, key="second", status="draft")
    route = reverse("study_batches_discard", args=["wellbeing"])
    assert "Discard selected drafts" in batches_page(client)

    text = client.post(route, {"key": ["typo", "second"]}, follow=True).content.decode()
    assert "Confirm that you want to discard the drafts." in text
    assert cast.study.batches.filter(status="draft").count() == 2

    text = client.post(route, {"key": ["typo", "second"], "is_sure": "on"}, follow=True).content.decode()
    assert "Discarded: typo, second. The dialogues are free for other batches." in text
    assert "Discard selected drafts" not in text
    assert not cast.study.batches.filter(status="draft").exists()


def test_if_one_of_the_ticked_batches_is_no_draft_all_are_kept(client, cast: Cast, draft):
    route = reverse("study_batches_discard", args=["wellbeing"])
    data = {"key": ["typo", cast.batch.key], "is_sure": "on"}
    text = client.post(route, data, follow=True).content.decode()
    assert f"{cast.batch.key} is not a draft, so it cannot be discarded." in text
    assert cast.study.batches.filter(key="typo").exists()


def test_no_ticked_draft_is_said(client, draft):
    route = reverse("study_batches_discard", args=["wellbeing"])
    assert "Tick the drafts to discard." in client.post(route, {"is_sure": "on"}, follow=True).content.decode()
