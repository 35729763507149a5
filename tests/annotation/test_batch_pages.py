"""Batches from the browser: dealt, opened, closed. And whether a worker is there for what pages wait for."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import AgreementSnapshot, Batch, Source
from annotation.selectors.health import imports_are_stalled, worker_is_silent
from annotation.selectors.studies import metadata_fields
from annotation.services.agreement import sweep
from annotation.services.batching import make_batches
from annotation.services.refusals import Refused
from annotation.services.studies import set_batch_status
from protocols.services import store_bundle
from tests.cast import Cast
from tests.clock import NOW
from tests.comparing import make_scenarios, make_study
from tests.factories import (
    BatchFactory,
    CandidateFactory,
    DialogueFactory,
    HeartbeatFactory,
    ImportJobFactory,
    MembershipFactory,
    SourceFactory,
    StudyFactory,
    make_batch,
)
from tests.shipped import bundle_of

pytestmark = pytest.mark.django_db


# --- batches --------------------------------------------------------------------------------------
def post_batches(client, **form):
    return client.post(reverse("study_batches", args=["wellbeing"]), {"kind": "main"} | form, follow=True)


def test_the_examples_of_a_training_are_no_dialogues_that_wait_for_a_batch(client, cast: Cast):
    source = SourceFactory(study=cast.study, key=f"{Source.EXAMPLES}-model-1")
    example = DialogueFactory(study=cast.study, key="example-model-1", position=10, purpose="training")
    CandidateFactory(dialogue=example, source=source)
    client.force_login(cast.researcher)
    assert "dialogue is not in a batch" not in client.get(reverse("study_batches", args=["wellbeing"])).content.decode()
    own = DialogueFactory(study=cast.study, key="own", position=11, purpose="training")
    CandidateFactory(dialogue=own, source=cast.study.sources.exclude(pk=source.pk).first())
    assert "1 dialogue is not in a batch" in client.get(reverse("study_batches", args=["wellbeing"])).content.decode()


def test_one_batch_is_told_in_the_singular(client, cast: Cast):
    make_candidates(DialogueFactory(study=cast.study, key="new", position=10))
    client.force_login(cast.researcher)
    assert (
        "1 batch has been made. Open it when you are ready." in post_batches(client, by="size", size=3).content.decode()
    )


def test_batches_are_made_by_size_with_the_wanted_seats(client, cast: Cast):
    for position in range(5):
        DialogueFactory(study=cast.study, key=f"new-{position}", position=10 + position)
        make_candidates(cast.study.dialogues.get(key=f"new-{position}"))
    client.force_login(cast.researcher)

    page = post_batches(client, by="size", size=3, seats=2)

    assert "2 batches have been made" in page.content.decode()
    made = cast.study.batches.exclude(pk=cast.batch.pk)
    assert sorted(batch.items.values("dialogue").distinct().count() for batch in made) == [2, 3]
    assert {batch.seats.count() for batch in made} == {2}
    assert {batch.status for batch in made} == {"draft"}


def make_candidates(dialogue):
    for source in dialogue.study.sources.all():
        dialogue.candidates.create(source=source, key=source.key, text="A response.")


@pytest.mark.parametrize(
    ("form", "field"), [({"by": "size", "size": ""}, "size"), ({"by": "stratified", "size": 2}, "field")]
)
def test_what_a_way_of_dealing_needs_is_asked_for(client, cast: Cast, form, field):
    client.force_login(cast.researcher)

    assert field in post_batches(client, **form).context["form"].errors


def test_the_fields_to_stratify_by_come_from_the_dialogues(cast: Cast):
    DialogueFactory(study=cast.study, metadata={"domain": "law", "difficulty": 2})
    DialogueFactory(study=cast.study, metadata={"domain": "finance"})
    DialogueFactory(study=cast.study, metadata=[])

    assert metadata_fields(cast.study) == ["difficulty", "domain"]


@pytest.mark.parametrize(
    ("bundle", "make", "right"),
    [
        ("acute-eval-1.0", make_scenarios, "1.0-dialogues"),
        ("acute-eval-1.0-dialogues", make_study, "1.0"),
        ("acute-eval-1.0", make_study, ""),
        ("acute-eval-1.0-dialogues", make_scenarios, ""),
    ],
)
def test_a_protocol_for_responses_is_told_from_one_for_dialogues(client, db, bundle: str, make, right: str):
    study = make(2, 2, version=store_bundle(bundle_of(bundle), publish=True, now=NOW)[0])
    client.force_login(MembershipFactory(study=study, role="researcher").user)
    page = client.get(reverse("study_batches", args=[study.slug])).content.decode()
    assert ("The right one is" in page) == bool(right)
    if right:
        assert f"The right one is {study.protocol_version.protocol.name}, version {right}." in page
        assert reverse("study_protocol", args=[study.slug]) in page


def test_the_form_says_what_the_size_counts(client, cast: Cast):
    client.force_login(cast.researcher)
    for number in range(30):
        dialogue = DialogueFactory(study=cast.study, key=f"t{number}", conversation=f"c{number // 5}")
        CandidateFactory(dialogue=dialogue, source=cast.study.sources.first())

    text = client.get(reverse("study_batches", args=["wellbeing"])).content.decode()

    assert "A batch counts dialogues: 30 dialogues are not in a batch. Responses to rate: 30." in text
    assert "They are turns of 6 conversations." in text


def test_the_size_of_a_batch_may_count_conversations_and_the_list_shows_how_many_it_holds(client, cast: Cast):
    client.force_login(cast.researcher)
    cast.study.batches.all().delete()
    cast.study.dialogues.all().delete()
    for number in range(12):
        dialogue = DialogueFactory(study=cast.study, key=f"t{number}", conversation=f"c{number // 3}", position=number)
        CandidateFactory(dialogue=dialogue, source=cast.study.sources.first())
    form = client.get(reverse("study_batches", args=["wellbeing"])).content.decode()
    assert "Size of a batch" in form
    assert '<option value="conversations">conversations</option>' in form
    made = post_batches(client, by="size", size=2, counts="conversations").content.decode()
    assert "2 batches have been made." in made
    assert re.search(r'<th scope="col" class="number">Conversations</th>', made)
    assert made.count('<td class="number">6</td>\n                <td class="number">2</td>') == 2


def test_pairs_of_whole_dialogues_may_be_counted_by_scenario(client, db):
    study = make_scenarios(4, 3)
    client.force_login(MembershipFactory(study=study, role="researcher").user)
    page = reverse("study_batches", args=[study.slug])
    assert '<option value="conversations">scenarios</option>' in client.get(page).content.decode()
    form = {"kind": "main", "by": "size", "size": 2, "counts": "conversations"}
    assert "2 batches have been made." in client.post(page, form, follow=True).content.decode()
    assert list(study.batches.values_list("n_items", flat=True)) == [6, 6]


def test_where_each_dialogue_is_its_own_conversation_only_dialogues_are_counted(client, cast: Cast):
    client.force_login(cast.researcher)
    CandidateFactory(dialogue=DialogueFactory(study=cast.study), source=cast.study.sources.first())
    text = client.get(reverse("study_batches", args=["wellbeing"])).content.decode()
    assert "A batch counts dialogues: 1 dialogue is not in a batch. Responses to rate: 1." in text
    assert "They are turns" not in text


def test_a_refusal_of_the_dealing_is_shown_in_the_form(client, cast: Cast):
    DialogueFactory(study=cast.study, key="bare")
    client.force_login(cast.researcher)

    page = post_batches(client, by="size", size=3)

    assert page.status_code == 422
    text = page.content.decode()
    assert "1 dialogue has none" in text
    assert "If the file is a chat log, remove its dialogues and import it with “The file is a chat log" in text


def test_ticked_batches_are_closed_and_opened_again(client, cast: Cast):
    other = make_batch(cast.study, position=1)
    client.force_login(cast.researcher)

    for status in ("closed", "open"):
        client.post(reverse("study_batches_status", args=["wellbeing"]), {"status": status, "key": [other.key]})
        other.refresh_from_db()
        assert other.status == status
    cast.batch.refresh_from_db()
    assert cast.batch.status == "open"


def test_one_button_opens_all_drafts_and_no_closed_batch(client, cast: Cast):
    make_batch(cast.study, position=1, status="draft")
    closed = make_batch(cast.study, position=2, status="closed")
    client.force_login(cast.owner)

    page = client.post(
        reverse("study_batches_status", args=["wellbeing"]), {"status": "open", "drafts": "1"}, follow=True
    )

    assert "1 batch is now open" in page.content.decode()
    closed.refresh_from_db()
    assert closed.status == "closed"


@pytest.mark.parametrize("key", [[], ["nobody"], ["\x00"]])
def test_an_unknown_batch_changes_nothing(client, cast: Cast, key):
    client.force_login(cast.owner)

    page = client.post(
        reverse("study_batches_status", args=["wellbeing"]), {"status": "closed", "key": key}, follow=True
    )

    assert "Tick the batches" in page.content.decode()
    cast.batch.refresh_from_db()
    assert cast.batch.status == "open"


def test_a_batch_of_another_study_is_out_of_reach(cast: Cast):
    other = make_batch(StudyFactory(), key="elsewhere")

    assert set_batch_status(cast.study, keys=["elsewhere"], status="closed", now=NOW) == 0
    other.refresh_from_db()
    assert other.status == "open"


def test_an_empty_batch_is_not_opened(cast: Cast):
    BatchFactory(study=cast.study, key="empty", status="draft")

    with pytest.raises(Refused, match="without items"):
        set_batch_status(cast.study, keys=["empty"], status=Batch.Status.OPEN, now=NOW)


# --- workers --------------------------------------------------------------------------------------
def test_without_a_heartbeat_the_worker_is_silent():
    assert worker_is_silent(timezone.now())


def test_a_fresh_heartbeat_is_a_worker_and_an_old_one_is_none(settings):
    now = timezone.now()
    HeartbeatFactory(beaten_at=now - timezone.timedelta(seconds=settings.WORKER_SILENT_AFTER - 1))
    assert not worker_is_silent(now)

    HeartbeatFactory._meta.model.objects.update(
        beaten_at=now - timezone.timedelta(seconds=settings.WORKER_SILENT_AFTER + 1)
    )
    assert worker_is_silent(now)


def test_a_worker_in_the_middle_of_an_import_is_not_silent(cast: Cast):
    now = timezone.now()
    HeartbeatFactory(queue="live", beaten_at=now)
    assert imports_are_stalled(now)

    ImportJobFactory(study=cast.study, status="running")
    assert not imports_are_stalled(now)


@pytest.mark.parametrize(("route", "is_shown"), [("study", True), ("study_import", True), ("study_people", False)])
def test_pages_that_wait_for_a_worker_say_that_none_runs(client, cast: Cast, route, is_shown):
    client.force_login(cast.owner)

    page = client.get(reverse(route, args=["wellbeing"])).content.decode()

    assert ("No worker is running" in page) is is_shown


# --- what open boards see -------------------------------------------------------------------------
def test_batches_that_are_made_opened_or_closed_show_on_boards_with_the_next_sweep(cast: Cast):
    def version_after(change) -> int:
        change()
        sweep(now=timezone.now())
        return AgreementSnapshot.objects.get(study=cast.study, batch=None).version

    for position in range(4):
        make_candidates(DialogueFactory(study=cast.study, key=f"new-{position}", position=10 + position))
    made = version_after(lambda: make_batches(cast.study, by="size", size=2, now=timezone.now()))
    keys = cast.study.batches.filter(status="draft").values_list("key", flat=True)
    opened = version_after(lambda: set_batch_status(cast.study, keys=keys, status="open", now=NOW))
    closed = version_after(lambda: set_batch_status(cast.study, keys=keys, status="closed", now=NOW))
    assert 0 < made < opened < closed


# --- the list -------------------------------------------------------------------------------------
def test_open_ended_batches_say_who_came_and_not_of_how_many(client, cast: Cast):
    make_batch(cast.study, position=1, kind="qualification")
    make_batch(cast.study, position=2, kind="review", reserved_for=cast.annotator)
    make_batch(cast.study, position=3, kind="pilot")
    client.force_login(cast.researcher)

    page = client.get(reverse("study_batches", args=["wellbeing"]))

    is_open = {batch.kind: batch.is_open_ended for batch in page.context["page"]}
    assert is_open == {"main": False, "qualification": True, "review": True, "pilot": False}
    assert page.content.decode().count("0 of ") == 4  # taken and finished, of the main batch and the pilot
