"""Preferences collected elsewhere: two sources of a dialogue, and which of them won."""

import json
from collections import Counter
from typing import Any

import pytest

from annotation.importing import ImportRejected
from annotation.models import IdenticalPair, Item, Rating, Study
from annotation.services.claiming import claim_seat
from protocols.models import ProtocolVersion
from protocols.services import store_bundle
from tests.annotation.importing.conftest import NOW, Write, builtin, errors_of, load_ratings
from tests.comparing import COMPARED, deal, make_study
from tests.factories import StudyFactory, make_annotator

pytestmark = pytest.mark.django_db
OPTIONS = COMPARED["criteria"][0]["options"]
HEADER = "dialogue,left,right,winner,annotator"


def stored(study: Study) -> Counter:
    """Who prefers what, by the sources in the order that is stored."""
    found: Counter = Counter()
    names = dict(study.sources.values_list("candidates", "key"))
    for rating in Rating.objects.select_related("item__dialogue", "option", "assignment__participant"):
        pair = "".join(names[pk][-1] for pk in rating.item.shown)
        found[rating.item.dialogue.key, pair, rating.option.key, rating.assignment.participant.pseudonym] += 1
    return found


def version_with(options: list[dict[str, Any]]) -> ProtocolVersion:
    criterion = COMPARED["criteria"][0] | {"options": options, "examples": []}
    return store_bundle(COMPARED | {"protocol": "own", "criteria": [criterion]}, publish=True, now=NOW)[0]


def test_preferences_are_stored_for_the_candidates_whatever_side_they_are_on(write: Write) -> None:
    study = make_study(2, 3)
    path = write(
        HEADER,
        "d0,model-a,model-b,left,r1",
        "d0,model-b,model-a,left,r2",
        "d0,model-b,model-a,much-right,r3",
        "d1,model-c,model-a,Much better on the left,r1",
        "d1,model-b,model-c,tie,r1",
        "d1,model-b,model-c,tie (bothbad),r2",
    )
    summary = load_ratings(study, path)
    assert stored(study) == {
        ("d0", "ab", "left", "r1"): 1,
        ("d0", "ab", "right", "r2"): 1,
        ("d0", "ab", "much-left", "r3"): 1,
        ("d1", "ac", "much-right", "r1"): 1,
        ("d1", "bc", "equal", "r1"): 1,
        ("d1", "bc", "bad", "r2"): 1,
    }
    assert (summary.counts["ratings_new"], summary.counts["items_new"], summary.counts["batches_new"]) == (6, 3, 1)
    batch = study.batches.get()
    assert (batch.key, batch.n_items) == ("imported", 3)
    assert list(batch.items.order_by("position").values_list("position", "unit")) == [
        (1, "comparison"), (2, "comparison"), (2, "comparison"),
    ]  # fmt: skip
    again = load_ratings(study, path)
    assert (again.counts["ratings_new"], again.counts["ratings_unchanged"], again.counts["items_new"]) == (0, 6, 0)


def test_the_words_of_arena_files_are_known(write: Write) -> None:
    study = make_study(1, 3, version=version_with([each for each in OPTIONS if not each["key"].startswith("much")]))
    said = ("model_a", "model_b", "tie", "tie (bothbad)", "model-c")
    rows = [
        {"question_id": "d0", "model_a": "model-c", "model_b": "model-a", "winner": winner, "judge": f"r{at}"}
        for at, winner in enumerate(said)
    ]
    load_ratings(study, write(*rows), columns={"dialogue": "question_id", "annotator": "judge", "value": "winner"})
    assert [key[2] for key in sorted(stored(study), key=lambda key: key[3])] == [
        "right",
        "left",
        "equal",
        "bad",
        "right",
    ]


def test_preferences_go_to_the_comparisons_that_were_dealt(write: Write) -> None:
    study = make_study(2, 3)
    (batch,) = deal(study, repeat_percent=50)
    claim_seat(make_annotator(study, "anna"), batch, now=NOW)
    n_items = Item.objects.count()
    summary = load_ratings(study, write(HEADER, "d0,model-b,model-a,right,r1", "d1,model-a,model-c,right,r1"))
    assert (summary.counts["items_new"], summary.counts["batches_new"], Item.objects.count()) == (0, 0, n_items)
    assert stored(study) == {("d0", "ab", "left", "r1"): 1, ("d1", "ac", "right", "r1"): 1}
    assert not Rating.objects.filter(item__is_check=True).exists()


