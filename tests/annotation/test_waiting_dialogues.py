"""Dialogues that wait for a batch, and those that the protocol of the study has no question for."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from annotation.services.batching import make_batches
from tests.annotation.import_pages import lines
from tests.annotation.importing.conftest import load
from tests.factories import MembershipFactory, StudyFactory
from tests.factories_protocols import make_scale_version

pytestmark = pytest.mark.django_db
SAID = [("user", "Hi"), ("assistant", "Hello"), ("user", "And?"), ("assistant", "Well"), ("user", "Bye")]


def log(key: str, n: int = 5) -> dict:
    return {
        "id": key,
        "model": "m",
        "messages": [{"role": role, "content": f"{text} {key}"} for role, text in SAID[:n]],
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines(log("a"), log("b")))
    return path


def text_of(response) -> str:
    """What is to read on a page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


def study_with(unit: str, path: Path) -> Study:
    """A study of two conversations with two responses each, and the whole dialogues."""
    study = StudyFactory(slug="wellbeing", protocol_version=make_scale_version(1, unit=unit))
    load(study, path, transcript=True, with_dialogue=True)
    return study


def page_of(study: Study, name: str = "study_batches") -> str:
    return text_of(signed_in(study).get(reverse(name, args=[study.slug])))


def signed_in(study: Study) -> Client:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="researcher").user)
    return client


def deal(study: Study) -> str:
    given = {"kind": "main", "by": "size", "size": 10}
    return text_of(signed_in(study).post(reverse("study_batches", args=[study.slug]), given, follow=True))


def test_only_whole_dialogues_wait_where_the_protocol_asks_about_them(file: Path):
    study = study_with("dialogue", file)
    text = page_of(study)
    assert "Make batches 2 dialogues are not in a batch" in text
    assert "A batch counts dialogues: 2 dialogues are not in a batch." in text
    assert "Responses to rate:" not in text
    assert "The size counts" not in text
    left = "This protocol has no question for 4 dialogues: it asks about whole dialogues, and these are turns of them."
    assert left in text
    assert "The protocol has no question for 4 dialogues: see Batches." in page_of(study, "study")
    assert "1 batch has been made." in deal(study)
    again = deal(study)
    assert (
        "No batch was made: every dialogue that this protocol asks about is already in a batch of this kind (main-1)"
        in again
    )
    assert left in again
    assert "dialogues are not in a batch" not in again


def test_only_responses_wait_where_the_protocol_asks_about_them(file: Path):
    study = study_with("response", file)
    text = page_of(study)
    assert "4 dialogues are not in a batch" in text
    assert "This protocol has no question for 2 dialogues, which have no response to rate." in text
    make_batches(study, by="size", size=9, now=timezone.now())
    assert "not in a batch" not in page_of(study)


def test_a_chat_log_is_imported_without_its_turns(file: Path):
    study = StudyFactory(protocol_version=make_scale_version(1, unit="dialogue"))
    summary = load(study, file, transcript=True, with_dialogue=True, rate="none")
    assert list(study.dialogues.values_list("key", flat=True)) == ["a", "b"]
    assert not any("nobody rates the turns" in str(each) for each in summary.warnings)
    assert "This protocol has no question for" not in page_of(study)


def preview_of(study: Study, *logs: dict, **options: str) -> str:
    given = {"kind": "dialogues", "transcript": "on", "file": SimpleUploadedFile("log.jsonl", lines(*logs))} | options
    return text_of(signed_in(study).post(reverse("study_import_preview", args=[study.slug]), given))


def test_the_preview_shows_only_what_annotators_will_see():
    study = StudyFactory(slug="wellbeing", protocol_version=make_scale_version(1, unit="dialogue"))
    text = preview_of(study, log("a"), with_dialogue="on")
    assert "Page 1 of 1 a" in text
    assert "to be rated" not in text
    assert "This protocol has no question for 2 turns of this conversation, so annotators do not get them." in text
    assert "nobody rates the turns before the end. To leave them out, enter “none” as “Responses to rate”." in text
    assert "nobody rates the turns" not in preview_of(study, log("a"), with_dialogue="on", rate="none")


def test_none_of_the_responses_and_no_whole_dialogue_is_refused():
    study = StudyFactory(slug="wellbeing", protocol_version=make_scale_version(1, unit="dialogue"))
    text = preview_of(study, log("a"), rate="none")
    assert "is none, so nothing would be rated: tick “Rate the whole dialogue too, at the end”" in text


def test_responses_of_a_file_are_not_shown_where_whole_dialogues_are_rated():
    study = StudyFactory(slug="wellbeing", protocol_version=make_scale_version(1, unit="dialogue"))
    turns = [{"speaker": "A", "text": "How was the exam?"}]
    row = {"dialogue_id": "d", "history": turns, "candidates": [{"source": "m", "text": "What exam?"}]}
    text = preview_of(study, row, transcript="")
    assert "annotators do not see the responses of this file." in text
    assert "What exam?" not in text
