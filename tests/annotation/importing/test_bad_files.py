"""Whatever a file holds: a reason with its line, and nothing half imported."""

import gzip
import json
import resource
from pathlib import Path

import pytest

from annotation.importing import ImportRejected, files, outcome
from annotation.models import Dialogue, Study
from tests.annotation.importing.conftest import HE_DIALOGUES, Write, dialogue, errors_of, load

TURN = {"speaker": "A", "text": "Hi"}


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ("{", "", "is not JSON"),
        ("[1]", "", "must be one object {...}, not a list"),
        ('{"prompt": {"0": "Hi"}, "response": {"0": "Ho"}}', "", 'to_json(path, orient="records")'),
        (dialogue(history="Hi"), "history", "must be a list, not text"),
        (dialogue(history=[]), "history", "is an empty list"),
        (dialogue(history=None), "history", "is missing"),
        (dialogue(history=["Hi", TURN]), "history[0]", "must be an object, not text"),
        (dialogue(history=[TURN, {"speaker": "B"}]), "history[1].text", "is missing"),
        (dialogue(history=[{"speaker": "A", "text": 5}]), "history[0].text", "must be text, not a number"),
        (dialogue(history=[{"speaker": "A", "text": " \n"}]), "history[0].text", "is empty"),
        (dialogue(history=[{"text": "Hi"}]), "history[0].speaker", "must name the speaker"),
        (dialogue(candidates=None), "candidates", "is missing"),
        (dialogue(candidates=[]), "candidates", "is an empty list"),
        (dialogue(candidates=[{"text": "Yes."}]), "candidates[0].source", "is missing"),
        (dialogue(candidates=[{"source": "a"}]), "candidates[0].text", "is missing"),
        (dialogue(candidates=[{"source": "a", "text": True}]), "candidates[0].text", "must be text, not true or false"),
        (
            dialogue(candidates=[{"source": ["a"], "text": "x"}]),
            "candidates[0].source",
            "must be text or a whole number, not a list",
        ),
        (dialogue(candidates=[{"source": "a" * 101, "text": "x"}]), "candidates[0].source", "longer than 100"),
        (dialogue(["d1"]), "dialogue_id", "must be text or a whole number"),
        (dialogue(1.5), "dialogue_id", "must be text or a whole number"),
        (dialogue("d" * 201), "dialogue_id", "longer than 200"),
        (dialogue(batch="b" * 101), "batch", "longer than 100"),
        (dialogue(history=[{"speaker": "A", "text": "a\x00b"}]), "history[0].text", "NUL"),
        (dialogue(topic={"deep": ["\x00"]}), "metadata", "NUL"),
        (dialogue("a\x00"), "dialogue_id", "NUL"),
    ],
)
def test_a_wrong_value_is_named(study: Study, write: Write, line: object, field: str, reason: str) -> None:
    errors = errors_of(load, study, write(dialogue("good"), line))
    assert [(at, name) for at, name, _ in errors] == [(2, field)]
    assert reason in errors[0][2]
    assert not Dialogue.objects.exists()


def test_a_table_by_columns_is_told_how_pandas_writes_rows(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write({"prompt": {"0": "Hi", "1": "Yo"}, "response": {"0": "Ho", "1": "So"}}))
    assert [(line, field) for line, field, _ in errors] == [(1, "")]
    assert 'with to_json(path, orient="records")' in errors[0][2]


def test_a_written_backslash_u0000_is_no_nul_character(study: Study, write: Write) -> None:
    load(study, write(dialogue(topic=r"the text \u0000 itself")))
    assert study.dialogues.get().metadata["topic"] == r"the text \u0000 itself"


def test_a_lone_surrogate_is_refused(study: Study, write: Write) -> None:
    line = json.dumps(dialogue()).replace("Tired", r"\ud800")
    assert "is not JSON" in errors_of(load, study, write(dialogue("good"), line))[0][2]


def test_metadata_nested_too_deep_to_store_is_refused(study: Study, write: Write) -> None:
    line = json.dumps(dialogue(topic="DEEP")).replace('"DEEP"', "[" * 400 + "]" * 400)
    assert errors_of(load, study, write(line))[0][1] == "metadata"


def test_bytes_that_are_not_utf_8_are_refused_in_json_and_csv(study: Study, write: Write) -> None:
    line = json.dumps(dialogue()).encode().replace(b"Tired", b"M\xfcde")
    assert errors_of(load, study, write(dialogue("good"), line))[0][0] == 2
    table = write(b"prompt,machine_completion\nHi,One\nM\xfcde,Two", name="a.csv")
    assert errors_of(load, study, table) == [(3, "", "is not UTF-8 (byte 2): save the file as UTF-8")]


