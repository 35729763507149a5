"""The report within a study's archive: the one of the page, left out when the study is read back."""

import io
import json
import zipfile

import pytest
from django.utils import timezone

from annotation.models import Study
from archive import report_files as archive_report
from archive import writer
from archive.reader import import_archive
from reporting.report.frames import TABLES
from tests.archive.round_trip import differences, empty_the_database, report_of
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db


def report_in(data: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.startswith("report/")]
        return {
            name.removeprefix("report/"): archive.read(name).decode() for name in names if not name.endswith(".pdf")
        }


def test_the_archive_has_the_report_and_reads_back_to_the_same_one(he_study: Study, written, tmp_path):
    before, data = report_of(he_study), written(he_study, "archive")
    files = report_in(data)
    assert set(files) >= {"report.html", "report.json", "report.tex", "methods.txt", "figures/agreement.svg"}
    assert {f"tables/{table}.csv" for table in TABLES} <= set(files)
    assert {"paper/paper.tex", "paper/methods.tex", "paper/tables/means.tex", "paper/references.bib"} <= set(files)
    said = json.loads(files["report.json"])
    assert differences(before, {name: said[name] for name in before}) == []
    assert said["hashes"]["data_sha256"] in files["report.html"]
    assert files["methods.txt"].splitlines() == said["methods"]
    assert files["results.txt"].splitlines() == said["results"]
    path = tmp_path / "archive.zip"
    path.write_bytes(data)
    empty_the_database()
    back, _summary = import_archive(path, owner=None, now=timezone.now())
    assert differences(before, report_of(back)) == []


def test_a_study_without_answers_has_no_report(cast, written):
    study = StudyFactory(protocol_version=cast.version)
    assert report_in(written(study, "archive")) == {}


def test_a_very_large_study_has_none_and_the_archive_says_so(he_study: Study, written, monkeypatch):
    monkeypatch.setattr(archive_report, "MOST_RATINGS", 100)
    data = written(he_study, "archive")
    assert report_in(data) == {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert f"with more than {writer.MOST_RATINGS:,}, has none" in archive.read("README.txt").decode()
