"""Ratings made elsewhere become ratings like any other, held by imported annotators."""

import csv
import gzip
import json
from collections import Counter
from datetime import UTC, datetime

import pytest

from annotation.models import Assignment, Batch, Item, Participant, Rating, RatingRevision, Seat, Study
from annotation.services.batching import make_batches
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from tests.annotation.importing.conftest import (
    DATA,
    HE_DIALOGUES,
    HE_RATINGS,
    HEAD,
    NOW,
    SWITCHBOARD,
    Write,
    errors_of,
    load,
    load_ratings,
)
from tests.factories import StudyFactory, make_annotator
from tests.factories_protocols import make_scale_version

UNCHANGED = {
    "ratings_new": 0,
    "ratings_unchanged": 5880,
    "dialogues_new": 0,
    "sources_new": 0,
    "candidates_new": 0,
    "batches_new": 0,
    "items_new": 0,
    "annotators_new": 0,
    "seats_taken": 0,
    "seats_added": 0,
}


@pytest.fixture
def rated(he_study: Study) -> Study:
    load(he_study, HE_DIALOGUES)
    load_ratings(he_study, HE_RATINGS)
    return he_study


def test_the_reference_study_has_its_batches_seats_and_votes(rated: Study) -> None:
    sizes = rated.batches.values_list("key", "kind", "status", "n_items", "ratings_version")
    assert list(sizes) == [(str(n), "main", "closed", items, 1) for n, items in enumerate((55, 55, 50, 50), start=1)]
    assert Rating.objects.count() == RatingRevision.objects.count() == 5880
    for batch in rated.batches.all():
        assert list(batch.seats.order_by("number").values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6, 7]
        assert not batch.seats.filter(assignment__isnull=True).exists()
        assert batch.items.count() == batch.n_items


def test_the_votes_are_those_expected(rated: Study) -> None:
    expected = json.loads((DATA / "he_protocol_sim" / "expected.json").read_text())["votes"]
    votes = Counter(
        Rating.objects.values_list("item__source__key", "criterion__key", "option__role").order_by().iterator()
    )
    for name, counts in expected.items():
        source, criterion = name.split("/")
        roles = {"positive": "positive", "negative": "negative", "dont_know": "unsure"}
        assert {told: votes[source, criterion, role] for told, role in roles.items()} == counts


def test_every_row_is_found_again_with_its_reasons(rated: Study) -> None:
    with gzip.open(HE_RATINGS, "rt", newline="") as file:
        wanted = Counter(
            (r["annotator"], r["candidate_id"], r["criterion"], r["answer"], r["free_text"],
             len(list(filter(None, r["explanations"].split("|")))))
            for r in csv.DictReader(file)
        )  # fmt: skip
    found = Rating.objects.values_list(
        "assignment__participant__pseudonym", "item__candidate__key", "criterion__key", "option__label", "free_text",
        "explanations",
    )  # fmt: skip
    assert Counter((*rest, len(reasons)) for *rest, reasons in found) == wanted


def test_imported_annotators_and_their_work_are_marked(rated: Study) -> None:
    people = Participant.objects.filter(study=rated)
    assert set(people.values_list("is_imported", "user")) == {(True, None)}
    assert set(Assignment.objects.values_list("is_imported", "status", "submitted_at")) == {(True, "submitted", NOW)}
    assert set(Rating.objects.values_list("answered_at", "revision")) == {(NOW, 1)}


def test_the_same_ratings_twice_change_nothing(rated: Study) -> None:
    before = list(RatingRevision.objects.order_by("pk").values_list("pk", "client_key"))
    assert load_ratings(rated, HE_RATINGS).counts == UNCHANGED
    assert list(RatingRevision.objects.order_by("pk").values_list("pk", "client_key")) == before
    assert set(rated.batches.values_list("ratings_version", flat=True)) == {1}


def test_a_dry_run_counts_everything_and_stores_nothing(he_study: Study) -> None:
    load(he_study, HE_DIALOGUES)
    summary = load_ratings(he_study, HE_RATINGS, is_dry_run=True)
    assert (summary.counts["ratings_new"], summary.counts["batches_new"]) == (5880, 4)
    assert not Participant.objects.exists()
    assert not Batch.objects.exists()


def test_agreement_is_asked_for_once_the_ratings_are_committed(
    he_study: Study, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks
) -> None:
    asked: list[int] = []
    monkeypatch.setattr("annotation.nudging.nudge", asked.append)
    load(he_study, HE_DIALOGUES)
    with django_capture_on_commit_callbacks(execute=True):
        load_ratings(he_study, HE_RATINGS)
    assert sorted(asked) == sorted(he_study.batches.values_list("pk", flat=True))


