"""The data set in the manner of DiQAD, and the one for Label Studio."""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable

import pytest

from annotation.models import Dialogue, Study
from reporting.exports.diqad import deal_parts
from reporting.exports.options import ExportOptions
from tests.annotation.importing.conftest import HE_DIALOGUES, HE_RATINGS, builtin, load, load_ratings
from tests.cast import Cast
from tests.factories import StudyFactory
from tests.shipped import Work

Written = Callable[..., bytes]


def lines_of(data: bytes) -> list[dict]:
    return [json.loads(line) for line in data.splitlines()]


def test_each_dialogue_has_one_label_with_its_reasons_and_turns(diqad: Work, written: Written) -> None:
    one, two = lines_of(written(diqad.study, "diqad-jsonl"))
    assert (one["label"], one["reason"], one["turns"]) == (1, "incomplete#!#less proactive", "")
    turn = diqad.items("dialogue")[1].dialogue.turns[1]["text"]
    assert (two["label"], two["reason"], two["turns"]) == (2, "", f"2: {turn}")
    assert one["votes"] == {"1": 2, "0": 1}
    assert [each["text"] for each in one["utterances"]] == [
        t["text"] for t in diqad.items("dialogue")[0].dialogue.turns
    ]


def test_each_dialogue_says_who_asks(diqad: Work, written: Written) -> None:
    Dialogue.objects.update(asker="B")
    assert {line["asker"] for line in lines_of(written(diqad.study, "diqad-jsonl"))} == {"B"}
    assert {task["data"]["asker"] for task in json.loads(written(diqad.study, "label-studio"))} == {"B"}


def test_excluded_and_tied_items_are_left_out_and_counted(diqad: Work, written: Written) -> None:
    with zipfile.ZipFile(io.BytesIO(written(diqad.study, "diqad"))) as archive:
        readme = archive.read("README.txt").decode()
        n_lines = sum(len(archive.read(f"{part}.jsonl").splitlines()) for part in ("train", "validation", "test"))
    assert "left out: 1 excluded, 1 tied, 0 unrated" in readme
    assert "SHA-256 " + diqad.study.protocol_version.sha256 in readme
    assert f"seed {diqad.study.seed}" in readme
    assert n_lines == 2


def test_a_tie_goes_to_the_lower_answer_when_asked(diqad: Work, written: Written) -> None:
    lines = lines_of(written(diqad.study, "diqad-jsonl", ties="lower"))
    assert [line["label"] for line in lines] == [1, 2, 0]


def test_one_excluding_answer_against_one_other_leaves_the_item_out(db: None, written: Written) -> None:
    work = Work("diqad-1.0", n_dialogues=1).has_read_all()
    other = work.another("ben").has_read_all()
    for each, score in ((work, "2"), (other, "abandon")):
        each.answer(each.items("dialogue")[0], "score", score)
    assert lines_of(written(work.study, "diqad-jsonl")) == []


def test_a_separator_within_a_text_does_not_split_it(diqad: Work, written: Written) -> None:
    dialogue = diqad.items("dialogue")[1].dialogue
    dialogue.turns[1]["text"] = "one#!#two"
    dialogue.save()
    lines = lines_of(written(diqad.study, "diqad-jsonl"))
    assert lines[1]["turns"].split("#!#") == ["2: one# ! #two"]


@pytest.fixture
def he_study(db: None) -> Study:
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"), seats=7)
    load(study, HE_DIALOGUES)
    load_ratings(study, HE_RATINGS)
    return study


def test_parts_have_the_asked_sizes_and_keep_dialogues_together(he_study: Study, written: Written) -> None:
    lines = lines_of(written(he_study, "diqad-jsonl", criterion="listening", ties="lower", train=50, validation=25))
    parts: dict[str, set[str]] = {}
    for line in lines:
        parts.setdefault(line["dialogue"], set()).add(line["split"])
    assert len(lines) == 210
    assert all(len(found) == 1 for found in parts.values())
    assert Counter(next(iter(found)) for found in parts.values()) == {"train": 21, "validation": 10, "test": 11}


def test_the_same_seed_gives_the_same_parts_and_another_one_others(he_study: Study, written: Written) -> None:
    first, again, other = (written(he_study, "diqad-jsonl", seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert written(he_study, "diqad") == written(he_study, "diqad")


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 101])
@pytest.mark.parametrize(("train", "validation"), [(80, 10), (100, 0), (0, 0), (33, 33), (50, 50)])
def test_every_dialogue_is_in_one_part(n: int, train: int, validation: int) -> None:
    parts = deal_parts(n, ExportOptions(train=train, validation=validation), 7)
    assert len(parts) == n
    assert parts.count("train") == round(n * train / 100)


def test_label_studio_has_a_task_per_item_with_everybodys_annotations(rated: Cast, written: Written) -> None:
    tasks = json.loads(written(rated.study, "label-studio"))
    assert len(tasks) == 6
    assert {len(task["annotations"]) for task in tasks} == {3}
    annotation = tasks[0]["annotations"][0]
    assert annotation.keys() >= {"result", "completed_by", "lead_time", "was_cancelled", "ground_truth"}
    assert annotation["completed_by"] == rated.annotator.pseudonym
    assert annotation["result"][0] == {
        "from_name": "appropriateness", "to_name": "item", "type": "choices", "value": {"choices": ["Appropriate"]},
    }  # fmt: skip
    assert tasks[0]["data"]["response"]
    assert json.loads(written(StudyFactory(), "label-studio")) == []


@pytest.mark.django_db
def test_label_studio_has_the_history_of_each_response_of_a_model(written: Written) -> None:
    study = Work("persona-quality-1.0", n_dialogues=2, n_sources=1).study
    (task,) = (each["data"] for each in json.loads(written(study, "label-studio")) if each["data"]["unit"] == "model")
    assert len(task["responses"]) == 2
    assert task["histories"] == [dialogue.turns for dialogue in study.dialogues.all()]


def test_label_studio_marks_turns_by_their_place(diqad: Work, written: Written) -> None:
    tasks = json.loads(written(diqad.study, "label-studio"))
    results = [each for task in tasks for work in task["annotations"] for each in work["result"]]
    marked = [each for each in results if each["type"] == "paragraphlabels"]
    assert {(each["value"]["start"], each["from_name"]) for each in marked} == {("1", "support")}
