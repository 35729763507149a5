"""A study that leaves as an archive and comes back into an empty Parley gives the same report."""

import csv
import gzip
import hashlib
import io
import zipfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import IO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from annotation.importing import ImportRejected, import_ratings
from annotation.models import Assignment, Batch, Candidate, Dialogue, Item, ItemMark, Participant, Rating, Study
from annotation.services.batching import make_batches
from annotation.services.claiming import release_seats
from archive.reader import import_archive
from qualification.flagged_items.services import settle_flagged_item
from reporting.exports.formats import write_export
from tests.annotation.importing.conftest import HE_DIALOGUES, SWITCHBOARD, builtin, load, load_ratings
from tests.archive.round_trip import changed, differences, empty_the_database, report_of, with_file
from tests.cast import Cast
from tests.factories import ParticipantFactory, StudyFactory, UserFactory
from tests.marking import be_unsure, flag, take_back
from tests.reporting.exports.conftest import NOW
from tests.shipped import Work

Written = Callable[..., bytes]


def test_the_reference_study_comes_back_with_the_same_report(he_study: Study, come_back) -> None:
    first = Assignment.objects.filter(batch__study=he_study).order_by("-pk")[0]
    Assignment.objects.filter(pk=first.pk).update(feedback="=SUM(A1)\r\nIt was 'long', and \"hard\"")
    Rating.objects.filter(assignment=first).update(free_text='\'=1+1 ,\n"too" hard', active_ms=4200)
    before = report_of(he_study)
    back = come_back(he_study)
    assert before["n_ratings"] == 5880
    assert differences(before, report_of(back)) == []
    assert Rating.objects.filter(free_text='\'=1+1 ,\n"too" hard', active_ms=4200).exists()
    assert back.batches.filter(kind="pilot").count() == 1


def test_ratings_without_texts_come_back(db: None, come_back, tmp_path: Path) -> None:
    study = StudyFactory(protocol_version=builtin("three-point-coherence-1.0"))
    path = tmp_path / "ratings.csv"
    with gzip.open(SWITCHBOARD) as file:
        path.write_bytes(b"".join(islice(file, 4_000)))
    load_ratings(study, path, create_missing=True)
    before = report_of(study)
    back = come_back(study)
    assert differences(before, report_of(back)) == []
    assert back.dialogues.filter(is_textless=True).count() == back.dialogues.count() > 0


def test_several_choices_and_marked_turns_come_back(diqad: Work, come_back) -> None:
    before = report_of(diqad.study)
    answers = Rating.objects.exclude(choices=[]).count(), Rating.objects.exclude(turns=[]).count()
    back = come_back(diqad.study)
    assert differences(before, report_of(back)) == []
    assert (Rating.objects.exclude(choices=[]).count(), Rating.objects.exclude(turns=[]).count()) == answers
    assert min(answers) > 0


def test_who_asks_comes_back(diqad: Work, come_back) -> None:
    first = diqad.items("dialogue")[0].dialogue
    Dialogue.objects.filter(pk=first.pk).update(asker="B")
    study = come_back(diqad.study)
    assert study.dialogues.get(key=first.key).asker == "B"
    assert set(study.dialogues.exclude(key=first.key).values_list("asker", flat=True)) == {"A"}


def test_candidate_sets_and_computed_answers_come_back(db: None, come_back) -> None:
    work = Work("persona-quality-1.0", n_dialogues=2, n_sources=2)
    for at, criterion in enumerate(work.spec.criteria):
        if criterion.is_asked:
            for item in work.items(criterion.unit):
                work.answer(item, criterion.key, criterion.options[at % len(criterion.options)].key)
    n_computed = Rating.objects.filter(criterion__kind="computed", is_active=True).count()
    before, items = report_of(work.study), units_and_sizes(work.study)
    back = come_back(work.study)
    assert differences(before, report_of(back)) == []
    assert units_and_sizes(back) == items
    assert Rating.objects.filter(criterion__kind="computed").count() == n_computed > 0


def units_and_sizes(study: Study) -> list[tuple[str, int]]:
    rows = Item.objects.filter(batch__study=study).values_list("unit", "shown")
    return sorted((unit, len(shown)) for unit, shown in rows)


def leave_out(participant: Participant) -> None:
    Participant.objects.filter(pk=participant.pk).update(status=Participant.Status.EXCLUDED)
    with transaction.atomic():
        release_seats(participant, Assignment.Status.EXCLUDED)


