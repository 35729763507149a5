"""Computed answers follow from imported ones as they do from those that people give in Parley."""

import csv
import io
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import ImportJob, Rating, RatingRevision, Study
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from annotation.services.taking_back import take_back
from annotation.services.uploads import run_import_job
from protocols.answers import Given
from reporting.exports.formats import write_export
from reporting.report.build import build_report
from tests.annotation.importing.conftest import NOW, Write, builtin, load_ratings
from tests.comparing import add_dialogue, deal
from tests.factories import MembershipFactory, SourceFactory, StudyFactory, make_annotator
from tests.working import record

pytestmark = pytest.mark.django_db
HEADER = "dialogue,source,annotator,criterion,value"
SAID = [("d0", "a", "yes", "no"), ("d0", "b", "no", ""), ("d1", "a", "yes", "yes")]
LONG = [
    f"{dialogue},model-{letter},ann,{criterion},{value}"
    for dialogue, letter, *values in SAID
    for criterion, value in zip(("sensible", "specific_if_sensible"), values, strict=True)
    if value
]
FOLLOWS = {
    ("d0", "model-a", "specific"): "no",
    ("d0", "model-a", "ssa"): "sensible_only",
    ("d0", "model-b", "specific"): "no",
    ("d0", "model-b", "ssa"): "none",
    ("d1", "model-a", "specific"): "yes",
    ("d1", "model-a", "ssa"): "both",
}


def make_ssa(slug: str) -> Study:
    study = StudyFactory(protocol_version=builtin("ssa-1.0"), slug=slug)
    sources = [SourceFactory(study=study, key=f"model-{letter}", position=at) for at, letter in enumerate("ab")]
    for at in range(2):
        add_dialogue(study, sources, f"d{at}", at)
    return study


def rated(slug: str) -> Study:
    """The same answers, given on the rating screen."""
    study = make_ssa(slug)
    (batch,) = deal(study)
    work = claim_seat(make_annotator(study, "ann"), batch, now=NOW)
    for dialogue, letter, *values in SAID:
        item = batch.items.get(dialogue__key=dialogue, source__key=f"model-{letter}")
        for criterion, value in zip(("sensible", "specific_if_sensible"), values, strict=True):
            if value:
                code = str(("yes", "no").index(value) + 1)
                record(work, Submission(item.token, criterion, Given(code), uuid4()), now=NOW)
    return study


def computed(study: Study) -> dict[tuple[str, ...], str]:
    rows = Rating.objects.filter(batch__study=study, is_active=True, criterion__kind="computed")
    names = ("item__dialogue__key", "item__source__key", "criterion__key", "option__key")
    return {tuple(row[:3]): row[3] for row in rows.values_list(*names)}


def exported(study: Study) -> list[tuple[str, ...]]:
    file = io.BytesIO()
    write_export(study, "long-csv", {}, file)
    names = ("dialogue", "source", "item", "criterion", "option", "value", "label", "role", "is_counted")
    rows = csv.DictReader(io.StringIO(file.getvalue().decode("utf-8-sig")))
    return sorted(tuple(row[name] for name in names) for row in rows)


def test_imported_answers_have_the_computed_ones_of_the_rating_screen(write: Write) -> None:
    here, elsewhere = rated("here"), make_ssa("elsewhere")
    deal(elsewhere)
    summary = load_ratings(elsewhere, write(HEADER, *LONG))
    assert computed(here) == computed(elsewhere) == FOLLOWS
    assert exported(elsewhere) == exported(here)
    assert summary.counts["ratings_new"] == len(LONG)
    assert "6 answers to computed questions follow from these ratings and are stored with them." in summary.notes
    (of_here,), (of_elsewhere,) = (
        [each for each in build_report(study, now=NOW).comparisons if each.criterion == "ssa"]
        for study in (here, elsewhere)
    )
    assert of_here.means == of_elsewhere.means


def test_a_table_with_a_column_for_each_question_has_them_too(write: Write) -> None:
    study = make_ssa("wide")
    rows = [f"{dialogue},model-{letter},ann,{one},{other}" for dialogue, letter, one, other in SAID]
    load_ratings(study, write("dialogue,source,annotator,sensible,specific_if_sensible", *rows))
    assert computed(study) == FOLLOWS


def test_importing_again_changes_nothing_and_completes_what_an_older_import_lacks(write: Write) -> None:
    study = make_ssa("again")
    path = write(HEADER, *LONG)
    load_ratings(study, path)
    before = set(Rating.objects.values_list("pk", flat=True))
    assert load_ratings(study, path).notes == []
    assert set(Rating.objects.values_list("pk", flat=True)) == before
    RatingRevision.objects.filter(rating__criterion__kind="computed").delete()
    Rating.objects.filter(criterion__kind="computed").delete()
    counts = load_ratings(study, path).counts
    assert (counts["ratings_new"], counts["ratings_unchanged"]) == (0, len(LONG))
    assert computed(study) == FOLLOWS


def test_a_later_import_completes_the_answers_and_leaves_when_it_is_taken_back(write: Write, client: Client) -> None:
    study = make_ssa("later")
    client.force_login(MembershipFactory(study=study, role="owner").user)
    first, then = ([row for row in LONG if key in row] for key in (",sensible,", ",specific_if_sensible,"))
    for rows in (first, then):
        file = SimpleUploadedFile("r.csv", "\n".join([HEADER, *rows]).encode())
        client.post(reverse("study_import", args=["later"]), {"kind": "ratings", "file": file})
        run_import_job(ImportJob.objects.latest("pk").pk, NOW)
    assert computed(study) == FOLLOWS
    older, newer = ImportJob.objects.order_by("pk")
    take_back(newer, by=None, now=NOW)
    assert computed(study) == {key: value for key, value in FOLLOWS.items() if key[:2] == ("d0", "model-b")}
    take_back(older, by=None, now=NOW)
    assert not Rating.objects.exists()
    assert not study.batches.exists()


def test_the_answers_of_people_who_rate_here_are_left_alone(write: Write) -> None:
    study = rated("own")
    before = sorted(Rating.objects.values_list("pk", "option", "revision", "updated_at"))
    file = io.BytesIO()
    write_export(study, "long-csv", {}, file)
    load_ratings(study, write(name="own.csv", exactly=file.getvalue()))
    assert sorted(Rating.objects.values_list("pk", "option", "revision", "updated_at")) == before


def test_the_command_and_the_api_compute_them(write: Write, client: Client) -> None:
    by_command, by_api = make_ssa("by-command"), make_ssa("by-api")
    path = write(HEADER, *LONG)
    call_command("import_ratings", "by-command", str(path))
    client.force_login(MembershipFactory(study=by_api, role="owner").user)
    file = SimpleUploadedFile("r.csv", path.read_bytes())
    client.post("/api/v1/studies/by-api/imports/", {"kind": "ratings", "file": file})
    run_import_job(ImportJob.objects.get(study=by_api).pk, NOW)
    assert computed(by_command) == computed(by_api) == FOLLOWS
