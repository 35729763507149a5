"""Flagged items that may be skipped: done for progress, for the way on and for the end, and never an answer."""

from uuid import UUID, uuid4

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.dependence import asked
from annotation.models import Assignment, Batch, Rating
from annotation.selectors.cells import measure_batch
from annotation.selectors.progress import first_missing, read_progress
from annotation.selectors.work import dialogue_page, missing_step
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.rating import Submission
from annotation.services.refusals import Refused
from annotation.steps import AskedCriterion
from protocols.answers import Given
from protocols.specs import spec_of
from tests.annotation.work_pages import answer_all, sign_in
from tests.factories import make_annotator
from tests.marking import SKIPPING, flag, make_skipping_batch, take_back
from tests.working import record

pytestmark = pytest.mark.django_db


def begin(batch: Batch, name: str = "ann") -> Assignment:
    return claim_seat(make_annotator(batch.study, name), batch, now=timezone.now())


def answer(assignment: Assignment, item, criterion: str, option: str) -> None:
    record(assignment, Submission(item.token, criterion, Given(option), uuid4()), now=timezone.now())


def answer_whole(assignment: Assignment, item) -> None:
    for criterion in ("whole",) if item.unit == "dialogue" else ("fit", "clear"):
        answer(assignment, item, criterion, "1")
    if item.unit == "response":
        answer(assignment, item, "extra", "")  # an optional question: none of its answers


# --- one item ----------------------------------------------------------------------------------------
def test_a_batch_whose_last_open_item_is_flagged_can_be_submitted():
    assignment = begin(make_skipping_batch())
    *others, last = assignment.batch.items.order_by("position", "pk")
    for item in others:
        answer_whole(assignment, item)
    with pytest.raises(Refused, match="missing"):
        submit_assignment(assignment, feedback="", now=timezone.now())
    flag(assignment, last)
    assert missing_step(assignment) is None
    assert submit_assignment(assignment, feedback="", now=timezone.now()).status == "submitted"
    assert not Rating.objects.filter(item=last).exists()


def test_a_flag_that_is_taken_back_makes_the_item_wanted_again():
    assignment = begin(make_skipping_batch())
    *others, last = assignment.batch.items.order_by("position", "pk")
    for item in others:
        answer_whole(assignment, item)
    flag(assignment, last)
    take_back(assignment, last)
    assert first_missing(assignment) == last.position
    with pytest.raises(Refused, match="missing"):
        submit_assignment(assignment, feedback="", now=timezone.now())


def test_answers_about_a_flagged_item_stay_answers():
    assignment = begin(make_skipping_batch(1))
    item = assignment.batch.items.filter(unit="response").first()
    answer(assignment, item, "fit", "2")  # and so the second question is asked
    before = read_progress(assignment)
    flag(assignment, item)
    after = read_progress(assignment)
    assert (before.n_done, before.n_wanted, after.n_done, after.n_wanted) == (1, 8, 1, 5)
    assert Rating.objects.get().is_active


def test_where_flagged_items_are_answered_a_flag_changes_nothing():
    assignment = begin(make_skipping_batch(flagged="answer"))
    before, first = read_progress(assignment), assignment.batch.items.order_by("position", "pk").first()
    flag(assignment, first)
    assert read_progress(assignment) == before
    assert first_missing(assignment) == first.position


def test_nothing_is_skipped_where_answers_decide_about_somebody():
    assignment = begin(make_skipping_batch())
    assignment.batch.kind = Batch.Kind.QUALIFICATION
    assignment.batch.save()
    before = read_progress(assignment)
    flag(assignment, assignment.batch.items.first())
    assert read_progress(assignment) == before


def test_the_flag_of_one_annotator_lets_nobody_else_skip():
    batch = make_skipping_batch()
    mine, other = begin(batch, "mine"), begin(batch, "other")
    before = read_progress(other)
    flag(mine, batch.items.first())
    assert read_progress(other) == before


def test_the_board_wants_no_answer_about_a_skipped_item():
    batch = make_skipping_batch()
    assignment = begin(batch)
    item = batch.items.filter(unit="response").first()
    version = Batch.objects.get(pk=batch.pk).ratings_version
    wanted = measure_batch(batch).n_wanted
    flag(assignment, item)
    assert measure_batch(batch).n_wanted == wanted - 3, "fit, clear and extra"
    assert Batch.objects.get(pk=batch.pk).ratings_version == version + 1
    answer(assignment, item, "fit", "1")
    assert (measure_batch(batch).n_wanted, measure_batch(batch).n_ratings) == (wanted - 2, 1)
    take_back(assignment, item)
    assert measure_batch(batch).n_wanted == wanted