def test_what_did_not_count_stays_out_and_is_said(he_study: Study, come_back, written: Written, tmp_path: Path) -> None:
    excluded = he_study.participants.order_by("pk").first()
    leave_out(excluded)
    n_lost = Rating.objects.filter(assignment__participant=excluded).count()
    before = report_of(he_study)
    path = tmp_path / "archive.zip"
    path.write_bytes(written(he_study, "archive"))
    empty_the_database()
    back, summary = import_archive(path, owner=None, now=timezone.now())
    assert differences(before, report_of(back)) == []
    assert summary.notes == [f"{n_lost} answers that did not count were left out."]
    assert back.participants.get(pseudonym=excluded.pseudonym).status == Participant.Status.EXCLUDED


def test_a_study_nobody_has_rated_comes_back_with_its_batches(cast, come_back) -> None:
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"))
    load(study, HE_DIALOGUES)
    make_batches(study, by="given", now=NOW)
    keys = list(study.batches.values_list("key", "n_items"))
    back = come_back(study)
    assert list(back.batches.values_list("key", "n_items")) == keys
    assert back.dialogues.count() == 42


def test_speakers_of_responses_come_back(db: None, come_back) -> None:
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"))
    load(study, HE_DIALOGUES)
    first = Candidate.objects.filter(dialogue__study=study).earliest("pk")
    Candidate.objects.filter(pk=first.pk).update(speaker="Carla")
    before = speakers_of(study)
    assert speakers_of(come_back(study)) == before
    assert {speaker for _, _, speaker in before} > {"Carla"}


def speakers_of(study: Study) -> set[tuple[str, str, str]]:
    return set(Candidate.objects.filter(dialogue__study=study).values_list("dialogue__key", "key", "speaker"))


@pytest.fixture(scope="module")
def he_archive(make_shared_he_study: Callable[[], Study], django_db_blocker: DjangoDbBlocker) -> bytes:
    file = io.BytesIO()
    with django_db_blocker.unblock():
        write_export(make_shared_he_study(), "archive", {}, file)
    return file.getvalue()


def test_each_file_is_named_with_its_hash(he_archive: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(he_archive)) as archive:
        readme = archive.read("README.txt").decode()
        names = set(archive.namelist()) - {"README.txt"}
        assert {"ratings.csv", "dialogues.jsonl", "protocol.yaml", "settings.json"} < names
        for name in names:
            assert f"{name}\n" in readme
            assert hashlib.sha256(archive.read(name)).hexdigest() in readme


def test_the_same_study_gives_the_same_bytes(he_study: Study, he_archive: bytes, written: Written) -> None:
    assert written(he_study, "archive") == he_archive


def test_dialogues_and_ratings_of_an_archive_are_read_by_the_pages_imports(
    he_study: Study, he_archive: bytes, tmp_path: Path
) -> None:
    with zipfile.ZipFile(io.BytesIO(he_archive)) as archive:
        archive.extractall(tmp_path)
    copy = StudyFactory(protocol_version=he_study.protocol_version, seats=7)
    load(copy, tmp_path / "dialogues.jsonl")
    load_ratings(copy, tmp_path / "ratings.csv")
    same = ("agreement", "agreement_overall", "majority", "votes", "errors", "pairs", "batches")
    before, after = report_of(he_study), report_of(copy)
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert load_ratings(copy, tmp_path / "ratings.csv").counts["ratings_new"] == 0
    digests = set(copy.dialogues.values_list("digest", flat=True))
    assert digests == set(he_study.dialogues.values_list("digest", flat=True))


@pytest.mark.parametrize("name", ["ratings.csv", "items.csv", "protocol.yaml", "dialogues.jsonl"])
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
def test_a_changed_archive_is_refused_whole(
    he_study: Study, he_archive: bytes, tmp_path: Path, name: str, content: bytes | None
) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(changed(he_archive, name, content))
    n_studies = Study.objects.count()
    with pytest.raises(ImportRejected):
        import_archive(path, slug="copy", owner=None, now=timezone.now())
    assert Study.objects.count() == n_studies


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("items.csv", lambda text: text.replace("response", "nothing", 1)),
        ("items.csv", lambda text: text + "nowhere,response,1,t,d,s,i,\r\n"),
        ("assignments.csv", lambda text: text.replace("submitted", "asleep", 1)),
        ("annotators.csv", lambda text: text.replace("cleared", "crowned", 1)),
        ("annotators.csv", lambda text: text.replace("annotator,", "who,", 1)),
        ("ids.csv", lambda text: text + "d,i,nobody\r\n"),
        ("ratings.csv", lambda text: text.replace("appropriateness", "charm", 1)),
    ],
)
def test_an_archive_that_contradicts_itself_is_refused_whole(
    he_study: Study, he_archive: bytes, tmp_path: Path, name: str, change: Callable[[str], str]
) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(with_file(he_archive, name, change))
    counts = Study.objects.count(), Dialogue.objects.count(), Batch.objects.count()
    with pytest.raises(ImportRejected):
        import_archive(path, slug="copy", owner=None, now=timezone.now())
    assert (Study.objects.count(), Dialogue.objects.count(), Batch.objects.count()) == counts


