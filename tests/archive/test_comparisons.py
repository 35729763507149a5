"""Comparisons leave with an archive and come back: pairs, sides, repetitions, identical texts, and the same report."""

import csv
import io
import zipfile
from collections import Counter

import pytest

from annotation.importing import ImportRejected
from annotation.models import Assignment, IdenticalPair, Item, Rating
from annotation.selectors.comparisons import pairs_of_kind
from annotation.selectors.screens import screens_of
from annotation.services.claiming import claim_seat
from archive.reader import import_archive
from tests.archive.round_trip import differences, report_of, with_file
from tests.comparing import NOW, leanings, make_compared, make_compared_dialogues
from tests.factories import make_annotator
from tests.marking import flag

pytestmark = pytest.mark.django_db


def sides():
    """What is stored of each answer: who, about which candidates, what, and on which side."""
    rows = Rating.objects.select_related("assignment__participant", "option", "item__dialogue")
    return Counter(
        (
            each.assignment.participant.pseudonym, each.item.dialogue.key, each.item.position, each.option.key,
            each.is_swapped, each.item.repeats_id is not None,
        )
        for each in rows
    )  # fmt: skip


@pytest.mark.parametrize("make", [make_compared, make_compared_dialogues])
def test_comparisons_come_back_with_their_sides_and_the_same_report(come_back, make):
    study = make()
    flag(Assignment.objects.first(), Item.objects.filter(repeats=None).first())
    before, answers = report_of(study), sides()
    identical = IdenticalPair.objects.count()
    back = come_back(study)
    assert differences(before, report_of(back)) == []
    assert before["side_bias"][0]["repeated"] == 12
    assert sides() == answers
    assert IdenticalPair.objects.count() == identical == 1
    assert len(pairs_of_kind(back.pk, "main")) == 8
    assert all(max(map(abs, leanings([each]).values())) <= 1 for each in Assignment.objects.all())


@pytest.mark.parametrize("make", [make_compared, make_compared_dialogues])
def test_the_order_in_which_each_annotator_saw_the_pairs_comes_back(come_back, make):
    study = make()

    def orders(of):
        works = Assignment.objects.filter(batch__study=of).select_related("participant")
        return {work.participant.pseudonym: [screen.position for screen in screens_of(work)] for work in works}

    before = orders(study)
    assert len(set(map(tuple, before.values()))) > 1
    assert orders(come_back(study)) == before


@pytest.mark.parametrize("make", [make_compared, make_compared_dialogues])
def test_a_study_that_came_back_is_dealt_on_with_balanced_sides(come_back, make):
    back = come_back(make(seats=4))
    batch = back.batches.get()
    batch.status = batch.Status.OPEN
    batch.save()
    work = claim_seat(make_annotator(back, "late"), batch, now=NOW)
    assert max(map(abs, leanings([work]).values())) <= 1


@pytest.mark.parametrize(("make", "item"), [(make_compared, '["model-'), (make_compared_dialogues, '["w')])
def test_the_long_table_names_both_sources_the_side_and_what_is_preferred(written, make, item):
    study = make()
    with zipfile.ZipFile(io.BytesIO(written(study, "archive"))) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("ratings.csv").decode())))
    assert len(rows) == 36
    best = [row for row in rows if row["first_source"] == "model-a" and row["is_repetition"] == "false"]
    assert {(row["preferred"], row["role"], row["is_counted"]) for row in best} == {("model-a", "left", "true")}
    assert {row["is_swapped"] for row in rows} == {"true", "false"}
    assert rows[0]["item"].startswith(item)
    again = [row for row in rows if row["is_repetition"] == "true"]
    assert len(again) == 12
    assert all(row["item"].endswith(', "again"]') and row["is_counted"] == "false" for row in again)


@pytest.mark.parametrize("make", [make_compared, make_compared_dialogues])
def test_sides_of_items_that_are_not_there_are_refused(written, tmp_path, make):
    data = written(make(), "archive")
    path = tmp_path / "archive.zip"
    path.write_bytes(with_file(data, "sides.csv", lambda text: text.replace("model-c", "model-x")))
    with pytest.raises(ImportRejected, match="not in the archive"):
        import_archive(path, slug="again", owner=None, now=NOW)


def test_a_pair_whose_second_dialogue_is_not_there_is_refused(written, tmp_path):
    data = written(make_compared_dialogues(), "archive")
    path = tmp_path / "archive.zip"
    path.write_bytes(with_file(data, "items.csv", lambda text: text.replace('[""w0-model-c"", null]', '[""x"", null]')))
    with pytest.raises(ImportRejected, match="not in the archive"):
        import_archive(path, slug="again", owner=None, now=NOW)