def test_35000_real_ratings_come_in_without_any_text(coherence_study: Study) -> None:
    summary = load_ratings(coherence_study, SWITCHBOARD, create_missing=True, reference="original")
    assert summary.counts == UNCHANGED | {
        "ratings_new": 35_000,
        "ratings_unchanged": 0,
        "dialogues_new": 1000,
        "sources_new": 3,
        "candidates_new": 7000,
        "batches_new": 1,
        "items_new": 7000,
        "annotators_new": 37,
        "seats_added": 37,
    }
    assert Counter(Rating.objects.values_list("option__value", flat=True)) == {1: 18_716, 2: 5982, 3: 10_302}
    assert not coherence_study.dialogues.filter(is_textless=False).exists()
    assert coherence_study.batches.get().key == "imported"
    assert list(coherence_study.sources.filter(is_reference=True).values_list("key", flat=True)) == ["original"]
    assert load_ratings(coherence_study, SWITCHBOARD, create_missing=True).counts["ratings_unchanged"] == 35_000


# --- small files -----------------------------------------------------------------------------------


def test_items_go_to_the_batch_that_holds_them_and_its_free_seats_to_imported_annotators(
    small: Study, write: Write
) -> None:
    batches = make_batches(small, by="size", size=42, seats=2, now=NOW)
    rows = [f"d01,d01-it5,it5,{who},listening,Listening" for who in ("x", "y", "z")]
    summary = load_ratings(small, write(HEAD, *rows))
    assert (summary.counts["batches_new"], summary.counts["items_new"]) == (0, 0)
    assert (summary.counts["seats_taken"], summary.counts["seats_added"]) == (2, 1)
    assert "Imported annotators took free seats of draft batches." in summary.notes
    seats = Seat.objects.filter(batch=batches[0]).order_by("number")
    assert list(seats.values_list("number", "assignment__participant__pseudonym")) == [
        (1, "x"), (2, "y"), (3, "z"),
    ]  # fmt: skip


def test_people_who_are_invited_find_all_seats_of_an_open_batch(small: Study, write: Write) -> None:
    (batch,) = make_batches(small, by="size", size=42, seats=2, now=NOW)
    Batch.objects.update(status=Batch.Status.OPEN)
    Study.objects.update(status=Study.Status.OPEN)
    summary = load_ratings(small, write(HEAD, *(f"d01,d01-it5,it5,{who},listening,Listening" for who in "xyz")))
    assert any("of opened batches stay free for people who rate in Parley" in note for note in summary.notes)
    for name in ("anna", "bert"):
        assert claim_seat(make_annotator(small, name), batch, now=NOW).status == "active"
    with pytest.raises(Refused, match="All seats of this batch are taken"):
        claim_seat(make_annotator(small, "carl"), batch, now=NOW)
    assert Seat.objects.filter(batch=batch).count() == 5


def test_excluding_an_imported_annotator_makes_no_room_for_another(small: Study, write: Write) -> None:
    (batch,) = make_batches(small, by="size", size=42, seats=1, now=NOW)
    Batch.objects.update(status=Batch.Status.OPEN)
    load_ratings(small, write(HEAD, "d01,d01-it5,it5,x,listening,Listening"))
    imported = small.participants.get(pseudonym="x")
    set_status(imported, status="excluded", now=NOW)
    assert list(batch.seats.values_list("number", "assignment")) == [(1, None)]
    set_status(imported, status="cleared", now=NOW)
    assert [seat.assignment and str(seat.assignment.participant) for seat in batch.seats.order_by("number")] == [
        None, "x",
    ]  # fmt: skip
    assert imported.assignments.get().status == "submitted"


def test_excluding_an_imported_annotator_frees_the_seat_they_took_in_a_draft(small: Study, write: Write) -> None:
    (batch,) = make_batches(small, by="size", size=42, seats=1, now=NOW)
    load_ratings(small, write(HEAD, "d01,d01-it5,it5,x,listening,Listening"))
    imported = small.participants.get(pseudonym="x")
    set_status(imported, status="excluded", now=NOW)
    assert list(batch.seats.values_list("number", "assignment")) == [(1, None)]
    set_status(imported, status="cleared", now=NOW)
    assert [(seat.number, str(seat.assignment.participant)) for seat in batch.seats.all()] == [(1, "x")]


def test_a_study_whose_ratings_all_come_from_a_file_has_no_free_seat(small: Study) -> None:
    make_batches(small, by="given", now=NOW)
    summary = load_ratings(small, HE_RATINGS)
    assert (summary.counts["seats_taken"], summary.counts["seats_added"]) == (28, 0)
    assert Seat.objects.count() == 28
    assert not Seat.objects.filter(assignment=None).exists()


def test_a_batch_named_by_the_file_gives_way_to_the_one_that_holds_the_item(small: Study, write: Write) -> None:
    make_batches(small, by="size", size=42, now=NOW)
    summary = load_ratings(small, write(f"{HEAD},batch", "d01,d01-it5,it5,x,listening,Listening,other"))
    assert summary.counts["batches_new"] == 0
    assert any("items that a batch already contains are stored in that batch" in note for note in summary.notes)