def test_a_taken_slug_is_refused_and_another_one_can_be_chosen(he_study: Study, tmp_path: Path, capsys) -> None:
    User.objects.create_superuser("root")
    path = tmp_path / "he.zip"
    call_command("export_study", he_study.slug, output=path)
    with pytest.raises(CommandError, match="1 error"):
        call_command("import_study", path)
    call_command("import_study", path, slug="copy", dry_run=True)
    assert not Study.objects.filter(slug="copy").exists()
    call_command("import_study", path, slug="copy")
    assert "ratings new: 5,880" in capsys.readouterr().out
    assert Study.objects.get(slug="copy").memberships.get().user.username == "root"


def test_an_export_that_breaks_leaves_the_file_of_before_and_no_part_of_a_new_one(
    he_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "he.zip"
    call_command("export_study", he_study.slug, output=path)
    before = path.read_bytes()

    def break_off(_study: Study, _format: str, _options: object, file: IO[bytes]) -> None:
        file.write(b"begun")
        raise ValueError("broken")

    monkeypatch.setattr("reporting.management.commands.export_study.write_export", break_off)
    with pytest.raises(ValueError, match="broken"):
        call_command("export_study", he_study.slug, output=path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["he.zip"]


def test_an_archive_holds_no_account_names(rated, written: Written) -> None:
    data = written(rated.study, "archive")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    for annotator in rated.annotators:
        assert annotator.pseudonym in everything
        assert annotator.user.username not in everything
        assert annotator.user.email not in everything or not annotator.user.email


def test_a_pseudonym_like_a_formula_comes_back_as_it_was(he_study: Study, written: Written, tmp_path: Path) -> None:
    person = he_study.participants.order_by("pk").first()
    Participant.objects.filter(pk=person.pk).update(pseudonym="'-1+1")
    data = written(he_study, "long-csv")
    names = {row["annotator"] for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig")))}
    assert "''-1+1" in names
    path = tmp_path / "ratings.csv"
    path.write_bytes(data)
    copy = StudyFactory(protocol_version=he_study.protocol_version)
    load(copy, HE_DIALOGUES)
    import_ratings(copy, path, now=timezone.now())
    assert copy.participants.filter(pseudonym="'-1+1").exists()


def test_work_that_holds_no_seat_comes_back_without_one(he_study: Study, come_back) -> None:
    batch = he_study.batches.first()
    person = ParticipantFactory(study=he_study, pseudonym="late")
    Assignment.objects.create(
        batch=batch, participant=person, status="expired", claimed_at=NOW, feedback="I had to stop."
    )
    before = report_of(he_study)
    back = come_back(he_study)
    assert differences(before, report_of(back)) == []
    assert "I had to stop." in {row["comment"] for row in before["comments"]}
    assert not Assignment.objects.get(participant__pseudonym="late").batch.seats.filter(
        assignment__participant__pseudonym="late"
    )


def test_marks_come_back_with_what_was_decided_about_them(diqad: Work, come_back) -> None:
    item, other = diqad.items("dialogue")[:2]
    flag(diqad.assignment, item, "other", '=An "advert",\nreally')
    be_unsure(diqad.assignment, other)
    settle_flagged_item(item, note="Left in.", upto=10**6, by=UserFactory(), now=NOW)
    flag(diqad.assignment, other, "broken")
    take_back(diqad.assignment, other)
    before, marks = report_of(diqad.study), marks_now()
    back = come_back(diqad.study)
    assert differences(before, report_of(back)) == []
    assert before["flags"][0]["reason"] == "other"
    assert (marks_now(), len(marks)) == (marks, 2)


def marks_now() -> list[tuple]:
    names = ("is_unsure", "unsure_at", "reason", "words", "flagged_at", "seen_at", "seen_note")
    return list(ItemMark.objects.order_by("item__dialogue__key").values_list("item__dialogue__key", *names))


def test_a_study_without_marks_has_no_file_of_them(rated: Cast, written: Written) -> None:
    with zipfile.ZipFile(io.BytesIO(written(rated.study, "archive"))) as archive:
        assert "marks.csv" not in archive.namelist()
