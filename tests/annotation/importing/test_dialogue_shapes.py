"""Every shape of dialogues becomes the same rows."""

import gzip
import json

import pytest

from annotation.importing.shapes import DIALOGUE_COLUMNS
from annotation.models import Candidate, Dialogue, Study
from tests.annotation.importing.conftest import DIQAD, HE_DIALOGUES, Write, dialogue, errors_of, load, parquet

TURNS = [{"speaker": "A", "text": "How are you?"}, {"speaker": "B", "text": "Tired."}]


def test_the_reference_study_is_imported_whole(study: Study) -> None:
    summary = load(study, HE_DIALOGUES)
    assert summary.format == "jsonl-history"
    assert summary.counts == {
        "dialogues_new": 42,
        "dialogues_unchanged": 0,
        "candidates_new": 210,
        "sources_new": 5,
    }
    sources = list(study.sources.values_list("key", "is_reference"))
    assert sources[0] == ("ground_truth", True)
    assert [is_reference for _, is_reference in sources[1:]] == [False] * 4
    assert list(study.dialogues.values_list("key", flat=True)) == [f"d{n:02}" for n in range(1, 43)]


def test_the_texts_in_the_database_are_those_of_the_file(study: Study) -> None:
    load(study, HE_DIALOGUES)
    for line in HE_DIALOGUES.read_text().splitlines():
        wanted = json.loads(line)
        stored = study.dialogues.get(key=wanted["dialogue_id"])
        assert stored.turns == wanted["history"]
        assert stored.batch_key == str(wanted["batch"])
        found = {(c.key, c.source.key, c.text) for c in stored.candidates.select_related("source")}
        assert found == {(c["candidate_id"], c["source"], c["text"]) for c in wanted["candidates"]}


def test_chat_messages_become_turns(study: Study, write: Write) -> None:
    messages = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hello!"}]
    path = write({"messages": messages, "candidates": [{"model": "m1", "content": "Bye."}], "topic": "greeting"})
    assert load(study, path).format == "jsonl-messages"
    stored = study.dialogues.get()
    assert stored.turns == [{"speaker": "user", "text": "Hello?"}, {"speaker": "assistant", "text": "Hello!"}]
    assert stored.metadata == {"topic": "greeting"}
    assert stored.candidates.get().source.key == "m1"


def test_messages_may_come_without_candidates(study: Study, write: Write) -> None:
    summary = load(study, write({"messages": [{"role": "user", "content": "Hello?"}]}))
    assert summary.counts["candidates_new"] == 0
    (warning,) = summary.warnings
    assert warning.page.startswith("Nothing can be rated: this protocol rates responses, and no dialogue has one.")


def test_utterances_keep_their_labels_as_metadata_and_the_summary_says_so(study: Study) -> None:
    summary = load(study, DIQAD)
    assert summary.format == "jsonl-utterances"
    assert summary.counts["dialogues_new"] == 100
    assert any("label, ratings, reason were stored with the dialogues" in note for note in summary.notes)
    first = json.loads(DIQAD.read_text().splitlines()[0])
    stored = study.dialogues.get(key=first["id"])
    assert stored.turns == first["utterances"]
    rest = {name: value for name, value in first.items() if name not in ("id", "utterances")}
    assert stored.metadata == rest


def test_a_packed_file_is_read_like_a_plain_one(study: Study, write: Write) -> None:
    path = write(name="anything.bin")
    path.write_bytes(gzip.compress(HE_DIALOGUES.read_bytes()))
    assert load(study, path).counts["dialogues_new"] == 42


def test_a_dialogue_without_an_id_gets_the_same_key_every_time(study: Study, write: Write) -> None:
    path = write(dialogue(None))
    load(study, path)
    assert study.dialogues.get().key.startswith("h-")
    assert load(study, path).counts["dialogues_unchanged"] == 1


def test_unknown_fields_are_kept_where_they_stood(study: Study, write: Write) -> None:
    line = dialogue(persona=["I like tea."], difficulty=3)
    line["candidates"][0]["nll"] = 2.5
    line["history"][0]["time"] = "09:30"
    load(study, write(line))
    stored = study.dialogues.get()
    assert stored.metadata == {"persona": ["I like tea."], "difficulty": 3, "turn_fields": [{"time": "09:30"}, {}]}
    assert stored.turns == TURNS
    assert stored.candidates.get(key="d1-gold").metadata == {"nll": 2.5}