def test_the_plain_pages_pass_over_what_is_flagged_and_take_it_as_it_is():
    assignment = begin(make_skipping_batch(1))
    client = sign_in(assignment.participant.user)
    first, second = assignment.batch.items.filter(unit="response")
    flag(assignment, first)
    flag(assignment, second)
    url = client.get(reverse("rate_start", args=[assignment.token])).url
    assert client.post(url, {}).status_code == 422, "the dialogue itself is not flagged"
    assert "submit" in answer_all(client, assignment)
    assert list(Rating.objects.values_list("criterion__key", flat=True)) == ["whole"]
    skipped = client.post(reverse("rate", args=[assignment.token, first.position, 1]), {})
    assert skipped.status_code == 302, "a flagged item is left without an answer"


# --- any sequence of answers and flags -----------------------------------------------------------------
KEYS = ["fit", "why", "deep", "clear", "extra"]
events = st.one_of(
    st.tuples(st.just("answer"), st.integers(0, 5), st.sampled_from(KEYS), st.sampled_from(["1", "2"])),
    st.tuples(st.just("answer"), st.integers(0, 5), st.just("extra"), st.just("")),
    st.tuples(st.just("flag"), st.integers(0, 5)),
    st.tuples(st.just("back"), st.integers(0, 5)),
)


@pytest.fixture(scope="module", params=["criterion_first", "item_first", "set_level", "whole_between"])
def begun(keep, request: pytest.FixtureRequest) -> Assignment:
    name, changes = request.param, {"order": request.param}
    if name == "whole_between":  # the question about the dialogue stands between those about its responses
        *others, whole = SKIPPING["criteria"]
        changes = {"order": "item_first", "criteria": [*others[:2], whole, *others[2:]]}
    return keep(lambda: begin(make_skipping_batch(protocol=f"skipping-{name}", **changes), name))


def steps_slowly(assignment: Assignment) -> tuple[int, int]:
    """Steps done and in all, page by page."""
    positions = set(assignment.batch.items.values_list("position", flat=True))
    steps = [step for each in positions for step in dialogue_page(assignment, each).steps]
    parents = {
        (part.item.token, each.criterion.key): each for step in steps for part in step.parts for each in part.questions
    }

    def is_open(token: UUID, question: AskedCriterion) -> bool:
        if question.is_skipped:
            return False
        if question.is_asked:
            return not question.answer.is_saved
        return is_open(token, parents[token, question.when.partition(":")[0]])

    open_steps = [step for step in steps if any(is_open(part.item.token, each) for part, each in step.questions)]
    return len(steps) - len(open_steps), len(steps)


def slowly(assignment: Assignment, flagged: set[int]) -> tuple[int, int, int | None]:
    """Answers given and wanted, and where the first is missing: item by item, question by question."""
    spec, done, wanted, missing = spec_of(assignment.batch.study.protocol_version), 0, 0, []
    for item in assignment.batch.items.all():
        rows = Rating.objects.filter(assignment=assignment, item=item).select_related("criterion", "option")
        known = {row.criterion.key: row.option.key for row in rows if row.option}
        given = {row.criterion.key for row in rows}
        for criterion in asked(spec, item.unit, known):
            is_given = criterion.key in given
            done += is_given
            wanted += is_given or item.pk not in flagged
            missing += [item.position] * (not is_given and item.pk not in flagged)
    return done, wanted, min(missing, default=None)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(taken=st.lists(events, min_size=3, max_size=25))
def test_progress_and_the_way_on_are_those_of_a_slow_count(begun: Assignment, taken: list):
    with transaction.atomic():
        check(Assignment.objects.select_related("batch__study__protocol_version", "seat").get(pk=begun.pk), taken)
        transaction.set_rollback(True)


def check(begun: Assignment, taken: list) -> None:
    items, flagged = list(begun.batch.items.order_by("position", "pk")), set()
    for name, at, *rest in taken:
        if name == "answer":
            key, option = ("whole", rest[1] or "1") if items[at].unit == "dialogue" else rest
            answer(begun, items[at], key, option)
        else:
            (flag if name == "flag" else take_back)(begun, items[at])
            flagged = flagged | {items[at].pk} if name == "flag" else flagged - {items[at].pk}
    done, wanted, missing = slowly(begun, flagged)
    progress, step = read_progress(begun), missing_step(begun)
    assert (progress.n_done, progress.n_wanted, first_missing(begun)) == (done, wanted, missing)
    assert (progress.n_steps_done, progress.n_steps) == steps_slowly(begun)
    assert (step is None) == (progress.n_steps_left == 0)
    assert (step is None) == (missing is None) == (done == wanted)
    assert step is None or step[0].position == missing
