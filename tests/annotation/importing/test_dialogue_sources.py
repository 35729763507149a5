"""A whole dialogue may have a source and a scenario, in every file that can name them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.models import Dialogue, Item, Study
from annotation.services.batching import make_batches
from tests.annotation.importing.conftest import NOW, REPLACE, Write, dialogue, errors_of, load, load_ratings
from tests.factories import StudyFactory
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, make_scale_version, publish


def whole(key: str, **fields: object) -> dict:
    turns = [{"role": "user", "content": "Any tea?"}, {"role": "assistant", "content": f"Yes, {key}."}]
    return {"dialogue_id": key, "messages": turns, **fields}


@pytest.fixture(scope="module")
def make_whole_study(shared) -> Callable[[], Study]:
    return shared(lambda: StudyFactory(protocol_version=make_scale_version(1, unit="dialogue")))


@pytest.fixture
def study(make_whole_study: Callable[[], Study], db: None) -> Study:
    return make_whole_study()


def said(study: Study) -> list[tuple[str, str | None, str]]:
    return list(study.dialogues.order_by("key").values_list("key", "source__key", "scenario"))


def test_a_dialogue_names_its_model_and_its_scenario(study: Study, write: Write) -> None:
    summary = load(
        study, write(whole("a", model="m1", scenario="s"), whole("b", source="m2", scenario_id=7), whole("c"))
    )
    assert said(study) == [("a", "m1", "s"), ("b", "m2", "7"), ("c", None, "")]
    assert (summary.counts["dialogues_new"], summary.counts["sources_new"]) == (3, 2)
    assert not Dialogue.objects.exclude(metadata={}).exists()


def test_one_source_may_be_named_for_the_whole_file(study: Study, write: Write) -> None:
    load(study, write(whole("a"), whole("b", model="m2")), source="m1")
    assert said(study) == [("a", "m1", ""), ("b", "m2", "")]


def test_importing_twice_changes_nothing_and_another_source_is_refused(study: Study, write: Write) -> None:
    load(study, write(whole("a", model="m1", scenario="s")))
    again = load(study, write(whole("a", model="m1", scenario="s"), whole("b", model="m1")))
    assert (again.counts["dialogues_unchanged"], again.counts["dialogues_new"]) == (1, 1)
    errors = errors_of(load, study, write(whole("a", model="m3", scenario="t")))
    text = f"'a' is already in the study with different source and scenario: {REPLACE}"
    assert errors == [(1, "dialogue_id", text)]
    assert set(study.sources.values_list("key", flat=True)) == {"m1"}


def test_with_candidates_the_field_model_stays_metadata(study: Study, write: Write) -> None:
    load(study, write(dialogue("a", model="m1", scenario="s")))
    assert said(study) == [("a", None, "s")]
    assert study.dialogues.get().metadata == {"model": "m1"}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"messages": [{"role": "M1", "content": "Hi"}]}, "speaker"),
        ({"context": [{"title": "m1", "text": "Hi"}]}, "context"),
    ],
)
def test_a_source_that_annotators_would_read_is_refused(study: Study, write: Write, fields: dict, field: str) -> None:
    errors = errors_of(load, study, write(whole("a", model="m1") | fields))
    assert [(line, name) for line, name, _ in errors] == [(1, field)]
    assert "is the source of this dialogue, and annotators would see it" in errors[0][2]
    assert not study.dialogues.exists()


def test_turns_of_one_conversation_have_one_scenario(study: Study, write: Write) -> None:
    longer = whole("b")["messages"] + [{"role": "user", "content": "Thanks"}]
    lines = (
        {"dialogue_id": "a", "conversation": "c", "scenario": "s", "messages": longer[:1]},
        {"dialogue_id": "b", "conversation": "c", "scenario": "t", "messages": longer},
    )
    text = "'b' has the scenario 't' and 'a' of the same conversation 's': name one"
    assert errors_of(load, study, write(*lines)) == [(2, "scenario", text)]


def test_a_table_has_a_column_for_scenarios(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("dialogue_id,scenario,prompt,machine_completion\na,s,Hi,Yes?\n")
    load(study, path)
    assert said(study) == [("a", None, "s")]


def test_items_that_are_dealt_have_the_source(study: Study, write: Write) -> None:
    load(study, write(whole("a", model="m1"), whole("b")))
    make_batches(study, by="size", size=2, now=NOW)
    items = Item.objects.order_by("dialogue__key").values_list("unit", "source__key")
    assert list(items) == [("dialogue", "m1"), ("dialogue", None)]


def test_a_study_may_hold_responses_and_whole_dialogues(study: Study, write: Write) -> None:
    version = VersionFactory()
    for unit in ("response", "dialogue"):
        OptionFactory(criterion=CriterionFactory(version=version, unit=unit))
    study.protocol_version = publish(version)
    turns = [{"speaker": "user", "text": "Hi"}]
    answered = {"dialogue_id": "r", "utterances": turns, "candidates": [{"source": "m1", "text": "Yes?"}]}
    load(study, write(answered, {"dialogue_id": "w", "utterances": turns, "model": "m1"}))
    make_batches(study, by="size", size=2, now=NOW)
    items = Item.objects.order_by("dialogue__key", "unit").values_list("dialogue__key", "unit", "source__key")
    assert list(items) == [("r", "dialogue", None), ("r", "response", "m1"), ("w", "dialogue", "m1")]


def test_ratings_find_whole_dialogues_with_or_without_their_source(study: Study, write: Write) -> None:
    load(study, write(whole("a", model="m1"), whole("b", model="m2")))
    load_ratings(study, write("dialogue,annotator,value", "a,ann,3", "b,ann,5", name="r.csv"))
    assert set(Item.objects.values_list("dialogue__key", "source__key")) == {("a", "m1"), ("b", "m2")}
    named = write("dialogue,source,annotator,value", "a,m1,ann,3", "b,m2,ann,5", name="named.csv")
    assert load_ratings(study, named).counts["ratings_unchanged"] == 2
    wrong = write("dialogue,source,annotator,value", "a,m2,ann,3", name="wrong.csv")
    assert errors_of(load_ratings, study, wrong) == [
        (2, "source", "in the study, 'a' is from a source other than 'm2'")
    ]


def test_ratings_create_missing_dialogues_with_source_and_scenario(study: Study, write: Write) -> None:
    path = write("dialogue,model,scenario,annotator,value", "a,m1,s,ann,3", "b,m2,s,ann,5", name="r.csv")
    summary = load_ratings(study, path, create_missing=True)
    assert (summary.counts["dialogues_new"], summary.counts["sources_new"]) == (2, 2)
    assert said(study) == [("a", "m1", "s"), ("b", "m2", "s")]