def test_a_pair_that_an_open_batch_lacks_is_refused(write: Write) -> None:
    study = make_study(2, 3)
    (batch,) = deal(study, n_pairs=1)
    shown = set(batch.items.get(dialogue__key="d0").shown)
    lacking = next(
        pair for pair in ("ab", "ac", "bc")
        if {each.pk for each in study.dialogues.get(key="d0").candidates.all() if each.key[-1] in pair} != shown
    )  # fmt: skip
    row = f"d0,model-{lacking[0]},model-{lacking[1]},left,r1,{batch.key}"
    errors = errors_of(load_ratings, study, write(HEADER + ",batch", row))
    assert [(line, field) for line, field, _ in errors] == [(2, "batch")]


def test_each_question_may_have_a_column(write: Write) -> None:
    version = builtin("acute-eval-1.0")
    study = make_study(1, 2, version=version)
    keys = [criterion.key for criterion in version.criteria.order_by("position")]
    header = ",".join(["dialogue", "left", "right", "annotator", *keys])
    load_ratings(study, write(header, "d0,model-b,model-a,r1,left,right,model-b,model-a"))
    found = dict(Rating.objects.values_list("criterion__key", "option__role"))
    assert found == dict(zip(keys, ("right", "left", "right", "left"), strict=True))
    errors = errors_of(load_ratings, study, write(header, "d0,model-a,model-b,r2,tie,left,left,right"))
    reason = f"{keys[0]} has no answer for 'tie': leave these rows out, or use a protocol that has it"
    assert errors == [(2, keys[0], reason)]


def test_reasons_are_those_of_the_side_they_speak_of(write: Write) -> None:
    reasons = [{"key": "clear", "text": "It is clearer.", "sub_dimension": "Clarity"}]
    shared = {"asks": "explanation", "explanations": reasons}
    sides = [{"key": side, "label": f"The {side}", "role": side} | shared for side in ("left", "right")]
    study = make_study(1, 2, version=version_with(sides))
    load_ratings(study, write(HEADER + ",explanations", "d0,model-b,model-a,left,r1,clear"))
    rating = Rating.objects.select_related("option").get()
    assert rating.option.key == "right"
    assert rating.explanations == [rating.option.explanations.get(key="clear").pk]


def test_what_the_study_lacks_is_created_if_asked_for(write: Write) -> None:
    study = StudyFactory(protocol_version=make_study(0, 0).protocol_version)
    path = write(HEADER, "q1,gpt,llama,left,r1", "q1,llama,mistral,left,r1", "q2,gpt,llama,tie,r1")
    errors = errors_of(load_ratings, study, path)
    assert errors[0] == (2, "dialogue", "'q1' is not in the study: import it first, or use --create-missing")
    counts = load_ratings(study, path, create_missing=True).counts
    assert (counts["dialogues_new"], counts["sources_new"], counts["candidates_new"]) == (2, 3, 5)
    assert (counts["items_new"], counts["ratings_new"]) == (3, 3)
    assert list(study.sources.order_by("position").values_list("key", flat=True)) == ["gpt", "llama", "mistral"]


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ("d0,model-a,model-x,left,r1", "right", "'model-x' has no response to the dialogue 'd0': import it first"),
        ("d0,model-x,model-a,left,r1", "left", "'model-x' has no response to the dialogue 'd0': import it first"),
        ("d9,model-a,model-b,left,r1", "dialogue", "'d9' is not in the study: import it first"),
        ("d0,model-a,model-a,left,r1", "right", "is 'model-a' like the other side: compare two sources"),
        ("d0,model-a,,left,r1", "right", "is empty: name the source of this side"),
        (",model-a,model-b,left,r1", "dialogue", "is empty: name the dialogue whose responses are compared"),
        ("d0,model-a,model-b,model-c,r1", "value", "'model-c' is not an answer to better: use Much better on the left"),
        ("d0,model-a,model-b,left,", "annotator", "is empty: name the annotator"),
    ],
)
def test_a_wrong_row_is_named_with_its_field_and_nothing_is_stored(
    write: Write, row: str, field: str, reason: str
) -> None:
    study = make_study(1, 3)
    errors = errors_of(load_ratings, study, write(HEADER, "d0,model-a,model-b,left,r1", row))
    assert [(line, name) for line, name, _ in errors] == [(3, field)]
    assert reason in errors[0][2]
    assert not Rating.objects.exists()
    assert not study.batches.exists()


