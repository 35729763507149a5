"""The preview of a file says what its import would say, as far as it was checked."""

import re

import pytest
from django.db import OperationalError
from django.test import Client

from annotation.importing import ratings
from annotation.models import Candidate, ImportJob, Participant, Rating
from annotation.services import rehearsing
from tests.annotation.import_pages import GOOD, lines, send
from tests.cast import Cast

pytestmark = pytest.mark.django_db
HEAD = "dialogue,source,annotator,criterion,value\n"
TURNS = [{"speaker": "A", "text": "What else?"}]
CHECKED = "The whole file was checked as the import does: no errors."


@pytest.fixture
def maker(client: Client, cast: Cast) -> Client:
    client.force_login(cast.researcher)
    return client


def previewed(client: Client, content: bytes | str, name: str = "d.jsonl", **form: str) -> str:
    sent = content.encode() if isinstance(content, str) else content
    text = send(client, sent, name, "study_import_preview", **form).content.decode()
    return re.sub(r"\s+", " ", text)


def rated(cast: Cast, n: int = 1, value: str = "Appropriate", who: str = "ann") -> str:
    """Rows about responses of the study."""
    each = Candidate.objects.filter(dialogue__study=cast.study).select_related("dialogue", "source").first()
    row = f"{each.dialogue.key},{each.source.key},{who}%d,appropriateness,{value}\n"
    return HEAD + "".join(row % number for number in range(n))


def test_a_file_without_errors_is_checked_as_a_whole_and_nothing_is_stored(cast: Cast, maker: Client) -> None:
    assert CHECKED in previewed(maker, rated(cast), "r.csv", kind="ratings")
    assert not Rating.objects.filter(assignment__is_imported=True).exists()
    assert not Participant.objects.filter(is_imported=True).exists()
    assert not ImportJob.objects.exists()


def test_a_dialogue_that_exists_with_another_text_is_named(cast: Cast, maker: Client) -> None:
    key = cast.study.dialogues.first().key
    text = previewed(maker, lines(GOOD, GOOD | {"dialogue_id": key, "history": TURNS}))
    assert f"Line 2, dialogue_id: &#x27;{key}&#x27; is already in the study with different turns" in text
    assert "The whole file was checked as the import does. With these errors, it stores nothing." in text


def test_an_answer_that_the_protocol_lacks_is_named(cast: Cast, maker: Client) -> None:
    text = previewed(maker, rated(cast, value="tie"), "r.csv", kind="ratings")
    assert re.search("Line 2, value: .*tie", text)
    assert "With these errors, it stores nothing." in text


def test_many_unknown_dialogues_are_counted_and_may_be_created(cast: Cast, maker: Client) -> None:
    rows = HEAD + "".join(f"d{n},human,ann,appropriateness,Appropriate\n" for n in range(1000, 1060))
    text = previewed(maker, rows, "r.csv", kind="ratings")
    assert text.count("is not in the study: import it first, or tick “Create what is missing”") == 1
    assert "Lines 2, 3, 4, 5, 6, … (60 rows), dialogue: for example, &#x27;d1000&#x27; is not in the study" in text
    assert "more error" not in text
    assert CHECKED in previewed(maker, rows, "r.csv", kind="ratings", create_missing="on")
    assert not cast.study.dialogues.filter(key="d1000").exists()


def test_predictions_are_checked_too(cast: Cast, maker: Client) -> None:
    rows = "dialogue,source,bleu\nd404,human,0.5\n"
    text = previewed(maker, rows, "p.csv", kind="predictions", metrics="bleu")
    assert re.search("Line 2, dialogue: .*d404.* is not", text)


def test_it_says_how_far_a_long_file_was_checked(cast: Cast, maker: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsing, "MOST_ROWS", 2)
    rows = rated(cast, n=2)
    assert CHECKED in previewed(maker, rows, "r.csv", kind="ratings")
    text = previewed(maker, rows + "d404,human,ann,appropriateness,Appropriate\n", "r.csv", kind="ratings")
    assert "The first 2 rows were checked as the import does, the rest was not." in text
    assert "d404 is not" not in text
    many = lines(*(GOOD | {"dialogue_id": f"new{n}"} for n in range(3)))
    assert "The first 2 dialogues were checked as the import does, the rest was not." in previewed(maker, many)


def test_a_beginning_of_a_file_has_no_error_of_the_cut(cast: Cast, maker: Client) -> None:
    text = previewed(maker, rated(cast, n=3) + "d404,hum", "r.csv", kind="ratings", is_part="on")
    assert "The first 3 rows were checked as the import does, the rest was not." in text
    assert 'class="field-error"' not in text


def test_a_cut_table_of_scattered_responses_is_not_compared(cast: Cast, maker: Client) -> None:
    table = "id,prompt,response,model\nd1,Hi,Ho,a\n"
    text = previewed(maker, table, "t.csv", is_part="on")
    assert "Only the beginning of the file was looked at. The import also compares it with the study." in text
    assert CHECKED in previewed(maker, table.replace("d1", "d77"), "t.csv")


def test_a_preview_does_not_wait_for_another_import(cast: Cast, maker: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(_study: object) -> None:
        raise OperationalError("canceling statement due to lock timeout")

    monkeypatch.setattr(ratings, "lock_study", wait)
    text = previewed(maker, rated(cast), "r.csv", kind="ratings")
    assert "Another import is running, so the file was not compared with the study." in text
