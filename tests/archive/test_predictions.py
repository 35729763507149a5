"""What an archive carries beside ratings: predictions, model judges, the datasheet, settings, and whose work it was."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.importing import ImportRejected
from annotation.models import Assignment, DatasheetAnswer, JudgeCall, JudgeRun, Metric, Prediction, Study
from annotation.services.claiming import submit_assignment
from archive.entries import SETTINGS
from archive.reader import import_archive
from protocols.services import store_bundle
from reporting.predictions.downloads import as_json
from reporting.predictions.page import index_page
from reporting.predictions.table import Comparison
from tests.annotation.importing.conftest import HE_DIALOGUES, builtin, load
from tests.archive.round_trip import changed, differences, empty_the_database, report_of, with_file
from tests.factories import JudgeRunFactory, MetricFactory, StudyFactory
from tests.reporting.exports.conftest import NOW
from tests.reporting.predictions.conftest import make_metric
from tests.shipped import Work, bundle_of
from tests.working import rate_everything

Written = Callable[..., bytes]
ENDPOINT = "https://secret.example.org/v1"
SECRET = "The whole prompt, with its answer."


def predictions_of(study: Study) -> dict[str, Any]:
    """The predictions page and its download, in plain values."""
    comparison = Comparison(Study.objects.get(pk=study.pk))
    page = index_page(comparison)
    about = ("key", "name", "kind", "origin", "higher_is_better", "note", "created_at")
    rows = [
        {**row, "metric": {name: getattr(row["metric"], name) for name in about}}
        for table in page["tables"]
        for row in table["rows"]
    ]
    return json.loads(json.dumps({"rows": rows, "rules": page["rules"]}, default=str)) | {
        "file": json.loads(as_json(comparison))
    }


@pytest.fixture
def predicted(he_study: Study) -> Study:
    return with_predictions(he_study)


@pytest.fixture
def unrated(db: None) -> Study:
    """The same material and predictions, and nobody's answers."""
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"))
    load(study, HE_DIALOGUES)
    return with_predictions(study)


def with_predictions(study: Study) -> Study:
    """A score about some sources, a label with numbers, a judge's label, a deleted metric, and words of people."""
    version = study.protocol_version
    criterion = version.criteria.get(key="appropriateness")
    options = list(criterion.options.all())
    make_metric(study, "nll", lambda c: c.pk / 7 if c.pk % 5 else None, higher_is_better=False, note="=GPT, 1e-3")
    label = make_metric(study, "label", lambda c: options[c.pk % 3], kind="label", criterion=criterion)
    label.predictions.filter(candidate__key__contains="d01").update(value=0.1 + 0.2)
    run = JudgeRunFactory(
        study=study, name="judge", endpoint=ENDPOINT, criteria=[criterion.pk], n_total=210, n_answered=209,
        started_at=NOW, finished_at=NOW, n_shots=2, temperature=0.25, price_prompt=3, price_answer=5, currency="EUR",
    )  # fmt: skip
    make_metric(study, "judge", lambda c: options[c.pk % 2], kind="label", criterion=criterion, origin="judge", run=run)
    candidate = run.study.dialogues.first().candidates.first()
    JudgeCall.objects.create(
        run=run, candidate=candidate, criterion=criterion, attempt=1, prompt={"messages": [SECRET]}, answer=SECRET,
        option=options[0], status="answered", is_last=True, latency_ms=5, sent_at=NOW,
    )  # fmt: skip
    MetricFactory(study=study, key="nll", is_active=False)
    DatasheetAnswer.objects.create(study=study, question="3.1.1", text="-1 line\nand 'another'", updated_at=NOW)
    study.kappa_floor = -0.125
    study.equivalence_margin = 7.5
    study.save()
    return study


def test_predictions_come_back_with_the_same_page_and_the_same_report(predicted: Study, come_back) -> None:
    n_predictions = Prediction.objects.count()
    before, page = report_of(predicted), predictions_of(predicted)

    back = come_back(predicted, has_owner=True)

    assert differences(before, report_of(back)) == []
    assert differences(page, predictions_of(back)) == []
    assert before["metrics"]
    assert Prediction.objects.filter(metric__study=back).count() == n_predictions > 300
    assert list(back.metrics.order_by("pk").values_list("key", "is_active")) == [
        ("nll", True), ("label", True), ("judge", True), ("nll", False),
    ]  # fmt: skip
    assert 0.1 + 0.2 in back.metrics.get(key="label").predictions.values_list("value", flat=True)


def test_a_judge_comes_back_as_what_made_its_metric_without_its_endpoint(unrated: Study, come_back) -> None:
    back = come_back(unrated, has_owner=True)

    run = JudgeRun.objects.get(study=back)
    assert (run.name, run.status, run.n_answered, run.n_shots, run.temperature) == ("judge", "done", 209, 2, 0.25)
    assert (run.endpoint, run.price_prompt, run.calls.count()) == ("", None, 0)
    assert run.finished_at == NOW
    assert run.criteria == [back.protocol_version.criteria.get(key="appropriateness").pk]
    assert run.user == back.memberships.get(role="owner").user
    assert back.metrics.get(key="judge").run == run


def test_without_an_owner_a_judges_metric_comes_as_an_imported_one(
    unrated: Study, written: Written, tmp_path: Path
) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(written(unrated, "archive"))
    empty_the_database()

    back, summary = import_archive(path, owner=None, now=timezone.now())

    assert summary.notes == [
        ("Metrics of model judges were restored as imported metrics, because the study has no owner.")
    ]
    assert back.metrics.get(key="judge").origin == Metric.Origin.IMPORTED
    assert (summary.counts["metrics_new"], summary.counts["predictions_new"]) == (4, Prediction.objects.count())


