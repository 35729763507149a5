"""How a study was conducted leaves with its archive, and a report of the copy says the same of it."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override as in_language

from annotation.importing import ImportRejected
from annotation.models import Assignment, Study
from archive.reader import import_archive
from archive.record import VALIDATOR
from qualification.models import Qualification, Recruitment, Sample
from reporting.datasheet.build import as_markdown, datasheet
from reporting.datasheet.heds3 import HEDS3
from reporting.report.build import build_report
from reporting.report.downloads import as_csv
from reporting.report.frames import TABLES
from reporting.report.latex import as_latex
from reporting.study.facts import people_of
from tests.archive.round_trip import changed, differences, empty_the_database, report_of, with_file
from tests.clock import NOW
from tests.factories import UserFactory
from tests.qualification.recruitment.factories import RecruitmentFactory
from tests.reporting.record.conducted import make_conducted

Written = Callable[..., bytes]


@pytest.fixture
def conducted(db: None) -> Study:
    return make_conducted()


@pytest.fixture(scope="module")
def read_once() -> dict[str, bytes]:
    return {}


@pytest.fixture
def data(db: None, read_once: dict[str, bytes], request: pytest.FixtureRequest) -> bytes:
    """An archive that the first test writes which asks for one: bytes outlive the database's rows."""
    if not read_once:
        written = request.getfixturevalue("written")
        read_once["archive"] = written(request.getfixturevalue("conducted"), "archive")
    return read_once["archive"]


def files_of(study: Study) -> dict[str, str]:
    """Every table, the datasheet and the LaTeX document, as they are downloaded."""
    report = build_report(study, now=NOW)
    with in_language("en"):
        sheet = as_markdown(study, HEDS3, datasheet(study, report, people_of(study)), now=NOW)
    # The people who were imported are counted in the checklist, and all of them are now.
    tables = {name: as_csv(report, name) for name in TABLES if name != "checklist"}
    return tables | {"datasheet": sheet, "methods": " ".join(report.methods)}


def settled_in(report: dict[str, Any]) -> int:
    return sum(row["re_rating"] + row["adjudicated"] + row["replaced"] for row in report["final_labels"])


