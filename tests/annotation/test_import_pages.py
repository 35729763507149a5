"""Importing from the browser: preview, queue, progress, errors by line."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.models import ImportJob
from annotation.services.uploads import run_import_job
from tests.annotation.import_pages import GOOD, RATINGS, TURNS, lines, page, send, text_after_import
from tests.annotation.importing.conftest import workbook
from tests.cast import Cast
from tests.factories import ImportJobFactory, MembershipFactory, StudyFactory

pytestmark = pytest.mark.django_db


def chosen(answer) -> dict[str, list[str]]:
    """The columns chosen in the lists beside the preview, by the name of the list."""
    found = {}
    for name, options in re.findall(r'<select [^>]*name="(\w+)"[^>]*>(.*?)</select>', answer.content.decode(), re.S):
        columns = re.findall(r'<option value="([^"]*)" selected>', options)
        if columns not in ([""], ["-"]):
            found[name] = columns
    return found


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


def test_the_page_does_not_deny_dialogues_that_came_otherwise(client, researcher, cast: Cast):
    assert "The study already has dialogues." in client.get(page()).text
    empty = MembershipFactory(user=cast.researcher, role="researcher").study
    assert "The study already has dialogues." not in client.get(reverse("study_import", args=[empty.slug])).text


def test_the_preview_of_ratings_says_how_the_columns_are_read(client, researcher):
    answer = send(client, RATINGS.encode(), "ratings.csv", "study_import_preview", kind="ratings")

    assert chosen(answer) == {
        "map_dialogue": ["dialogue_id"],
        "map_source": ["model"],
        "map_annotator": ["rater"],
        "map_criterion": ["criterion"],
        "map_value": ["answer"],
    }
    assert "map_appropriateness" in answer.content.decode()


def test_a_column_mapping_is_tried_in_the_preview(client, researcher):
    content = b"who,d,criterion,what\nr1,d1,appropriateness,Appropriate\n"
    columns = {"map_annotator": "who", "map_dialogue": "d", "map_value": "what"}

    answer = send(client, content, "ratings.csv", "study_import_preview", kind="ratings", **columns)

    assert chosen(answer)["map_annotator"] == ["who"]


def test_a_table_of_dialogues_is_shown_as_it_is_read_with_the_guess_to_correct(client, researcher):
    content = b"id,question,GPT,human,n\nd1,How was <i>the</i> exam?,Long.,Hard.,1\n"
    answer = send(client, content, "table.csv", "study_import_preview")
    assert chosen(answer) == {"map_dialogue": ["id"], "map_prompt": ["question"]}
    assert "choose the column of “Response”" in answer.content.decode()

    columns = {"map_dialogue": "id", "map_prompt": "question", "map_response": ["GPT", "human"]}
    answer = send(client, content, "table.csv", "study_import_preview", **columns)
    text = answer.content.decode()
    assert chosen(answer) == {"map_dialogue": ["id"], "map_prompt": ["question"], "map_response": ["GPT", "human"]}
    assert "How was &lt;i&gt;the&lt;/i&gt; exam?" in text
    assert text.count("not shown to annotators") == 2


def test_a_column_that_is_said_not_to_be_in_the_file_stays_out(client, researcher):
    content = b"id,prompt,response,model\nd1,Hi,Ho,a\n"
    answer = send(client, content, "table.csv", "study_import_preview", map_source="-")
    assert "map_source" not in chosen(answer)
    assert "by model, not shown" in answer.content.decode()


def test_a_workbook_of_several_sheets_asks_for_one(client, researcher, cast: Cast, tmp_path):
    rows = [["id", "prompt", "response", "model"], ["d7", "Hi", "Ho", "a"]]
    content = workbook(tmp_path / "a.xlsx", rows, [["notes"]]).read_bytes()
    text = send(client, content, "a.xlsx", "study_import_preview").content.decode()
    assert "has 2 sheets with content (Sheet and Sheet1)" in text
    assert re.findall("<option[^>]*>(Sheet.*?|choose one)</option>", text) == ["choose one", "Sheet", "Sheet1"]
    text = send(client, content, "a.xlsx", "study_import_preview", sheet="Sheet").content.decode()
    assert "<option selected>Sheet</option>" in text
    assert "by a, not shown to annotators" in text
    send(client, content, "a.xlsx", sheet="Sheet")
    run_import_job(ImportJob.objects.get().pk, timezone.now())
    assert cast.study.dialogues.filter(key="d7").exists()
    form = {"file": SimpleUploadedFile("b.xlsx", content), "sheet": "Other"}
    assert client.post("/api/v1/studies/wellbeing/imports/", form).status_code == 202
    run_import_job(ImportJob.objects.latest("pk").pk, timezone.now())
    assert "no sheet 'Other' with content" in ImportJob.objects.latest("pk").errors[0]["reason"]


def test_ten_dialogues_are_shown(client, researcher):
    many = lines(*(GOOD | {"dialogue_id": f"d{n}"} for n in range(12)))
    text = send(client, many, route="study_import_preview").content.decode()
    assert text.count('<details class="preview-dialogue"') == 10


def test_a_file_cut_for_the_preview_shows_no_error_of_the_cut(client, researcher):
    part = b'[{"prompt": "Hi", "response": "Ho"},\n{"prompt": "How'
    text = send(client, part, route="study_import_preview", is_part="on").content.decode()
    assert "Ho" in text
    assert "is not JSON" not in text
    assert "is not JSON" in send(client, part, route="study_import_preview").content.decode()


def test_a_table_of_dialogues_is_imported_with_its_map(client, researcher, cast: Cast):
    content = b"n;q;a\nd9;How?;So.\n"
    send(client, content, "t.csv", map_dialogue="n", map_prompt="q", map_response="a", map_source="-")
    job = ImportJob.objects.get()
    assert job.options == {"columns": {"dialogue": "n", "prompt": "q", "response": "a", "source": "-"}}
    run_import_job(job.pk, now=timezone.now())
    assert cast.study.dialogues.get(key="d9").candidates.get().text == "So."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[1, 2]\n", "must be one object {...}, not a number"),
        (b"hello\n", "neither a table with several columns nor JSON Lines"),
        (b"\xff\xfea", "not UTF-16"),
        (b"%PDF-1.7\n" + bytes(range(256)), "none of the files that can be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained_in_the_preview(client, researcher, content, said):
    assert said in send(client, content, route="study_import_preview").content.decode()


def test_a_wrong_line_is_named_in_the_preview(client, researcher):
    answer = send(client, lines(GOOD, {"dialogue_id": "d2", "history": []}), route="study_import_preview")

    assert "Line 2" in answer.content.decode()


# --- import ---------------------------------------------------------------------------------------
# --- chat logs ------------------------------------------------------------------------------------
SAID = [("system", "Be brief."), ("user", "<i>Hi</i>"), ("assistant", "Hello"), ("user", "Bye"), ("assistant", "Ciao")]
CHAT = {"id": "c", "model": "model_z", "messages": [{"role": role, "content": text} for role, text in SAID]}


def test_the_preview_of_a_chat_log_has_its_first_conversations(client, researcher):
    options = {"transcript": "on", "rate": "all", "show_system": "on"}
    text = send(client, lines(CHAT, CHAT | {"id": "d"}), route="study_import_preview", **options).content.decode()
    assert "transcript-messages" in text
    assert text.count("by model_z, not shown to annotators") == 4
    assert "Conversation 1 of 2" in text
    assert "&lt;i&gt;Hi&lt;/i&gt;" in text
    assert "Be brief." in text
    assert "Page 1 of 2" in text
    assert not ImportJob.objects.exists()


def test_a_chat_log_is_imported_with_its_options(client, researcher, cast: Cast):
    send(client, lines(CHAT), transcript="on", roles="assistant", rate="last", with_dialogue="on")
    job = ImportJob.objects.get()
    assert job.options == {"transcript": True, "rate": "last", "with_dialogue": True}
    run_import_job(job.pk, timezone.now())
    job.refresh_from_db()
    assert (job.status, job.format) == ("done", "transcript-messages")
    new = cast.study.dialogues.filter(conversation="c").order_by("key").values_list("key", "source__key")
    assert list(new) == [("c", "model_z"), ("c:2", None)]


def test_a_log_without_a_model_is_told_the_field_that_names_one(client, researcher):
    said = "is missing: name the model that answers, or one source for the whole file: enter it as “Default source of"
    send(client, lines({name: value for name, value in CHAT.items() if name != "model"}), transcript="on")
    assert said in text_after_import(client)


def test_options_of_a_chat_log_are_left_out_without_it_and_checked_with_it(client, researcher):
    send(client, lines(GOOD), rate="last", with_dialogue="on")
    assert ImportJob.objects.get().options == {}
    for wrong in ({"rate": "first"}, {"roles": "tool"}, {"format": "jsonl-history"}):
        assert send(client, lines(CHAT), transcript="on", **wrong).status_code == 422


def test_a_chat_log_is_imported_through_the_api(client, researcher, cast: Cast):
    form = {
        "file": SimpleUploadedFile("log.jsonl", lines(CHAT)),
        "transcript": "true",
        "rate": "every:2",
        "roles": "user, assistant",
    }
    answer = client.post("/api/v1/studies/wellbeing/imports/", form)
    assert answer.status_code == 202
    run_import_job(ImportJob.objects.get().pk, timezone.now())
    assert list(cast.study.dialogues.filter(conversation="c").values_list("key", flat=True)) == ["c:1", "c:2"]
    form = {"file": SimpleUploadedFile("log.jsonl", lines(CHAT)), "transcript": "true", "rate": "most"}
    refused = client.post("/api/v1/studies/wellbeing/imports/", form)
    assert refused.status_code == 400
    assert "'most' is not a choice of responses: use all, last, every:K, from:N or none" in refused.text


# --- jobs -----------------------------------------------------------------------------------------
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


def test_a_preview_of_nothing_but_errors_counts_records_that_share_a_line(client, researcher):
    wrong = [GOOD | {"dialogue_id": f"d{n}", "candidates": []} for n in range(3)]
    text = send(client, json.dumps(wrong).encode(), "log.txt", "study_import_preview").content.decode()
    assert "Records 1, 2, 3, candidates: is an empty list" in text
    assert "first 0" not in text
    assert '<span class="quiet small">log.txt</span>' in text
    failed = send(client, json.dumps(wrong).encode(), "log.txt")
    assert failed.status_code == 302
    assert "log.txt: records 1, 2, 3" in text_after_import(client)


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
    assert chosen(answer) == {"map_dialogue": ["d"], "map_source": ["model"], "map_value": ["score"]}
    assert "Score" in answer.content.decode()


def test_wrong_predictions_name_file_line_and_field(client, researcher, cast: Cast):
    send(client, b"dialogue,source,bleu\nnowhere,a,1\n", "m.csv", kind="predictions", metrics="bleu")
    job = ImportJob.objects.get()
    run_import_job(job.pk, now=timezone.now())
    text = client.get(page("study_import_job", job.token)).content.decode()
    assert "m.csv:2" in text
    assert "is not in the study" in text
    assert not cast.study.metrics.exists()


def test_the_responses_of_replaced_dialogues_are_not_called_new(client, researcher):
    for text in ("Wrong.", "Right."):
        answers = [{"source": "m", "text": text}]
        content = lines(*(GOOD | {"dialogue_id": f"n{at}", "candidates": answers} for at in range(3)))
        send(client, content, replace_unused="on")
        shown = text_after_import(client)
    assert "<dt>New candidates</dt><dd>0</dd>" in shown
    assert "<dt>Replaced candidates</dt><dd>3</dd>" in shown


def test_an_import_says_how_many_conversations_it_has_read(client, researcher):
    logs = [{"id": f"c{at}", "model": "m", "messages": [{"role": "user", "content": "Hi"}]} for at in range(3)]
    for log in logs:
        log["messages"] += [{"role": "assistant", "content": "Yes?"}] * 2
    send(client, lines(*logs), transcript="on")
    shown = text_after_import(client)
    assert "<dt>Conversations in the file</dt><dd>3</dd>" in shown
    assert "<dt>New dialogues</dt><dd>6</dd>" in shown
