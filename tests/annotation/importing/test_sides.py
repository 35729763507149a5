"""Imported preferences keep the sides that their file says; otherwise the import says what follows."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, ImportJob, Rating, Study
from annotation.services.agreement import rebuild_study
from annotation.services.uploads import run_import_job
from reporting.report.build import build_report
from tests.annotation.importing.conftest import NOW, Write, errors_of, load_ratings
from tests.comparing import make_study
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db
KEPT = "so they are kept as the sides that annotators saw"
UNKNOWN = "The file does not say which source stood on the left, so no sides are kept: the ranking assumes that neither"
ROWS = ("d0,model-a,model-b,left,r1", "d0,model-b,model-a,left,r2", "d1,model-c,model-a,right,r1")


def sides(study: Study) -> dict[tuple[str, str], str | None]:
    """The last letter of the source that each annotator saw on the left, None if nobody knows."""
    names = dict(study.sources.values_list("candidates", "key"))
    found = Rating.objects.filter(batch__study=study).select_related("item__dialogue", "assignment__participant")
    return {
        (each.item.dialogue.key, each.assignment.participant.pseudonym): None
        if each.is_swapped is None
        else names[each.item.shown[each.is_swapped]][-1]
        for each in found
    }


@pytest.mark.parametrize("names", ["left,right", "left_source,right_source", "left_model,right_model"])
def test_columns_called_left_and_right_are_the_sides(write: Write, names: str) -> None:
    study = make_study(2, 3)
    summary = load_ratings(study, write(f"dialogue,{names},winner,annotator", *ROWS))
    assert sides(study) == {("d0", "r1"): "a", ("d0", "r2"): "b", ("d1", "r1"): "c"}
    assert KEPT in " ".join(summary.notes)
    assert [len(each.swapped) for each in Assignment.objects.order_by("participant__pseudonym")] == [1, 1]


@pytest.mark.parametrize("names", ["source_a,source_b", "model_a,model_b", "first_source,second_source"])
def test_an_order_of_the_sources_is_no_side(write: Write, names: str) -> None:
    study = make_study(2, 3)
    summary = load_ratings(study, write(f"dialogue,{names},winner,annotator", *ROWS))
    assert set(sides(study).values()) == {None}
    assert UNKNOWN in " ".join(summary.notes)


def test_a_column_that_a_map_names_is_no_side_by_its_place(write: Write) -> None:
    study = make_study(2, 3)
    path = write("dialogue,one,two,winner,annotator", *ROWS)
    summary = load_ratings(study, path, columns={"left": "one", "right": "two"})
    assert set(sides(study).values()) == {None}
    assert UNKNOWN in " ".join(summary.notes)


@pytest.mark.parametrize("names", ["first_source,second_source", "left,right"])
def test_a_column_says_which_sides_were_swapped(write: Write, names: str) -> None:
    study = make_study(2, 3)
    cells = ("true", "no", "")
    path = write(f"dialogue,{names},winner,annotator,is_swapped", *map(",".join, zip(ROWS, cells, strict=True)))
    summary = load_ratings(study, path)
    assert sides(study) == {("d0", "r1"): "b", ("d0", "r2"): "b", ("d1", "r1"): None}
    assert "1 answer does not say whether the sides were swapped" in " ".join(summary.notes)
    assert not {KEPT, UNKNOWN} & set(summary.notes)


def test_another_word_than_true_and_false_is_refused(write: Write) -> None:
    path = write("dialogue,left,right,winner,annotator,is_swapped", f"{ROWS[0]},maybe")
    errors = errors_of(load_ratings, make_study(2, 3), path)
    assert errors == [(2, "is_swapped", "'maybe' is neither true nor false: correct it, or empty it")]


def test_page_api_and_command_keep_and_say_the_same(write: Write, client: Client) -> None:
    path = write("dialogue,left,right,winner,annotator", *ROWS)
    expected = {("d0", "r1"): "a", ("d0", "r2"): "b", ("d1", "r1"): "c"}
    for slug in ("by-page", "by-api"):
        study = make_study(2, 3, slug=slug)
        client.force_login(MembershipFactory(study=study, role="owner").user)
        place = reverse("study_import", args=[slug]) if slug == "by-page" else f"/api/v1/studies/{slug}/imports/"
        client.post(place, {"kind": "ratings", "file": upload_of(path)})
        job = ImportJob.objects.get(study=study)
        run_import_job(job.pk, NOW)
        job.refresh_from_db()
        assert KEPT in str(job.summary["notes"])
        assert sides(study) == expected
    study = make_study(2, 3, slug="by-command")
    call_command("import_ratings", "by-command", str(path))
    assert sides(study) == expected


def upload_of(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile("ratings.csv", path.read_bytes())


def test_the_report_has_a_side_from_the_file_and_says_where_it_is_from(write: Write) -> None:
    study = make_study(2, 2)
    rows = [
        f"d{dialogue},{left},{right},{'left' if at % 3 else 'right'},r{at}"
        for dialogue in (0, 1)
        for at in range(8)
        for left, right in [("model-a", "model-b") if at % 2 else ("model-b", "model-a")]
    ]
    load_ratings(study, write("dialogue,left,right,winner,annotator", *rows))
    rebuild_study(study, now=NOW)
    report = build_report(study, now=timezone.now())
    (ranking,) = report.rankings
    assert ranking.model.side.value == pytest.approx(10 / 16, abs=0.05)
    assert ranking.model.without_sides == 0
    assert report.rules["file_sides"] == "The sides of imported answers are those that their file says."
    assert "drawn_sides" not in report.rules
    assert "imported_sides" not in report.rules
