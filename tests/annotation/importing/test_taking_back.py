"""An import of ratings is taken back as a whole, as long as nobody has built on it."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotation.models import (
    ActivityLog,
    AgreementSnapshot,
    Assignment,
    Batch,
    Candidate,
    ImportJob,
    Participant,
    Rating,
    RatingRevision,
    Seat,
    Study,
)
from annotation.services.agreement import sweep
from annotation.services.batching import make_batches
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from annotation.services.taking_back import take_back
from annotation.services.uploads import queue_import, run_import_job
from qualification.activity.labels import sentence_of
from tests.annotation.import_pages import RATINGS, page, send, text_after_import
from tests.annotation.importing.conftest import NOW, Write, builtin, dialogue, load
from tests.api import Api, error
from tests.cast import Cast
from tests.factories import ItemFactory, StudyFactory, UserFactory
from tests.qualification.adjudication.factories import DisagreementFactory

pytestmark = pytest.mark.django_db
HEAD = "dialogue,source,annotator,criterion,value\n"
FALCON = f"{HEAD}d1,falcon,ann,appropriateness,Appropriate\nd1,ground_truth,ann,appropriateness,Appropriate\n"
TYPO = f"{HEAD}d1,falcno,ann,appropriateness,Appropriate\n"


@pytest.fixture
def study(db: None, write: Write) -> Study:
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"), seats=2)
    load(study, write(dialogue("d1"), dialogue("d2")))
    return study


def brought(study: Study, content: str, **options: object) -> ImportJob:
    upload = SimpleUploadedFile("ratings.csv", content.encode())
    job = queue_import(study, UserFactory(), "ratings", upload, options=options, now=NOW)
    assert run_import_job(job.pk, NOW) == "done"
    job.refresh_from_db()
    return job


def rows_of(study: Study) -> dict[str, int]:
    """Everything that an import of ratings may make."""
    return {
        "sources": study.sources.count(),
        "dialogues": study.dialogues.count(),
        "candidates": Candidate.objects.count(),
        "batches": study.batches.count(),
        "items": sum(batch.items.count() for batch in study.batches.all()),
        "n_items": sum(batch.n_items for batch in study.batches.all()),
        "people": study.participants.count(),
        "work": Assignment.objects.count(),
        "seats": Seat.objects.count(),
        "ratings": Rating.objects.count(),
        "revisions": RatingRevision.objects.count(),
    }


def reasons(job: ImportJob) -> str:
    with pytest.raises(Refused) as refused:
        take_back(job, by=None, now=NOW)
    return str(refused.value)


def test_a_typo_of_a_source_leaves_nothing_behind(study: Study) -> None:
    before = rows_of(study)
    job = brought(study, TYPO, create_missing=True)
    assert study.sources.filter(key="falcno").exists()

    counts = take_back(job, by=job.user, now=NOW)

    assert rows_of(study) == before
    assert counts == {
        "ratings": 1, "seats": 1, "annotators": 1, "items": 3, "batches": 1, "candidates": 1, "dialogues": 0,
        "sources": 1, "left": 0,
    }  # fmt: skip


def test_it_is_in_the_log_of_the_study(study: Study) -> None:
    job = brought(study, TYPO, create_missing=True)
    take_back(job, by=job.user, now=NOW)
    line = ActivityLog.objects.latest("pk")
    assert (line.verb, line.object, line.actor, line.details["ratings"]) == (
        "import_taken_back", "ratings.csv", job.user, 1,
    )  # fmt: skip
    assert sentence_of(line) == "The import of ratings.csv was taken back. Ratings removed: 1."


def test_the_corrected_file_can_be_imported_afterwards(study: Study) -> None:
    take_back(brought(study, TYPO, create_missing=True), by=None, now=NOW)
    brought(study, TYPO.replace("falcno", "bot"))
    assert Rating.objects.get().item.source.key == "bot"


def test_it_is_taken_back_once(study: Study) -> None:
    job = brought(study, TYPO, create_missing=True)
    take_back(job, by=None, now=NOW)
    assert reasons(job) == "There is nothing to take back of this import."


def test_only_what_this_import_made_goes(study: Study) -> None:
    first = brought(study, f"{HEAD}d1,bot,ann,appropriateness,Appropriate\n")
    before = rows_of(study)
    second = brought(study, f"{HEAD}d1,bot,ann,appropriateness,Appropriate\nd1,bot,bob,appropriateness,Appropriate\n")

    take_back(second, by=None, now=NOW)
    assert rows_of(study) == before

    take_back(first, by=None, now=NOW)
    assert rows_of(study)["ratings"] == 0


def test_what_a_later_import_uses_stays(study: Study) -> None:
    first = brought(study, FALCON, create_missing=True)
    brought(study, f"{HEAD}d1,falcon,bob,appropriateness,Appropriate\n")

    counts = take_back(first, by=None, now=NOW)

    assert [each.assignment.participant.pseudonym for each in Rating.objects.all()] == ["bob"]
    assert study.sources.filter(key="falcon").exists()
    assert study.batches.get().n_items == study.batches.get().items.count() == 3
    assert (counts["ratings"], counts["annotators"], counts["items"], counts["left"]) == (2, 1, 0, 6)


def test_work_of_the_import_that_was_added_to_is_kept(study: Study) -> None:
    first = brought(study, f"{HEAD}d1,bot,ann,appropriateness,Appropriate\n")
    brought(study, f"{HEAD}d1,ground_truth,ann,appropriateness,Appropriate\n")
    take_back(first, by=None, now=NOW)
    kept = Rating.objects.get()
    assert (kept.item.source.key, kept.assignment.seat.number) == ("ground_truth", 1)


def test_items_of_a_batch_that_somebody_works_on_stay(study: Study) -> None:
    job = brought(study, f"{HEAD}d1,bot,ann,appropriateness,Appropriate\n")
    batch = study.batches.get()
    batch.status = Batch.Status.OPEN
    batch.save()
    take_back(job, by=None, now=NOW)
    assert (batch.items.count(), Rating.objects.count(), batch.seats.count()) == (2, 0, 0)


def test_a_seat_of_a_draft_is_free_again(study: Study) -> None:
    (batch,) = make_batches(study, by="size", size=2, seats=1, now=NOW)
    rows = "".join(f"d1,bot,{who},appropriateness,Appropriate\n" for who in ("ann", "bob"))
    job = brought(study, HEAD + rows)
    assert [each.assignment.participant.pseudonym for each in batch.seats.order_by("number")] == ["ann", "bob"]
    take_back(job, by=None, now=NOW)
    assert list(batch.seats.values_list("number", "assignment")) == [(1, None)]


def test_results_no_longer_count_it(study: Study) -> None:
    make_batches(study, by="size", size=2, now=NOW)
    job = brought(study, f"{HEAD}d1,bot,ann,appropriateness,Appropriate\n")
    apart = brought(study, f"{HEAD}d9,other,ann,appropriateness,Appropriate\n", create_missing=True)
    sweep(now=NOW)
    total = AgreementSnapshot.objects.filter(study=study, batch=None)
    assert total.get().n_ratings == 2

    take_back(apart, by=None, now=NOW)
    assert total.get().n_ratings == 1
    take_back(job, by=None, now=NOW)
    sweep(now=NOW)
    assert total.get().n_ratings == 0


def test_a_changed_answer_stands_in_the_way(study: Study) -> None:
    job = brought(study, FALCON, create_missing=True)
    Rating.objects.filter(pk=Rating.objects.first().pk).update(revision=2)
    assert reasons(job) == "This import cannot be taken back. 1 of its ratings was changed later."


def test_an_excluded_annotator_stands_in_the_way(study: Study) -> None:
    job = brought(study, TYPO, create_missing=True)
    set_status(Participant.objects.get(pseudonym="ann"), status="excluded", now=NOW)
    assert "The status or the work of these annotators was changed later: ann." in reasons(job)
    assert Rating.objects.count() == 1


def test_a_settled_disagreement_stands_in_the_way(study: Study) -> None:
    job = brought(study, TYPO, create_missing=True)
    rating = Rating.objects.get()
    DisagreementFactory(item=rating.item, criterion=rating.criterion).answers.add(rating)
    assert reasons(job).endswith("Other records build on its ratings: disagreements (1).")


def test_ratings_of_before_and_dry_runs_have_nothing_to_take_back(study: Study) -> None:
    upload = SimpleUploadedFile("ratings.csv", FALCON.encode())
    options = {"create_missing": True}
    job = queue_import(study, UserFactory(), "ratings", upload, options=options, is_dry_run=True, now=NOW)
    run_import_job(job.pk, NOW)
    assert reasons(job) == "There is nothing to take back of this import."


# --- the page and the API -------------------------------------------------------------------------
@pytest.fixture
def imported(client, cast: Cast) -> str:
    client.force_login(cast.researcher)
    send(client, RATINGS.encode(), "ratings.csv", kind="ratings", create_missing="on")
    return text_after_import(client)


def test_the_page_of_an_import_offers_to_take_it_back(client, cast: Cast, imported: str) -> None:
    assert "Take this import back" in imported
    job = ImportJob.objects.get()

    text = client.post(page("study_import_take_back", job.token), {"is_sure": "on"}, follow=True).content.decode()

    assert "The import of ratings.csv was taken back." in text
    assert "This import was taken back. Removed from the study:" in text
    assert "Take this import back" not in text
    assert "taken back</span>" in client.get(page()).content.decode()


def test_the_page_says_what_stands_in_the_way(client, cast: Cast, imported: str) -> None:
    job = ImportJob.objects.get()
    Rating.objects.filter(assignment__is_imported=True).update(revision=2)

    text = client.get(page("study_import_job", job.token)).content.decode()
    assert "This import cannot be taken back. 1 of its ratings was changed later." in text
    assert "Take this import back" not in text
    text = client.post(page("study_import_take_back", job.token), follow=True).content.decode()
    assert text.count("1 of its ratings was changed later.") == 2


def test_an_import_of_dialogues_is_not_offered(client, cast: Cast) -> None:
    client.force_login(cast.researcher)
    send(client, b'{"dialogue_id": "x", "history": [{"speaker": "A", "text": "Hi"}], "candidates": []}\n')
    assert "Take this import back" not in text_after_import(client)


def test_the_api_takes_an_import_back(client, cast: Cast, imported: str) -> None:
    api, token = Api(cast.researcher), ImportJob.objects.get().token

    answer = api.ask("POST", "api_import_take_back", "wellbeing", token)

    assert (answer.status_code, answer.json()["status"]) == (200, "taken_back")
    again = api.ask("POST", "api_import_take_back", "wellbeing", token)
    assert error(again)["code"] == "nothing_to_take_back"


# --- imports of dialogues ------------------------------------------------------------------------
def sent(cast: Cast, client, *keys: str) -> ImportJob:
    send(client, b"".join(json.dumps(dialogue(key, candidates=NEW)).encode() + b"\n" for key in keys))
    job = ImportJob.objects.latest("pk")
    assert run_import_job(job.pk, timezone.now()) == "done"
    return job


NEW = [{"source": "typo", "text": "I see."}]


def test_the_unused_dialogues_of_an_import_are_taken_back_and_the_page_says_which_stay(client, cast: Cast) -> None:
    client.force_login(cast.owner)
    job = sent(cast, client, "n1", "n2", "n3")
    ItemFactory(batch=cast.batch, dialogue=cast.study.dialogues.get(key="n3"), position=90)

    shown = client.get(page("study_import_job", job.token)).content.decode()
    assert "Removes the 2 dialogues of this import that are not used yet, with their responses." in shown
    assert "1 dialogue stays, because batches, known answers or predictions use it." in shown

    shown = client.post(page("study_import_take_back", job.token), {"is_sure": "on"}, follow=True).content.decode()
    assert "This import was taken back. Removed from the study:" in shown
    assert "<dt>Dialogues</dt><dd>2</dd>" in shown
    assert "1 row that it made stays, because something else uses it." in shown
    assert list(cast.study.dialogues.filter(key__startswith="n").values_list("key", flat=True)) == ["n3"]
    assert cast.study.sources.filter(key="typo").exists()  # n3 has a response of it


def test_a_source_that_no_dialogue_has_any_more_goes_with_them(client, cast: Cast) -> None:
    client.force_login(cast.owner)
    job = sent(cast, client, "n1")
    assert take_back(job, by=None, now=NOW) == {"dialogues": 1, "sources": 1, "left": 0}


def test_an_import_whose_dialogues_are_all_used_says_where_to_go(client, cast: Cast) -> None:
    client.force_login(cast.owner)
    job = sent(cast, client, "n1")
    ItemFactory(batch=cast.batch, dialogue=cast.study.dialogues.get(key="n1"), position=90)
    shown = client.get(page("study_import_job", job.token)).content.decode()
    assert "This import cannot be taken back. All its dialogues are in use or have been removed." in shown
    assert f'<a href="{page("study_dialogues")}">Dialogues and their use</a>' in shown
    assert "All its dialogues are in use" in reasons(job)


def test_an_import_that_is_not_known_to_have_made_them_says_where_to_go(client, cast: Cast) -> None:
    client.force_login(cast.owner)
    job = sent(cast, client, "n1")
    job.made.all().delete()  # as of imports before what they made was kept
    shown = client.get(page("study_import_job", job.token)).content.decode()
    assert "Take this import back" not in shown
    assert "To remove dialogues of this import, tick them here:" in shown