def test_a_word_that_may_be_two_answers_is_refused(write: Write) -> None:
    study = make_study(1, 2, version=version_with([each | {"key": f"o{at}"} for at, each in enumerate(OPTIONS)]))
    errors = errors_of(load_ratings, study, write(HEADER, "d0,model-a,model-b,left,r1"))
    assert errors == [(2, "value", "'left' may be Much better on the left or Better on the left: write which")]


def test_the_same_pair_twice_by_one_annotator_is_refused_on_either_side(write: Write) -> None:
    study = make_study(1, 2)
    rows = ("d0,model-a,model-b,left,r1", "d0,model-b,model-a,right,r1")
    errors = errors_of(load_ratings, study, write(HEADER, *rows))
    assert errors == [(3, "", "repeats line 2: same annotator, item and criterion")]


def test_a_source_with_several_candidates_is_refused(write: Write) -> None:
    study = make_study(1, 2)
    dialogue, source = study.dialogues.get(), study.sources.get(key="model-b")
    dialogue.candidates.create(source=source, key="b-2", text="Another.")
    errors = errors_of(load_ratings, study, write(HEADER, "d0,model-a,model-b,left,r1"))
    assert [(line, field) for line, field, _ in errors] == [(2, "right")]
    assert "has several candidates from 'model-b'" in errors[0][2]


def test_a_file_without_sides_says_how_to_name_them(write: Write) -> None:
    study = make_study(1, 2)
    errors = errors_of(load_ratings, study, write("dialogue,one,two,winner,annotator", "d0,model-a,model-b,left,r1"))
    ((line, field, text),) = errors
    assert (line, field) == (1, "left and right")
    assert "left, left_source, left_model, source_a, model_a, system_a or first_source for left; right, " in text
    assert "the file has: dialogue, one, two, winner, annotator" in text
    assert text.endswith("name the column with --map left=COLUMN,right=COLUMN")
    labels = write(json.dumps({"dialogue": "d0", "label": "left"}))
    assert "name the field winner" in errors_of(load_ratings, study, labels)[0][2]


def test_identical_texts_may_have_been_compared_elsewhere(write: Write) -> None:
    study = make_study(1, 2)
    study.dialogues.get().candidates.update(text="The same.")
    assert load_ratings(study, write(HEADER, "d0,model-a,model-b,tie,r1")).counts["ratings_new"] == 1
    assert not IdenticalPair.objects.exists()


def test_all_that_is_wrong_is_listed_at_once_with_every_line(write: Write) -> None:
    study = make_study(2, 2)
    make_annotator(study, "anna", pseudonym="anna")
    rows = (
        "d0,model-a,model-b,left,r1",
        "d0,model-a,model-b,perhaps,",
        "d9,model-a,model-b,left,r1",
        "d1,model-a,model-x,left,r1",
        "d1,model-a,model-x,right,r2",
        "d1,model-a,model-a,left,r1",
        "d1,model-a,model-b,left,anna",
        "d0,model-b,model-a,left,r1",
    )
    errors = errors_of(load_ratings, study, write(HEADER, *rows))
    assert [(line, field) for line, field, _reason in errors] == [
        (3, "annotator"), (3, "value"), (4, "dialogue"), (5, "right"), (6, "right"), (7, "right"), (8, "annotator"),
        (9, ""),
    ]  # fmt: skip
    assert errors[3][2] == ("'model-x' has no response to the dialogue 'd1': import it first, or use --create-missing")
    assert not Rating.objects.exists()
    assert not study.participants.filter(is_imported=True).exists()


def test_many_errors_of_one_kind_leave_room_for_the_others(write: Write) -> None:
    study = make_study(1, 2)
    wrong = [f"d0,model-a,model-b,perhaps,r{at}" for at in range(300)]
    with pytest.raises(ImportRejected) as refused:
        load_ratings(study, write(HEADER, *wrong, "d9,model-a,model-b,left,r1"))
    assert refused.value.n_errors == 301
    assert (refused.value.errors[-1].line, refused.value.errors[-1].field) == (302, "dialogue")
