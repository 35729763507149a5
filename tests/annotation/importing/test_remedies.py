"""Each door has its own words for what to do about an error: the page its fields, the command flags, the API fields."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import ImportJob
from annotation.services.uploads import run_import_job
from tests.api import Api
from tests.cast import Cast
from tests.clock import NOW

pytestmark = pytest.mark.django_db
SLUG = "wellbeing"
CHAT = '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}\n'
# Each with what the API says, and with a part of what the page and the command say.
CASES = {
    "no response": (
        "dialogues", "d.csv", "prompt,reply_text,n\nHi,Ho,1\n",
        "send map_response=COLUMN", "choose the column of “Response”", "--map response=COLUMN",
    ),
    "no dialogue so far": (
        "dialogues", "d.csv", "a,b\n1,2\n",
        "send map_history=COLUMN or map_prompt=COLUMN; if each row is a turn, send map_dialogue=COLUMN, "
        "map_speaker=COLUMN and map_text=COLUMN",
        "choose the column of “Dialogue”, “Speaker” and “Turn text”", "--map history=COLUMN or prompt=COLUMN",
    ),
    "no criterion": (
        "ratings", "r.csv", "item,who\nx,r1\n",
        "send map_annotator=COLUMN, map_value=COLUMN and map_criterion=COLUMN; if each criterion has a column, send "
        "map_KEY=COLUMN; if all rows answer one criterion, send criterion=KEY",
        "choose it under the name of the criterion", "use --criterion KEY",
    ),
    "a dialogue that is missing": (
        "ratings", "r.csv", "dialogue,source,annotator,criterion,value\nnowhere,m,r1,appropriateness,Appropriate\n",
        "import it first, or send create_missing=true", "tick “Create what is missing”", "use --create-missing",
    ),
    "no item of predictions": (
        "predictions", "p.csv", "bleu\n1\n",
        "send map_item=COLUMN or map_dialogue=COLUMN", "choose the column of “Candidate” or “Dialogue”",
        "--map item=COLUMN or dialogue=COLUMN",
    ),
    "no metric": (
        "predictions", "p.csv", "dialogue,bleu\nx,1\n",
        "if each metric has a column, send metrics=NAMES; otherwise send map_value=COLUMN or map_label=COLUMN",
        "enter them as “Columns that hold metrics”; otherwise under Columns, choose the column of “Score” or “Label”",
        "use --metrics NAMES",
    ),
    "two columns of scores": (
        "predictions", "p.csv", "dialogue,score,value\nx,1,2\n",
        "send map_value=COLUMN", "choose the column of “Score”", "--map value=COLUMN",
    ),
    "a chat log": (
        "dialogues", "d.jsonl", CHAT.replace('"Hi"', "5"),
        "if it is a chat log, send transcript=true", "tick “The file is a chat log: rate its responses”",
        "use --transcript",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_errors_are_in_the_words_of_each_door(cast: Cast, client: Client, tmp_path: Path, case: str) -> None:
    kind, name, content, by_api, on_page, by_command = CASES[case]
    api = Api(cast.researcher)
    client.force_login(cast.researcher)
    token = api.upload("api_imports", SLUG, kind=kind, file=SimpleUploadedFile(name, content.encode())).json()["token"]
    run_import_job(ImportJob.objects.get().pk, now=NOW)

    said = api.get("api_import", SLUG, token).json()["errors"][0]["reason"]
    shown = client.get(reverse("study_import_job", args=[SLUG, token])).content.decode()
    errors = StringIO()
    (tmp_path / name).write_text(content)
    with pytest.raises(CommandError):
        call_command(f"import_{kind}", SLUG, str(tmp_path / name), stderr=errors)

    assert said.endswith(by_api)
    assert on_page in strip_tags(shown)
    assert by_command in errors.getvalue()
    assert not any(word in said for word in ("--", "tick", "choose", "under Columns"))


def test_an_import_of_an_earlier_version_still_shows_its_errors(cast: Cast, client: Client) -> None:
    client.force_login(cast.researcher)
    kept = [{"line": 2, "field": "value", "reason": "is missing: choose its column"}]
    job = ImportJob.objects.create(study=cast.study, kind="ratings", file_name="r.csv", status="failed", errors=kept)
    assert (
        "is missing: choose its column"
        in client.get(reverse("study_import_job", args=[SLUG, job.token])).content.decode()
    )
    assert Api(cast.researcher).get("api_import", SLUG, job.token).json()["errors"] == [
        each | {"record": 0} for each in kept
    ]
