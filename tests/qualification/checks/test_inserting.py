"""Checks are mixed into batches nobody has begun: by seed, spread over batches, and never a result."""

import random
from collections import Counter

import pytest
from django.utils import timezone

from annotation.models import AgreementSnapshot, Batch, Dialogue, Item, Reading
from annotation.selectors.answers import latest_answers
from annotation.selectors.progress import read_progress
from annotation.services.agreement import refresh_batch, sweep
from annotation.services.claiming import claim_seat
from archive.reader import import_archive
from archive.writer import write_archive
from protocols.specs import spec_of
from qualification.checks.services.inserting import fitting_size, insert_checks, n_checks, order_with_checks
from qualification.models import KnownAnswer
from reporting.board.rows import board_data
from reporting.exports.cursors import items_of
from reporting.exports.diqad import split_records
from reporting.exports.label_studio import label_studio_pieces
from reporting.exports.long import COLUMNS, long_blocks
from reporting.exports.options import ExportOptions
from reporting.exports.wide import wide_rows
from reporting.report.build import build_report
from reporting.study.votes import study_votes
from tests.annotation.importing.conftest import builtin
from tests.cast import Cast
from tests.factories import CandidateFactory, DialogueFactory, StudyFactory, make_batch, take_seat
from tests.factories_protocols import make_scale_version
from tests.qualification.checks.factories import CheckPlanFactory, KnownAnswerFactory, make_checks
from tests.working import rate_everything

pytestmark = pytest.mark.django_db


def mix(study):
    return insert_checks(study, by=None, now=timezone.now())


def places(batch: Batch) -> dict[int, tuple[str, bool]]:
    """{position: (dialogue, whether it is a check)}"""
    rows = batch.items.values_list("position", "dialogue__key", "is_check")
    return {position: (key, is_check) for position, key, is_check in rows}


@pytest.fixture
def batch(cast: Cast) -> Batch:
    """Ten dialogues of three responses; two gold dialogues and an attention check are there to be mixed in."""
    batch = make_batch(cast.study, 10, position=3, key="ten")
    make_checks(cast.study, 2)
    make_checks(cast.study, 1, kind="attention")
    CheckPlanFactory(study=cast.study, gold_percent=20, attention_percent=10)
    return batch


# --- drawing -----------------------------------------------------------------------------------------
def test_rates_are_rounded_and_one_check_is_the_least_there_can_be():
    assert [n_checks(percent, n) for percent, n in ((0, 100), (5, 100), (10, 11), (1, 11), (25, 10), (5, 0))] == (
        [0, 5, 1, 1, 3, 0]
    )


def test_the_order_of_the_plain_ones_is_kept():
    mixed = order_with_checks([1, 2, 3, 4, 5], ["a", "b"], random.Random(1))

    assert [each for each in mixed if isinstance(each, int)] == [1, 2, 3, 4, 5]
    assert sorted(each for each in mixed if isinstance(each, str)) == ["a", "b"]


def test_a_check_shows_as_many_responses_as_dialogues_of_the_batch_have():
    assert [fitting_size(n, {3, 5}) for n in (2, 3, 4, 5, 9)] == [None, 3, 3, 5, 5]


# --- rows --------------------------------------------------------------------------------------------
def test_checks_stand_between_the_dialogues_and_the_batch_is_numbered_without_gaps(cast: Cast, batch):
    before = [key for _, (key, _) in sorted(places(batch).items())]

    mix(cast.study)

    now = places(batch)
    assert sorted(now) == list(range(13))
    assert [key for _, (key, is_check) in sorted(now.items()) if not is_check] == before
    assert sum(is_check for _, is_check in now.values()) == 3
    assert batch.items.filter(is_check=True).count() == 9
    batch.refresh_from_db()
    assert batch.n_items == 30


def test_no_check_stands_between_the_turns_of_a_conversation(cast: Cast, batch):
    turns = list(batch.items.order_by("position").values_list("dialogue", flat=True).distinct())
    Dialogue.objects.filter(pk__in=turns).update(conversation="one")
    make_checks(cast.study, 6)
    mix(cast.study)
    order = list(batch.items.order_by("position").values_list("is_check", flat=True))
    assert any(order)
    first, last = order.index(False), len(order) - order[::-1].index(False)
    assert not any(order[first:last])


def test_the_same_study_gets_its_checks_the_same_way(cast: Cast, batch):
    mix(cast.study)
    first = places(batch)
    mix(cast.study)

    assert places(batch) == first