def study_record_in(data: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return json.loads(archive.read("study_record.json"))


def test_a_study_with_everything_in_its_study_record_comes_back_with_the_same_report(
    conducted: Study, come_back
) -> None:
    before, files = report_of(conducted), files_of(conducted)
    assert Assignment.objects.filter(batch__study=conducted, status="superseded").count() == 2
    assert all(before[part] for part in ("qualification", "feedback", "adjudication", "acceptance"))
    assert before["time_and_pay"]["ledger"]
    assert {row["status"] for row in before["checklist"] if row["key"] != "qualification_task"} == {"known"}

    back = come_back(conducted)

    found = report_of(back)
    assert settled_in(before) == settled_in(found) == 1
    assert differences(before, found) == []
    after = files_of(back)
    assert [name for name in files if files[name] != after[name]] == []
    assert not Sample.objects.exists()
    assert not Qualification.objects.exists()
    assert not Recruitment.objects.exists()


def test_what_came_from_an_archive_leaves_with_the_next_one(conducted: Study, come_back, written: Written) -> None:
    first = written(conducted, "archive")
    back = come_back(conducted)
    assert json.dumps(study_record_in(written(back, "archive"))) == json.dumps(study_record_in(first))


def test_dialogues_keep_what_they_are_for_and_batches_their_round(conducted: Study, come_back) -> None:
    held = list(conducted.dialogues.exclude(purpose="main").values_list("key", "purpose"))
    rounds = dict(conducted.batches.values_list("key", "round"))
    back = come_back(conducted)
    assert len(held) == 2
    assert list(back.dialogues.exclude(purpose="main").values_list("key", "purpose")) == held
    assert dict(back.batches.values_list("key", "round")) == rounds
    assert max(rounds.values()) == 2


def test_the_archive_holds_what_is_printed_and_no_more(conducted: Study, written: Written) -> None:
    said = study_record_in(written(conducted, "archive"))
    assert list(VALIDATOR.iter_errors(said)) == []
    sex = next(each for each in said["recruitment"]["demographics"]["fields"] if each["name"] == "Sex")
    assert sex["values"] == [{"value": "Female", "n": 5}, {"value": "Male", "n": None}, {"value": "<i>", "n": None}]
    text = json.dumps(said)
    for entry in conducted.entries.all():
        assert entry.person not in text
        assert entry.session not in text
    assert "A bad line." not in text


def test_what_is_done_here_goes_before_what_the_archive_says(conducted: Study, come_back) -> None:
    back = come_back(conducted)
    RecruitmentFactory(study=back, n_wanted=3, locations=["Norway"])
    rows = {row["key"]: row for row in report_of(back)["checklist"]}
    assert rows["sampling_criteria"]["value"]["locations"] == ["Norway"]
    assert rows["recruited"]["value"]["wanted"] == 3
    assert rows["recruited"]["value"]["by_platform"] == {"Amazon Mechanical Turk": 2, "Prolific": 6}
    assert rows["demographics"]["value"]["n"] == 8


def test_who_joined_and_rated_at_once_was_cleared_by_nobody_in_the_copy_too(conducted: Study, come_back) -> None:
    Qualification.objects.all().delete()
    Study.objects.update(has_qualification=False, is_clearing_on_join=True)
    conducted.refresh_from_db()
    conducted.participants.filter(attempts__isnull=False).update(panel="")
    for person in conducted.participants.filter(attempts__isnull=False):
        person.attempts.all().delete()
    before = report_of(conducted)
    assert before["qualification"] is None
    back = come_back(conducted)
    assert not back.is_clearing_on_join
    assert differences(before, report_of(back)) == []


# --- a stranger's file -----------------------------------------------------------------------------------
def rewritten(change: Callable[[dict[str, Any]], object]) -> Callable[[str], str]:
    def rewrite(text: str) -> str:
        said = json.loads(text)
        change(said)
        return json.dumps(said)

    return rewrite


def put(*path: Any, value: Any) -> Callable[[str], str]:
    def change(said: dict[str, Any]) -> None:
        for part in path[:-1]:
            said = said[part]
        said[path[-1]] = value

    return rewritten(change)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("acceptance", value=[]), "study_record.json: acceptance"),
        (put("acceptance", "first_pass", value=-1), "study_record.json: acceptance.first_pass"),
        (put("acceptance", "first_pass", value=True), "study_record.json: acceptance.first_pass"),
        (put("acceptance", "first_pass", value=1.5), "study_record.json: acceptance.first_pass"),
        (put("acceptance", "rework_hours", value=1e999), "study_record.json"),
        (lambda text: text.replace('"rework_hours": ', '"rework_hours": 1e999, "x": ', 1), "acceptance.rework_hours"),
        (put("acceptance", "first_pass_yield", value="all"), "study_record.json: acceptance.first_pass_yield"),
        (put("acceptance", "plans", 0, "kind", value="none"), "study_record.json: acceptance.plans[0].kind"),
        (put("acceptance", "plans", 0, "n_sample", value=None), "study_record.json: acceptance.plans[0].n_sample"),
        (put("acceptance", "plans", 0, "good", value=0.5), "study_record.json: acceptance.plans[0].good"),
        (put("acceptance", "plans", 0, value="x"), "study_record.json: acceptance.plans[0]"),
        (put("qualification", "by", value="lot"), "study_record.json: qualification.by"),
        (
            put("qualification", "rules", 0, "method", value=["gold"]),
            "study_record.json: qualification.rules[0].method",
        ),
        (put("qualification", "rules", value=[{}] * 1001), "study_record.json: qualification.rules"),
        (put("recruitment", "criteria", "gender", value="x"), "study_record.json: recruitment.criteria.gender"),
        (put("recruitment", "criteria", "other", value="x" * 100_001), "study_record.json: recruitment.criteria.other"),
        (put("recruitment", "criteria", "other", value="a\x00b"), "study_record.json: recruitment.criteria.other"),
        (put("recruitment", "criteria", "other", value="\ud800"), "study_record.json: recruitment.criteria.other"),
        (put("recruitment", "criteria", "shoes", value="44"), "study_record.json: recruitment.criteria.shoes"),
        (put("feedback", 0, "since", value="2026-02-30"), "study_record.json: feedback[0].since"),
        (put("pay", "floor", value="6 pounds"), "study_record.json: pay.floor"),
        (put("pay", "floor", value=6), "study_record.json: pay.floor"),
        (put("\x1b[2J", value=1), r"study_record.json: '\x1b[2J'"),
        (rewritten(lambda said: said.pop("people")), "study_record.json: people"),
        (lambda text: "[]", "study_record.json: document"),
        (lambda text: "{", "study_record.json"),
        (lambda text: "[" * 200_000, "study_record.json"),
        (lambda text: text + " " * 10_485_760, "study_record.json"),
        (lambda text: text.replace('"rework_hours": ', '"rework_hours": NaN, "x": ', 1), "study_record.json"),
    ],
)  # fmt: skip
def test_what_no_archive_of_ours_says_is_refused_with_file_and_field(
    data: bytes, tmp_path: Path, change: Callable[[str], str], said: str
) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(with_file(data, "study_record.json", change))
    with pytest.raises(ImportRejected) as refused:
        import_archive(path, slug="copy", owner=None, now=timezone.now())
    assert any(said in each.field for each in refused.value.errors)
    assert all(each.reason for each in refused.value.errors)
    assert not Study.objects.filter(slug="copy").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "nowhere,check\r\n",
        lambda text: text.replace(",check", ",cheque", 1),
        lambda text: text + text.splitlines()[1] + "\r\n",
    ],
)
def test_purposes_that_contradict_the_archive_are_refused(
    data: bytes, tmp_path: Path, change: Callable[[str], str]
) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(with_file(data, "purposes.csv", change))
    with pytest.raises(ImportRejected, match=r"purposes\.csv"):
        import_archive(path, slug="copy", owner=None, now=timezone.now())