def test_a_nul_in_a_table_is_refused(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write("prompt,machine_completion\nHi\x00,One", name="a.csv"))
    assert (errors[0][:2], "NUL" in errors[0][2]) == ((2, "prompt"), True)


def test_utf_16_that_breaks_off_within_a_character_is_refused(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write("id,prompt,completion\nd,Hi,Ho\n".encode("utf-16")))  # and one byte
    assert errors == [(3, "", "is not UTF-16, although the file begins as such: save the file as UTF-8")]


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_said_to_be_empty(study: Study, write: Write, content: bytes) -> None:
    path = write()
    path.write_bytes(content)
    assert errors_of(load, study, path) == [(0, "", "the file is empty")]


def test_a_header_alone_holds_no_dialogues(study: Study, write: Write) -> None:
    assert errors_of(load, study, write("prompt,machine_completion")) == [(0, "", "the file contains no dialogues")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[\n{}\n]", "no list of turns found"),
        ('{"text": "Hi"}', "no list of turns found (history, messages, utterances, turns"),
        ("id,text\n1,Hi", "no column with the dialogue so far, or with its last turn; columns not used yet: text"),
        ("what is this", "is neither a table with several columns nor JSON Lines. The first line is: 'what is this'"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_what_it_looks_like(
    study: Study, write: Write, content: str, reason: str
) -> None:
    assert reason in errors_of(load, study, write(content))[0][2]


def test_an_unknown_format_is_refused_with_the_known_ones(study: Study) -> None:
    line, field, reason = errors_of(load, study, HE_DIALOGUES, format="xml")[0]
    assert (line, field) == (0, "format")
    assert "jsonl-history, jsonl-messages, jsonl-utterances, jsonl-turns, csv-prompts" in reason


def test_an_id_that_stands_twice_names_the_first_line(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write(dialogue("a"), dialogue("b"), dialogue("a", topic="x")))
    assert errors == [(3, "dialogue_id", "has the same id 'a' as line 1: each dialogue needs its own id")]


def test_equal_turns_without_ids_are_refused(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write(dialogue(None), dialogue(None)))
    assert "has no id and the same turns as line 1" in errors[0][2]


def test_a_candidate_id_that_stands_twice_is_refused(study: Study, write: Write) -> None:
    candidates = [{"id": "c", "source": "a", "text": "x"}, {"id": "c", "source": "b", "text": "y"}]
    errors = errors_of(load, study, write(dialogue(candidates=candidates)))
    assert errors == [(1, "candidates[1]", "repeats the id 'c' of an earlier candidate")]


def test_texts_taken_for_sources_are_noticed(study: Study, write: Write) -> None:
    lines = [dialogue(f"d{n}", candidates=[{"source": f"text {n}", "text": "x"}]) for n in range(201)]
    assert errors_of(load, study, write(*lines))[0][0] == 201


def test_a_line_without_end_is_not_read_into_memory(
    study: Study, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    path = write(dialogue("a"), "x" * 5000, dialogue("b"), '{"history": "')
    assert errors_of(load, study, path)[0][0] == 2


@pytest.mark.parametrize(
    "beginning", [b"id,prompt,completion\n", b"", b'[{"prompt": "Hi", "reply": "Ho"}, {"prompt": "', b'{"a": "']
)
def test_a_line_of_two_hundred_megabytes_is_refused_in_words(study: Study, tmp_path: Path, beginning: bytes) -> None:
    path = tmp_path / "long.gz"
    with gzip.open(path, "wb", 1) as file:
        file.write(beginning)
        for _ in range(200):
            file.write(b"x" * (1 << 20))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    errors = errors_of(load, study, path)
    assert any(said in errors[-1][2] for said in ("longer than 5 MB", "the file is empty"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024  # kilobytes


def test_two_hundred_errors_are_listed_and_the_rest_counted(study: Study, write: Write) -> None:
    with pytest.raises(ImportRejected) as refused:
        load(study, write(dialogue("good"), *["{"] * 250))
    assert len(refused.value.errors) == outcome.MOST_ERRORS == 200
    assert refused.value.n_errors == 250


def test_a_packed_file_that_is_cut_off_is_refused(study: Study, write: Write) -> None:
    packed = gzip.compress(HE_DIALOGUES.read_bytes())
    path = write()
    path.write_bytes(packed[: len(packed) // 2])
    assert "damaged or incomplete" in errors_of(load, study, path)[-1][2]
    assert not Dialogue.objects.exists()


def test_a_packed_file_that_unpacks_without_end_is_refused(
    study: Study, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_UNPACKED", 10_000)
    path = write()
    path.write_bytes(gzip.compress(HE_DIALOGUES.read_bytes()))
    assert "the file contains more than" in errors_of(load, study, path)[0][2]