def test_rates_that_were_taken_back_take_the_checks_out(cast: Cast, batch):
    before = places(batch)
    mix(cast.study)
    cast.study.check_plan.gold_percent = cast.study.check_plan.attention_percent = 0
    cast.study.check_plan.save()
    mix(cast.study)

    assert places(batch) == before


def test_different_batches_get_different_checks_as_far_as_there_are_some(cast: Cast):
    batches = [make_batch(cast.study, 5, position=at, key=f"five-{at}") for at in range(3, 9)]
    make_checks(cast.study, 4)
    CheckPlanFactory(study=cast.study, gold_percent=20)
    Batch.objects.filter(pk=cast.batch.pk).update(kind="pilot")

    assert mix(cast.study).n_checks == 6

    uses = Counter(Item.objects.filter(is_check=True, batch__in=batches).values_list("dialogue", "batch").distinct())
    by_dialogue = Counter(dialogue for dialogue, _ in uses)
    assert sorted(by_dialogue.values()) == [1, 1, 2, 2]


def test_a_batch_that_is_begun_or_has_answers_stays_as_it_is(cast: Cast, batch):
    take_seat(cast.annotator, batch)
    before = places(batch)

    done = mix(cast.study)

    assert places(batch) == before
    assert (done.n_batches, done.n_begun) == (1, 1)


def test_a_seat_that_has_lapsed_without_an_answer_does_not_hinder_and_its_reading_times_go(cast: Cast, batch):
    assignment = take_seat(cast.annotator, batch)
    Reading.objects.create(assignment=assignment, position=0, shown_at=timezone.now(), opened_at=timezone.now())
    batch.seats.update(assignment=None, lease_expires_at=None)

    mix(cast.study)

    assert batch.items.filter(is_check=True).exists()
    assert not Reading.objects.exists()


def test_what_is_material_of_a_main_batch_or_of_training_is_never_inserted(cast: Cast, batch):
    dealt = cast.batch.items.first()
    KnownAnswerFactory(candidate=dealt.candidate)
    make_checks(cast.study, 1, kind="training")
    mix(cast.study)

    checked = set(Item.objects.filter(is_check=True).values_list("dialogue_id", flat=True))
    assert checked == set(KnownAnswer.objects.exclude(kind="training").exclude(candidate=dealt.candidate)
                          .values_list("dialogue_id", flat=True))  # fmt: skip


def test_a_check_with_fewer_responses_than_the_others_is_left_out_and_said(cast: Cast):
    dialogue = DialogueFactory(study=cast.study, purpose="check")
    candidate = CandidateFactory(dialogue=dialogue, source=cast.study.sources.first())
    KnownAnswerFactory(candidate=candidate)
    CheckPlanFactory(study=cast.study, gold_percent=50)

    done = mix(cast.study)

    assert (done.n_unfit, done.n_checks) == (1, 0)


def test_a_check_with_more_responses_shows_those_with_known_answers(cast: Cast):
    dialogue = DialogueFactory(study=cast.study, purpose="check")
    others = [CandidateFactory(dialogue=dialogue, source=source) for source in cast.study.sources.all()]
    known = CandidateFactory(dialogue=dialogue, source=cast.study.sources.first())
    KnownAnswerFactory(candidate=known)
    CheckPlanFactory(study=cast.study, gold_percent=50)

    mix(cast.study)

    shown = set(cast.batch.items.filter(is_check=True).values_list("candidate_id", flat=True))
    assert shown == {known.pk, others[0].pk, others[1].pk}


def test_whole_dialogues_are_inserted_where_those_are_rated(db):
    version = make_scale_version(unit="dialogue")
    study = StudyFactory(protocol_version=version)
    batch = make_batch(study, 4, 0, key="whole")
    dialogue = DialogueFactory(study=study, purpose="check")
    KnownAnswerFactory(candidate=None, source=None, study=study, dialogue=dialogue, unit="dialogue")
    CheckPlanFactory(study=study, attention_percent=0, gold_percent=25)

    mix(study)

    check = batch.items.get(is_check=True)
    assert (check.unit, check.dialogue, check.candidate) == ("dialogue", dialogue, None)


# --- never a result ----------------------------------------------------------------------------------
@pytest.fixture
def rated(cast: Cast, batch) -> Batch:
    mix(cast.study)
    for person in cast.annotators[:2]:
        rate_everything(claim_seat(person, batch, now=timezone.now()), now=timezone.now(), option=1)
    sweep(now=timezone.now())
    return batch


