"""The row of an import names the format of its file, whichever it is."""

from pathlib import Path

import pytest
from django.utils import timezone

from annotation.importing.formats import DIALOGUE_FORMATS
from annotation.importing.transcripts import TRANSCRIPT_FORMATS
from annotation.models import ImportJob
from annotation.services.uploads import run_import_job
from tests.annotation.import_pages import send
from tests.cast import Cast

DATA = Path(__file__).parents[1] / "data"
pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher(client, cast: Cast) -> None:
    client.force_login(cast.researcher)


@pytest.mark.parametrize("path", sorted((DATA / "transcripts").glob("*.json*")), ids=lambda path: path.name)
def test_a_log_of_every_kind_ends_as_a_job_that_names_its_kind(client, researcher, path: Path):
    send(client, path.read_bytes(), path.name, transcript="on", source="model_a")
    job = ImportJob.objects.get()
    run_import_job(job.pk, timezone.now())
    job.refresh_from_db()
    assert job.status == "done", job.errors
    assert job.format.startswith("transcript-")


@pytest.mark.parametrize("name", DIALOGUE_FORMATS + TRANSCRIPT_FORMATS)
def test_every_name_of_a_format_has_room_in_the_row_of_a_job(name: str):
    ImportJob._meta.get_field("format").clean(name, None)