@pytest.mark.parametrize("name", ["study_record.json", "purposes.csv", "items.csv"])
def test_an_archive_that_does_not_name_all_its_files_is_refused(data: bytes, tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        facts = json.loads(archive.read("settings.json"))
    del facts["files"][name]
    path = tmp_path / "archive.zip"
    path.write_bytes(changed(data, "settings.json", json.dumps(facts).encode()))
    with pytest.raises(ImportRejected, match=name):
        import_archive(path, slug="copy", owner=None, now=timezone.now())


def test_hostile_words_of_an_archive_are_printed_and_never_run(data: bytes, tmp_path: Path, client: Client) -> None:
    evil = "<script>alert(1)</script>\\input{/etc/passwd}"
    change = rewritten(lambda said: (
        said["recruitment"]["criteria"].update(other=evil, locations=[evil[:90]]),
        said["recruitment"]["came"].append({"platform": evil[:90], "n": 1}),
        said["recruitment"]["demographics"]["fields"].append({"name": evil, "values": [{"value": evil, "n": 4}]}),
        said["acceptance"]["plans"][0].update(criterion=evil),
        said["pay"].update(floor_currency="<b>"),
    ))  # fmt: skip
    path = tmp_path / "archive.zip"
    path.write_bytes(with_file(data, "study_record.json", change))
    empty_the_database()
    owner = UserFactory()
    study, _summary = import_archive(path, owner=owner, now=timezone.now())
    client.force_login(owner)
    for route in ("report", "report_html", "report_pdf", "datasheet", "board"):
        answer = client.get(reverse(route, args=[study.slug]))
        assert answer.status_code == 200
        assert b"<script>alert" not in answer.content
    assert "&lt;script&gt;alert" in client.get(reverse("report", args=[study.slug])).content.decode()
    assert r"\input{" not in as_latex(build_report(study, now=NOW))