def test_progress_has_the_checks_in_it_for_the_annotator_and_not_for_the_board(cast: Cast, rated):
    progress = read_progress(rated.assignments.select_related("batch__study__protocol_version").first())
    snapshot = AgreementSnapshot.objects.get(batch=rated)
    assert (progress.n_done, progress.n_wanted) == (13 * 3 * 4, 13 * 3 * 4)
    assert (snapshot.n_ratings, snapshot.n_wanted) == (2 * 30 * 4, 3 * 30 * 4)
    line = next(line for line in board_data(cast.study, {}).lines if line.batch == rated)
    assert (line.progress.n_ratings, line.progress.n_wanted) == (240, 360)


def test_a_batch_that_is_not_measured_yet_wants_no_answers_to_checks(cast: Cast, batch):
    AgreementSnapshot.objects.all().delete()
    mix(cast.study)
    line = next(line for line in board_data(cast.study, {}).lines if line.batch == batch)

    assert line.progress.n_wanted == 3 * 30 * 4


def test_figures_are_as_without_the_checks(cast: Cast, rated):
    histograms = list(AgreementSnapshot.objects.get(batch=rated).cells.values_list("histogram", flat=True))
    assert sum(sum(each.values()) for each in histograms) == 30 * 4
    assert len(study_votes(cast.study, spec_of(cast.study.protocol_version)).rating) == 240
    report = build_report(cast.study, now=timezone.now())
    assert (report.n_ratings, report.material.items, report.material.dialogues) == (240, 30, 10)
    assert {row.batch: row.n_items for row in report.batches}["ten"] == 30


def test_the_course_of_an_annotator_leaves_them_out(cast: Cast, rated):
    criteria = [criterion.id for criterion in spec_of(cast.study.protocol_version).voted]

    answers = latest_answers(cast.annotator.pk, criteria)

    assert len(answers.item) == 240
    assert not Item.objects.filter(pk__in=set(answers.item.tolist()), is_check=True).exists()


def test_exports_of_results_leave_them_out_and_the_long_one_marks_them(cast: Cast, rated):
    tokens = {str(token) for token in Item.objects.filter(is_check=True).values_list("token", flat=True)}
    options = ExportOptions()
    tasks = b"".join(label_studio_pieces(cast.study, options, lambda n: None)).decode()
    records, summary = split_records(cast.study, ExportOptions(criterion="listening"), lambda n: None)
    dialogues = set(Item.objects.filter(is_check=True).values_list("dialogue__key", flat=True))
    lines = b"".join(line for _, line in records).decode()

    assert not [token for token in tokens if token in tasks]
    assert not [key for key in dialogues if f'"{key}"' in lines]
    assert sum(summary.outcomes.values()) == 36
    assert not {row[3] for row in wide_rows(cast.study, options)} & tokens
    names = [column.name for column in COLUMNS]
    rows = [row for block in long_blocks(cast.study, options) for row in zip(*block, strict=True)]
    marked = [row for row in rows if row[names.index("is_check")]]
    assert len(marked) == 2 * 9 * 4
    assert not any(row[names.index("is_counted")] for row in marked)
    assert not [item for item in items_of(cast.study) if item.is_check]


def test_an_archive_that_is_read_back_knows_its_checks(db, tmp_path):
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"))
    batch = make_batch(study, 10, key="ten")
    make_checks(study, 2)
    CheckPlanFactory(study=study, gold_percent=20)
    mix(study)
    path = tmp_path / "study.zip"
    with path.open("wb") as file:
        write_archive(study, ExportOptions(), file, lambda n: None)

    again, _summary = import_archive(path, slug="again", owner=None, now=timezone.now())

    copied = again.batches.get(key="ten")
    assert (copied.items.filter(is_check=True).count(), copied.n_items) == (6, 30)
    assert places(copied) == places(batch)


def test_taking_checks_out_again_leaves_the_figures_in_step(cast: Cast, batch):
    refresh_batch(batch.pk, now=timezone.now())
    mix(cast.study)
    batch.refresh_from_db()
    assert batch.ratings_version > AgreementSnapshot.objects.get(batch=batch).version
    refresh_batch(batch.pk, now=timezone.now())

    assert AgreementSnapshot.objects.get(batch=batch).n_wanted == 360