def test_of_several_batches_the_one_the_file_names_is_meant(small: Study, write: Write) -> None:
    make_batches(small, by="size", size=42, now=NOW)
    (pilot,) = make_batches(small, by="size", size=42, kind="pilot", now=NOW)
    load_ratings(small, write(f"{HEAD},batch", f"d01,d01-it5,it5,x,listening,Listening,{pilot.key}"))
    assert Rating.objects.get().batch == pilot


def test_a_new_batch_has_items_for_all_candidates_of_its_dialogues(small: Study, write: Write) -> None:
    load_ratings(small, write(f"{HEAD},batch", "d01,d01-it5,it5,x,listening,Listening,mine"))
    batch = small.batches.get()
    assert (batch.key, batch.n_items, batch.items.count()) == ("mine", 5, 5)


def test_later_ratings_of_an_imported_batch_add_its_new_dialogues(small: Study, write: Write) -> None:
    load_ratings(small, write(f"{HEAD},batch", "d01,d01-it5,it5,x,listening,Listening,mine"))
    load_ratings(small, write(f"{HEAD},batch", "d02,d02-it5,it5,x,listening,Listening,mine"))
    batch = small.batches.get()
    assert (batch.n_items, batch.ratings_version, batch.seats.count()) == (10, 2, 1)
    assert set(batch.items.values_list("dialogue__key", "position")) == {("d01", 1), ("d02", 2)}


def test_a_batch_that_is_being_rated_gets_no_new_items(small: Study, write: Write) -> None:
    Batch.objects.create(study=small, key="live", status="open", position=1)
    rows = write(f"{HEAD},batch", "d01,d01-it5,it5,x,listening,Listening,live")
    assert "is being rated" in errors_of(load_ratings, small, rows)[0][2]
    assert not Item.objects.exists()


def test_an_answer_may_be_a_key_a_label_or_a_number(coherence_study: Study, write: Write) -> None:
    option = coherence_study.protocol_version.criteria.get().options.get(value=2)
    rows = [f"d,c,m,{who},{value}" for who, value in enumerate((option.key, option.label.upper(), "2", "2.0"))]
    load_ratings(coherence_study, write("dialogue,item,source,annotator,value", *rows), create_missing=True)
    assert set(Rating.objects.values_list("option", flat=True)) == {option.pk}


def test_a_candidate_is_found_by_its_source_or_by_its_id_alone(small: Study, write: Write) -> None:
    load_ratings(small, write("dialogue,source,annotator,criterion,value", "d01,it5,x,listening,Listening"))
    load_ratings(small, write("item,annotator,criterion,value", "d01-it5,y,listening,Listening"))
    assert set(Rating.objects.values_list("item__candidate__key", flat=True)) == {"d01-it5"}


def test_whole_dialogues_are_rated_without_candidates(write: Write, db: None) -> None:
    whole = StudyFactory(protocol_version=make_scale_version(unit="dialogue"))
    head = "item,annotator,criterion,value"
    summary = load_ratings(whole, write(head, "a,x,fluency,5", "b,x,fluency,4"), create_missing=True)
    assert (summary.counts["dialogues_new"], summary.counts["candidates_new"]) == (2, 0)
    assert set(Item.objects.values_list("candidate", "source")) == {(None, None)}
    again = load_ratings(whole, write(head, "a,x,fluency,5", "b,x,fluency,4"), create_missing=True)
    assert again.counts["ratings_unchanged"] == 2


@pytest.mark.parametrize(
    ("cell", "when"),
    [
        ("2022-05-01T10:00:00Z", datetime(2022, 5, 1, 10, tzinfo=UTC)),
        ("2022-05-01 12:00:00+02:00", datetime(2022, 5, 1, 10, tzinfo=UTC)),
        ("1651399200", datetime(2022, 5, 1, 10, tzinfo=UTC)),
        ("1651399200000", datetime(2022, 5, 1, 10, tzinfo=UTC)),
        ("", NOW),
    ],
)
def test_the_time_of_an_answer_is_kept(small: Study, write: Write, cell: str, when: datetime) -> None:
    rows = write(f"{HEAD},when", f"d01,d01-it5,it5,x,listening,Listening,{cell}")
    load_ratings(small, rows, columns={"answered_at": "when"})
    assert Rating.objects.get().answered_at == when
    assert Assignment.objects.get().submitted_at == when


def test_rules_for_new_answers_do_not_hold_for_old_ones(small: Study, write: Write) -> None:
    without_why = "d01,d01-it5,it5,x,appropriateness,I don't know,"
    one_word = "d01,d01-it5,it5,x,correctness,Not Correct,one"
    text_unasked = "d01,d01-it5,it5,x,listening,Listening,because"
    summary = load_ratings(small, write(f"{HEAD},free_text", without_why, one_word, text_unasked))
    assert summary.counts["ratings_new"] == 3


def test_unused_columns_are_named(small: Study, write: Write) -> None:
    summary = load_ratings(small, write(f"{HEAD},mood,seconds", "d01,d01-it5,it5,x,listening,Listening,good,5"))
    assert "These columns have no meaning for ratings and were left out: mood, seconds." in summary.notes
