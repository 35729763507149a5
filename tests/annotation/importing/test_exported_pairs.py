"""All answers to comparisons leave a study as CSV and come into another one with the same dialogues."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.importing.outcome import LineError
from annotation.models import Assignment, Candidate, Dialogue, ImportJob, Item, Rating, Study
from annotation.services.claiming import claim_seat
from annotation.services.uploads import run_import_job
from reporting.exports.formats import write_export
from reporting.report.build import build_report
from tests.annotation.importing.conftest import Write, errors_of, load_ratings
from tests.clock import NOW
from tests.comparing import deal, make_compared, make_compared_dialogues, make_scenarios, make_study
from tests.factories import MembershipFactory, make_annotator

pytestmark = pytest.mark.django_db
# What belongs to one study or moment: its name, its tokens, and the times at which rows were stored.
OF_THE_STUDY = ("study", "item_token", "created_at", "updated_at")
Make = Callable[..., Study]
KINDS = [(make_compared, make_study), (make_compared_dialogues, make_scenarios)]


def exported(study: Study) -> bytes:
    file = io.BytesIO()
    write_export(study, "long-csv", {}, file)
    return file.getvalue()


def rows_of(study: Study) -> list[tuple[str, ...]]:
    table = csv.DictReader(io.StringIO(exported(study).decode("utf-8-sig")))
    return sorted(tuple(cell for name, cell in row.items() if name not in OF_THE_STUDY) for row in table)


def file_of(study: Study, write: Write, change: Callable[[str], str] = str) -> Path:
    return write(name="ratings.csv", exactly=change(exported(study).decode()).encode())


def say(study: Study) -> tuple[Any, Any]:
    report = build_report(study, now=NOW)
    return report.pairings, report.side_bias


@pytest.mark.parametrize(("rate", "make"), KINDS)
def test_another_study_with_the_same_dialogues_exports_the_same_answers(rate: Make, make: Make, write: Write) -> None:
    first = rate(slug="first")
    second = make(3, 3, slug="second")
    summary = load_ratings(second, file_of(first, write))
    assert (summary.counts["ratings_new"], summary.counts["items_new"]) == (len(rows_of(first)), 12)
    assert rows_of(second) == rows_of(first)
    assert {row for row in rows_of(second) if "true" in row}
    again = load_ratings(second, file_of(first, write))
    assert (again.counts["ratings_new"], again.counts["items_new"]) == (0, 0)
    assert say(second)[1] == say(first)[1]
    assert Assignment.objects.filter(batch__study=second).exclude(swapped=[]).count() == 3


@pytest.mark.parametrize(("rate", "make"), KINDS)
def test_batches_of_an_import_say_which_pairs_they_lack(rate: Make, make: Make, write: Write) -> None:
    first, second = rate(slug="first"), make(3, 3, slug="second")
    copy_texts(first, second)
    rows = list(csv.DictReader(io.StringIO(exported(first).decode("utf-8-sig"))))
    pair = {(row["dialogue"], row["first_source"], row["second_source"]) for row in rows}
    unrated = min(pair)
    kept = [row for row in rows if (row["dialogue"], row["first_source"], row["second_source"]) != unrated]
    text = io.StringIO()
    table = csv.DictWriter(text, rows[0])
    table.writeheader()
    table.writerows(kept)
    file = write(name="ratings.csv", exactly=text.getvalue().encode())
    notes = load_ratings(second, file, is_dry_run=True).notes
    assert [note.split(" and ")[0].split(",")[0] for note in notes[-2:]] == [
        "1 pair of identical texts is not counted as a tie",
        "1 other pair of the same dialogues is not rated in the file",
    ]


def copy_texts(first: Study, second: Study) -> None:
    for dialogue in first.dialogues.all():
        second.dialogues.filter(key=dialogue.key).update(turns=dialogue.turns)
        for response in dialogue.candidates.all():
            Candidate.objects.filter(dialogue__study=second, dialogue__key=dialogue.key, key=response.key).update(
                text=response.text
            )


@pytest.mark.parametrize(("rate", "make"), KINDS)
def test_the_answers_turn_where_the_sources_stand_in_another_order(rate: Make, make: Make, write: Write) -> None:
    first = rate(slug="first")
    second = make(3, 3, slug="second")
    for source in second.sources.all():
        source.position = 10 - source.position
        source.save()
    load_ratings(second, file_of(first, write))

    def seen(study: Study) -> list[tuple[Any, ...]]:
        table = csv.DictReader(io.StringIO(exported(study).decode("utf-8-sig")))
        return sorted(
            (
                row["annotator"], row["scenario"] or row["dialogue"], row["preferred"], row["is_repetition"],
                row["first_source"] if row["is_swapped"] == "false" else row["second_source"],
            )
            for row in table
        )  # fmt: skip

    assert seen(second) == seen(first)
    assert rows_of(second) != rows_of(first)
    assert Rating.objects.filter(batch__study=second).exclude(is_swapped=None).count() == len(rows_of(first))


@pytest.mark.parametrize(("rate", "make"), KINDS)
def test_pairs_that_were_dealt_are_those_of_the_file(rate: Make, make: Make, write: Write) -> None:
    first = rate(slug="first")
    second = make(3, 3, slug="second")
    (batch,) = deal(second, repeat_percent=100)
    n_items = Item.objects.count()
    summary = load_ratings(second, file_of(first, write))
    assert (summary.counts["items_new"], summary.counts["batches_new"], Item.objects.count()) == (0, 0, n_items)
    assert batch.ratings.count() == len(rows_of(first))


def test_candidates_are_known_by_their_source_where_their_ids_are_others(write: Write) -> None:
    first = make_compared(slug="first")
    second = make_study(3, 3, slug="second")
    for source in second.sources.all():
        source.candidates.update(key=f"answer-{source.pk}")
    load_ratings(second, file_of(first, write))
    assert say(second)[1] == say(first)[1]


def test_what_the_study_lacks_is_created_if_asked_for(write: Write) -> None:
    first = make_compared(slug="first")
    second = make_study(0, 0, slug="second")
    counts = load_ratings(second, file_of(first, write), create_missing=True).counts
    assert (counts["dialogues_new"], counts["sources_new"], counts["candidates_new"]) == (3, 3, 9)
    assert rows_of(second) == rows_of(first)


def test_a_batch_that_is_being_rated_says_what_to_leave_out(write: Write) -> None:
    first = make_compared(slug="first")
    second = make_study(3, 3, slug="second")
    (batch,) = deal(second)
    claim_seat(make_annotator(second, "anna"), batch, now=NOW)
    errors = errors_of(load_ratings, second, file_of(first, write))
    assert {(field, reason) for _line, field, reason in errors if "again" in reason} == {
        (
            "batch",
            "the batch is being rated and does not show this pair again: leave out the rows whose “is_repetition” is "
            "true",
        )
    }


@pytest.mark.parametrize(
    ("old", "new", "field", "reason"),
    [
        (
            ",model-b,",
            ",model-z,",
            "second_source",
            "in the study, 'model-b' is from a source other than 'model-z': correct the source, or “item”",
        ),
        (",model-b,", ",,", "second_source", "is empty: name the source of this side"),
        (",model-b,", ",model-a,", "second_source", "is 'model-a' like the other side: compare two sources"),
        (
            '"[""model-a"", ""model-b""]"',
            "model-a",
            "item",
            "'model-a' does not name two sides: write it as the export does, for example "
            '["candidate-1", "candidate-2"]',
        ),
        (",false,", ",maybe,", "is_swapped", "'maybe' is neither true nor false: correct it, or empty it"),
    ],
)
def test_a_side_that_is_not_clear_is_refused_with_line_field_and_remedy(
    write: Write, old: str, new: str, field: str, reason: str
) -> None:
    lines = exported(make_compared(slug="first")).decode().splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if ",d0," in line and ",model-a,model-b,false," in line)
    lines[at] = lines[at].replace(old, new, 1)
    path = write(name="ratings.csv", exactly="".join(lines).encode())
    errors = errors_of(load_ratings, make_study(3, 3, slug="second"), path)
    assert errors == [(at + 1, field, reason)]


def test_a_source_that_the_study_lacks_is_refused(write: Write) -> None:
    path = file_of(make_compared(slug="first"), write)
    errors = errors_of(load_ratings, make_study(3, 2, slug="second"), path)
    assert {(field, reason) for _line, field, reason in errors} == {
        (
            "second_source",
            f"'model-c' has no response to the dialogue '{key}': import it first, or use --create-missing",
        )
        for key in ("d0", "d1", "d2")
    }


def test_a_scenario_that_the_study_lacks_is_refused(write: Write) -> None:
    first = make_compared_dialogues(slug="first")
    second = make_scenarios(2, 3, slug="second")
    n_dialogues = Dialogue.objects.count()
    errors = errors_of(load_ratings, second, file_of(first, write), create_missing=True)
    assert {(field, reason) for _line, field, reason in errors} == {
        ("scenario", "'s2' is not a scenario of the study: import its dialogues first, with this scenario")
    }
    assert Dialogue.objects.count() == n_dialogues


def test_the_page_the_command_and_the_api_take_the_file(write: Write, client: Client) -> None:
    first = make_compared(slug="first")
    path = file_of(first, write)
    for slug in ("by-page", "by-api"):
        study = make_study(3, 3, slug=slug)
        client.force_login(MembershipFactory(study=study, role="owner").user)
        upload = SimpleUploadedFile("ratings.csv", path.read_bytes())
        place = reverse("study_import", args=[slug]) if slug == "by-page" else f"/api/v1/studies/{slug}/imports/"
        client.post(place, {"kind": "ratings", "file": upload})
        job = ImportJob.objects.get(study=study)
        run_import_job(job.pk, NOW + timedelta(hours=1))
        job.refresh_from_db()
        assert [LineError.from_stored(each).for_page().reason for each in job.errors] == []
        assert rows_of(study) == rows_of(first)
    study = make_study(3, 3, slug="by-command")
    call_command("import_ratings", "by-command", str(path))
    assert rows_of(study) == rows_of(first)
