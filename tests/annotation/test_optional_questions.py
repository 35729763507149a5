"""An optional question is done with an answer or with an explicit none, which is stored, counted and exported."""

import csv
import io
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.importing import RatingOptions, import_ratings
from annotation.models import Assignment, Rating
from annotation.selectors.progress import read_progress
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.rating import Submission
from annotation.services.refusals import Refused
from protocols.answers import Given, InvalidAnswer
from reporting.exports.formats import write_export
from reporting.report.build import build_report
from tests.annotation.work_pages import sign_in, text_of
from tests.factories import StudyFactory, make_annotator
from tests.marking import make_skipping_batch
from tests.optional import make_sheet_batch
from tests.working import record

pytestmark = pytest.mark.django_db
NOTHING = {"option_id": None, "choices": [], "turns": [], "explanations": [], "free_text": ""}
KEYS = ("behaviours", "tone", "where")


@pytest.fixture
def begun() -> Assignment:
    batch = make_sheet_batch()
    return claim_seat(make_annotator(batch.study, "ann"), batch, now=timezone.now())


def say(assignment: Assignment, criterion: str, **given: object) -> None:
    item = assignment.batch.items.get()
    record(assignment, Submission(item.token, criterion, Given(**given), uuid4()), now=timezone.now())


def submit(assignment: Assignment) -> None:
    submit_assignment(assignment, feedback="", now=timezone.now())


def test_a_batch_of_optional_questions_waits_for_each_answer(begun: Assignment):
    before = read_progress(begun)
    assert (before.n_done, before.n_wanted, before.n_steps_done, before.n_steps) == (0, 3, 0, 1)
    with pytest.raises(Refused, match="3 answers are still missing"):
        submit(begun)


def test_none_is_an_answer_of_every_kind_of_question(begun: Assignment):
    for key in KEYS:
        say(begun, key)
    rows = Rating.objects.values("criterion__key", *NOTHING)
    assert {row.pop("criterion__key") for row in rows} == set(KEYS)
    assert list(rows.values(*NOTHING)) == [NOTHING] * 3
    after = read_progress(begun)
    assert (after.n_done, after.n_wanted, after.n_steps_left) == (3, 3, 0)
    submit(begun)


def test_none_may_become_an_answer_and_an_answer_none(begun: Assignment):
    say(begun, "behaviours")
    say(begun, "behaviours", options=("2",))
    say(begun, "behaviours")
    (rating,) = Rating.objects.all()
    assert (rating.choices, rating.revision) == ([], 3)
    assert [bool(each.choices) for each in rating.revisions.order_by("number")] == [False, True, False]


def test_a_required_question_takes_no_none():
    batch = make_skipping_batch(1)
    assignment = claim_seat(make_annotator(batch.study, "ann"), batch, now=timezone.now())
    item = batch.items.filter(unit="response").first()
    with pytest.raises(InvalidAnswer, match="Choose one"):
        record(assignment, Submission(item.token, "fit", Given(), uuid4()), now=timezone.now())


def test_an_answer_that_does_not_exist_is_no_none(begun: Assignment):
    with pytest.raises(InvalidAnswer, match="Choose one"):
        say(begun, "tone", option="9")


def test_a_plain_form_that_is_saved_empty_says_none(begun: Assignment):
    client = sign_in(begun.participant.user)
    url = client.get(reverse("rate_start", args=[begun.token])).url
    form = text_of(client.get(url))
    assert [form.count(f"<strong>{label}<") for label in ("None of these", "No answer", "No turn")] == [1, 1, 1]
    assert form.count('data-none data-alone data-key="0">') == 3, "none is said yet"
    assert client.post(url, {}).url == reverse("submit", args=[begun.token])
    assert Rating.objects.filter(**NOTHING).count() == 3
    form = text_of(client.get(url))
    assert form.count('data-none data-alone data-key="0" checked') == 3
    review = text_of(client.get(reverse("submit", args=[begun.token])))
    assert review.count("none</a>") == 3
    assert "no answer yet" not in review


def test_the_report_counts_them_and_an_export_brings_them_back(begun: Assignment, tmp_path):
    second = claim_seat(make_annotator(begun.batch.study, "bob"), begun.batch, now=timezone.now())
    for key in KEYS:
        say(begun, key)
    say(second, "behaviours", options=("1", "3"))
    say(second, "tone", option="1")
    say(second, "where", turns=(1,))
    submit(begun)
    submit(second)
    study = begun.batch.study
    rows = {row.criterion: row for row in build_report(study, now=timezone.now()).distributions}
    assert [(key, rows[key].n_answers, rows[key].n_none) for key in ("behaviours", "tone")] == [
        ("behaviours", 2, 1), ("tone", 2, 1),
    ]  # fmt: skip
    assert [each.percent for each in rows["tone"].options] == [50.0, 0.0, 0.0]
    file = io.BytesIO()
    write_export(study, "long-csv", {}, file)
    exported = file.getvalue()
    lines = list(csv.DictReader(io.StringIO(exported.decode("utf-8-sig"))))
    assert sorted(
        (line["annotator"], line["criterion"])
        for line in lines
        if not (line["option"] or line["choices"] or line["turns"])
    ) == sorted((begun.participant.pseudonym, key) for key in KEYS)
    assert sorted((line["criterion"], line["value"]) for line in lines if line["label"] == "none") == sorted(
        (key, "") for key in KEYS
    )
    path = tmp_path / "own.csv"
    path.write_bytes(exported)
    other = StudyFactory(protocol_version=study.protocol_version)
    import_ratings(other, path, options=RatingOptions(create_missing=True), now=timezone.now())
    assert Rating.objects.filter(batch__study=other, **NOTHING).count() == 3
    assert Rating.objects.filter(batch__study=other).count() == 6
