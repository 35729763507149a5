"""Importing from the browser: preview, queue, progress, errors by line."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.models import ImportJob
from annotation.services.uploads import run_import_job
from tests.cast import Cast
from tests.factories import ImportJobFactory, StudyFactory

pytestmark = pytest.mark.django_db

TURNS = [{"speaker": "A", "text": "How was the exam?"}]
GOOD = {"dialogue_id": "d1", "history": TURNS, "candidates": [{"source": "model_a", "text": "What is <b>an exam</b>?"}]}
RATINGS = "rater,model,dialogue_id,criterion,answer\nr1,Model A,d1,appropriateness,Appropriate\n"


def lines(*records) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def page(route="study_import", *args):
    return reverse(route, args=["wellbeing", *args])


def send(client, content: bytes, name="dialogues.jsonl", route="study_import", **form):
    upload = SimpleUploadedFile(name, content)
    return client.post(page(route), {"kind": "dialogues", "file": upload} | form)


@pytest.fixture
def researcher(client, cast: Cast):
    client.force_login(cast.researcher)
    return cast.researcher


# --- preview --------------------------------------------------------------------------------------
def test_the_preview_shows_the_first_rows_and_the_format_it_found(client, researcher):
    answer = send(client, lines(GOOD), route="study_import_preview")

    text = answer.content.decode()
    assert "jsonl-history" in text
    assert "How was the exam?" in text
    assert "What is &lt;b&gt;an exam&lt;/b&gt;?" in text
    assert not ImportJob.objects.exists()


def test_the_preview_of_ratings_says_how_the_columns_are_read(client, researcher):
    answer = send(client, RATINGS.encode(), "ratings.csv", "study_import_preview", kind="ratings")

    text = answer.content.decode()
    assert "Annotator = rater" in text
    assert "Answer = answer" in text
    assert 'data-columns="rater\tmodel' in text.replace("&#9;", "\t").replace("'", '"')


def test_a_column_mapping_is_tried_in_the_preview(client, researcher):
    content = b"who,d,criterion,what\nr1,d1,appropriateness,Appropriate\n"
    columns = {"map_annotator": "who", "map_dialogue": "d", "map_value": "what"}

    answer = send(client, content, "ratings.csv", "study_import_preview", kind="ratings", **columns)

    assert "Annotator = who" in answer.content.decode()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"[1, 2]\n", "JSON list"), (b"hello\n", "neither JSON Lines nor CSV"), (b"\xff\xfea\x00", "UTF-16")],
)
def test_a_file_that_cannot_be_read_is_explained_in_the_preview(client, researcher, content, said):
    assert said in send(client, content, route="study_import_preview").content.decode()


def test_a_wrong_line_is_named_in_the_preview(client, researcher):
    answer = send(client, lines(GOOD, {"dialogue_id": "d2", "history": []}), route="study_import_preview")

    assert "Line 2" in answer.content.decode()


# --- import ---------------------------------------------------------------------------------------
def test_an_import_is_queued_run_by_a_worker_and_summed_up(client, researcher, cast: Cast):
    answer = send(client, lines(GOOD))
    job = ImportJob.objects.get()
    assert answer.url == page("study_import_job", job.token)
    assert "Waiting for a worker" in client.get(answer.url).content.decode()
    assert cast.study.dialogues.count() == 2

    run_import_job(job.pk, now=timezone.now())

    text = client.get(answer.url).content.decode()
    assert "Imported." in text
    assert "New dialogues" in text
    assert cast.study.dialogues.filter(key="d1").exists()
    assert (job.user, job.file_name) == (researcher, "dialogues.jsonl")


def test_a_dry_run_stores_nothing_and_says_what_it_would(client, researcher, cast: Cast):
    send(client, lines(GOOD), is_dry_run="on")
    job = ImportJob.objects.get()

    run_import_job(job.pk, now=timezone.now())

    assert (
        "This was a dry run, so nothing was stored" in client.get(page("study_import_job", job.token)).content.decode()
    )
    assert not cast.study.dialogues.filter(key="d1").exists()


def test_errors_are_listed_by_file_line_field_and_reason_and_nothing_is_stored(client, researcher, cast: Cast):
    send(client, lines(GOOD, {"dialogue_id": "d2", "history": TURNS, "candidates": [{"text": "Who wrote me?"}]}))
    job = ImportJob.objects.get()

    run_import_job(job.pk, now=timezone.now())

    text = client.get(page("study_import_job", job.token)).content.decode()
    assert "Nothing was stored" in text
    assert "dialogues.jsonl:2" in text
    assert "candidates[0].source" in text
    assert "name the model or person" in text
    assert not cast.study.dialogues.filter(key="d1").exists()


def test_the_page_asks_for_progress_until_the_job_is_over(client, researcher, cast: Cast):
    job = ImportJobFactory(study=cast.study, status="running", n_done=30, n_total=120, phase="reading")
    whole = client.get(page("study_import_job", job.token)).content.decode()
    assert page("study_import_job_status", job.token) in whole

    part = client.get(page("study_import_job_status", job.token))
    assert part.status_code == 200
    assert 'value="25"' in part.content.decode()
    assert "<html" not in part.content.decode()

    ImportJob.objects.update(status="done", n_done=120, summary={"counts": {"dialogues_new": 7}})
    assert client.get(page("study_import_job_status", job.token)).status_code == 286
    whole = client.get(page("study_import_job", job.token)).content.decode()
    assert page("study_import_job_status", job.token) not in whole


def test_options_of_ratings_reach_the_job(client, researcher):
    send(client, RATINGS.encode(), "ratings.csv", kind="ratings", map_annotator="rater", create_missing="on")

    job = ImportJob.objects.get()
    assert (job.kind, job.options) == ("ratings", {"columns": {"annotator": "rater"}, "create_missing": True})


def test_options_of_the_other_kind_are_left_out(client, researcher):
    send(client, lines(GOOD), map_annotator="rater", create_missing="on", source="me")

    assert ImportJob.objects.get().options == {"source": "me"}


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"kind": "cats"}, "kind"),
        ({"format": "csv-ratings"}, "format"),
        ({"format": "xml"}, "format"),
        ({"reference": "\x00"}, "reference"),
    ],
)
def test_a_mistake_in_the_form_is_explained(client, researcher, form, field):
    answer = send(client, lines(GOOD), **form)

    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    assert not ImportJob.objects.exists()


def test_a_file_is_asked_for(client, researcher):
    assert "file" in client.post(page(), {"kind": "dialogues"}).context["form"].errors


def test_an_empty_file_is_refused_at_once(client, researcher):
    assert send(client, b"").status_code == 422


def test_a_file_that_is_too_large_is_refused_at_once(client, researcher, settings):
    settings.UPLOAD_MAX_BYTES = 10

    answer = send(client, lines(GOOD))

    assert "larger than" in answer.context["form"].errors["file"][0]


def test_an_import_of_another_study_is_out_of_reach(client, researcher):
    other = ImportJobFactory(study=StudyFactory())

    assert client.get(page("study_import_job", other.token)).status_code == 404


def test_a_name_of_a_file_cannot_break_the_page(client, researcher):
    send(client, lines(GOOD), name="<script>alert(1)</script>.jsonl")

    assert "<script>alert" not in client.get(page()).content.decode()


# --- predictions ------------------------------------------------------------------------------------
def test_predictions_are_imported_from_the_page(client, researcher, cast: Cast):
    candidate = cast.batch.items.first().candidate
    content = f"dialogue,source,bleu,nll\n{candidate.dialogue.key},{candidate.source.key},0.5,2\n".encode()
    answer = send(client, content, "m.csv", kind="predictions", metrics="bleu, nll", lower_is_better="nll", note="v1")
    job = ImportJob.objects.get()
    assert answer.status_code == 302
    run_import_job(job.pk, now=timezone.now())
    job.refresh_from_db()
    assert (job.status, job.summary["counts"]["predictions_new"]) == ("done", 2)
    metrics = cast.study.metrics.order_by("key")
    assert [(each.key, each.higher_is_better, each.note, each.created_by) for each in metrics] == [
        ("bleu", True, "v1", researcher), ("nll", False, "v1", researcher),
    ]  # fmt: skip
    assert "Compare predictions with people" in client.get(page("study_import_job", job.token)).content.decode()


def test_the_preview_of_predictions_says_how_the_columns_are_read(client, researcher):
    answer = send(
        client, b"d,model,score\nd1,a,1\n", "m.csv", "study_import_preview", kind="predictions", map_dialogue="d"
    )
    text = answer.content.decode()
    assert "Dialogue = d" in text
    assert "Score = score" in text


def test_wrong_predictions_name_file_line_and_field(client, researcher, cast: Cast):
    send(client, b"dialogue,source,bleu\nnowhere,a,1\n", "m.csv", kind="predictions", metrics="bleu")
    job = ImportJob.objects.get()
    run_import_job(job.pk, now=timezone.now())
    text = client.get(page("study_import_job", job.token)).content.decode()
    assert "m.csv:2" in text
    assert "is not in the study" in text
    assert not cast.study.metrics.exists()
