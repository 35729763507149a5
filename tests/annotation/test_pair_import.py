"""Preferences from elsewhere, on the page, through the API and on the command line: the report counts them."""

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation.importing.outcome import LineError
from annotation.models import ImportJob
from annotation.services.uploads import run_import_job
from reporting.report.build import build_report
from tests.clock import NOW
from tests.comparing import make_study
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db
ROWS = b"""case,first,second,winner,who
d0,model-b,model-a,right,r1
d0,model-a,model-b,left,r2
d1,model-a,model-b,tie,r1
"""
MAPPED = {"dialogue": "case", "left": "first", "right": "second", "annotator": "who"}
FIELDS = {f"map_{name}": column for name, column in MAPPED.items()}


@pytest.fixture
def study(client):
    study = make_study(2, 2, slug="duel")
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return study


def upload(**fields):
    return {"kind": "ratings", "file": SimpleUploadedFile("winners.csv", ROWS), **fields}


def preferences(study):
    (row,) = build_report(study, now=NOW).pairings
    return row.source_a, row.source_b, row.prefers_a, row.prefers_b, row.equal, row.answers


def test_the_page_asks_for_both_sources_and_the_report_counts_who_won(client, study):
    said = client.post(reverse("study_import_preview", args=["duel"]), upload()).content.decode()
    assert "choose the column of “Dialogue”, “Source on the left”, “Source on the right” and “Annotator”" in said
    assert "--map" not in said
    for name in ("map_left", "map_right", "map_value"):
        assert f'name="{name}"' in said
    assert 'name="map_source"' not in said
    client.post(reverse("study_import", args=["duel"]), upload(**FIELDS))
    run_import_job(ImportJob.objects.get().pk, NOW)
    job = ImportJob.objects.get()
    assert (job.status, job.summary["counts"]["ratings_new"]) == ("done", 3)
    assert preferences(study) == ("model-a", "model-b", 2, 0, 1, 3)
    bias = build_report(study, now=NOW).side_bias[0]
    assert (bias.left, bias.right, bias.unknown) == (0, 0, 2)


def test_preferences_are_imported_through_the_api(client, study):
    answer = client.post("/api/v1/studies/duel/imports/", upload(**FIELDS))
    assert answer.status_code == 202
    run_import_job(ImportJob.objects.get().pk, NOW)
    assert preferences(study)[2:] == (2, 0, 1, 3)


def test_preferences_are_imported_on_the_command_line(study, tmp_path):
    path = tmp_path / "winners.csv"
    path.write_bytes(ROWS)
    out = StringIO()
    columns = ",".join(f"{name}={column}" for name, column in MAPPED.items())
    call_command("import_ratings", "duel", str(path), "--map", columns, stdout=out)
    assert "ratings new: 3" in out.getvalue()
    assert preferences(study)[2:] == (2, 0, 1, 3)


def test_the_page_names_its_own_boxes_and_no_flags(client, study):
    rows = SimpleUploadedFile("winners.csv", b"case,first,second,winner,who\nd9,model-a,model-b,left,r1\n")
    client.post(reverse("study_import", args=["duel"]), upload(file=rows, **FIELDS))
    run_import_job(ImportJob.objects.get().pk, NOW)
    (error,) = ImportJob.objects.get().errors
    assert (
        LineError.from_stored(error).for_page().reason
        == "'d9' is not in the study: import it first, or tick “Create what is missing”"
    )