def test_an_archive_holds_nothing_that_an_observer_may_not_see_of_a_judge(unrated: Study, written: Written) -> None:
    with zipfile.ZipFile(io.BytesIO(written(unrated, "archive"))) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()

    assert '"name": "judge"' in everything
    for secret in (ENDPOINT, SECRET, "EUR"):
        assert secret not in everything


def test_words_of_the_datasheet_and_the_floor_come_back(unrated: Study, come_back) -> None:
    back = come_back(unrated)

    answer = back.datasheet_answers.get()
    assert (answer.question, answer.text, answer.author) == ("3.1.1", "-1 line\nand 'another'", None)
    assert answer.updated_at == NOW
    assert (back.kappa_floor, back.equivalence_margin) == (-0.125, 7.5)


def test_a_metric_about_an_older_version_of_the_protocol_comes_back(he_study: Study, come_back) -> None:
    criterion = he_study.protocol_version.criteria.get(key="appropriateness")
    newer = store_bundle(bundle_of("he-protocol-1.0") | {"version": "1.9"}, publish=True, now=NOW)[0]
    Study.objects.filter(pk=he_study.pk).update(protocol_version=newer)
    he_study.refresh_from_db()
    make_metric(he_study, "old", lambda c: criterion.options.first(), kind="label", criterion=criterion)

    back = come_back(he_study)

    assert back.protocol_version.version == "1.9"
    assert back.metrics.get().criterion.version.version == "1.0"
    assert back.metrics.get().predictions.filter(option__criterion__version__version="1.0").exists()


def test_predictions_about_whole_dialogues_come_back(diqad: Work, come_back) -> None:
    criterion = diqad.study.protocol_version.criteria.get(key="score")
    metric = MetricFactory(study=diqad.study, key="judge", kind="label", criterion=criterion)
    for dialogue, option in zip(diqad.study.dialogues.all(), criterion.options.all(), strict=False):
        Prediction.objects.create(metric=metric, dialogue=dialogue, option=option)
    page = predictions_of(diqad.study)

    back = come_back(diqad.study)

    assert differences(page, predictions_of(back)) == []
    assert Prediction.objects.filter(dialogue__study=back, candidate=None).count() == 4


def test_work_that_was_done_in_parley_keeps_its_times_and_its_pay(db: None, come_back) -> None:
    work = Work("dialogue-hit-1.0", n_sources=2)
    Study.objects.filter(pk=work.study.pk).update(pay_amount="4.67", pay_currency="GBP")
    for number, each in enumerate((work, work.another("ben")), start=1):
        rate_everything(each.assignment, now=NOW)
        each.assignment.ratings.update(active_ms=1000 * number)
        submit_assignment(each.assignment, feedback="", now=NOW + timedelta(minutes=30 * number))
    work.study.refresh_from_db()
    before = report_of(work.study)

    back = come_back(work.study)

    assert before["time_and_pay"]["total_paid"] == "9.34"
    assert before["time_and_pay"]["batch_minutes_elapsed"]["n"] == 2
    assert differences(before, report_of(back)) == []
    assert not Assignment.objects.filter(is_imported=True).exists()


@pytest.mark.parametrize("format", [5, 7, "6", None])
def test_an_archive_of_another_format_says_what_to_do(
    he_study: Study, written: Written, tmp_path: Path, format
) -> None:
    data = written(he_study, "archive")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        facts = json.loads(archive.read("settings.json")) | {"parley_archive": format}
    path = tmp_path / "archive.zip"
    path.write_bytes(changed(data, "settings.json", json.dumps(facts).encode()))
    empty_the_database()

    with pytest.raises(ImportRejected, match="another version of Parley: import it there"):
        import_archive(path, owner=None, now=timezone.now())
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("metrics.csv", lambda text: text.replace("appropriateness", "charm", 1)),
        ("metrics.csv", lambda text: text.replace("label,label,label", "label,label,verdict", 1)),
        ("metrics.csv", lambda text: text.replace("number,", "no,", 1)),
        ("predictions.csv", lambda text: text + "1,nowhere,,0.5,\r\n"),
        ("predictions.csv", lambda text: text + "99,d01,,0.5,\r\n"),
        ("predictions.csv", lambda text: text.replace(",appropriate\r\n", ",excellent\r\n", 1)),
        ("predictions.csv", lambda text: text + text.splitlines()[1] + "\r\n"),
        ("datasheet.csv", lambda text: text + "3.1.1,again,2026-11-21T00:00:00Z\r\n"),
    ],
)
def test_predictions_that_contradict_the_archive_are_refused_whole(
    unrated: Study, written: Written, tmp_path: Path, name: str, change: Callable[[str], str]
) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(with_file(written(unrated, "archive"), name, change))
    counts = Study.objects.count(), Metric.objects.count()
    with pytest.raises(ImportRejected):
        import_archive(path, slug="copy", owner=None, now=timezone.now())
    assert (Study.objects.count(), Metric.objects.count()) == counts


# Why the rest of a study is not in SETTINGS: carried in another way, or of the place it was.
CARRIED_OTHERWISE = {"protocol_version", "pay_amount", "imported_record"}
OF_ITS_PLACE = {
    "id", "is_joinable", "is_clearing_on_join", "join_token", "created_at", "has_qualification", "is_dealt_to_groups",
}  # fmt: skip


def test_every_setting_of_a_study_is_carried_or_left_for_a_reason() -> None:
    fields = {field.name for field in Study._meta.concrete_fields}
    assert fields == set(SETTINGS) | CARRIED_OTHERWISE | OF_ITS_PLACE
