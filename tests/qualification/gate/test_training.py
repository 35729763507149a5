"""Which of a protocol's worked examples become training items, and what is said of the others."""

from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Item, Study
from annotation.services.refusals import Refused
from protocols.bundles import load_bundle
from protocols.selectors import builtin_bundles
from protocols.services import store_bundle
from qualification.models import KnownAnswer
from qualification.services.training import left_out, make_training
from tests.factories import MembershipFactory, StudyFactory, UserFactory
from tests.factories_protocols import CriterionFactory, ExampleFactory, VersionFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()
TURNS = [{"speaker": "S1", "text": "Are you hungry?"}, {"speaker": "S2", "text": "Not yet."}]
TOGETHER = ("candidate_set", "model")


def study_of(bundle: dict[str, Any]) -> Study:
    return StudyFactory(protocol_version=store_bundle(bundle, publish=True, now=NOW)[0])


def evaluated(bundle: dict[str, Any]) -> set[tuple[str, str, str, str]]:
    """(criterion, last turn before it, text, option) of all that an example evaluates, but for sets and models."""
    found = set()
    for criterion in bundle["criteria"]:
        unit = criterion.get("unit") or bundle["unit"]
        for example in criterion.get("examples", []) if unit not in TOGETHER else []:
            turns = [turn["text"] for turn in example["history"]]
            for each in example.get("candidates", []):
                found.add((criterion["key"], turns[-1], each["text"], each["option"]))
            if example.get("rated_turn"):
                found.add((criterion["key"], turns[-2], turns[-1], example["option"]))
            elif not example.get("candidates"):
                found.add((criterion["key"], turns[-1], "", example["option"]))
    return found


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_every_example_of_a_shipped_protocol_is_a_training_item_or_named_as_left_out(path: Path):
    bundle = load_bundle(path)
    study = study_of(bundle)
    (batch,) = make_training(study, by=UserFactory(), now=NOW)
    explained = {
        (known.criterion.key, known.dialogue.turns[-1]["text"], known.candidate.text if known.candidate else "",
         known.criterion.options.get(pk=known.options[0]).key)
        for known in KnownAnswer.objects.filter(study=study).select_related("dialogue", "candidate", "criterion")
    }  # fmt: skip
    assert explained == evaluated(bundle)
    shown = {(item.dialogue_id, item.candidate_id) for item in batch.items.all()}
    assert set(KnownAnswer.objects.values_list("dialogue", "candidate")) <= shown
    assert (batch.status, batch.n_items) == ("open", batch.items.count())
    assert not batch.items.filter(unit__in=TOGETHER).exists()
    grouped = [each for each in bundle["criteria"] if (each.get("unit") or bundle["unit"]) in TOGETHER]
    n = sum(len(each.get("examples", [])) for each in grouped)
    assert left_out(study) == (f"Left out: {n} examples are of sets of responses or of models." if n else "")


def test_the_rated_turn_is_a_response_to_the_turns_before_it(client):
    study = study_of(load_bundle(next(path for path in builtin_bundles() if path.stem == "persona-quality-1.0")))
    client.force_login(MembershipFactory(study=study, role="owner").user)
    answer = client.post(reverse("training_make", args=[study.slug]), follow=True)
    assert "are an open training batch now. Left out: 4 examples are of sets" in answer.content.decode()
    assert Batch.objects.get().n_items == Item.objects.filter(unit="response").count() == 22
    known = KnownAnswer.objects.get(explanation__contains="Fact 1 rules it out.")
    assert known.dialogue.turns == [{"speaker": "S1", "text": "Where did you learn to cook like this?"}]
    assert known.candidate.text == "In the three years I spent in Lisbon."
    assert "1. I have never left my country. 2. I keep bees." in known.explanation


@pytest.mark.parametrize(
    ("unit", "example", "said"),
    [
        ("response", {"rated_turn": 1}, "1 example rates a turn that is not the last, or has none before it"),
        ("response", {"rated_turn": 1, "history": TURNS[:1]}, "1 example rates a turn that is not the last"),
        ("response", {"rated_turn": None}, "1 example evaluates another part of the dialogue than annotators rate"),
        ("dialogue", {"rated_turn": 2}, "1 example evaluates another part of the dialogue"),
        ("candidate_set", {"rated_turn": None}, "1 example is of a set of responses or of a model"),
    ],
)
def test_a_protocol_none_of_whose_examples_can_be_shown_says_exactly_why(unit: str, example: dict[str, Any], said: str):
    version = VersionFactory(unit=unit)
    criterion = CriterionFactory(version=version)
    ExampleFactory(criterion=criterion, **{"history": TURNS, "candidates": [], "option": "yes"} | example)
    with pytest.raises(Refused, match=f"can be rated on its own: {said}.*Write training items yourself"):
        make_training(StudyFactory(protocol_version=version), by=UserFactory(), now=NOW)