def test_candidates_without_ids_are_named_after_their_source(study: Study, write: Write) -> None:
    candidates = [{"source": "bot", "text": "One."}, {"source": "bot", "text": "Two."}, {"source": "m", "text": "X"}]
    load(study, write(dialogue(candidates=candidates)))
    assert set(Candidate.objects.values_list("key", "text")) == {("bot", "One."), ("bot-2", "Two."), ("m", "X")}


@pytest.mark.parametrize("key", ["ground_truth", "Ground Truth", "reference", "human", "GOLD"])
def test_usual_names_of_the_ground_truth_are_known(study: Study, write: Write, key: str) -> None:
    load(study, write(dialogue(candidates=[{"source": key, "text": "Yes."}, {"source": "bot", "text": "No."}])))
    assert list(study.sources.filter(is_reference=True).values_list("key", flat=True)) == [key]


def test_a_named_reference_is_the_only_one(study: Study, write: Write) -> None:
    load(study, write(dialogue()), reference="bot")
    assert list(study.sources.filter(is_reference=True).values_list("key", flat=True)) == ["bot"]


def test_a_reference_nobody_wrote_is_refused(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write(dialogue()), reference="me")
    assert errors == [(0, "reference", "no source is named 'me': use ground_truth, bot")]


def test_a_written_backslash_n_stays_as_it_is_unless_asked_for(study: Study, write: Write) -> None:
    path = write(dialogue(history=[{"speaker": "A", "text": r"one\ntwo"}]))
    load(study, path)
    assert study.dialogues.get().turns[0]["text"] == r"one\ntwo"


def test_a_written_backslash_n_becomes_a_line_break_when_asked_for(study: Study, write: Write) -> None:
    candidates = [{"source": "bot", "text": r"three\nfour"}]
    load(study, write(dialogue(history=[{"speaker": "A", "text": r"one\ntwo"}], candidates=candidates)),
         unescape_newlines=True)  # fmt: skip
    assert study.dialogues.get().turns[0]["text"] == "one\ntwo"
    assert Candidate.objects.get().text == "three\nfour"


def test_every_character_arrives_as_it_was(study: Study, write: Write) -> None:
    text = 'tab\t quote" back\\slash \\N \\. 你好 🙂 \u2028 \x7f <b>&amp;'
    load(study, write(dialogue(key="k\t\\1", history=[{"speaker": "A", "text": text}],
                               candidates=[{"source": "b\\t", "text": text, "x": text}], note=text)))  # fmt: skip
    stored = study.dialogues.get(key="k\t\\1")
    candidate = stored.candidates.get()
    assert stored.turns[0]["text"] == candidate.text == candidate.metadata["x"] == stored.metadata["note"] == text
    assert candidate.source.key == "b\\t"


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm(study: Study, write: Write) -> None:
    lines = "\r\n".join(json.dumps(dialogue(key)) for key in ("a", "b"))
    load(study, write(b"\xef\xbb\xbf" + lines.encode() + b"\r\n\r\n"))
    assert set(Dialogue.objects.values_list("key", flat=True)) == {"a", "b"}


def test_turns_of_fifty_thousand_characters_are_kept(study: Study, write: Write) -> None:
    load(study, write(dialogue(history=[{"speaker": "A", "text": "x" * 50_000}])))
    assert len(study.dialogues.get().turns[0]["text"]) == 50_000


@pytest.mark.parametrize("name", DIALOGUE_COLUMNS)
def test_objects_and_tables_know_the_same_names_of_ids(study: Study, write: Write, tmp_path, name: str) -> None:
    messages = [[{"role": "user", "content": f"Hello {at}?"}] for at in range(2)]
    load(study, parquet(tmp_path / "a.parquet", **{name: ["q1", "q2"]}, messages=messages, model=["m1", "m1"]))
    load(study, write(f"{name},prompt,response", "t1,Hi,Ho", name="t.csv"))
    assert list(study.dialogues.values_list("key", flat=True)) == ["q1", "q2", "t1"]
