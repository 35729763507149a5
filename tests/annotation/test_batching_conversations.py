"""Dealing conversations: their turns stay together, in order, and show the same sources."""

from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest
from django.db.models import QuerySet

from annotation.models import Batch, Item, Source, Study
from annotation.services.batching import make_batches
from annotation.services.refusals import Refused
from tests.annotation.importing.conftest import NOW
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, make_scale_version, publish

pytestmark = pytest.mark.django_db
TURNS = [{"speaker": "AB"[at % 2], "text": f"turn {at}"} for at in range(9)]


def talk(study: Study, key: str, n: int, sources: Sequence[Source] = (), *, is_whole: bool = False) -> None:
    """Store a conversation of n answered turns, the last first; with `is_whole` also the dialogue as a whole."""
    if is_whole:
        make_turn(study, key, n, ())
    for at in reversed(range(n)):
        make_turn(study, key, at, sources)


def make_turn(study: Study, key: str, at: int, sources: Sequence[Source]) -> None:
    turns = TURNS[: 2 * at + 1] if sources else TURNS[: 2 * at]
    dialogue = DialogueFactory(
        study=study, key=f"{key}-{at}", turns=turns, conversation=key, position=study.dialogues.count()
    )
    for source in sources:
        CandidateFactory(dialogue=dialogue, source=source)


def places(batch: Batch) -> list[str]:
    """Return the keys of the dialogues in the order of the batch."""
    rows = batch.items.order_by("position").values_list("dialogue__key", flat=True)
    return list(dict.fromkeys(rows))


def test_turns_of_a_conversation_are_dealt_together_and_in_order() -> None:
    study = StudyFactory()
    source = SourceFactory(study=study)
    for key in "abcdef":
        talk(study, key, 3, [source])
    batches = make_batches(study, by="size", size=6, now=NOW)
    assert [batch.n_items for batch in batches] == [6, 6, 6]
    for batch in batches:
        keys = places(batch)
        assert [key[-1] for key in keys] == ["0", "1", "2"] * 2
        assert len({key[0] for key in keys}) == 2
    assert not make_batches(study, by="size", size=6, now=NOW)


@pytest.mark.parametrize("by", ["size", "stratified", "given"])
def test_later_turns_of_a_conversation_are_not_dealt_apart_from_it(by: str) -> None:
    study = StudyFactory()
    source = SourceFactory(study=study)
    talk(study, "a", 2, [source])
    study.dialogues.update(batch_key="x")
    (batch,) = make_batches(study, by="given", now=NOW)
    talk(study, "b", 2, [source])
    make_turn(study, "a", 2, [source])
    study.dialogues.update(batch_key="x")
    with pytest.raises(Refused) as refused:
        make_batches(study, by=by, size=2, field="n_turns", now=NOW)
    assert refused.value.message == (
        "1 dialogue is a turn of a conversation that a batch already holds: a-2, of x. Discard this batch if it is a "
        "draft, so that the conversation is dealt as a whole, or remove the dialogue under Dialogues and their use."
    )
    batch.delete()
    made = make_batches(study, by="size", size=3, now=NOW)
    assert sorted(map(places, made)) == [["a-0", "a-1", "a-2"], ["b-0", "b-1"]]


def test_a_conversation_that_a_pilot_showed_in_part_is_not_fresh() -> None:
    study = StudyFactory()
    source = SourceFactory(study=study)
    talk(study, "a", 1, [source])
    make_batches(study, by="size", size=1, kind="pilot", now=NOW)
    make_turn(study, "a", 1, [source])
    talk(study, "b", 2, [source])
    (batch,) = make_batches(study, by="size", size=9, is_fresh_only=True, now=NOW)
    assert places(batch) == ["b-0", "b-1"]


def test_given_batches_keep_conversations_in_order() -> None:
    study = StudyFactory()
    source = SourceFactory(study=study)
    for key in "ab":
        talk(study, key, 2, [source])
    study.dialogues.update(batch_key="x")
    (batch,) = make_batches(study, by="given", now=NOW)
    assert places(batch) == ["a-0", "a-1", "b-0", "b-1"]


def test_all_turns_of_a_conversation_show_the_same_sources() -> None:
    study = StudyFactory()
    sources = SourceFactory.create_batch(4, study=study)
    for key in "abcdef":
        talk(study, key, 3, sources)
    make_batches(study, by="size", size=18, k=2, now=NOW)
    shown = defaultdict(set)
    for key, dialogue, source in study_items(study).values_list("dialogue__conversation", "dialogue", "source"):
        shown[key, dialogue].add(source)
    pairs = {frozenset(pair) for (key, _), pair in shown.items() if key == "a"}
    assert len(pairs) == 1
    assert Counter(study_items(study).values_list("source", flat=True)) == {source.pk: 9 for source in sources}


def test_a_wanted_number_of_dialogues_takes_whole_conversations() -> None:
    study = StudyFactory()
    source = SourceFactory(study=study)
    for key in "abc":
        talk(study, key, 3, [source])
    (batch,) = make_batches(study, by="size", size=9, n_dialogues=8, now=NOW)
    assert batch.n_items == 6


def test_questions_about_the_whole_dialogue_are_asked_at_its_end() -> None:
    version = VersionFactory()
    for at, unit in enumerate(("response", "dialogue")):
        criterion = CriterionFactory(version=version, key=unit, unit=unit, position=at)
        for key in ("yes", "no"):
            OptionFactory(criterion=criterion, key=key)
    study = StudyFactory(protocol_version=publish(version))
    source = SourceFactory(study=study)
    talk(study, "a", 2, [source], is_whole=True)
    talk(study, "b", 2, [source])
    (batch,) = make_batches(study, by="size", size=9, now=NOW)
    asked = {key: Counter() for key in places(batch)}
    for key, unit in batch.items.values_list("dialogue__key", "unit"):
        asked[key][unit] += 1
    assert asked == {
        "a-0": {"response": 1},
        "a-1": {"response": 1},
        "a-2": {"dialogue": 1},
        "b-0": {"response": 1},
        "b-1": {"response": 1, "dialogue": 1},
    }


def test_a_whole_dialogue_is_left_out_where_no_question_is_about_it() -> None:
    study = StudyFactory()
    talk(study, "a", 2, [SourceFactory(study=study)], is_whole=True)
    (batch,) = make_batches(study, by="size", size=9, now=NOW)
    assert places(batch) == ["a-0", "a-1"]


def test_where_only_whole_dialogues_are_rated_a_conversation_is_one() -> None:
    study = StudyFactory(protocol_version=make_scale_version(unit="dialogue"))
    talk(study, "a", 3, [SourceFactory(study=study)], is_whole=True)
    (batch,) = make_batches(study, by="size", size=9, now=NOW)
    assert places(batch) == ["a-3"]
    assert not make_batches(study, by="size", size=9, now=NOW)


def study_items(study: Study) -> QuerySet[Item]:
    return Item.objects.filter(batch__study=study)
